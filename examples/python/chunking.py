"""Chunks of sentences with ChainSVM: attributes by name, as for sklearn-crfsuite.

Reads columns `word tag chunk` with a blank line between sentences, as CoNLL-2000 has them:

    python chunking.py train.txt test.txt

Without files it makes up sentences of a small grammar.
"""

import sys

import numpy as np

from maxmargin import ChainSVM

GRAMMAR = {
    "NP": [["DT", "NN"], ["DT", "JJ", "NN"], ["PRP"]],
    "VP": [["VBZ"], ["MD", "VB"]],
    "PP": [["IN"]],
}
WORDS = {
    "DT": ["the", "a"], "NN": ["dog", "walk", "market", "rise"], "JJ": ["early", "steep"], "PRP": ["it", "she"],
    "VBZ": ["sees", "falls"], "MD": ["may", "will"], "VB": ["walk", "rise", "see"], "IN": ["in", "after"], ".": ["."],
}  # fmt: skip


def made_up(count, seed):
    """Sentences like `the early dog | may walk | in | a market | .`"""
    rng = np.random.default_rng(seed)
    pick = lambda choices: choices[rng.integers(len(choices))]
    for _ in range(count):
        sentence = []
        for chunk in pick([["NP", "VP"], ["NP", "VP", "NP"], ["NP", "VP", "PP", "NP"]]):
            for place, tag in enumerate(pick(GRAMMAR[chunk])):
                sentence.append((pick(WORDS[tag]), tag if rng.random() < 0.8 else "NN", f"{'BI'[place > 0]}-{chunk}"))
        yield [*sentence, (".", ".", "O")]


def read(path):
    """The sentences of a file."""
    sentence = []
    with open(path) as file:
        for line in [*file, ""]:
            if line.strip():
                sentence.append(tuple(line.split()))
            elif sentence:
                yield sentence
                sentence = []


def attributes(sentence):
    """What a chunk may depend on: words and tags of the position and its neighbours."""
    rows = []
    for t in range(len(sentence)):
        row = {}
        for d in (-2, -1, 0, 1, 2):
            word, tag = sentence[t + d][:2] if 0 <= t + d < len(sentence) else ("_", "_")
            row |= {f"w[{d}]": word.lower(), f"p[{d}]": tag}
        rows.append(row | {"p[-1]|p[0]": f"{row['p[-1]']}|{row['p[0]']}"})
    return rows


def main():
    if len(sys.argv) == 3:
        train, test = (list(read(path)) for path in sys.argv[1:])
    else:
        train, test = list(made_up(200, seed=1)), list(made_up(100, seed=2))
    tags = lambda sentences: [[tag for _, _, tag in sentence] for sentence in sentences]
    inputs = lambda sentences: [attributes(sentence) for sentence in sentences]

    svm = ChainSVM(lam=1e-3).fit(inputs(train), tags(train))
    print(f"F(w) = {svm.certificate_.primal:.5f}, and no weights reach less than {svm.certificate_.lower_bound:.5f}")
    figures = svm.evaluate(inputs(test), tags(test))
    print(f"chunk F1 {figures['chunk_f1']:.4f}, token accuracy {figures['token_accuracy']:.4f}")
    sure = svm.confidence(inputs(test[:1]))[0]
    for (word, _, truth), tag, margin in zip(test[0], svm.predict(inputs(test[:1]))[0], sure):
        print(f"{word:<10} {tag:<6} (true {truth:<6}) by {margin:.2f}")
    return figures["chunk_f1"]


if __name__ == "__main__":
    assert main() > 0.8

"""Which words of a sentence and its translation belong together, with MatchingSVM: an array (left, right, features) for each pair."""

import sys

import numpy as np

from maxmargin import MatchingSVM

LEXICON = {
    "das": "the", "haus": "house", "ist": "is", "klein": "small", "ein": "a", "hund": "dog", "katze": "cat", "die": "the",
    "sieht": "sees", "alt": "old", "nicht": "not", "baum": "tree",
}  # fmt: skip


def made_up(count, seed):
    """Sentence pairs: words of the left, translated, some swapped and some left out."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        left = list(rng.choice(list(LEXICON), rng.integers(3, 7), replace=False))
        order = np.argsort(np.arange(len(left)) + rng.normal(scale=0.9, size=len(left)))
        kept = [i for i in order if rng.random() < 0.9] or [0]
        yield left, [LEXICON[left[i]] for i in kept], [(int(i), j) for j, i in enumerate(kept)]


def dice(pairs):
    """How often words come together, from the sentences alone."""
    left, right, both = {}, {}, {}
    for words, others, _ in pairs:
        for a in set(words):
            left[a] = left.get(a, 0) + 1
            for b in set(others):
                both[a, b] = both.get((a, b), 0) + 1
        for b in set(others):
            right[b] = right.get(b, 0) + 1
    return lambda a, b: 2 * both.get((a, b), 0) / (left.get(a, 0) + right.get(b, 0) or 1)


def graph(left, right, together):
    """Features of each pair of words: how often they come together, that squared, and how far apart their places are."""
    features = np.empty((len(left), len(right), 3))
    for i, a in enumerate(left):
        for j, b in enumerate(right):
            score = together(a, b)
            features[i, j] = score, score**2, abs((i + 0.5) / len(left) - (j + 0.5) / len(right))
    return features


def main():
    train, test = list(made_up(100, 1)), list(made_up(50, 2))
    together = dice(train)
    graphs = lambda pairs: [graph(left, right, together) for left, right, _ in pairs]
    links = lambda pairs: [links for _, _, links in pairs]
    svm = MatchingSVM(lam=0.01, loss="miss=1,false=3").fit(graphs(train), links(train))
    figures = svm.evaluate(graphs(test), links(test))
    print(f"alignment error rate {figures['aer']:.4f}, F1 {figures['f1']:.4f}; weights {svm.model_.weights.round(2)}")
    left, right, truth = test[0]
    predicted = svm.predict(graphs(test[:1]))[0]
    print(" ".join(f"{left[i]}-{right[j]}" for i, j in predicted))
    if len(sys.argv) > 1:
        from maxmargin.plot import plot_alignment

        plot_alignment(left, right, predicted, truth).figure.savefig(sys.argv[1])
    return figures["f1"]


if __name__ == "__main__":
    assert main() > 0.9

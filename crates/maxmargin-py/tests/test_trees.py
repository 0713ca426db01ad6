"""Promise: dependency trees from Python are those of the program: the same weights, predictions and figures; bad sentences are named."""

import json
import subprocess

import numpy as np
import pytest

from maxmargin import DependencyParser

WORDS = {"DET": ["the", "a"], "NOUN": ["cat", "dog", "bird"], "VERB": ["sees", "likes"], "ADV": ["often"]}

#: Tags, heads and relations of sentences.
PATTERNS = [
    ("DET NOUN VERB DET NOUN", [(2, "det"), (3, "nsubj"), (0, "root"), (5, "det"), (3, "obj")]),
    ("NOUN ADV VERB NOUN", [(3, "nsubj"), (3, "advmod"), (0, "root"), (3, "obj")]),
    ("NOUN VERB ADV", [(2, "nsubj"), (0, "root"), (2, "advmod")]),
]


@pytest.fixture(scope="module")
def sentences():
    rng = np.random.default_rng(3)
    X, y = [], []
    for _ in range(60):
        tags, tree = PATTERNS[rng.integers(len(PATTERNS))]
        X.append([(WORDS[tag][rng.integers(len(WORDS[tag]))], tag) for tag in tags.split()])
        y.append(tree)
    return X, y


def conllu(X, y):
    lines = []
    for sentence, tree in zip(X, y):
        for place, ((form, tag), (head, relation)) in enumerate(zip(sentence, tree), start=1):
            lines.append(f"{place}\t{form}\t_\t{tag}\t_\t_\t{head}\t{relation}\t_\t_")
        lines.append("")
    return "\n".join(lines) + "\n"


def test_the_program_agrees(program, tmp_path, sentences):
    X, y = sentences
    (tmp_path / "train.conllu").write_text(conllu(X, y))
    flags = ["--train", tmp_path / "train.conllu", "--lambda", "0.01", "--gap", "1e-4", "--hash-bits", "12", "--model", tmp_path / "trees.model"]
    subprocess.run([program, "train", "parsing", *map(str, flags)], check=True, capture_output=True)
    ours = DependencyParser(lam=0.01, gap=1e-4, hash_bits=12).fit(X, y)
    theirs = DependencyParser.load(tmp_path / "trees.model")
    assert ours.certificate_ == theirs.certificate_
    for name, block in ours.coef_.items():
        assert np.array_equal(block, theirs.coef_[name]), name
    assert ours.predict(X) == theirs.predict(X) == y
    of_file = DependencyParser(lam=0.01, gap=1e-4, hash_bits=12).fit(tmp_path / "train.conllu")
    assert of_file.certificate_ == ours.certificate_
    command = [program, "eval", "--model", tmp_path / "trees.model", "--data", tmp_path / "train.conllu", "--json"]
    printed = json.loads(subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True).stdout)
    figures = ours.evaluate(X, y)
    assert figures["las"] == printed["las"] == ours.score(X, y)
    assert of_file.evaluate(tmp_path / "train.conllu") == figures


def test_lists_and_confidences(sentences):
    X, y = sentences
    parser = DependencyParser(lam=0.01, hash_bits=12).fit(X, y)
    assert set(parser.relations_) == {"det", "nsubj", "root", "obj", "advmod"}
    best = parser.predict_k_best(X[:3], 2)
    assert [trees[0][0] for trees in best] == parser.predict(X[:3])
    assert all(trees[0][1] >= trees[1][1] for trees in best)
    assert np.allclose(parser.decision_function(X[:3]), [trees[0][1] for trees in best])
    for sentence, sure in zip(X, parser.confidence(X)):
        assert sure.shape == (len(sentence),) and (sure >= 0).all()
    as_dicts = [[{"form": form, "upos": tag} for form, tag in sentence] for sentence in X]
    assert parser.predict(as_dicts) == parser.predict(X)


def test_crossing_arcs_are_lifted():
    X = [["a", "b", "c", "d"]]
    y = [[(3, "x"), (4, "x"), (0, "root"), (3, "x")]]
    kept = DependencyParser(lam=0.1, hash_bits=8).fit(X, y)
    lifted = DependencyParser(lam=0.1, hash_bits=8, projectivize=True).fit(X, y)
    assert any(not np.array_equal(block, lifted.coef_[name]) for name, block in kept.coef_.items())


@pytest.mark.parametrize(
    ("X", "y", "about"),
    [
        ([["a"]], None, "y: trees"),
        ([["a"]], [], "y: trees of 0"),
        ([["a", "b"]], [[(0, "root")]], "y: the tree of sentence 0"),
        ([[]], [[]], "X: sentence 0"),
        ([["a\tb"]], [[(0, "root")]], "X: the form of word 1"),
        ([[3.5]], [[(0, "root")]], "X: 3.5"),
        ([["a", "b"]], [[(2, "x"), (1, "x")]], "X"),
        ([["a"]], [[(7, "x")]], "X"),
        ([["a"]], [[("one", "x")]], "y: the arc of word 1"),
        ("1\ta\tb\n", None, "X"),
    ],
)
def test_what_is_no_tree_is_named(X, y, about):
    with pytest.raises(ValueError, match=about):
        DependencyParser(lam=0.1, hash_bits=8).fit(X, y)

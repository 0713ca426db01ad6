"""Dependency trees of sentences."""

from __future__ import annotations

import os
from typing import Any

from . import _engine
from ._estimator import Known
from ._parts_estimator import PartsEstimator

__all__ = ["DependencyParser"]

#: The columns of CoNLL-U that say what is known of a word, by their places.
_FIELDS = {"form": 1, "lemma": 2, "upos": 3, "xpos": 4, "feats": 5, "misc": 9}
_COLUMNS = 10
_HEAD, _DEPREL = 6, 7

#: What a tuple of a word has, in this order.
_IN_TUPLES = ("form", "upos", "xpos", "feats")


class DependencyParser(PartsEstimator):
    """Sentences with a tree of labelled arcs: the head of each word, and the relation to it.

    A sentence is a list of words. A word is a string, a tuple ``(form, upos)``, ``(form, upos, xpos)`` or
    ``(form, upos, xpos, feats)``, or a dict with the keys ``form``, ``upos``, ``xpos``, ``feats`` (others are ignored). Instead of a
    list of sentences X may be a path (``os.PathLike``) of a file in CoNLL-U, or its text as one string; ``y`` is then in it.

    {parameters}
    Attributes
    ----------
    certificate_ : Certificate
        The proof: bounds on the least value of the objective.
    relations_ : list of str
        The relations.
    lam_ : float
        λ, as it was given or chosen.

    Examples
    --------
    >>> from maxmargin import DependencyParser
    >>> X = [[("cats", "NOUN"), ("sleep", "VERB")], [("dogs", "NOUN"), ("chase", "VERB"), ("cats", "NOUN")]]
    >>> y = [[(2, "nsubj"), (0, "root")], [(2, "nsubj"), (0, "root"), (2, "obj")]]
    >>> parser = DependencyParser(lam=0.01, hash_bits=12).fit(X, y)
    >>> parser.predict([[("dogs", "NOUN"), ("sleep", "VERB")]])
    [[(2, 'nsubj'), (0, 'root')]]
    """

    _task = "parsing"
    _own_options = frozenset({"projectivize"})

    relations_: list[str]

    def fit(self, X: Any, y: Any = None) -> DependencyParser:
        """Trains on trees.

        Parameters
        ----------
        X : list of sentences, path or str
            The sentences, or CoNLL-U with the trees in it.
        y : list of lists of (head, relation), optional
            For each word the number of its head (from 1; 0 is the root) and the relation to it. None where X is CoNLL-U.

        Returns
        -------
        DependencyParser
            The estimator itself.
        """
        self._fit(X, y)
        self._know()
        return self

    def predict(self, X: Any) -> list[list[tuple[int, str]]]:
        """The best tree of each sentence: head and relation of each word."""
        return self._predict(X)  # type: ignore[no-any-return]

    def score(self, X: Any, y: Any = None) -> float:
        """The share of words with the right head and relation (LAS)."""
        return self.evaluate(X, y)["las"]

    def evaluate(self, X: Any, y: Any = None) -> dict[str, float]:
        """All figures that the program prints for trees: UAS, LAS, without punctuation too, and the mean loss."""
        model = self._fitted()
        return model.evaluate(_engine.Data.trees(_conllu(X, y), model), self._threads())

    def _data(self, X: Any, y: Any, sample_weight: Any, lengths: Any = None, known: Known | None = None) -> _engine.Data:
        if y is None and not isinstance(X, (str, os.PathLike)):
            raise ValueError("y: trees are needed to train")
        data = _engine.Data.trees(_conllu(X, y), None, bool(self.projectivize))
        self.n_features_in_ = len(_IN_TUPLES)
        return data

    def _inputs(self, X: Any, lengths: Any = None) -> _engine.Data:
        return _engine.Data.trees(_conllu(X, None), self._fitted())

    def _labels(self, found: list[Any]) -> list[list[tuple[int, str]]]:
        return [[(int(head), relation) for head, relation in tree] for tree in found]

    def _know(self) -> None:
        self.relations_ = list(self._fitted().label_names)


def _conllu(X: Any, y: Any) -> str:
    """Sentences and trees as CoNLL-U."""
    if isinstance(X, (str, os.PathLike)):
        if y is not None:
            raise ValueError("y: the trees are in the file of X; give one of both")
        if isinstance(X, str):
            return X
        with open(X, encoding="utf-8") as file:
            return file.read()
    sentences = list(X)
    trees = [None] * len(sentences) if y is None else list(y)
    if len(trees) != len(sentences):
        raise ValueError(f"y: trees of {len(trees)} sentences, but X has {len(sentences)}")
    lines: list[str] = []
    for number, (sentence, tree) in enumerate(zip(sentences, trees)):
        words = list(sentence)
        arcs = [None] * len(words) if tree is None else list(tree)
        if not words:
            raise ValueError(f"X: sentence {number} has no words")
        if len(arcs) != len(words):
            raise ValueError(f"y: the tree of sentence {number} has {len(arcs)} words, not {len(words)}")
        for place, (word, arc) in enumerate(zip(words, arcs), start=1):
            columns = [str(place)] + ["_"] * (_COLUMNS - 1)
            for name, value in _fields(word, number):
                columns[_FIELDS[name]] = _text(value, f"X: the {name} of word {place} of sentence {number}")
            if arc is not None:
                head, relation = _arc(arc, f"y: the arc of word {place} of sentence {number}")
                columns[_HEAD] = str(head)
                columns[_DEPREL] = _text(relation, f"y: the relation of word {place} of sentence {number}")
            lines.append("\t".join(columns))
        lines.append("")
    return "\n".join(lines) + "\n"


def _fields(word: Any, number: int) -> list[tuple[str, Any]]:
    """What is known of a word, by its names."""
    if isinstance(word, str):
        return [("form", word)]
    if isinstance(word, dict):
        return [(name, word[name]) for name in _FIELDS if word.get(name) is not None]
    if isinstance(word, (tuple, list)) and 1 <= len(word) <= len(_IN_TUPLES):
        return [(name, value) for name, value in zip(_IN_TUPLES, word) if value is not None]
    raise ValueError(f"X: {word!r} in sentence {number} is no word: a string, a tuple (form, upos, xpos, feats) or a dict")


def _arc(arc: Any, what: str) -> tuple[int, Any]:
    """Head and relation."""
    try:
        head, relation = arc
        if int(head) != head or head < 0:
            raise ValueError
    except (TypeError, ValueError):
        raise ValueError(f"{what} is {arc!r}, and not (head, relation)") from None
    return int(head), relation


def _text(value: Any, what: str) -> str:
    """A value that a column can hold."""
    text = str(value)
    if any(mark in text for mark in "\t\n\r"):
        raise ValueError(f"{what} has a tab or a line break in it")
    return text or "_"

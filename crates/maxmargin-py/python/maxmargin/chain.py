"""A label for each position of a sequence."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _engine
from ._estimator import Estimator, Known
from ._inputs import names_of, numbered, numbers_among, sequences, unique_labels
from ._partial import BatchEstimator

__all__ = ["ChainSVM", "SequenceEstimator"]


class SequenceEstimator(Estimator):
    """What estimators share whose examples are sequences with a label for each row."""

    classes_: np.ndarray[Any, Any]

    def fit(self, X: Any, y: Any, lengths: Any = None, sample_weight: Any = None) -> Any:
        """Trains on sequences.

        Parameters
        ----------
        X : list of arrays or sparse matrices, list of lists of dicts or of string lists, or one array
            The sequences, a row for each position. One array of all rows goes with ``lengths``, and is not copied.
        y : list of lists, or one array
            A label for each row.
        lengths : array-like of int, optional
            The number of rows of each sequence, where X is one array.
        sample_weight : array-like of shape (n_sequences,), optional
            What each sequence counts.

        Returns
        -------
        object
            The estimator itself.
        """
        return self._fit(X, y, sample_weight, lengths)

    def predict(self, X: Any, lengths: Any = None) -> list[np.ndarray[Any, Any]]:
        """The best labels of each sequence: an array for each."""
        return self._predict(X, lengths)  # type: ignore[no-any-return]

    def predict_k_best(self, X: Any, k: int, lengths: Any = None) -> list[list[tuple[Any, float]]]:
        """The k best labellings of each sequence with their scores, best first."""
        return self._k_best(X, k, lengths)

    def decision_function(self, X: Any, lengths: Any = None) -> np.ndarray[Any, Any]:
        """The score of the best labelling of each sequence."""
        return np.array([best[0][1] for best in self._k_best(X, 1, lengths)])

    def confidence(self, X: Any, lengths: Any = None) -> list[np.ndarray[Any, Any]]:
        """How sure each predicted label is: how much less the best labelling scores that has another one there."""
        return [np.array(parts) for _, _, _, parts, _ in self._surely(X, lengths)]

    def evaluate(self, X: Any, y: Any, lengths: Any = None) -> dict[str, float]:
        """All figures that the program prints for labelled sequences: F1 of chunks, errors, the mean loss."""
        model = self._fitted()
        rows, starts = sequences(X, lengths, model, self.byte_scale)
        names = list(model.label_names)
        labels = names_of(flat_labels(y, starts))
        known = {name: number for number, name in enumerate(names)}
        for name in labels:
            if name not in known:
                known[name] = len(names)
                names.append(name)
        numbers = np.array([known[name] for name in labels], dtype=np.int64)
        return model.evaluate(_engine.Data.sequences(rows, starts, numbers, names), self._threads())

    def score(self, X: Any, y: Any, lengths: Any = None) -> float:
        """The share of positions whose label is right."""
        predicted = self.predict(X, lengths)
        starts = np.concatenate([[0], np.cumsum([len(labels) for labels in predicted])]).astype(np.int64)
        truth = flat_labels(y, starts)
        if len(truth) == 0:
            return 0.0
        return float(np.mean(np.concatenate(predicted) == truth))

    def _pair_columns(self) -> int:
        return 0

    def _data(self, X: Any, y: Any, sample_weight: Any, lengths: Any = None, known: Known | None = None) -> _engine.Data:
        if y is None:
            raise ValueError("y: labels are needed to train")
        model, classes = (None, None) if known is None else (known.model, known.classes)
        rows, starts = sequences(X, lengths, model, self.byte_scale, grow=True)
        labels = flat_labels(y, starts)
        if classes is None:
            classes, numbers = unique_labels(labels)
        else:
            numbers = numbers_among(labels, classes)
        weights = self._weights(sample_weight, len(starts) - 1)
        data = _engine.Data.sequences(rows, starts, numbers, names_of(classes), weights, self._pair_columns())
        self.classes_ = classes
        self._columns(None, rows, reset=model is None, learns=True)
        return data

    def _inputs(self, X: Any, lengths: Any = None) -> _engine.Data:
        rows, starts = sequences(X, lengths, self._fitted(), self.byte_scale)
        self._columns(None, rows, reset=False)
        return _engine.Data.sequences(rows, starts, np.full(rows.shape[0], -1, dtype=np.int64), [])

    def _labels(self, found: list[Any]) -> list[np.ndarray[Any, Any]]:
        number = {name: number for number, name in enumerate(self._fitted().label_names)}
        return [self.classes_[[number[name] for name in names]] for names in found]

    def _know(self) -> None:
        self.classes_ = numbered(self._fitted().label_names)


class ChainSVM(SequenceEstimator, BatchEstimator):
    """Sequences with a label for each position, under the score of neighbouring labels: chunks, tags, letters of words.

    {parameters}
    Attributes
    ----------
    classes_ : ndarray
        The labels.
    certificate_ : Certificate
        The proof: bounds on the least value of the objective.
    coef_ : dict of ndarray
        The weights by named blocks: ``unary`` (features × labels), ``transition``, ``first``, ``last``.
    lam_ : float
        λ, as it was given or chosen.

    Examples
    --------
    Attributes by name, as for sklearn-crfsuite:

    >>> from maxmargin import ChainSVM
    >>> X = [[{"w": "the"}, {"w": "dog"}], [["w:the"], ["w:cat"], ["w:runs"]]]
    >>> chain = ChainSVM(lam=0.1).fit(X, [["B", "I"], ["B", "I", "O"]])
    >>> [labels.tolist() for labels in chain.predict([[{"w": "the"}, {"w": "cat"}, {"w": "runs"}]])]
    [['B', 'I', 'O']]

    One array of all rows, which is not copied:

    >>> import numpy as np
    >>> rows = np.array([[0.0], [1.0], [1.0], [0.0], [1.0]])
    >>> chain = ChainSVM(lam=0.01).fit(rows, [0, 1, 1, 0, 1], lengths=[3, 2])
    >>> [labels.tolist() for labels in chain.predict(rows, lengths=[3, 2])]
    [[0, 1, 1], [0, 1]]
    """

    _task = "chain"
    _of_all_data = {"weights": "seen"}

    def partial_fit(self, X: Any, y: Any, classes: Any = None, lengths: Any = None, sample_weight: Any = None) -> ChainSVM:
        """Learns from a batch, from the model so far: one pass of sgd over it, or `max_passes`.

        {partial}
        Parameters
        ----------
        X, y, lengths, sample_weight
            As for `fit`. Attributes by name may be new; the number of columns must stay.
        classes : array-like, optional
            All labels, on the first call. Those of the first batch when None.

        Returns
        -------
        ChainSVM
            The estimator itself.
        """
        return self._partial_fit(X, y, classes, sample_weight, lengths)  # type: ignore[no-any-return]


def flat_labels(y: Any, starts: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The labels of all rows, one after the other."""
    rows = int(starts[-1])
    parts = y if isinstance(y, np.ndarray) and y.ndim == 1 and y.dtype != object else list(y)
    if len(parts) == rows and all(np.ndim(part) == 0 for part in parts):
        return np.asarray(parts)
    lengths = np.diff(starts)
    if len(parts) != len(lengths):
        raise ValueError(f"y: {len(parts)} sequences of labels, but X has {len(lengths)}")
    labels: list[Any] = []
    for number, (part, length) in enumerate(zip(parts, lengths)):
        if isinstance(part, str) or not hasattr(part, "__len__"):
            raise ValueError(f"y: the labels of sequence {number} are no list")
        if len(part) != length:
            raise ValueError(f"y: sequence {number} has {len(part)} labels for {length} rows")
        labels.extend(part.tolist() if isinstance(part, np.ndarray) else part)
    if any(np.ndim(label) != 0 for label in labels):
        raise ValueError("y: a label is one number or string")
    array = np.asarray(labels)
    if array.dtype.kind in "US" and not all(isinstance(label, str) for label in labels):
        raise ValueError("y: labels are of mixed types: strings and others")
    return array

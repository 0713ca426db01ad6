"""A set of labels for each example."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse

from . import _engine
from ._estimator import Known
from ._inputs import is_frame, matrix, names_of, numbered, unique_labels
from ._partial import BatchEstimator
from ._sklearn import ClassifierMixin

__all__ = ["MultilabelSVM"]


class MultilabelSVM(ClassifierMixin, BatchEstimator):  # type: ignore[misc]
    """A set of labels for each example, with weights for labels that go together.

    {parameters}
    Attributes
    ----------
    classes_ : ndarray
        The labels, in the order of the columns of predictions.
    certificate_ : Certificate
        The proof: bounds on the least value of the objective.
    coef_ : dict of ndarray
        The weights by named blocks: ``unary`` (features × labels) and ``pair``.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin import MultilabelSVM
    >>> X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]])
    >>> svm = MultilabelSVM(lam=0.01).fit(X, [{"left"}, {"right"}, {"left", "right"}, set()])
    >>> svm.predict([[1.0, 0.9]]) == [{"left", "right"}]
    True
    >>> MultilabelSVM(lam=0.01).fit(X, X.astype(int)).predict([[0.1, 0.9]])
    array([[0, 1]])
    """

    _task = "multilabel"

    _of_all_data = {"pairs": "tree", "tune_threshold": None}

    classes_: np.ndarray[Any, Any]

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> MultilabelSVM:
        """Trains on examples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), a frame, or a list of dicts or of lists of strings
            The examples.
        y : array-like or sparse matrix of 0 and 1 of shape (n_samples, n_labels), or a list of sets
            The labels of each. Predictions have the same form.
        sample_weight : array-like of shape (n_samples,), optional
            What each example counts.

        Returns
        -------
        MultilabelSVM
            The estimator itself.
        """
        return self._fit(X, y, sample_weight)  # type: ignore[no-any-return]

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> MultilabelSVM:
        """Learns from a batch, from the model so far: one pass of sgd over it, or `max_passes`.

        {partial}
        Parameters
        ----------
        X, y, sample_weight
            As for `fit`. Attributes by name may be new; the number of columns must stay.
        classes : array-like, optional
            All labels, on the first call, where y are sets; names of the columns, where y are rows of 0 and 1. Those of the first
            batch when None.

        Returns
        -------
        MultilabelSVM
            The estimator itself.
        """
        return self._partial_fit(X, y, classes, sample_weight)  # type: ignore[no-any-return]

    def predict(self, X: Any) -> Any:
        """The best set of each example: rows of 0 and 1, or sets, as the training labels were."""
        return self._predict(X)

    def predict_k_best(self, X: Any, k: int) -> list[list[tuple[Any, float]]]:
        """The k best sets of each example with their scores, best first."""
        return self._k_best(X, k)

    def decision_function(self, X: Any) -> np.ndarray[Any, Any]:
        """How sure it is of each label: above 0 where it is in the best set, below where it is not.

        The size is how much less the best set scores that decides otherwise about this label.
        """
        model = self._fitted()
        number = {name: number for number, name in enumerate(model.label_names)}
        sure = self._surely(X)
        scores = np.zeros((len(sure), len(number)))
        for row, (names, _, _, parts, others) in zip(scores, sure):
            row[[number[name] for name in names]] = parts
            for name, margin in others:
                row[number[name]] = -margin
        return scores

    def confidence(self, X: Any) -> np.ndarray[Any, Any]:
        """How much more the best set scores than the second best one."""
        return np.array([margin for _, _, margin, _, _ in self._surely(X)])

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of examples whose set is predicted as a whole."""
        truth, _ = self._indicator(y, self.classes_)
        predicted = self._matrix_of(self._fitted().predict(self._inputs(X), self._threads()))
        return float(np.average((predicted == truth).all(axis=1), weights=sample_weight))

    def evaluate(self, X: Any, y: Any) -> dict[str, float]:
        """All figures that the program prints for labelled examples: Micro-F1, Macro-F1, Hamming loss and others."""
        model = self._fitted()
        rows = matrix(X, model, self.byte_scale)
        indicator, _ = self._indicator(y, self.classes_)
        return model.evaluate(self._sets(rows, indicator, model.label_names, None), self._threads())

    def _data(self, X: Any, y: Any, sample_weight: Any, lengths: Any = None, known: Known | None = None) -> _engine.Data:
        if y is None:
            raise ValueError(f"y: {type(self).__name__} requires y to be passed, but the target y is None")
        model, classes = (None, None) if known is None else (known.model, known.classes)
        rows = matrix(X, model, self.byte_scale, grow=True)
        indicator, classes = self._indicator(y, classes)
        if len(indicator) != rows.shape[0]:
            raise ValueError(
                f"y: Found input variables with inconsistent numbers of samples: {rows.shape[0]} in X, {len(indicator)} in y"
            )
        data = self._sets(rows, indicator, names_of(classes), self._weights(sample_weight, len(indicator)))
        self.classes_ = classes
        self._takes_sets = _are_sets(y)
        self._columns(X, rows, reset=model is None, learns=True)
        return data

    def _all_classes(self, classes: Any, y: Any, goes_on: bool) -> Any:
        # scikit-learn gives the values that columns have.
        if classes is not None and not _are_sets(y) and set(np.asarray(classes).ravel().tolist()) <= {0, 1}:
            classes = None
        return super()._all_classes(classes, y, goes_on)

    def _given_classes(self, classes: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        super()._given_classes(classes)
        return classes

    def _sets(self, rows: _engine.Matrix, indicator: np.ndarray[Any, Any], names: list[str], weights: Any) -> _engine.Data:
        starts = np.concatenate([[0], np.cumsum(indicator.sum(axis=1))]).astype(np.int64)
        labels = np.nonzero(indicator)[1].astype(np.int64)
        return _engine.Data.sets(rows, starts, labels, names, weights)

    def _indicator(self, y: Any, classes: Any) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """Which labels each example has, and what these are."""
        if _are_sets(y):
            sets = [list(labels) for labels in y]
            flat = np.asarray([label for labels in sets for label in labels])
            if classes is None:
                classes, _ = unique_labels(flat)
                if len(classes) == 0:
                    raise ValueError("y: no example has a label")
            number = {label: number for number, label in enumerate(classes.tolist())}
            indicator = np.zeros((len(sets), len(number)), dtype=bool)
            for row, labels in zip(indicator, sets):
                for label in labels:
                    label = label.item() if isinstance(label, np.generic) else label
                    if label not in number:
                        raise ValueError(f"y: the label {label!r} is not known")
                    row[number[label]] = True
            return indicator, classes
        known = None
        if is_frame(y):
            known, y = np.asarray([str(column) for column in y.columns]), y.to_numpy()
        array = y.toarray() if scipy.sparse.issparse(y) else np.asarray(y)
        if array.ndim != 2:
            raise ValueError(
                f"y: a row of 0 and 1 for each example is needed, or a list of sets, not {array.ndim} dimension(s)"
            )
        if array.dtype.kind not in "fiub" or not np.isin(array, (0, 1)).all():
            raise ValueError("y: the labels of sets are 0 or 1 in the column of each")
        if classes is not None and array.shape[1] != len(classes):
            raise ValueError(f"y: {array.shape[1]} columns, but there are {len(classes)} labels")
        if classes is not None and known is not None:
            array = array[:, _places(known, classes)]
        if array.shape[1] == 0:
            raise ValueError("y: there are no labels")
        if classes is None:
            classes = np.arange(array.shape[1]) if known is None else known
        return array.astype(bool), classes

    def _inputs(self, X: Any, lengths: Any = None) -> _engine.Data:
        rows = matrix(X, self._fitted(), self.byte_scale)
        self._columns(X, rows, reset=False)
        count = rows.shape[0]
        return _engine.Data.sets(rows, np.arange(count + 1), np.full(count, -1, dtype=np.int64), [])

    def _matrix_of(self, found: list[Any]) -> np.ndarray[Any, Any]:
        number = {name: number for number, name in enumerate(names_of(self.classes_))}
        indicator = np.zeros((len(found), len(number)), dtype=np.int64)
        for row, names in zip(indicator, found):
            row[[number[name] for name in names]] = 1
        return indicator

    def _labels(self, found: list[Any]) -> Any:
        indicator = self._matrix_of(found)
        if not self._takes_sets:
            return indicator
        return [set(self.classes_[row.astype(bool)].tolist()) for row in indicator]

    def _know(self) -> None:
        self.classes_ = numbered(self._fitted().label_names)
        self._takes_sets = self.classes_.dtype.kind not in "iu"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.single_output = False
        tags.target_tags.multi_output = True
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.multi_label = True
        return tags


def _places(columns: np.ndarray[Any, Any], classes: np.ndarray[Any, Any]) -> list[int]:
    """Where each class stands among the columns of a frame: by name, unless classes are mere numbers and columns are called otherwise."""
    places = {column: place for place, column in enumerate(columns.tolist())}
    names = names_of(classes)
    missing = [name for name in names if name not in places]
    if missing and classes.dtype.kind in "iu":
        return list(range(len(names)))
    if missing:
        raise ValueError(f"y: no column is called {missing[0]!r}, which is one of the labels")
    return [places[name] for name in names]


def _are_sets(y: Any) -> bool:
    """Whether labels are sets or lists of names, and no rows of 0 and 1."""
    if isinstance(y, np.ndarray) and y.dtype != object or scipy.sparse.issparse(y) or is_frame(y):
        return False
    rows = list(y) if hasattr(y, "__iter__") else []
    if any(isinstance(row, (set, frozenset)) for row in rows):
        return True
    lists = [row for row in rows if isinstance(row, (list, tuple))]
    if len(lists) != len(rows) or not rows:
        return False
    return len({len(row) for row in lists}) > 1 or any(isinstance(label, str) for row in lists for label in row)

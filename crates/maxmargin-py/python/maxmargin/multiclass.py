"""One of several classes for each example."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _engine
from ._estimator import Known
from ._inputs import matrix, names_of, numbered, numbers_among, unique_labels
from ._partial import BatchEstimator
from ._sklearn import HAS_SKLEARN, ClassifierMixin

__all__ = ["MulticlassSVM"]


class MulticlassSVM(ClassifierMixin, BatchEstimator):  # type: ignore[misc]
    """A support vector machine for several classes at once (Crammer and Singer), with a proof of optimality.

    {parameters}
    Attributes
    ----------
    classes_ : ndarray
        The classes, in the order of the columns of ``decision_function``.
    certificate_ : Certificate
        The proof: bounds on the least value of the objective.
    coef_ : dict of ndarray
        The weights by named blocks: ``unary`` has a row for each feature, and one for the constant.
    lam_ : float
        λ, as it was given or chosen.
    history_ : list of dict
        What was known after each pass.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin import MulticlassSVM
    >>> X = np.array([[1.0, 0.1], [0.2, 1.0], [0.9, 0.0], [0.0, 0.8]])
    >>> svm = MulticlassSVM(lam=0.01, gap=1e-6).fit(X, ["a", "b", "a", "b"])
    >>> svm.predict([[0.8, 0.2]]).tolist()
    ['a']
    >>> svm.certificate_.gap <= 1e-6
    True
    """

    _task = "multiclass"

    _of_all_data = {"class_weights": "balanced"}

    classes_: np.ndarray[Any, Any]

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> MulticlassSVM:
        """Trains on examples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), a frame, or a list of dicts or of lists of strings
            The examples. Arrays of float64, float32 and uint8, and sparse rows, are not copied.
        y : array-like of shape (n_samples,)
            Their classes: numbers or strings.
        sample_weight : array-like of shape (n_samples,), optional
            What each example counts.

        Returns
        -------
        MulticlassSVM
            The estimator itself.
        """
        return self._fit(X, y, sample_weight)  # type: ignore[no-any-return]

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> MulticlassSVM:
        """Learns from a batch, from the model so far: one pass of sgd over it, or `max_passes`.

        {partial}
        Parameters
        ----------
        X, y, sample_weight
            As for `fit`. Attributes by name may be new; the number of columns must stay.
        classes : array-like, optional
            All classes, on the first call. Those of the first batch when None.

        Returns
        -------
        MulticlassSVM
            The estimator itself.
        """
        return self._partial_fit(X, y, classes, sample_weight)  # type: ignore[no-any-return]

    def predict(self, X: Any) -> np.ndarray[Any, Any]:
        """The best class of each example."""
        return self._predict(X)  # type: ignore[no-any-return]

    def predict_k_best(self, X: Any, k: int) -> list[list[tuple[Any, float]]]:
        """The k best classes of each example with their scores, best first."""
        return self._k_best(X, k)

    def decision_function(self, X: Any) -> np.ndarray[Any, Any]:
        """The score of each class; for two classes how much more the second one scores."""
        model = self._fitted()
        scores = model.class_scores(self._inputs(X), self._threads())
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def confidence(self, X: Any) -> np.ndarray[Any, Any]:
        """How much more the best class scores than the second best one."""
        return np.array([margin for _, _, margin, _, _ in self._surely(X)])

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of examples that are predicted right."""
        right = self.predict(X) == class_labels(y)
        return float(np.average(right, weights=sample_weight))

    def evaluate(self, X: Any, y: Any) -> dict[str, float]:
        """All figures that the program prints for labelled examples."""
        model = self._fitted()
        names = list(model.label_names)
        labels = names_of(class_labels(y))
        known = {name: number for number, name in enumerate(names)}
        for name in labels:
            if name not in known:
                known[name] = len(names)
                names.append(name)
        rows = matrix(X, model, self.byte_scale)
        numbers = np.array([known[name] for name in labels], dtype=np.int64)
        return model.evaluate(_engine.Data.rows(rows, numbers, names), self._threads())

    def _data(self, X: Any, y: Any, sample_weight: Any, lengths: Any = None, known: Known | None = None) -> _engine.Data:
        if y is None:
            raise ValueError(f"y: {type(self).__name__} requires y to be passed, but the target y is None")
        model, classes = (None, None) if known is None else (known.model, known.classes)
        rows = matrix(X, model, self.byte_scale, grow=True)
        labels = class_labels(y)
        if len(labels) != rows.shape[0]:
            raise ValueError(
                f"y: Found input variables with inconsistent numbers of samples: {rows.shape[0]} in X, {len(labels)} in y"
            )
        if classes is None:
            classes, numbers = unique_labels(labels)
        else:
            numbers = numbers_among(labels, classes)
        if len(classes) < 2:
            raise ValueError(f"y: there is one class only, {classes[0]!r}; at least two classes are needed")
        weights = self._weights(sample_weight, len(labels))
        data = _engine.Data.rows(rows, numbers, names_of(classes), weights)
        self.classes_ = classes
        self._columns(X, rows, reset=model is None, learns=True)
        return data

    def _inputs(self, X: Any, lengths: Any = None) -> _engine.Data:
        rows = matrix(X, self._fitted(), self.byte_scale)
        self._columns(X, rows, reset=False)
        return _engine.Data.rows(rows, np.full(rows.shape[0], -1, dtype=np.int64), [])

    def _labels(self, found: list[Any]) -> np.ndarray[Any, Any]:
        number = {name: number for number, name in enumerate(self._fitted().label_names)}
        return self.classes_[[number[name] for name in found]]

    def _know(self) -> None:
        self.classes_ = numbered(self._fitted().label_names)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def class_labels(y: Any) -> np.ndarray[Any, Any]:
    """Labels as an array of one dimension."""
    if isinstance(y, (list, tuple)) and len({isinstance(label, str) for label in y}) > 1:
        raise ValueError("y: labels are of mixed types: strings and others")
    if HAS_SKLEARN:
        from sklearn.utils import column_or_1d

        try:
            labels = column_or_1d(y, warn=True)
        except ValueError as error:
            raise ValueError(f"y: {error}") from None
    else:
        labels = np.asarray(y)
        if labels.ndim == 2 and labels.shape[1] == 1:
            labels = labels[:, 0]
        if labels.ndim != 1:
            raise ValueError(f"y: labels have one dimension, not {labels.ndim}")
    return np.asarray(labels)

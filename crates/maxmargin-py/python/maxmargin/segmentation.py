"""Segments with a class each, which cut a sequence."""

from __future__ import annotations

from typing import Any

from .chain import SequenceEstimator

__all__ = ["SegmentationSVM"]


class SegmentationSVM(SequenceEstimator):
    """Sequences that are cut into segments with a class each, found as a whole: entities, characters in rows of columns.

    Labels are tags that begin segments and go on with them (IOB2): ``O``, ``B-NP``, ``I-NP``.

    {parameters}
    Attributes
    ----------
    classes_ : ndarray
        The tags.
    certificate_ : Certificate
        The proof: bounds on the least value of the objective.
    coef_ : dict of ndarray
        The weights by named blocks: ``position``, ``segment``, ``length``, ``transition``, ``first``, ``last``.

    Examples
    --------
    >>> from maxmargin import SegmentationSVM
    >>> X = [[["w:in"], ["w:New"], ["w:York"]], [["w:New"], ["w:York"], ["w:is"]]]
    >>> y = [["O", "B-LOC", "I-LOC"], ["B-LOC", "I-LOC", "O"]]
    >>> svm = SegmentationSVM(lam=0.1).fit(X, y)
    >>> [tags.tolist() for tags in svm.predict([[["w:in"], ["w:New"], ["w:York"], ["w:is"]]])]
    [['O', 'B-LOC', 'I-LOC', 'O']]
    """

    _task = "segmentation"

    def score(self, X: Any, y: Any, lengths: Any = None) -> float:
        """F1 of segments."""
        return self.evaluate(X, y, lengths)["segment_f1"]

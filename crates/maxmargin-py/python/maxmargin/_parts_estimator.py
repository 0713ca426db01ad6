"""What estimators share whose labels have many parts: arcs of a tree, links of a graph, points of a face."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._estimator import Estimator

__all__ = ["PartsEstimator"]


class PartsEstimator(Estimator):
    """An estimator that is asked for labels as wholes, and for how sure each of their parts is."""

    def predict_k_best(self, X: Any, k: int) -> list[list[tuple[Any, float]]]:
        """The k best labels of each example with their scores, best first."""
        return self._k_best(X, k)

    def decision_function(self, X: Any) -> np.ndarray[Any, Any]:
        """The score of the best label of each example."""
        return np.array([best[0][1] for best in self._k_best(X, 1)])

    def confidence(self, X: Any) -> list[np.ndarray[Any, Any]]:
        """How sure each part of the predicted labels is: how much less the best label scores that lacks it."""
        return [np.array(parts) for _, _, _, parts, _ in self._surely(X)]

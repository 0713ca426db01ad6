"""What the estimators take from scikit-learn where it is installed, and do without where it is not."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

__all__ = ["BaseEstimator", "ClassifierMixin", "ConvergenceWarning", "HAS_SKLEARN", "NotFittedError", "check_columns"]

try:
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.exceptions import ConvergenceWarning as _SklearnConvergenceWarning
    from sklearn.exceptions import NotFittedError

    HAS_SKLEARN = True

    class ConvergenceWarning(_SklearnConvergenceWarning):  # type: ignore[misc]
        """Training ended before the gap was reached. The certificate says how far it came."""

except ImportError:
    HAS_SKLEARN = False

    class ConvergenceWarning(UserWarning):  # type: ignore[no-redef]
        """Training ended before the gap was reached. The certificate says how far it came."""

    class NotFittedError(ValueError, AttributeError):  # type: ignore[no-redef]
        """A model was asked that is not trained yet."""

    class BaseEstimator:  # type: ignore[no-redef]
        """Parameters by name, as scikit-learn has them."""

        @classmethod
        def _names(cls) -> list[str]:
            return sorted(name for name in inspect.signature(cls.__init__).parameters if name != "self")

        def get_params(self, deep: bool = True) -> dict[str, Any]:
            """All parameters."""
            return {name: getattr(self, name) for name in self._names()}

        def set_params(self, **params: Any) -> BaseEstimator:
            """Sets parameters by name."""
            names = self._names()
            for name, value in params.items():
                if name not in names:
                    raise ValueError(f"{name!r} is no parameter of {type(self).__name__}; there are {names}")
                setattr(self, name, value)
            return self

        def __repr__(self) -> str:
            signature = inspect.signature(type(self).__init__)
            given = [
                f"{name}={getattr(self, name)!r}"
                for name, parameter in signature.parameters.items()
                if name != "self" and getattr(self, name, None) is not parameter.default
                and getattr(self, name, None) != parameter.default
            ]
            return f"{type(self).__name__}({', '.join(given)})"

    class ClassifierMixin:  # type: ignore[no-redef]
        """Nothing without scikit-learn."""


def check_columns(estimator: Any, X: Any, columns: int, reset: bool) -> None:
    """Keeps the number and the names of columns in training, and compares them afterwards."""
    if HAS_SKLEARN:
        try:
            from sklearn.utils.validation import _check_feature_names
        except ImportError:
            estimator._check_feature_names(X, reset=reset)
        else:
            _check_feature_names(estimator, X, reset=reset)
    elif reset and hasattr(X, "columns"):
        estimator.feature_names_in_ = np.asarray(list(X.columns), dtype=object)
    if reset:
        estimator.n_features_in_ = columns
    elif columns != estimator.n_features_in_:
        name = type(estimator).__name__
        raise ValueError(
            f"X has {columns} features, but {name} is expecting {estimator.n_features_in_} features as input"
        )

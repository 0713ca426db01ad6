"""Learning from one batch after the other."""

from __future__ import annotations

import inspect
from typing import Any, ClassVar

import numpy as np

from ._estimator import Estimator, Known
from ._inputs import unique_labels
from ._parameters import settings_of

__all__ = ["BatchEstimator"]

#: What docstrings of `partial_fit` say.
_ABOUT = """
The objective is the estimator's, with the mean of H over all examples that ever come: λ is that of the first call (given, or
chosen on that batch), and steps get shorter with ``t_``, the number of examples so far, as if all batches were one pass of sgd.
So the end of many batches is near the optimum, and no more: `fit` goes on to a gap. ``certificate_`` is about the last batch
alone: ``primal`` is its objective at the weights, and ``lower_bound`` what no weights reach less than on it. After `fit` or
`load`, ``t_`` is the number of their examples. ``solver`` is ``"auto"`` or ``"sgd"``; others would solve the batch, and forget
what was before.
"""


class BatchEstimator(Estimator):
    """An estimator with `partial_fit`."""

    #: Values of parameters (None: all but None) that mean something of all examples, so that a batch does not know them.
    _of_all_data: ClassVar[dict[str, str | None]] = {}

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        own = cls.__dict__.get("partial_fit")
        if own is not None and own.__doc__:
            own.__doc__ = inspect.cleandoc(own.__doc__).replace("{partial}", _ABOUT.strip() + "\n")

    def _partial_fit(self, X: Any, y: Any, classes: Any, sample_weight: Any, lengths: Any = None) -> Any:
        model = getattr(self, "model_", None)
        settings = self._settings_of_batch(model is not None)
        data = self._data(X, y, sample_weight, lengths, Known(self._all_classes(classes, y, model is not None), model))
        seen = self.t_ if model is not None else 0
        about = self._run(data, settings, model, seen, self._options_of_batch())
        if about["interrupted"]:
            self._warn(about)
        self.t_ = seen + len(data) * self.n_iter_
        return self

    def _settings_of_batch(self, goes_on: bool) -> dict[str, Any]:
        """The settings for a batch."""
        for name, value in self._of_all_data.items():
            given = getattr(self, name)
            if given is not None and (value is None or given == value):
                raise ValueError(f"{name}: {given!r} depends on all examples, and partial_fit sees one batch of them")
        settings = settings_of(self)
        if settings["solver"] not in ("auto", "sgd"):
            raise ValueError(f"solver: {settings['solver']!r} would forget what was before a batch; partial_fit is for sgd")
        settings["solver"] = "sgd"
        if settings["max_passes"] is None:
            settings["max_passes"] = 1
        if goes_on:
            settings |= {"lam": self.lam_, "C": None, "C_mean": None, "folds": None}
        return settings

    def _options_of_batch(self) -> dict[str, list[str]]:
        """Options that are settled by the first call, where the estimator leaves them to the data."""
        return {}

    def _all_classes(self, classes: Any, y: Any, goes_on: bool) -> Any:
        """The classes that a batch may have; None where it is the first, and nobody says."""
        known = self.classes_ if goes_on else None
        if classes is None:
            return known
        given = self._given_classes(_classes(classes))
        if known is not None and set(given.tolist()) != set(known.tolist()):
            raise ValueError("classes: they are not those of the first call of partial_fit")
        return given if known is None else known

    def _given_classes(self, classes: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Classes as they are kept."""
        if classes.ndim != 1 or len(classes) == 0:
            raise ValueError("classes: a list of all classes is needed")
        unique, _ = unique_labels(classes, "classes")
        if len(unique) != len(classes):
            raise ValueError("classes: one of them is there twice")
        return unique


def _classes(classes: Any) -> np.ndarray[Any, Any]:
    """Classes as an array."""
    try:
        return np.asarray(classes)
    except ValueError as error:
        raise ValueError(f"classes: a list of all classes is needed ({error})") from None

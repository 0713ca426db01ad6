"""Progress of training: a bar of tqdm where it is installed, lines where it is not, and callbacks."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any

__all__ = ["close", "hearer"]

Record = dict[str, Any]


class _Lines:
    """A line for each pass."""

    def __call__(self, record: Record) -> None:
        if record["event"] == "pass":
            print(
                f"pass {record['passes']}: F(w) = {record['primal']:.6g}, at least {record['lower_bound']:.6g}, "
                f"gap {record['gap']:.3g}",
                file=sys.stderr,
            )
        else:
            print(f"λ = {record['lam']:.3g}: {record['figure']} {record['value']:.4g}", file=sys.stderr)

    def close(self) -> None:
        """Nothing is left open."""


class _Bar:
    """A bar that fills as the gap falls, on the scale of its logarithm."""

    def __init__(self, tqdm: Any, gap: float) -> None:
        self.bar = tqdm(total=100, unit="%", bar_format="{desc} {bar} {postfix}")
        self.gap = gap
        self.first: float | None = None

    def __call__(self, record: Record) -> None:
        if record["event"] != "pass":
            self.bar.set_description(f"λ = {record['lam']:.3g}")
            return
        gap = record["gap"]
        if math.isfinite(gap) and gap > 0:
            self.first = self.first or max(gap, self.gap * 1.01)
            share = math.log(self.first / max(gap, self.gap)) / math.log(self.first / self.gap)
            self.bar.n = min(100, max(self.bar.n, round(100 * share)))
        self.bar.set_description(f"pass {record['passes']}")
        self.bar.set_postfix_str(f"gap {gap:.2g}")

    def close(self) -> None:
        """Leaves the bar as it is."""
        self.bar.close()


class _Hearer:
    def __init__(self, shown: Any, callback: Callable[[Record], Any] | None) -> None:
        self.shown, self.callback = shown, callback

    def __call__(self, record: Record) -> bool:
        if self.shown is not None:
            self.shown(record)
        return bool(self.callback(record)) if self.callback is not None else False


def hearer(verbose: Any, callback: Any, gap: Any) -> _Hearer | None:
    """What hears of passes, where anybody wants to."""
    if callback is not None and not callable(callback):
        raise ValueError(f"callback: {callback!r} cannot be called")
    shown: Any = None
    if verbose:
        try:
            from tqdm.auto import tqdm
        except ImportError:
            shown = _Lines()
        else:
            shown = _Bar(tqdm, float(gap))
    return None if shown is None and callback is None else _Hearer(shown, callback)


def close(hearer: _Hearer | None) -> None:
    """Ends what is shown."""
    if hearer is not None and hearer.shown is not None:
        hearer.shown.close()

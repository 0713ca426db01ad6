"""Pictures of training and of what was learnt, by matplotlib.

Every function draws into ``ax``, or into axes of its own, and returns these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from .chain import ChainSVM
from .multiclass import MulticlassSVM
from .multilabel import MultilabelSVM

__all__ = ["label_plane", "plot_alignment", "plot_convergence", "plot_hierarchy", "plot_label_plane"]


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots()[1]


def plot_convergence(*estimators: Any, names: Sequence[str] | None = None, against: str = "passes", ax: Any = None) -> Any:
    """The relative gap after each pass.

    Parameters
    ----------
    *estimators
        Estimators that were trained here (a loaded model has no history).
    names : list of str, optional
        What each is called.
    against : str
        ``passes``, ``seconds`` or ``oracle_calls``.
    ax : axes of matplotlib, optional
        Where to draw.
    """
    ax = _axes(ax)
    for number, estimator in enumerate(estimators):
        history = getattr(estimator, "history_", None)
        if not history:
            raise ValueError("estimators: one has no history; train it here")
        gaps = [(record[against], record["gap"]) for record in history if np.isfinite(record["gap"])]
        name = names[number] if names is not None else type(estimator).__name__
        ax.plot(*zip(*gaps), marker=".", label=name)
        ax.axhline(estimator.gap, linewidth=0.5, linestyle=":", color="grey")
    ax.set(xlabel=against.replace("_", " "), ylabel="relative gap", yscale="log")
    ax.legend()
    return ax


def label_plane(estimator: Any, x: Any, y: Any, k: int = 200) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """The k best labels of one example as points: how much more each scores than the truth, and what it costs.

    The cost is the number of mistakes. The truth must be among the labels; a larger k lists more.
    """
    cost: Callable[[Any], float]
    if isinstance(estimator, ChainSVM):
        truth: Any = list(np.asarray(y).tolist())
        cost = lambda label: float(sum(a != b for a, b in zip(label.tolist(), truth)))  # noqa: E731
    elif isinstance(estimator, MultilabelSVM):
        truth = np.asarray(y)
        cost = lambda label: float(np.sum(np.asarray(label) != truth)) if not isinstance(y, set) else float(len(label ^ y))  # noqa: E731
    elif isinstance(estimator, MulticlassSVM):
        cost = lambda label: float(label != y)  # noqa: E731
        k = len(estimator.classes_)
    else:
        raise ValueError(f"estimator: {type(estimator).__name__} is not one of ChainSVM, MulticlassSVM and MultilabelSVM")
    best = estimator.predict_k_best([x], k)[0]
    scores = np.array([score for _, score in best])
    costs = np.array([cost(label) for label, _ in best])
    if not (costs == 0).any():
        raise ValueError(f"k: the truth is not among the {len(best)} best labels; list more")
    return scores - scores[costs == 0][0], costs


def plot_label_plane(estimator: Any, x: Any, y: Any, k: int = 200, ax: Any = None) -> Any:
    """The labels of one example as points of margin error and cost, with the line that margin rescaling moves up to the worst one."""
    ax = _axes(ax)
    margins, costs = label_plane(estimator, x, y, k)
    worst = int(np.argmax(margins + costs))
    ax.scatter(margins, costs, s=12, alpha=0.6, label="labels")
    ax.scatter([0], [0], marker="*", s=120, label="truth")
    ax.scatter([margins[worst]], [costs[worst]], marker="x", s=80, label="most violated")
    height = margins[worst] + costs[worst]
    ax.axline((height, 0), slope=-1, linewidth=0.8, color="grey")
    ax.set(xlabel="score − score of the truth", ylabel="loss")
    ax.legend()
    return ax


def plot_alignment(
    left: Sequence[str],
    right: Sequence[str],
    links: Iterable[tuple[int, int]],
    truth: Iterable[tuple[int, int]] = (),
    ax: Any = None,
) -> Any:
    """Two sentences as a grid: filled squares are links, framed ones are true."""
    ax = _axes(ax)
    grid = np.zeros((len(left), len(right)))
    for i, j in links:
        grid[i, j] = 1.0
    ax.imshow(grid, cmap="Greys", vmin=0, vmax=1.6)
    for i, j in truth:
        ax.add_patch(_rectangle(i, j))
    ax.set_xticks(range(len(right)), right, rotation=60, ha="right")
    ax.set_yticks(range(len(left)), left)
    return ax


def _rectangle(i: int, j: int) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle((j - 0.5, i - 0.5), 1, 1, fill=False, edgecolor="tab:green", linewidth=2)


def plot_hierarchy(estimator: Any, most: int = 60, ax: Any = None) -> Any:
    """The nodes of a hierarchy below each other: the length of their weights as bars, and how many examples have them."""
    nodes = estimator._fitted().drawn_tree()
    if nodes is None:
        raise ValueError(f"estimator: {type(estimator).__name__} has no hierarchy")
    nodes = nodes[:most]
    ax = _axes(ax)
    norms = [norm for _, _, _, norm, _, _ in nodes]
    ax.barh(range(len(nodes)), norms, height=0.7)
    names = ["    " * depth + name for name, depth, _, _, _, _ in nodes]
    ax.set_yticks(range(len(nodes)), names, ha="left")
    ax.tick_params(axis="y", pad=12 + 5 * max((len(name) for name in names), default=0))
    for place, (_, _, _, norm, support, _) in enumerate(nodes):
        ax.text(norm, place, f" {support}", va="center", fontsize="small")
    ax.invert_yaxis()
    ax.set_xlabel("length of the weights (and how many examples have the node)")
    return ax

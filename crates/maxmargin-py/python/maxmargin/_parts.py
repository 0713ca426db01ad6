"""Losses of part scores for batches, in NumPy: what the layers for JAX and PyTorch share.

| structure | scores | shared | targets | lengths |
| --- | --- | --- | --- | --- |
| multiclass | (batch, labels) | | (batch,) | |
| chain | (batch, positions, labels) | transitions (labels, labels); with boundary first and last (labels,) | (batch, positions) | (batch,) |
| multilabel | (batch, labels) | pairs, one for each | (batch, labels) of 0 and 1 | |
| matching | (batch, left, right) | | (batch, left, right) of 0 and 1 | (batch, 2) |
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _engine
from .surrogate import Surrogate

__all__ = ["HostLoss"]

Array = np.ndarray[Any, Any]


class HostLoss:
    """H of a batch with its gradients, computed by the engine on all cores.

    Parameters
    ----------
    structure : str
        multiclass, chain, multilabel or matching.
    labels : int
        The number of labels; of no meaning for matchings.
    surrogate : str or Surrogate
        How margin error and loss are combined.
    search : str
        How the most violated label is found, for other surrogates than margin.
    boundary : bool
        Chains: whether there are scores of the first and the last label.
    mean : bool
        Chains: whether the loss is the share of wrong positions, and not their number.
    pairs : list of (int, int), optional
        Label sets: the pairs of labels that have scores; all when None, and none for an empty list.
    fertility : (int, int)
        Matchings: the most links of a left and of a right node.
    n_threads : int, optional
        The number of threads; all cores when None.
    """

    def __init__(
        self,
        structure: str,
        labels: int = 0,
        *,
        surrogate: Any = "margin",
        search: str = "auto",
        boundary: bool = False,
        mean: bool = False,
        pairs: list[tuple[int, int]] | None = None,
        fertility: tuple[int, int] = (1, 1),
        n_threads: int | None = None,
    ) -> None:
        own = surrogate if isinstance(surrogate, Surrogate) else None
        name = "margin" if own is not None else surrogate
        custom = own.engine if own is not None else None
        self.structure, self.labels, self.boundary, self.n_threads = structure, labels, boundary, n_threads
        self.pairs = labels * (labels - 1) // 2 if pairs is None else len(pairs)
        self.engine = _engine.PartLoss(structure, labels, name, search, boundary, mean, pairs, fertility, custom)

    def shared_shapes(self) -> list[tuple[int, ...]]:
        """The shapes of the scores that all examples share."""
        if self.structure == "chain":
            label = (self.labels,)
            return [(self.labels, self.labels), label, label] if self.boundary else [(self.labels, self.labels)]
        return [(self.pairs,)] if self.structure == "multilabel" and self.pairs else []

    def values_and_gradients(
        self, scores: Any, shared: Any, targets: Any, lengths: Any = None
    ) -> tuple[Array, Array, list[Array]]:
        """H of each example, its gradient by its scores, and by the shared ones: those have a first dimension for examples."""
        scores = np.asarray(scores, dtype=np.float64)
        shared = [np.asarray(part, dtype=np.float64) for part in shared]
        self._check(scores, shared)
        sizes, masks = self._sizes(scores, lengths)
        common = [np.concatenate([part.ravel() for part in shared])] if shared else []
        parts = [np.concatenate([row[mask].ravel(), *common]) for row, mask in zip(scores, masks)]
        truths = [self._truth(target, mask) for target, mask in zip(np.asarray(targets), masks)]
        if len(truths) != len(scores):
            raise ValueError(f"targets: {len(truths)} for {len(scores)} examples")
        values, slopes = self.engine.answers(truths, parts, self._edges(sizes), self.n_threads)
        gradient = np.zeros_like(scores)
        of_shared = [np.zeros((len(scores), *part.shape)) for part in shared]
        for i, (mask, slope) in enumerate(zip(masks, slopes)):
            own = scores[i][mask].size
            gradient[i][mask] = slope[:own].reshape(scores[i][mask].shape)
            start = own
            for part in of_shared:
                part[i] = slope[start : start + part[i].size].reshape(part[i].shape)
                start += part[i].size
        return values, gradient, of_shared

    def decode(self, scores: Any, shared: Any = (), lengths: Any = None) -> list[Array]:
        """The best label of each example: labels of positions, labels in a set, links, or a class."""
        scores = np.asarray(scores, dtype=np.float64)
        shared = [np.asarray(part, dtype=np.float64) for part in shared]
        self._check(scores, shared)
        sizes, masks = self._sizes(scores, lengths)
        common = [np.concatenate([part.ravel() for part in shared])] if shared else []
        parts = [np.concatenate([row[mask].ravel(), *common]) for row, mask in zip(scores, masks)]
        rows = [int(size) if self.structure == "chain" else 1 for size in sizes]
        edges = self._edges(sizes)
        found = self.engine.decode(parts, rows, edges, self.n_threads)
        if edges is not None:
            return [ends[np.array(links, dtype=int)] for links, ends in zip(found, edges)]
        return [np.array(labels, dtype=np.int64) for labels in found]

    def _check(self, scores: Array, shared: list[Array]) -> None:
        dimensions = 3 if self.structure in ("chain", "matching") else 2
        if scores.ndim != dimensions:
            raise ValueError(f"scores: {dimensions} dimensions are needed, not {scores.ndim}")
        if self.structure != "matching" and scores.shape[-1] != self.labels:
            raise ValueError(f"scores: {scores.shape[-1]} labels, but there are {self.labels}")
        shapes = self.shared_shapes()
        if [part.shape for part in shared] != shapes:
            raise ValueError(f"shared: arrays of the shapes {shapes} are needed, not {[p.shape for p in shared]}")

    def _sizes(self, scores: Array, lengths: Any) -> tuple[Any, list[Any]]:
        """How large each example is, and where its scores are."""
        if self.structure == "chain":
            sizes = np.full(len(scores), scores.shape[1]) if lengths is None else np.asarray(lengths).astype(int)
            if sizes.shape != (len(scores),) or (sizes < 0).any() or (sizes > scores.shape[1]).any():
                raise ValueError("lengths: there is one for each example, and none is longer than the scores")
            return sizes, [slice(0, size) for size in sizes]
        if self.structure == "matching":
            whole = np.tile(scores.shape[1:], (len(scores), 1))
            sizes = whole if lengths is None else np.asarray(lengths).astype(int)
            if sizes.shape != whole.shape or (sizes < 0).any() or (sizes > whole).any():
                raise ValueError("lengths: the numbers of left and right nodes of each example")
            return sizes, [np.ix_(np.arange(left), np.arange(right)) for left, right in sizes]
        return np.ones(len(scores), dtype=int), [slice(None)] * len(scores)

    def _edges(self, sizes: Any) -> list[Array] | None:
        if self.structure != "matching":
            return None
        grids = [np.indices((left, right)).reshape(2, -1).T for left, right in sizes]
        return [np.ascontiguousarray(grid, dtype=np.int64) for grid in grids]

    def _truth(self, target: Any, mask: Any) -> Array:
        if self.structure == "multiclass":
            return np.array([target], dtype=np.int64)
        if self.structure == "chain":
            return np.ascontiguousarray(target[mask], dtype=np.int64)
        return np.flatnonzero(target[mask]).astype(np.int64)

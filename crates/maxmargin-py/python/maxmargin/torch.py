"""Structured losses as layers of PyTorch."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from ._parts import HostLoss

__all__ = ["StructuredLoss"]


class _Function(torch.autograd.Function):  # type: ignore[misc]
    @staticmethod
    def forward(ctx: Any, host: HostLoss, scores: Any, targets: Any, lengths: Any, *shared: Any) -> Any:
        arrays = [part.detach().cpu().numpy() for part in shared]
        values, gradient, of_shared = host.values_and_gradients(
            scores.detach().cpu().numpy(), arrays, np.asarray(targets.cpu()), None if lengths is None else np.asarray(lengths.cpu())
        )
        like = {"dtype": scores.dtype, "device": scores.device}
        ctx.save_for_backward(torch.as_tensor(gradient, **like), *[torch.as_tensor(part, **like) for part in of_shared])
        return torch.as_tensor(values, **like)

    @staticmethod
    def backward(ctx: Any, upstream: Any) -> Any:
        gradient, *of_shared = ctx.saved_tensors
        by_scores = gradient * upstream.reshape(-1, *[1] * (gradient.ndim - 1))
        by_shared = [torch.tensordot(upstream, part, dims=1) for part in of_shared]
        return (None, by_scores, None, None, *by_shared)


class StructuredLoss(torch.nn.Module):  # type: ignore[misc]
    """The structured loss H of part scores, with a gradient; see :class:`maxmargin._parts.HostLoss` for the parameters.

    It is called with ``scores``, what all examples share (transitions of chains, pairs of label sets), ``targets`` and ``lengths``, and
    answers with H of each example. Oracles run on the host, on all cores.

    Examples
    --------
    >>> import torch
    >>> from maxmargin.torch import StructuredLoss
    >>> loss = StructuredLoss("chain", labels=2)
    >>> scores = torch.zeros(1, 3, 2, requires_grad=True)
    >>> value = loss(scores, torch.zeros(2, 2), targets=torch.tensor([[0, 1, 1]])).mean()
    >>> value.item()
    3.0
    >>> value.backward()
    >>> scores.grad.tolist()
    [[[-1.0, 1.0], [1.0, -1.0], [1.0, -1.0]]]
    """

    def __init__(self, structure: str, labels: int = 0, **options: Any) -> None:
        super().__init__()
        self.host = HostLoss(structure, labels, **options)

    def forward(self, scores: Any, *shared: Any, targets: Any, lengths: Any = None) -> Any:
        """H of each example of a batch."""
        return _Function.apply(self.host, scores, targets, lengths, *shared)

    def decode(self, scores: Any, *shared: Any, lengths: Any = None) -> list[np.ndarray[Any, Any]]:
        """The best label of each example."""
        arrays = [part.detach().cpu().numpy() for part in shared]
        return self.host.decode(scores.detach().cpu().numpy(), arrays, lengths)

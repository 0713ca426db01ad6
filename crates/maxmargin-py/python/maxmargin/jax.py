"""Structured losses as layers of JAX."""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ._parts import HostLoss

__all__ = ["StructuredLoss"]


class StructuredLoss:
    """The structured loss H of part scores, with a gradient; see :class:`maxmargin._parts.HostLoss` for the parameters.

    It is called with ``scores``, what all examples share (transitions of chains, pairs of label sets), ``targets`` and ``lengths``, and
    answers with H of each example. Oracles run on the host, on all cores; inside ``jit`` too.

    Examples
    --------
    >>> import jax, jax.numpy as jnp
    >>> from maxmargin.jax import StructuredLoss
    >>> loss = StructuredLoss("chain", labels=2)
    >>> scores, transitions = jnp.zeros((1, 3, 2)), jnp.zeros((2, 2))
    >>> targets = jnp.array([[0, 1, 1]])
    >>> value = lambda scores: loss(scores, transitions, targets=targets).mean()
    >>> float(value(scores))
    3.0
    >>> jax.grad(value)(scores).tolist()
    [[[-1.0, 1.0], [1.0, -1.0], [1.0, -1.0]]]
    """

    def __init__(self, structure: str, labels: int = 0, **options: Any) -> None:
        self.host = HostLoss(structure, labels, **options)
        host = self.host

        def on_host(scores: Any, shared: Any, targets: Any, lengths: Any) -> Any:
            values, gradient, of_shared = host.values_and_gradients(scores, shared, targets, lengths)
            kind = np.asarray(scores).dtype
            return values.astype(kind), gradient.astype(kind), [part.astype(kind) for part in of_shared]

        def answers(scores: Any, shared: Any, targets: Any, lengths: Any) -> Any:
            batch, kind = scores.shape[0], scores.dtype
            shapes = (
                jax.ShapeDtypeStruct((batch,), kind),
                jax.ShapeDtypeStruct(scores.shape, kind),
                [jax.ShapeDtypeStruct((batch, *part.shape), kind) for part in shared],
            )
            return jax.pure_callback(on_host, shapes, scores, shared, targets, lengths)

        @functools.partial(jax.custom_vjp)
        def loss(scores: Any, shared: Any, targets: Any, lengths: Any) -> Any:
            return answers(scores, shared, targets, lengths)[0]

        def forward(scores: Any, shared: Any, targets: Any, lengths: Any) -> Any:
            values, gradient, of_shared = answers(scores, shared, targets, lengths)
            return values, (gradient, of_shared)

        def backward(kept: Any, upstream: Any) -> Any:
            gradient, of_shared = kept
            by_scores = gradient * upstream.reshape(-1, *[1] * (gradient.ndim - 1))
            by_shared = [jnp.tensordot(upstream, part, axes=1) for part in of_shared]
            return by_scores, by_shared, None, None

        loss.defvjp(forward, backward)
        self._loss = loss

    def __call__(self, scores: Any, *shared: Any, targets: Any, lengths: Any = None) -> Any:
        """H of each example of a batch."""
        if lengths is None:
            shape = scores.shape
            lengths = jnp.tile(jnp.array(shape[1:]), (shape[0], 1)) if self.host.structure == "matching" else None
            lengths = jnp.full(shape[0], shape[1]) if lengths is None else lengths
        return self._loss(scores, list(shared), targets, lengths)

    def decode(self, scores: Any, *shared: Any, lengths: Any = None) -> list[np.ndarray[Any, Any]]:
        """The best label of each example."""
        return self.host.decode(scores, shared, lengths)

"""Keys by which labels of one's own structures are told apart."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["key_of"]


def key_of(label: Any) -> Any:
    """Something that can be looked up, and is the same for equal labels."""
    if isinstance(label, np.ndarray):
        return (label.shape, label.dtype.str, label.tobytes()) if label.dtype != object else key_of(label.tolist())
    if isinstance(label, (list, tuple)):
        return (type(label).__name__, *map(key_of, label))
    if isinstance(label, (set, frozenset)):
        return frozenset(map(key_of, label))
    if isinstance(label, dict):
        return frozenset((key_of(key), key_of(value)) for key, value in label.items())
    return label

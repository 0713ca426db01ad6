"""From what people have to matrices and labels: arrays, sparse rows, frames, attributes by name.

Arrays in a stored type (float64, float32, bytes; indices of 32 bits) are not copied. What cannot be used is refused with the name of
the argument.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import scipy.sparse

from . import _engine

__all__ = ["matrix", "sequences", "weights_of", "names_of", "numbers_among", "is_attributes", "is_frame", "numbered", "row_count", "unique_labels"]

STORED = (np.dtype(np.float64), np.dtype(np.float32), np.dtype(np.uint8))


def matrix(
    X: Any, model: _engine.Model | None = None, scale: float = 1.0, argument: str = "X", grow: bool = False
) -> _engine.Matrix:
    """The rows of X, with as few copies as its type allows. Attributes that a model does not know are left out, or come behind its own."""
    if isinstance(X, _engine.Matrix):
        if grow and model is not None and X.names is not None:
            known = model.attribute_names
            if known is None or X.names[: len(known)] != known:
                raise ValueError(f"{argument}: its first attributes must be those that are known, in their order; give dicts or lists of strings instead")
        return X
    if scipy.sparse.issparse(X):
        return _sparse(X, scale, argument)
    if is_frame(X):
        return _frame(X, model, scale, argument, grow)
    if is_attributes(X):
        return _engine.Matrix.attributes(X, model, argument, grow)
    return _dense(X, scale, argument)


def is_frame(X: Any) -> bool:
    """Whether X is a frame of pandas or polars."""
    return hasattr(X, "columns") and hasattr(X, "to_numpy") and hasattr(X, "shape")


def is_attributes(rows: Any) -> bool:
    """Whether rows are attributes by name: dicts, or lists of strings."""
    if isinstance(rows, np.ndarray) and rows.dtype != object or isinstance(rows, str) or not isinstance(rows, Iterable):
        return False
    for row in rows:
        if isinstance(row, dict):
            return True
        if isinstance(row, (list, tuple, set, frozenset)) and len(row) > 0:
            return isinstance(next(iter(row)), str)
        if not isinstance(row, (list, tuple, set, frozenset)):
            return False
    return False


def _frame(X: Any, model: _engine.Model | None, scale: float, argument: str, grow: bool) -> _engine.Matrix:
    values = X.to_numpy()
    if values.dtype.kind in "fiub":
        return _dense(values, scale, argument)
    columns = [str(column) for column in X.columns]
    kinds = [np.asarray(X[column]).dtype.kind for column in X.columns]
    if all(kind in "fiub" for kind in kinds):
        return _dense(np.column_stack([np.asarray(X[column]) for column in X.columns]), scale, argument)
    rows = [{c: v for c, v in zip(columns, row) if v is not None} for row in values.tolist()]
    return _engine.Matrix.attributes(rows, model, argument, grow)


def _sparse(X: Any, scale: float, argument: str) -> _engine.Matrix:
    if X.ndim != 2:
        raise ValueError(f"{argument}: Expected 2D array, got {X.ndim}D sparse array instead")
    rows = X.tocsr()
    _check_shape(rows.shape, argument)
    data = _stored(rows.data, argument)
    indices, indptr = rows.indices, rows.indptr
    if indices.dtype not in (np.int32, np.int64):
        indices = indices.astype(np.int64)
    if indptr.dtype not in (np.int32, np.int64):
        indptr = indptr.astype(np.int64)
    contiguous = np.ascontiguousarray
    return _engine.Matrix.csr(
        contiguous(indptr), contiguous(indices), contiguous(data), int(rows.shape[1]), scale, argument
    )


def _dense(X: Any, scale: float, argument: str) -> _engine.Matrix:
    try:
        array = np.asarray(X)
    except ValueError as error:
        raise ValueError(f"{argument}: rows of different lengths, or no numbers ({error})") from None
    if array.ndim != 2:
        hint = ""
        if array.ndim == 1:
            hint = (
                ". Reshape your data either using array.reshape(-1, 1) if your data has a single feature or "
                "array.reshape(1, -1) if it contains a single sample."
            )
        raise ValueError(f"{argument}: Expected 2D array, got {array.ndim}D array instead{hint}")
    array = _stored(array, argument)
    _check_shape(array.shape, argument)
    return _engine.Matrix.dense(np.ascontiguousarray(array), scale, argument)


def _check_shape(shape: tuple[int, ...], argument: str) -> None:
    if shape[0] == 0:
        raise ValueError(f"{argument}: Found array with 0 sample(s) (shape={shape}) while a minimum of 1 is required.")
    if shape[1] == 0:
        raise ValueError(f"{argument}: Found array with 0 feature(s) (shape={shape}) while a minimum of 1 is required.")


def _stored(array: np.ndarray[Any, Any], argument: str) -> np.ndarray[Any, Any]:
    """The same numbers in a type that is stored as it is."""
    if array.dtype.kind == "c":
        raise ValueError(f"{argument}: Complex data not supported")
    if array.dtype in STORED and array.dtype.isnative:
        return array
    if array.dtype.kind in "SUVMm":
        raise ValueError(f"{argument}: {array.dtype} are no numbers; give attributes by name as dicts or lists of strings")
    if array.dtype == object:
        for value in array.flat:
            if isinstance(value, (dict, str)):
                raise TypeError(f"{argument}: argument must be a string or a number, not {type(value).__name__!r}")
    try:
        return array.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{argument}: {error}") from None


def sequences(
    X: Any, lengths: Any, model: _engine.Model | None, scale: float, grow: bool = False
) -> tuple[_engine.Matrix, np.ndarray[Any, Any]]:
    """The rows of all sequences, and where each starts."""
    if lengths is not None:
        rows = matrix(X, model, scale, grow=grow)
        starts = starts_of(_whole(lengths, "lengths"), "lengths")
        if starts[-1] != rows.shape[0]:
            raise ValueError(f"lengths: they add up to {starts[-1]}, but X has {rows.shape[0]} rows")
        return rows, starts
    if isinstance(X, np.ndarray) and X.ndim == 3:
        return matrix(X.reshape(-1, X.shape[2]), model, scale), starts_of(np.full(len(X), X.shape[1]), "X")
    if isinstance(X, np.ndarray) and X.dtype != object or scipy.sparse.issparse(X) or is_frame(X):
        raise ValueError("X: one array of all rows needs lengths, the number of rows of each sequence; or give a list of arrays")
    parts = list(X)
    if not parts:
        raise ValueError("X: there are no sequences")
    sizes = np.array([row_count(part, "a sequence") for part in parts], dtype=np.int64)
    starts = starts_of(sizes, "X")
    if any(is_attributes(part) for part in parts) or all(size == 0 for size in sizes):
        return _engine.Matrix.attributes([row for part in parts for row in part], model, "X", grow), starts
    if any(scipy.sparse.issparse(part) for part in parts):
        try:
            return matrix(scipy.sparse.vstack(parts, format="csr"), model, scale), starts
        except ValueError as error:
            raise ValueError(f"X: {error}") from None
    try:
        arrays = [np.asarray(part) for part in parts]
    except ValueError as error:
        raise ValueError(f"X: a sequence is not a whole array ({error})") from None
    if any(array.ndim != 2 for array, size in zip(arrays, sizes) if size):
        raise ValueError("X: a sequence is an array of two dimensions, a row for each position")
    arrays = [array for array, size in zip(arrays, sizes) if size]
    if len({array.shape[1] for array in arrays}) > 1:
        raise ValueError("X: sequences have different numbers of columns")
    return matrix(np.concatenate(arrays), model, scale), starts


def row_count(part: Any, what: str) -> int:
    """The number of rows of a part of X."""
    shape = getattr(part, "shape", None)
    if shape:
        return int(shape[0])
    if shape is not None or isinstance(part, (str, dict)) or not hasattr(part, "__len__"):
        raise ValueError(f"X: {what} is an array, or a list of dicts or of string lists, not {type(part).__name__}")
    return len(part)


def starts_of(lengths: np.ndarray[Any, Any], argument: str) -> np.ndarray[Any, Any]:
    """Where sequences of these lengths start, and the end."""
    if lengths.ndim != 1 or (lengths < 0).any():
        raise ValueError(f"{argument}: lengths are whole numbers that are not negative")
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def _whole(numbers: Any, argument: str) -> np.ndarray[Any, Any]:
    array = np.asarray(numbers)
    if array.size and array.dtype.kind not in "iu":
        raise ValueError(f"{argument}: whole numbers are needed, not {array.dtype}")
    return array.astype(np.int64)


def weights_of(sample_weight: Any, count: int) -> np.ndarray[Any, Any] | None:
    """The weights of so many examples."""
    if sample_weight is None:
        return None
    weights = np.asarray(sample_weight)
    if weights.ndim == 0:
        weights = np.full(count, weights)
    if weights.dtype.kind not in "fiub":
        raise ValueError(f"sample_weight: {weights.dtype} are no numbers")
    if weights.shape != (count,):
        raise ValueError(f"sample_weight: its shape is {weights.shape}, but there are {count} examples")
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise ValueError("sample_weight: weights are finite and not negative")
    if count and not weights.any():
        raise ValueError("sample_weight: all sample weights are zero")
    return np.ascontiguousarray(weights, dtype=np.float64)


def unique_labels(labels: np.ndarray[Any, Any], argument: str = "y") -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """The different labels in order, and the number of each."""
    if labels.dtype.kind == "c":
        raise ValueError(f"{argument}: Complex data not supported")
    if labels.dtype.kind == "f":
        if not np.isfinite(labels).all():
            raise ValueError(f"{argument}: Input {argument} contains NaN or infinity.")
        if (labels != np.floor(labels)).any():
            raise ValueError(
                f"{argument}: Unknown label type: continuous. Labels are classes, but there are numbers with fractions"
            )
    if labels.dtype == object:
        kinds = {str if isinstance(label, str) else type(label) for label in labels.tolist()}
        if type(None) in kinds:
            raise ValueError(f"{argument}: a label is missing (None)")
        if len(kinds) > 1 and str in kinds:
            raise ValueError(f"{argument}: labels are of mixed types: strings and {sorted(k.__name__ for k in kinds - {str})}")
    try:
        classes, numbers = np.unique(labels, return_inverse=True)
    except TypeError as error:
        raise ValueError(f"{argument}: labels cannot be sorted ({error})") from None
    return classes, numbers.astype(np.int64).reshape(labels.shape)


def numbers_among(labels: np.ndarray[Any, Any], classes: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The number of each label among classes that are known."""
    found, places = unique_labels(labels)
    number = {label: number for number, label in enumerate(classes.tolist())}
    for label in found.tolist():
        if label not in number:
            raise ValueError(f"y: the label {label!r} is none of the classes that the first call of partial_fit knew")
    numbers: np.ndarray[Any, Any] = np.array([number[label] for label in found.tolist()], dtype=np.int64)[places]
    return numbers


def names_of(classes: Iterable[Any]) -> list[str]:
    """What labels are called in models."""
    names = [str(label) for label in classes]
    for name in names:
        if "\n" in name or "\r" in name:
            raise ValueError(f"y: the label {name!r} has a line break in it")
    return names


def numbered(names: Sequence[str]) -> np.ndarray[Any, Any]:
    """Labels of a model file as classes: whole numbers where all names are such, else strings."""
    try:
        whole = [int(name) for name in names]
    except ValueError:
        whole = []
    if whole and all(str(number) == name for number, name in zip(whole, names)):
        return np.array(whole)
    return np.array(list(names), dtype=object) if not names else np.array(list(names))

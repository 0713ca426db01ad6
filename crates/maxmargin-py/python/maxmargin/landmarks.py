"""Named points of faces, or of other things that have about the same parts, in pictures."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _engine
from ._estimator import Known
from ._parameters import option_values
from ._parts_estimator import PartsEstimator

__all__ = ["LandmarkSVM", "drawn_faces"]


class LandmarkSVM(PartsEstimator):
    """Named points of a face, found in its picture all at once, by local binary patterns around each and how they lie to each other.

    An example is a picture, or a pair of a picture and a box around the face: ``(left, top, width, height)``. Without a box the face is
    all of the picture. A picture is an array of bytes (rows, columns), in colours too (rows, columns, 3 or 4), or the path of a PNG,
    JPEG or PGM file. Instead, X may be the path of a file that the program reads, or a list of such paths: tables with a line for each face,
    and iBUG's ``.pts``; points are then in it, and ``y`` is None.

    Points are in pixels of the picture, to the right and down; the centre of the first pixel is (0, 0).

    {parameters}
    Attributes
    ----------
    point_names_ : list of str
        What points are called.
    certificate_ : Certificate
        The proof: bounds on the least value of the objective.
    coef_ : dict of ndarray
        The weights by named blocks: ``appearance`` and ``deformation``.
    lam_ : float
        λ, as it was given or chosen.

    Examples
    --------
    >>> from maxmargin import LandmarkSVM
    >>> from maxmargin.landmarks import drawn_faces
    >>> X, y, names = drawn_faces(40)
    >>> X[0][0].shape, y.shape, names[0]
    ((72, 72), (40, 8, 2), 'left_eye_outer')
    >>> svm = LandmarkSVM(lam=1.0, gap=0.1, frame=24, template="5,3", point_names=names).fit(X, y)
    >>> svm.predict(X[:3]).shape
    (3, 8, 2)
    >>> svm.score(X, y) > 0.9
    True
    """

    _task = "landmarks"

    point_names_: list[str]

    def fit(self, X: Any, y: Any = None) -> LandmarkSVM:
        """Trains on faces.

        Parameters
        ----------
        X : list of pictures or of pairs (picture, box), array of shape (n_faces, rows, columns), path or list of paths
            The faces; or files with their points.
        y : array-like of shape (n_faces, n_points, 2), optional
            Where the points are: column and row. None where X are files with points.

        Returns
        -------
        LandmarkSVM
            The estimator itself.
        """
        self._fit(X, y)
        self._know()
        return self

    def predict(self, X: Any) -> np.ndarray[Any, Any]:
        """The best points of each face, to a hundredth of a pixel: an array of shape (n_faces, n_points, 2)."""
        return np.array(self._predict(X)).reshape(-1, len(self.point_names_), 2)

    def score(self, X: Any, y: Any = None) -> float:
        """The share of points that are found: no further from where they should be than a tenth of what ``normaliser`` says."""
        return self.evaluate(X, y)["points_found"]

    def evaluate(self, X: Any, y: Any = None) -> dict[str, float]:
        """All figures that the program prints for faces: deviations, the shares of faces and points that are found, and the mean loss."""
        model = self._fitted()
        return model.evaluate(self._faces(X, y, model), self._threads())

    def _data(self, X: Any, y: Any, sample_weight: Any, lengths: Any = None, known: Known | None = None) -> _engine.Data:
        if y is None and not _are_files(X):
            raise ValueError("y: points are needed to train")
        data = self._faces(X, y, None)
        self.n_features_in_ = 1
        return data

    def _inputs(self, X: Any, lengths: Any = None) -> _engine.Data:
        return self._faces(X, None, self._fitted())

    def _faces(self, X: Any, y: Any, model: _engine.Model | None) -> _engine.Data:
        options = option_values(self, self._task, self._own_options, []) if model is None else None
        if y is None and _are_files(X):
            files = [X] if isinstance(X, (str, os.PathLike)) else X
            return _engine.Data.face_files([os.fspath(file) for file in files], options, model)
        if isinstance(X, (str, os.PathLike)):
            raise ValueError("y: the points are in the file of X; give one of both")
        faces = [_face(face, number) for number, face in enumerate(X)]
        if not faces:
            raise ValueError("X: there are no faces")
        points = None if y is None else _points(y, len(faces))
        names = [] if points is None else self._names(points.shape[1])
        return _engine.Data.faces([picture for picture, _ in faces], [box for _, box in faces], names, points, options, model)

    def _names(self, count: int) -> list[str]:
        """What so many points are called."""
        if self.point_names is None:
            return [str(number) for number in range(1, count + 1)]
        names = [str(name) for name in self.point_names]
        if len(names) != count:
            raise ValueError(f"point_names: {len(names)} names, but y has {count} points")
        return names

    def _labels(self, found: list[Any]) -> list[np.ndarray[Any, Any]]:
        return [np.array([(x, y) for _, x, y in points]) for points in found]

    def _know(self) -> None:
        self.point_names_ = list(self._fitted().label_names)


def drawn_faces(count: int, seed: int = 0) -> tuple[list[Any], np.ndarray[Any, Any], list[str]]:
    """Faces that are drawn on the spot, to try landmarks on: the same for a seed.

    Parameters
    ----------
    count : int
        How many.
    seed : int
        Another seed draws other faces.

    Returns
    -------
    X : list of (picture, box)
        Pictures of 72 × 72 pixels, with a box around the face.
    y : ndarray of shape (count, 8, 2)
        Its points.
    names : list of str
        What they are called.
    """
    return _engine.drawn_faces(count, seed)


def _are_files(X: Any) -> bool:
    """Whether X is a path, or a list of nothing but paths."""
    if isinstance(X, (str, os.PathLike)):
        return True
    return isinstance(X, Sequence) and len(X) > 0 and all(isinstance(face, (str, os.PathLike)) for face in X)


def _face(face: Any, number: int) -> tuple[Any, tuple[float, float, float, float] | None]:
    """The picture of a face, and the box around it."""
    box = None
    if isinstance(face, tuple):
        if len(face) != 2:
            raise ValueError(f"X: face {number} is a tuple of {len(face)}, and no pair (picture, box)")
        face, bounds = face
        if bounds is not None:
            try:
                left, top, width, height = (float(side) for side in bounds)
            except (TypeError, ValueError):
                raise ValueError(f"X: the box of face {number} is no (left, top, width, height)") from None
            box = (left, top, width, height)
    return (os.fspath(face) if isinstance(face, (str, os.PathLike)) else _grey(face, number)), box


def _grey(picture: Any, number: int) -> np.ndarray[Any, Any]:
    """A picture of bytes, colours as bright as they look."""
    try:
        pixels = np.asarray(picture)
    except ValueError as error:
        raise ValueError(f"X: the picture of face {number} is no array ({error})") from None
    if pixels.dtype != np.uint8:
        raise ValueError(f"X: the picture of face {number} has pixels of {pixels.dtype}; bytes (uint8) are needed")
    if pixels.ndim == 3 and pixels.shape[2] in (3, 4):
        red, green, blue = (pixels[:, :, colour].astype(np.uint32) for colour in range(3))
        pixels = ((299 * red + 587 * green + 114 * blue + 500) // 1000).astype(np.uint8)
    if pixels.ndim != 2:
        raise ValueError(f"X: the picture of face {number} has {pixels.ndim} dimensions; rows and columns are needed")
    return pixels


def _points(y: Any, faces: int) -> np.ndarray[Any, Any]:
    """Points of so many faces."""
    try:
        points = np.ascontiguousarray(y, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError("y: an array of numbers (faces, points, 2) is needed") from None
    if points.ndim != 3 or points.shape[2] != 2:
        raise ValueError(f"y: its shape is {points.shape}, and not (faces, points, 2)")
    if len(points) != faces:
        raise ValueError(f"y: points of {len(points)} faces, but X has {faces}")
    return points

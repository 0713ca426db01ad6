"""The engine: what is written in Rust."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

__version__: str

Array = np.ndarray[Any, Any]

class Matrix:
    @staticmethod
    def dense(array: Array, scale: float = 1.0, argument: str = "X") -> Matrix: ...
    @staticmethod
    def csr(
        indptr: Array, indices: Array, data: Array, columns: int, scale: float = 1.0, argument: str = "X"
    ) -> Matrix: ...
    @staticmethod
    def attributes(
        rows: Iterable[Any], model: Model | None = None, argument: str = "X", grow: bool = False
    ) -> Matrix: ...
    @staticmethod
    def without_features(rows: int) -> Matrix: ...
    def named(self, names: list[str]) -> Matrix: ...
    @property
    def shape(self) -> tuple[int, int]: ...
    @property
    def names(self) -> list[str] | None: ...
    @property
    def bytes(self) -> int: ...

class Data:
    @staticmethod
    def rows(matrix: Matrix, labels: Array, names: list[str], weights: Array | None = None) -> Data: ...
    @staticmethod
    def sequences(
        matrix: Matrix,
        starts: Array,
        labels: Array,
        names: list[str],
        weights: Array | None = None,
        pair_columns: int = 0,
    ) -> Data: ...
    @staticmethod
    def sets(
        matrix: Matrix, starts: Array, labels: Array, names: list[str], weights: Array | None = None
    ) -> Data: ...
    @staticmethod
    def nodes(
        matrix: Matrix,
        labels: list[list[str]] | None = None,
        edges: list[tuple[str, str]] | None = None,
        dag: bool = False,
        weights: Array | None = None,
        file: str | None = None,
        paths: list[str] = [],
        keep: bool = False,
    ) -> Data: ...
    @staticmethod
    def graphs(
        matrix: Matrix, starts: Array, edges: Array, labels: Array, weights: Array | None = None
    ) -> Data: ...
    @staticmethod
    def trees(text: str, model: Model | None = None, lift: bool = False) -> Data: ...
    @staticmethod
    def faces(
        pictures: list[Any],
        boxes: list[tuple[float, float, float, float] | None],
        names: list[str] = [],
        points: Array | None = None,
        options: dict[str, list[str]] | None = None,
        model: Model | None = None,
    ) -> Data: ...
    @staticmethod
    def face_files(
        files: list[str], options: dict[str, list[str]] | None = None, model: Model | None = None
    ) -> Data: ...
    def __len__(self) -> int: ...
    @property
    def label_names(self) -> list[str]: ...
    @property
    def fingerprint(self) -> int: ...

class Model:
    @staticmethod
    def load(path: str) -> Model: ...
    def save(self, path: str) -> None: ...
    def to_bytes(self) -> bytes: ...
    @staticmethod
    def from_bytes(bytes: bytes) -> Model: ...
    @property
    def about(self) -> dict[str, Any]: ...
    @property
    def label_names(self) -> list[str]: ...
    @property
    def attribute_names(self) -> list[str] | None: ...
    def blocks(self) -> dict[str, Array]: ...
    @property
    def weights(self) -> Array: ...
    @property
    def label_shifts(self) -> list[float] | None: ...
    def predict(self, data: Data, threads: int | None = None) -> list[Any]: ...
    def predict_k_best(
        self, data: Data, k: int, threads: int | None = None
    ) -> list[list[tuple[Any, float, float]]]: ...
    def predict_surely(
        self, data: Data, threads: int | None = None
    ) -> list[tuple[Any, float, float, list[float], list[tuple[Any, float]]]]: ...
    def class_scores(self, data: Data, threads: int | None = None) -> Array: ...
    def evaluate(self, data: Data, threads: int | None = None) -> dict[str, float]: ...
    def drawn_tree(self) -> list[tuple[str, int, float, float, int, list[str]]] | None: ...

class CustomSurrogate:
    def __init__(
        self,
        name: str,
        value: Callable[[float, float], float],
        gradient: Callable[[float, float], tuple[float, float]],
        steepest: Callable[[float, float, float], float] | None = None,
        is_convex: bool = True,
        is_linear: bool = False,
        rises_and_falls: bool = True,
    ) -> None: ...
    def check(self, largest_loss: float, largest_h: float) -> None: ...
    @property
    def name(self) -> str: ...

class PartLoss:
    def __init__(
        self,
        structure: str,
        labels: int,
        surrogate: str = "margin",
        search: str = "auto",
        boundary: bool = False,
        mean: bool = False,
        pairs: list[tuple[int, int]] | None = None,
        fertility: tuple[int, int] = (1, 1),
        custom: CustomSurrogate | None = None,
    ) -> None: ...
    def answers(
        self, truths: list[Array], parts: list[Array], edges: list[Array] | None = None, threads: int | None = None
    ) -> tuple[Array, list[Array]]: ...
    def decode(
        self, parts: list[Array], lengths: list[int], edges: list[Array] | None = None, threads: int | None = None
    ) -> list[list[int]]: ...

def tasks() -> dict[str, Any]: ...
def drawn_faces(count: int, seed: int) -> tuple[list[Any], Array, list[str]]: ...
def default_settings() -> dict[str, Any]: ...
def train(
    task: str,
    options: dict[str, list[str]],
    settings: dict[str, Any],
    data: Data,
    start: Model | None = None,
    threads: int | None = None,
    hear: Callable[[dict[str, Any]], Any] | None = None,
    surrogate: CustomSurrogate | None = None,
    seen: int | None = None,
) -> tuple[Model, dict[str, Any]]: ...
def train_structure(
    structure: Any,
    key_of: Callable[[Any], Any],
    dim: int,
    inputs: list[Any],
    labels: list[Any],
    settings: dict[str, Any],
    weights: Array | None = None,
    surrogate: CustomSurrogate | None = None,
    start: Array | None = None,
    threads: int = 1,
    hear: Callable[[dict[str, Any]], Any] | None = None,
) -> tuple[Array, dict[str, Any]]: ...
def check_structure(
    structure: Any,
    key_of: Callable[[Any], Any],
    dim: int,
    inputs: list[Any],
    labels: list[Any],
    enumerate: Callable[[Any], list[Any]],
) -> None: ...

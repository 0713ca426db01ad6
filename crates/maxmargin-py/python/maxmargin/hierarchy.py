"""Nodes of a hierarchy for each example."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from . import _engine
from ._estimator import Known
from ._inputs import matrix, names_of, numbered
from ._partial import BatchEstimator
from ._sklearn import ClassifierMixin

__all__ = ["HierarchicalSVM"]


class HierarchicalSVM(ClassifierMixin, BatchEstimator):  # type: ignore[misc]
    """Labels that are nodes of a tree or an acyclic graph, learnt at once with weights for each node.

    The hierarchy may be a dict of parents (``{"cat": "animal"}``) or of children (``{"animal": ["cat", "dog"]}``), a list of edges
    (parent, child), a directed graph of networkx, a file, or the labels themselves: paths like ``"animal/cat"``, or a row with the
    label of each level.

    {parameters}
    Attributes
    ----------
    classes_ : ndarray
        The nodes.
    certificate_ : Certificate
        The proof: bounds on the least value of the objective.
    coef_ : dict of ndarray
        The weights by named blocks: ``node`` has a column for each node.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin import HierarchicalSVM
    >>> X = np.eye(3)
    >>> tree = {"cat": "animal", "dog": "animal", "oak": "plant"}
    >>> svm = HierarchicalSVM(lam=0.01, hierarchy=tree).fit(X, ["cat", "dog", "oak"])
    >>> svm.predict(X).tolist()
    ['cat', 'dog', 'oak']
    >>> HierarchicalSVM(lam=0.01).fit(X, ["a/b", "a/c", "d"]).predict(X).tolist()
    ['a/b', 'a/c', 'd']
    """

    _task = "hierarchy"
    _own_options = frozenset({"hierarchy", "dag", "node-names"})

    _of_all_data = {"weights": "seen", "alpha": "auto"}

    classes_: np.ndarray[Any, Any]

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> HierarchicalSVM:
        """Trains on examples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), a frame, or a list of dicts or of lists of strings
            The examples.
        y : array-like of nodes, list of lists of nodes, or array-like of shape (n_samples, n_levels)
            The most specific node of each example, or several, or its path from the top (empty strings where it ends).
        sample_weight : array-like of shape (n_samples,), optional
            What each example counts.

        Returns
        -------
        HierarchicalSVM
            The estimator itself.
        """
        return self._fit(X, y, sample_weight)  # type: ignore[no-any-return]

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> HierarchicalSVM:
        """Learns from a batch, from the model so far: one pass of sgd over it, or `max_passes`.

        {partial}
        Parameters
        ----------
        X, y, sample_weight
            As for `fit`. Attributes by name may be new; the number of columns must stay.
        classes : array-like, optional
            All labels, on the first call: needed where they are paths, and where labels end at inner nodes that the first batch has
            none of. Those of the first batch when None.

        Returns
        -------
        HierarchicalSVM
            The estimator itself.
        """
        return self._partial_fit(X, y, classes, sample_weight)  # type: ignore[no-any-return]

    def predict(self, X: Any) -> Any:
        """The best node of each example, or its nodes, or its path, as the training labels were."""
        return self._predict(X)

    def predict_k_best(self, X: Any, k: int) -> list[list[tuple[Any, float]]]:
        """The k best labels of each example with their scores, best first."""
        return self._k_best(X, k)

    def decision_function(self, X: Any) -> np.ndarray[Any, Any]:
        """The score of the best label of each example."""
        lists = self._fitted().predict_k_best(self._inputs(X), 1, self._threads())
        return np.array([best[0][1] for best in lists])

    def confidence(self, X: Any) -> np.ndarray[Any, Any]:
        """How much more the best label scores than the second best one."""
        return np.array([margin for _, _, margin, _, _ in self._surely(X)])

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of examples whose label is predicted right as a whole."""
        truth, _ = self._named(y)
        found = self._fitted().predict(self._inputs(X), self._threads())
        right = [set(_listed(names)) == set(labels) for names, labels in zip(found, truth)]
        return float(np.average(right, weights=sample_weight))

    def _data(self, X: Any, y: Any, sample_weight: Any, lengths: Any = None, known: Known | None = None) -> _engine.Data:
        if y is None:
            raise ValueError(f"y: {type(self).__name__} requires y to be passed, but the target y is None")
        model, classes = (None, None) if known is None else (known.model, known.classes)
        rows = matrix(X, model, self.byte_scale, grow=True)
        labels, form = self._named(y)
        if len(labels) != rows.shape[0]:
            raise ValueError(
                f"y: Found input variables with inconsistent numbers of samples: {rows.shape[0]} in X, {len(labels)} in y"
            )
        edges, file = self._edges()
        paths = [] if classes is None or edges or file else classes
        if model is not None and edges is None and file is None:
            strange = {name for names in labels for name in names} - set(paths)
            if strange:
                raise ValueError(f"y: {min(strange)!r} is no node that the first call of partial_fit knew")
        if edges is None and file is None and not any("/" in name for names in [*labels, paths] for name in names):
            raise ValueError("hierarchy: the labels are no paths like a/b/c; name their hierarchy")
        data = _engine.Data.nodes(
            rows, labels, edges, bool(self.dag), self._weights(sample_weight, len(labels)), file, paths, known is not None
        )
        if model is None:
            self._form = form
            self._renamed: dict[str, Any] = {}
            parents = {name.rpartition("/")[0] for name in data.label_names} if edges is None else {a for a, _ in edges}
            ends = {name for names in [*labels, classes or []] for name in names}
            self._ends_inside = None if file else not parents.isdisjoint(ends)
        self._renamed |= {str(node): node for node in self._nodes_of(y, form)}
        self.classes_ = self._classes(data.label_names)
        self._columns(X, rows, reset=model is None, learns=True)
        return data

    def _all_classes(self, classes: Any, y: Any, goes_on: bool) -> Any:
        """Names of nodes: those of the model, or of what is given for the first batch."""
        if goes_on:
            return self._fitted().label_names
        return None if classes is None else [name for names in self._named(classes, "classes")[0] for name in names]

    def _options_of_batch(self) -> dict[str, list[str]]:
        options = {"label-count": ["many" if self._form == "many" else "one"]} if self.label_count == "auto" else {}
        if self.inner == "auto":
            if self._ends_inside is None:
                raise ValueError("inner: say yes or no; a file, or a model that was loaded, does not tell where labels may end")
            options["inner"] = ["yes" if self._ends_inside else "no"]
        return options

    def _nodes_of(self, y: Any, form: Any) -> list[Any]:
        if form == "one":
            return list(np.asarray(y).ravel().tolist())
        return [label for labels in y for label in labels] if form == "many" else []

    def _classes(self, names: list[str]) -> np.ndarray[Any, Any]:
        return np.array([self._renamed.get(name, name) for name in names])

    def _named(self, y: Any, argument: str = "y") -> tuple[list[list[str]], Any]:
        """The names of the nodes of each example, and the form in which they were given."""
        rename = self._renaming()
        array = np.asarray(y) if isinstance(y, np.ndarray) or not any(np.ndim(row) or isinstance(row, (set, frozenset)) for row in y) else None
        if array is not None and array.ndim == 1 and not any(isinstance(row, (list, tuple, set, frozenset)) for row in array):
            if array.dtype.kind == "f" and not np.isfinite(array).all():
                raise ValueError(f"{argument}: Input {argument} contains NaN or infinity.")
            return [[rename(name)] for name in names_of(array.tolist())], "one"
        if array is not None and array.ndim == 2:
            return [[_path(row)] for row in array.tolist()], array.shape[1]
        if array is not None and array.ndim > 2:
            raise ValueError(f"{argument}: labels of {array.ndim} dimensions are no nodes")
        return [[rename(name) for name in names_of(labels)] for labels in y], "many"

    def _renaming(self) -> Any:
        names = self.node_names
        if names is None:
            return lambda name: name
        if not isinstance(names, Mapping):
            with open(os.fspath(names), encoding="utf-8") as file:
                names = dict(line.split(None, 1) for line in map(str.strip, file) if line)
        renamed = {str(label): str(node) for label, node in names.items()}
        return lambda name: renamed.get(name, name)

    def _edges(self) -> tuple[list[tuple[str, str]] | None, str | None]:
        """The hierarchy as edges from parents to children, or as a file."""
        given = self.hierarchy
        if given is None:
            return None, None
        if isinstance(given, (str, os.PathLike)):
            return None, os.fspath(given)
        edges: list[tuple[Any, Any]] = []
        if hasattr(given, "edges") and hasattr(given, "nodes"):
            edges = list(given.edges())
        elif isinstance(given, Mapping):
            for key, value in given.items():
                if isinstance(value, (list, tuple, set, frozenset)):
                    edges += [(key, child) for child in value]
                elif value is not None:
                    edges.append((value, key))
        else:
            try:
                edges = [(parent, child) for parent, child in given]
            except (TypeError, ValueError):
                raise ValueError(f"hierarchy: {type(given).__name__} is no dict, no graph and no list of (parent, child)") from None
        if not edges:
            raise ValueError("hierarchy: there are no edges in it")
        return [(str(parent), str(child)) for parent, child in edges], None

    def _inputs(self, X: Any, lengths: Any = None) -> _engine.Data:
        rows = matrix(X, self._fitted(), self.byte_scale)
        self._columns(X, rows, reset=False)
        return _engine.Data.nodes(rows)

    def _labels(self, found: list[Any]) -> Any:
        label = self._renamed.get
        if self._form == "one":
            nodes = [_listed(names) for names in found]
            return np.array([label(names[0], names[0]) if names else "" for names in nodes])
        if self._form == "many":
            return [[label(name, name) for name in _listed(names)] for names in found]
        paths = [_listed(names)[0].split("/") for names in found]
        return np.array([path + [""] * (self._form - len(path)) for path in paths])

    def _know(self) -> None:
        model = self._fitted()
        self._form = "many" if model.about["options"].get("label_count") == "many" else "one"
        self._ends_inside = model.about["options"].get("inner")
        nodes = numbered(model.label_names)
        self._renamed = dict(zip(model.label_names, nodes.tolist()))
        self.classes_ = nodes

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _listed(names: Any) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def _path(levels: list[Any]) -> str:
    """The path of labels from the top down; what is empty comes last."""
    names = [str(level) for level in levels if level is not None and level == level and str(level) != ""]
    if not names:
        raise ValueError("y: an example has no label at any level")
    if any("/" in name for name in names):
        raise ValueError("y: the label of a level has a / in it, which separates levels; put something else there")
    return "/".join(names)

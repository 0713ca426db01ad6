"""Links between the nodes of bipartite graphs."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse

from . import _engine
from ._estimator import Known
from ._inputs import is_attributes, matrix, row_count, starts_of
from ._parts_estimator import PartsEstimator

__all__ = ["MatchingSVM"]


class MatchingSVM(PartsEstimator):
    """Bipartite graphs in which some edges are links: words of a sentence and its translation, points of two images.

    A graph is an array of shape (left, right, features), with an edge for each pair of nodes, or a pair ``(features, edges)``:
    a row of features for each edge, and its two ends (n_edges × 2).

    {parameters}
    Attributes
    ----------
    certificate_ : Certificate
        The proof: bounds on the least value of the objective.
    coef_ : dict of ndarray
        The weights by named blocks.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin import MatchingSVM
    >>> graph = np.array([[[0.9], [0.1]], [[0.2], [0.8]]])
    >>> svm = MatchingSVM(lam=0.1).fit([graph], [[(0, 0), (1, 1)]])
    >>> svm.predict([graph[:, ::-1]])
    [[(0, 1), (1, 0)]]
    """

    _task = "matching"

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> MatchingSVM:
        """Trains on graphs.

        Parameters
        ----------
        X : list of graphs
            Arrays of shape (left, right, features), or pairs (features, edges).
        y : list of lists of (left, right), or of arrays with a number for each edge
            The links. Numbers are 0 for none, 1 for a sure link and 2 for a possible one, which is neither right nor wrong.
        sample_weight : array-like of shape (n_graphs,), optional
            What each graph counts.

        Returns
        -------
        MatchingSVM
            The estimator itself.
        """
        return self._fit(X, y, sample_weight)  # type: ignore[no-any-return]

    def predict(self, X: Any) -> list[list[tuple[int, int]]]:
        """The best links of each graph."""
        return self._predict(X)  # type: ignore[no-any-return]

    def score(self, X: Any, y: Any) -> float:
        """F1 of links."""
        return self.evaluate(X, y)["f1"]

    def evaluate(self, X: Any, y: Any) -> dict[str, float]:
        """All figures that the program prints for graphs with links: precision, recall, alignment error rate."""
        model = self._fitted()
        return model.evaluate(self._graphs(X, y, None, model, reset=False), self._threads())

    def _data(self, X: Any, y: Any, sample_weight: Any, lengths: Any = None, known: Known | None = None) -> _engine.Data:
        if y is None:
            raise ValueError("y: links are needed to train")
        return self._graphs(X, y, sample_weight, None, reset=True)

    def _inputs(self, X: Any, lengths: Any = None) -> _engine.Data:
        return self._graphs(X, None, None, self._fitted(), reset=False)

    def _graphs(self, X: Any, y: Any, sample_weight: Any, model: Any, reset: bool) -> _engine.Data:
        graphs = [_graph(graph, number) for number, graph in enumerate(X)]
        if not graphs:
            raise ValueError("X: there are no graphs")
        sizes = np.array([len(edges) for _, edges in graphs], dtype=np.int64)
        features: Any
        if any(is_attributes(rows) for rows, _ in graphs):
            features = [row for rows, _ in graphs for row in rows]
        elif any(scipy.sparse.issparse(rows) for rows, _ in graphs):
            features = scipy.sparse.vstack([rows for rows, _ in graphs], format="csr")
        else:
            arrays = [np.asarray(rows) for rows, edges in graphs if len(edges)]
            if len({array.shape[1:] for array in arrays}) > 1:
                raise ValueError("X: graphs have different numbers of features")
            features = np.concatenate(arrays) if arrays else np.zeros((0, 1))
        rows = matrix(features, model, self.byte_scale)
        edges = np.concatenate([edges for _, edges in graphs])
        if y is None:
            labels = np.full(len(edges), -1, dtype=np.int64)
        else:
            if len(y) != len(graphs):
                raise ValueError(f"y: links of {len(y)} graphs, but X has {len(graphs)}")
            labels = np.concatenate([_links(links, ends, i) for i, (links, (_, ends)) in enumerate(zip(y, graphs))])
        data = _engine.Data.graphs(
            rows, starts_of(sizes, "X"), edges, labels, self._weights(sample_weight, len(graphs))
        )
        self._columns(None, rows, reset)
        return data

    def _labels(self, found: list[Any]) -> list[list[tuple[int, int]]]:
        return [[(left, right) for left, right in links] for links in found]

    def _know(self) -> None:
        pass

    @classmethod
    def _loads(cls) -> set[str]:
        return {"matching", "alignment"}


def _graph(graph: Any, number: int) -> tuple[Any, np.ndarray[Any, Any]]:
    """The features of edges, and their ends."""
    if isinstance(graph, tuple) and len(graph) == 2:
        rows, ends = graph
        ends = np.asarray(ends)
        if ends.size == 0:
            ends = np.zeros((0, 2), dtype=np.int64)
        if ends.ndim != 2 or ends.shape[1] != 2 or ends.dtype.kind not in "iu":
            raise ValueError(f"X: the edges of graph {number} are no pairs of whole numbers")
        count = row_count(rows, "what the edges of a graph have")
        if count != len(ends):
            raise ValueError(f"X: graph {number} has {len(ends)} edges, but {count} rows of features")
        return rows, np.ascontiguousarray(ends, dtype=np.int64)
    try:
        array = np.asarray(graph)
    except ValueError:
        array = np.zeros(0)
    if array.ndim != 3:
        raise ValueError(f"X: graph {number} is neither an array (left, right, features) nor a pair (features, edges)")
    left, right, features = array.shape
    ends = np.stack(np.meshgrid(np.arange(left), np.arange(right), indexing="ij"), axis=-1).reshape(-1, 2)
    return array.reshape(-1, features), np.ascontiguousarray(ends, dtype=np.int64)


def _links(links: Any, edges: np.ndarray[Any, Any], number: int) -> np.ndarray[Any, Any]:
    """A label for each edge."""
    if isinstance(links, np.ndarray) and links.ndim == 1 and links.dtype.kind in "iub" and len(links) == len(edges):
        return links.astype(np.int64)
    known = {(int(left), int(right)): place for place, (left, right) in enumerate(edges)}
    labels = np.zeros(len(edges), dtype=np.int64)
    for link in links:
        try:
            ends = (int(link[0]), int(link[1]))
        except (TypeError, IndexError, ValueError):
            raise ValueError(f"y: {link!r} of graph {number} is no link (left, right)") from None
        if ends not in known:
            raise ValueError(f"y: graph {number} has no edge for the link {ends}")
        labels[known[ends]] = 1
    return labels

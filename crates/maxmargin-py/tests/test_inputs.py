"""Promise: data is taken as people have it, without copies where it is stored as it is, and what is wrong has the argument's name."""

import os
import resource
import signal
import subprocess
import sys
import threading
import warnings

import numpy as np
import pytest
import scipy.sparse

from maxmargin import (
    ChainSVM,
    ConvergenceWarning,
    HierarchicalSVM,
    MatchingSVM,
    Matrix,
    MulticlassSVM,
    MultilabelSVM,
)


def made_up(count=60, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, count)
    return rng.normal(size=(count, 4)) + 2 * np.eye(3, 4)[y], y


def test_all_forms_of_rows_are_the_same():
    X, y = made_up()
    X = np.round(X * 4) / 4  # exact in float32
    first = MulticlassSVM(lam=0.01, gap=1e-8).fit(X, y)
    forms = [
        X.tolist(),
        np.asfortranarray(X),
        X.astype(np.float32),
        X[::-1][::-1],
        scipy.sparse.csr_matrix(X),
        scipy.sparse.csr_array(X.astype(np.float32)),
        scipy.sparse.csc_matrix(X),
        scipy.sparse.coo_matrix(X),
    ]
    wide = scipy.sparse.csr_matrix(X)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    for form in [*forms, wide]:
        svm = MulticlassSVM(lam=0.01, gap=1e-8).fit(form, y)
        assert np.allclose(svm.coef_["unary"], first.coef_["unary"], atol=1e-4)
        assert np.array_equal(svm.predict(form), first.predict(X))


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_go_by_columns(library):
    frames = pytest.importorskip(library)
    X, y = made_up()
    numbers = frames.DataFrame({f"x{j}": X[:, j] for j in range(4)})
    svm = MulticlassSVM(lam=0.01).fit(numbers, frames.Series(y) if library == "pandas" else y)
    assert np.array_equal(svm.predict(numbers), MulticlassSVM(lam=0.01).fit(X, y).predict(X))
    mixed = frames.DataFrame({"x": X[:, 0], "word": [f"w{label}" for label in y]})
    svm = MulticlassSVM(lam=0.01).fit(mixed, y)
    assert svm.score(mixed, y) == 1.0
    assert {"x", "word:w0", "word:w1", "word:w2"} == set(svm.model_.attribute_names)


def test_attributes_by_name():
    X = [{"word": "a", "size": 2.0, "flag": True, "off": False}, {"word": "b", "tags": ["x", "y"]}, ["word:a"], ["word:b"]]
    svm = MulticlassSVM(lam=0.01).fit(X, ["p", "q", "p", "q"])
    assert svm.predict([{"word": "a"}, ["word:b", "never seen"]]).tolist() == ["p", "q"]
    matrix = Matrix.attributes(X)
    assert matrix.names == ["word:a", "size", "flag", "word:b", "tags:x", "tags:y"]


@pytest.mark.parametrize("kind", ["list", "lengths", "sparse", "cube"])
def test_all_forms_of_sequences(kind):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, (20, 5))
    X = np.stack([y, 1 - y], axis=2) + 0.3 * rng.normal(size=(20, 5, 2))
    first = ChainSVM(lam=0.01).fit(list(X), list(y))
    if kind == "list":
        svm = ChainSVM(lam=0.01).fit([x.tolist() for x in X], y.tolist())
        predicted = svm.predict([x.tolist() for x in X])
    elif kind == "lengths":
        svm = ChainSVM(lam=0.01).fit(X.reshape(-1, 2), y.ravel(), lengths=[5] * 20)
        predicted = svm.predict(X.reshape(-1, 2), lengths=np.full(20, 5))
    elif kind == "sparse":
        svm = ChainSVM(lam=0.01).fit([scipy.sparse.csr_matrix(x) for x in X], y.tolist())
        predicted = svm.predict([scipy.sparse.csr_matrix(x) for x in X])
    else:
        svm = ChainSVM(lam=0.01).fit(X, y)
        predicted = svm.predict(X)
    assert all(np.array_equal(a, b) for a, b in zip(predicted, first.predict(list(X))))
    assert len(svm.confidence(X)[0]) == 5 and svm.predict_k_best(X, 3)[0][0][1] == pytest.approx(svm.decision_function(X)[0])
    assert svm.evaluate(X, y)["token_accuracy"] == pytest.approx(svm.score(X, y))


def test_taxonomies_of_many_kinds():
    networkx = pytest.importorskip("networkx")
    X = np.repeat(np.eye(4), 5, axis=0)
    y = np.repeat(["cat", "dog", "oak", "elm"], 5)
    edges = [("animal", "cat"), ("animal", "dog"), ("plant", "oak"), ("plant", "elm")]
    kinds = [
        edges,
        {child: parent for parent, child in edges},
        {"animal": ["cat", "dog"], "plant": ["oak", "elm"]},
        networkx.DiGraph(edges),
    ]
    models = [HierarchicalSVM(lam=0.01, hierarchy=kind).fit(X, y) for kind in kinds]
    for model in models:
        assert np.array_equal(model.coef_["node"], models[0].coef_["node"])
        assert np.array_equal(model.predict(X), y)
    levels = np.array([["animal", "cat"], ["animal", "dog"], ["plant", ""], ["plant", "elm"]])[np.repeat(range(4), 5)]
    svm = HierarchicalSVM(lam=0.01).fit(X, levels)
    assert np.array_equal(svm.predict(X), levels)
    many = [["cat", "oak"], ["dog"], ["elm"], ["oak"]] * 5
    svm = HierarchicalSVM(lam=0.01, hierarchy=edges).fit(np.tile(np.eye(4), (5, 1)), many)
    assert [set(nodes) for nodes in svm.predict(np.eye(4))] == [set(nodes) for nodes in many[:4]]
    with pytest.raises(ValueError, match="hierarchy: .*a cycle"):
        HierarchicalSVM(lam=0.01, hierarchy=[("a", "b"), ("b", "a")]).fit(X, y)
    with pytest.raises(ValueError, match="y: .*no node"):
        HierarchicalSVM(lam=0.01, hierarchy=edges).fit(X, np.repeat(["cat", "dog", "oak", "yew"], 5))


def test_costs_and_class_weights_of_dicts():
    X, y = made_up()
    names = np.array(["a", "b", "c"])[y]
    svm = MulticlassSVM(lam=0.1, loss={("a", "b"): 5, ("b", "a"): 0.5}).fit(X, names)
    assert svm.model_.about["loss"] == "cost"
    weighted = MulticlassSVM(lam=0.1, gap=1e-8, class_weights={"a": 2.0}).fit(X, names)
    by_example = MulticlassSVM(lam=0.1, gap=1e-8).fit(X, names, sample_weight=np.where(names == "a", 2.0, 1.0))
    assert weighted.certificate_.primal == pytest.approx(by_example.certificate_.primal)
    with pytest.raises(ValueError, match="class_weights"):
        MulticlassSVM(lam=0.1, class_weights={"an a": 2.0}).fit(X, names)


X, Y = made_up()
BAD = [
    ({}, X[:, 0], Y, "X"),
    ({}, X * np.nan, Y, "X"),
    ({}, np.where(X > 1, np.inf, X), Y, "X"),
    ({}, X[:0], Y[:0], "X"),
    ({}, X[:, :0], Y, "X"),
    ({}, X.astype(complex), Y, "X"),
    ({}, X.astype(str), Y, "X"),
    ({}, [[1.0, 2.0], [3.0]], [0, 1], "X"),
    ({}, [{"a": float("nan")}], [0], "X"),
    ({}, [{"a": object()}, {}], [0, 1], "X"),
    ({}, [["a", 3], ["b"]], [0, 1], "X"),
    ({}, X, Y[:-1], "y"),
    ({}, X, None, "y"),
    ({}, X, X, "y"),
    ({}, X, Y + 0.5, "y"),
    ({}, X, np.where(Y, np.nan, 1.0), "y"),
    ({}, X, np.zeros(len(X)), "y"),
    ({}, X, [0, "a"] * 30, "y"),
    ({}, X, np.array([None, 1] * 30, dtype=object), "y"),
    ({}, X, ["a\nb", "c"] * 30, "y"),
    ({"lam": -1.0}, X, Y, "lam"),
    ({"lam": 1.0, "C": 1.0}, X, Y, "lam"),
    ({"C": float("nan")}, X, Y, "C"),
    ({"gap": 0.0}, X, Y, "gap"),
    ({"solver": "simplex"}, X, Y, "solver"),
    ({"surrogate": "margins"}, X, Y, "surrogate"),
    ({"search": "hulls"}, X, Y, "search"),
    ({"loss": "none"}, X, Y, "loss"),
    ({"max_passes": 0}, X, Y, "max_passes"),
    ({"random_state": -1}, X, Y, "random_state"),
    ({"random_state": "x"}, X, Y, "random_state"),
    ({"n_threads": 0}, X, Y, "n_threads"),
    ({"no_bias": "maybe"}, X, Y, "no_bias"),
    ({"callback": 3}, X, Y, "callback"),
    ({"groups": 0}, X, Y, "groups"),
]


@pytest.mark.parametrize(("parameters", "X", "y", "name"), BAD)
def test_what_is_wrong_has_a_name(parameters, X, y, name):
    with pytest.raises(ValueError, match=name), warnings.catch_warnings():
        warnings.simplefilter("error")
        MulticlassSVM(**({"lam": 0.1} | parameters if "lam" not in parameters and "C" not in parameters else parameters)).fit(X, y)


@pytest.mark.parametrize("spoil", ["unsorted", "twice", "beyond", "negative", "short", "descending"])
def test_broken_sparse_rows_are_refused(spoil):
    rows = scipy.sparse.csr_matrix(X)
    if spoil == "unsorted":
        rows.indices[:2] = rows.indices[:2][::-1].copy()
    elif spoil == "twice":
        rows.indices[1] = rows.indices[0]
    elif spoil == "beyond":
        rows.indices[3] = 99
    elif spoil == "negative":
        rows.indices[0] = -1
    elif spoil == "short":
        rows.indptr[-1] += 7
    else:
        rows.indptr[5] = 1
    with pytest.raises(ValueError, match="X"):
        MulticlassSVM(lam=0.1).fit(rows, Y)


BAD_SEQUENCES = [
    (list(X[:6].reshape(2, 3, 4)), [[0, 1, 0], [1, 0]], None, "y"),
    (list(X[:6].reshape(2, 3, 4)), [[0, 1, 0]], None, "y"),
    (list(X[:6].reshape(2, 3, 4)), [0, 1], None, "y"),
    (X[:6], [0, 1, 0, 1, 0, 1], None, "X.*lengths"),
    (X[:6], [0, 1, 0, 1, 0, 1], [3, 4], "lengths"),
    (X[:6], [0, 1, 0, 1, 0, 1], [-1, 7], "lengths"),
    (X[:6], [0, 1, 0, 1, 0, 1], [1.5, 4.5], "lengths"),
    ([X[:2], X[:2, :3]], [[0, 1], [1, 0]], None, "X"),
    ([X[0], X[1]], [[0, 1, 0, 1], [0, 1, 0, 1]], None, "X"),
    ([], [], None, "X"),
    (["abc", "de"], [[0, 1, 0], [0, 1]], None, "X"),
    ([[["a"], "b"]], [["x", "y"]], None, "X"),
]


@pytest.mark.parametrize(("X", "y", "lengths", "name"), BAD_SEQUENCES)
def test_wrong_sequences_are_refused(X, y, lengths, name):
    with pytest.raises(ValueError, match=name):
        ChainSVM(lam=0.1).fit(X, y, lengths=lengths)


def test_wrong_graphs_and_sets_are_refused():
    graph = np.ones((2, 2, 3))
    for graphs, links, name in [
        ([graph], [[(0, 5)]], "y"),
        ([graph], [[3]], "y"),
        ([graph], [], "y"),
        ([graph[0]], [[]], "X"),
        ([(np.ones((2, 3)), [(0, 0)])], [[]], "X"),
        ([(np.ones((2, 3)), [(0, 0), (0, 0)])], [[]], "X"),
        ([], [], "X"),
        ([graph, np.ones((2, 2, 4))], [[], []], "X"),
        ([graph], [[(0, 0), (0, 1)]], "link"),
    ]:
        with pytest.raises(ValueError, match=name):
            MatchingSVM(lam=0.1).fit(graphs, links)
    for y in [Y, X, np.ones((len(X), 0)), [["a"]] * 3, [set()] * len(X), [{None, "a"}] * len(X)]:
        with pytest.raises(ValueError, match="y"):
            MultilabelSVM(lam=0.1).fit(X, y)


def test_other_columns_are_refused():
    svm = MulticlassSVM(lam=0.1).fit(X, Y)
    with pytest.raises(ValueError, match="X has 3 features"):
        svm.predict(X[:, :3])
    named = MulticlassSVM(lam=0.1).fit([["a"], ["b"]], [0, 1])
    with pytest.raises(ValueError, match="X has 4 features"):
        named.predict(X)
    with pytest.raises(ValueError, match="numbered"):
        svm.predict([["a"]])


def test_arrays_are_not_copied():
    """The memory of training on a large array is far below the array's own, whatever its form."""
    script = """
import resource, sys
import numpy as np, scipy.sparse
from maxmargin import MulticlassSVM
kind = sys.argv[1]
rng = np.random.default_rng(0)
rows, columns = 40_000, 400
y = rng.integers(0, 3, rows)
if kind == "csr":
    per = 100
    indices = np.tile(np.arange(0, columns, columns // per, dtype=np.int32), rows)
    X = scipy.sparse.csr_matrix((np.ones(rows * per), indices, np.arange(0, rows * per + 1, per, dtype=np.int32)), shape=(rows, columns))
    size = X.data.nbytes + X.indices.nbytes
else:
    X = np.ones((rows, columns), dtype=kind)
    size = X.nbytes
MulticlassSVM(lam=1.0, max_passes=1, solver="prox-bmrm").fit(X[:100], y[:100])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
MulticlassSVM(lam=1.0, max_passes=1, solver="prox-bmrm").fit(X, y)
grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - before
print(size, grown)
assert grown < 0.3 * size, (grown, size)
"""
    for kind in ("float64", "float32", "csr"):
        done = subprocess.run([sys.executable, "-W", "ignore", "-c", script, kind], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr


def test_progress_is_told_and_may_end_training():
    records = []
    svm = MulticlassSVM(lam=1e-4, gap=1e-9, callback=records.append).fit(X, Y)
    assert [record["passes"] for record in records] == [record["passes"] for record in svm.history_]
    assert records[-1]["is_last"] and records[-1]["gap"] <= 1e-9
    svm = MulticlassSVM(lam=1e-4, gap=1e-9, callback=lambda record: record["passes"] >= 2).fit(X, Y)
    assert svm.n_iter_ == 2 and svm.stop_ == "interrupted"
    with pytest.raises(KeyError):
        MulticlassSVM(lam=1e-4, callback=lambda record: record["nothing"]).fit(X, Y)
    with pytest.warns(ConvergenceWarning, match="pass limit"):
        MulticlassSVM(lam=1e-6, gap=1e-12, max_passes=1).fit(X, Y)


def test_progress_is_shown(capsys):
    MulticlassSVM(lam=1e-3, verbose=True).fit(X, Y)
    assert "gap" in capsys.readouterr().err


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="needs signals of Unix")
def test_ctrl_c_leaves_the_model_so_far():
    rng = np.random.default_rng(0)
    rows, labels = rng.normal(size=(3000, 60)), rng.integers(0, 20, 3000)
    timer = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.warns(ConvergenceWarning, match="interrupted"):
        svm = MulticlassSVM(lam=1e-7, gap=1e-12).fit(rows, labels)
    assert svm.stop_ == "interrupted" and svm.predict(rows).shape == (3000,)


def test_python_runs_while_training():
    rng = np.random.default_rng(0)
    rows, labels = rng.normal(size=(2000, 50)), rng.integers(0, 10, 2000)
    ticks, done = [0], threading.Event()

    def tick():
        while not done.wait(0.001):
            ticks[0] += 1

    thread = threading.Thread(target=tick)
    thread.start()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        MulticlassSVM(lam=1e-6, time_limit=0.5, gap=1e-12).fit(rows, labels)
    done.set()
    thread.join()
    assert ticks[0] > 20


def test_warm_starts_go_on():
    svm = MulticlassSVM(lam=1e-3, gap=1e-8).fit(X, Y)
    passes = svm.n_iter_
    svm.set_params(warm_start=True).fit(X, Y)
    assert svm.n_iter_ < passes
    again = MulticlassSVM(lam=1e-3, gap=1e-8, random_state=np.random.RandomState(1)).fit(X, Y)
    assert again.score(X, Y) == svm.score(X, Y)


def test_threads_change_nothing():
    one, two = (MulticlassSVM(lam=1e-3, n_threads=n).fit(X, Y).coef_["unary"] for n in (1, 2))
    assert np.array_equal(one, two)


def test_the_package_imports_without_scikit_learn():
    script = """
import sys
sys.modules["sklearn"] = None
import maxmargin, numpy as np
svm = maxmargin.MulticlassSVM(lam=0.1).fit(np.eye(3), [0, 1, 2])
assert svm.get_params()["lam"] == 0.1 and svm.set_params(lam=0.2).lam == 0.2
assert repr(svm) == "MulticlassSVM(lam=0.2)", repr(svm)
svm.predict(np.eye(3)), svm.score(np.eye(3), [0, 1, 2])
try:
    maxmargin.ChainSVM().predict([np.eye(2)])
except ValueError as error:
    assert "not fitted" in str(error)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr

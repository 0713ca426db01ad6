"""Promise: whatever estimators are called with, they answer or raise an exception that says why; the interpreter stays up."""

import os
import warnings

import numpy as np
import pytest
import scipy.sparse

hypothesis = pytest.importorskip("hypothesis")
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from maxmargin import (
    ChainSVM,
    DependencyParser,
    HierarchicalSVM,
    LandmarkSVM,
    MatchingSVM,
    MulticlassSVM,
    MultilabelSVM,
    SegmentationSVM,
)

#: 10,000 calls in all with MAXMARGIN_FULL=1; a tenth of them otherwise.
CALLS = 10_000 if os.environ.get("MAXMARGIN_FULL") else 1_000
CHECKED = settings(max_examples=CALLS // 6, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True, database=None)

KINDS = st.sampled_from([np.float64, np.float32, np.uint8, np.int64, np.int8, np.bool_, np.complex128, object, "U3", ">f8", np.float16])
SHAPES = st.one_of(st.tuples(st.integers(0, 6), st.integers(0, 4)), st.tuples(st.integers(0, 6)), st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 3)), st.just(()))


@st.composite
def wild_arrays(draw):
    kind, shape = draw(KINDS), draw(SHAPES)
    if kind is object:
        size = int(np.prod(shape))
        values = draw(st.lists(st.one_of(st.none(), st.integers(-3, 3), st.floats(), st.text(max_size=2)), min_size=size, max_size=size))
        array = np.empty(size, dtype=object)
        array[:] = values
        return array.reshape(shape)
    array = draw(arrays.arrays(np.dtype(kind), shape))
    return array[::-1] if array.ndim and draw(st.booleans()) else array


@st.composite
def wild_sparse(draw):
    rows, columns, stored = draw(st.integers(0, 5)), draw(st.integers(0, 5)), draw(st.integers(0, 8))
    matrix = scipy.sparse.csr_matrix((rows, columns))
    kind = draw(st.sampled_from([np.float64, np.float32, np.uint8, np.int32]))
    matrix.data = draw(arrays.arrays(kind, stored))
    matrix.indices = draw(arrays.arrays(draw(st.sampled_from([np.int32, np.int64])), stored, elements=st.integers(-2, 6)))
    matrix.indptr = draw(arrays.arrays(draw(st.sampled_from([np.int32, np.int64])), rows + 1, elements=st.integers(-1, 9)))
    return matrix


VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-2, 3), st.floats(), st.text(max_size=2), wild_arrays()),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.tuples(inner, inner), st.dictionaries(st.text(max_size=2), inner, max_size=3)),
    max_leaves=12,
)
INPUTS = st.one_of(wild_arrays(), wild_sparse(), VALUES, st.lists(wild_arrays(), max_size=3), st.lists(st.tuples(wild_arrays(), wild_arrays()), max_size=3))
LABELS = st.one_of(
    st.lists(st.integers(0, 2), max_size=6),
    st.lists(st.sampled_from(["a", "b", "a/b", "c/d", "B-x", "I-x", "O", ""]), max_size=6),
    st.lists(st.lists(st.integers(0, 2), max_size=4), max_size=6),
    wild_arrays(),
    VALUES,
)
PARAMETERS = st.fixed_dictionaries(
    {"lam": st.sampled_from([0.1, 1.0]), "max_passes": st.just(2)},
    optional={
        "surrogate": st.sampled_from(["margin", "slack", "log", "micro-f1", "nonsense", 3]),
        "solver": st.sampled_from(["auto", "bcfw", "bmrm", "sgd", "extragradient", "?"]),
        "gap": st.sampled_from([0.1, -1.0, float("nan")]),
        "byte_scale": st.sampled_from([1.0, float("inf"), 1 / 255]),
        "standardize": st.booleans(),
        "random_state": st.sampled_from([0, None, -1]),
    },
)
ESTIMATORS = [MulticlassSVM, ChainSVM, MultilabelSVM, HierarchicalSVM, MatchingSVM, SegmentationSVM, DependencyParser, LandmarkSVM]

#: What a caller may expect; anything else would be a fault.
EXPECTED = (ValueError, TypeError, OverflowError, AttributeError, KeyError, IndexError)

#: What estimators may raise; OSError, where strings are files that are not there.
REFUSED = (ValueError, TypeError, OSError)


@CHECKED
@given(st.sampled_from(ESTIMATORS), PARAMETERS, INPUTS, LABELS)
def test_wild_calls_of_fit(estimator, parameters, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            svm = estimator(**parameters).fit(X, y)
            svm.predict(X)
        except REFUSED:
            pass


@CHECKED
@given(st.sampled_from([MulticlassSVM, ChainSVM, MultilabelSVM, HierarchicalSVM]), PARAMETERS, INPUTS, LABELS, INPUTS, LABELS, LABELS)
def test_wild_calls_of_partial_fit(estimator, parameters, X, y, X_more, y_more, classes):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for svm in (estimator(**parameters), fitted(estimator)):
            try:
                svm.partial_fit(X, y, classes).partial_fit(X_more, y_more)
            except REFUSED:
                pass
            if svm is fitted(estimator):
                del FITTED[estimator]


FITTED = {}


def fitted(estimator):
    if estimator not in FITTED:
        X = np.eye(3)
        FITTED[estimator] = {
            MulticlassSVM: lambda: MulticlassSVM(lam=0.1).fit(X, [0, 1, 2]),
            ChainSVM: lambda: ChainSVM(lam=0.1).fit([X, X], [[0, 1, 2]] * 2),
            MultilabelSVM: lambda: MultilabelSVM(lam=0.1).fit(X, X.astype(int)),
            HierarchicalSVM: lambda: HierarchicalSVM(lam=0.1).fit(X, ["a/b", "a/c", "d"]),
            MatchingSVM: lambda: MatchingSVM(lam=0.1).fit([np.ones((2, 2, 3))], [[(0, 0)]]),
            SegmentationSVM: lambda: SegmentationSVM(lam=0.1).fit([X], [["B-a", "I-a", "O"]]),
            DependencyParser: lambda: DependencyParser(lam=0.1, hash_bits=8).fit([["a", "b"]], [[(2, "x"), (0, "root")]]),
            LandmarkSVM: lambda: LandmarkSVM(lam=0.1, frame=8, template="3", normaliser="box").fit([np.eye(9, dtype=np.uint8)], [[(1, 1), (5, 6)]]),
        }[estimator]()
    return FITTED[estimator]


@CHECKED
@given(st.sampled_from(ESTIMATORS), st.sampled_from(["predict", "confidence", "decision_function", "k_best", "score"]), INPUTS, LABELS)
def test_wild_calls_of_models(estimator, method, X, y):
    svm = fitted(estimator)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            if method == "k_best":
                svm.predict_k_best(X, 3)
            elif method == "score":
                svm.score(X, y)
            else:
                getattr(svm, method)(X)
        except REFUSED:
            pass


@CHECKED
@given(st.sampled_from(["multiclass", "chain", "multilabel", "matching", "?"]), wild_arrays(), wild_arrays(), wild_arrays(), st.booleans())
def test_wild_calls_of_layers(structure, scores, shared, targets, boundary):
    from maxmargin._parts import HostLoss

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            HostLoss(structure, 3, boundary=boundary).values_and_gradients(scores, [shared], targets)
        except EXPECTED:
            pass


@CHECKED
@given(VALUES, VALUES, VALUES)
def test_wild_structures(features, loss, label):
    from maxmargin import StructuredSVM

    class Wild:
        dim = 3

        def joint_feature(self, x, y):
            return features if y == label else np.ones(3)

        def loss(self, y, y_hat):
            return loss

        def loss_augmented_decode(self, x, y, w, mix):
            return label

        def decode(self, x, w):
            return label

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            StructuredSVM(Wild(), lam=0.1, max_passes=3).fit([1, 2], [0, 1])
        except EXPECTED:
            pass


@CHECKED
@given(st.binary(max_size=200), st.integers(0, 4000), st.integers(0, 255))
def test_wild_models(head, place, byte):
    from maxmargin import Model

    good = bytearray(fitted(MulticlassSVM).model_.to_bytes())
    good[place % len(good)] = byte
    for content in (head, bytes(good)):
        try:
            Model.from_bytes(content)
        except ValueError:
            pass

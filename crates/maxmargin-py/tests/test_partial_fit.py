"""Promise: partial_fit learns from one batch after the other, forgets none, and its certificate is about the last one."""

import warnings

import numpy as np
import pytest
import scipy.sparse

from maxmargin import ChainSVM, HierarchicalSVM, Matrix, MulticlassSVM, MultilabelSVM


def clusters(count, seed, classes=4):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, count)
    return rng.normal(size=(count, 6)) + 2.0 * np.eye(classes, 6)[y], y


def batches(*arrays, size=50):
    return [tuple(array[start : start + size] for array in arrays) for start in range(0, len(arrays[0]), size)]


def objective(svm, X, y):
    """F of the weights on these examples: what one more call would start from, proven by the program's own evaluation."""
    scores = np.c_[X, np.ones(len(X))] @ svm.coef_["unary"]
    margins = scores + (np.arange(scores.shape[1]) != y[:, None]) - scores[np.arange(len(y)), y][:, None]
    return svm.lam_ / 2 * (svm.coef_["unary"] ** 2).sum() + margins.max(axis=1).mean()


def test_many_batches_come_near_the_optimum_of_all_of_them():
    X, y = clusters(2000, 0)
    whole = MulticlassSVM(lam=0.01, gap=1e-4).fit(X, y)
    svm, after = MulticlassSVM(lam=0.01), []
    for rows, labels in batches(X, y):
        svm.partial_fit(rows, labels, classes=range(4))
        after.append(objective(svm, X, y))
    assert svm.t_ == 2000 and svm.n_iter_ == 1
    assert after[-1] < 1.1 * whole.certificate_.primal and after[-1] < after[0]
    # Batches of one class each, one class after the other: none is forgotten.
    order = np.argsort(y, kind="stable")
    sorted_svm = MulticlassSVM(lam=0.01)
    for rows, labels in batches(X[order], y[order]):
        sorted_svm.partial_fit(rows, labels, classes=range(4))
    assert len(set(sorted_svm.predict(X).tolist())) == 4


def test_the_certificate_is_about_the_batch():
    X, y = clusters(300, 1)
    svm = MulticlassSVM(lam=0.05).partial_fit(X[:200], y[:200]).partial_fit(X[200:], y[200:])
    certificate = svm.certificate_
    assert certificate.primal == pytest.approx(objective(svm, X[200:], y[200:]), rel=1e-9)
    least = MulticlassSVM(lam=0.05, gap=1e-6).fit(X[200:], y[200:]).certificate_
    assert certificate.lower_bound <= least.primal and least.lower_bound <= certificate.primal


def test_a_model_goes_on_from_where_it_is(tmp_path):
    X, y = clusters(400, 2)
    svm = MulticlassSVM(lam=0.01, gap=1e-4).fit(X, y)
    assert svm.t_ == 400
    before = objective(svm, X, y)
    svm.save(tmp_path / "svm.model")
    again = MulticlassSVM.load(tmp_path / "svm.model")
    for model in (svm, again):
        model.partial_fit(*clusters(100, 3))
        assert model.t_ == 500
    assert np.array_equal(svm.coef_["unary"], again.coef_["unary"])
    # The optimum of 400 examples moves, and not far, with 100 more.
    assert before < objective(svm, X, y) < 1.2 * before


def test_a_file_tells_how_many_examples_came(tmp_path):
    X, y = clusters(400, 2)
    svm = MulticlassSVM(lam=0.01, max_passes=2)
    for rows, labels in batches(X, y):
        svm.partial_fit(rows, labels, classes=range(4))
    svm.save(tmp_path / "svm.model")
    again = MulticlassSVM.load(tmp_path / "svm.model").set_params(max_passes=2)
    assert svm.t_ == again.t_ == 800
    for model in (svm, again):
        model.partial_fit(*clusters(50, 3))
    assert np.array_equal(svm.coef_["unary"], again.coef_["unary"])


def test_columns_of_frames_are_labels_by_name():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(5)
    X = rng.normal(size=(60, 4))
    y = pandas.DataFrame((X[:, :3] > 0).astype(int), columns=["a", "b", "c"])
    svm = MultilabelSVM(lam=0.01).partial_fit(X[:30], y[:30])
    turned = MultilabelSVM(lam=0.01).partial_fit(X[:30], y[:30])
    svm.partial_fit(X[30:], y[30:])
    turned.partial_fit(X[30:], y[30:][["c", "a", "b"]])
    assert np.array_equal(svm.coef_["unary"], turned.coef_["unary"])
    assert svm.score(X, y) == svm.score(X, y[["b", "c", "a"]])
    with pytest.raises(ValueError, match="'c'"):
        svm.partial_fit(X[30:], y[30:].rename(columns={"c": "d"}))


def test_lambda_is_that_of_the_first_call():
    X, y = clusters(200, 4)
    svm = MulticlassSVM(C=1.0).partial_fit(X[:150], y[:150])
    assert svm.lam_ == pytest.approx(1 / 150)
    assert svm.partial_fit(X[150:], y[150:]).lam_ == pytest.approx(1 / 150)
    chosen = MulticlassSVM().partial_fit(X[:150], y[:150])
    lam = chosen.lam_
    assert chosen.partial_fit(X[150:], y[150:]).lam_ == lam


def test_columns_are_changed_as_in_the_first_batch():
    X, y = clusters(400, 5)
    svm = MulticlassSVM(lam=0.01, standardize=True)
    for rows, labels in batches(100 * X, y, size=100):
        svm.partial_fit(rows, labels, classes=range(4))
    assert svm.score(100 * X, y) > 0.8


def test_no_warning_of_gaps():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        MulticlassSVM(lam=0.01).partial_fit(*clusters(100, 6))


def test_chains_learn_words_as_they_come(words):
    X, y = words
    tags = sorted({tag for sequence in y for tag in sequence})
    svm = ChainSVM(lam=0.01)
    for rows, labels in batches(X * 4, y * 4, size=8):
        svm.partial_fit(rows, labels, classes=tags)
    assert svm.score(X, y) > 0.95 and set(svm.classes_) == set(tags)
    known = len(svm.model_.attribute_names)
    before = dict(zip(svm.model_.attribute_names, svm.coef_["unary"]))
    svm.partial_fit([[["w=zebra", "p=the"]]], [["N"]])
    assert len(svm.model_.attribute_names) == known + 1 == svm.n_features_in_
    after = dict(zip(svm.model_.attribute_names, svm.coef_["unary"]))
    # What the batch does not have keeps its weights, up to the shrinking of a step.
    for name in before.keys() - {"p=the"}:
        assert np.allclose(after[name], before[name], rtol=0.05, atol=1e-3), name
    assert svm.predict([[["w=zebra"]]])[0].shape == (1,)


@pytest.mark.parametrize("form", ["rows", "sparse", "sets"])
def test_label_sets(form):
    rng = np.random.default_rng(7)
    X = rng.normal(size=(1200, 6))
    Y = (X @ rng.normal(size=(6, 3)) > 0).astype(int)
    names = ["a", "b", "c"]
    given = {"rows": Y, "sparse": scipy.sparse.csr_matrix(Y), "sets": np.array([{names[k] for k in np.flatnonzero(row)} for row in Y], dtype=object)}[form]
    svm = MultilabelSVM(lam=0.01)
    for start in range(0, 1200, 40):
        y = given[start : start + 40]
        svm.partial_fit(X[start : start + 40], list(y) if form == "sets" else y, classes=names)
    assert svm.classes_.tolist() == names
    assert svm.score(X, list(given) if form == "sets" else Y) > 0.75


@pytest.mark.parametrize("kind", ["tree", "paths", "levels"])
def test_hierarchies(kind):
    X, y = clusters(1200, 8)
    paths = np.array(["animal/cat", "animal/dog", "plant/oak", "plant/elm"])
    labels = {"tree": np.array(["cat", "dog", "oak", "elm"]), "paths": paths, "levels": np.array([path.split("/") for path in paths])}[kind]
    tree = {"cat": "animal", "dog": "animal", "oak": "plant", "elm": "plant"} if kind == "tree" else None
    svm = HierarchicalSVM(lam=0.01, hierarchy=tree)
    # The first batch has cats only.
    order = np.r_[np.flatnonzero(y == 0)[:40], np.delete(np.arange(1200), np.flatnonzero(y == 0)[:40])]
    for rows, numbers in batches(X[order], y[order], size=40):
        svm.partial_fit(rows, labels[numbers], classes=labels)
    assert svm.score(X, labels[y]) > 0.75
    inner = HierarchicalSVM(lam=0.01, hierarchy=tree)
    ends = {"tree": np.array(["cat", "animal"]), "paths": np.array(["animal/cat", "animal"]), "levels": np.array([["animal", "cat"], ["animal", ""]])}[kind]
    both = np.concatenate([labels, ends])
    inner.partial_fit(np.eye(6)[:1], ends[:1], classes=both)
    for _ in range(40):
        inner.partial_fit(np.eye(6), both)
    assert np.array_equal(inner.predict(np.eye(6)[:4]), labels)
    assert np.array_equal(inner.predict(np.eye(6)[5:]), ends[1:])


X, Y = clusters(40, 9)


@pytest.mark.parametrize(
    ("svm", "calls", "about"),
    [
        (MulticlassSVM(lam=0.1, solver="bcfw"), [(X, Y)], "solver"),
        (MulticlassSVM(lam=0.1, class_weights="balanced"), [(X, Y)], "class_weights"),
        (MulticlassSVM(lam=0.1), [(X, Y), (X[:, :3], Y)], "X has 3 features"),
        (MulticlassSVM(lam=0.1), [(X, Y), (X, Y + 7)], "y: the label"),
        (MulticlassSVM(lam=0.1), [(X, Y, [0, 1])], "y: the label 2"),
        (MulticlassSVM(lam=0.1), [(X, Y), (X, Y, [0, 1])], "classes: they are not"),
        (MulticlassSVM(lam=0.1), [(X, Y, [0, 1, 1])], "classes: one"),
        (MulticlassSVM(lam=0.1), [(X, Y, [])], "classes: a list"),
        (MulticlassSVM(lam=0.1), [(X, Y[:5])], "y"),
        (ChainSVM(lam=0.1, weights="seen"), [([X], [Y])], "weights"),
        (MultilabelSVM(lam=0.1, pairs="tree"), [(X, np.eye(4, dtype=int)[Y])], "pairs"),
        (MultilabelSVM(lam=0.1), [(X, np.eye(4, dtype=int)[Y]), (X, np.eye(3, dtype=int)[Y % 3])], "y: 3 columns"),
        (HierarchicalSVM(lam=0.1), [(X, np.array(["a/b", "a/c", "d", "e"])[Y]), (X, np.array(["a/x"])[Y * 0])], "y: 'a/x'"),
        (HierarchicalSVM(lam=0.1, alpha="auto", norm="nhsvm"), [(X, np.array(["a/b", "a/c", "d", "e"])[Y])], "alpha"),
    ],
)
def test_what_a_batch_cannot_be_is_named(svm, calls, about):
    from sklearn.base import clone

    svm = clone(svm)
    for X, y, *classes in calls[:-1]:
        svm.partial_fit(X, y, *classes)
    X, y, *classes = calls[-1]
    with pytest.raises(ValueError, match=about):
        svm.partial_fit(X, y, *classes)


@pytest.mark.parametrize("classes", [[0, 1.5], [0.0, np.nan], ["a", None], [[1], [2, 3]], [0, 0], []])
def test_classes_that_are_none_are_named(classes):
    with pytest.raises(ValueError, match="^classes"):
        MulticlassSVM(lam=0.1).partial_fit([[1.0], [2.0]], [0, 1], classes=classes)


def test_rows_with_names_keep_what_is_known():
    first = [{"a": 1.0}, {"b": 1.0}]
    model = MulticlassSVM(lam=0.1).partial_fit(first, [0, 1])
    other = Matrix.csr(np.array([0, 1, 2]), np.array([0, 1]), np.array([1.0, 1.0]), 2, 1.0, "X").named(["c", "a"])
    with pytest.raises(ValueError, match="^X"):
        model.partial_fit(other, [0, 1])
    known = model.model_.attribute_names
    more = Matrix.csr(np.array([0, 1, 2]), np.array([0, 2]), np.array([1.0, 1.0]), 3, 1.0, "X").named([*known, "c"])
    model.partial_fit(more, [0, 1])
    assert model.model_.attribute_names == [*known, "c"] and model.n_features_in_ == 3
    model.predict(first)
    assert model.n_features_in_ == 3

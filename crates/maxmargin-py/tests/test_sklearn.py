"""Promise: estimators are estimators of scikit-learn."""

import pickle

import numpy as np
import pytest
import scipy.sparse

pytest.importorskip("sklearn")

from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris, make_multilabel_classification
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from maxmargin import HierarchicalSVM, MulticlassSVM, MultilabelSVM

CLASSES = "it gives each example one class; a label here is a row of 0 and 1 (what it asks for is tested below, with such rows)"

#: Checks of MultilabelSVM that cannot hold.
ONE_CLASS_EACH = dict.fromkeys(
    [
        "check_classifier_data_not_an_array",
        "check_estimators_dtypes",
        "check_sample_weights_pandas_series",
        "check_sample_weights_not_an_array",
        "check_sample_weights_shape",
        "check_sample_weights_not_overwritten",
        "check_sample_weight_equivalence_on_dense_data",
        "check_sample_weight_equivalence_on_sparse_data",
        "check_dtype_object",
        "check_classifiers_one_label",
        "check_classifiers_one_label_sample_weights",
        "check_classifiers_classes",
        "check_classifiers_train",
        "check_classifiers_regression_target",
        "check_classifier_not_supporting_multiclass",
        "check_fit2d_1feature",
    ],
    CLASSES,
)


def expected(estimator):
    return ONE_CLASS_EACH if isinstance(estimator, MultilabelSVM) else {}


@parametrize_with_checks(
    [MulticlassSVM(C=1.0, gap=1e-14), MultilabelSVM(C=1.0, gap=1e-5)], expected_failed_checks=expected
)
@pytest.mark.filterwarnings("ignore::maxmargin.ConvergenceWarning")
def test_checks_of_sklearn(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def topics():
    X, Y = make_multilabel_classification(n_samples=120, n_classes=4, n_labels=2, random_state=0)
    return X, Y


def test_grid_search_finds_a_c(iris):
    search = GridSearchCV(MulticlassSVM(), {"C": [1e-4, 1.0], "surrogate": ["margin", "slack"]}, cv=3).fit(*iris)
    assert search.best_params_["C"] == 1.0
    assert search.best_score_ > 0.9


def test_cross_validation_in_parallel_processes(iris):
    assert cross_val_score(MulticlassSVM(C=1.0), *iris, cv=3, n_jobs=2).mean() > 0.9


def test_pipelines_and_calibration(iris):
    X, y = iris
    pipeline = make_pipeline(StandardScaler(), MulticlassSVM(C=1.0)).fit(X, y)
    assert pipeline.score(X, y) > 0.9
    calibrated = CalibratedClassifierCV(MulticlassSVM(C=1.0), cv=3).fit(X, y)
    assert np.allclose(calibrated.predict_proba(X).sum(axis=1), 1.0)
    assert calibrated.score(X, y) > 0.9


def test_label_sets_are_cross_validated(topics):
    X, Y = topics
    predicted = cross_val_predict(MultilabelSVM(C=0.1), X, Y, cv=3)
    assert predicted.shape == Y.shape and (predicted == Y).mean() > 0.7
    search = GridSearchCV(MultilabelSVM(), {"C": [1e-6, 0.1]}, cv=3, scoring="f1_micro").fit(X, Y)
    assert search.best_params_["C"] == 0.1


def test_weights_of_label_sets_count_as_copies(topics):
    X, Y = topics
    counts = np.random.default_rng(0).integers(0, 3, len(X))
    by_weight = MultilabelSVM(C=0.01, gap=1e-10, pairs="none").fit(X, Y, sample_weight=counts)
    by_copies = MultilabelSVM(C=0.01, gap=1e-10, pairs="none").fit(np.repeat(X, counts, axis=0), np.repeat(Y, counts, axis=0))
    ratio = len(X) / counts.sum()
    assert by_weight.certificate_.primal == pytest.approx(by_copies.certificate_.primal / ratio, rel=1e-9)
    assert np.allclose(by_weight.decision_function(X), by_copies.decision_function(X), atol=1e-4)
    for kind in (list, tuple):
        same = clone(by_weight).fit(X, Y, sample_weight=kind(counts))
        assert np.array_equal(same.coef_["unary"], by_weight.coef_["unary"])
    for wrong in (np.zeros(len(X)), counts[:-1], -np.ones(len(X)), np.full(len(X), np.nan), np.ones((len(X), 2))):
        with pytest.raises(ValueError, match="sample_weight"):
            MultilabelSVM(C=0.01).fit(X, Y, sample_weight=wrong)


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int32, np.int64, np.uint8])
def test_label_sets_take_any_type_of_numbers(topics, kind):
    X, Y = topics
    svm = MultilabelSVM(C=0.01, gap=1e-8).fit(X.astype(kind), Y)
    assert svm.predict(X.astype(kind)).shape == Y.shape
    sparse = MultilabelSVM(C=0.01, gap=1e-8).fit(scipy.sparse.csr_matrix(X.astype(kind)), scipy.sparse.csr_matrix(Y))
    assert np.allclose(sparse.coef_["unary"], svm.coef_["unary"], atol=1e-3)


def test_signs_of_decisions_are_predictions(topics):
    X, Y = topics
    svm = MultilabelSVM(C=0.01).fit(X, Y)
    assert np.array_equal(svm.decision_function(X) > 0, svm.predict(X).astype(bool))
    assert np.allclose(np.abs(svm.decision_function(X)).min(axis=1), svm.confidence(X))


@pytest.mark.parametrize("estimator", [MulticlassSVM, MultilabelSVM, HierarchicalSVM])
def test_parameters_are_those_of_the_registry(estimator):
    from maxmargin import _engine

    given = estimator().get_params()
    for option in _engine.tasks()[estimator._task]["options"]:
        default = given[option["name"]]
        assert str(default) == str(option["default"]) or default in (None, False)
    for name, default in _engine.default_settings().items():
        assert name not in given or given[name] == default
    with pytest.raises(TypeError, match="no parameter 'lambda_'"):
        estimator(lambda_=1.0)
    assert clone(estimator(C=2.0)).C == 2.0


def test_pickles_are_models(iris):
    X, y = iris
    svm = MulticlassSVM(C=1.0).fit(X, y)
    again = pickle.loads(pickle.dumps(svm))
    assert np.array_equal(again.coef_["unary"], svm.coef_["unary"])
    assert again.certificate_ == svm.certificate_
    with pytest.raises(ValueError, match="model in memory"):
        type(svm.model_).from_bytes(svm.model_.to_bytes()[:-1])

"""Promise: structures and surrogates of Python train like those that are built in, and what they say wrong is found."""

import itertools
import warnings

import numpy as np
import pytest

from maxmargin import ConvergenceWarning, MulticlassSVM, StructuredSVM, Surrogate, check_structure


class Classes:
    """Multiclass, written out."""

    def __init__(self, classes, features):
        self.classes, self.features = classes, features
        self.dim = classes * features

    def joint_feature(self, x, y):
        phi = np.zeros((self.features, self.classes))
        phi[:, y] = x
        return phi.ravel()

    def loss(self, y, y_hat):
        return float(y != y_hat)

    def loss_augmented_decode(self, x, y, w, mix):
        scores = x @ w.reshape(self.features, self.classes)
        losses = np.arange(self.classes) != y
        return int(max(range(self.classes), key=lambda c: rank(mix, scores[c], losses[c])))

    def decode(self, x, w):
        return int(np.argmax(x @ w.reshape(self.features, self.classes)))


def rank(mix, score, loss):
    height = mix.score * score + mix.loss * loss
    return (height, score) if mix.score == 0 else (height, loss)


class Ranking(Classes):
    """The same with everything that is optional."""

    def all(self, x, y, w):
        scores = x @ w.reshape(self.features, self.classes)
        return [(c, scores[c], 0.0 if y is None else float(c != y)) for c in range(self.classes)]

    def k_best(self, x, y, w, mix, k):
        best = sorted(self.all(x, y, w), key=lambda label: rank(mix, *label[1:]), reverse=True)
        return [label for label, _, _ in best[:k]]

    def strata(self, x, y, w):
        labels = self.all(x, y, w)
        losses = sorted({loss for _, _, loss in labels})
        return [max((label for label in labels if label[2] == loss), key=lambda label: label[1])[0] for loss in losses]

    def max_loss(self, x, y):
        return 1.0

    def loss_unit(self, x, y):
        return 1.0

    def feature_norm(self, x):
        return float(np.linalg.norm(x))


def made_up(seed=0, count=60, features=3, classes=3):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, count)
    return rng.normal(size=(count, features)) + 1.5 * np.eye(classes, features)[y], y


@pytest.mark.parametrize("kind", [Classes, Ranking])
@pytest.mark.parametrize("solver", ["auto", "bcfw", "bmrm", "p-bmrm", "prox-bmrm", "n-slack"])
def test_the_optimum_is_that_of_the_built_in_task(kind, solver):
    X, y = made_up()
    own = StructuredSVM(kind(3, 3), lam=0.05, gap=1e-6, solver=solver).fit(X, y.tolist())
    built_in = MulticlassSVM(lam=0.05, gap=1e-6, no_bias=True).fit(X, y)
    for a, b in [(own, built_in), (built_in, own)]:
        assert a.certificate_.lower_bound <= b.certificate_.primal * (1 + 1e-12)
    assert own.certificate_.gap <= 1e-6
    assert own.predict(X) == built_in.predict(X).tolist()
    assert np.allclose(own.coef_, built_in.coef_["unary"].ravel(), atol=1e-2)


@pytest.mark.parametrize("surrogate", ["slack", "log", "beta=0.5"])
def test_other_surrogates_need_no_more(surrogate):
    X, y = made_up(1)
    built_in = MulticlassSVM(lam=0.05, gap=1e-5, no_bias=True, surrogate=surrogate).fit(X, y)
    own = StructuredSVM(Ranking(3, 3), lam=0.05, gap=1e-5, surrogate=surrogate).fit(X, y.tolist())
    assert own.certificate_.primal == pytest.approx(built_in.certificate_.primal, rel=1e-4)
    by_hull = StructuredSVM(Classes(3, 3), lam=0.05, gap=1e-3, max_passes=200, surrogate=surrogate)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        by_hull.fit(X, y.tolist())
    assert by_hull.certificate_.lower_bound <= built_in.certificate_.primal * (1 + 1e-12)
    assert by_hull.certificate_.primal >= built_in.certificate_.lower_bound * (1 - 1e-12)


@pytest.mark.parametrize("kind", [Classes, Ranking])
def test_the_referee_passes_what_is_right(kind):
    rng = np.random.default_rng(2)
    X = [rng.integers(-2, 3, 3).astype(float) if i % 2 else rng.normal(size=3) for i in range(20)]
    check_structure(kind(3, 3), X, rng.integers(0, 3, 20).tolist(), lambda x: range(3))


class WrongDecoder(Classes):
    def loss_augmented_decode(self, x, y, w, mix):
        return self.decode(x, w)


class WrongLoss(Classes):
    def loss(self, y, y_hat):
        return 1.0 + float(y != y_hat) if y != 0 else float(y_hat != y)


def test_the_referee_finds_wrong_decoders():
    X = [np.array([1.0, -1.0, 0.5])] * 3
    with pytest.raises(ValueError, match="structure"):
        check_structure(WrongDecoder(3, 3), X, [0, 1, 2], lambda x: range(3))


class Broken(Classes):
    def joint_feature(self, x, y):
        return np.ones(2)


class Raising(Classes):
    def loss(self, y, y_hat):
        raise ZeroDivisionError("never mind")


class TooLong(Ranking):
    def feature_norm(self, x):
        return 1e-3


@pytest.mark.parametrize(
    ("structure", "error", "text"),
    [
        (Broken(3, 3), ValueError, "joint_feature: 2 numbers, but there are 9 weights"),
        (Raising(3, 3), ZeroDivisionError, "never mind"),
        (TooLong(3, 3), ValueError, "feature_norm"),
        (object(), ValueError, "dim"),
        (type("Empty", (), {"dim": 3})(), ValueError, "no method joint_feature"),
    ],
)
def test_what_a_structure_raises_is_raised(structure, error, text):
    X, y = made_up()
    with pytest.raises(error, match=text):
        StructuredSVM(structure, lam=0.1).fit(X, y.tolist())


def test_lambda_must_be_given():
    X, y = made_up()
    with pytest.raises(ValueError, match="lam"):
        StructuredSVM(Classes(3, 3)).fit(X, y.tolist())


def test_labels_may_be_arrays():
    class Flags(Classes):
        """Labels are arrays of 0 and 1; each position by itself."""

        dim = 3

        def __init__(self):
            pass

        def joint_feature(self, x, y):
            return x.T @ y

        def loss(self, y, y_hat):
            return float(np.sum(y != y_hat))

        def loss_augmented_decode(self, x, y, w, mix):
            gain = mix.score * (x @ w) + mix.loss * np.where(y == 1, -1, 1)
            return (gain > 0).astype(int)

        def decode(self, x, w):
            return (x @ w > 0).astype(int)

    rng = np.random.default_rng(3)
    X = [rng.normal(size=(4, 3)) for _ in range(20)]
    y = [(x @ [1.0, -1.0, 0.5] > 0).astype(int) for x in X]
    svm = StructuredSVM(Flags(), lam=0.01).fit(X, y)
    assert svm.score(X, y) > 0.95 and svm.certificate_.gap <= 0.01
    listed = [np.array(bits) for bits in itertools.product([0, 1], repeat=4)]
    check_structure(Flags(), X[:5], y[:5], lambda x: listed)


SQUARED = Surrogate(
    lambda h, g: g * max(0.0, 1 + h) ** 2,
    lambda h, g: (2 * g * max(0.0, 1 + h), max(0.0, 1 + h) ** 2),
    steepest=lambda low, high, h: 2 * high * (1 + h),
    name="squared",
)


def test_surrogates_of_python_are_trained():
    SQUARED.check(largest_loss=3, largest_h=5)
    X, y = made_up(4)
    own = StructuredSVM(Ranking(3, 3), lam=0.1, gap=1e-3, surrogate=SQUARED).fit(X, y.tolist())
    built_in = MulticlassSVM(lam=0.1, gap=1e-3, no_bias=True, surrogate=SQUARED).fit(X, y)
    assert own.certificate_.primal == pytest.approx(built_in.certificate_.primal, rel=2e-3)
    # The objective written out: F(w) must lie between the bounds.
    weights = built_in.coef_["unary"]
    scores = X @ weights
    margins = scores - scores[np.arange(len(y)), y][:, None]
    losses = np.arange(3) != y[:, None]
    risks = (losses * np.maximum(0, 1 + margins) ** 2).max(axis=1)
    value = 0.05 * (weights**2).sum() + risks.mean()
    assert built_in.certificate_.lower_bound <= value <= built_in.certificate_.primal * (1 + 1e-12)


def test_false_surrogates_are_found():
    wrong = Surrogate(lambda h, g: g * (1 + h), lambda h, g: (2 * g, 1 + h), name="wrong")
    with pytest.raises(ValueError, match="surrogate"):
        wrong.check(largest_loss=3, largest_h=5)
    raising = None
    with pytest.raises(ZeroDivisionError):
        raising = Surrogate(lambda h, g: 1 / 0, lambda h, g: (0.0, 0.0))
        raising.check(1, 1)

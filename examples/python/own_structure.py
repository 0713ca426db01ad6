"""A structure of your own: rank so that the area under the ROC curve is largest (Joachims 2005), certified.

A label says for each relevant item how many others stand above it, and for each other item how many relevant ones stand below.
"""

import numpy as np

from maxmargin import Mix, StructuredSVM


class Ranking:
    def __init__(self, features):
        self.dim = features

    def joint_feature(self, x, y):
        """The mean of x_i − x_j over pairs of a relevant i above another j, minus that over pairs the other way round."""
        (items, relevant), (above, below) = x, y
        pairs = len(above) * len(below)
        return ((len(below) - 2 * above) @ items[relevant] - (len(above) - 2 * below) @ items[~relevant]) / pairs

    def loss(self, y, y_hat):
        """The share of pairs in the wrong order."""
        return float(y_hat[0].sum()) / (len(y_hat[0]) * len(y_hat[1]))

    def loss_augmented_decode(self, x, y, w, mix):
        """A pair is swapped where that gains more loss than it costs in score: each by itself, and an order comes of it."""
        items, relevant = x
        scores = items @ w
        shift = mix.loss / (2 * mix.score) if mix.score > 0 else np.inf
        good, others = scores[relevant], scores[~relevant]
        above = len(others) - np.searchsorted(np.sort(others + shift), good, side="left")
        below = np.searchsorted(np.sort(good - shift), others, side="right")
        return above, below

    def decode(self, x, w):
        return self.loss_augmented_decode(x, None, w, Mix(1.0, 0.0))


def truth(relevant):
    return np.zeros(relevant.sum(), dtype=int), np.zeros((~relevant).sum(), dtype=int)


def made_up(count, seed):
    rng = np.random.default_rng(seed)
    relevant = rng.random(count) < 0.2
    return rng.normal(size=(count, 8)) + 0.6 * relevant[:, None] * np.linspace(1, -0.5, 8), relevant


def main():
    x, (items, relevant) = made_up(2000, 1), made_up(5000, 2)
    svm = StructuredSVM(Ranking(8), C=100.0, gap=1e-4).fit([x], [truth(x[1])])
    print(f"F(w) = {svm.certificate_.primal:.6f}, at least {svm.certificate_.lower_bound:.6f}; {svm.n_iter_} passes")
    area = 1 - Ranking(8).loss(None, svm.structure.decode((items, relevant), svm.coef_))
    print(f"area under the curve of new items: {area:.4f}")
    return area


if __name__ == "__main__":
    assert main() > 0.7

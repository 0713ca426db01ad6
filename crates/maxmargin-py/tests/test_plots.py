"""Promise: pictures show what is there, and estimators show themselves in notebooks."""

import numpy as np
import pytest

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

from maxmargin import ChainSVM, HierarchicalSVM, MulticlassSVM, MultilabelSVM
from maxmargin.plot import label_plane, plot_alignment, plot_convergence, plot_hierarchy, plot_label_plane


def test_convergence_shows_every_pass():
    X, y = np.random.default_rng(0).normal(size=(50, 4)), np.arange(50) % 3
    svm = MulticlassSVM(lam=1e-3, gap=1e-6).fit(X, y)
    ax = plot_convergence(svm, names=["bcfw"])
    assert len(ax.lines[0].get_xdata()) == sum(np.isfinite(record["gap"]) for record in svm.history_)
    assert ax.get_legend().get_texts()[0].get_text() == "bcfw"
    assert "relative gap" in svm._repr_html_() and "relative gap" in svm.certificate_._repr_html_()
    assert "not fitted" in MulticlassSVM()._repr_html_()


def test_label_planes_are_scores_and_losses():
    X, y = np.eye(3), [0, 1, 2]
    svm = MulticlassSVM(lam=0.1).fit(X, y)
    margins, costs = label_plane(svm, X[0], 0)
    scores = svm.decision_function(X[:1])[0]
    assert sorted(margins) == pytest.approx(sorted(scores - scores[0]))
    assert sorted(costs) == [0, 1, 1]
    chain = ChainSVM(lam=0.1).fit([X, X[::-1]], [y, y[::-1]])
    margins, costs = label_plane(chain, X, y)
    assert len(margins) == 27 and costs.max() == 3
    plot_label_plane(chain, X, y)
    sets = MultilabelSVM(lam=0.1).fit(X, X.astype(int))
    assert len(label_plane(sets, X[0], [1, 0, 0])[0]) == 8
    with pytest.raises(ValueError, match="k: the truth"):
        label_plane(chain, X, [2, 2, 0], k=1)


def test_alignments_and_hierarchies_are_drawn():
    ax = plot_alignment(["das", "Haus"], ["the", "house"], [(0, 0), (1, 1)], truth=[(0, 0)])
    assert len(ax.patches) == 1 and [t.get_text() for t in ax.get_yticklabels()] == ["das", "Haus"]
    svm = HierarchicalSVM(lam=0.1).fit(np.eye(3), ["a/b", "a/c", "d/e"])
    assert len(plot_hierarchy(svm).patches) == len(svm.classes_)
    with pytest.raises(ValueError, match="no hierarchy"):
        plot_hierarchy(MulticlassSVM(lam=0.1).fit(np.eye(3), [0, 1, 2]))

"""Sets of labels with MultilabelSVM: label pairs, another surrogate, thresholds, and scikit-learn around it."""

import numpy as np
from sklearn.datasets import make_multilabel_classification
from sklearn.metrics import f1_score
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from maxmargin import MultilabelSVM


def main():
    X, Y = make_multilabel_classification(600, 30, n_classes=6, n_labels=3, length=40, random_state=0)
    X, Z, Y, truth = train_test_split(X, Y, random_state=0)
    shown = lambda name, model: print(f"{name:<30} Micro-F1 {f1_score(truth, model.predict(Z), average='micro'):.4f}")

    shown("one SVM a label (LinearSVC)", make_pipeline(StandardScaler(), OneVsRestClassifier(LinearSVC())).fit(X, Y))
    pairs = MultilabelSVM(standardize=True).fit(X, Y)  # λ is chosen by itself
    shown(f"pairs of labels, λ = {pairs.lam_:.3g}", pairs)
    shown("Micro-F1 as the surrogate", MultilabelSVM(standardize=True, lam=pairs.lam_, surrogate="micro-f1").fit(X, Y))
    shown("thresholds tuned", MultilabelSVM(standardize=True, lam=pairs.lam_, tune_threshold="micro_f1").fit(X, Y))
    search = GridSearchCV(MultilabelSVM(standardize=True), {"C": [1e-3, 1e-2, 1e-1], "pairs": ["none", "all"]}, scoring="f1_micro", cv=3)
    shown("GridSearchCV", search.fit(X, Y))
    print("the surest label of the first rows:", np.argmax(pairs.decision_function(Z[:5]), axis=1))
    return f1_score(truth, pairs.predict(Z), average="micro")


if __name__ == "__main__":
    assert main() > 0.6

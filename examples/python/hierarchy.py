"""Nodes of a taxonomy with HierarchicalSVM: dicts, networkx graphs or paths say which; rows may have few examples of a node."""

import numpy as np

from maxmargin import HierarchicalSVM, MulticlassSVM

TREE = {
    "animal": ["bird", "mammal"],
    "bird": ["crow", "owl"],
    "mammal": ["bat", "bear", "cat"],
    "plant": ["tree", "flower"],
    "tree": ["oak", "elm"],
    "flower": ["rose", "lily"],
}


def made_up(count, seed):
    """Rows that are sums of a part for each node on the way to a leaf, with noise."""
    rng = np.random.default_rng(seed)
    parts = {node: np.random.default_rng(sum(map(ord, node))).normal(size=20) for node in {*TREE, *sum(TREE.values(), [])}}
    parents = {child: parent for parent, children in TREE.items() for child in children}
    leaves = sorted(set(parts) - set(TREE))
    y = rng.choice(leaves, count, p=np.linspace(2, 0.3, len(leaves)) / np.linspace(2, 0.3, len(leaves)).sum())

    def features(node):
        return parts[node] + (features(parents[node]) if node in parents else 0)

    return np.array([features(leaf) for leaf in y]) + 4 * rng.normal(size=(count, 20)), y


def main():
    (X, y), (Z, z) = made_up(120, 1), made_up(1000, 2)
    for name, model in {
        "flat (MulticlassSVM)": MulticlassSVM(),
        "hsvm": HierarchicalSVM(hierarchy=TREE),
        "nhsvm": HierarchicalSVM(hierarchy=TREE, norm="nhsvm"),
        "ssvm": HierarchicalSVM(hierarchy=TREE, norm="ssvm", lam=0.05),
    }.items():
        model.fit(X, y)
        print(f"{name:<22} accuracy {model.score(Z, z):.4f}, gap {model.certificate_.gap:.2g}, λ = {model.lam_:.3g}")
    best = model.predict_k_best(Z[:1], 3)[0]
    print("the three best of the first row:", [(str(node), round(score, 2)) for node, score in best], "- true:", z[0])
    return model.score(Z, z)


if __name__ == "__main__":
    assert main() > 0.25

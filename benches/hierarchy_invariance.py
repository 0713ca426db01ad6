#!/usr/bin/env python3
"""What becomes of models when nodes are duplicated (THESIS 6.5.2, Theorem 1): HSVM, and NHSVM as ρ falls to 1.

    cargo build --release
    python3 benches/hierarchy_invariance.py FOLDER [--seeds 3]

The unbalanced set of hierarchy_synthetic.py, smaller: 100 dimensions, 1,000 points to learn from and 5,000 to test on. Of each model λ is chosen on a
fifth of the training points, with each node there once. Then each inner node is there five times, one below the other, which says nothing new, and
the same λ is used again. What counts is how many predictions move. All are at a relative gap of 1e-4. Beside it, with no training: by how much the
summed α of the copies differ from the α of the node that they stand for, at most.
"""
import argparse
import json
import statistics
import subprocess
from pathlib import Path

from hierarchy_synthetic import ROOT, halving_tree, make, train, write_edges

DEPTH, COPIES = 10, 5
MODELS = {"flat": "--norm flat", "HSVM": "--norm hsvm"}
MODELS |= {f"NHSVM, rho={rho}": f"--norm nhsvm --alpha rho={rho}" for rho in ("2", "1.5", "1.2", "1.1", "1.05")}


def predictions(program, folder, model):
    command = [program, "predict", "--model", model, "--input", folder / "test.svm"]
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True).stdout.split()


def alphas(program, model):
    """α of each node by name; none where nothing is scaled."""
    found = json.loads(subprocess.run([str(program), "inspect", str(model), "--json"], capture_output=True, text=True, check=True).stdout)
    return dict(zip(found["labels"], found["alpha"])) if found.get("alpha") else {}


def moved_alpha(plain, copied):
    sums = {}
    for name, alpha in copied.items():
        original = name.split("copy")[0]
        sums[original] = sums.get(original, 0.0) + alpha
    return max((abs(alpha - sums[name]) for name, alpha in plain.items()), default=0.0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--program", default=ROOT / "target/release/maxmargin")
    settings = parser.parse_args()
    rows = {name: [] for name in MODELS}
    for seed in range(1, settings.seeds + 1):
        folder = settings.folder / f"invariance{seed}"
        make(folder, "unbalanced", seed, dimension=100, train=1000)
        write_edges(halving_tree(DEPTH, COPIES)[0], folder / "copied.txt")
        # Nodes that all labels have below them alone are no nodes: copies of the top one are kept by what is beside them.
        for name, flags in MODELS.items():
            once = train(settings.program, folder, flags, folder / "once", gap=1e-4)
            chosen = ["--lambda", once["lambda"]]
            again = train(settings.program, folder, flags, folder / "again", "copied.txt", gap=1e-4, more=chosen)
            before, after = (predictions(settings.program, folder, folder / model) for model in ("once", "again"))
            moved = sum(a != b for a, b in zip(before, after)) / len(before)
            of_alpha = moved_alpha(alphas(settings.program, folder / "once"), alphas(settings.program, folder / "again"))
            rows[name].append((100 * once["test"]["accuracy"], 100 * again["test"]["accuracy"], 100 * moved, of_alpha))
            print(seed, name, once["lambda"], once["gap"], again["gap"], rows[name][-1], flush=True)
    print("\n| | accuracy | with copies | predictions that move | largest change of summed α |\n| --- | --- | --- | --- | --- |")
    for name, values in rows.items():
        mean = [statistics.mean(column) for column in zip(*values)]
        change = f"{mean[3]:.4f}" if name.startswith("NHSVM") else ""
        print(f"| {name} | {mean[0]:.1f} % | {mean[1]:.1f} % | {mean[2]:.1f} % | {change} |")


if __name__ == "__main__":
    main()

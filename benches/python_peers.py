"""The Python package beside what it replaces: fit time, peak memory and the field's figure, each in a process of its own.

    MAXMARGIN_DATA=/path/to/data python benches/python_peers.py [--only chunking,mnist,…] [--seconds 900]

Needs maxmargin, scikit-learn, sklearn-crfsuite and hiclass; what is not installed is left out with a note. With the program named by
MAXMARGIN_PROGRAM, chunking and mnist are trained by it as well, on the same data.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import scipy.sparse

DATA = Path(os.environ.get("MAXMARGIN_DATA", "data"))


def lines(path):
    opened = gzip.open(path, "rt") if str(path).endswith(".gz") else open(path)
    with opened as file:
        yield from (line.rstrip("\n") for line in file)


# -- Data.


def sentences(name):
    """Tokens (word, part of speech) and chunk tags of each sentence."""
    tokens, tags = [], []
    for line in [*lines(DATA / "conll2000" / name), ""]:
        if line:
            word, pos, tag = line.split()
            tokens.append((word, pos))
            tags.append(tag)
        elif tokens:
            yield tokens, tags
            tokens, tags = [], []


def attributes(tokens):
    """The stock features of CRFsuite's example: words and tags around, and pairs and triples of them."""
    words = ["_", "_", *[word for word, _ in tokens], "_", "_"]
    poses = ["_", "_", *[pos for _, pos in tokens], "_", "_"]
    rows = []
    for t in range(2, len(tokens) + 2):
        row = [f"w[{d}]={words[t + d]}" for d in (-2, -1, 0, 1, 2)] + [f"w[-1]|w[0]={words[t - 1]}|{words[t]}", f"w[0]|w[1]={words[t]}|{words[t + 1]}"]
        row += [f"p[{d}]={poses[t + d]}" for d in (-2, -1, 0, 1, 2)]
        row += [f"p[{d}]|p[{d + 1}]={poses[t + d]}|{poses[t + d + 1]}" for d in (-2, -1, 0, 1)]
        row += [f"p[{d}]|p[{d + 1}]|p[{d + 2}]={poses[t + d]}|{poses[t + d + 1]}|{poses[t + d + 2]}" for d in (-2, -1, 0)]
        rows.append(row)
    return rows


def chunks(tags):
    found, start, kind = set(), None, None
    for t, tag in enumerate([*tags, "O"]):
        name = tag[2:]
        if start is not None and (tag[0] != "I" or name != kind):
            found.add((start, t, kind))
            start = None
        if tag[0] == "B" or tag[0] == "I" and start is None:
            start, kind = t, name
    return found


def chunk_f1(truth, predicted):
    pairs = [(chunks(a), chunks(b)) for a, b in zip(truth, predicted)]
    right = sum(len(a & b) for a, b in pairs)
    return 2 * right / sum(len(a) + len(b) for a, b in pairs)


def chunking():
    train, test = ([*sentences(name)] for name in ("train.txt.gz", "test.txt"))
    part = lambda data: ([attributes(tokens) for tokens, _ in data], [tags for _, tags in data])
    return part(train), part(test)


def mnist():
    def read(name, skip):
        with gzip.open(DATA / "mnist" / name, "rb") as file:
            return np.frombuffer(file.read(), np.uint8, offset=skip)

    part = lambda name: (read(f"{name}-images-idx3-ubyte.gz", 16).reshape(-1, 784), read(f"{name}-labels-idx1-ubyte.gz", 8))
    return part("train"), part("t10k")


def arff(path):
    names, rows = [], []
    for line in lines(path):
        if line.lower().startswith("@attribute"):
            names.append(line.split()[1])
        elif line and line[0] not in "@%":
            rows.append(line)
    return names, rows


def label_sets(name):
    def part(kind):
        names, rows = arff(DATA / name / f"{name}-{kind}.arff.gz")
        known = {line.split('"')[1] for line in lines(DATA / name / f"{name}.xml") if "<label name" in line}
        if rows[0].startswith("{"):
            table = scipy.sparse.lil_matrix((len(rows), len(names)))
            for i, row in enumerate(rows):
                for entry in filter(None, row.strip("{}").split(",")):
                    j, value = entry.split()
                    table[i, int(j)] = float(value)
            table = table.tocsc()
        else:
            table = np.array([row.split(",") for row in rows], dtype=float)
        of_labels = [j for j, name in enumerate(names) if name in known]
        others = [j for j, name in enumerate(names) if name not in known]
        X, Y = table[:, others], table[:, of_labels]
        return (X.tocsr(), Y.toarray().astype(int)) if scipy.sparse.issparse(table) else (X, Y.astype(int))

    return part("train"), part("test")


def news():
    from sklearn.datasets import load_svmlight_files
    from sklearn.feature_extraction.text import TfidfTransformer

    parent = dict(reversed(line.split()) for line in lines(DATA / "20news" / "hierarchy.txt"))
    names = [line.split()[1] for line in lines(DATA / "20news" / "labels.txt")]
    train, y, test, z = load_svmlight_files([DATA / "20news" / f"20news_{part}.svm.gz" for part in ("train", "test")])
    weigh = TfidfTransformer(sublinear_tf=True).fit(train)

    def path(name):
        above = [name]
        while parent.get(above[0], "root") != "root":
            above.insert(0, parent[above[0]])
        return above

    paths = [path(name) for name in names]
    depth = max(map(len, paths))
    levels = np.array([p + [""] * (depth - len(p)) for p in paths], dtype=object)
    return (weigh.transform(train), levels[y.astype(int)]), (weigh.transform(test), levels[z.astype(int)])


def diatoms():
    def part(kind):
        _, rows = arff(DATA / "diatoms" / f"Diatoms_{kind}.arff.gz")
        cells = [row.split(",") for row in rows]
        paths = [row[-1].split("/") for row in cells]
        # A node's name is its whole path, so that levels do not share names.
        levels = np.array([["-".join(p[: d + 1]) if d < len(p) else "" for d in range(3)] for p in paths], dtype=object)
        return np.array([row[:-1] for row in cells], dtype=float), levels

    (X, y), (Z, z) = part("train"), part("test")
    mean, scale = X.mean(axis=0), X.std(axis=0)
    scale[scale == 0] = 1
    return ((X - mean) / scale, y), ((Z - mean) / scale, z)


# -- Contestants: each returns (seconds of fit, figures).


def timed(fit):
    start = time.perf_counter(), sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
    fit()
    return {
        "fit_seconds": time.perf_counter() - start[0],
        "cpu_seconds": sum(resource.getrusage(resource.RUSAGE_SELF)[:2]) - start[1],
    }


def folder():
    """Where the program's data and models are."""
    return Path(os.environ.get("TMPDIR", "/tmp")) / "maxmargin-peers"


def beside_program(estimator, contest):
    """How many weights differ in any bit from those of the program, where it was trained just before."""
    file = folder() / f"{contest}.model"
    if not os.environ.get("MAXMARGIN_PROGRAM") or not file.exists():
        return {}
    ours, theirs = estimator.model_.weights, type(estimator).load(file).model_.weights
    return {"weights": len(ours), "other_bits": int(np.sum(ours.view(np.uint64) != theirs.view(np.uint64)))}


def run_chunking(which):
    (X, y), (Z, z) = chunking()
    if which == "maxmargin":
        from maxmargin import ChainSVM

        model = ChainSVM(lam=1e-4, n_threads=1)
        took = timed(lambda: model.fit(X, y))
        predicted = [list(tags) for tags in model.predict(Z)]
        took |= {"gap": model.certificate_.gap} | beside_program(model, "chunking")
    else:
        import sklearn_crfsuite

        how = {"sklearn-crfsuite lbfgs": {"algorithm": "lbfgs", "c2": 1.0, "max_iterations": 100}, "sklearn-crfsuite ap": {"algorithm": "ap", "max_iterations": 10}}
        model = sklearn_crfsuite.CRF(**how[which])
        took = timed(lambda: model.fit(X, y))
        predicted = model.predict(Z)
    return took | {"chunk_f1": chunk_f1(z, predicted)}


def run_mnist(which):
    (X, y), (Z, z) = mnist()
    if which.startswith("maxmargin"):
        from maxmargin import MulticlassSVM

        # The program stores what is mostly 0 as sparse rows, of bytes here.
        if which.endswith("csr"):
            X, Z = scipy.sparse.csr_matrix(X), scipy.sparse.csr_matrix(Z)
        model = MulticlassSVM(C=0.01, byte_scale=1 / 255, n_threads=1)
        took = timed(lambda: model.fit(X, y))
        took |= {"gap": model.certificate_.gap} | beside_program(model, "mnist")
    else:
        from sklearn.svm import LinearSVC

        model = LinearSVC(C=0.01, multi_class="crammer_singer", tol=1e-1)
        X, Z = X / 255, Z / 255
        took = timed(lambda: model.fit(X, y))
    return took | {"test_error": float(np.mean(model.predict(Z) != z))}


def run_sets(name, which):
    from sklearn.metrics import f1_score
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.multioutput import ClassifierChain
    from sklearn.svm import LinearSVC

    (X, Y), (Z, truth) = label_sets(name)
    if which.startswith("maxmargin"):
        from maxmargin import MultilabelSVM

        model = MultilabelSVM(n_threads=1, time_limit=600, **({"pairs": "none"} if "none" in which else {}))
    elif which == "OneVsRest":
        model = OneVsRestClassifier(LinearSVC())
    else:
        model = ClassifierChain(LinearSVC())
    took = timed(lambda: model.fit(X, Y))
    predicted = model.predict(Z)
    return took | {
        "micro_f1": f1_score(truth, predicted, average="micro"),
        "macro_f1": f1_score(truth, predicted, average="macro", zero_division=0),
        "hamming": float(np.mean(truth != predicted)),
    }


def run_tree(read, which):
    (X, y), (Z, z) = read()
    if which.startswith("maxmargin"):
        from maxmargin import HierarchicalSVM

        model = HierarchicalSVM(n_threads=1, time_limit=600, norm="nhsvm")
    else:
        import hiclass
        from sklearn.linear_model import LogisticRegression
        from sklearn.svm import LinearSVC

        # Those of nodes are compared by their probabilities.
        if "PerNode" in which:
            model = hiclass.LocalClassifierPerNode(local_classifier=LogisticRegression(max_iter=1000))
        else:
            model = hiclass.LocalClassifierPerParentNode(local_classifier=LinearSVC())
    took = timed(lambda: model.fit(X, y))
    predicted = np.asarray(model.predict(Z)).astype(str)
    truth = np.asarray(z).astype(str)
    nodes = lambda rows: [{"/".join(row[: d + 1]) for d in range(len(row)) if row[d]} for row in rows]
    pairs = list(zip(nodes(truth), nodes(predicted)))
    return took | {
        "accuracy": float(np.mean([a == b for a, b in pairs])),
        "hierarchical_f1": 2 * sum(len(a & b) for a, b in pairs) / sum(len(a) + len(b) for a, b in pairs),
    }


def versions():
    """The versions of what is compared, and what it runs on."""
    from importlib.metadata import PackageNotFoundError, version

    found = []
    for name in ("maxmargin", "numpy", "scipy", "scikit-learn", "sklearn-crfsuite", "python-crfsuite", "hiclass"):
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            found.append(f"no {name}")
    return f"Python {sys.version.split()[0]}, " + ", ".join(found)


CONTESTS = {
    "chunking": (["maxmargin", "sklearn-crfsuite ap", "sklearn-crfsuite lbfgs"], run_chunking),
    "mnist": (["maxmargin", "maxmargin csr", "LinearSVC"], run_mnist),
    "yeast": (["maxmargin", "maxmargin none", "OneVsRest", "ClassifierChain"], lambda which: run_sets("yeast", which)),
    "bibtex": (["maxmargin none", "OneVsRest", "ClassifierChain"], lambda which: run_sets("bibtex", which)),
    "20news": (["maxmargin", "hiclass PerNode", "hiclass PerParentNode"], lambda which: run_tree(news, which)),
    "diatoms": (["maxmargin", "hiclass PerNode", "hiclass PerParentNode"], lambda which: run_tree(diatoms, which)),
}


def arguments_of_program(contest):
    """What the program is to train on: the same data, written out where no file has it."""
    if contest == "chunking":
        (X, y), _ = chunking()
        file = folder() / "chunking.crfsuite"
        with open(file, "w") as out:
            for rows, tags in zip(X, y):
                for row, tag in zip(rows, tags):
                    escaped = [name.replace("\\", "\\\\").replace(":", "\\:") for name in row]
                    out.write("\t".join([tag, *escaped]) + "\n")
                out.write("\n")
        return ["chain", "--train", str(file), "--lambda", "1e-4"]
    return ["multiclass", "--train", str(DATA / "mnist" / "train-images-idx3-ubyte.gz"), "--c-sum", "0.01"]


def by_program(contest, program):
    """The program on the same data, reading included. The data is written by a process of its own: this one stays small, since Linux
    counts what a process had before it became the program to the peak of that."""
    folder().mkdir(exist_ok=True)
    prepared = subprocess.run([sys.executable, __file__, "--prepare", contest], capture_output=True, text=True, check=True)
    command = [program, "train", *json.loads(prepared.stdout), "--model", str(folder() / f"{contest}.model"), "--threads", "1", "--quiet"]
    start = time.perf_counter()
    _, status, used = os.wait4(subprocess.Popen(command).pid, 0)
    if status != 0:
        return {"note": f"the program ended with {status}"}
    return {
        "fit_seconds": time.perf_counter() - start,
        "cpu_seconds": used.ru_utime + used.ru_stime,
        "peak_mb": used.ru_maxrss / 1024,
    }


def peak_mb():
    """The most memory that this process had."""
    try:
        lines_of_status = Path("/proc/self/status").read_text().splitlines()
        return next(int(line.split()[1]) / 1024 for line in lines_of_status if line.startswith("VmHWM:"))
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=",".join(CONTESTS))
    parser.add_argument("--seconds", type=float, default=900)
    parser.add_argument("--one", nargs=2)
    parser.add_argument("--prepare")
    arguments = parser.parse_args()
    if arguments.one:
        contest, which = arguments.one
        figures = CONTESTS[contest][1](which)
        figures["peak_mb"] = peak_mb()
        print(json.dumps(figures))
        return
    if arguments.prepare:
        print(json.dumps(arguments_of_program(arguments.prepare)))
        return
    print(versions())
    print(f"{'data':<10} {'who':<24} {'fit s':>8} {'cpu s':>8} {'peak MB':>8}  figures")
    for contest in arguments.only.split(","):
        program = os.environ.get("MAXMARGIN_PROGRAM")
        results = []
        if program and contest in ("chunking", "mnist"):
            results.append(("the program", by_program(contest, program)))
        for which in CONTESTS[contest][0]:
            command = [sys.executable, "-W", "ignore", __file__, "--one", contest, which]
            try:
                done = subprocess.run(command, capture_output=True, text=True, timeout=arguments.seconds)
            except subprocess.TimeoutExpired:
                results.append((which, {"note": f"not through after {arguments.seconds:g} s"}))
                continue
            results.append((which, json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 else {"note": done.stderr.strip().splitlines()[-1]}))
        for which, figures in results:
            shown = "  ".join(f"{name} {value:.4g}" for name, value in figures.items() if name not in ("fit_seconds", "cpu_seconds", "peak_mb", "note"))
            numbers = " ".join(f"{figures.get(name, float('nan')):8.1f}" for name in ("fit_seconds", "cpu_seconds", "peak_mb"))
            print(f"{contest:<10} {which:<24} {numbers}  {figures.get('note', shown)}", flush=True)


if __name__ == "__main__":
    main()

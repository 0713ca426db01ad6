"""Promise: the same data and settings give the program's weights, bit for bit, and model files go both ways."""

import struct
import subprocess

import numpy as np
import pytest

from maxmargin import ChainSVM, HierarchicalSVM, MatchingSVM, MulticlassSVM, MultilabelSVM, SegmentationSVM


def run(program, *arguments):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def same(a, b):
    assert a.coef_.keys() == b.coef_.keys()
    for name, block in a.coef_.items():
        assert np.array_equal(block.view(np.uint64), b.coef_[name].view(np.uint64)), name
    assert a.certificate_ == b.certificate_


def write_idx(path, array):
    with open(path, "wb") as file:
        file.write(struct.pack(">HBB", 0, 8, array.ndim) + struct.pack(f">{array.ndim}I", *array.shape) + array.tobytes())


def test_pixels(program, tmp_path):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 5, 300).astype(np.uint8)
    X = rng.integers(0, 256, (300, 4, 4)).astype(np.uint8)
    X[np.arange(300), y % 4, y % 4] = 255
    write_idx(tmp_path / "train-images-idx3-ubyte", X)
    write_idx(tmp_path / "train-labels-idx1-ubyte", y)
    model = tmp_path / "pixels.model"
    run(program, "train", "multiclass", "--train", tmp_path / "train-images-idx3-ubyte", "--model", model, "--c-sum", "0.1", "--gap", "1e-6")
    rows = X.reshape(300, -1)
    ours = MulticlassSVM(C=0.1, gap=1e-6, byte_scale=1 / 255).fit(rows, y)
    theirs = MulticlassSVM.load(model)
    same(ours, theirs)
    assert theirs.byte_scale == 1 / 255
    assert np.array_equal(theirs.predict(rows), ours.predict(rows))
    ours.save(tmp_path / "ours.model")
    printed = run(program, "predict", "--model", tmp_path / "ours.model", "--input", tmp_path / "train-images-idx3-ubyte")
    assert [int(line) for line in printed.split()] == ours.predict(rows).tolist()


def write_crfsuite(path, X, y):
    lines = ["\n".join("\t".join([tag, *attributes]) for attributes, tag in zip(*example)) for example in zip(X, y)]
    path.write_text("\n\n".join(lines) + "\n\n")


@pytest.mark.parametrize("more", [{}, {"surrogate": "slack"}, {"loss": "hamming-mean"}, {"order": 2}, {"no_boundary": True}])
def test_sequences(program, tmp_path, words, more):
    X, y = words
    write_crfsuite(tmp_path / "words.crfsuite", X, y)
    model = tmp_path / "words.model"
    flags = []
    for name, value in more.items():
        flags += [f"--{name.replace('_', '-')}"] + ([] if value is True else [str(value)])
    run(program, "train", "chain", "--train", tmp_path / "words.crfsuite", "--model", model, "--lambda", "0.01", "--gap", "1e-4", *flags)
    ours = ChainSVM(lam=0.01, gap=1e-4, **more).fit(X, y)
    theirs = ChainSVM.load(model)
    same(ours, theirs)
    ours.save(tmp_path / "ours.model")
    printed = run(program, "predict", "--model", tmp_path / "ours.model", "--input", tmp_path / "words.crfsuite")
    assert printed.split() == [tag for tags in ours.predict(X) for tag in tags]
    assert theirs.score(X, y) == ours.score(X, y)


def test_lambda_is_chosen_alike(program, tmp_path, words):
    X, y = words
    write_crfsuite(tmp_path / "words.crfsuite", X, y)
    run(program, "train", "chain", "--train", tmp_path / "words.crfsuite", "--model", tmp_path / "words.model")
    ours = ChainSVM().fit(X, y)
    same(ours, ChainSVM.load(tmp_path / "words.model"))
    assert len(ours.tried_lambdas_) > 1


def test_segments(program, tmp_path, words):
    X, _ = words
    tags = [["B-NP" if a[0] in ("w=the", "w=a") else "I-NP" if a[0] in ("w=dog", "w=cat") and i and x[i - 1][0] in ("w=the", "w=a") else "O" for i, a in enumerate(x)] for x in X]
    write_crfsuite(tmp_path / "chunks.crfsuite", X, tags)
    run(program, "train", "segmentation", "--train", tmp_path / "chunks.crfsuite", "--model", tmp_path / "s.model", "--lambda", "0.01")
    ours = SegmentationSVM(lam=0.01).fit(X, tags)
    same(ours, SegmentationSVM.load(tmp_path / "s.model"))
    assert ours.score(X, tags) > 0.9


def test_label_sets(program, tmp_path):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(150, 6))
    Y = (X @ rng.normal(size=(6, 4)) + 0.3 * rng.normal(size=(150, 4)) > 0).astype(int)
    header = ["@relation made"] + [f"@attribute x{j} numeric" for j in range(6)] + [f"@attribute y{k} {{0,1}}" for k in range(4)]
    rows = [",".join([*(repr(float(v)) for v in x), *map(str, labels)]) for x, labels in zip(X, Y)]
    (tmp_path / "made.arff").write_text("\n".join([*header, "@data", *rows]) + "\n")
    run(program, "train", "multilabel", "--train", tmp_path / "made.arff", "--label-columns", "y0,y1,y2,y3", "--model", tmp_path / "m.model", "--lambda", "0.01", "--gap", "1e-4")
    ours = MultilabelSVM(lam=0.01, gap=1e-4).fit(X, Y)
    theirs = MultilabelSVM.load(tmp_path / "m.model")
    same(ours, theirs)


def test_matchings(program, tmp_path):
    rng = np.random.default_rng(2)
    graphs, links, lines = [], [], []
    for _ in range(30):
        left, right = rng.integers(2, 5, 2)
        features = rng.normal(size=(left, right, 3))
        truth = [(i, i) for i in range(min(left, right))]
        for i, j in truth:
            features[i, j, 0] += 2
        graphs.append(features)
        links.append(truth)
        for i in range(left):
            for j in range(right):
                values = " ".join(f"f{k}:{float(features[i, j, k])!r}" for k in range(3))
                lines.append(f"{i} {j} {'sure' if (i, j) in truth else 'none'} {values}")
        lines.append("")
    (tmp_path / "graphs.edges").write_text("\n".join(lines) + "\n")
    run(program, "train", "matching", "--train", tmp_path / "graphs.edges", "--model", tmp_path / "g.model", "--lambda", "0.01")
    named = [([{f"f{k}": float(v) for k, v in enumerate(edge)} for row in graph for edge in row], [(i, j) for i in range(len(graph)) for j in range(len(graph[0]))]) for graph in graphs]
    ours = MatchingSVM(lam=0.01).fit(named, links)
    same(ours, MatchingSVM.load(tmp_path / "g.model"))
    assert ours.score(named, links) > 0.8
    dense = MatchingSVM(lam=0.01).fit(graphs, links)
    assert dense.predict(graphs) == ours.predict(named)


def test_hierarchies(program, tmp_path):
    rng = np.random.default_rng(3)
    names = ["a/b", "a/c", "d/e", "d/f"]
    y = rng.integers(0, 4, 120)
    X = rng.normal(size=(120, 4)) + 2 * np.eye(4)[y]
    rows = [",".join([*(repr(float(v)) for v in x), names[label]]) for x, label in zip(X, y)]
    (tmp_path / "tree.csv").write_text("\n".join(["x0,x1,x2,x3,label", *rows]) + "\n")
    run(program, "train", "hierarchy", "--train", tmp_path / "tree.csv", "--label-columns", "label", "--model", tmp_path / "h.model", "--lambda", "0.01", "--norm", "nhsvm")
    ours = HierarchicalSVM(lam=0.01, norm="nhsvm").fit(X, [names[label] for label in y])
    theirs = HierarchicalSVM.load(tmp_path / "h.model")
    same(ours, theirs)
    edges = HierarchicalSVM(lam=0.01, norm="nhsvm", hierarchy={"a": ["a/b", "a/c"], "d": ["d/e", "d/f"]})
    same(edges.fit(X, [names[label] for label in y]), theirs)

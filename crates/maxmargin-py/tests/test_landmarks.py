"""Promise: landmarks from Python are those of the program: the same weights, points and figures; bad pictures and points are named."""

import json
import subprocess

import numpy as np
import pytest

from maxmargin import LandmarkSVM
from maxmargin.landmarks import drawn_faces

SMALL = {"lam": 1.0, "gap": 0.05, "frame": 24, "template": "5,3"}
FLAGS = ["--lambda", "1", "--gap", "0.05", "--frame", "24", "--template", "5,3"]


@pytest.fixture(scope="module")
def faces():
    return drawn_faces(60, 1)


@pytest.fixture(scope="module")
def svm(faces):
    X, y, names = faces
    return LandmarkSVM(point_names=names, **SMALL).fit(X, y)


def write(folder, X, y, names):
    """A table with pictures beside it, as the program reads it."""
    lines = [",".join(["file,left,top,width,height", *(f"{name}_{axis}" for name in names for axis in "xy")])]
    for number, ((picture, box), points) in enumerate(zip(X, y)):
        (folder / f"{number}.pgm").write_bytes(b"P5 %d %d 255\n" % picture.shape[::-1] + picture.tobytes())
        lines.append(",".join([f"{number}.pgm", *(repr(float(value)) for value in [*box, *points.ravel()])]))
    table = folder / "faces.csv"
    table.write_text("\n".join(lines) + "\n")
    return table


def run(program, *arguments):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def same(a, b):
    assert a.certificate_ == b.certificate_ and a.coef_.keys() == b.coef_.keys()
    for name, block in a.coef_.items():
        assert np.array_equal(block.view(np.uint64), b.coef_[name].view(np.uint64)), name


def test_the_program_agrees(program, tmp_path, faces, svm):
    X, y, names = faces
    table = write(tmp_path, X, y, names)
    run(program, "train", "landmarks", "--train", table, "--model", tmp_path / "faces.model", *FLAGS)
    theirs = LandmarkSVM.load(tmp_path / "faces.model")
    same(svm, theirs)
    same(svm, LandmarkSVM(**SMALL).fit(table))
    assert theirs.point_names_ == svm.point_names_ == names
    new, truth, _ = drawn_faces(20, 2)
    (tmp_path / "new").mkdir()
    table = write(tmp_path / "new", new, truth, names)
    svm.save(tmp_path / "ours.model")
    lines = run(program, "predict", "--model", tmp_path / "ours.model", "--input", table).splitlines()
    printed = [[point.split("=")[1].split(",") for point in line.split("\t")[1].split(" ")] for line in lines]
    assert np.array_equal(np.array(printed, dtype=float), svm.predict(new))
    assert np.array_equal(theirs.predict(table), svm.predict(new))
    figures = json.loads(run(program, "eval", "--model", tmp_path / "ours.model", "--data", table, "--json"))
    assert all(figures[name] == value for name, value in svm.evaluate(new, truth).items())
    assert svm.evaluate(table) == svm.evaluate(new, truth) and svm.score(table) == figures["points_found"]


def test_faces_come_in_many_forms(tmp_path, faces, svm):
    X, y, names = faces
    write(tmp_path, X, y, names)
    points = svm.predict(X[:4])
    assert points.shape == (4, 8, 2) and svm.score(X, y) > 0.9
    coloured = [(np.stack([picture] * 3, axis=2), box) for picture, box in X[:4]]
    files = [(tmp_path / f"{number}.pgm", box) for number, (_, box) in enumerate(X[:4])]
    same(svm, LandmarkSVM(point_names=names, **SMALL).fit([(picture.copy(order="F"), list(box)) for picture, box in X], y.tolist()))
    for form in (coloured, files, [(str(file), box) for file, box in files]):
        assert np.array_equal(svm.predict(form), points)
    # Pictures that are all face: an array of them, and their files.
    whole = svm.predict(np.stack([picture for picture, _ in X[:4]]))
    assert np.array_equal(whole, svm.predict([file for file, _ in files]))
    assert np.array_equal(whole, svm.predict([(picture, None) for picture, _ in X[:4]]))
    numbered = LandmarkSVM(normaliser="box", **SMALL).fit(X, y)
    assert numbered.point_names_ == [str(number) for number in range(1, 9)]


def test_how_sure_points_are(faces, svm):
    X, _, _ = faces
    best = svm.predict_k_best(X[:3], 2)
    assert np.array_equal([labels[0][0] for labels in best], svm.predict(X[:3]))
    assert all(labels[0][1] >= labels[1][1] for labels in best)
    assert np.allclose(svm.decision_function(X[:3]), [labels[0][1] for labels in best])
    assert all(sure.shape == (8,) and (sure >= 0).all() for sure in svm.confidence(X[:3]))
    assert svm.coef_["appearance"].shape == (8 * (25 + 9), 256) and svm.coef_["deformation"].shape == (7, 4)


PICTURE = np.full((40, 40), 128, dtype=np.uint8)
POINTS = [[[10.0, 10.0], [20.0, 30.0]]]


@pytest.mark.parametrize(
    ("X", "y", "more", "about"),
    [
        ([PICTURE], None, {}, "y: points are needed"),
        ([], np.zeros((0, 2, 2)), {}, "X: there are no faces"),
        ([PICTURE.astype(float)], POINTS, {}, "X: the picture of face 0 has pixels of float64"),
        ([PICTURE[0]], POINTS, {}, "X: the picture of face 0 has 1 dimensions"),
        ([PICTURE[:0]], POINTS, {}, "X: face 0: 0 pixels"),
        ([(PICTURE, (0, 0, 10))], POINTS, {}, "X: the box of face 0"),
        ([(PICTURE, (0, 0, 10, float("nan")))], POINTS, {}, "X: face 0: a box of"),
        ([(PICTURE, (50, 0, 10, 10))], POINTS, {}, "X: face 0: the box at"),
        ([(PICTURE, (0, 0, 9, 9), 3)], POINTS, {}, "X: face 0 is a tuple of 3"),
        ([PICTURE], [[10.0, 10.0]], {}, "y: its shape is"),
        ([PICTURE], POINTS * 2, {}, "y: points of 2 faces"),
        ([PICTURE], [[["a", "b"]]], {}, "y: an array of numbers"),
        ([PICTURE], np.full((1, 2, 2), np.nan), {}, "y: face 0: the point"),
        ([PICTURE], [[[10.0, 10.0], [20.0, 60.0]]], {}, "y: face 0: the point mouth"),
        ([PICTURE], [[[10.0, 10.0], [10.0, 10.0]]], {}, "y: face 0: the points that distances"),
        ([PICTURE], POINTS, {"point_names": ["eye"]}, "point_names: 1 names"),
        ([PICTURE], POINTS, {"point_names": ["eye", "eye"]}, "point_names: two points"),
        ([PICTURE], POINTS, {"point_names": None}, "normaliser"),
        ([PICTURE], POINTS, {"frame": 3}, "frame"),
        (["nowhere.csv"], None, {}, "nowhere"),
        ("nowhere.csv", POINTS, {}, "y: the points are in the file"),
    ],
)
def test_what_is_no_face_is_named(X, y, more, about):
    with pytest.raises((ValueError, OSError), match=about):
        LandmarkSVM(**{"lam": 1.0, "point_names": ["eye", "mouth"]} | more).fit(X, y)

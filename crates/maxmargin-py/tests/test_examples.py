"""Promise: the examples run, and what they show holds."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).resolve().parents[3] / "examples" / "python"
EXAMPLES = sorted(FOLDER.glob("*.py"))


@pytest.mark.skipif(not EXAMPLES, reason="the examples are not here")
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(path, tmp_path):
    if path.stem == "multilabel":
        pytest.importorskip("sklearn")
    done = subprocess.run([sys.executable, path], capture_output=True, text=True, cwd=tmp_path, env=os.environ | {"MPLBACKEND": "Agg"})
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(not EXAMPLES, reason="the examples are not here")
def test_the_ranking_keeps_its_word(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    import own_structure
    from maxmargin import check_structure

    rng = np.random.default_rng(0)
    inputs, labels = [], []
    for i in range(12):
        relevant = np.array([True, False, False, True])[: 3 + i % 2]
        items = rng.integers(-2, 3, (len(relevant), 2)).astype(float) if i % 2 else rng.normal(size=(len(relevant), 2))
        inputs.append((items, relevant))
        labels.append(own_structure.truth(relevant))
    check_structure(own_structure.Ranking(2), inputs, labels, all_orders)


def all_orders(x):
    """The labels of all orders of the items, each once."""
    import itertools

    _, relevant = x
    seen = {}
    for order in itertools.permutations(range(len(relevant))):
        place = {item: rank for rank, item in enumerate(order)}
        good, others = np.flatnonzero(relevant), np.flatnonzero(~relevant)
        above = np.array([sum(place[j] < place[i] for j in others) for i in good])
        below = np.array([sum(place[i] > place[j] for i in good) for j in others])
        seen[tuple(above), tuple(below)] = (above, below)
    return list(seen.values())

"""Where the program is, for tests that compare with it."""

import os
import shutil
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def program():
    """The path of the program maxmargin: `MAXMARGIN_PROGRAM`, the one that cargo has built, or the one that is installed."""
    built = Path(__file__).resolve().parents[3] / "target" / "release" / "maxmargin"
    for path in (os.environ.get("MAXMARGIN_PROGRAM"), built, shutil.which("maxmargin")):
        if path and Path(path).exists():
            return str(path)
    pytest.skip("the program is not there: build it with `cargo build --release`, or name it with MAXMARGIN_PROGRAM")


@pytest.fixture(scope="session")
def words():
    """Sentences with a tag for each word, made up: (attributes, tags)."""
    import numpy as np

    rng = np.random.default_rng(0)
    lexicon = {"D": ["the", "a"], "N": ["dog", "cat", "run"], "V": ["run", "sees", "eats"]}
    patterns = ["DNV", "DNVDN", "NV", "NVDN"]
    X, y = [], []
    for _ in range(80):
        tags = list(patterns[rng.integers(len(patterns))])
        tokens = [lexicon[tag][rng.integers(len(lexicon[tag]))] for tag in tags]
        before = ["<s>", *tokens[:-1]]
        X.append([[f"w={token}", f"p={last}"] for token, last in zip(tokens, before)])
        y.append(tags)
    return X, y

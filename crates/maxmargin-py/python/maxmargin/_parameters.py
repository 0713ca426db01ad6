"""The parameters of estimators, made of what the engine says of settings and of a task's options.

Names and defaults are those of the program: hyphens become underscores, `--lambda` is `lam` (a word of Python) and `--c-sum` is `C`.
"""

from __future__ import annotations

import inspect
import os
import tempfile
from collections.abc import Mapping
from typing import Any

from . import _engine

__all__ = ["option_values", "options_of", "parameters", "settings_of", "describe"]

#: What estimators have beside settings and options: name, default, what it is.
OWN: list[tuple[str, Any, str]] = [
    ("byte_scale", 1.0, "What 1 is worth where X has bytes (uint8); 1/255 for pixels, as the program reads them."),
    ("random_state", None, "The seed of everything random: a number, or a generator of NumPy; None is 0."),
    ("n_threads", None, "The number of threads; all cores when None. The model is the same for any number."),
    ("warm_start", False, "Whether `fit` starts from the weights that are there."),
    ("verbose", False, "Whether to show progress, by tqdm where it is installed."),
    ("callback", None, "Called with a dict after each pass; true ends training with the model so far."),
]

SETTINGS: list[tuple[str, str]] = [
    ("lam", "λ of the objective λ/2 |w|² + 1/n Σ H_i(w). Chosen by validation where none of lam, C and C_mean is given."),
    ("C", "C of ½ |w|² + C · Σ H_i(w): λ = 1/(C·n)."),
    ("C_mean", "C of ½ |w|² + C · 1/n Σ H_i(w): λ = 1/C."),
    ("folds", "Folds in which λ is chosen; by the number of examples when None."),
    ("surrogate", "How margin error and loss are combined: margin, slack, beta=B, general=A,B, log, prob, prob-convex or micro-f1."),
    ("search", "How the most violated label is found: auto, stratified, hull, hull-fractional, angular, bisecting, binary or sarawagi."),
    ("loss_step", "Costs are rounded down to multiples of this in the stratified search."),
    ("solver", "The solver: auto, or one by name."),
    ("groups", "The number of cutting-plane models of p-bmrm and prox-p-bmrm."),
    ("gap", "Training ends at this relative gap."),
    ("max_passes", "The most passes over the data."),
    ("time_limit", "The most seconds, the choice of λ included."),
    ("single_precision", "Whether to keep weights in single precision, with a certificate for the rounded ones."),
    ("standardize", "Whether to divide columns by their standard deviation, and to centre dense ones."),
    ("center", "Whether to subtract the mean of each column, of sparse data too."),
    ("log_counts", "Whether to take 1 + ln of counts."),
    ("tf_idf", "Whether to multiply columns by their inverse document frequency."),
    ("normalize", "Whether to divide rows by their length, at the end."),
]

#: Settings that only some tasks have.
SPECIAL: dict[str, tuple[set[str], str]] = {
    "background": ({"multiclass", "chain", "segmentation"}, 'Micro-F1: the label that is in no set; "none" for none.'),
    "tune_threshold": ({"multilabel"}, "Tunes thresholds for this metric, micro_f1 or macro_f1, on examples that are held out."),
}

#: What the estimators of one task have besides.
OWN_OF: dict[str, list[tuple[str, Any, str]]] = {
    "landmarks": [("point_names", None, "What points are called, in the order of y; their numbers, from 1, when None.")],
}

TASKS: dict[str, Any] = _engine.tasks()
DEFAULTS: dict[str, Any] = _engine.default_settings()


def _default(text: str | None, is_switch: bool) -> Any:
    """A default as Python has it."""
    if is_switch:
        return False
    if text is None:
        return None
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def options_of(task: str) -> list[dict[str, Any]]:
    """The options of a task that have nothing to do with files of data."""
    return [option for option in TASKS[task]["options"] if not option["is_read"]]


def describe(task: str) -> list[tuple[str, Any, str]]:
    """All parameters of a task's estimator: name, default and what it does."""
    described = [(name, DEFAULTS[name], text) for name, text in SETTINGS]
    described += [(name, DEFAULTS[name], text) for name, (tasks, text) in SPECIAL.items() if task in tasks]
    for option in options_of(task):
        text = f"{option['help']}. {option['more']}".strip()
        described.append((option["name"], _default(option["default"], option["value"] is None), text))
    return described + OWN_OF.get(task, []) + OWN


def parameters(task: str) -> list[inspect.Parameter]:
    """The same as parameters of a function."""
    kind = inspect.Parameter.KEYWORD_ONLY
    return [inspect.Parameter(name, kind, default=default) for name, default, _ in describe(task)]


def settings_of(estimator: Any) -> dict[str, Any]:
    """What the settings of an estimator are."""
    settings = {name: getattr(estimator, name) for name, _ in SETTINGS}
    settings |= {name: getattr(estimator, name) for name in SPECIAL if hasattr(estimator, name)}
    settings["seed"] = seed_of(estimator.random_state)
    return settings


def seed_of(random_state: Any) -> int:
    """A seed from whatever scikit-learn takes for one."""
    if random_state is None:
        return 0
    if hasattr(random_state, "randint"):
        return int(random_state.randint(0, 2**31 - 1))
    if hasattr(random_state, "integers"):
        return int(random_state.integers(0, 2**31 - 1))
    try:
        seed = int(random_state)
    except (TypeError, ValueError):
        raise ValueError(f"random_state: {random_state!r} is no seed") from None
    if seed < 0:
        raise ValueError(f"random_state: {seed} is negative")
    return seed


def option_values(estimator: Any, task: str, own: frozenset[str], files: list[str]) -> dict[str, list[str]]:
    """What differs from the defaults, as the engine takes it, beside what the estimator handles itself. Tables of costs and weights become files for as long as it takes."""
    given: dict[str, list[str]] = {}
    for option in options_of(task):
        value = getattr(estimator, option["name"])
        is_switch = option["value"] is None
        if option["option"] in own or value is None or value == _default(option["default"], is_switch):
            continue
        if is_switch:
            if not isinstance(value, (bool, int)):
                raise ValueError(f"{option['name']}: {value!r} is neither True nor False")
            if value:
                given[option["option"]] = []
        elif isinstance(value, Mapping):
            path = _table(option["name"], value)
            files.append(path)
            given[option["option"]] = [f"cost={path}" if option["name"] == "loss" else path]
        elif isinstance(value, (list, tuple)):
            given[option["option"]] = [",".join(str(part) for part in value)]
        else:
            given[option["option"]] = [str(value)]
    return given


def _table(name: str, table: Mapping[Any, Any]) -> str:
    """A file of lines `label weight`, or `truth predicted cost`."""
    lines = []
    for key, value in table.items():
        labels = [str(label) for label in (key if isinstance(key, tuple) else (key,))]
        if any(not label or any(c.isspace() for c in label) for label in labels):
            raise ValueError(f"{name}: the label {key!r} has a blank in it; give a file")
        lines.append(" ".join([*labels, repr(float(value))]))
    descriptor, path = tempfile.mkstemp(suffix=".txt", prefix="maxmargin-")
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    return path

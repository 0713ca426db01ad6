#!/usr/bin/env python3
"""Compares maxmargin with python-crfsuite and LIBLINEAR on the same data; README.md beside it tells how and what.

Every training is a process of its own, on one thread. What it used is what the kernel says when it ends: CPU seconds
(user and system), wall seconds and peak memory. The trainings of a problem take turns, and a figure is the median over
the turns, a ratio the median of the turns' ratios, so that a machine that is busy now and then spoils neither.
"""

import argparse
import filecmp
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import venv
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
RELEASE = HERE.parents[1] / "target" / "release"
PACKAGES = ["python-crfsuite", "liblinear-official"]
ONE_THREAD = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


@dataclass
class Run:
    """What one process used, and the JSON object that it printed."""

    cpu: float
    wall: float
    peak_mb: float
    printed: dict


def run(command):
    with tempfile.TemporaryDirectory() as folder:
        figures, output, errors = (Path(folder) / name for name in ("figures", "output", "errors"))
        command = [str(part) for part in command]
        with open(output, "wb") as out, open(errors, "wb") as err:
            subprocess.run([sys.executable, "-I", "-S", HERE / "measure.py", figures, *command],
                           stdout=out, stderr=err, env=ONE_THREAD, check=True)
        cpu, wall, peak_mb, status = map(float, figures.read_text().split())
        if status != 0:
            sys.exit(f"{' '.join(command)}\nfailed:\n{errors.read_text()}")
        text = output.read_text()
    return Run(cpu, wall, peak_mb, json.loads(text) if text.startswith("{") else {})


@dataclass
class Contestant:
    """A way to train a model for a problem, and what came of it."""

    tool: str
    how: str
    command: list
    model: Path
    test: list  # the arguments that name the test data
    twin: "Contestant | None" = None  # the same training on one thread
    runs: list = field(default_factory=list)
    scores: dict = field(default_factory=dict)

    @property
    def name(self):
        return f"{self.tool}, {self.how}"

    def median(self, figure):
        return statistics.median(figure(run) for run in self.runs)

    def times(self, other, figure):
        """How many times as much of something this one used as the other."""
        return statistics.median(figure(mine) / figure(theirs) for mine, theirs in zip(self.runs, other.runs))


class Bench:
    """Where things are, how each tool is called, and the problems."""

    def __init__(self, options):
        self.work = Path(options.work or tempfile.mkdtemp(prefix="maxmargin-others-")).resolve()
        self.data, self.maxmargin, self.attributes = options.data, options.maxmargin, options.attributes
        self.solver = options.solver
        self.problem = None
        environment = self.work / "venv"
        self.python = environment / "bin" / "python"
        if not self.python.exists():
            venv.create(environment, with_pip=True)
        subprocess.run([self.python, "-m", "pip", "install", "--quiet", *PACKAGES], check=True)

    def versions(self):
        listed = subprocess.check_output([self.python, "-m", "pip", "list", "--format=json"], text=True)
        theirs = {package["name"]: package["version"] for package in json.loads(listed) if package["name"] in PACKAGES}
        ours = subprocess.check_output([self.maxmargin, "--version"], text=True).split()[-1]
        return {"maxmargin": ours, **theirs, "Python": platform.python_version()}

    def ours(self, how, task, train, options, test, threads=1, twin=None):
        how += f", {threads} threads" if threads > 1 else ""
        model = self.model("maxmargin", how)
        command = [self.maxmargin, "train", task, "--train", *train, *options, "--solver", self.solver]
        command += ["--threads", threads, "--model", model, "--json", "--quiet"]
        return Contestant("maxmargin", how, command, model, test, twin)

    def ours_on_one_and_two(self, *arguments):
        one = self.ours(*arguments)
        return [one, self.ours(*arguments, threads=2, twin=one)]

    def crfsuite(self, how, train, options, test):
        model = self.model("crfsuite", how)
        command = [self.python, HERE / "chains.py", "train", *train, *options, "--model", model]
        return Contestant("python-crfsuite", how, command, model, test)

    def liblinear(self, options, test):
        model = self.model("liblinear", options)
        command = [self.python, HERE / "digits.py", "train", test[0], f"--options={options}", "--model", model]
        return Contestant("LIBLINEAR", f"`{options}`", command, model, test)

    def model(self, tool, how):
        return self.work / f"{self.problem}-{tool}-{''.join(c for c in how if c.isalnum() or c in '-.')}.model"

    def letters_small(self):
        """OCR letters: trained on fold 0, tested on folds 1–9, C-sum 0.1"""
        data = self.data / "letters" / "letter.data.gz"
        train, test = [data, "--folds", "0"], [data, "--folds", "1-9"]
        options = ["--no-bias", "--no-boundary", "--loss", "hamming", "--lambda", 1 / 62.6, "--gap"]
        return [
            *self.ours_on_one_and_two("gap 1e-3", "chain", train, [*options, "1e-3"], test),
            self.crfsuite("lbfgs", train, ["--set=feature.possible_transitions=1"], test),
        ]

    def letters_large(self):
        """OCR letters: trained on folds 1–9, tested on fold 0, C-sum 1"""
        data = self.data / "letters" / "letter.data.gz"
        train, test = [data, "--folds", "1-9"], [data, "--folds", "0"]
        options = ["--loss", "hamming-mean", "--lambda", 1 / 6251, "--gap"]
        return [
            *self.ours_on_one_and_two("gap 1e-2", "chain", train, [*options, "1e-2"], test),
            *self.ours_on_one_and_two("gap 1e-3", "chain", train, [*options, "1e-3"], test),
            self.crfsuite("lbfgs", train, ["--set=feature.possible_transitions=1"], test),
        ]

    def chunking(self):
        """CoNLL-2000 chunking, 19 templates"""
        train, test = [self.work / "chunking-train.txt"], [self.work / "chunking-test.txt"]
        for source, (target,) in (("train.txt.gz", train), ("test.txt", test)):
            with open(target, "wb") as file:
                subprocess.run([self.attributes, self.data / "conll2000" / source], stdout=file, check=True)

        def ours(kind, c_sum):
            options = ["--no-bias", "--no-boundary", "--lambda", 1 / (c_sum * 8936), "--gap", "1e-2"]
            return kind(f"C-sum {c_sum}, gap 1e-2", "chain", train, options, test)

        return [
            *ours(self.ours_on_one_and_two, 0.1),
            self.crfsuite("ap, 10 iterations", train, ["--algorithm=ap", "--set=max_iterations=10"], test),
            self.crfsuite("lbfgs", train, [], test),
            *(ours(self.ours, c_sum) for c_sum in (0.01, 0.03, 0.3)),
        ]

    def mnist(self):
        """MNIST, pixels / 255, C-sum 0.01"""
        folder, weight = self.data / "mnist", ["--lambda", 1 / 600]
        train, test = [folder / "train-images-idx3-ubyte.gz"], [folder, *weight]
        return [
            *self.ours_on_one_and_two("gap 1e-3", "multiclass", train, ["--no-bias", *weight, "--gap", "1e-3"], test),
            self.liblinear("-s 4 -c 0.01 -e 0.1", test),
            self.liblinear("-s 4 -c 0.01 -e 0.01", test),
        ]

    def score(self, contestant):
        """Scores the models of all tools with the same code. What our program says of its own models must agree."""
        if self.problem == "mnist":
            command = [self.python, HERE / "digits.py", "score", *contestant.test, "--model", contestant.model]
            return run(command).printed
        data, *folds = contestant.test
        command = [self.python, HERE / "chains.py", "score", data, *folds]
        if contestant.tool != "maxmargin":
            return run([*command, "--model", contestant.model]).printed
        tags = contestant.model.with_suffix(".tags")
        run([self.maxmargin, "predict", "--model", contestant.model, "--input", data, *folds, "--output", tags])
        scores = run([*command, "--tags", tags]).printed
        own = run([self.maxmargin, "eval", "--model", contestant.model, "--data", data, *folds, "--json"]).printed
        for here, there in (("error", "token_error"), ("chunk_f1", "chunk_f1")):
            if here in scores and abs(scores[here] - own[there]) > 1e-9:
                sys.exit(f"{contestant.name}: {there} is {scores[here]}, but `maxmargin eval` says {own[there]}")
        return scores

    def compare(self, problem, repeats):
        self.problem = problem
        contestants = PROBLEMS[problem](self)
        for repeat in range(repeats):
            for c in contestants:
                c.runs.append(run(c.command))
                print(f"{problem} {repeat + 1}/{repeats}: {c.name}: {c.runs[-1].cpu:.2f} s", file=sys.stderr)
        for c in contestants:
            c.scores = self.score(c)
            if c.twin:
                c.scores["same_model"] = filecmp.cmp(c.model, c.twin.model, shallow=False)
        return contestants


PROBLEMS = {
    "letters-small": Bench.letters_small,
    "letters-large": Bench.letters_large,
    "chunking": Bench.chunking,
    "mnist": Bench.mnist,
}


def cpu(run):
    return run.cpu


def wall(run):
    return run.wall


def peak_mb(run):
    return run.peak_mb


def training(run):
    """Seconds of the training without reading: by maxmargin's own clock, or CPU time around another tool's call."""
    return run.printed["seconds" if "seconds" in run.printed else "training_seconds"]


# A column that is empty for all contestants is left out.
COLUMNS = [
    ("tool", lambda c: c.name),
    ("solver", lambda c: c.runs[0].printed.get("solver", "")),
    ("CPU s", lambda c: f"{c.median(cpu):.2f}"),
    ("training s", lambda c: f"{c.median(training):.2f}"),
    ("wall s", lambda c: f"{c.median(wall):.2f}"),
    ("peak MB", lambda c: f"{c.median(peak_mb):.0f}"),
    ("proven gap", lambda c: f"{c.runs[0].printed['gap']:.1e}" if "gap" in c.runs[0].printed else ""),
    ("F(w)", lambda c: f"{c.scores['primal']:.6f}" if "primal" in c.scores else ""),
    ("test error", lambda c: f"{100 * c.scores['error']:.2f} %"),
    ("chunk F1", lambda c: f"{100 * c.scores['chunk_f1']:.2f}" if "chunk_f1" in c.scores else ""),
]


def table(problem, contestants):
    columns = [(head, cell) for head, cell in COLUMNS if any(cell(c) for c in contestants)]
    lines = [f"## {PROBLEMS[problem].__doc__}", ""]
    lines.append("| " + " | ".join(head for head, _ in columns) + " |")
    lines.append("| --- |" + " ---: |" * (len(columns) - 1))
    lines += ["| " + " | ".join(cell(c) for _, cell in columns) + " |" for c in contestants]
    lines.append("")
    for two in (c for c in contestants if c.twin):
        one = two.twin
        same = "the same model file" if two.scores["same_model"] else "ANOTHER MODEL FILE"
        lines.append(f"- {one.name}: one thread takes {one.times(two, wall):.2f} times the wall time of two threads "
                     f"({one.times(two, training):.2f} times without reading), and writes {same}.")
        for other in (c for c in contestants if c.tool != "maxmargin"):
            lines.append(f"- {other.name}: {other.times(one, cpu):.2f} times the CPU time of {one.name} "
                         f"({other.times(one, training):.2f} times without reading), "
                         f"{other.times(one, peak_mb):.2f} times the memory.")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=os.environ.get("MAXMARGIN_DATA"),
                        help="the folder of data sets; MAXMARGIN_DATA when it is not given")
    parser.add_argument("--work", help="where the virtual environment, the models and the results go; "
                        "a new temporary folder when it is not given")
    parser.add_argument("--only", choices=PROBLEMS, action="append", help="this problem only; may be repeated")
    parser.add_argument("--repeats", type=int, default=3, help="how often each training runs")
    parser.add_argument("--solver", default="auto", help="maxmargin's solver")
    parser.add_argument("--maxmargin", default=RELEASE / "maxmargin", type=Path, help="the program")
    parser.add_argument("--attributes", default=RELEASE / "examples" / "chunking_attributes", type=Path,
                        help="the example that makes the attributes for chunking")
    options = parser.parse_args()
    if not options.data:
        parser.error("give --data, or set MAXMARGIN_DATA")

    bench = Bench(options)
    versions = bench.versions()
    page = "# maxmargin and other tools\n\n" + ", ".join(f"{name} {version}" for name, version in versions.items())
    page += f"; `--solver {options.solver}`; the median of {options.repeats}\n"
    results = {"versions": versions, "solver": options.solver, "problems": []}
    for problem in options.only or PROBLEMS:
        contestants = bench.compare(problem, options.repeats)
        page += "\n" + table(problem, contestants)
        results["problems"].append({"name": problem, "contestants": [
            {"name": c.name, "command": list(map(str, c.command)), "scores": c.scores, "runs": list(map(vars, c.runs))}
            for c in contestants
        ]})
        # After each problem, so that an interrupted comparison leaves what it found.
        (bench.work / "results.md").write_text(page, encoding="utf-8")
        (bench.work / "results.json").write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    print(page)
    print(f"written to {bench.work}/results.md and results.json", file=sys.stderr)


main()

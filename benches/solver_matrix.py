#!/usr/bin/env python3
"""Holds `--solver auto` to the best single solver, over data sets, regularisations and surrogates.

    cargo build --release
    cargo build --release -p maxmargin --example chunking_attributes
    python3 benches/solver_matrix.py                    # measures what is not measured yet, then prints the table
    python3 benches/solver_matrix.py --only bibtex      # cells whose name has this in it (a regular expression)
    python3 benches/solver_matrix.py --again auto       # forgets what was measured of one solver first
    python3 benches/solver_matrix.py --table            # prints the table of what is measured

Every run is a process of its own on one thread, and what counts is the CPU time (user and system) that the kernel says it
used, less what a run of one pass used outside its pass: reading, and writing the model. A run ends at the gap, or when it has
used the cap. The solver that wins most often goes first, and the others get no more than what shows that they are slower.

Where `auto` is a solver that has a column of its own, that column stands for it.

A cell passes where `auto` takes at most 1.5 times the CPU time of the best solver. Cells whose best solver needs less than
a second are exempt, and the others are then not measured. Where nobody reaches the gap within the cap, the gaps at the cap
are compared in place of times.

The data folder is that of the tests: MAXMARGIN_DATA, or ../shared/data beside the repository. Data sets that are not there
are left out with a note. Data that needs a conversion is converted once, into the folder of results.
"""

import argparse
import gzip
import json
import math
import os
import re
import resource
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RELEASE = ROOT / "target" / "release"
SOLVERS = ["bcfw", "prox-bmrm", "prox-p-bmrm"]
C_SUMS = ["0.01", "0.1", "1"]
SURROGATES = ["margin", "slack"]
GAP = 1e-2
CAP = 60.0
EXEMPT = 1.0
FACTOR = 1.5
# A rival is stopped when it has used this many times the best time so far: then it has lost beyond doubt.
DECIDED = 1.6


@dataclass
class Problem:
    """A data set with a task: what `train` is told besides C and the solver."""

    name: str
    task: str
    files: list
    options: list = field(default_factory=list)
    convert: object = None
    surrogates: list = field(default_factory=lambda: SURROGATES)


@dataclass
class Setting:
    """Where things are."""

    data: Path
    results: Path
    program: Path
    attributes: Path


def chunking(setting, source, target):
    with open(target, "wb") as file:
        subprocess.run([setting.attributes, source], stdout=file, check=True)


def weighted_words(_, source, target):
    """Counts of words to (1 + ln count) · (ln((1 + n)/(1 + df)) + 1), rows of length 1."""
    with gzip.open(source, "rt") as file:
        rows = [line.split() for line in file]
    rows = [(label, [pair.split(":") for pair in pairs]) for label, *pairs in rows]
    documents = Counter(index for _, pairs in rows for index, _ in pairs)
    rarity = {index: math.log((1 + len(rows)) / (1 + count)) + 1 for index, count in documents.items()}
    with open(target, "w") as file:
        for label, pairs in rows:
            values = [(index, (1 + math.log(float(count))) * rarity[index]) for index, count in pairs]
            length = math.sqrt(sum(value * value for _, value in values))
            print(label, *(f"{index}:{value / length:.9g}" for index, value in values), file=file)


def flat_classes(_, source, target):
    """A table of Clus to svmlight: the last column, which names a node of a hierarchy, is the class."""
    with gzip.open(source, "rt") as file, open(target, "w") as out:
        for line in file:
            if line.strip().lower() == "@data":
                break
        for line in filter(str.strip, file):
            *values, label = line.strip().split(",")
            print(label, *(f"{j}:{x}" for j, x in enumerate(values, 1) if float(x) != 0), file=out)


def associated(setting, source, target):
    """What the unlabelled and the labelled sentences say about words."""
    text = [source, source.with_name("unlabelled.f.gz")]
    labelled = [source.with_name("test.e"), source.with_name("test.f")]
    command = [setting.program, "associate", "--text", *text, "--text", *labelled, "--output", target]
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)


MATCHING = ["--fertility", "2,2", "--extra-links", "free"]
# More weights, and slower to learn, than the default of one for each pair.
FOUR = ["--pair-weights", "four"]
PROBLEMS = [
    Problem("bibtex, no pairs", "multilabel", ["bibtex/bibtex-train.arff.gz"],
            ["--labels", "{data}/bibtex/bibtex.xml", "--pairs", "none"]),
    Problem("yeast, all pairs", "multilabel", ["yeast/yeast-train.arff.gz"], ["--labels", "{data}/yeast/yeast.xml"]),
    Problem("yeast, all pairs, four weights", "multilabel", ["yeast/yeast-train.arff.gz"],
            ["--labels", "{data}/yeast/yeast.xml", *FOUR]),
    Problem("letters 0", "chain", ["letters/letter.data.gz"], ["--folds", "0"]),
    Problem("letters 1–9", "chain", ["letters/letter.data.gz"], ["--folds", "1-9"]),
    Problem("MNIST", "multiclass", ["mnist/train-images-idx3-ubyte.gz"], ["--no-bias"]),
    Problem("CoNLL-2000", "chain", ["conll2000/train.txt.gz"],
            ["--format", "crfsuite", "--no-bias", "--no-boundary"], chunking),
    Problem("20news", "multiclass", ["20news/20news_train.svm.gz"], ["--no-bias"], weighted_words),
    Problem("diatoms", "multiclass", ["diatoms/Diatoms_train.arff.gz"],
            ["--format", "svmlight", "--standardize"], flat_classes),
    Problem("yeast, no pairs", "multilabel", ["yeast/yeast-train.arff.gz"],
            ["--labels", "{data}/yeast/yeast.xml", "--pairs", "none"]),
    Problem("emotions, all pairs", "multilabel", ["emotions/emotions-train.arff"],
            ["--labels", "{data}/emotions/emotions.xml", "--standardize", *FOUR]),
    Problem("bibtex, tree", "multilabel", ["bibtex/bibtex-train.arff.gz"],
            ["--labels", "{data}/bibtex/bibtex.xml", "--pairs", "tree", *FOUR]),
    Problem("bibtex, 16 labels, all pairs", "multilabel", ["bibtex/bibtex-train.arff.gz"],
            ["--labels", "{data}/bibtex/bibtex.xml", "--most-frequent-labels", "16", *FOUR]),
    Problem("rcv1, no pairs", "multilabel", ["rcv1subset1/rcv1subset1_train.svm.gz"], ["--pairs", "none"]),
    Problem("rcv1, tree", "multilabel", ["rcv1subset1/rcv1subset1_train.svm.gz"], ["--pairs", "tree", *FOUR]),
    Problem("rcv1, 30 labels, all pairs", "multilabel", ["rcv1subset1/rcv1subset1_train.svm.gz"],
            ["--most-frequent-labels", "30", *FOUR]),
    Problem("Hansards", "alignment", ["hansards_wpt2003/unlabelled.e.gz"], MATCHING, associated),
]


def prepare(problem, setting):
    """The arguments of a problem, with its data converted if need be; none where the data is not there."""
    sources = [setting.data / name for name in problem.files]
    missing = [source for source in sources if not source.exists()]
    if missing:
        print(f"{problem.name}: left out, {missing[0]} is not there", file=sys.stderr)
        return None
    if problem.convert:
        target = setting.results / (re.sub(r"\W+", "-", problem.name) + ".data")
        if not target.exists():
            print(f"{problem.name}: converting", file=sys.stderr)
            new = target.with_suffix(".new")
            problem.convert(setting, sources[0], new)
            new.rename(target)
        sources = [target]
    options = [option.format(data=setting.data) for option in problem.options]
    if problem.task == "alignment":
        text = [setting.data / "hansards_wpt2003" / name for name in ("test.e", "test.f", "test.wa.nonullalign")]
        options += ["--links", text[2], "--associations", sources[0]]
        sources = text[:2]
    return ["train", problem.task, "--train", *sources, *options]


def train(setting, arguments, log, cap):
    """Trains on one thread for at most `cap` CPU seconds: CPU seconds, and the JSON object if it came to its end."""
    log.unlink(missing_ok=True)
    model = setting.results / "matrix.model"
    command = [setting.program, *arguments, "--threads", "1", "--gap", str(GAP), "--log", log, "--json", "--quiet",
               "--model", model]
    command = [str(part) for part in command]
    output = setting.results / "output.json"
    limit = math.ceil(cap)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(output, "w") as out:
        process = subprocess.run(
            command, stdout=out, stderr=subprocess.PIPE, check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit)))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    model.unlink(missing_ok=True)
    if process.returncode > 0:
        sys.exit(f"{' '.join(command)}\nfailed:\n{process.stderr.decode()}")
    return cpu, json.loads(output.read_text()) if process.returncode == 0 else None


class Matrix:
    """All cells, and what is measured of them, in a file with a JSON object a line."""

    def __init__(self, setting):
        self.setting = setting
        self.file = setting.results / "results.jsonl"
        self.results = {}
        self.reading = {}
        for line in self.file.read_text().splitlines() if self.file.exists() else []:
            self.take(json.loads(line))

    def take(self, result):
        if "reading" in result:
            self.reading[result["problem"]] = result["reading"]
        else:
            self.results[result["cell"], result["solver"]] = result

    def keep(self, result):
        self.take(result)
        with open(self.file, "a") as file:
            print(json.dumps(result), file=file)

    def forget(self, solver, only):
        lines = self.file.read_text().splitlines() if self.file.exists() else []
        gone = lambda result: result.get("solver") == solver and only.search(result["cell"])
        self.file.write_text("".join(line + "\n" for line in lines if not gone(json.loads(line))))
        self.results = {key: result for key, result in self.results.items() if not gone(result)}

    def best(self, cell, solvers=SOLVERS):
        """The least time of these solvers, if one of them reached the gap."""
        results = [self.results.get((cell, solver)) for solver in solvers]
        return min((result["cpu"] for result in results if result and result["reached"]), default=None)

    def run(self, cell, problem, arguments, solver, cap):
        setting = self.setting
        log = setting.results / (re.sub(r"[^\w.]+", "-", f"{cell} {solver}") + ".jsonl")
        reading = self.reading_of(problem, arguments)
        cpu, printed = train(setting, [*arguments, "--solver", solver], log, cap + reading)
        lines = log.read_text().splitlines() if log.exists() else []
        last = json.loads(lines[-1]) if lines else {"gap": 1.0, "passes": 0}
        result = {
            "cell": cell, "solver": solver, "cpu": round(max(cpu - reading, 0.0), 3), "gap": last["gap"],
            "passes": last["passes"], "reached": last["gap"] <= GAP, "chosen": printed and printed["solver"],
        }
        self.keep(result)
        print(f"{cell:45} {solver:12} {result['cpu']:7.2f} s  gap {result['gap']:.1e}  {result['passes']} passes",
              file=sys.stderr, flush=True)

    def reading_of(self, problem, arguments):
        """CPU seconds outside the passes."""
        if problem.name not in self.reading:
            log = self.setting.results / "reading.jsonl"
            cpu, printed = train(self.setting, [*arguments, "--solver", "bcfw", "--max-passes", "1"], log, 600)
            self.keep({"problem": problem.name, "reading": round(max(cpu - printed["seconds"], 0.0), 3)})
        return self.reading[problem.name]

    def measure(self, only, solvers):
        for problem, cell, c, surrogate in cells():
            if not only.search(cell):
                continue
            arguments = prepare(problem, self.setting)
            if arguments is None:
                continue
            arguments += ["--c-sum", c, "--surrogate", surrogate]
            for solver in solvers:
                if (cell, solver) in self.results:
                    continue
                best = self.best(cell)
                if solver != SOLVERS[0] and best is not None and best < EXEMPT:
                    continue
                if solver == "auto" and self.stands_for_another(cell, arguments):
                    continue
                cap = CAP if best is None or solver == "auto" else min(CAP, DECIDED * best + 0.5)
                self.run(cell, problem, arguments, solver, cap)

    def stands_for_another(self, cell, arguments):
        """Whether `auto` is a solver that was measured, pass by pass: then so was `auto`, and a second run would show the noise
        of the machine only. Not so with prox-p-bmrm, which `auto` may give other groups."""
        _, printed = train(self.setting, [*arguments, "--solver", "auto", "--max-passes", "1"],
                           self.setting.results / "auto.jsonl", 600)
        measured = self.results.get((cell, printed["solver"]))
        if measured is None or printed["solver"] == "prox-p-bmrm":
            return False
        self.keep({**measured, "solver": "auto", "chosen": printed["solver"]})
        return True


def cells():
    for problem in PROBLEMS:
        for c in C_SUMS:
            for surrogate in problem.surrogates:
                yield problem, f"{problem.name} | {c} | {surrogate}", c, surrogate


def shown(result):
    if result is None:
        return "–"
    if result["reached"]:
        return f"{result['cpu']:.1f}"
    return f"> {result['cpu']:.0f} (gap {result['gap']:.0e})"


def table(matrix, only):
    """The matrix in Markdown, and how many cells fail."""
    failed = judged = exempt = 0
    print("| data | C-sum | surrogate |", " | ".join(SOLVERS), "| auto | is | ratio |")
    print("| --- | ---: | --- |" + " ---: |" * (len(SOLVERS) + 1) + " --- | ---: |")
    for _, cell, _, _ in cells():
        results = {solver: matrix.results.get((cell, solver)) for solver in [*SOLVERS, "auto"]}
        if not only.search(cell) or not any(results.values()):
            continue
        best, auto = matrix.best(cell, [*SOLVERS]), results["auto"]
        if best is not None and best < EXEMPT:
            verdict, exempt = "exempt", exempt + 1
        elif not all(results.values()):
            verdict = "not measured"
        else:
            judged += 1
            if best is not None:
                ratio = auto["cpu"] / best if auto["reached"] else math.inf
            else:
                ratio = auto["gap"] / min(result["gap"] for result in results.values() if result)
            verdict = f"{ratio:.2f}"
            if ratio > FACTOR:
                verdict, failed = f"**{verdict}**", failed + 1
        times = " | ".join(shown(result) for result in results.values())
        print("|", cell, "|", times, "|", (auto or {}).get("chosen") or "–", "|", verdict, "|")
    print(f"\n{judged} cells judged, {failed} of them above {FACTOR}; {exempt} exempt: under {EXEMPT:.0f} s.")
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    folder = os.environ.get("MAXMARGIN_DATA") or ROOT.parent / "shared" / "data"
    parser.add_argument("--data", type=Path, default=Path(folder), help="the folder of data sets")
    parser.add_argument("--results", type=Path, default=ROOT / "target" / "solver_matrix",
                        help="the folder of results, logs and converted data")
    parser.add_argument("--program", type=Path, default=RELEASE / "maxmargin")
    parser.add_argument("--attributes", type=Path, default=RELEASE / "examples" / "chunking_attributes",
                        help="the example that makes attributes for CoNLL-2000")
    parser.add_argument("--only", type=re.compile, default=re.compile(""), help="cells whose name has this in it")
    parser.add_argument("--again", action="append", default=[], metavar="SOLVER", help="forget what was measured of it")
    parser.add_argument("--solvers", type=lambda text: text.split(","), default=[*SOLVERS, "auto"],
                        help="measure these only, separated by commas")
    parser.add_argument("--table", action="store_true", help="only print what is measured")
    arguments = parser.parse_args()
    arguments.results.mkdir(parents=True, exist_ok=True)
    setting = Setting(arguments.data, arguments.results, arguments.program, arguments.attributes)
    matrix = Matrix(setting)
    for solver in arguments.again:
        matrix.forget(solver, arguments.only)
    if not arguments.table:
        matrix.measure(arguments.only, arguments.solvers)
    sys.exit(1 if table(matrix, arguments.only) else 0)


if __name__ == "__main__":
    main()

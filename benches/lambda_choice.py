#!/usr/bin/env python3
"""Holds the λ that `train` chooses by itself to the best of a fine grid, and its cost to that of one run with that λ.

    cargo build --release
    python3 benches/lambda_choice.py                    # measures what is not measured yet, then prints the table
    python3 benches/lambda_choice.py --only letters     # sets whose name has this in it (a regular expression)
    python3 benches/lambda_choice.py --table            # prints the table of what is measured

Of each set there are four processes on one thread: `train` without λ, `train` with the λ that it chose, `path` over
C-sums that are a factor of two apart around that λ (and beyond, where the best lies at an end), judged on the test data itself, and
`train` with the best λ of those, to which the cost of the choice is compared. What counts is the CPU time, user and system, with reading and predicting. The data folder is MAXMARGIN_DATA, or ../shared/data
beside the repository. Data sets that are not there are left out with a note.
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
from pathlib import Path

from solver_matrix import flat_classes

ROOT = Path(__file__).resolve().parents[1]


def weighted_words(source, target):
    """Counts of words to (1 + ln count) · (ln((1 + n)/(1 + df)) + 1) with the df of the training data, rows of length 1."""
    def rows(file):
        with gzip.open(file, "rt") as lines:
            return [(label, [pair.split(":") for pair in pairs]) for label, *pairs in map(str.split, lines)]

    train = rows(source.with_name("20news_train.svm.gz"))
    documents = Counter(index for _, pairs in train for index, _ in pairs)
    rarity = {index: math.log((1 + len(train)) / (1 + count)) + 1 for index, count in documents.items()}
    with open(target, "w") as file:
        for label, pairs in rows(source):
            values = [(i, (1 + math.log(float(count))) * rarity[i]) for i, count in pairs if i in rarity]
            length = math.sqrt(sum(value * value for _, value in values)) or 1
            print(label, *(f"{i}:{value / length:.9g}" for i, value in values), file=file)


def classes(source, target):
    flat_classes(None, source, target)


def hansards(folder, results, program):
    """The first 100 sentence pairs with links to train on, the others to test on, and what all text says about words."""
    first = 100
    for name in ("test.e", "test.f", "test.wa.nonullalign"):
        number = lambda line: int(re.match(r"(?:<s snum=)?(\d+)", line)[1])
        lines = (folder / name).read_text().splitlines(keepends=True)
        for part, is_in in (("train", lambda n: n <= first), ("test", lambda n: n > first)):
            text = "".join(line for line in lines if is_in(number(line)))
            (results / f"{part}.{name.split('.')[1]}").write_text(text)
    words = results / "words.associations"
    if not words.exists():
        text = ["--text", folder / "unlabelled.e.gz", folder / "unlabelled.f.gz", "--text", folder / "test.e", folder / "test.f"]
        command = [program, "associate", *text, "--output", words]
        subprocess.run([str(part) for part in command], capture_output=True, check=True)
    files = [[results / f"{part}.{side}" for side in "ef"] for part in ("train", "test")]
    return files, ["--links", results / "train.wa", results / "test.wa", "--associations", words]


# Name, task, training data, test data or folds, options, figure, conversion.
SETS = [
    ("emotions", "multilabel", "emotions/emotions-train.arff", "emotions/emotions-test.arff",
     ["--labels", "{data}/emotions/emotions.xml", "--standardize"], "micro_f1", None),
    ("letters 0", "chain", "letters/letter.data.gz", "1-9", ["--folds", "0"], "token_error", None),
    ("yeast", "multilabel", "yeast/yeast-train.arff.gz", "yeast/yeast-test.arff.gz",
     ["--labels", "{data}/yeast/yeast.xml"], "micro_f1", None),
    ("20news", "multiclass", "20news/20news_train.svm.gz", "20news/20news_test.svm.gz", [], "error", weighted_words),
    ("rcv1, no pairs", "multilabel", "rcv1subset1/rcv1subset1_train.svm.gz", "rcv1subset1/rcv1subset1_test.svm.gz",
     ["--pairs", "none"], "micro_f1", None),
    ("letters 1–9", "chain", "letters/letter.data.gz", "0", ["--folds", "1-9"], "token_error", None),
    ("CoNLL-2000", "chain", "conll2000/train.txt.gz", "conll2000/test.txt", ["--templates", "chunk"], "chunk_f1", None),
    ("CoNLL-2003 (testa)", "chain", "conll2003/eng.train.gz", "conll2003/eng.testa", ["--templates", "ner"], "chunk_f1",
     None),
    ("bibtex, no pairs", "multilabel", "bibtex/bibtex-train.arff.gz", "bibtex/bibtex-test.arff.gz",
     ["--labels", "{data}/bibtex/bibtex.xml", "--pairs", "none"], "micro_f1", None),
    ("MNIST", "multiclass", "mnist/train-images-idx3-ubyte.gz", "mnist/t10k-images-idx3-ubyte.gz", [], "error", None),
    ("diatoms", "multiclass", "diatoms/Diatoms_train.arff.gz", "diatoms/Diatoms_test.arff.gz",
     ["--format", "svmlight", "--standardize"], "error", classes),
    ("Hansards", "alignment", "hansards_wpt2003/unlabelled.e.gz", "hansards_wpt2003/test.e",
     ["--fertility", "2,2", "--extra-links", "free"], "aer", hansards),
]


def measure(command):
    """What a command prints as JSON, and the CPU seconds that it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stderr}")
    return json.loads(done.stdout), after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def run(entry, data, results, program, limit, steps):
    name, task, train, test, options, figure, convert = entry
    is_folds = re.fullmatch(r"[0-9,-]+", test)
    files = [data / train] if is_folds else [data / train, data / test]
    if not all(file.exists() for file in files):
        print(f"{name} is not there: left out", file=sys.stderr)
        return None
    options = [option.format(data=data) for option in options]
    if convert is hansards:
        files, more = hansards(data / "hansards_wpt2003", results, program)
        options += more
    elif convert:
        targets = [results / (file.name.split(".")[0] + ".svm") for file in files]
        for file, target in zip(files, targets):
            target.exists() or convert(file, target)
        files = targets
    files = [file if isinstance(file, list) else [file] for file in files]
    held_out = lambda flag: [flag + "-folds", test] if is_folds else [flag, *files[1]]
    common = [task, "--train", *files[0], *options, "--threads", "1", "--json", "--quiet", "--model", results / "model"]
    chosen, seconds = measure([program, "train", *common, *held_out("--test")])
    value = repr(chosen["lambda"])
    alone, alone_seconds = measure([program, "train", *common, *held_out("--test"), "--lambda", value])
    assert alone["primal"] == chosen["primal"]
    c_sum = 1 / (chosen["lambda"] * chosen["n"])
    grid = ",".join(f"{c_sum * 2.0 ** step:.6g}" for step in range(-steps, steps + 1))
    path, _ = measure([program, "path", *common, *held_out("--validate"), "--c-sums", grid, "--select", figure,
                       "--time-limit", limit])
    tried = [(1 / (run["lambda"] * run["n"]), run["validation"][figure]) for run in path["runs"]]
    best = path["best"]
    _, best_seconds = measure([program, "train", *common, *held_out("--test"), "--lambda", repr(best["lambda"])])
    return {
        "figure": figure, "c_sum": c_sum, "value": chosen["test"][figure], "gap": chosen["gap"], "stop": chosen["stop"],
        "seconds": seconds, "alone": alone_seconds, "at_best": best_seconds, "choice": chosen["lambda_choice"], "grid": tried,
        "best_c_sum": 1 / (best["lambda"] * best["n"]), "best": best["validation"][figure],
    }


def table(found):
    print("| data | figure | C-sum chosen | there | best of the grid | at C-sum | points off | CPU s | chosen λ alone "
          "| best λ alone | ratio |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for name, row in found.items():
        off = abs(row["value"] - row["best"])
        better = row["value"] < row["best"] if row["figure"] in ("error", "token_error", "aer") else row["value"] > row["best"]
        print(f"| {name} | {row['figure'].replace('_', ' ')} | {row['c_sum']:.3g} | {100 * row['value']:.2f} % "
              f"| {100 * row['best']:.2f} % | {row['best_c_sum']:.3g} | {0.0 if better else 100 * off:.2f} "
              f"| {row['seconds']:.1f} | {row['alone']:.1f} | {row['at_best']:.1f} | {row['seconds'] / row['at_best']:.1f} |")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--only", default="")
    arguments.add_argument("--table", action="store_true")
    arguments.add_argument("--limit", default="60", help="seconds for each value of the grid")
    arguments.add_argument("--steps", type=int, default=4, help="values of the grid on either side of the chosen one")
    arguments.add_argument("--program", type=Path, default=ROOT / "target" / "release" / "maxmargin")
    arguments.add_argument("--results", type=Path, default=ROOT / "target" / "lambda_choice")
    arguments = arguments.parse_args()
    data = Path(os.environ.get("MAXMARGIN_DATA", ROOT.parent / "shared" / "data"))
    arguments.results.mkdir(parents=True, exist_ok=True)
    file = arguments.results / "found.json"
    found = json.loads(file.read_text()) if file.exists() else {}
    for entry in SETS:
        if arguments.table or entry[0] in found or not re.search(arguments.only, entry[0]):
            continue
        row = run(entry, data, arguments.results, arguments.program, arguments.limit, arguments.steps)
        if row:
            found[entry[0]] = row
            file.write_text(json.dumps(found, indent=1))
            print(f"{entry[0]}: done", file=sys.stderr)
    table({entry[0]: found[entry[0]] for entry in SETS if entry[0] in found})


if __name__ == "__main__":
    main()

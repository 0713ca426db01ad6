#!/usr/bin/env python3
"""Hierarchies of real data, with λ chosen on held-out examples: the norms side by side.

    cargo build --release
    python3 benches/hierarchy_real.py DATA FOLDER                       # trains what is not trained yet, then prints the tables
    python3 benches/hierarchy_real.py DATA FOLDER --only diatoms rcv1
    python3 benches/hierarchy_real.py DATA FOLDER --table               # prints what is there

DATA has the folders 20news, diatoms, rcv1subset1, cellcycle_FUN and cellcycle_GO; what is missing is left out. One thread; CPU seconds are those of the
whole run, with reading, the choice of λ and the test.

Of rcv1 the micro-F1 is that of the labels that the data has, whatever the model: nodes above them that are no labels (MCAT) do not count. Of cellcycle λ is
chosen by au_prc on the validation file, and the model is that of both files with this λ.
"""
import argparse
import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NORMS = {
    "flat": "--norm flat",
    "hsvm": "--norm hsvm",
    "nhsvm": "--norm nhsvm",
    "nhsvm, maxmin": "--norm nhsvm --alpha maxmin",
    "nhsvm, auto": "--norm nhsvm --alpha auto",
    "ssvm": "--norm ssvm",
}
# Labels of diatoms end at inner nodes.
WITHOUT = {f"{norm}, no own leaves": f"{NORMS[norm]} --own-leaves no" for norm in ("nhsvm", "nhsvm, maxmin", "ssvm")}
GENES_LAMBDAS = "30,10,3,1,0.3"


def run(program, words):
    """What the program prints as JSON, and its CPU seconds."""
    command = [str(program), *map(str, words), "--threads", "1", "--quiet"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    out, err = process.stdout.read(), process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status):
        sys.exit(f"{' '.join(command)}\n{err}")
    return out, usage.ru_utime + usage.ru_stime


def trained(program, words, model):
    out, seconds = run(program, ["train", *words, "--model", model, "--json"])
    return json.loads(out) | {"cpu": seconds}


def news(program, data, model, norm):
    flags = ["--hierarchy", data / "hierarchy.txt", "--node-names", data / "labels.txt", "--log-counts", "--tf-idf", "--normalize", "--no-bias"]
    files = ["--train", data / "20news_train.svm.gz", "--test", data / "20news_test.svm.gz"]
    return trained(program, ["hierarchy", *files, *flags, *NORMS[norm].split()], model)


def diatoms(program, data, model, norm):
    files = ["--train", data / "Diatoms_train.arff.gz", "--test", data / "Diatoms_test.arff.gz"]
    return trained(program, ["hierarchy", *files, "--standardize", *(NORMS | WITHOUT)[norm].split()], model)


def rcv1(program, data, model, norm):
    train, test = data / "rcv1subset1_train.svm.gz", data / "rcv1subset1_test.svm.gz"
    if norm.startswith("pairs"):
        found = trained(program, ["multilabel", "--train", train, "--no-bias", "--pairs", norm.split()[1]], model)
    else:
        flags = ["--hierarchy", data / "hierarchy.txt", "--node-names", data / "labels.txt", "--no-bias", *NORMS[norm].split()]
        found = trained(program, ["hierarchy", "--train", train, *flags], model)
    out, _ = run(program, ["predict", "--model", model, "--input", test])
    names = dict(line.split() for line in open(data / "labels.txt"))
    above = {child: parent for parent, child in (line.split() for line in open(data / "hierarchy.txt"))}

    def closed(nodes):
        closure = set()
        for node in nodes:
            while node in above:
                closure.add(node)
                node = above[node]
        return closure

    both = wrong = 0
    truth = gzip.open(test, "rt") if test.suffix == ".gz" else open(test)
    for line, answer in zip(truth, out.splitlines(), strict=True):
        wanted = {names[label] for label in line.split()[0].split(",")}
        given = {names.get(label, label) for label in answer.replace(",", " ").split()}
        given = given if norm.startswith("pairs") else closed(given) & set(names.values())
        both += len(wanted & given)
        wrong += len(wanted ^ given)
    return found | {"test": {"micro_f1": 2 * both / (2 * both + wrong)}}


def genes(name):
    def case(program, data, model, norm):
        train, valid, test = (data / f"{name}.{part}.arff" for part in ("train", "valid", "test"))
        flags = ["--missing", "mean", "--standardize", *NORMS[norm].split()]
        chosen = ["--validate", valid, "--select", "au_prc", "--lambdas", GENES_LAMBDAS, "--model", model, "--json"]
        out, seconds = run(program, ["path", "hierarchy", "--train", train, *flags, *chosen])
        best = json.loads(out)["best"]["lambda"]
        found = trained(program, ["hierarchy", "--train", train, valid, "--test", test, *flags, "--lambda", best], model)
        return found | {"cpu": found["cpu"] + seconds}

    return case


CASES = {
    "20news": ("20news", news, "accuracy", list(NORMS)),
    "diatoms": ("diatoms", diatoms, "accuracy", [*NORMS, *WITHOUT]),
    "rcv1": ("rcv1subset1", rcv1, "micro_f1", ["pairs none", "pairs tree", "pairs all", "hsvm", "nhsvm", "nhsvm, maxmin", "ssvm"]),
    "cellcycle_FUN": ("cellcycle_FUN", genes("cellcycle_FUN"), "au_prc", ["hsvm", "nhsvm", "nhsvm, maxmin", "ssvm"]),
    "cellcycle_GO": ("cellcycle_GO", genes("cellcycle_GO"), "au_prc", ["hsvm", "nhsvm", "nhsvm, maxmin"]),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="+", choices=CASES, default=list(CASES))
    parser.add_argument("--norms", nargs="+", help="these only")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--program", default=ROOT / "target/release/maxmargin")
    settings = parser.parse_args()
    settings.folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for name in settings.only:
        place, case, figure, norms = CASES[name]
        for norm in norms:
            result = settings.folder / f"{name} {norm}.json"
            is_asked = not settings.table and (not settings.norms or norm in settings.norms)
            if is_asked and not result.exists() and (settings.data / place).is_dir():
                found = case(settings.program, settings.data / place, settings.folder / f"{name}.model", norm)
                result.write_text(json.dumps(found))
                print(name, norm, found["lambda"], found["gap"], found["test"][figure], f"{found['cpu']:.0f} CPU s", flush=True)
            if result.exists():
                found = json.loads(result.read_text())
                rows.append((name, norm, figure, 100 * found["test"][figure], found["lambda"], found["gap"], found["cpu"]))
    print("\n| data | norm | figure | | λ | gap | CPU s |\n| --- | --- | --- | --- | --- | --- | --- |")
    for name, norm, figure, value, chosen, gap, seconds in rows:
        print(f"| {name} | {norm} | {figure} | {value:.2f} % | {chosen:.2g} | {gap:.1e} | {seconds:.0f} |")


if __name__ == "__main__":
    main()

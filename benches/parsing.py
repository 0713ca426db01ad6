#!/usr/bin/env python3
"""Tables of docs/tasks/parsing.md: what dependency parsing costs by the length of sentences, and what the surrogates reach.

    python3 benches/parsing.py speed --data UD_FOLDER --program target/release/maxmargin [--sentences 200] [--lengths 10,25,50,100,200]
    python3 benches/parsing.py surrogates --data UD_FOLDER --program target/release/maxmargin [--sentences 1000] [--lambda 0.01] [--max-passes 10]

UD_FOLDER has files that end in `-ud-train.conllu` and `-ud-dev.conllu`, packed with gzip or not. Only the first sentences are learnt from; the number is said.

`speed` trains a model for each kind of tree and predicts sentences of one length, put together of words of the data: CPU milliseconds for a sentence, scoring included,
for the best tree and for the ten best. `cargo bench --bench trees` measures scoring and decoding each by itself. It also says what a pass of training costs.

`surrogates` trains one model for each surrogate, evaluates it on the dev set and compares it with the first one (margin rescaling) by a paired bootstrap. `prob`
goes on from the weights of that one.
"""
import argparse, glob, gzip, json, os, resource, subprocess, sys, tempfile

SURROGATES = ["margin", "slack", "beta=0.5", "prob-convex", "prob"]


def sentences(folder, part):
    """The sentences of a file, as lists of lines without comments."""
    files = sorted(glob.glob(os.path.join(folder, f"*-ud-{part}.conllu*")))
    if not files:
        sys.exit(f"no *-ud-{part}.conllu in {folder}")
    opened = gzip.open(files[0], "rt", encoding="utf-8") if files[0].endswith(".gz") else open(files[0], encoding="utf-8")
    with opened as lines:
        blocks = lines.read().split("\n\n")
    of_blocks = ([line for line in block.split("\n") if line and not line.startswith("#")] for block in blocks)
    return [lines for lines in of_blocks if lines]


def write(path, blocks):
    with open(path, "w", encoding="utf-8") as out:
        out.writelines("\n".join(lines) + "\n\n" for lines in blocks)
    return path


def run(*command):
    """What a program prints, and its CPU seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def of_length(words, length, count):
    """Sentences of so many words, one word of the data after the other, with tags and without heads."""
    blocks = []
    for number in range(count):
        columns = [words[(number * length + place) % len(words)] for place in range(length)]
        blocks.append(["\t".join([str(place + 1)] + of_word[1:6] + ["_"] * 4) for place, of_word in enumerate(columns)])
    return blocks


def speed(settings, folder):
    train = sentences(settings.data, "train")[: settings.sentences]
    file = write(os.path.join(folder, "train.conllu"), train)
    words = [line.split("\t") for lines in train for line in lines]
    words = [columns for columns in words if columns[0].isdigit()]
    print(f"{len(train)} sentences of {len(words)} words to learn from\n")
    for tree in ["projective", "non-projective"]:
        model = os.path.join(folder, f"{tree}.model")
        out, _ = run(settings.program, "train", "parsing", "--train", file, "--tree", tree, "--lambda", settings.lam, "--max-passes", "3", "--gap", "1e-6",
                     "--threads", "1", "--model", model, "--json", "--quiet")
        report = json.loads(out)
        calls = report["oracle_calls"]
        print(f"{tree}: {calls * len(words) / len(train) / report['seconds']:.0f} words a second of training (wall clock, 1 thread, {calls} oracle calls)")
        empty = write(os.path.join(folder, "one.conllu"), of_length(words, 1, 1))
        print("| words | best tree, ms | ten best, ms |\n| --- | --- | --- |")
        for length in map(int, settings.lengths.split(",")):
            count = max(3, 4000 // length)
            input = write(os.path.join(folder, "input.conllu"), of_length(words, length, count))
            row = []
            for more in [[], ["--k-best", "10"]]:
                predict = [settings.program, "predict", "--model", model, "--threads", "1", *more, "--input"]
                # What it takes to read the model is no part of it.
                row.append(1000 * (run(*predict, input)[1] - run(*predict, empty)[1]) / count)
            print(f"| {length} | {row[0]:.2f} | {row[1]:.2f} |", flush=True)
        print()


def surrogates(settings, folder):
    train = sentences(settings.data, "train")[: settings.sentences]
    train = write(os.path.join(folder, "train.conllu"), train)
    dev = write(os.path.join(folder, "dev.conllu"), sentences(settings.data, "dev"))
    print("| surrogate | λ | gap | passes | oracle calls | queries a call | CPU s | UAS | LAS | LAS against margin (95 % of resamples) | p |")
    print("| " + " | ".join(["---"] * 11) + " |")
    first = None
    for name in settings.surrogates.split(","):
        model = os.path.join(folder, f"{name}.model")
        # There is no certificate where the surrogate is not convex: it goes on from the weights of the first one, as in THESIS 5.3.4.
        gap = ["--gap", "0.05"]
        if name == "prob":
            gap = ["--warm-start", first] if first else []
        out, seconds = run(settings.program, "train", "parsing", "--train", train, "--surrogate", name, "--lambda", settings.lam, "--max-passes",
                           str(settings.max_passes), *gap, "--threads", "1", "--model", model, "--json", "--quiet")
        report = json.loads(out)
        figures = json.loads(run(settings.program, "eval", "--model", model, "--data", dev, "--json")[0])
        against = p = "–"
        if first:
            las = json.loads(run(settings.program, "compare", "models", first, model, "--data", dev, "--json")[0])["figures"]["las"]
            low, high = las["interval"]
            against, p = f"{100 * las['difference']:+.2f} ({100 * low:+.2f} to {100 * high:+.2f})", f"{las['p_bootstrap']:.3f}"
        first = first or model
        calls, queries = report["oracle_calls"], report["queries"]
        gap = "–" if name == "prob" else f"{100 * report['gap']:.1f} %"
        print(f"| {name} | {report['lambda']:g} | {gap} | {report['passes']} | {calls} | {queries / calls:.2f} | {seconds:.0f} "
              f"| {100 * figures['uas']:.2f} | {100 * figures['las']:.2f} | {against} | {p} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", choices=["speed", "surrogates"])
    parser.add_argument("--data", required=True)
    parser.add_argument("--program", required=True)
    parser.add_argument("--sentences", type=int, default=1000)
    parser.add_argument("--lambda", dest="lam", default="0.01")
    parser.add_argument("--lengths", default="10,25,50,100,200")
    parser.add_argument("--max-passes", type=int, default=10)
    parser.add_argument("--surrogates", default=",".join(SURROGATES))
    settings = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        {"speed": speed, "surrogates": surrogates}[settings.table](settings, folder)


if __name__ == "__main__":
    main()

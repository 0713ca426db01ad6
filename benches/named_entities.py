#!/usr/bin/env python3
"""Named entities under every surrogate (THESIS, Table 5.4): CoNLL-2003 as chain and as segmentation.

    python3 benches/named_entities.py run --data FOLDER --program target/release/maxmargin --task chain --output chain.json
    python3 benches/named_entities.py show chain.json segmentation.json --figure docs/named-entities.svg

λ is the one with the best F1 on test A, for each surrogate; figures are those of test B. F1 counts all entities together, types is
the mean of the F1 of the four types, sentences that of the F1 of sentences with an entity. Intervals are those of 95 % of resampled test
sets; those of differences from margin are paired. Queries per search are those of the second half of a run, when searches
remember. prob starts from the weights of margin. Runs are single-threaded; seconds are CPU seconds of the whole program.
"""
import argparse, json, os, random, resource, statistics, subprocess, tempfile

from candidates import iob2, read, write

# Name, options, and by what λ is divided: Micro-F1 counts shares of a sentence where others count positions.
SURROGATES = {
    "margin": (["--surrogate", "margin"], 1),
    "slack": (["--surrogate", "slack", "--search", "hull"], 1),
    "beta=0.5": (["--surrogate", "beta=0.5", "--search", "hull"], 1),
    "prob-convex": (["--surrogate", "prob-convex", "--search", "hull"], 1),
    "prob": (["--surrogate", "prob", "--search", "hull", "--solver", "sgd", "--max-passes", "20"], 1),
    "micro-f1": (["--surrogate", "micro-f1", "--search", "hull"], 10),
}


def entities(tags):
    """The entities of tags in IOB2: type, first position, and the one after the last."""
    found, start = set(), None
    for t, tag in enumerate([*tags, "O"]):
        if start is not None and not (tag.startswith("I-") and tag[2:] == tags[start][2:]):
            found.add((tags[start][2:], start, t))
            start = None
        if start is None and tag != "O":
            start = t
    return found


def counts(truth, predicted):
    """For each sentence and type: entities that are right, predicted, and true."""
    sentences = []
    for own, other in zip(truth, predicted, strict=True):
        own, other = entities(own), entities(other)
        of_type = lambda some, name: sum(entity[0] == name for entity in some)
        types = sorted({entity[0] for entity in own | other})
        sentences.append({name: [of_type(some, name) for some in (own & other, other, own)] for name in types})
    return sentences


def f1(right, predicted, true):
    return 200 * right / (predicted + true) if predicted + true else 0.0


def rows(sentences):
    """Each sentence as numbers whose sums are all that figures need: those of each type, the F1 of the sentence, and whether it has one."""
    types = sorted({name for sentence in sentences for name in sentence})
    out = []
    for sentence in sentences:
        whole = [sum(numbers[k] for numbers in sentence.values()) for k in range(3)]
        of_types = [number for name in types for number in sentence.get(name, (0, 0, 0))]
        out.append([*of_types, f1(*whole) if whole[2] else 0.0, float(whole[2] > 0)])
    return out


def figures(sums):
    """F1 of all, the mean of types, and the mean of sentences."""
    types = [sums[k:k + 3] for k in range(0, len(sums) - 2, 3)]
    return {"f1": f1(*(sum(numbers[k] for numbers in types) for k in range(3))),
            "types": statistics.mean(f1(*numbers) for numbers in types), "sentences": sums[-2] / sums[-1]}


def totals(rows):
    return [sum(column) for column in zip(*rows)]


def bootstrap(runs, rounds):
    """Figures of resampled test sets, the same for all runs. Sentences without entities change no sum, and are drawn all the same."""
    draw = random.Random(0)
    length = len(next(iter(runs.values())))
    places = [place for place in range(length) if any(sentences[place] for sentences in runs.values())]
    numbered = {name: rows(sentences) for name, sentences in runs.items()}
    resampled = {name: [] for name in runs}
    for _ in range(rounds):
        times = [0] * length
        for place in draw.choices(range(length), k=length):
            times[place] += 1
        drawn = [(place, times[place]) for place in places if times[place]]
        for name, of_run in numbered.items():
            resampled[name].append(figures([sum(column) for column in zip(*([t * x for x in of_run[place]] for place, t in drawn))]))
    return resampled


def interval(values):
    values = sorted(values)
    cut = round(0.025 * len(values))
    return [values[cut], values[-1 - cut]]


class Bench:
    def __init__(self, settings):
        self.settings = settings
        self.folder = tempfile.mkdtemp(prefix="entities-")
        self.files = {}
        for name, file in (("train", "eng.train.gz"), ("a", "eng.testa"), ("b", "eng.testb")):
            sentences = [[(*token[:3], tag) for token, tag in zip(s, iob2([token[3] for token in s]))]
                         for s in read(f"{settings.data}/conll2003/{file}")]
            self.files[name] = self.path(name)
            write(self.files[name], sentences)
            if name == "b":
                self.truth = [[token[3] for token in sentence] for sentence in sentences]

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, *arguments):
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        out = subprocess.run([self.settings.program, *arguments], stdout=subprocess.PIPE, check=True, text=True).stdout
        return out, resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before

    def train(self, options, lambda_, model):
        settings = self.settings
        first = ["--first", str(settings.first)] if settings.first else []
        # Without a certificate there is no gap.
        gap = [] if "sgd" in options else ["--gap", str(settings.gap)]
        out, seconds = self.run("train", settings.task, "--train", self.files["train"], "--templates", "ner", *first, *options,
                                "--lambda", repr(lambda_), *gap, "--time-limit", str(settings.time_limit),
                                "--threads", "1", "--model", model, "--test", self.files["a"], "--log", self.path("log"),
                                "--json", "--quiet")
        report = json.loads(out)
        with open(self.path("log"), encoding="utf-8") as log:
            passes = [json.loads(line) for line in log]
        nothing = {"queries": 0, "oracle_calls": 0}
        middle, last = passes[len(passes) // 2 - 1] if len(passes) > 1 else nothing, passes[-1]
        searches = last["oracle_calls"] - middle["oracle_calls"]
        test = report["test"]
        return {"lambda": lambda_, "seconds": seconds, "gap": report["gap"], "passes": report["passes"], "stop": report["stop"],
                "queries": (last["queries"] - middle["queries"]) / max(searches, 1),
                "f1_of_a": 100 * (test["chunk_f1"] if "chunk_f1" in test else test["micro_f1"])}

    def predict(self, model):
        out, _ = self.run("predict", "--model", model, "--input", self.files["b"], "--quiet", "--threads", "1")
        return [sentence.split("\n") for sentence in out.strip("\n").split("\n\n")]


def run(settings):
    bench = Bench(settings)
    results, sentences = {}, {}
    if "prob" in settings.surrogates and "margin" not in settings.surrogates[: settings.surrogates.index("prob")]:
        raise SystemExit("prob starts from the weights of margin; name that before it")
    for name in settings.surrogates:
        options, divisor = SURROGATES[name]
        # It is not convex, so that it matters where it starts.
        if name == "prob":
            options = [*options, "--warm-start", bench.path("margin")]
        best = None
        for lambda_ in settings.lambdas:
            found = bench.train(options, lambda_ / divisor, bench.path("model"))
            print(f"{settings.task} {name}, λ = {found['lambda']:g}: F1 of test A {found['f1_of_a']:.2f}, {found['passes']} passes, "
                  f"gap {found['gap']:.2g}, {found['seconds']:.0f} s, {found['queries']:.2f} queries a search", flush=True)
            if best is None or found["f1_of_a"] > best["f1_of_a"]:
                best = found
                os.replace(bench.path("model"), bench.path(name))
        sentences[name] = counts(bench.truth, bench.predict(bench.path(name)))
        results[name] = {**best, **figures(totals(rows(sentences[name])))}
        print(f"{settings.task} {name}: test B {figures(totals(rows(sentences[name])))}", flush=True)
        # A run that is cut short leaves what it has.
        with open(settings.output, "w", encoding="utf-8") as out:
            json.dump({"task": settings.task, "first": settings.first, "results": results, "sentences": sentences}, out)


def add_intervals(results, sentences, rounds):
    resampled = bootstrap(sentences, rounds)
    for name, result in results.items():
        result["intervals"] = {key: interval([r[key] for r in resampled[name]]) for key in ("f1", "types", "sentences")}
        pairs = list(zip(resampled[name], resampled["margin"]))
        result["against_margin"] = {key: interval([a[key] - b[key] for a, b in pairs]) for key in ("f1", "types", "sentences")}


def table(results):
    lines = ["| surrogate | λ | F1 | types | sentences | F1 against margin | sentences against margin | queries per search | CPU seconds | gap |",
             "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"]
    for name, run in results.items():
        value = lambda key: "{:.2f} ({:.1f} – {:.1f})".format(run[key], *run["intervals"][key])
        def difference(key):
            low, high = run["against_margin"][key]
            return f"{low:+.2f} – {high:+.2f}{' *' if low > 0 or high < 0 else ''}" if name != "margin" else ""
        gap = f"{run['gap']:.3f}" if run["gap"] < 1 else "none"
        lines.append(f"| {name} | {run['lambda']:g} | {value('f1')} | {value('types')} | {value('sentences')} | {difference('f1')} | "
                     f"{difference('sentences')} | {run['queries']:.2f} | {run['seconds']:.0f} | {gap} |")
    return "\n".join(lines)


def figure(all_results):
    """Differences from margin with their intervals, a panel for each figure."""
    width, left, row, panel = 760, 190, 22, 260
    rows = [(task, name, run) for task, results in all_results for name, run in results.items() if name != "margin"]
    keys = (("f1", "F1 of all entities"), ("sentences", "mean F1 of sentences"))
    ends = [end for _, _, run in rows for key, _ in keys for end in run["against_margin"][key]]
    low, high = min(ends, default=-1) - 0.1, max(ends, default=1) + 0.1
    place = lambda k, value: left + k * (panel + 20) + (value - low) / (high - low) * panel
    height = 70 + row * len(rows)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="12">',
           f'<rect width="{width}" height="{height}" fill="white"/>']
    for k, (key, title) in enumerate(keys):
        out.append(f'<text x="{left + k * (panel + 20)}" y="18" font-weight="bold">{title}, against margin</text>')
        out.append(f'<line x1="{place(k, 0):.1f}" x2="{place(k, 0):.1f}" y1="28" y2="{height - 32}" stroke="#999999"/>')
        out.append(f'<text x="{place(k, 0):.1f}" y="{height - 18}" text-anchor="middle" fill="#555555">0</text>')
        for end in (low, high):
            anchor = "start" if end < 0 else "end"
            out.append(f'<text x="{place(k, end):.1f}" y="{height - 18}" text-anchor="{anchor}" fill="#555555">{end:+.1f}</text>')
    margins = {task: results["margin"] for task, results in all_results}
    for number, (task, name, run) in enumerate(rows):
        y = 40 + row * number
        out.append(f'<text x="{left - 12}" y="{y + 4}" text-anchor="end">{task}, {name}</text>')
        for k, (key, _) in enumerate(keys):
            ends = run["against_margin"][key]
            colour = "#c44e52" if ends[1] < 0 else "#55a868" if ends[0] > 0 else "#4c72b0"
            out.append(f'<line x1="{place(k, ends[0]):.1f}" x2="{place(k, ends[1]):.1f}" y1="{y}" y2="{y}" stroke="{colour}" stroke-width="3"/>')
            out.append(f'<circle cx="{place(k, run[key] - margins[task][key]):.1f}" cy="{y}" r="4" fill="{colour}"/>')
    return "\n".join([*out, "</svg>"]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("run")
    command.add_argument("--data", required=True)
    command.add_argument("--program", default="target/release/maxmargin")
    command.add_argument("--task", choices=("chain", "segmentation"), default="chain")
    command.add_argument("--output", required=True)
    command.add_argument("--surrogates", type=lambda text: text.split(","), default=list(SURROGATES), help="files of some each are shown together")
    command.add_argument("--lambdas", type=lambda text: [float(x) for x in text.split(",")], default=[0.003, 0.001, 0.0003])
    command.add_argument("--gap", type=float, default=1e-2)
    command.add_argument("--first", type=int, default=0, help="the first so many training sentences only")
    command.add_argument("--time-limit", type=float, default=600, help="of each run, in seconds")
    show = commands.add_parser("show")
    show.add_argument("results", nargs="+")
    show.add_argument("--rounds", type=int, default=1000, help="resampled test sets")
    show.add_argument("--figure")
    settings = parser.parse_args()
    if settings.command == "run":
        return run(settings)
    tasks = {}
    for file in settings.results:
        with open(file, encoding="utf-8") as text:
            found = json.load(text)
        results, sentences = tasks.setdefault(found["task"], ({}, {}))
        results.update(found["results"])
        sentences.update(found["sentences"])
    for results, sentences in tasks.values():
        add_intervals(results, sentences, settings.rounds)
    all_results = [(task, results) for task, (results, _) in tasks.items()]
    for task, results in all_results:
        print(f"{task}\n\n{table(results)}\n")
    if settings.figure:
        with open(settings.figure, "w", encoding="utf-8") as out:
            out.write(figure(all_results))


if __name__ == "__main__":
    main()

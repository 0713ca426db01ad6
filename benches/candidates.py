#!/usr/bin/env python3
"""Learning from candidate labels: how much of what annotators disagree about is won back, and what hidden labels cost.

    python3 benches/candidates.py crowd --data FOLDER --program target/release/maxmargin --output crowd.json
    python3 benches/candidates.py partial --data FOLDER --program target/release/maxmargin --output partial.json
    python3 benches/candidates.py show crowd.json partial.json --figure docs/candidates.svg

crowd: conll2003_crowd, the votes of 47 annotators (word and label only), tested on CoNLL-2003 test B. Each of five runs leaves out a fifth
of the documents. perfect: the truth wherever it is a candidate, else the majority. λ is the one with the best F1 on test A, chosen in the first
run for each kind of labels by itself, and kept in all others. partial: CoNLL-2000 with labels of tokens hidden at
random, tested on its test data. Runs are single-threaded; seconds are CPU seconds of the whole program.
"""
import argparse, gzip, json, os, random, resource, statistics, subprocess, tempfile


def opened(path):
    return gzip.open(path, "rt", encoding="utf-8") if path.endswith(".gz") else open(path, encoding="utf-8")


def write(path, sentences):
    """Sentences of tokens, which are columns."""
    with open(path, "w", encoding="utf-8") as out:
        for sentence in sentences:
            out.writelines("\t".join(token) + "\n" for token in sentence)
            out.write("\n")


def read(path):
    """Sentences of a file in columns, without the marks of documents."""
    sentences, sentence = [], []
    for line in opened(path):
        fields = line.split()
        if fields and fields[0] != "-DOCSTART-":
            sentence.append(fields)
        elif sentence:
            sentences.append(sentence)
            sentence = []
    return sentences + [sentence] * bool(sentence)


def iob2(tags):
    """Tags in IOB2, from IOB1 or IOB2."""
    before, out = "O", []
    for tag in tags:
        out.append("B-" + tag[2:] if tag.startswith("I-") and (before == "O" or before[2:] != tag[2:]) else tag)
        before = tag
    return out


def documents(path):
    """Documents of sentences of tokens: word, expert's label, votes in the order of their names."""
    all_documents = []
    for line in opened(path):
        line = line.rstrip("\n")
        if line.startswith("# doc ") and "\t" not in line:
            all_documents.append([[]])
        elif not line:
            all_documents[-1].append([])
        else:
            word, expert, _, votes = line.split("\t")
            votes = [] if votes == "_" else sorted(vote.split(":", 1)[1] for vote in votes.split(","))
            all_documents[-1][-1].append((word, expert, votes))
    return [[sentence for sentence in document if sentence] for document in all_documents]


def majority(votes, truth):
    """The most frequent vote, the first of equals; where nobody voted, the truth."""
    return max(votes, key=lambda label: (votes.count(label), -votes.index(label))) if votes else truth


class Bench:
    def __init__(self, settings):
        self.settings = settings
        self.folder = tempfile.mkdtemp(prefix="candidates-")

    def path(self, name):
        return os.path.join(self.folder, name)

    def train(self, train, test, options, lambda_):
        """F1 of chunks in the test data, CPU seconds, and turns."""
        settings = self.settings
        command = [settings.program, "train", "chain", "--train", train, "--templates", settings.templates, "--lambda",
                   str(lambda_), "--gap", str(settings.gap), "--threads", "1", "--model", self.path("model"),
                   "--test", test, "--json", "--quiet", *options]
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        out = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
        seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        found = json.loads(out)
        turns = found.get("candidates", {}).get("turns", [])
        f1 = [value for name, value in found["test"].items() if name in ("chunk_f1",)]
        result = {"f1": 100 * f1[0], "seconds": seconds, "gap": found["gap"], "turns": len(turns), "lambda": lambda_}
        print(f"  {' '.join(options) or 'labels'}, λ = {lambda_:g}: F1 {result['f1']:.2f}, {seconds:.1f} s, {result['turns']} turns", flush=True)
        return result


def crowd(settings):
    bench = Bench(settings)
    docs = documents(f"{settings.data}/conll2003_crowd/crowd.txt.gz")
    held_out, test = bench.path("held_out.txt"), bench.path("test.txt")
    for path, file in ((held_out, "eng.testa"), (test, "eng.testb")):
        write(path, [[(token[0], tag) for token, tag in zip(sentence, iob2([token[3] for token in sentence]))]
                     for sentence in read(f"{settings.data}/conll2003/{file}")])
    chosen = {}

    def train(name, file, options):
        """With the λ that was best on test A in the first run."""
        if name not in chosen:
            tried = {x: bench.train(bench.path(file), held_out, options, x)["f1"] for x in settings.lambdas}
            chosen[name] = max(tried, key=tried.get)
        return bench.train(bench.path(file), test, options, chosen[name])

    labels = {
        "true labels": lambda word, truth, votes: truth,
        "perfect completion": lambda word, truth, votes: truth if truth in votes or not votes else majority(votes, truth),
    }
    methods = {"majority": "majority", "first": "first", "random": "random", "mms": "mms", "cllp": "cllp", "known": "known"}
    labels, methods = ({name: of[name] for name in of if name in settings.only or not settings.only} for of in (labels, methods))
    results = {name: [] for name in [*labels, *methods]}
    for fold in range(settings.runs):
        print(f"without documents {fold} + {settings.runs}k", flush=True)
        sentences = [s for i, document in enumerate(docs) if i % settings.runs != fold for s in document]
        for name, label in labels.items():
            write(bench.path("train.txt"), [[(token[0], label(*token)) for token in s] for s in sentences])
            results[name].append(train(name, "train.txt", []))
        write(bench.path("lists.txt"), [[(word, "|".join(votes) or "?") for word, _, votes in s] for s in sentences])
        for name, method in methods.items():
            options = ["--candidates", method, "--seed", str(fold)]
            results[name].append(train(name, "lists.txt", options))
    return results


def partial(settings):
    bench = Bench(settings)
    sentences = [[tuple(token) for token in s] for s in read(f"{settings.data}/conll2000/train.txt.gz")]
    sentences = sentences[: settings.sentences or None]
    test = bench.path("test.txt")
    write(test, read(f"{settings.data}/conll2000/test.txt"))
    write(bench.path("train.txt"), sentences)
    results = {"all labels": [bench.train(bench.path("train.txt"), test, [], settings.lambdas[0])]}
    for hidden in (0.5, 0.9):
        for run in range(settings.runs):
            draw = random.Random(run)
            lists = [[(*t[:-1], "_" if draw.random() < hidden else t[-1]) for t in s] for s in sentences]
            write(bench.path("lists.txt"), lists)
            for method in settings.only or ("known", "mms", "cllp"):
                name = f"{method}, {hidden:.0%} hidden"
                options = ["--candidates", method]
                results.setdefault(name, []).append(bench.train(bench.path("lists.txt"), test, options, settings.lambdas[0]))
    return results


def summary(runs):
    f1 = [run["f1"] for run in runs]
    spread = statistics.stdev(f1) if len(f1) > 1 else 0.0
    return statistics.mean(f1), spread, statistics.mean(run["seconds"] for run in runs), statistics.mean(run["turns"] for run in runs)


def table(results):
    means = {name: summary(runs) for name, runs in results.items()}
    low, high = means.get("majority"), means.get("perfect completion")
    lines = ["| labels | λ | F1 | CPU seconds | turns |", "| --- | --- | --- | --- | --- |"]
    for name, (f1, spread, seconds, turns) in means.items():
        share = f" ({(f1 - low[0]) / (high[0] - low[0]):.0%} of the way from majority to perfect)" if low and name == "cllp" else ""
        lines.append(f"| {name} | {results[name][0]['lambda']:g} | {f1:.2f} ± {spread:.2f}{share} | {seconds:.1f} | {turns:.0f} |")
    if low:
        wins = sum(a["f1"] > b["f1"] for a, b in zip(results["cllp"], results["majority"]))
        lines.append(f"\ncllp is above majority in {wins} of {len(results['cllp'])} runs.")
    return "\n".join(lines)


def figure(tables):
    """Bars with the range of all runs, one panel after the other."""
    width, left, row = 720, 190, 24
    out, y = [], 10
    for title, results in tables:
        out.append(f'<text x="{left}" y="{y + 14}" font-weight="bold">{title}</text>')
        y += 24
        lowest = min(run["f1"] for runs in results.values() for run in runs)
        zero = max(0, 10 * (int(lowest) // 10 - 1))
        scale = (width - left - 70) / (100 - zero)
        for name, runs in results.items():
            mean = summary(runs)[0]
            ends = [left + (end([run["f1"] for run in runs]) - zero) * scale for end in (min, max)]
            colour = "#c44e52" if name.startswith("cllp") else "#4c72b0" if "label" in name or "perfect" in name else "#999999"
            out.append(f'<text x="{left - 8}" y="{y + 14}" text-anchor="end">{name}</text>')
            out.append(f'<rect x="{left}" y="{y + 2}" width="{(mean - zero) * scale:.1f}" height="{row - 8}" fill="{colour}"/>')
            out.append(f'<line x1="{ends[0]:.1f}" x2="{ends[1]:.1f}" y1="{y + row / 2 - 2}" y2="{y + row / 2 - 2}" stroke="black" stroke-width="2"/>')
            out.append(f'<text x="{max(ends[1], left + (mean - zero) * scale) + 6:.1f}" y="{y + 14}">{mean:.1f}</text>')
            y += row
        out.append(f'<text x="{left}" y="{y + 12}" font-size="11" fill="#555555">F1 of chunks in %, from {zero}; lines: all runs</text>')
        y += 36
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{y}" font-family="sans-serif" font-size="13">'
    return "\n".join([head, f'<rect width="{width}" height="{y}" fill="white"/>', *out, "</svg>"]) + "\n"


TITLES = {"crowd": "47 annotators of CoNLL-2003, test B", "partial": "CoNLL-2000 with hidden labels"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, templates, runs, lambdas in (("crowd", "ner", 5, [0.03, 0.01, 0.003, 0.001]), ("partial", "chunk", 3, [0.01])):
        command = commands.add_parser(name)
        command.add_argument("--data", required=True)
        command.add_argument("--program", default="target/release/maxmargin")
        command.add_argument("--lambdas", type=lambda text: [float(x) for x in text.split(",")], default=lambdas)
        command.add_argument("--gap", type=float, default=1e-2)
        command.add_argument("--runs", type=int, default=runs)
        command.add_argument("--sentences", type=int, default=0, help="the first so many sentences only (partial)")
        command.add_argument("--only", type=lambda text: text.split(","), default=[], help="these kinds of labels, or methods, only")
        command.add_argument("--output")
        command.set_defaults(templates=templates)
    show = commands.add_parser("show")
    show.add_argument("results", nargs="+")
    show.add_argument("--figure")
    settings = parser.parse_args()
    if settings.command == "show":
        tables = [(object["title"], object["results"]) for object in map(json.load, map(open, settings.results))]
        for title, results in tables:
            print(f"{title}\n\n{table(results)}\n")
        if settings.figure:
            with open(settings.figure, "w", encoding="utf-8") as out:
                out.write(figure(tables))
        return
    results = {"crowd": crowd, "partial": partial}[settings.command](settings)
    if settings.output:
        with open(settings.output, "w", encoding="utf-8") as out:
            json.dump({"title": TITLES[settings.command], "results": results}, out, indent=1)
    print(table(results))


if __name__ == "__main__":
    main()

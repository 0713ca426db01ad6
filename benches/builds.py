#!/usr/bin/env python3
"""Compare two builds of the program on the same work: instructions, CPU time, weights.

    python3 benches/builds.py OLD NEW --data DATA [--work letters,mnist] [--pairs 11] [--no-instructions]

OLD and NEW are programs `maxmargin`, DATA is the folder of data sets. Every run has one thread, a named solver and all
settings that have had other defaults. Instructions are callgrind's, of the whole process; they hardly depend on what
else the machine does. CPU times are those of PAIRS interleaved runs of both, and what counts is the median of their ratios.
Weights that are not 0 are compared bit by bit.
"""
import argparse, array, gzip, json, os, re, resource, statistics, struct, subprocess, sys, tempfile

WORK = {
    "letters": ["chain", "--train", "{data}/letters/letter.data.gz", "--folds", "0", "--c-sum", "0.1", "--gap", "1e-2"],
    "mnist": ["multiclass", "--train", "{data}/mnist/train-images-idx3-ubyte.gz", "--c-sum", "0.01", "--gap", "0.05"],
    "yeast": ["multilabel", "--train", "{data}/yeast/yeast-train.arff.gz", "--labels", "{data}/yeast/yeast.xml",
              "--pair-weights", "four", "--c-sum", "0.1", "--gap", "1e-2"],
    "conll": ["chain", "--train", "{attributes}", "--format", "crfsuite", "--c-sum", "0.1", "--gap", "{conll_gap}"],
    "hansards": ["alignment", "--train", "{hansards}.e", "{hansards}.f", "--links", "{hansards}.wa",
                 "--extra-links", "free", "--lambda", "0.03", "--gap", "1e-2"],
}


def attributes(data, place):
    """CRFsuite's stock template for chunking (REFERENCE: convention A) as attributes."""
    words = [("w[%d]" % d, [(d, 0)]) for d in range(-2, 3)] + [("w[-1]|w[0]", [(-1, 0), (0, 0)]), ("w[0]|w[1]", [(0, 0), (1, 0)])]
    tags = [("pos[%d]" % d, [(d, 1)]) for d in range(-2, 3)]
    tags += [("pos[%d]|pos[%d]" % (d, d + 1), [(d, 1), (d + 1, 1)]) for d in range(-2, 2)]
    tags += [("pos[%d]|pos[%d]|pos[%d]" % (d, d + 1, d + 2), [(d + k, 1) for k in range(3)]) for d in range(-2, 1)]
    with gzip.open(f"{data}/conll2000/train.txt.gz", "rt") as lines, open(place, "w") as out:
        sentence = []
        for line in list(lines) + ["\n"]:
            if line.strip():
                sentence.append(line.split())
                continue
            for t, (_, _, label) in enumerate(sentence):
                found = []
                for name, parts in words + tags:
                    if all(0 <= t + d < len(sentence) for d, _ in parts):
                        found.append(name + "=" + "|".join(sentence[t + d][column] for d, column in parts))
                if t == 0:
                    found.append("__BOS__")
                if t == len(sentence) - 1:
                    found.append("__EOS__")
                escaped = (a.replace("\\", "\\\\").replace(":", "\\:") for a in found)
                out.write("\t".join([label, *escaped]) + "\n")
            if sentence:
                out.write("\n")
            sentence = []


def command(program, work, places, model):
    arguments = [a.format(**places) for a in WORK[work]]
    if arguments[0] == "alignment" and subprocess.run([program, "train", "alignment", "--help"], capture_output=True).returncode:
        arguments[0] = "matching"  # where word alignment was no task of its own yet
    return [program, "train", *arguments, "--solver", "bcfw", "--threads", "1", "--seed", "0", "--model", model, "--quiet"]


def run(line, **options):
    done = subprocess.run(line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(line)}\nexit code {done.returncode}: {done.stderr[-2000:]}")
    return done.stderr


def instructions(line, folder):
    said = run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/callgrind.out", *line])
    return int(re.search(r"Collected\s*:\s*(\d+)", said).group(1))


def cpu_seconds(line):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run(line)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def numbers(model):
    """All weights that are not 0, sorted by their bits: whatever the order and the layout of a file's blocks."""
    with open(model, "rb") as file:
        size = struct.unpack("<Q", file.read(8))[0]
        header = json.loads(file.read(size))
        body = file.read()
    header.pop("__metadata__", None)
    found = array.array("Q")
    for entry in header.values():
        if entry["dtype"] == "F64":
            found.frombytes(body[slice(*entry["data_offsets"])])
    return sorted(bits for bits in found if bits & (2**63 - 1))


def weights(old, new):
    old, new = numbers(old), numbers(new)
    return f"equal ({len(new)})" if old == new else f"differ ({len(old)} and {len(new)} are not 0)"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--data", default=os.environ.get("MAXMARGIN_DATA", "../shared/data"))
    parser.add_argument("--work", default="letters,mnist,yeast,conll,hansards")
    parser.add_argument("--pairs", type=int, default=0)
    parser.add_argument("--no-instructions", action="store_true")
    settings = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        places = {"data": settings.data, "attributes": f"{folder}/conll.crfsuite", "hansards": f"{folder}/hansards",
                  "conll_gap": "0.2" if settings.pairs == 0 else "0.05"}
        work = settings.work.split(",")
        if "conll" in work:
            attributes(settings.data, places["attributes"])
        if "hansards" in work:
            hansards(settings.data, places["hansards"])
        for name in work:
            lines = [command(p, name, places, f"{folder}/{k}.model") for k, p in (("old", settings.old), ("new", settings.new))]
            report = [f"{name:9}"]
            if not settings.no_instructions:
                old, new = (instructions(line, folder) for line in lines)
                report.append(f"instructions {old:.4e} {new:.4e} {100 * (new / old - 1):+.2f} %")
            else:
                for line in lines:
                    run(line)
            report.append("weights " + weights(f"{folder}/old.model", f"{folder}/new.model"))
            if settings.pairs:
                pairs = [(cpu_seconds(lines[0]), cpu_seconds(lines[1])) for _ in range(settings.pairs)]
                ratio = statistics.median(new / old for old, new in pairs)
                old, new = (statistics.median(side) for side in zip(*pairs))
                report.append(f"CPU {old:.2f} s {new:.2f} s, median of {settings.pairs} ratios {ratio:.3f}")
            print("  ".join(report), flush=True)


def hansards(data, place):
    """The first 100 labelled sentence pairs, with the sentences numbered anew."""
    source = f"{data}/hansards_wpt2003/test"
    for language in "ef":
        with open(f"{source}.{language}", encoding="latin-1") as lines, open(f"{place}.{language}", "w") as out:
            for line in list(lines)[:100]:
                out.write(re.sub(r"</?s[^>]*>", "", line).strip() + "\n")
    with open(f"{source}.wa.nonullalign") as lines, open(f"{place}.wa", "w") as out:
        for line in lines:
            sentence, left, right, kind = line.split()
            if int(sentence) <= 100:
                out.write(f"{int(sentence)} {left} {right} {kind}\n")


if __name__ == "__main__":
    main()

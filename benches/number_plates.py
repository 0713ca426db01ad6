#!/usr/bin/env python3
"""Compose number plates from pictures of single characters, and make the tables of BUNDLE (benchmark 3) from them.

    python3 benches/number_plates.py compose CHARACTERS FOLDER [--train 6788] [--test 1692] [--seed 1]
    python3 benches/number_plates.py tables FOLDER --program target/release/maxmargin [--lambdas 10,1,0.1,0.01] [--examples N]

CHARACTERS is a folder (or a tar.gz of one) with a folder for each character, of pictures that hold one each, white on black. Needs Pillow.

`compose` writes images of 16 rows (PGM), lists of them with their segments (`train.txt`, `validation.txt`, `test.txt`; the images that are not for training are cut in
halves), and what was drawn. A plate has two letters, three or four digits, and one or two letters: seven or eight characters. Each character has one width, that of its
crops in the middle, as the templates of BUNDLE (15) ask for. What is random: crops, gaps, margins, shifts of characters by a pixel, their contrast, the
brightness of the plate, and noise; then grey values are stretched to the whole range, plate by plate. Crops whose number is a multiple of five are for validation and test only. The same seed makes the same files.

`tables` trains on the list for every λ and solver to a gap of 1e-2, as BUNDLE does, and prints Tables 1 and 2: errors of columns, passes, CPU seconds. The prox methods start
from ten passes of SGD, as there; `--examples N` uses the first N training images.
"""
import argparse, json, os, random, resource, statistics, subprocess, sys, tarfile, tempfile

ROWS = 16
# The rows that a character takes; the others are for shifts.
CHARACTER_ROWS = 14
FEWEST_CROPS = 5
# The share of characters that are a pixel to the left or to the right of their place, and of those that are too high or too low.
SHIFTED = 0.25
SOLVERS = ["bmrm", "prox-bmrm", "prox-p-bmrm", "bcfw"]


def crops_of(folder):
    """The files of each character, for training and for tests."""
    from PIL import Image

    found = {}
    for place, _, files in sorted(os.walk(folder)):
        for file in sorted(files):
            stem, end = os.path.splitext(file)
            if end.lower() in (".jpg", ".jpeg", ".png", ".pgm") and stem.isdigit():
                crop = Image.open(os.path.join(place, file)).convert("L")
                crop.load()
                found.setdefault(os.path.basename(place), []).append((int(stem), crop))
    characters = {}
    for name, crops in sorted(found.items()):
        train = [crop for number, crop in crops if number % 5]
        test = [crop for number, crop in crops if number % 5 == 0]
        if len(crops) >= FEWEST_CROPS and train and test:
            characters[name] = (train, test)
        else:
            print(f"{name}: {len(crops)} crops are too few; left out")
    if not characters:
        sys.exit("no pictures of characters, in folders that are called like them and files that are called by numbers")
    return characters


def widths_of(characters):
    """The width of each character when it is as high as all of them."""
    def width(crops):
        return statistics.median(crop.width * CHARACTER_ROWS / crop.height for crop in crops)

    return {name: max(3, round(width(train + test))) for name, (train, test) in characters.items()}


def plate(characters, widths, part, draw):
    """A plate: columns of grey values, and segments as (class, width)."""
    digits = [name for name in characters if name.isdigit()]
    letters = [name for name in characters if not name.isdigit()]
    counts = draw.choice([(2, 4, 1), (2, 3, 2), (2, 4, 2)])
    groups = [[draw.choice(of) for _ in range(count)] for of, count in zip((letters, digits, letters), counts)]
    back = draw.uniform(0.05, 0.35)
    columns, segments = [], []

    def gap(count):
        columns.extend([back] * ROWS for _ in range(count))
        segments.append(("O", count))

    gap(draw.randint(1, 4))
    for place, group in enumerate(groups):
        if place:
            gap(draw.randint(3, 6))
        for number, name in enumerate(group):
            if number:
                gap(draw.randint(1, 3))
            width = widths[name]
            crop = draw.choice(characters[name][part]).resize((width, CHARACTER_ROWS), resample=4)
            contrast = draw.uniform(0.4, 0.65)
            right = draw.choice([-1, 1]) if draw.random() < SHIFTED else 0
            down = 1 + (draw.choice([-1, 1]) if draw.random() < SHIFTED else 0)
            pixels = crop.load()
            for x in range(width):
                column = [back] * ROWS
                if 0 <= x - right < width:
                    for y in range(CHARACTER_ROWS):
                        column[y + down] += contrast * pixels[x - right, y] / 255
                columns.append(column)
            segments.append((name, width))
    gap(draw.randint(1, 4))
    noise = draw.uniform(0.02, 0.1)
    noisy = [[value + draw.gauss(0, noise) for value in column] for column in columns]
    return stretched(noisy), segments


def stretched(columns):
    """The features of columns: grey values that use the whole range, whatever the light was."""
    values = sorted(value for column in columns for value in column)
    low, high = values[len(values) // 50], values[-len(values) // 50]
    return [[min(255, max(0, round(255 * (value - low) / (high - low)))) for value in column] for column in columns]


def write_pgm(file, columns):
    with open(file, "wb") as out:
        out.write(b"P5\n%d %d\n255\n" % (len(columns), ROWS))
        out.write(bytes(column[y] for y in range(ROWS) for column in columns))


def compose(settings):
    if os.path.isfile(settings.characters):
        with tempfile.TemporaryDirectory() as folder, tarfile.open(settings.characters) as archive:
            archive.extractall(folder, filter="data")
            characters = crops_of(folder)
    else:
        characters = crops_of(settings.characters)
    widths = widths_of(characters)
    draw = random.Random(settings.seed)
    half = settings.test // 2
    parts = [("train", 0, settings.train), ("validation", 1, half), ("test", 1, settings.test - half)]
    for name, part, count in parts:
        os.makedirs(os.path.join(settings.folder, name), exist_ok=True)
        with open(os.path.join(settings.folder, f"{name}.txt"), "w") as lines:
            for number in range(1, count + 1):
                columns, segments = plate(characters, widths, part, draw)
                file = f"{name}/{number:05}.pgm"
                write_pgm(os.path.join(settings.folder, file), columns)
                lines.write(" ".join([file] + [f"{label}:{width}" for label, width in segments]) + "\n")
    templates = ROWS * (1 + sum(widths.values()))
    print(f"{len(characters)} characters of {min(widths.values())} to {max(widths.values())} columns: {templates} weights of templates")


def run(command):
    """What a program prints as JSON, and its CPU seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return json.loads(out), seconds


def tables(settings):
    train = os.path.join(settings.folder, "train.txt")
    if settings.examples:
        lines = open(train).readlines()[: settings.examples]
        train = os.path.join(settings.folder, f"train{settings.examples}.txt")
        open(train, "w").writelines(lines)
    lambdas = settings.lambdas.split(",")
    # Several runs may share a folder.
    model = os.path.join(settings.folder, f"bench{os.getpid()}.model")
    errors, rows = {}, {}
    for value in lambdas:
        for solver in settings.solvers.split(","):
            command = [settings.program, "train", "segmentation", "--train", train, "--fixed-widths", "--loss", "positions", "--lambda", value,
                       "--solver", solver, "--gap", "1e-2", "--model", model, "--threads", "1", "--json", "--quiet",
                       "--max-passes", str(settings.max_passes)]
            if "p-bmrm" in solver.replace("prox-bmrm", ""):
                command += ["--groups", "16"]
            result, seconds = run(command)
            rows[value, solver] = (result["passes"], seconds, result["gap"])
            print(f"# {value} {solver}: {result['passes']} passes, {seconds:.1f} CPU seconds, gap {result['gap']:.2e}", flush=True)
        for part in ("validation", "test"):
            figures, _ = run([settings.program, "eval", "--model", model, "--data", os.path.join(settings.folder, f"{part}.txt"), "--json"])
            errors[value, part] = figures["position_error"]
    os.remove(model)
    print("\nerror of columns\n")
    print("| | " + " | ".join(f"λ = {value}" for value in lambdas) + " |")
    print("| --- |" + " ---: |" * len(lambdas))
    for part in ("validation", "test"):
        print(f"| {part} | " + " | ".join(f"{100 * errors[value, part]:.2f} %" for value in lambdas) + " |")
    print("\npasses and CPU seconds to a gap of 1e-2\n")
    print("| solver | " + " | ".join(f"λ = {value}" for value in lambdas) + " |")
    print("| --- |" + " ---: |" * len(lambdas))
    for solver in settings.solvers.split(","):
        cells = []
        for value in lambdas:
            passes, seconds, gap = rows[value, solver]
            cells.append(f"{passes}, {seconds:.1f} s" + ("" if gap <= 1e-2 else f" (gap {gap:.0e})"))
        print(f"| {solver} | " + " | ".join(cells) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    make = commands.add_parser("compose")
    make.add_argument("characters")
    make.add_argument("folder")
    make.add_argument("--train", type=int, default=6788)
    make.add_argument("--test", type=int, default=1692)
    make.add_argument("--seed", type=int, default=1)
    make.set_defaults(run=compose)
    table = commands.add_parser("tables")
    table.add_argument("folder")
    table.add_argument("--program", required=True)
    table.add_argument("--lambdas", default="10,1,0.1,0.01")
    table.add_argument("--solvers", default=",".join(SOLVERS))
    table.add_argument("--examples", type=int)
    table.add_argument("--max-passes", type=int, default=100_000)
    table.set_defaults(run=tables)
    settings = parser.parse_args()
    settings.run(settings)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Find landmarks in drawn faces, for the tables of BUNDLE (benchmark 2), and in the faces of dlib's example.

    python3 benches/landmarks.py tables FOLDER --program target/release/maxmargin --draw target/release/examples/draw_faces [--train 7000]
    python3 benches/landmarks.py photos --data DATA --program target/release/maxmargin [--plot FOLDER]

`tables` draws faces into FOLDER (`cargo build --release --example draw_faces`; 7,000 to learn from as BUNDLE has them, and 1,000 each to validate and to test
on, by other seeds) where they are not there yet, trains for every λ and solver to a gap of 1e-2, and prints Tables 1 and 2: mean deviations in hundredths of the distance
between eyes and mouth, passes, CPU seconds. λ is 100/n times BUNDLE's, whose loss is 100 times as large and whose risk is no mean. The prox methods start from ten passes
of SGD, as there.

`photos` takes DATA/face_landmarks_dlib: 43 faces in nine photographs, with 68 points each that are the output of dlib's own predictor, and no marks by hand. All faces of one
photograph are left out in turn, and models have a gap of 2e-2. `--plot FOLDER` draws what is found in them.
"""
import argparse, json, os, resource, subprocess, tempfile
import xml.etree.ElementTree as xml

SOLVERS = ["bmrm", "prox-bmrm", "prox-p-bmrm", "bcfw"]
# Seeds of the faces to learn from, to validate and to test on.
SEEDS = {"train": 1, "validation": 2, "test": 3}


def run(command):
    """What a program prints as JSON, and its CPU seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return json.loads(out), seconds


def tables(settings):
    counts = {"train": settings.train, "validation": settings.test, "test": settings.test}
    tables = {}
    for part, count in counts.items():
        folder = os.path.join(settings.folder, f"{part}{count}")
        tables[part] = os.path.join(folder, "faces.csv")
        if not os.path.exists(tables[part]):
            subprocess.run([settings.draw, folder, str(count), str(SEEDS[part])], check=True)
    names = [float(value) for value in settings.lambdas.split(",")]
    lambdas = [100 * value / settings.train for value in names]
    solvers = settings.solvers.split(",")
    # Several runs may share a folder.
    model = os.path.join(settings.folder, f"bench{os.getpid()}.model")
    deviations, rows = {}, {}
    for value in lambdas:
        for solver in solvers:
            command = [settings.program, "train", "landmarks", "--train", tables["train"], "--lambda", str(value), "--solver", solver, "--gap", "1e-2",
                       "--model", model, "--threads", "1", "--json", "--quiet", "--max-passes", str(settings.max_passes)]
            if solver.endswith("p-bmrm"):
                command += ["--groups", "16"]
            result, seconds = run(command)
            rows[value, solver] = (result["passes"], seconds, result["gap"])
            print(f"# {value:.3g} {solver}: {result['passes']} passes, {seconds:.1f} CPU seconds, gap {result['gap']:.2e}, {result['dim']} weights", flush=True)
        for part in ("validation", "test"):
            figures, _ = run([settings.program, "eval", "--model", model, "--data", tables[part], "--json", "--threads", "1"])
            deviations[value, part] = figures["mean_deviation"]
            print(f"# {value:.3g} {part}: {figures}", flush=True)
    os.remove(model)
    head = "| | " + " | ".join(f"λ = {value:.3g}" for value in lambdas) + " |\n| --- |" + " ---: |" * len(lambdas)
    print(f"\nmean deviation, in hundredths of the distance between eyes and mouth\n\n{head}")
    for part in ("validation", "test"):
        print(f"| {part} | " + " | ".join(f"{100 * deviations[value, part]:.2f}" for value in lambdas) + " |")
    print(f"\npasses and CPU seconds to a gap of 1e-2, {settings.train} faces\n\n{head}")
    for solver in solvers:
        cells = []
        for value in lambdas:
            passes, seconds, gap = rows[value, solver]
            cells.append(f"{passes}, {seconds:.1f} s" + ("" if gap <= 1e-2 else f" (gap {gap:.0e})"))
        print(f"| {solver} | " + " | ".join(cells) + " |")


def photos(settings):
    source = os.path.abspath(os.path.join(settings.data, "face_landmarks_dlib"))
    faces = {}
    for name in ("training_with_face_landmarks.xml", "testing_with_face_landmarks.xml"):
        for image in xml.parse(os.path.join(source, name)).iter("image"):
            for box in image.iter("box"):
                points = {part.get("name"): (part.get("x"), part.get("y")) for part in box.iter("part")}
                faces.setdefault(image.get("file"), []).append(([box.get(side) for side in ("left", "top", "width", "height")], points))
    parts = sorted({part for all in faces.values() for _, points in all for part in points}, key=int)
    print(f"{sum(map(len, faces.values()))} faces in {len(faces)} photographs, {len(parts)} points each")

    def table(file, photographs):
        with open(file, "w") as out:
            columns = [f"{part}_{axis}" for part in parts for axis in "xy"]
            out.write(",".join(["file", "left", "top", "width", "height"] + columns) + "\n")
            for photograph in photographs:
                for box, points in faces[photograph]:
                    numbers = [number for part in parts for number in points[part]]
                    out.write(",".join([os.path.join(source, photograph)] + box + numbers) + "\n")

    sums, count, seconds = {}, 0, 0.0
    with tempfile.TemporaryDirectory() as folder:
        train, test, model = (os.path.join(folder, name) for name in ("train.csv", "test.csv", "model"))
        for left_out in faces:
            table(train, [photograph for photograph in faces if photograph != left_out])
            table(test, [left_out])
            _, taken = run([settings.program, "train", "landmarks", "--train", train, "--lambda", str(settings.lambda_), "--frame-margin", "0.25", "--slack", "3",
                            "--gap", "2e-2", "--model", model, "--threads", "1", "--json", "--quiet"])
            seconds += taken
            figures, _ = run([settings.program, "eval", "--model", model, "--data", test, "--json", "--threads", "1"])
            faces_here = len(faces[left_out])
            count += faces_here
            for name in ("mean_deviation", "worst_deviation", "faces_found", "points_found"):
                sums[name] = sums.get(name, 0.0) + faces_here * figures[name]
            print(f"# {left_out}: {faces_here} faces, {figures['mean_deviation']:.4f}", flush=True)
            if settings.plot:
                os.makedirs(settings.plot, exist_ok=True)
                picture = os.path.join(settings.plot, os.path.splitext(os.path.basename(left_out))[0] + ".png")
                subprocess.run([settings.program, "predict", "--model", model, "--input", test, "--output", os.path.join(folder, "points.txt"), "--plot", picture, "--quiet"],
                               check=True)
    print(" ".join(f"{name} {value / count:.4f}" for name, value in sums.items()), f"in {seconds:.0f} CPU seconds of training")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    table = commands.add_parser("tables")
    table.add_argument("folder")
    table.add_argument("--program", required=True)
    table.add_argument("--draw", required=True)
    table.add_argument("--train", type=int, default=7000)
    table.add_argument("--test", type=int, default=1000)
    table.add_argument("--lambdas", default="10000,1000,100,10", help="as BUNDLE has them")
    table.add_argument("--solvers", default=",".join(SOLVERS))
    table.add_argument("--max-passes", type=int, default=100_000)
    table.set_defaults(run=tables)
    real = commands.add_parser("photos")
    real.add_argument("--data", required=True)
    real.add_argument("--program", required=True)
    real.add_argument("--lambda", dest="lambda_", type=float, default=100.0)
    real.add_argument("--plot")
    real.set_defaults(run=photos)
    settings = parser.parse_args()
    settings.run(settings)


if __name__ == "__main__":
    main()

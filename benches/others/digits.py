"""Trains a classifier on MNIST with LIBLINEAR, and scores the weights that any tool found.

It runs in a process of its own, so that its CPU time and memory can be measured from outside, and prints one JSON
object.
"""

import argparse
import gzip
import json
import resource
import struct
from pathlib import Path

import numpy


def read(folder, which):
    """Images, a row each, with pixels in 0 … 255, and their digits."""
    with gzip.open(Path(folder) / f"{which}-images-idx3-ubyte.gz") as file:
        _, count, height, width = struct.unpack(">4I", file.read(16))
        images = numpy.frombuffer(file.read(), numpy.uint8).reshape(count, height * width)
    with gzip.open(Path(folder) / f"{which}-labels-idx1-ubyte.gz") as file:
        file.read(8)
        digits = numpy.frombuffer(file.read(), numpy.uint8)
    return images, digits


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def train(arguments):
    import scipy.sparse
    from liblinear import liblinear, liblinearutil

    images, digits = read(arguments.data, "train")
    # Scaled when it is sparse: a dense matrix of all pixels would be most of the memory that is measured.
    problem = liblinear.problem(digits.astype(float), scipy.sparse.csr_matrix(images) * (1 / 255))
    del images
    before = cpu_seconds()
    model = liblinearutil.train(problem, liblinear.parameter(arguments.options + " -q"))
    training = cpu_seconds() - before
    weights = numpy.ctypeslib.as_array(model.w, (model.nr_feature, model.nr_class))
    with open(arguments.model, "wb") as file:
        numpy.save(file, weights[:, numpy.argsort(model.get_labels())])
    return {"training_seconds": training}


def weights_of(path):
    """Weights, pixels × digits, from what `train` saved or from a model file of maxmargin."""
    with open(path, "rb") as file:
        if file.peek(6).startswith(b"\x93NUMPY"):
            return numpy.load(file)
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        begin, end = header["unary"]["data_offsets"]
        weights = numpy.frombuffer(file.read()[begin:end], "<f8").reshape(header["unary"]["shape"])
    labels = json.loads(header["__metadata__"]["maxmargin"])["labels"]
    return weights[:, numpy.argsort([int(label) for label in labels])]


def score(arguments):
    """The objective F(w) = λ/2 ‖w‖² + 1/n Σ max_y ([y ≠ y_i] + ⟨w_y − w_{y_i}, x_i⟩), and the error on the test set."""
    weights = weights_of(arguments.model)
    images, digits = read(arguments.data, "train")
    scores = images / 255 @ weights
    rows = numpy.arange(len(digits))
    margins = scores - scores[rows, digits][:, None] + 1
    margins[rows, digits] = 0
    primal = arguments.regularisation / 2 * (weights**2).sum() + margins.max(axis=1).mean()
    images, digits = read(arguments.data, "t10k")
    error = ((images / 255 @ weights).argmax(axis=1) != digits).mean()
    return {"error": float(error), "primal": float(primal)}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(required=True)
    for command in (train, score):
        sub = commands.add_parser(command.__name__)
        sub.set_defaults(command=command)
        sub.add_argument("data", help="the folder with the four files of MNIST")
        sub.add_argument("--model", required=True)
    commands.choices["train"].add_argument("--options", default="")
    commands.choices["score"].add_argument("--lambda", dest="regularisation", type=float, required=True)
    arguments = parser.parse_args()
    print(json.dumps(arguments.command(arguments)))


main()

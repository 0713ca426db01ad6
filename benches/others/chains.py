"""Trains a chain with python-crfsuite, and scores the labels that any tool gave to sequences.

It runs in a process of its own, so that its CPU time and memory can be measured from outside, and prints one JSON
object.
"""

import argparse
import gzip
import json
import resource


def words(path, folds):
    """The OCR letters: for each word of the folds its attributes (one per pixel that is 1) and its letters."""
    attributes, letters, previous = [], [], None
    with gzip.open(path, "rt") as file:
        for line in file:
            _, letter, _, word, _, fold, *pixels = line.split()
            if int(fold) not in folds:
                continue
            if word != previous and letters:
                yield attributes, letters
                attributes, letters = [], []
            previous = word
            attributes.append([f"p{i}" for i, pixel in enumerate(pixels) if pixel == "1"])
            letters.append(letter)
    if letters:
        yield attributes, letters


def sentences(path):
    """CRFsuite's format: for each sequence its attributes and its labels."""
    attributes, labels = [], []
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line := line.rstrip("\n"):
                label, *names = line.split("\t")
                attributes.append([name.replace("\\:", ":").replace("\\\\", "\\") for name in names])
                labels.append(label)
            elif labels:
                yield attributes, labels
                attributes, labels = [], []
    if labels:
        yield attributes, labels


def sequences(arguments):
    if arguments.folds is None:
        return sentences(arguments.data)
    return words(arguments.data, range(arguments.folds[0], arguments.folds[-1] + 1))


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def train(arguments):
    import pycrfsuite

    trainer = pycrfsuite.Trainer(algorithm=arguments.algorithm, verbose=False)
    for setting in arguments.set:
        name, value = setting.split("=")
        trainer.set(name, value)
    for attributes, labels in sequences(arguments):
        trainer.append(attributes, labels)
    before = cpu_seconds()
    trainer.train(arguments.model)
    return {"training_seconds": cpu_seconds() - before, "settings": trainer.get_params()}


def predicted(arguments):
    """The labels of each sequence: those of a model of python-crfsuite, or those in a file of labels."""
    if arguments.tags:
        with open(arguments.tags, encoding="utf-8") as file:
            for block in file.read().strip("\n").split("\n\n"):
                yield block.split("\n")
    else:
        import pycrfsuite

        tagger = pycrfsuite.Tagger()
        tagger.open(arguments.model)
        for attributes, _ in sequences(arguments):
            yield tagger.tag(attributes)


def chunks(labels):
    """The chunks (type, first position, last position) of labels B-X, I-X and O, as conlleval counts them."""
    found, kind, first = set(), None, 0
    for position, label in enumerate([*labels, "O"]):
        begin, _, of = label.partition("-")
        if kind is not None and (begin != "I" or of != kind):
            found.add((kind, first, position - 1))
            kind = None
        if begin != "O" and kind is None:
            kind, first = of, position
    return found


def score(arguments):
    tokens = wrong = truly = guessed = right = 0
    chunked = True
    for (_, truth), guess in zip(sequences(arguments), predicted(arguments), strict=True):
        assert len(truth) == len(guess), "the predictions do not fit the data"
        tokens += len(truth)
        wrong += sum(t != g for t, g in zip(truth, guess))
        chunked = chunked and all(label == "O" or label[1:2] == "-" for label in truth)
        if chunked:
            true_chunks, guessed_chunks = chunks(truth), chunks(guess)
            truly += len(true_chunks)
            guessed += len(guessed_chunks)
            right += len(true_chunks & guessed_chunks)
    result = {"error": wrong / tokens}
    if chunked:
        result["chunk_f1"] = 2 * right / (truly + guessed)
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(required=True)
    for command in (train, score):
        sub = commands.add_parser(command.__name__)
        sub.set_defaults(command=command)
        sub.add_argument("data")
        sub.add_argument("--folds", type=lambda text: [int(end) for end in text.split("-")],
                         help="a fold or a range of folds, of the OCR letters")
        sub.add_argument("--model", help="a model of python-crfsuite")
    commands.choices["train"].add_argument("--algorithm", default="lbfgs")
    commands.choices["train"].add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    commands.choices["score"].add_argument("--tags", help="labels, one a line, a blank line between sequences")
    arguments = parser.parse_args()
    print(json.dumps(arguments.command(arguments)))


main()

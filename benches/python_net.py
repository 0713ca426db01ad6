"""A small net (embeddings and one convolution) with the structure of a chain on top, in JAX, on CoNLL-2000.

    MAXMARGIN_DATA=/path/to/data python benches/python_net.py [--epochs 8] [--first N] [--loss structured|softmax]

Prints chunk F1 on the test data after each epoch, and what a step takes with the structured loss and with softmax cross-entropy.
"""

from __future__ import annotations

import argparse
import time

import jax
import jax.numpy as jnp
import numpy as np
from python_peers import chunk_f1, sentences

from maxmargin.jax import StructuredLoss

SIZES = {"word": 64, "suffix": 32, "shape": 8, "pos": 24}
WIDTH, HIDDEN = 5, 192
LENGTHS = (8, 16, 24, 32, 40, 48, 64, 80, 128)


def shape(word):
    return ("A" if word[0].isupper() else "a" if word[0].islower() else "0") + ("A" if word.isupper() else "") + ("-" if "-" in word else "") + ("0" if any(c.isdigit() for c in word) else "")


def columns(tokens):
    return {"word": [w.lower() for w, _ in tokens], "suffix": [w.lower()[-3:] for w, _ in tokens], "shape": [shape(w) for w, _ in tokens], "pos": [p for _, p in tokens]}


def vocabularies(train):
    known = {}
    for name in SIZES:
        counts = {}
        for tokens, _ in train:
            for value in columns(tokens)[name]:
                counts[value] = counts.get(value, 0) + 1
        # 0 is the padding, 1 what is rare.
        known[name] = {value: i + 2 for i, value in enumerate(sorted(v for v, n in counts.items() if n > 1))}
    return known


def batches(data, known, tags, size, rng=None):
    """Sentences of about the same length together, padded."""
    groups = {length: [] for length in LENGTHS}
    for i, (tokens, _) in enumerate(data):
        groups[next(length for length in LENGTHS if len(tokens) <= length)].append(i)
    made = []
    for length, members in groups.items():
        if rng is not None:
            rng.shuffle(members)
        made += [(length, members[i : i + size]) for i in range(0, len(members), size)]
    if rng is not None:
        rng.shuffle(made)
    for length, members in made:
        rows = members + [members[0]] * (size - len(members))
        ids = {name: np.zeros((size, length), dtype=np.int32) for name in SIZES}
        targets, lengths = np.zeros((size, length), dtype=np.int32), np.zeros(size, dtype=np.int32)
        for row, i in enumerate(rows):
            tokens, truth = data[i]
            lengths[row] = len(tokens)
            for name, values in columns(tokens).items():
                ids[name][row, : len(tokens)] = [known[name].get(value, 1) for value in values]
            targets[row, : len(tokens)] = [tags.get(tag, 0) for tag in truth]
        weights = np.zeros(size, dtype=np.float32)
        weights[: len(members)] = 1
        yield members, ids, targets, lengths, weights


def start(key, known, labels):
    keys = iter(jax.random.split(key, 16))
    inside = sum(SIZES.values())
    normal = lambda *shape, scale: scale * jax.random.normal(next(keys), shape)
    return {
        **{name: normal(len(known[name]) + 2, size, scale=0.3) for name, size in SIZES.items()},
        "conv": normal(WIDTH, inside, HIDDEN, scale=(2 / (WIDTH * inside)) ** 0.5),
        "bias": jnp.zeros(HIDDEN),
        "out": normal(HIDDEN, labels, scale=HIDDEN**-0.5),
        "transitions": jnp.zeros((labels, labels)),
    }


def scores(parameters, ids, key=None):
    if key is not None:
        keys = jax.random.split(key, 3)
        # Words are sometimes unknown, so that the net learns to do without them.
        ids = ids | {"word": jnp.where(jax.random.bernoulli(keys[0], 0.1, ids["word"].shape), 1, ids["word"])}
    x = jnp.concatenate([parameters[name][ids[name]] for name in SIZES], axis=-1)
    drop = lambda x, k: x if key is None else x * jax.random.bernoulli(keys[k], 0.7, x.shape) / 0.7
    x = jax.lax.conv_general_dilated(drop(x, 1), parameters["conv"], (1,), "SAME", dimension_numbers=("NWC", "WIO", "NWC"))
    return drop(jax.nn.relu(x + parameters["bias"]), 2) @ parameters["out"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--first", type=int)
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--loss", choices=["structured", "softmax"], default="structured")
    arguments = parser.parse_args()
    train, test = ([*sentences(name)][: arguments.first] for name in ("train.txt.gz", "test.txt"))
    known = vocabularies(train)
    names = sorted({tag for _, tags in train for tag in tags})
    tags = {name: i for i, name in enumerate(names)}
    structured = StructuredLoss("chain", labels=len(names))

    def of_structure(parameters, key, ids, targets, lengths, weights):
        values = structured(scores(parameters, ids, key), parameters["transitions"], targets=targets, lengths=lengths)
        return (values * weights).sum() / weights.sum()

    def of_softmax(parameters, key, ids, targets, lengths, weights):
        logs = jax.nn.log_softmax(scores(parameters, ids, key))
        mask = (jnp.arange(targets.shape[1]) < lengths[:, None]) * weights[:, None]
        return -(jnp.take_along_axis(logs, targets[..., None], axis=-1)[..., 0] * mask).sum() / weights.sum()

    def stepper(loss):
        def step(parameters, moments, averages, count, rate, key, *batch):
            value, gradient = jax.value_and_grad(loss)(parameters, key, *batch)
            first, second = moments
            first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, first, gradient)
            second = jax.tree.map(lambda m, g: 0.99 * m + 0.01 * g * g, second, gradient)
            move = lambda p, m, v: p - rate * (m / (1 - 0.9**count)) / (jnp.sqrt(v / (1 - 0.99**count)) + 1e-8)
            parameters = jax.tree.map(move, parameters, first, second)
            averages = jax.tree.map(lambda a, p: 0.998 * a + 0.002 * p, averages, parameters)
            return parameters, (first, second), averages, value

        return jax.jit(step)

    steps = {"structured": stepper(of_structure), "softmax": stepper(of_softmax)}
    score = jax.jit(scores)
    key, rng = jax.random.key(0), np.random.default_rng(0)
    parameters = start(key, known, len(names))
    zeros = jax.tree.map(jnp.zeros_like, parameters)
    moments, averages, count = (zeros, zeros), parameters, 0
    for epoch in range(arguments.epochs):
        begun, total = time.perf_counter(), 0.0
        rate = arguments.rate * (1 - epoch / arguments.epochs)
        for _, *batch in batches(train, known, tags, arguments.batch, rng):
            count += 1
            key, sub = jax.random.split(key)
            parameters, moments, averages, value = steps[arguments.loss](parameters, moments, averages, count, rate, sub, *batch)
            total += float(value)
        truth, predicted = [], []
        for members, ids, _, lengths, _ in batches(test, known, tags, arguments.batch):
            for i, labels in zip(members, structured.decode(score(averages, ids), averages["transitions"], lengths=lengths)):
                truth.append(test[i][1])
                predicted.append([names[label] for label in labels])
        print(f"epoch {epoch + 1}: loss {total:.1f}, chunk F1 {100 * chunk_f1(truth, predicted):.2f}, {time.perf_counter() - begun:.1f} s", flush=True)
    timed = [batch for _, *batch in batches(train, known, tags, arguments.batch) if batch[1].shape[1] == 32][:20]
    for name, step in steps.items():
        run = lambda batch: jax.block_until_ready(step(parameters, moments, averages, count, 0.0, key, *batch)[3])
        run(timed[0])
        took = []
        for batch in timed:
            begun = time.perf_counter()
            run(batch)
            took.append(time.perf_counter() - begun)
        shown = f"{1000 * min(took):.1f} ms at least, {1000 * float(np.median(took)):.1f} ms in the median"
        print(f"{name}: {shown} for a step of {arguments.batch} sentences of up to 32 words")


if __name__ == "__main__":
    main()

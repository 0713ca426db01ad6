#!/usr/bin/env python3
"""Make text in a large hierarchy, of the size of DMOZ or of Wikipedia, to see what training takes.

    python3 benches/hierarchy_scale.py dmoz FOLDER      # 17,221 nodes in a tree, 163,000 examples of about 50 words, 165,000 words
    python3 benches/hierarchy_scale.py swiki FOLDER     # 50,312 nodes with several parents, 456,000 examples, 346,000 words, 1.8 labels each
    maxmargin train hierarchy --train FOLDER/train.svm --hierarchy FOLDER/hierarchy.txt --weights seen --normalize \\
        --no-bias --c-sum 1 --gap 5e-2 --time-limit 3600 --model FOLDER/model        (swiki: --dag, and without --no-bias)

Several nodes per example need the constant feature: without it nothing speaks against a node that no word of a text ever came with.

`--examples N` makes fewer. Each node has words of its own, more of them the deeper it lies; a text has words of the nodes on the way to its label,
and common ones that fall off as those of a language do. The same seed makes the same files.
"""
import argparse, os, random

SIZES = {
    "dmoz": dict(nodes=17_221, parents=1.0, examples=163_000, words=165_000, labels=1.0),
    "swiki": dict(nodes=50_312, parents=1.33, examples=456_000, words=346_000, labels=1.8),
}


def hierarchy(nodes, parents, draw):
    """The parents of each node: a tree whose nodes have about eight children, and edges beside it."""
    above = [[] for _ in range(nodes)]
    for node in range(1, nodes):
        above[node].append(draw.randrange(max(0, node // 8 - 20), node // 8 + 1))
        if node > 50 and draw.random() < parents - 1:
            other = draw.randrange(node // 8 + 1)
            if other not in above[node]:
                above[node].append(other)
    return above


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("size", choices=SIZES)
    parser.add_argument("folder")
    parser.add_argument("--examples", type=int)
    parser.add_argument("--seed", type=int, default=1)
    settings = parser.parse_args()
    size = SIZES[settings.size]
    draw = random.Random(settings.seed)
    os.makedirs(settings.folder, exist_ok=True)
    above = hierarchy(size["nodes"], size["parents"], draw)
    with open(f"{settings.folder}/hierarchy.txt", "w") as out:
        for node, parents in enumerate(above):
            for parent in parents:
                out.write(f"n{parent} n{node}\n")
    inner = {parent for parents in above for parent in parents}
    ends = [node for node in range(size["nodes"]) if node not in inner]
    own = [[draw.randrange(size["words"]) for _ in range(30)] for _ in range(size["nodes"])]

    def way(node):
        while above[node]:
            yield node
            node = draw.choice(above[node])

    with open(f"{settings.folder}/train.svm", "w") as out:
        for _ in range(settings.examples or size["examples"]):
            count = 1 + (draw.random() < size["labels"] - 1) + (draw.random() < (size["labels"] - 1) / 4)
            # Some labels are frequent, most are rare.
            labels = {ends[int(len(ends) * draw.random() ** 2)] for _ in range(count)}
            words = {}
            for label in labels:
                for node in way(label):
                    for word in draw.sample(own[node], 6):
                        words[word] = words.get(word, 0) + 1
            while len(words) < 50:
                word = int(size["words"] ** draw.random())
                words[word] = words.get(word, 0) + 1
            row = " ".join(f"{word + 1}:{count}" for word, count in sorted(words.items()))
            out.write(",".join(f"n{label}" for label in sorted(labels)) + " " + row + "\n")


if __name__ == "__main__":
    main()

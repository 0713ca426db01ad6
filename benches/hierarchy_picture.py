#!/usr/bin/env python3
"""Draws docs/pictures/duplicated-nodes.svg: what a label may spend on its way, before and after a node is there three times.

    python3 benches/hierarchy_picture.py docs/pictures/duplicated-nodes.svg

The α are those of THESIS (6.6) on a tree, in closed form: of what reaches a node it keeps k = r/(1+r), r = S^(1/(ρ−1)), S = Σ E over its children,
E = k^ρ + (1−k)^ρ S; leaves keep all, E = 1.
"""
import sys

RULES = {"HSVM: α = 1": None, "NHSVM, ρ = 2": 2.0, "NHSVM, ρ = 1.2": 1.2}
COLUMN, ROW, TOP, LEVEL, WIDE = 330, 250, 58, 30, 90


def tree(copies):
    """A node b with leaves c and d, beside a leaf a; b is there `copies` times, one below the other. Parents come first."""
    nodes = [("a", None)]
    above = None
    for copy in range(copies):
        nodes.append((f"b{copy + 1}" if copies > 1 else "b", above))
        above = len(nodes) - 1
    return nodes + [("c", above), ("d", above)]


def alphas(nodes, rho):
    if rho is None:
        return [1.0] * len(nodes)
    children = [[k for k, (_, above) in enumerate(nodes) if above == node] for node in range(len(nodes))]
    keep, energy = [1.0] * len(nodes), [1.0] * len(nodes)
    for node in reversed(range(len(nodes))):
        if children[node]:
            total = sum(energy[child] for child in children[node])
            root = total ** (1 / (rho - 1))
            keep[node] = root / (1 + root)
            energy[node] = keep[node] ** rho + (1 - keep[node]) ** rho * total
    alpha, left = [], []
    for node, (_, above) in enumerate(nodes):
        reaches = 1.0 if above is None else left[above]
        alpha.append(keep[node] * reaches)
        left.append(reaches - alpha[-1])
    return alpha


def panel(nodes, alpha, x, y):
    places, depths = {}, {}
    for node, (name, above) in enumerate(nodes):
        depths[node] = 0 if above is None else depths[above] + 1
        column = {"a": 0, "b": 1.6, "c": 1.1, "d": 2.1}[name[0]]
        places[node] = (x + 40 + column * WIDE, y + TOP + depths[node] * 1.25 * LEVEL)
    lines = []
    for node, (_, above) in enumerate(nodes):
        if above is not None:
            (x1, y1), (x2, y2) = places[above], places[node]
            lines.append(f'<line x1="{x1:.0f}" y1="{y1:.0f}" x2="{x2:.0f}" y2="{y2:.0f}" stroke="#999"/>')
    for node, (name, above) in enumerate(nodes):
        cx, cy = places[node]
        lines.append(f'<circle cx="{cx:.0f}" cy="{cy:.0f}" r="{2 + 13 * alpha[node] ** 0.5:.1f}" fill="#4c78a8" fill-opacity="0.75"/>')
        lines.append(f'<text x="{cx + 18:.0f}" y="{cy - 4:.0f}" font-size="12">{name} {alpha[node]:.2f}</text>')
    sums = []
    for node, (name, above) in enumerate(nodes):
        if name[0] != "b":
            total, at = 0.0, node
            while at is not None:
                total, at = total + alpha[at], nodes[at][1]
            sums.append(f"{name}: {total:.0f}")
    lines.append(f'<text x="{x + 10}" y="{y + ROW - 18}" font-size="13">on the way to {", ".join(sums)}</text>')
    return lines


def main():
    out = []
    for row, (title, rho) in enumerate(RULES.items()):
        for column, copies in enumerate((1, 3)):
            x, y = 10 + column * COLUMN, 10 + row * ROW
            nodes = tree(copies)
            alpha = alphas(nodes, rho)
            together = sum(a for (name, _), a in zip(nodes, alpha) if name[0] == "b")
            label = f"{title}" if copies == 1 else f"b three times: together {together:.2f}"
            out.append(f'<text x="{x + 10}" y="{y + 18}" font-size="14" font-weight="bold">{label}</text>')
            out += panel(nodes, alpha, x, y)
    width, height = 20 + 2 * COLUMN, 20 + len(RULES) * ROW
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" font-family="sans-serif">'
    body = "\n".join([head, f'<rect width="{width}" height="{height}" fill="white"/>', *out, "</svg>\n"])
    with open(sys.argv[1], "w") as file:
        file.write(body)


if __name__ == "__main__":
    main()

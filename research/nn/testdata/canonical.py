"""Computes the inputs of canonical networks from positions, in plain Python.

The input is a row: the planes of an observation, as the image that canonical names.

  none    the board as it is
  square  the least of the board's 8 images. A plane is a number, cell c (row by row from 0) counting 2^c; the
          first plane decides
  lines   the same under these 8 and the permutations of 0 ... n-1 that commute with i -> n-1-i, for rows and
          columns alike
  heaps   Nim: heaps in ascending order
  rows    Dawson's chess: runs of open files, longest first, one file apart, from the left

Nim has four binary digits a heap, six above 8 heaps, lowest first, or with heaps: unary a 1 for each counter left
of heap k's 2k+1, and -1 between heaps. Dawson's chess has 1 for each open file. parity appends two parities: of
marks, counters or open files; and of empty cells that complete no line, of heaps or of runs.

canonical.py reads a list of cases in JSON and writes one of [inputs, origins]: where each cell, heap or file of the
image comes from. A case has the kind, canonical, and parity of an encoding, and what is on the board: planes of
cells, counters of heaps, or open files.
"""

import itertools
import json
import sys


def images(n, canonical):
    """Yield the cells that those of each image come from."""
    orders = [list(range(n))]
    if canonical == "square":
        orders.append(orders[0][::-1])
    if canonical == "lines":
        orders = [p for p in itertools.permutations(range(n)) if all(p[n - 1 - i] == n - 1 - p[i] for i in range(n))]
    # The square's symmetries reverse rows and columns apart; those of lines are of both alike, and of one reversed.
    for rows in orders:
        for columns in (rows, rows[::-1]) if canonical != "none" else (rows,):
            yield [r * n + c for r in rows for c in columns]
            if canonical != "none":
                yield [c * n + r for r in rows for c in columns]


def grid(planes, canonical, parity):
    n = int(len(planes[0]) ** 0.5)
    number = lambda origin: [sum(plane[from_] << to for to, from_ in enumerate(origin)) for plane in planes]  # noqa: E731
    origin = min(images(n, canonical), key=number)
    inputs = [plane[from_] for plane in planes for from_ in origin]
    if parity:
        marked = planes[0]
        lines = [[r * n + c for c in range(n)] for r in range(n)] + [[r * n + c for r in range(n)] for c in range(n)]
        lines += [[i * n + i for i in range(n)], [i * n + n - 1 - i for i in range(n)]]
        last = {c for line in lines for c in line if sum(marked[d] for d in line) >= n - 1}
        inputs += [sum(marked) % 2, sum(not m and c not in last for c, m in enumerate(marked)) % 2]
    return inputs, origin


def heaps(counters, canonical, parity, unary):
    origin = sorted(range(len(counters)), key=lambda k: counters[k]) if canonical == "heaps" else list(range(len(counters)))
    inputs = []
    for place, k in enumerate(origin):
        if unary:
            most = 2 * place + 1
            inputs += [-1] * (place > 0) + [int(i < counters[k]) for i in range(most)]
        else:
            inputs += [counters[k] >> bit & 1 for bit in range(4)]
    return inputs + ([sum(counters) % 2, sum(c > 0 for c in counters) % 2] if parity else []), origin


def files(opened, canonical, parity):
    runs = [list(run) for is_open, run in itertools.groupby(range(len(opened)), key=lambda f: opened[f]) if is_open]
    inputs, origin = list(opened), list(range(len(opened)))
    if canonical == "rows":
        inputs, at = [0] * len(opened), 0
        for run in sorted(runs, key=len, reverse=True):
            for file in run:
                inputs[at], origin[at], at = 1, file, at + 1
            at += 1
    return inputs + ([sum(opened) % 2, len(runs) % 2] if parity else []), origin


if __name__ == "__main__":
    kinds = {"grid": grid, "heaps": heaps, "files": files}
    json.dump([kinds[case.pop("kind")](**case) for case in json.load(sys.stdin)], sys.stdout)

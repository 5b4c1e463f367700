"""The digest of docs/reference/digest.md in plain Python: rules, notation and indexes without the library."""

import hashlib
import itertools
import os
import unittest
from pathlib import Path

from support import Notakto, Quixo, TicTacToe

GOLDEN = Path(__file__).parents[2] / "internal/probe/testdata/digests.txt"
POSITIONS = int(os.environ.get("BACKSOLVE_DIGEST", "2000"))


def split_mix(state=1):
    """Yield the numbers of SplitMix64."""
    while True:
        state = (state + 0x9E3779B97F4A7C15) % 2**64
        z = state
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
        yield z ^ z >> 31


def square_symmetries(n):
    """Return the eight symmetries of the square: where each cell goes."""
    images = [lambda r, c: (r, c), lambda r, c: (c, n - 1 - r), lambda r, c: (n - 1 - r, n - 1 - c), lambda r, c: (n - 1 - c, r)]
    mirrored = [lambda r, c, f=f: f(r, n - 1 - c) for f in images]
    return [[r * n + c for r, c in (f(*divmod(cell, n)) for cell in range(n * n))] for f in images + mirrored]


def line_symmetries(n):
    """Return the permutations of rows and columns alike that keep mirror images, with the transposition."""
    result = []
    for sigma in itertools.permutations(range(n)):
        if all(sigma[n - 1 - i] == n - 1 - sigma[i] for i in range(n)):
            result.append([sigma[cell // n] * n + sigma[cell % n] for cell in range(n * n)])
            result.append([sigma[cell % n] * n + sigma[cell // n] for cell in range(n * n)])
    for i in range(n // 2):  # a row's mirror image, without the column's
        flips = []
        for p in square_symmetries(n):
            flips += [[p[to] for to in q] for q in result]
        result = [list(p) for p in {tuple(p) for p in result + flips}]
    return result


def two_marks_index(rules):
    """Number the cells for a mask of marked cells, and for the marks of the player who moved last."""
    n, cells = rules.n, range(rules.n**2)
    inner = [c for c in cells if 0 < c // n < n - 1 and 0 < c % n < n - 1]
    order = inner + [c for c in cells if c not in inner] if isinstance(rules, Quixo) else list(cells)
    bit = {c: i for i, c in enumerate(order)}
    group = square_symmetries(n)

    def index(text):
        board, mark = rules.read(text)
        best = None
        for p in group:
            marked = sorted((bit[p[c]], board[c]) for c in cells if board[c] != ".")
            mask = sum(1 << b for b, _ in marked)
            last = sum(1 << i for i, (_, m) in enumerate(marked) if m != mark)
            best = min(best or (mask, last), (mask, last))
        return f"{bin(best[0]).count('1')} {best[0]} {best[1]}"

    return index


def notakto_index(rules):
    """Divide the cells between mask and index: the diagonals, and the middle lines of odd boards, are the index."""
    n = rules.n
    cells = [i * n + i for i in range(n)] + [i * n + n - 1 - i for i in range(n)]
    if n % 2 == 1:
        cells += [c for i in range(n) for c in (n // 2 * n + i, i * n + n // 2)]
    inner = list(dict.fromkeys(cells))
    outer = [c for c in range(n * n) if c not in inner]
    group = line_symmetries(n)

    def index(text):
        board, _ = rules.read(text)
        best = min(
            (sum(1 << outer.index(p[c]) for c in outer if board[c] == "X"), sum(1 << inner.index(p[c]) for c in inner if board[c] == "X"))
            for p in group
        )
        return f"{bin(best[0]).count('1')} {best[0]} {best[1]}"

    return index


def digest(rules, index, positions):
    """Return the digest of a game."""
    numbers, hashed, text = split_mix(), hashlib.sha256(), rules.start
    for _ in range(positions):
        result = rules.result(text)
        moves = rules.moves(text)
        names = sorted(moves)
        hashed.update(f"{text}\t{index(text)}\t{result or ' '.join(names)}\n".encode())
        text = rules.start if result else moves[names[next(numbers) % len(names)]]
    return hashed.hexdigest()


class Digests(unittest.TestCase):
    def test_golden(self):
        golden = dict(line.split() for line in GOLDEN.read_text().splitlines())
        games = {"tictactoe": (TicTacToe, two_marks_index), "quixo": (Quixo, two_marks_index), "notakto": (Notakto, notakto_index)}
        compared = 0
        for board, want in golden.items():
            game, _, size = board.partition(":")
            if game in games and size.isdigit():
                rules, index = games[game]
                rules = rules(int(size))
                got = digest(rules, index(rules), POSITIONS)
                compared += 1
                if POSITIONS != 2000:
                    print(board, got)
                else:
                    self.assertEqual(got, want, board)
        self.assertEqual(compared, 8)

    def test_symmetries(self):
        """There are as many symmetries of lines as are known."""
        for n, want in ((3, 8), (4, 32), (5, 32)):
            self.assertEqual(len(line_symmetries(n)), want)
            rules = Notakto(n)
            lines = {frozenset(line) for line in rules.lines}
            for p in line_symmetries(n):
                self.assertEqual({frozenset(p[c] for c in line) for line in lines}, lines)


if __name__ == "__main__":
    unittest.main()

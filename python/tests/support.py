"""Tables for the tests, solved once, and rules in plain Python that know nothing of the library."""

import atexit
import functools
import tempfile

import backsolve

_directory = tempfile.TemporaryDirectory()
atexit.register(_directory.cleanup)
TABLES = _directory.name


@functools.lru_cache(None)
def table(board):
    """Return the open table of a board."""
    return backsolve.solve(board, dir=TABLES, steps=True, nimbers=board.startswith("notakto"))


class Rules:
    """A game on n x n cells. A position is a text as the library writes it."""

    marks = 2

    def __init__(self, n):
        self.n = n
        self.start = "/".join(["." * n] * n) + (" x" if self.marks == 2 else "")
        rows = [[r * n + c for c in range(n)] for r in range(n)]
        self.lines = rows + [list(c) for c in zip(*rows)] + [[i * n + i for i in range(n)], [i * n + n - 1 - i for i in range(n)]]

    def read(self, text):
        """Return the cells and the mark of the player to move."""
        board, _, side = text.partition(" ")
        return list(board.replace("/", "")), (side or "x").upper()

    def write(self, cells, mark):
        rows = ["".join(cells[i : i + self.n]) for i in range(0, len(cells), self.n)]
        return "/".join(rows) + (f" {mark.lower()}" if self.marks == 2 else "")

    def has_line(self, cells, mark):
        return any(all(cells[i] == mark for i in line) for line in self.lines)

    def name(self, cell):
        return "abcdefgh"[cell % self.n] + str(self.n - cell // self.n)

    def moves(self, text):
        """Return the positions after the moves, by the texts of the moves."""
        if self.result(text) is not None:
            return {}
        cells, mark = self.read(text)
        other = "O" if mark == "X" and self.marks == 2 else "X"
        return {name: self.write(after, other) for name, after in self.steps(cells, mark)}

    def steps(self, cells, mark):
        for i, cell in enumerate(cells):
            if cell == ".":
                yield self.name(i), [*cells[:i], mark, *cells[i + 1 :]]


class TicTacToe(Rules):
    def result(self, text):
        cells, mark = self.read(text)
        if self.has_line(cells, mark):
            return "win"
        if self.has_line(cells, "O" if mark == "X" else "X"):
            return "lose"
        return None if "." in cells else "draw"


class Notakto(Rules):
    marks = 1

    def result(self, text):
        return "win" if self.has_line(self.read(text)[0], "X") else None


class Quixo(Rules):
    def result(self, text):
        cells, mark = self.read(text)
        if self.has_line(cells, mark):
            return "win"
        return "lose" if self.has_line(cells, "O" if mark == "X" else "X") else None

    def steps(self, cells, mark):
        n = self.n
        for at in range(n * n):
            r, c = divmod(at, n)
            if (0 < r < n - 1 and 0 < c < n - 1) or cells[at] not in (".", mark):
                continue
            for to in {r * n, r * n + n - 1, c, (n - 1) * n + c} - {at}:
                step = (1 if to // n == r else n) * (1 if to > at else -1)
                after = list(cells)
                for i in range(at, to, step):
                    after[i] = cells[i + step]
                after[to] = mark
                yield self.name(at) + self.name(to), after


def solved(rules):
    """Solve a game without repetition: return its positions with outcome and steps."""
    values = {}

    def value(text):
        if text not in values:
            result = rules.result(text)
            if result is not None:
                values[text] = (result, -1 if result == "draw" else 0)
            else:
                after = [value(t) for t in rules.moves(text).values()]
                lost = [s for o, s in after if o == "lose"]
                won = [s for o, s in after if o == "win"]
                if lost:
                    values[text] = ("win", min(lost) + 1)
                elif len(won) < len(after):
                    values[text] = ("draw", -1)
                else:
                    values[text] = ("lose", max(won) + 1)
        return values[text]

    value(rules.start)
    return values

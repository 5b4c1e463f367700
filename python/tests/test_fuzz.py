"""Random calls with random arguments: none may crash, hang or leak. BACKSOLVE_FUZZ has the seconds, 2 by default."""

import os
import resource
import sys
import time
import unittest

import numpy as np

import backsolve
from backsolve import Games, Table
from support import TABLES, table
from test_games import BOARDS, random_actions

SECONDS = float(os.environ.get("BACKSOLVE_FUZZ", "2"))


def memory():
    """Return the bytes that are resident, or the most there ever were where that is not known."""
    try:
        with open("/proc/self/statm") as statm:
            return int(statm.read().split()[1]) * resource.getpagesize()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


class Fuzz(unittest.TestCase):
    def setUp(self):
        self.random = np.random.default_rng(int(os.environ.get("BACKSOLVE_SEED", "1")))
        self.tables = [table(board) for board in ("quixo:3", "tictactoe:3", "notakto:3")]
        self.games = [Games(board, count=3) for board in BOARDS]

    def text(self, valid):
        """Return a position, often a damaged one."""
        letters = list(valid)
        for _ in range(int(self.random.integers(3))):
            at = int(self.random.integers(len(letters) + 1))
            letters[at : at + int(self.random.integers(3))] = self.random.choice(list("XO.xo/ \u00e4\u2603?-9+"), int(self.random.integers(3))).tolist()
        return "".join(letters)

    def numbers(self, shape):
        """Return integers, mostly small ones, of some type."""
        most = int(self.random.choice([2, 10, 600, 1 << 31, 1 << 62]))
        return self.random.integers(-1 if self.random.random() < 0.3 else 0, most, shape).astype(self.random.choice([np.int64, np.uint64, np.int32]))

    def ask_table(self):
        t = self.tables[int(self.random.integers(len(self.tables)))]
        text = self.text(t.start)
        call = self.random.integers(9)
        if call == 0:
            t.values(self.numbers((int(self.random.integers(600)), int(self.random.integers(5)))))
        elif call == 1:
            t.values([self.text(t.start) for _ in range(int(self.random.integers(5)))])
        elif call == 2:
            t.moves(text), t.best(text), t.nimber(text)
        elif call == 3:
            t.play(text, self.text("a1b2"))
        elif call == 4:
            t.line(text, int(self.random.integers(30)))
        elif call == 5:
            for _ in t.states(int(self.random.integers(1, 4000)), int(self.random.integers(3000))):
                pass
        elif call == 6:
            t.format(self.numbers((int(self.random.integers(6)), 3)))
        elif call == 7:
            Table.open(self.text("quixo:3"), dir=TABLES).value(text)
        else:
            with Table.open("quixo:3", dir=TABLES) as opened:
                opened.value(text)

    def ask_games(self):
        at = int(self.random.integers(len(self.games)))
        games = self.games[at]
        call = self.random.integers(7)
        if call < 3:
            games.step(random_actions(games.observe(), self.random))
        elif call == 3:
            games.step(self.numbers(int(self.random.integers(2, 5))))
        elif call == 4:
            games.set([self.text(position) for position in games.positions()])
        elif call == 5:
            games.moves(int(self.random.integers(-1, 4))), games.draw(int(self.random.integers(1 << 62)))
        elif self.random.random() < 0.2:
            self.games[at] = Games(self.text(BOARDS[at]) if self.random.random() < 0.3 else BOARDS[at], count=3)
        elif games.game in ("quixo", "tictactoe", "notakto", "nim") and games.num_actions < 40:
            games.rate(TABLES)

    def test_fuzz(self):
        refused = answered = 0
        start, end, before = time.monotonic(), time.monotonic() + SECONDS, 0
        while time.monotonic() < end:
            if before == 0 and time.monotonic() > start + SECONDS / 3:
                before = memory()
            try:
                self.ask_table() if self.random.random() < 0.5 else self.ask_games()
                answered += 1
            except (backsolve.BacksolveError, OverflowError):
                refused += 1
        after = memory()
        grown = after - before
        self.assertGreater(min(refused, answered), 10)
        self.assertLess(grown, 48 << 20, f"{grown >> 20} MiB more after {answered + refused} calls")
        if SECONDS > 10:
            print(f"{answered} calls answered, {refused} refused; {before / 2**20:.1f} MiB resident after a third of the time, {after / 2**20:.1f} MiB at the end")


if __name__ == "__main__":
    unittest.main()

"""Games of one's own, against rules in plain Python and tables."""

import tempfile
import unittest
from pathlib import Path

import numpy as np

import backsolve
from backsolve import GOES_ON, Outcome, solve_batched, solve_rules
from support import Notakto, Quixo, TicTacToe, solved, table

WASM = Path(__file__).parents[2] / "game" / "wasm" / "testdata"


class Take:
    """Players take one to three of 21 counters; whoever takes the last one wins."""

    def start(self):
        return 21

    def expand(self, keys):
        counts = np.minimum(keys, 3).astype(int)
        return np.where(keys == 0, Outcome.LOSE, GOES_ON), counts, [k - n for k, most in zip(keys.tolist(), counts.tolist()) for n in range(1, most + 1)]


class Texts:
    """Rules in plain Python, whose positions get keys as they come."""

    def __init__(self, rules):
        self.rules, self.texts, self.keys = rules, [], {}

    def key(self, text):
        if text not in self.keys:
            self.keys[text] = len(self.texts)
            self.texts.append(text)
        return self.keys[text]

    def start(self):
        return self.key(self.rules.start)

    def expand(self, keys):
        texts = [self.texts[k] for k in keys.tolist()]
        results = [self.rules.result(t) for t in texts]
        after = [[self.key(t) for t in self.rules.moves(text).values()] for text in texts]
        return [GOES_ON if r is None else Outcome[r.upper()] for r in results], [len(a) for a in after], sum(after, [])


class Files(unittest.TestCase):
    def test_file(self):
        """A file of rules has a table, which says what arrays say, and is found again."""
        with tempfile.TemporaryDirectory() as directory:
            for _ in range(2):
                with solve_rules(WASM / "take21.wasm", directory) as take:
                    solution = solve_batched(Take())
                    self.assertEqual([take.value(f"{k:02}") for k in range(22)], [solution.value(k) for k in range(22)])
            with self.assertRaisesRegex(backsolve.BacksolveError, "at 9: the rules are wrong: expand does not end"):
                solve_rules(WASM / "endless.wasm", directory)
            with self.assertRaises(backsolve.BacksolveError):
                solve_rules(Path(directory) / "none.wasm", directory)


class Batched(unittest.TestCase):
    def test_without_repetition(self):
        for rules in (TicTacToe(3), Notakto(3)):
            texts, want = Texts(rules), solved(rules)
            solution = solve_batched(texts)
            self.assertEqual(len(solution.keys), len(want))
            for text, (outcome, steps) in want.items():
                self.assertEqual(solution.value(texts.keys[text]), (Outcome[outcome.upper()], steps), text)

    def test_with_repetition(self):
        texts = Texts(Quixo(3))
        solution = solve_batched(texts)
        values = table("quixo:3").values(texts.texts)
        np.testing.assert_array_equal(solution.keys, np.arange(len(texts.texts)))
        np.testing.assert_array_equal(solution.outcome, values.outcome)
        np.testing.assert_array_equal(solution.steps, values.steps)

    def test_refusals(self):
        with self.assertRaisesRegex(backsolve.InputError, "more than 5 positions"):
            solve_batched(Take(), most=5)
        with self.assertRaisesRegex(backsolve.InputError, "no play reaches the position 99"):
            solve_batched(Take()).value(99)

        class Wrong(Take):
            def expand(self, keys):
                ends, counts, children = super().expand(keys)
                return ends, counts, children[:-1]

        with self.assertRaisesRegex(backsolve.InputError, "does not fit together"):
            solve_batched(Wrong())


if __name__ == "__main__":
    unittest.main()

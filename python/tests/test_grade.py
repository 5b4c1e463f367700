import io
import unittest
from unittest import mock

import numpy as np

import backsolve
from backsolve import Games, Walk, grade
from support import TABLES, table


def first(observations, legal):
    """Play the first legal action."""
    return legal


def perfect(board, worst=False):
    """Return a policy that plays a best action by the table of a board of cells, or a worst one."""
    games = Games(board, count=512)
    rows, columns = games.observation_shape[1:]

    def policy(observations, legal):
        texts = []
        for planes in observations:
            cells = np.where(planes[0] > 0, "X", np.where(planes[-1] > 0, "O", ".")) if len(planes) > 1 else np.where(planes[0] > 0, "X", ".")
            texts.append("/".join("".join(row) for row in cells) + (" x" if len(planes) > 1 else ""))
        out, values = [], []
        for at in range(0, len(texts), games.count):
            games.set(texts[at : at + games.count])
            r = games.rate(TABLES)
            n = len(texts[at : at + games.count])
            # A win in few steps is best, then a draw, then a loss in many.
            worth = np.choose(np.maximum(r.action_outcome[:n], 0), [0, 1000 - r.action_steps[:n], r.action_steps[:n] - 1000]).astype(float)
            out.append(-worth if worst else worth)
            values.append(np.choose(r.outcome[:n], [0.0, 1.0, -1.0]))
        return np.concatenate(out), np.concatenate(values)

    return policy


class Grades(unittest.TestCase):
    def test_as_learn_grade(self):
        """The first legal action has the grade that lab grade gives to an engine that plays it."""
        table("tictactoe:3"), table("notakto:3")
        g = grade(first, "tictactoe", 3, TABLES)
        self.assertEqual(g.all[0], 4520)
        np.testing.assert_allclose(g.all[1:5], [0.5865044247787611, 0.5796502317741257, 0.5015486725663717, 0.49407501053518743], rtol=1e-12)
        self.assertEqual(g.won[0], 2836)
        np.testing.assert_allclose(g.won[1:5], [0.5222143864598026, 0.5100678353146617, 0.41678420310296194, 0.4068708442474309], rtol=1e-12)
        self.assertIsNone(g.all.sign)
        self.assertEqual([w[:5] for w in g.champion], [(0, False, 74, 68, 18), (1, False, 158, 116, 61)])
        self.assertEqual([len(w.line) for w in g.champion], [6, 5])
        g = grade(first, "notakto", 3, TABLES, batch=7)
        self.assertEqual(g.all[0], 230)
        np.testing.assert_allclose(g.all[1:5], [0.48695652173913045, 0.5176673567977915, 0.3695652173913043, 0.42164251207729475], rtol=1e-12)
        self.assertEqual([w[:5] for w in g.champion], [(0, False, 21, 15, 14)])
        self.assertEqual(len(g.champion[0].line), 3)

    def test_drawn_states(self):
        """Drawn states are those of lab grade quixo 3 --states 2000 --seed 5."""
        table("quixo:3")
        g = grade(first, "quixo", 3, TABLES, states=2000, seed=5, champion=False)
        self.assertEqual((g.all.states, g.won.states, g.champion), (2000, 1495, []))
        np.testing.assert_allclose([g.all.random, g.all.random_strict], [0.671594083326804, 0.3712724136566049], rtol=1e-12)
        np.testing.assert_allclose([g.won.random, g.won.random_strict], [0.5606609810392026, 0.30248767888941014], rtol=1e-12)

    def test_lines(self):
        """The line of a lost walk can be played, and ends worse than the start is worth."""
        t = table("tictactoe:3")
        for walk in grade(first, "tictactoe", 3, TABLES).champion:
            position, sides = t.start, 0
            for move in walk.line:
                if sides % 2 == walk.side:
                    self.assertEqual(move, min(t.legal(position), key=lambda m: (-int(m[1]), m[0])))
                position, sides = t.play(position, move), sides + 1
            self.assertEqual(t.value(position).outcome, backsolve.Outcome.LOSE)
            self.assertEqual(sides % 2, walk.side)

    def test_perfect(self):
        for board in ("tictactoe:3", "notakto:3"):
            table(board)
            g = grade(perfect(board), board, dir=TABLES)
            self.assertEqual((g.all.keep, g.all.strict, g.all.sign, g.won.keep), (1, 1, 1, 1))
            self.assertTrue(all(w.champion and w.wrong == 0 and w.kept == w.states and w.line == [] for w in g.champion))
        g = grade(perfect("tictactoe:3", worst=True), "tictactoe:3", dir=TABLES)
        self.assertLess(g.all.keep, g.all.random)
        self.assertFalse(any(w.champion for w in g.champion))
        self.assertIsInstance(g.champion[0], Walk)

    def test_without_a_table(self):
        """Nim is graded by its formula."""
        self.assertEqual(grade(first, "nim", 3).all.states > 10, True)

    def test_wrong_policies(self):
        table("tictactoe:3")
        for wrong in (lambda o, m: m[:, :5], lambda o, m: m * np.nan, lambda o, m: (m, np.full(len(m), np.nan)), lambda o, m: (m, np.zeros(3)), lambda o, m: m[0]):
            with self.assertRaises(backsolve.InputError):
                grade(wrong, "tictactoe", 3, TABLES)
        with self.assertRaises(backsolve.InputError):
            grade(first, "tictactoe", 3, TABLES, most=100)
        with self.assertRaises(backsolve.InputError):
            grade(first, "tictactoe", 3, TABLES, states=-1)
        with self.assertRaises(FileNotFoundError):
            grade(first, "quixo", 5, TABLES, states=10, champion=False)

    def test_engine(self):
        """A policy plays as an engine: it is asked in any position, and plays the best legal action."""
        said = io.StringIO()
        asked = "ugi\nuginewgame\nisready\nposition startpos\ngo movetime 10\nposition fen X../.O./... x\ngo\n\nnonsense\nquit\ngo\n"
        with mock.patch("sys.stdin", io.StringIO(asked)), mock.patch("sys.stdout", said):
            backsolve.play(first, "tictactoe", 3)
        self.assertEqual(said.getvalue().split("\n"), ["id name backsolve.play", "ugiok", "readyok", "bestmove a3", "bestmove b3", ""])


if __name__ == "__main__":
    unittest.main()

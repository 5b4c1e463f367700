import os
import unittest

import numpy as np

import backsolve
from backsolve import LEAVE, Games
from support import TABLES, Notakto, Quixo, TicTacToe, table

# A board of each game that there is.
BOARDS = [
    "quixo:3", "quixo:3x4", "quixo:5", "notakto:3", "notakto:4x5", "notakto:5x5,torus", "notakto:12", "notakto:3+3+3", "notakto:3+4", "tictactoe:3", "tictactoe:4",
    "othello:4", "othello:6", "uttt:9", "nim:4", "nim-misere:3", "dawson:9", "dawson-normal:9", "connect4-4x4:1", "dobutsu:1",
    "morris-4:1", "teeko-4:1", "hounds:1",
]  # fmt: skip


def random_actions(view, generator):
    """Return a random legal action of each game, LEAVE where it is over."""
    actions = np.where(view.legal, generator.random(view.legal.shape), -1).argmax(axis=1)
    return np.where(view.legal.any(axis=1), actions, LEAVE)


class EveryGame(unittest.TestCase):
    def test_random_play(self):
        """Games of every board end, say whose turn it is, and do the same again."""
        for board in BOARDS:
            with self.subTest(board):
                games, again = Games(board, count=8), Games(board, count=8)
                generator, seen, ended = np.random.default_rng(1), {}, False
                for _ in range(200):
                    view = games.observe()
                    self.assertEqual(view.observation.shape, (8, *games.observation_shape))
                    self.assertEqual(view.observation.dtype, np.uint8)
                    self.assertEqual(view.legal.shape, (8, games.num_actions))
                    np.testing.assert_array_equal(view.legal.any(axis=1), view.result < 0)
                    again.set(games.positions())
                    for one, other in zip(view, again.observe()):
                        np.testing.assert_array_equal(one, other)
                    # What a player sees says what the position is.
                    for look, legal, turn, text, result in zip(view.observation, view.legal, view.turn, view.position, view.result):
                        if result < 0:
                            self.assertEqual(seen.setdefault((look.tobytes(), legal.tobytes(), int(turn)), text), text)
                    ended = ended or bool((view.result >= 0).all())
                    actions = random_actions(view, generator)
                    games.step(actions)
                    if ended:
                        break
                self.assertTrue(ended or board in ("dobutsu:1", "quixo:5", "quixo:3x4", "teeko-4:1", "morris-4:1", "hounds:1"))

    def test_against_plain_python(self):
        """Positions, legal moves, turns and results are those of rules in plain Python."""
        for board, rules in (("tictactoe:3", TicTacToe(3)), ("tictactoe:4", TicTacToe(4)), ("notakto:4", Notakto(4)), ("quixo:3", Quixo(3)), ("quixo:4", Quixo(4))):
            games, generator = Games(board, count=20), np.random.default_rng(2)
            for _ in range(25):
                view = games.observe()
                for i, text in enumerate(games.positions()):
                    want = rules.moves(text)
                    names = games.moves(i)
                    self.assertEqual({name for name in names if name}, set(want))
                    self.assertEqual([bool(name) for name in names], view.legal[i].tolist())
                    np.testing.assert_array_equal(games.legal_actions(i), np.flatnonzero(view.legal[i]))
                    result = {"draw": 0, "win": 1, "lose": 2, None: -1}[rules.result(text)]
                    self.assertEqual(view.result[i], result)
                    cells, mark = rules.read(text)
                    planes = [[c == mark for c in cells], [c not in (mark, ".") for c in cells]][: rules.marks]
                    np.testing.assert_array_equal(view.observation[i].reshape(rules.marks, -1), planes)
                actions, before = random_actions(view, generator), games.positions()
                names = [games.moves(i)[a] if a >= 0 else None for i, a in enumerate(actions)]
                games.step(actions)
                for text, name, after in zip(before, names, games.positions()):
                    self.assertEqual(after, text if name is None else rules.moves(text)[name])

    def test_observations(self):
        """Observations of games with other boards than grids."""
        nim = Games("nim", 3)
        nim.set("1/0/4 o")
        np.testing.assert_array_equal(nim.observe().observation, [[[[1, 0, 4]]]])
        nine = Games("uttt", 9)
        nine.step([0])
        view = nine.observe()
        self.assertEqual(view.observation[0].sum(axis=(1, 2)).tolist(), [0, 1, 8])
        np.testing.assert_array_equal(view.observation[0, 2].reshape(-1), view.legal[0])
        files = Games("dawson", 5)
        files.step([2])
        np.testing.assert_array_equal(files.observe().observation, [[[[0, 0, 1, 0, 0]]]])
        four = Games("connect4-4x4", 1)
        self.assertTrue(four.numbered)
        self.assertEqual(bytes(four.observe().observation[0, 0, 0]).rstrip(b"\0").decode(), four.positions()[0])


class Errors(unittest.TestCase):
    def test_nothing_changes(self):
        games = Games("tictactoe", 3, 2)
        games.step([4, LEAVE])
        before = games.positions()
        for wrong in ([0, 9], [4, 0], [0, -2], [0], [[0, 1]], [0.0, 1.0], [0, 1 << 40], None, "ab"):
            with self.assertRaises(backsolve.InputError):
                games.step(wrong)
        for wrong in (["?", "?"], ["X", ""], [".../.../... x"] * 3, "äöü", [1, 2]):
            with self.assertRaises(backsolve.InputError):
                games.set(wrong)
        with self.assertRaises(backsolve.InputError):
            games.reset([True])
        for wrong in (-1, 2):
            with self.assertRaises(backsolve.InputError):
                games.moves(wrong)
        self.assertEqual(games.positions(), before)
        games.reset([True, False])
        self.assertEqual(games.positions(), [".../.../... x"] * 2)
        games.set("startpos moves b2 a1")
        self.assertEqual(games.positions(), [".../.X./O.. x"] * 2)
        games.set(["X../.../... o"])
        self.assertEqual(games.positions(), ["X../.../... o", ".../.X./O.. x"])

    def test_begin(self):
        for wrong in ("", "quixo", "quixo:1", "chess:8", "quixo:4\0"):
            with self.assertRaises(backsolve.InputError):
                Games(wrong)
        for count in (0, -1, 1 << 24 | 1):
            with self.assertRaises(backsolve.InputError):
                Games("quixo", 3, count)
        with Games("quixo", 3) as games:
            pass
        games.close()
        with self.assertRaises(backsolve.ClosedError):
            games.observe()


class Ratings(unittest.TestCase):
    def test_rate(self):
        """Values of drawn positions and of their actions are those of the table."""
        for board in ("quixo:3", "tictactoe:3", "notakto:3"):
            t, games = table(board), Games(board, count=50)
            games.draw(1)
            drawn = games.positions()
            self.assertTrue((games.observe().result < 0).all())
            ratings = games.rate(TABLES)
            for i, text in enumerate(drawn):
                self.assertEqual((ratings.outcome[i], ratings.steps[i]), t.value(text))
                names = games.moves(i)
                want = {m.move: (m.outcome, m.steps) for m in t.moves(text)}
                got = {n: (o, s) for n, o, s in zip(names, ratings.action_outcome[i], ratings.action_steps[i]) if n}
                self.assertEqual(got, want)
                self.assertTrue(all(o == LEAVE for n, o in zip(names, ratings.action_outcome[i]) if not n))
            np.testing.assert_array_equal(games.values(TABLES).steps, ratings.steps)
            games.draw(1)
            self.assertEqual(games.positions(), drawn)

    def test_without_tables(self):
        nim = Games("nim", 3)
        self.assertEqual(nim.values(os.devnull).outcome[0], backsolve.Outcome.WIN)
        with self.assertRaises(backsolve.TableNotFoundError):
            Games("quixo", 5).rate(TABLES)
        with self.assertRaises(backsolve.InputError):
            nim.draw(1)


if __name__ == "__main__":
    unittest.main()

"""Copies of objects with a native handle are independent: tables, games and environments."""

import copy
import gc
import multiprocessing
import os
import pickle
import shutil
import tempfile
import unittest

import numpy as np

import backsolve
from backsolve import AECEnv, Env, Games, PerfectOpponent, Table, VectorEnv, random_opponent
from support import TABLES, table

COPIES = {
    "deepcopy": copy.deepcopy, "copy": copy.copy, "pickle": lambda x: pickle.loads(pickle.dumps(x)), "clone": lambda x: x.clone(),
}  # fmt: skip


def position(player):
    """Return the positions of games or of an environment."""
    return (player if isinstance(player, Games) else player._games).positions()


def advance(player):
    """Play the first legal action of each game."""
    if isinstance(player, Games):
        player.step(player.observe().legal.argmax(axis=1))
    elif isinstance(player, VectorEnv):
        player.step(player.action_masks().argmax(axis=1))
    else:
        player.step(int(player.legal_actions()[0]))


class Copies(unittest.TestCase):
    def makers(self, board):
        return (
            lambda: Games(board, count=3),
            lambda: Env(board, max_plies=50),
            lambda: Env(board, opponent=random_opponent, side=1, max_plies=50),
            lambda: VectorEnv(board, num_envs=3, max_plies=50),
            lambda: AECEnv(board, max_plies=50),
        )

    def test_are_independent(self):
        """A copy begins where the original stands, plays on as it would have, and does not move it."""
        for board in ("quixo:3", "othello:4", "uttt:9", "nim:4", "dobutsu:1"):
            for make in self.makers(board):
                original = make()
                original.reset(**({} if isinstance(original, Games) else {"seed": 6}))
                advance(original)
                before = position(original)
                for name, copied in COPIES.items():
                    with self.subTest(board, original=type(original).__name__, copy=name):
                        its = copied(original)
                        self.assertEqual(position(its), before)
                        advance(its)
                        self.assertEqual(position(original), before)
                        self.assertNotEqual(position(its), before)
                        again = copied(original)
                        advance(again)
                        self.assertEqual(position(again), position(its))  # its opponent draws the same
                expected = position(its)
                del its, again
                gc.collect()
                advance(original)
                self.assertEqual(position(original), expected)

    def test_outlive_the_original(self):
        for make in self.makers("quixo:3"):
            original = make()
            original.reset()
            its = copy.deepcopy(original)
            original.close()
            del original
            gc.collect()
            advance(its)
            with self.assertRaises(backsolve.ClosedError):
                its.close()
                copy.copy(its)

    def test_spaces(self):
        """Samples of a copy do not change those of the original."""
        env = Env("tictactoe", 3)
        env.action_space.seed(1)
        its = env.clone()
        want = [its.action_space.sample() for _ in range(9)]
        self.assertEqual([env.action_space.sample() for _ in range(9)], want)

    def test_states(self):
        """set_state restores a state, including the generator and whether the game is over."""
        env = Env("tictactoe", 3, opponent=random_opponent)
        env.reset(seed=3)
        start, games = pickle.loads(pickle.dumps(env.state())), []
        for _ in range(2):
            env.set_state(start)
            game, over = [], False
            while not over:
                observation, reward, terminated, truncated, info = env.step(int(env.legal_actions()[0]))
                game.append((observation.tobytes(), reward, env.position(), env.np_random.random()))
                over = terminated or truncated
            games.append(game)
        self.assertEqual(*games)
        end = env.state()
        env.reset()
        env.set_state(end)
        with self.assertRaisesRegex(backsolve.InputError, "over"):
            env.step(0)
        many = VectorEnv("tictactoe", 3, num_envs=2)
        many.reset()
        before = many.state()
        for action in (0, 1, 2):
            many.step([action, action + 3])
        many.set_state(before)
        self.assertEqual(many.games.positions(), [".../.../... x"] * 2)
        self.assertEqual(many.step([0, 0])[1].tolist(), [0, 0])
        for other in (env.state(), VectorEnv("tictactoe", 3, num_envs=3).state(), VectorEnv("quixo", 3, num_envs=2).state()):
            with self.assertRaises(backsolve.InputError):
                many.set_state(other)


def value_there(t, board):
    """Open another table first, then answer from the one that was sent: its value, its description, and an opponent's action."""
    other = Table.open(board, None, TABLES_HERE)
    env = Env("tictactoe", 3, opponent=PerfectOpponent(TABLES_HERE), side=1)
    env.reset(seed=1)
    return t.value(t.start), repr(t), other.game, env.legal_actions().tolist()


TABLES_HERE = os.environ.setdefault("BACKSOLVE_TEST_TABLES", TABLES)


class Tables(unittest.TestCase):
    def test_copies(self):
        table("quixo:3")
        original = Table.open("quixo", 3, TABLES)
        for make in (copy.copy, copy.deepcopy, COPIES["pickle"]):
            its = make(original)
            self.assertEqual((repr(its), its.value(its.start)), (repr(original), original.value(original.start)))
            its.close()
        its = copy.copy(Table.open_file(os.path.join(TABLES, "quixo-3x3.tb")))
        gc.collect()
        self.assertEqual(its.value(its.start), original.value(original.start))
        solved = backsolve.solve("quixo", 3, TABLES, steps=True)
        self.assertEqual(copy.deepcopy(solved).value(solved.start), original.value(original.start))
        with self.assertRaises(TypeError):
            copy.copy(Table(original._handle))
        with self.assertRaises(TypeError):
            pickle.dumps(original.states())

    def test_another_table(self):
        """A copy never answers from a table that is not the one that was copied."""
        table("quixo:3"), table("tictactoe:3")
        with tempfile.TemporaryDirectory() as where:
            path = os.path.join(where, "some.tb")
            shutil.copy(os.path.join(TABLES, "quixo-3x3.tb"), path)
            packet = pickle.dumps(Table.open_file(path))
            here = os.getcwd()
            os.chdir(where)
            try:
                relative = pickle.dumps(Table.open_file("some.tb"))
            finally:
                os.chdir(here)
            self.assertEqual(pickle.loads(relative).game, "quixo")
            shutil.copy(os.path.join(TABLES, "tictactoe-3x3.tb"), path)
            with self.assertRaisesRegex(backsolve.BadTableError, "another table"):
                pickle.loads(packet)
        with self.assertRaises(FileNotFoundError):
            pickle.loads(packet)

    def test_in_another_process(self):
        """In it, the same handle belongs to another table."""
        t = table("quixo:3")
        table("tictactoe:3")
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            value, text, other, legal = pool.apply(value_there, (t, "tictactoe:3"))
        self.assertEqual((value, text, other), (t.value(t.start), repr(t), "tictactoe"))
        self.assertEqual(len(legal), 8)


if __name__ == "__main__":
    unittest.main()

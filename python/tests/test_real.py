"""The environments under the checkers and wrappers of Gymnasium and PettingZoo, if these are installed."""

import contextlib
import functools
import importlib.util
import io
import unittest
import warnings

import numpy as np

from backsolve import AECEnv, AutoresetMode, Env, VectorEnv, random_opponent
from test_env import ENDLESS, draw
from test_games import BOARDS


def missing(module):
    return unittest.skipIf(importlib.util.find_spec(module) is None, f"{module} is not installed")


@missing("gymnasium")
class Gymnasium(unittest.TestCase):
    def test_checker(self):
        from gymnasium.utils.env_checker import check_env

        for board in BOARDS:
            for options in ({}, {"opponent": random_opponent}, {"opponent": random_opponent, "side": 1, "render_mode": "ansi"}):
                with self.subTest(board, **options), warnings.catch_warnings(record=True) as complaints:
                    warnings.simplefilter("always")
                    check_env(Env(board, **ENDLESS, **options))
                self.assertEqual([str(c.message) for c in complaints if "does not have a spec" in str(c.message)], [])
                self.assertLessEqual(len(complaints), 1)  # of the spec, which only registered environments have

    def test_wrappers(self):
        from gymnasium.wrappers import vector

        modes = [{AutoresetMode.NEXT_STEP}, {AutoresetMode.NEXT_STEP, AutoresetMode.DISABLED}, set(AutoresetMode)]
        wrappers = (
            (vector.NormalizeObservation, modes[0]), (vector.FlattenObservation, modes[1]), (vector.RecordEpisodeStatistics, modes[2]),
            (functools.partial(vector.DtypeObservation, dtype=np.float32), modes[1]),
            (functools.partial(vector.RescaleObservation, min_obs=0, max_obs=1), modes[1]), (vector.DictInfoToList, modes[2]),
        )  # fmt: skip
        for wrap, allowed in wrappers:
            for mode in allowed:
                with self.subTest(str(wrap), mode=mode):
                    env = wrap(VectorEnv("othello", 4, num_envs=3, autoreset_mode=mode))
                    env.reset(seed=1)
                    env.action_space.seed(2)
                    for _ in range(60):
                        _, _, terminated, truncated, _ = env.step(env.action_space.sample())
                        over = terminated | truncated
                        if mode is AutoresetMode.DISABLED and over.any():
                            env.reset(options={"reset_mask": over})
                    env.close()

    def test_as_their_batch(self):
        """A batch behaves like the one that Gymnasium makes of single environments, infos included."""
        from gymnasium.vector import SyncVectorEnv

        for mode in AutoresetMode:
            for board in ("tictactoe:3", "othello:4", "quixo:3"):
                generator = np.random.default_rng(1)
                ours = VectorEnv(board, num_envs=3, autoreset_mode=mode, **ENDLESS)
                theirs = SyncVectorEnv([functools.partial(Env, board, **ENDLESS)] * 3, autoreset_mode=mode)
                ours.reset(seed=1), theirs.reset(seed=1)
                for _ in range(150):
                    actions = np.array([draw(generator, mask) if generator.random() < 0.9 else 0 for mask in ours.action_masks() | ~ours.action_masks().any(axis=1)[:, None]])
                    got, want = ours.step(actions), theirs.step(actions)
                    for one, other in zip(got[:4], want[:4]):
                        np.testing.assert_array_equal(one, other)
                    self.same_info(got[4], want[4])
                    over = got[2] | got[3]
                    if mode is AutoresetMode.DISABLED and over.any():
                        for env in (ours, theirs):
                            env.reset(options={"reset_mask": over.copy()})

    def same_info(self, one, other):
        self.assertEqual(set(one), set(other))
        for name, which in one.items():
            if name.startswith("_"):
                np.testing.assert_array_equal(which, other[name])
                got, want = one[name[1:]], other[name[1:]]
                if isinstance(got, dict):
                    self.same_info(got, want)
                else:
                    for i in np.flatnonzero(which):
                        np.testing.assert_array_equal(got[i], want[i])

    def test_processes(self):
        from gymnasium.vector import AsyncVectorEnv

        env = AsyncVectorEnv([functools.partial(Env, "tictactoe", 3)] * 2, context="spawn")
        self.assertEqual(env.reset(seed=1)[1]["action_mask"].sum(), 18)
        self.assertEqual(env.step(np.array([0, 4]))[1].tolist(), [0, 0])
        env.close()


@missing("pettingzoo")
class PettingZoo(unittest.TestCase):
    def test_checkers(self):
        from pettingzoo.test import api_test, seed_test
        from pettingzoo.utils.wrappers import OrderEnforcingWrapper, TerminateIllegalWrapper

        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for board in BOARDS:
                with self.subTest(board):
                    api_test(AECEnv(board, **ENDLESS), num_cycles=100)
            api_test(OrderEnforcingWrapper(AECEnv("othello", 4)))
            seed_test(lambda: AECEnv("tictactoe", 3), 20)
        env = TerminateIllegalWrapper(AECEnv("othello", 4), illegal_reward=-1)
        env.reset()
        env.step(0)
        self.assertEqual(env.rewards, {"player_0": -1, "player_1": 0})


if __name__ == "__main__":
    unittest.main()

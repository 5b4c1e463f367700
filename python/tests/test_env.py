"""The environments keep the published contracts of Gymnasium and PettingZoo.

Neither library is needed. What is checked here is written after their documentation and their checkers
(gymnasium.utils.env_checker, pettingzoo.test.api_test); it has not been run with the libraries themselves.
"""

import unittest

import numpy as np

import backsolve
from backsolve import AECEnv, Env, VectorEnv, random_opponent
from support import table
from test_games import BOARDS

ENDLESS = {"max_plies": 60}


def draw(generator, mask):
    return int(generator.choice(np.flatnonzero(mask)))


class Gymnasium(unittest.TestCase):
    def check_reset(self, env):
        observation, info = env.reset(seed=3)
        again, more = env.reset(seed=3)
        np.testing.assert_array_equal(observation, again)
        self.assertIn(observation, env.observation_space)
        self.assertIsInstance(info, dict)
        np.testing.assert_array_equal(info["action_mask"], more["action_mask"])
        self.assertEqual((info["action_mask"].dtype, info["action_mask"].shape), (np.int8, (env.action_space.n,)))
        return observation, info

    def test_contract(self):
        for board in BOARDS:
            for options in ({}, {"opponent": random_opponent}, {"opponent": random_opponent, "side": 1}):
                with self.subTest(board, **options), Env(board, render_mode="ansi", **ENDLESS, **options) as env:
                    self.assertEqual(env.unwrapped, env)
                    self.assertIn("ansi", env.metadata["render_modes"])
                    observation, info = self.check_reset(env)
                    generator, over = np.random.default_rng(5), False
                    for _ in range(40):
                        if over:
                            with self.assertRaises(backsolve.InputError):
                                env.step(0)
                            observation, info = env.reset()
                            over = False
                            continue
                        action = env.action_space.sample(info["action_mask"])
                        self.assertIn(action, env.action_space)
                        np.testing.assert_array_equal(env.legal_actions(), np.flatnonzero(info["action_mask"]))
                        if options:
                            self.assertEqual(info["player"], env.side)
                        before = info["player"]
                        result = env.step(draw(generator, info["action_mask"]))
                        self.assertEqual(len(result), 5)
                        observation, reward, terminated, truncated, info = result
                        self.assertIn(observation, env.observation_space)
                        np.testing.assert_array_equal(observation, env.observation())
                        self.assertIsInstance(reward, float)
                        self.assertIn(reward, (-1.0, 0.0, 1.0))
                        self.assertIsInstance(terminated, bool)
                        self.assertIsInstance(truncated, bool)
                        self.assertFalse(terminated and truncated)
                        self.assertTrue(terminated or reward == 0)
                        self.assertIsInstance(env.render(), str)
                        over = terminated or truncated
                        if not options and not over:
                            self.assertEqual(info["player"], 1 - before)
                        self.assertTrue(over or info["action_mask"].any())

    def test_deterministic(self):
        """The same seed and actions give the same game, also against an opponent that draws."""
        games = []
        for _ in range(2):
            env, game = Env("quixo", 4, opponent=random_opponent, **ENDLESS), []
            generator, (_, info) = np.random.default_rng(9), env.reset(seed=4)
            over = False
            while not over:
                observation, reward, terminated, truncated, info = env.step(draw(generator, info["action_mask"]))
                over = terminated or truncated
                game.append((env.position(), reward, observation.tobytes()))
            games.append(game)
        self.assertEqual(*games)

    def test_rewards(self):
        """Who completes a line wins, who misses it loses; a draw and a truncated game give nothing."""
        env = Env("tictactoe", 3)
        env.reset()
        for action, reward, over in ((0, 0, False), (3, 0, False), (1, 0, False), (4, 0, False), (2, 1, True)):
            self.assertEqual(env.step(action)[1:4], (reward, over, False))
        notakto = Env("notakto", 3)
        notakto.reset(options={"position": "XX./.../..."})
        self.assertEqual(notakto.step(2)[1:3], (-1, True))
        env.reset(options={"position": "XOX/XOO/OX. x"})
        self.assertEqual(env.step(8)[1:4], (0, True, False))
        lost = Env("tictactoe", 3, opponent=lambda observation, mask, _: 6)
        lost.reset(options={"position": "OXX/O../... x"})
        self.assertEqual(lost.step(8)[1:3], (-1, True))
        short = Env("tictactoe", 3, max_plies=2)
        short.reset()
        self.assertEqual([short.step(0)[3], short.step(1)[3]], [False, True])

    def test_refuses(self):
        env = Env("tictactoe", 3)
        with self.assertRaises(backsolve.InputError):
            env.step(0)
        env.reset()
        env.step(0)
        position = env.position()
        for wrong in (0, 9, -1, 1 << 40):
            with self.assertRaises(backsolve.InputError):
                env.step(wrong)
        self.assertEqual(env.position(), position)
        self.assertIsNone(env.render())
        with self.assertRaises(backsolve.InputError):
            Env("tictactoe", 3, render_mode="human")

    def test_vector(self):
        """A batch plays as single games do; a game that is over begins anew at the next step."""
        for board in ("tictactoe:3", "quixo:3", "othello:4", "nim:3"):
            n, generator = 5, np.random.default_rng(3)
            env, singles = VectorEnv(board, num_envs=n, **ENDLESS), [Env(board, **ENDLESS) for _ in range(n)]
            observation, info = env.reset(seed=1)
            for single in singles:
                single.reset()
            self.assertIn(observation, env.observation_space)
            over = np.zeros(n, bool)
            for _ in range(80):
                actions = np.array([draw(generator, mask) if mask.any() else 0 for mask in info["action_mask"]])
                self.assertIn(actions, env.action_space)
                observation, reward, terminated, truncated, info = env.step(actions)
                self.assertIn(observation, env.observation_space)
                self.assertEqual((reward.dtype, terminated.dtype, truncated.dtype), (np.float64, np.bool_, np.bool_))
                for i, single in enumerate(singles):
                    if over[i]:
                        want = (single.reset()[0], 0.0, False, False)
                    else:
                        want = single.step(int(actions[i]))[:4]
                    np.testing.assert_array_equal(observation[i], want[0])
                    self.assertEqual((reward[i], terminated[i], truncated[i]), want[1:])
                over = terminated | truncated
            env.reset()
            for wrong in (np.full(n, env.single_action_space.n), np.full(n, -1), np.zeros(n + 1, int)):
                with self.assertRaises(backsolve.InputError):
                    env.step(wrong)
            env.close()
            self.assertTrue(env.closed)


class PettingZoo(unittest.TestCase):
    def test_contract(self):
        for board in BOARDS:
            with self.subTest(board):
                env = AECEnv(board, **ENDLESS)
                self.assertEqual(env.possible_agents, ["player_0", "player_1"])
                self.assertEqual(env.max_num_agents, 2)
                self.assertIsInstance(env.metadata["name"], str)
                for agent in env.possible_agents:
                    self.assertIs(env.observation_space(agent), env.observation_space(agent))
                    self.assertIs(env.action_space(agent), env.action_space(agent))
                for seed in range(3):
                    self.check_game(env, seed)

    def check_game(self, env, seed):
        self.assertIsNone(env.reset(seed=seed))
        self.assertEqual(env.agents, env.possible_agents)
        generator, total, plies, dead = np.random.default_rng(seed), dict.fromkeys(env.agents, 0.0), 0, 0
        for agent in env.agent_iter():
            self.assertEqual(agent, env.agent_selection)
            for each in (env.rewards, env.terminations, env.truncations, env.infos, env._cumulative_rewards):
                self.assertEqual(set(each), set(env.agents))
            observation, reward, terminated, truncated, info = env.last()
            self.assertIsNone(env.last(observe=False)[0])
            self.assertIn(observation, env.observation_space(agent))
            self.assertIsInstance(info, dict)
            total[agent] += reward
            for other in env.agents:
                mask = env.observe(other)["action_mask"]
                self.assertEqual(mask.any(), other == agent and not (terminated or truncated))
                self.assertIn(env.observe(other), env.observation_space(other))
            if terminated or truncated:
                dead += 1
                with self.assertRaises(ValueError):
                    env.step(0)
                env.step(None)
                self.assertNotIn(agent, env.agents)
                continue
            np.testing.assert_array_equal(env.legal_actions(), np.flatnonzero(observation["action_mask"]))
            self.assertEqual(agent, env.possible_agents[plies % 2])
            with self.assertRaises(backsolve.InputError):
                env.step(None)
            env.step(draw(generator, observation["action_mask"]))
            plies += 1
        self.assertEqual((env.agents, env.num_agents, dead), ([], 0, 2))
        self.assertEqual(sum(total.values()), 0)
        self.assertTrue(set(total.values()) in ({0.0}, {1.0, -1.0}))

    def test_views(self):
        """Each agent sees its own marks first; the winner gets 1, the other -1."""
        env = AECEnv("tictactoe", 3, render_mode="ansi")
        env.reset()
        env.step(4)
        self.assertEqual(env.observe("player_0")["observation"][:, 1, 1].tolist(), [1, 0])
        self.assertEqual(env.observe("player_1")["observation"][:, 1, 1].tolist(), [0, 1])
        self.assertEqual(env.render(), "...\n.X.\n...\no")
        for action in (0, 3, 1, 5):
            env.step(action)
        self.assertEqual(env.rewards, {"player_0": 1.0, "player_1": -1.0})
        self.assertEqual(env.last()[1:4], (-1.0, True, False))
        self.assertEqual(str(env), "tictactoe_v1")

    def test_board_of_the_table(self):
        """Best play by the table, step by step, ends when the table says."""
        t, env = table("quixo:3"), AECEnv("quixo", 3)
        env.reset()
        position = t.start
        for plies in range(t.value(t.start).steps):
            best = t.best(position)
            env.step(env._games.moves().index(best.move))
            position = best.position
        self.assertTrue(all(env.terminations.values()))
        self.assertEqual(env.rewards["player_0"], 1.0)


class Spaces(unittest.TestCase):
    def test_samples(self):
        env = AECEnv("tictactoe", 3)
        space = env.observation_space("player_0")
        space.seed(4)
        first = space.sample()
        self.assertIn(first, space)
        space.seed(4)
        np.testing.assert_array_equal(space.sample()["observation"], first["observation"])
        self.assertEqual(set(space.keys()), {"observation", "action_mask"})
        for wrong in (None, {}, {**first, "more": 1}, {**first, "action_mask": first["action_mask"] + 2}, {**first, "observation": np.zeros(9, np.uint8)}):
            self.assertNotIn(wrong, space)
        actions = env.action_space("player_0")
        for wrong in (-1, 9, 1.0, "a", None):
            self.assertNotIn(wrong, actions)
        self.assertEqual(actions.sample(np.eye(9, dtype=np.int8)[7]), 7)
        self.assertEqual(actions, AECEnv("tictactoe", 3).action_space("player_1"))


if __name__ == "__main__":
    unittest.main()

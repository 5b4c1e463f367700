"""The environments keep the published contracts of Gymnasium and PettingZoo.

Neither library is needed: this checks what their checkers require (gymnasium.utils.env_checker,
pettingzoo.test.api_test). test_real runs those themselves if the libraries are installed.
"""

import copy

import unittest

import numpy as np

import backsolve
from backsolve import AECEnv, AutoresetMode, Env, Games, PerfectOpponent, VectorEnv, random_opponent
from backsolve.games import Watch
from support import TABLES, table
from test_games import BOARDS

ENDLESS = {"max_plies": 60}


def seen(view, side):
    """The planes of a game as a player sees them: the obvious twin of what Watch does."""
    planes = view.observation[0]
    if int(view.turn[0]) != side and len(planes) > 1:
        planes = np.concatenate([planes[1::-1], planes[2:]])
    return planes


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

    def test_sees_what_games_see(self):
        """What is handed out is that of Games.observe, and stays as it is when play goes on."""
        for board in BOARDS:
            for options in ({}, {"opponent": random_opponent, "side": 1}):
                env = Env(board, **ENDLESS, **options)
                (observation, info), over, before = env.reset(seed=4), False, []
                while not over and len(before) < 12:
                    view = env._games.observe()
                    expected = [seen(view, info["player"]), view.legal[0], view.legal[0]]
                    given = [observation, info["action_mask"], env.action_masks()]
                    for one, other in zip(given, expected):
                        np.testing.assert_array_equal(one, other)
                        self.assertTrue(one.flags.writeable)
                    self.assertEqual((env.position().encode(), given[0].shape), (view.position[0], env.observation_space.shape))
                    before.append((given, expected))
                    observation, _, over, cut, info = env.step(np.int64(env.legal_actions()[0]))
                    over = over or cut
                for given, expected in before:
                    for one, other in zip(given, expected):
                        np.testing.assert_array_equal(one, other)

    def test_wide_texts(self):
        games = Games("quixo", 4)
        text, games._width = games.positions()[0], 4
        self.assertEqual(Watch(games).text().decode(), text)

    def test_seeds(self):
        """A seed creates the generator and is remembered; without one the generator goes on."""
        for env in (Env("tictactoe", 3), VectorEnv("tictactoe", 3)):
            env.reset(seed=123)
            first = copy.deepcopy(env._np_random)
            self.assertEqual(env.np_random_seed, 123)
            env.np_random.random()
            env.reset()
            self.assertNotEqual(env._np_random.bit_generator.state, first.bit_generator.state)
            env.reset(seed=123)
            self.assertEqual(env._np_random.bit_generator.state, first.bit_generator.state)
            self.assertEqual(env.np_random.random(), np.random.default_rng(123).random())
            env.reset(seed=456)
            self.assertNotEqual(env._np_random.bit_generator.state, first.bit_generator.state)
            env.np_random = first
            self.assertEqual((env.np_random_seed, env.np_random), (-1, first))
        fresh = Env("tictactoe", 3)
        self.assertEqual((fresh._np_random, fresh._np_random_seed), (None, None))
        seed = fresh.np_random_seed
        self.assertEqual(fresh.np_random.random(), np.random.default_rng(seed).random())

    def test_every_action_is_answered(self):
        """An action that is not legal loses, and its answer is the same each time."""
        for board in BOARDS:
            for options in ({}, {"opponent": random_opponent}):
                env = Env(board, **ENDLESS, **options)
                for action in range(min(env.action_space.n, 12)):
                    answers = []
                    for _ in range(2):
                        observation, info = env.reset(seed=1)
                        legal, position = bool(info["action_mask"][action]), env.position()
                        answers.append(env.step(action))
                    (observation, reward, terminated, truncated, info), again = answers
                    self.assertIn(observation, env.observation_space)
                    np.testing.assert_array_equal(observation, again[0])
                    np.testing.assert_array_equal(info["action_mask"], again[4]["action_mask"])
                    self.assertEqual((reward, terminated), again[1:3])
                    self.assertEqual(info.get("illegal_action", False), not legal)
                    if not legal:
                        self.assertEqual((reward, terminated, truncated, env.position()), (-1.0, True, False, position))
                        with self.assertRaisesRegex(backsolve.InputError, "over"):
                            env.step(action)

    def test_side_of_the_learner(self):
        """With an opponent, all observations are the learner's, even after its own last move."""
        moves = iter([3, 4])
        env = Env("tictactoe", 3, opponent=lambda games, generator: next(moves))
        env.reset()
        for action in (0, 1):
            env.step(action)
        observation, reward, terminated, _, info = env.step(2)
        self.assertEqual((reward, terminated, info["player"]), (1.0, True, 0))
        self.assertEqual(observation.tolist(), [[[1, 1, 1], [0, 0, 0], [0, 0, 0]], [[0, 0, 0], [1, 1, 0], [0, 0, 0]]])
        np.testing.assert_array_equal(env.observation(), observation)
        for plies in (1, 2, 3):  # truncated after any ply
            env = Env("tictactoe", 3, opponent=random_opponent, max_plies=plies)
            env.reset(seed=1)
            truncated = False
            while not truncated:
                observation, _, _, truncated, info = env.step(int(env.legal_actions()[0]))
            self.assertEqual((observation.sum(), info["player"]), (plies, 0))
            self.assertEqual(observation[0].sum(), (plies + 1) // 2)

    def test_opponents(self):
        """The perfect one never gives a value away, blunders as often as it should, and needs a table."""
        table("tictactoe:3")
        generator = np.random.default_rng(1)
        for side in (0, 1):
            env = Env("tictactoe", 3, opponent=PerfectOpponent(TABLES), side=side)
            for _ in range(30):
                env.reset(seed=int(generator.integers(1 << 30)))
                over = False
                while not over:
                    _, reward, over, _, _ = env.step(int(generator.choice(env.legal_actions())))
                self.assertLessEqual(reward, 0)
        seen = []
        position = "XX./OO./... x"
        for blunder, want in ((0.0, 0), (0.5, 300), (1.0, 600)):
            opponent, games = PerfectOpponent(TABLES, blunder), backsolve.Games("tictactoe", 3)
            games.set(position)
            missed = sum(opponent(games, generator) != 2 for _ in range(1000))
            self.assertAlmostEqual(missed, want / 600 * 800, delta=60)
            self.assertEqual(games.positions(), [position])

        def sees(games, generator):
            seen.append(games.positions()[0])
            return int(games.legal_actions()[-1])

        env = Env("tictactoe", 3, opponent=sees)
        env.reset()
        env.step(4)
        self.assertEqual((seen, env.position()), ([".../.X./... o"], ".../.X./..O x"))
        for wrong in (-0.1, 1.1, float("nan")):
            with self.assertRaises(backsolve.InputError):
                PerfectOpponent(TABLES, wrong)
        without = Env("quixo", 5, opponent=PerfectOpponent(TABLES), side=1)
        with self.assertRaises(FileNotFoundError):
            without.reset()
        with self.assertRaises(backsolve.InputError):
            without.step(0)
        cheat = Env("tictactoe", 3, opponent=lambda games, generator: 0)
        cheat.reset()
        for wrong in (0, 1):  # the second time it waits for reset
            with self.assertRaises(backsolve.InputError):
                cheat.step(wrong)

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
        lost = Env("tictactoe", 3, opponent=lambda games, generator: 6)
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
        for wrong in (9, -1, 1 << 40, 1.0, None):
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
            for wrong in (np.full(n, env.single_action_space.n), np.full(n, -1), np.zeros(n + 1, int), np.zeros(n)):
                with self.assertRaises(backsolve.InputError):
                    env.step(wrong)
            env.close()
            self.assertTrue(env.closed)

    def test_autoreset(self):
        """The three modes begin games anew as Gymnasium's do; the last observation of the same step is kept."""
        for mode in AutoresetMode:
            for board in ("tictactoe:3", "quixo:3", "othello:4"):
                n, generator = 4, np.random.default_rng(2)
                env, singles = VectorEnv(board, num_envs=n, autoreset_mode=mode, **ENDLESS), [Env(board, **ENDLESS) for _ in range(n)]
                self.assertIs(env.metadata["autoreset_mode"], mode)
                env.reset()
                for single in singles:
                    single.reset()
                over, ended = np.zeros(n, bool), 0
                for _ in range(100):
                    actions = np.array([generator.integers(env.single_action_space.n) if generator.random() < 0.1 else draw(generator, mask) if mask.any() else 0 for mask in env.action_masks()])
                    if mode is AutoresetMode.DISABLED and over.any():
                        with self.assertRaisesRegex(backsolve.InputError, "over"):
                            env.step(actions)
                        env.reset(options={"reset_mask": over})
                        for i in np.flatnonzero(over):
                            singles[i].reset()
                        over[:] = False
                        continue
                    observation, reward, terminated, truncated, info = env.step(actions)
                    ends = terminated | truncated
                    self.assertEqual("final_obs" in info, mode is AutoresetMode.SAME_STEP and ends.any())
                    for i, single in enumerate(singles):
                        if over[i] and mode is AutoresetMode.NEXT_STEP:
                            want = (*single.reset()[:1], 0.0, False, False, {})
                        else:
                            want = single.step(int(actions[i]))
                        self.assertEqual((reward[i], terminated[i], truncated[i]), want[1:4])
                        if ends[i] and mode is AutoresetMode.SAME_STEP:
                            np.testing.assert_array_equal(info["final_obs"][i], want[0])
                            np.testing.assert_array_equal(info["final_info"]["action_mask"][i], want[4]["action_mask"])
                            self.assertEqual(info["final_info"].get("illegal_action", over)[i], want[4].get("illegal_action", False))
                            want = single.reset()
                        np.testing.assert_array_equal(observation[i], want[0])
                        np.testing.assert_array_equal(env.action_masks()[i], single.action_masks())
                    for name in ("final_obs", "final_info"):
                        np.testing.assert_array_equal(info.get("_" + name, ends & False), ends & (mode is AutoresetMode.SAME_STEP))
                    over, ended = ends, ended + int(ends.sum())
                self.assertGreater(ended, 5)
        self.assertIs(VectorEnv("quixo", 3, autoreset_mode="SameStep").autoreset_mode, AutoresetMode.SAME_STEP)
        self.assertIs(VectorEnv.metadata["autoreset_mode"], AutoresetMode.NEXT_STEP)
        with self.assertRaises(ValueError):
            VectorEnv("quixo", 3, autoreset_mode="sometimes")

    def test_vector_forms(self):
        """Actions may have any integer type, infos say which games they are about, and render returns texts."""
        env = VectorEnv("tictactoe", 3, num_envs=2, render_mode="ansi")
        _, info = env.reset(options={"reset_mask": np.array([True, False])})
        self.assertEqual((info["_action_mask"].tolist(), info["_player"].tolist()), ([True, False],) * 2)
        env.reset()
        for action in (0, 3, 1, 4, 2, 0):
            _, reward, _, _, info = env.step(np.full(2, action, np.uint8))
        self.assertEqual((reward.tolist(), env.games.positions()), ([0, 0], [".../.../... x"] * 2))
        self.assertEqual(env.render(), ("...\n...\n...\nx",) * 2)
        self.assertTrue(info["_action_mask"].all())


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

    def test_out_of_turn(self):
        """Before reset and after the end, calls that cannot be answered are refused with a sentence."""
        env = AECEnv("tictactoe", 3)
        for _ in range(2):
            for call in (env.last, lambda: env.step(0), lambda: env.step(None)):
                with self.assertRaisesRegex(backsolve.InputError, "call reset"):
                    call()
            self.assertEqual((env.agents, list(env.agent_iter()), env.rewards, env.infos), ([], [], {}, {}))
            self.assertIn(env.observe("player_0"), env.observation_space("player_0"))
            self.assertEqual((env.legal_actions().size > 0, env.state().shape), (env.state().sum() == 0, (2, 3, 3)))
            env.reset()
            for agent in env.agent_iter():
                observation, _, terminated, _, _ = env.last()
                env.step(None if terminated else int(observation["action_mask"].argmax()))
        with self.assertRaisesRegex(backsolve.InputError, "player_0"):
            env.observe("player_2")

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

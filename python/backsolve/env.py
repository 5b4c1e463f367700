"""Environments of every game: one game for Gymnasium, a batch of games, and one for PettingZoo.

They have the published interfaces, and are subclasses of those libraries' classes where these are
installed. They are deterministic; seeds only matter to opponents and to ``sample`` of spaces.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from ._library import InputError
from .games import LEAVE, Games
from .spaces import Box, Dict, Discrete, MultiDiscrete
from .table import Outcome

try:
    from gymnasium import Env as _Env
    from gymnasium.vector import VectorEnv as _VectorEnv
except ImportError:
    _Env = _VectorEnv = object  # type: ignore[assignment,misc]
try:
    from pettingzoo import AECEnv as _AECEnv
except ImportError:
    _AECEnv = object  # type: ignore[assignment,misc]

Observation = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.int8]
Opponent = Callable[[Observation, Mask, np.random.Generator], int]


def random_opponent(observation: Observation, mask: Mask, generator: np.random.Generator) -> int:
    """Play a random legal action."""
    return int(generator.choice(np.flatnonzero(mask)))


def observation_space(games: Games, count: int | None = None) -> Any:
    """Return the space of observations of one game, or of ``count`` games."""
    bytes_ = max(games.observation_shape) == games.observation_shape[2] and games.observation_shape[:2] == (1, 1)
    shape = games.observation_shape if count is None else (count, *games.observation_shape)
    return Box(0, 255 if bytes_ else 1, shape, np.uint8)


def render(games: Games, game: int = 0) -> str:
    """Return the text of a position with a line for each row."""
    board, *rest = str(games.positions()[game]).split(" ")
    return "\n".join([*board.split("/"), *([" ".join(rest)] if rest else [])])


class Env(_Env):
    """One game in the form of gymnasium.Env.

    Without an opponent, both players' moves are steps: each observation is that of the player to move, and
    the reward that of the player who has just moved. With one, it plays the other side within ``step``,
    and observations and rewards are those of the side that is left. Rewards are 1 for a win, -1 for a loss,
    else 0. ``info["action_mask"]`` has 1 for each legal action. An illegal one raises InputError.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 1}
    spec = None

    def __init__(
        self,
        board: str,
        size: int | str | None = None,
        *,
        opponent: Opponent | None = None,
        side: int = 0,
        max_plies: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        """Begin a game. ``max_plies`` truncates longer games; those of Quixo may not end.

        ``side`` is 0 if the learner moves first against the opponent, else 1. Raises InputError.
        """
        if render_mode not in (None, "ansi"):
            raise InputError(f"there is no render mode {render_mode!r}; give 'ansi' or None")
        self._games = Games(board, size)
        self.opponent, self.side, self.max_plies, self.render_mode = opponent, side, max_plies, render_mode
        self.observation_space = observation_space(self._games)
        self.action_space = Discrete(self._games.num_actions)
        self._generator = np.random.default_rng()
        self._seed: int | None = None
        self._over, self._plies = True, 0

    @property
    def unwrapped(self) -> Env:
        """The environment itself."""
        return self

    @property
    def np_random(self) -> np.random.Generator:
        """The generator of the opponent."""
        return self._generator

    @np_random.setter
    def np_random(self, value: np.random.Generator) -> None:
        self._generator = value

    def _now(self) -> tuple[Observation, dict[str, Any], int, int]:
        view = self._games.observe()
        info = {"action_mask": view.legal[0].astype(np.int8), "player": int(view.turn[0])}
        return view.observation[0], info, int(view.turn[0]), int(view.result[0])

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Observation, dict[str, Any]]:
        """Begin a game, from ``options["position"]`` if it is given. Raises InputError."""
        if seed is not None:
            self._generator, self._seed = np.random.default_rng(seed), seed
        self._games.reset()
        if options and "position" in options:
            self._games.set(options["position"])
        self._plies = 0
        observation, info, turn, result = self._now()
        if self.opponent is not None and result < 0 and turn != self.side:
            self._play(self.opponent(observation, info["action_mask"], self._generator))
            observation, info, turn, result = self._now()
        self._over = result >= 0
        return observation, info

    def _play(self, action: int) -> None:
        if action == LEAVE:
            raise InputError(f"{action} is not an action; give a number below {self._games.num_actions}")
        self._games.step([int(action)])
        self._plies += 1

    def step(self, action: int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Play an action. Raises InputError if it is not legal, or the game is over."""
        if self._over:
            raise InputError("the game is over; call reset")
        mover = self._now()[2]
        self._play(action)
        observation, info, turn, result = self._now()
        if self.opponent is not None and result < 0:
            self._play(self.opponent(observation, info["action_mask"], self._generator))
            observation, info, turn, result = self._now()
        reward = 0.0
        if result >= 0:
            reward = sign(result) * (1.0 if turn == mover else -1.0)
        truncated = result < 0 and self.max_plies is not None and self._plies >= self.max_plies
        self._over = result >= 0 or truncated
        return observation, reward, result >= 0, truncated, info

    def legal_actions(self) -> npt.NDArray[np.int64]:
        """Return the legal actions in ascending order."""
        return self._games.legal_actions()

    def observation(self) -> Observation:
        """Return the observation of the player to move."""
        return self._now()[0]

    def position(self) -> str:
        """Return the text of the position."""
        return str(self._games.positions()[0])

    def render(self) -> str | None:
        """Return the position with a line for each row, None without a render mode."""
        return render(self._games) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """End the game."""
        self._games.close()

    def __enter__(self) -> Env:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def sign(result: int) -> float:
    """Return 1 for a win, -1 for a loss and 0 for a draw."""
    return {Outcome.WIN: 1.0, Outcome.LOSE: -1.0}.get(Outcome(result), 0.0)


_SIGNS = np.array([0.0, 1.0, -1.0, 0.0])  # by outcome, and of -1


class VectorEnv(_VectorEnv):
    """Games of both players in the form of gymnasium.vector.VectorEnv, all played at once.

    Observations and rewards are those of :class:`Env` without an opponent. A game that is over begins
    anew at the next step, whose action and reward do not count: Gymnasium's mode NEXT_STEP.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "autoreset_mode": "NextStep"}
    spec = None
    closed = False

    def __init__(
        self, board: str, size: int | str | None = None, *, num_envs: int = 1, max_plies: int | None = None
    ) -> None:
        """Begin ``num_envs`` games. Raises InputError."""
        self.games = Games(board, size, num_envs)
        self.num_envs, self.max_plies, self.render_mode = num_envs, max_plies, None
        self.single_observation_space = observation_space(self.games)
        self.single_action_space = Discrete(self.games.num_actions)
        self.observation_space = observation_space(self.games, num_envs)
        self.action_space = MultiDiscrete(np.full(num_envs, self.games.num_actions))
        self._plies, self._over = np.zeros(num_envs, np.int64), np.ones(num_envs, np.bool_)
        self._turn = np.zeros(num_envs, np.uint8)

    def _now(self) -> tuple[npt.NDArray[np.uint8], dict[str, Any], npt.NDArray[np.int8]]:
        view = self.games.observe()
        self._turn = view.turn
        return view.observation, {"action_mask": view.legal.astype(np.int8), "player": view.turn}, view.result

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[np.uint8], dict[str, Any]]:
        """Begin all games, or those that are true in ``options["reset_mask"]``."""
        which = None if not options else options.get("reset_mask")
        self.games.reset(which)
        these: Any = slice(None) if which is None else np.asarray(which, np.bool_)
        self._plies[these] = 0
        observation, info, result = self._now()
        self._over[these] = result[these] >= 0
        return observation, info

    def step(
        self, actions: npt.ArrayLike
    ) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.float64], npt.NDArray[np.bool_], npt.NDArray[np.bool_], dict[str, Any]]:
        """Play an action in each game. Raises InputError if one is not legal; then no game changes."""
        again, mover, these = self._over.copy(), self._turn, np.asarray(actions)
        if (these[~again] == LEAVE).any() if these.shape == again.shape else True:
            raise InputError(f"actions must have the shape {again.shape} and be numbers from 0 on")
        self.games.step(np.where(again, LEAVE, these))
        if again.any():
            self.games.reset(again)
        self._plies = np.where(again, 0, self._plies + 1)
        observation, info, result = self._now()
        reward = np.where(again, 0.0, _SIGNS[result] * np.where(self._turn == mover, 1.0, -1.0))
        terminated = result >= 0
        truncated = ~terminated & (self._plies >= self.max_plies) if self.max_plies is not None else np.zeros_like(terminated)
        self._over = terminated | truncated
        return observation, reward + 0.0, terminated, truncated, info

    def close(self, **_: Any) -> None:
        """End all games."""
        self.closed = True
        self.games.close()


class AECEnv(_AECEnv):
    """One game in the form of pettingzoo.AECEnv, with the agents player_0, who begins, and player_1.

    An observation is a dictionary of the planes, ``observation``, from the side of the agent, and of
    ``action_mask``, with 1 for each legal action; it is 0 for an agent that is not to move. The one who wins
    gets the reward 1, the other -1. An illegal action raises InputError.
    """

    def __init__(
        self, board: str, size: int | str | None = None, *, max_plies: int | None = None, render_mode: str | None = None
    ) -> None:
        """Prepare a game; reset begins it. ``max_plies`` truncates longer games. Raises InputError."""
        if render_mode not in (None, "ansi"):
            raise InputError(f"there is no render mode {render_mode!r}; give 'ansi' or None")
        self._games = games = Games(board, size)
        self.metadata = {"render_modes": ["ansi"], "name": f"{games.game}_v1", "is_parallelizable": False, "render_fps": 1}
        self.possible_agents = ["player_0", "player_1"]
        self.agents: list[str] = []
        self.max_plies, self.render_mode = max_plies, render_mode
        self.action_spaces = {agent: Discrete(games.num_actions) for agent in self.possible_agents}
        self.observation_spaces = {
            agent: Dict({"observation": observation_space(games), "action_mask": Box(0, 1, (games.num_actions,), np.int8)})
            for agent in self.possible_agents
        }

    def observation_space(self, agent: str) -> Any:
        """Return the space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Return the space of an agent's actions."""
        return self.action_spaces[agent]

    @property
    def num_agents(self) -> int:
        """The number of agents that are left."""
        return len(self.agents)

    @property
    def max_num_agents(self) -> int:
        """The number of possible agents."""
        return len(self.possible_agents)

    @property
    def unwrapped(self) -> AECEnv:
        """The environment itself."""
        return self

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game, from ``options["position"]`` if it is given. Raises InputError."""
        self._games.reset()
        if options and "position" in options:
            self._games.set(options["position"])
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._plies = 0
        self._look()

    def _look(self) -> None:
        """Take in the position: whose turn it is, and whether the game is over."""
        self._view = self._games.observe()
        self.agent_selection = mover = self.possible_agents[int(self._view.turn[0])]
        result = int(self._view.result[0])
        if result >= 0:
            for agent in self.agents:
                self.terminations[agent] = True
                self.rewards[agent] = sign(result) * (1.0 if agent == mover else -1.0) + 0.0
        elif self.max_plies is not None and self._plies >= self.max_plies:
            self.truncations = dict.fromkeys(self.agents, True)

    def observe(self, agent: str) -> dict[str, Any]:
        """Return the observation of an agent."""
        planes = self._view.observation[0]
        moves = agent == self.agent_selection and not (self.terminations.get(agent, True) or self.truncations.get(agent, True))
        if agent != self.possible_agents[int(self._view.turn[0])] and len(planes) > 1:
            planes = np.concatenate([planes[1::-1], planes[2:]])
        mask = self._view.legal[0] if moves else np.zeros_like(self._view.legal[0])
        return {"observation": planes.copy(), "action_mask": mask.astype(np.int8)}

    def last(self, observe: bool = True) -> tuple[dict[str, Any] | None, float, bool, bool, dict[str, Any]]:
        """Return observation, cumulative reward, termination, truncation and info of the agent to act."""
        agent = self.agent_selection
        return (
            self.observe(agent) if observe else None,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self.infos[agent],
        )

    def step(self, action: int | None) -> None:
        """Play an action of the agent to act; None once it is terminated or truncated. Raises InputError."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None or not self.action_spaces[agent].contains(action):
            raise InputError(f"{action!r} is not an action; give a number below {self._games.num_actions}")
        self._games.step([int(action)])
        self._plies += 1
        self._cumulative_rewards[agent] = 0.0
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._look()
        for agent in self.agents:
            self._cumulative_rewards[agent] += self.rewards[agent]

    def _was_dead_step(self, action: int | None) -> None:
        """Remove the agent to act, whose game is over."""
        if action is not None:
            raise ValueError("when an agent is dead, the only valid action is None")
        agent = self.agent_selection
        parts: list[dict[str, Any]] = [self.terminations, self.truncations, self.rewards, self._cumulative_rewards, self.infos]
        for of in parts:
            del of[agent]
        self.agents.remove(agent)
        if self.agents:
            self.agent_selection = self.agents[0]
        self.rewards = dict.fromkeys(self.agents, 0.0)

    def agent_iter(self, max_iter: int = 1 << 63) -> Iterator[str]:
        """Yield the agent to act until none is left."""
        while self.agents and max_iter > 0:
            yield self.agent_selection
            max_iter -= 1

    def legal_actions(self) -> npt.NDArray[np.int64]:
        """Return the legal actions of the agent to act in ascending order."""
        return np.flatnonzero(self._view.legal[0])

    def state(self) -> npt.NDArray[np.uint8]:
        """Return the planes from the side of the player to move."""
        return self._view.observation[0].copy()

    def render(self) -> str | None:
        """Return the position with a line for each row, None without a render mode."""
        return render(self._games) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """End the game."""
        self._games.close()

    def __str__(self) -> str:
        return str(self.metadata["name"])

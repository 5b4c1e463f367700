"""Environments of every game: one game for Gymnasium, a batch of games, and one for PettingZoo.

They have the published interfaces, and are subclasses of those libraries' classes where these are
installed. They are deterministic; seeds only matter to opponents and to ``sample`` of spaces.
"""

from __future__ import annotations

import copy
import enum
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from ._library import InputError
from .games import LEAVE, Games, Watch
from .spaces import Box, Dict, Discrete, MultiDiscrete
from .table import Outcome, Path

try:
    from gymnasium import Env as _Env
    from gymnasium.vector import VectorEnv as _VectorEnv
except ImportError:

    class _Env:  # type: ignore[no-redef]
        """The part of Gymnasium's classes that this module needs."""

        closed = False
        spec = None
        _np_random: np.random.Generator | None = None
        _np_random_seed: int | None = None

        def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
            if seed is not None:
                self._np_random, self._np_random_seed = np.random.default_rng(seed), seed

        def close(self, **_: Any) -> None:
            if not self.closed:
                self.close_extras()
                self.closed = True

        def close_extras(self, **_: Any) -> None:
            pass

        @property
        def unwrapped(self) -> Any:
            return self

        @property
        def np_random(self) -> np.random.Generator:
            if self._np_random is None:
                self._np_random_seed = int(np.random.SeedSequence().entropy)  # type: ignore[arg-type]
                self._np_random = np.random.default_rng(self._np_random_seed)
            return self._np_random

        @np_random.setter
        def np_random(self, value: np.random.Generator) -> None:
            self._np_random, self._np_random_seed = value, -1

        @property
        def np_random_seed(self) -> int | None:
            return self._np_random_seed if self.np_random is not None else None

        def __enter__(self) -> Any:
            return self

        def __exit__(self, *_: object) -> None:
            self.close()

    _VectorEnv = _Env  # type: ignore[assignment,misc]
try:
    from gymnasium.vector import AutoresetMode as AutoresetMode
except ImportError:

    class AutoresetMode(enum.Enum):  # type: ignore[no-redef]
        """When a finished game begins anew: Gymnasium's modes."""

        NEXT_STEP = "NextStep"
        SAME_STEP = "SameStep"
        DISABLED = "Disabled"


try:
    from pettingzoo import AECEnv as _AECEnv
except ImportError:
    _AECEnv = object  # type: ignore[assignment,misc]

Observation = npt.NDArray[np.uint8]
# An opponent gets Games with one game, and a random generator, and returns an action. It may ask Games
# anything, such as positions(), legal_actions() and rate(), but must not play there itself.
Opponent = Callable[[Games, np.random.Generator], int]


def random_opponent(games: Games, generator: np.random.Generator) -> int:
    """Play a random legal action."""
    return int(generator.choice(games.legal_actions()))


class PerfectOpponent:
    """An opponent that plays a best action by the table in a directory, or with the probability ``blunder``
    a random one. With steps it wins soonest and loses latest; among equal actions it chooses at random.
    """

    def __init__(self, dir: Path | None = None, blunder: float = 0.0) -> None:
        """Raises InputError. A missing table raises TableNotFoundError at the first action."""
        if not 0 <= blunder <= 1:
            raise InputError(f"blunder is {blunder}; give a probability from 0 to 1")
        self.dir, self.blunder = dir, blunder

    def __call__(self, games: Games, generator: np.random.Generator) -> int:
        if self.blunder > 0 and generator.random() < self.blunder:
            return random_opponent(games, generator)
        r = games.rate(self.dir)
        outcome, steps = r.action_outcome[0], r.action_steps[0]
        good = [outcome == Outcome.WIN, outcome == Outcome.DRAW, outcome == Outcome.LOSE]
        worth = np.select(good, [1e9 - steps, np.zeros(len(steps)), steps - 1e9], -np.inf)
        return int(generator.choice(np.flatnonzero(worth == worth.max())))


def observation_space(games: Games, count: int | None = None) -> Any:
    """Return the space of observations of one game, or of ``count`` games."""
    bytes_ = max(games.observation_shape) == games.observation_shape[2] and games.observation_shape[:2] == (1, 1)
    shape = games.observation_shape if count is None else (count, *games.observation_shape)
    return Box(0, 255 if bytes_ else 1, shape, np.uint8)


def render(games: Games) -> tuple[str, ...]:
    """Return the positions as text, a line for each row."""
    parts = [text.split(" ") for text in games.positions()]
    return tuple("\n".join([*board.split("/"), *([" ".join(rest)] if rest else [])]) for board, *rest in parts)


def _render_mode(mode: str | None) -> str | None:
    if mode not in (None, "ansi"):
        raise InputError(f"there is no render mode {mode!r}; give 'ansi' or None")
    return mode


class _Clonable:
    """An environment whose copies play games of their own."""

    def clone(self) -> Any:
        """Return an independent environment in the same state: position, generator and all else."""
        return copy.deepcopy(self)

    def __copy__(self) -> Any:
        return self.clone()


class _Restorable(_Clonable):
    """An environment whose state can be saved and restored."""

    _games: Games
    _np_random: np.random.Generator | None
    _np_random_seed: int | None
    _over: Any  # whether the game is over, and the plies played: numbers, or arrays with one for each game
    _plies: Any

    def _look(self) -> None:
        self._view = self._games.observe()

    def _positions(self) -> npt.NDArray[np.bytes_]:
        return self._view.position

    def state(self) -> Any:
        """Return the state for set_state. It can be pickled."""
        generator = None if self._np_random is None else self._np_random.bit_generator.state
        return self._games.board, self._positions(), copy.copy(self._over), copy.copy(self._plies), generator, self._np_random_seed

    def set_state(self, state: Any) -> None:
        """Restore a state of this environment, or of another one with the same board and number of games. Raises InputError."""
        board, positions, over, plies, generator, seed = state
        if (board, len(positions)) != (self._games.board, self._games.count):
            raise InputError(f"the state is of {len(positions)} games of {board}; give one of {self._games.count} of {self._games.board}")
        self._games.set(positions)
        self._over, self._plies, self._np_random_seed = copy.copy(over), copy.copy(plies), seed
        if generator is None:
            self._np_random = None
        else:
            self._np_random = np.random.default_rng(0) if self._np_random is None else self._np_random
            self._np_random.bit_generator.state = generator
        self._look()


class Env(_Restorable, _Env):
    """One game in the form of gymnasium.Env.

    Without an opponent, both players' moves are steps: each observation is that of the player to move, and
    the reward that of the player who has just moved. With one, it plays the other side within ``step``,
    and observations and rewards are those of the side that is left, also at the end. Rewards are 1 for a win,
    -1 for a loss, else 0. ``info["action_mask"]`` has 1 for each legal action, ``info["player"]`` the player
    whose observation it is. An illegal action loses: then ``info["illegal_action"]`` is true.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 1}

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
        self.render_mode = _render_mode(render_mode)
        self._games = Games(board, size)
        self.opponent, self.side, self.max_plies = opponent, side, max_plies
        self.observation_space = observation_space(self._games)
        self.action_space = Discrete(self._games.num_actions)
        self._over, self._plies, self._watch = True, 0, Watch(self._games)

    def _look(self) -> None:
        self._watch.look()

    def _positions(self) -> npt.NDArray[np.bytes_]:
        return np.array([self._watch.text()])

    def _observed(self) -> tuple[Observation, dict[str, Any]]:
        player = self._watch.turn if self.opponent is None else self.side
        return self._watch.observation(player), {"action_mask": np.frombuffer(self._watch.legal(), np.int8), "player": player}

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Observation, dict[str, Any]]:
        """Begin a game, from ``options["position"]`` if it is given. Raises InputError."""
        super().reset(seed=seed)
        self._watch.reset()
        if options and "position" in options:
            self._games.set(options["position"])
        self._plies, self._over = 0, True  # until the opponent has moved
        self._look()
        self._answer()
        return self._observed()

    def _truncated(self) -> bool:
        return self.max_plies is not None and self._plies >= self.max_plies and self._watch.result < 0

    def _answer(self) -> None:
        """Let the opponent move while it is its turn, and note whether the game is over."""
        watch = self._watch
        while self.opponent is not None and watch.turn != self.side and watch.result < 0 and not self._truncated():
            action = self.opponent(self._games, self.np_random)
            if action == LEAVE:
                raise InputError(f"{action} is not an action; give a number below {self._games.num_actions}")
            self._games.step(np.array([action], np.int32))
            self._plies += 1
            self._look()
        self._over = watch.result >= 0 or self._truncated()

    def step(self, action: int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Play an action. Raises InputError if it is not an action, or the game is over."""
        if self._over:
            raise InputError("the game is over; call reset")
        if type(action) is not int or not 0 <= action < self._games.num_actions:  # contains takes its time
            if not self.action_space.contains(action):
                raise InputError(f"{action!r} is not an action; give a number below {self._games.num_actions}")
            action = int(action)
        watch, self._over = self._watch, True  # until all is played
        if not watch.allows(action):
            observation, info = self._observed()
            return observation, -1.0, True, False, {**info, "illegal_action": True}
        mover = watch.turn
        watch.play(action)
        self._plies += 1
        self._answer()
        result, reward = watch.result, 0.0
        if result >= 0:
            reward = _SIGN[result] * (1.0 if watch.turn == mover else -1.0) + 0.0
        observation, info = self._observed()
        return observation, reward, result >= 0, self._over and result < 0, info

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return which actions are legal, in the form that MaskablePPO expects."""
        return np.frombuffer(self._watch.legal(), np.bool_)

    def legal_actions(self) -> npt.NDArray[np.int64]:
        """Return the legal actions in ascending order."""
        return np.flatnonzero(self.action_masks())

    def observation(self) -> Observation:
        """Return the last observation."""
        return self._observed()[0]

    def position(self) -> str:
        """Return the text of the position."""
        return self._watch.text().decode()

    def render(self) -> str | None:
        """Return the position with a line for each row, None without a render mode."""
        return render(self._games)[0] if self.render_mode == "ansi" else None

    def close(self) -> None:
        """End the game."""
        self._games.close()


_SIGN = (0.0, 1.0, -1.0, 0.0)  # what an outcome is worth, by its number, and an unfinished game, -1
_SIGNS = np.array(_SIGN)


class VectorEnv(_Restorable, _VectorEnv):
    """Games of both players in the form of gymnasium.vector.VectorEnv, all played at once.

    Observations, rewards and infos are those of :class:`Env` without an opponent. A finished game begins
    anew by Gymnasium's modes: at the next step, whose action and reward do not count (NEXT_STEP); in the same
    step, with the last observation in ``info["final_obs"]`` (SAME_STEP); or only by reset (DISABLED).
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "autoreset_mode": AutoresetMode.NEXT_STEP}

    def __init__(
        self,
        board: str,
        size: int | str | None = None,
        *,
        num_envs: int = 1,
        max_plies: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
    ) -> None:
        """Begin ``num_envs`` games. Raises InputError."""
        self.render_mode, self.autoreset_mode = _render_mode(render_mode), AutoresetMode(autoreset_mode)
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}
        self._games = Games(board, size, num_envs)
        self.num_envs, self.max_plies = num_envs, max_plies
        self.single_observation_space = observation_space(self._games)
        self.single_action_space = Discrete(self._games.num_actions)
        self.observation_space = observation_space(self._games, num_envs)
        self.action_space = MultiDiscrete(np.full(num_envs, self._games.num_actions))
        self._plies, self._over = np.zeros(num_envs, np.int64), np.ones(num_envs, np.bool_)
        self._look()

    @property
    def games(self) -> Games:
        """The games of the batch."""
        return self._games

    def _info(self, which: npt.NDArray[np.bool_]) -> dict[str, Any]:
        """Return the information of some of the games; names with an underscore say which."""
        mask, player = self._view.legal.astype(np.int8), self._view.turn.copy()
        return {"action_mask": mask, "_action_mask": which.copy(), "player": player, "_player": which.copy()}

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin all games, or those that are true in ``options["reset_mask"]``."""
        super().reset(seed=seed if isinstance(seed, int) else None)
        these = np.asarray(options["reset_mask"], np.bool_) if options and "reset_mask" in options else np.ones(self.num_envs, np.bool_)
        self._games.reset(these)
        self._plies[these] = 0
        self._look()
        self._over[these] = self._view.result[these] >= 0
        return self._view.observation, self._info(these)

    def _checked(self, actions: npt.ArrayLike, over: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
        these = np.asarray(actions)
        if these.shape != over.shape or these.dtype.kind not in "iu":
            raise InputError(f"actions of type {these.dtype} and shape {these.shape}; give integers of shape {over.shape}")
        these = np.where(over, 0, these.astype(np.int64))
        if these.size > 0 and not 0 <= these.min() <= these.max() < self._games.num_actions:
            raise InputError(f"actions from {these.min()} to {these.max()}; give numbers from 0 to {self._games.num_actions - 1}")
        return these

    def step(
        self, actions: npt.ArrayLike
    ) -> tuple[Observation, npt.NDArray[np.float64], npt.NDArray[np.bool_], npt.NDArray[np.bool_], dict[str, Any]]:
        """Play an action in each game. Raises InputError if one is not an action; then no game changes."""
        again, mover = self._over.copy(), self._view.turn
        if again.any() and self.autoreset_mode != AutoresetMode.NEXT_STEP:
            raise InputError(f"game {int(again.argmax())} is over; begin it with reset(options={{'reset_mask': …}})")
        these = self._checked(actions, again)
        illegal = ~again & ~self._view.legal[np.arange(self.num_envs), these]
        self._games.step(np.where(again | illegal, LEAVE, these))
        if again.any():
            self._games.reset(again)
        self._plies = np.where(again, 0, self._plies + 1)
        self._look()
        result = self._view.result
        reward = np.where(again, 0.0, _SIGNS[result] * np.where(self._view.turn == mover, 1.0, -1.0)) + 0.0
        reward[illegal] = -1.0
        terminated = illegal | (result >= 0)
        truncated = ~terminated & (self._plies >= self.max_plies) if self.max_plies is not None else np.zeros_like(terminated)
        self._over = terminated | truncated
        info = self._info(np.ones(self.num_envs, np.bool_))
        if illegal.any():
            info.update(illegal_action=illegal, _illegal_action=illegal.copy())
        if self.autoreset_mode == AutoresetMode.SAME_STEP and self._over.any():
            info = self._begin_ended(info)
        return self._view.observation, reward, terminated, truncated, info

    def _begin_ended(self, last: dict[str, Any]) -> dict[str, Any]:
        """Begin finished games anew, and return the information, which contains the last one."""
        over, final = self._over.copy(), np.full(self.num_envs, None, object)
        for i in np.flatnonzero(over):
            final[i] = self._view.observation[i]
        self.reset(options={"reset_mask": over})
        last = {name: value & over if name.startswith("_") else value for name, value in last.items()}
        info = self._info(np.ones(self.num_envs, np.bool_))
        return {**info, "final_obs": final, "_final_obs": over, "final_info": last, "_final_info": over.copy()}

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return which actions are legal in each game."""
        return self._view.legal.copy()

    def render(self) -> tuple[str, ...] | None:
        """Return the positions as text, a line for each row; None without a render mode."""
        return render(self._games) if self.render_mode == "ansi" else None

    def close_extras(self, **_: Any) -> None:
        """End all games, for close."""
        self._games.close()


class AECEnv(_Clonable, _AECEnv):
    """One game in the form of pettingzoo.AECEnv, with the agents player_0, who begins, and player_1.

    An observation is a dictionary of the planes, ``observation``, from the side of the agent, and of
    ``action_mask``, with 1 for each legal action; it is 0 for an agent that is not to move. The one who wins
    gets the reward 1, the other -1. An illegal action raises InputError.
    """

    def __init__(
        self, board: str, size: int | str | None = None, *, max_plies: int | None = None, render_mode: str | None = None
    ) -> None:
        """Prepare a game; reset begins it. ``max_plies`` truncates longer games. Raises InputError."""
        self._games = games = Games(board, size)
        self.metadata = {"render_modes": ["ansi"], "name": f"{games.game}_v1", "is_parallelizable": False, "render_fps": 1}
        self.possible_agents = ["player_0", "player_1"]
        self.agents: list[str] = []
        self.agent_selection = self.possible_agents[0]
        self.rewards: dict[str, float] = {}
        self._cumulative_rewards: dict[str, float] = {}
        self.terminations: dict[str, bool] = {}
        self.truncations: dict[str, bool] = {}
        self.infos: dict[str, dict[str, Any]] = {}
        self._plies, self._view = 0, self._games.observe()
        self.max_plies, self.render_mode = max_plies, _render_mode(render_mode)
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
        self.infos = {agent: {} for agent in self.agents}
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
                self.rewards[agent] = _SIGN[result] * (1.0 if agent == mover else -1.0) + 0.0
        elif self.max_plies is not None and self._plies >= self.max_plies:
            self.truncations = dict.fromkeys(self.agents, True)

    def observe(self, agent: str) -> dict[str, Any]:
        """Return the observation of an agent. Raises InputError if there is no such agent."""
        if agent not in self.possible_agents:
            raise InputError(f"there is no agent {agent!r}; the agents are player_0 and player_1")
        moves = agent == self.agent_selection and not (self.terminations.get(agent, True) or self.truncations.get(agent, True))
        mask = self._view.legal[0] if moves else np.zeros_like(self._view.legal[0])
        planes = self._view.observation[0].copy()
        if int(self._view.turn[0]) != self.possible_agents.index(agent) and len(planes) > 1:
            planes = np.concatenate([planes[1::-1], planes[2:]])
        return {"observation": planes, "action_mask": mask.astype(np.int8)}

    def _acting(self) -> str:
        """Return the agent to act."""
        if not self.agents:
            raise InputError("no game is in progress; call reset, which begins one")
        return self.agent_selection

    def last(self, observe: bool = True) -> tuple[dict[str, Any] | None, float, bool, bool, dict[str, Any]]:
        """Return observation, cumulative reward, termination, truncation and info of the agent to act."""
        agent = self._acting()
        return (
            self.observe(agent) if observe else None,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self.infos[agent],
        )

    def step(self, action: int | None) -> None:
        """Play an action of the agent to act; None once it is terminated or truncated. Raises InputError."""
        agent = self._acting()
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None or not self.action_spaces[agent].contains(action):
            raise InputError(f"{action!r} is not an action; give a number below {self._games.num_actions}")
        self._games.step(np.array([action], np.int32))
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
        for part in parts:
            del part[agent]
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
        return render(self._games)[0] if self.render_mode == "ansi" else None

    def close(self) -> None:
        """End the game."""
        self._games.close()

    def __str__(self) -> str:
        return str(self.metadata["name"])

"""Many games of one board, played at once: rules, observations and exact values of any game."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _library as c
from .table import Path, Values, fields

LEAVE = c.LEAVE


class View(NamedTuple):
    """What can be observed of n games. ``position`` has the texts, bytes of shape (n,).

    ``observation`` is uint8 of shape (n, planes, rows, columns), ``legal`` bool of shape (n, actions),
    ``turn`` uint8 of shape (n,), and ``result`` int8 of shape (n,): the outcome for the player to move,
    -1 if the game is not over.
    """

    position: npt.NDArray[np.bytes_]
    observation: npt.NDArray[np.uint8]
    legal: npt.NDArray[np.bool_]
    turn: npt.NDArray[np.uint8]
    result: npt.NDArray[np.int8]


class Ratings(NamedTuple):
    """Values of n games, int32 of shape (n,), and of their actions, of shape (n, actions).

    All are for the player to move, counted from the position before the move. The outcome and the steps
    of an action are -1 if it is not legal or not known.
    """

    outcome: npt.NDArray[np.int32]
    steps: npt.NDArray[np.int32]
    action_outcome: npt.NDArray[np.int32]
    action_steps: npt.NDArray[np.int32]


class Games(c.Owner):
    """A batch of games of one board. Calls from several threads wait for each other.

    An action is a number below ``num_actions``. On a board of cells it is the cell that is marked, row by
    row from the top left, and the last one is the pass if there is one. Other games number their moves
    once. If ``numbered`` is true, the actions only number the legal moves of a position by their names.
    """

    def __init__(self, board: str, size: int | str | None = None, count: int = 1) -> None:
        """Begin ``count`` games at their start. Raises InputError if there is no such board."""
        if not 1 <= count <= 1 << 24:
            raise c.InputError(f"{count} games; give a number from 1 to {1 << 24}")
        handle, form = ctypes.c_uint64(), c.Form()
        self.board = c.board_word(board, size)
        c.call("games_new", c.API, c.text_bytes(self.board), count, handle)
        super().__init__(handle.value, "games_free")
        c.call("games_describe", self._handle, form)
        self.game: str = form.game.decode()
        self.title: str = form.title.decode()
        self.count = count
        self.num_actions: int = form.actions
        self.numbered = bool(form.numbered)
        self._board, self._marks, self._width = form.board.decode(), form.marks, 64
        self._start = self.positions()[0]
        self.observation_shape: tuple[int, int, int] = self._shape()
        self._cells = np.array([i for i, letter in enumerate(self._start.split(" ")[0]) if letter not in "/+"])

    def clone(self) -> Games:
        """Return independent games in the same positions."""
        return _games(*self.__reduce__()[1])

    __copy__ = clone

    def __deepcopy__(self, _: object) -> Games:
        return self.clone()

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle games as their board and positions."""
        return _games, (self.board, self._look()[0])

    def __len__(self) -> int:
        return self.count

    def __repr__(self) -> str:
        return f"<backsolve.Games: {self.count} of {self.title}>"

    def reset(self, which: npt.ArrayLike | None = None) -> None:
        """Set games to the start: those that are true in ``which``, of shape (n,), or all."""
        these = np.ones(self.count, np.bool_) if which is None else np.asarray(which, np.bool_)
        if these.shape != (self.count,):
            raise c.InputError(f"which has the shape {these.shape}; give ({self.count},)")
        self.set(np.where(these, b"startpos", b""))

    def set(self, positions: str | Sequence[str] | npt.NDArray[np.str_] | npt.NDArray[np.bytes_]) -> None:
        """Set the games to positions by their texts, all to the same if it is one text.

        If there are fewer texts than games, the others stay as they are, as do those with an empty text.
        A text may be ``startpos moves a1d1 b4b1``. Raises InputError.
        """
        if isinstance(positions, str):
            positions = [positions] * self.count
        texts = fields(positions)
        if texts.ndim != 1 or len(texts) > self.count:
            raise c.InputError(f"positions of shape {texts.shape} for {self.count} games; give at most one for each")
        if len(texts) < self.count:
            texts = np.concatenate([texts, np.zeros(self.count - len(texts), texts.dtype)])
        c.call("games_set", self._handle, texts.ctypes.data, texts.itemsize)

    def draw(self, seed: int) -> None:
        """Set the games to random positions that are not over, each as likely as any other.

        They need not be reachable. Raises InputError if the game is not played on at most 8x8 cells.
        """
        c.call("games_draw", self._handle, int(seed) & (1 << 64) - 1)

    def step(self, actions: npt.ArrayLike) -> None:
        """Play an action in each game; LEAVE, -1, leaves one as it is.

        Raises InputError if one is not legal; then no game changes.
        """
        these = np.asarray(actions)
        if these.shape != (self.count,) or these.dtype.kind not in "iu":
            raise c.InputError(f"actions of type {these.dtype} and shape {these.shape}; give integers of shape ({self.count},)")
        if these.dtype != np.int32:
            if not LEAVE <= these.min() <= these.max() < 1 << 31:
                raise c.InputError(f"actions from {these.min()} to {these.max()}; give numbers below {self.num_actions}")
            these = these.astype(np.int32)
        these = np.ascontiguousarray(these)
        c.call("games_step", self._handle, these.ctypes.data)

    def observe(self) -> View:
        """Return new arrays with what can be observed of the games, from the side of the player to move.

        The planes are the marks of the player to move, then those of the opponent. A game with one kind of
        marks has one plane. Ultimate Tic-Tac-Toe has a third, the cells that may be marked. Nim has the
        counters of its heaps. A game that is defined by its positions has the bytes of the text.
        """
        position, legal, turn, result = self._look()
        return View(position, self._observation(position, legal, turn), legal, turn, result)

    def _look(self) -> tuple[npt.NDArray[np.bytes_], npt.NDArray[np.bool_], npt.NDArray[np.uint8], npt.NDArray[np.int8]]:
        legal = np.empty((self.count, self.num_actions), np.bool_)
        turn, result = np.empty(self.count, np.uint8), np.empty(self.count, np.int8)
        parts = [c.address(part) for part in (legal, turn, result)]
        position = self._texts(self.count, lambda *texts: c.call("games_observe", self._handle, *texts, *parts))
        return position, legal, turn, result

    def _shape(self) -> tuple[int, int, int]:
        rows = self._start.split(" ")[0].split("/")
        cells = sum(len(row) - row.count("+") for row in rows)
        if self._board == "grid":
            return self._marks, len(rows), len(rows[0])
        if self._board == "nine":
            return 3, 9, 9
        if self._board == "heaps":
            return 1, 1, len(rows)
        if self._board in ("row", "boards"):
            return 1, 1, cells
        return 1, 1, max(64, 2 * len(self._start))

    def _observation(
        self, position: npt.NDArray[np.bytes_], legal: npt.NDArray[np.bool_], turn: npt.NDArray[np.uint8]
    ) -> npt.NDArray[np.uint8]:
        """Return the planes of positions."""
        shape = (len(position), *self.observation_shape)
        if self._board == "heaps":
            heaps = [text.split(b" ")[0].split(b"/") for text in position.tolist()]
            return np.array(heaps).astype(np.uint8).reshape(shape)
        letters = position.view(np.uint8).reshape(len(position), position.itemsize)
        if self._board not in ("grid", "nine", "row", "boards"):
            seen = np.zeros((len(position), shape[-1]), np.uint8)
            seen[:, : letters.shape[1]] = letters[:, : shape[-1]]
            return seen.reshape(shape)
        if self._marks != 2:
            return _PLANES[0, :, 0].take(letters.take(self._cells, 1)).reshape(shape)
        planes = _PLANES[turn[:, None], letters.take(self._cells, 1)].transpose(0, 2, 1)
        if self._board == "nine":
            planes = np.concatenate([planes, legal[:, None].view(np.uint8)], axis=1)
        return planes.reshape(shape)

    def positions(self) -> list[str]:
        """Return the texts of the positions."""
        return [text.decode() for text in self._look()[0].tolist()]

    def _texts(self, count: int, write: Callable[[int, int], None]) -> npt.NDArray[np.bytes_]:
        """Return texts that write puts into an array, whose fields grow until they suffice."""
        while True:
            texts = np.zeros(count, f"S{self._width}")
            try:
                write(c.address(texts), texts.itemsize)
                return texts
            except c.InputError:
                if self._width >= 1 << 12:
                    raise
                self._width *= 2

    def moves(self, game: int = 0) -> list[str]:
        """Return the texts of all actions in a game, empty for those that are not legal."""
        if not 0 <= game < self.count:
            raise c.InputError(f"there is no game {game}; give a number below {self.count}")
        texts = self._texts(self.num_actions, lambda *texts: c.call("games_moves", self._handle, game, *texts))
        return [text.decode() for text in texts.tolist()]

    def legal_actions(self, game: int = 0) -> npt.NDArray[np.int64]:
        """Return the legal actions of a game in ascending order."""
        return np.flatnonzero(self.observe().legal[game])

    def rate(self, dir: Path | None = None) -> Ratings:
        """Look up the values of the games and of all their actions.

        They are those of the board's table in a directory, or of what knows the game without one, as in
        Nim. Raises TableNotFoundError and BadTableError.
        """
        actions = np.empty((self.count, self.num_actions, 2), np.int32)
        return Ratings(*self._rate(dir, c.address(actions)), actions[..., 0], actions[..., 1])

    def values(self, dir: Path | None = None) -> Values:
        """Look up the values of the games alone, as :meth:`rate` does."""
        return self._rate(dir, None)

    def _rate(self, dir: Path | None, actions: int | None) -> Values:
        values = np.empty((self.count, 2), np.int32)
        c.call("games_rate", self._handle, c.path_bytes(c.directory(dir)), c.address(values), actions)
        return Values(values[:, 0], values[:, 1])


class Watch:
    """One game that is observed in memory of its own, which saves making arrays. It is for one thread at a time."""

    def __init__(self, games: Games) -> None:
        self.games, self._action = games, ctypes.c_int32()
        self._step = c.prepare("games_step", games._handle, ctypes.addressof(self._action))
        self._begin = c.prepare("games_set", games._handle, c.address(_START), len(_START))
        self._cells = len(games._start.split(" ")[0])
        self._size = math.prod(games.observation_shape)
        self._prepare()
        self.look()

    def _prepare(self) -> None:
        width, actions = self.games._width, self.games.num_actions
        self._memory = bytearray(width + actions + 2)  # the text, what is legal, the turn, and the result
        self._legal, self._turn = width, width + actions
        text = c.address(self._memory)
        self._observe = c.prepare("games_observe", self.games._handle, text, width, text + width, text + width + actions, text + width + actions + 1)

    def __reduce__(self) -> tuple[Any, ...]:
        return Watch, (self.games,)

    def look(self) -> None:
        """Take in the position: whose turn it is, and the outcome for that player, -1 if the game is not over."""
        try:
            self._observe()
        except c.InputError:
            self.games._look()  # finds how wide the text is
            self._prepare()
            self._observe()
        self.turn = self._memory[self._turn]
        result = self._memory[self._turn + 1]
        self.result = result if result < 128 else -1

    def reset(self) -> None:
        """Set the game to the start, without a look."""
        self._begin()

    def play(self, action: int) -> None:
        """Play an action and look."""
        self._action.value = action
        self._step()
        self.look()

    def allows(self, action: int) -> bool:
        """Return whether an action is legal."""
        return self._memory[self._legal + action] != 0

    def legal(self) -> bytearray:
        """Return 1 for each legal action, else 0."""
        return self._memory[self._legal : self._turn]

    def text(self) -> bytes:
        """Return the text of the position."""
        return bytes(self._memory[: self._legal]).partition(b"\0")[0]

    def observation(self, side: int) -> npt.NDArray[np.uint8]:
        """Return the planes of Games.observe as a player sees them, whoever is to move."""
        games = self.games
        if games._board == "heaps":
            seen = bytearray(map(int, self.text().split(b" ")[0].split(b"/")))
        elif games._board not in ("grid", "nine", "row", "boards"):
            seen = self._memory[: min(self._legal, self._size)].ljust(self._size, b"\0")
        elif games._marks != 2:
            seen = self._memory[: self._cells].translate(_MARKED[0], b"/+")
        else:
            cells = self._memory[: self._cells]
            seen = cells.translate(_MARKED[side], b"/+") + cells.translate(_MARKED[1 - side], b"/+")
            if games._board == "nine":
                seen += self.legal()
        return np.frombuffer(seen, np.uint8).reshape(games.observation_shape)


_START = bytearray(b"startpos")
_MARKED = tuple(bytes(letter == ord(mark) for letter in range(256)) for mark in "XO")  # by the letter of a cell

# By the player to move and the letter of a cell: whether it is the player's and the opponent's mark.
_PLANES = np.zeros((2, 256, 2), np.uint8)
_PLANES[0, ord("X")] = _PLANES[1, ord("O")] = 1, 0
_PLANES[0, ord("O")] = _PLANES[1, ord("X")] = 0, 1


def _games(board: str, positions: npt.NDArray[np.bytes_]) -> Games:
    games = Games(board, None, len(positions))
    games.set(positions)
    return games

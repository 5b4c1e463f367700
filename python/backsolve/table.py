"""Tables of solved games: values, moves and all states, by text or as arrays."""

from __future__ import annotations

import contextlib
import ctypes
import enum
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, Union

import numpy as np
import numpy.typing as npt

from . import _library as c

Path = Union[str, "os.PathLike[str]"]
States = Union[npt.NDArray[np.uint64], npt.NDArray[np.int64], npt.NDArray[np.str_], npt.NDArray[np.bytes_], Sequence[str]]


class Outcome(enum.IntEnum):
    """How a position ends under best play, for the player to move."""

    DRAW = 0
    WIN = 1
    LOSE = 2


class Value(NamedTuple):
    """The value of a position; ``steps`` are the plies to the end, -1 if drawn or not stored."""

    outcome: Outcome
    steps: int


class Move(NamedTuple):
    """A legal move: its text, its value for the player who makes it, and the position after it."""

    move: str
    outcome: Outcome
    steps: int
    position: str


class Values(NamedTuple):
    """The values of many states, each an int32 array of the shape of the states."""

    outcome: npt.NDArray[np.int32]
    steps: npt.NDArray[np.int32]


class Chunk(NamedTuple):
    """Stored states: uint64 of shape (n, 3), and int32, int32 and uint32 of shape (n,).

    ``images`` is the number of states of the game that each one stands for.
    """

    states: npt.NDArray[np.uint64] | npt.NDArray[np.int64]
    outcome: npt.NDArray[np.int32]
    steps: npt.NDArray[np.int32]
    images: npt.NDArray[np.uint32] | npt.NDArray[np.int64]


class Table(c.Owner):
    """An open table of one game on one board. All methods may be called from many threads.

    A state is three numbers: the cells marked X and those marked O as bit masks (bit row * columns +
    column, row 0 on top), and 1 if O is to move. In games with one kind of marks the last two are 0.
    """

    def __init__(self, handle: int, opened: tuple[str, str | None] | None = None) -> None:
        """Take a handle of the C library. Use :meth:`open`, :meth:`open_file` or :func:`solve`.

        ``opened`` is what opens it again: the file, or the directory and the board.
        """
        super().__init__(handle, "close")
        self._opened, board = opened, c.Board()
        c.call("describe", handle, board)
        self.game: str = board.game.decode()
        self.size: int = board.size
        self.marks: int = board.marks
        self.has_steps = bool(board.steps)
        self.opening = bool(board.opening)
        self.start: str = board.start.decode()
        rows = self.start.split(" ")[0].encode()
        self._cells = np.array([i for i, letter in enumerate(rows) if letter in b".XO"])

    @classmethod
    def open(cls, board: str, size: int | str | None = None, dir: Path | None = None) -> Table:
        """Open the table of a board in a directory, packed or not: ``Table.open("quixo", 4)`` or ``Table.open("quixo 4")``.

        The default directory, here and elsewhere, is $BACKSOLVE_TABLES, or ``tables``. Raises InputError if there is no such board, TableNotFoundError, or BadTableError.
        """
        handle, where, word = ctypes.c_uint64(), c.directory(dir), c.board_word(board, size)
        c.call("open_board", c.API, c.path_bytes(where), c.text_bytes(word), handle)
        return cls(handle.value, (_absolute(where), word))

    @classmethod
    def open_file(cls, path: Path) -> Table:
        """Open a table by its path. Raises TableNotFoundError or BadTableError."""
        handle = ctypes.c_uint64()
        c.call("open", c.API, c.path_bytes(path), handle)
        return cls(handle.value, (_absolute(path), None))

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle a table by what opens it again."""
        if self._opened is None:
            raise TypeError("a table that was made from a handle cannot be copied; open it with open or open_file")
        return _open_again, (*self._opened, self._description())

    def _description(self) -> tuple[object, ...]:
        """Return what distinguishes the table from those of other games."""
        return self.game, self.size, self.start, self.has_steps, self.opening

    def __repr__(self) -> str:
        return f"<backsolve.Table of {self.game}, start {self.start!r}>"

    def __len__(self) -> int:
        """Return the number of stored states."""
        count, total = ctypes.c_size_t(), ctypes.c_uint64()
        c.call("read", self._handle, 0, None, None, None, 0, count, total)
        return total.value

    def parse(self, positions: Sequence[str] | npt.NDArray[np.str_] | npt.NDArray[np.bytes_]) -> npt.NDArray[np.uint64]:
        """Return the states of texts, uint64 of the shape of the texts and 3.

        The side to move may be left out if it is x. A text may be ``startpos moves a1d1 b4b1``. Raises
        InputError, with the number of the text.
        """
        texts = fields(positions)
        letters = np.zeros((texts.size, len(self.start)), np.uint8)
        given = texts.reshape(-1).view(np.uint8).reshape(texts.size, texts.itemsize)
        letters[:, : given.shape[1]] = given[:, : len(self.start)]
        pattern = np.frombuffer(self.start.encode(), np.uint8)
        at = self._cells
        if self.marks == 2:
            none = (letters[:, -2:] == 0).all(axis=1)
            letters[none, -2:] = pattern[-2:]
        x, o = letters[:, at] == ord("X"), letters[:, at] == ord("O")
        fixed = np.delete(np.arange(len(pattern)), at)
        turn = letters[:, -1] == ord("o") if self.marks == 2 else np.zeros(len(letters), np.bool_)
        valid = (x | (letters[:, at] == ord(".")) | (o if self.marks == 2 else False)).all(axis=1)
        letters[turn, -1] = ord("x")
        valid &= (letters[:, fixed] == pattern[fixed]).all(axis=1) & ~given[:, len(self.start) :].any(axis=1)
        bits = np.uint64(1) << np.arange(len(at), dtype=np.uint64)
        states = np.stack([(x * bits).sum(axis=1, dtype=np.uint64), (o * bits).sum(axis=1, dtype=np.uint64), turn.astype(np.uint64)], axis=1)
        for i in np.flatnonzero(~valid):  # the library reads texts that are not in the usual form
            try:
                c.call("parse", self._handle, c.text_bytes(texts.reshape(-1)[i].decode(errors="replace")), states[i].ctypes.data)
            except c.InputError as error:
                raise c.InputError(f"position {i}: {error}") from None
        return states.reshape(*texts.shape, 3)

    def format(self, states: npt.NDArray[np.uint64]) -> npt.NDArray[np.str_]:
        """Return the texts of states of shape (..., 3), (..., 2) or (..., 1). Raises InputError."""
        masks = self._states(states)
        x, o, turn = masks.reshape(-1, 3).T
        cells = len(self._cells)
        if ((x | o) >> np.uint64(cells - 1) > 1).any() or (x & o).any() or (turn > (self.marks == 2)).any() or self.marks == 1 and o.any():
            raise c.InputError(f"there is a state that is not a position of {self.game}")
        texts = np.tile(np.frombuffer(self.start.encode(), np.uint8), (len(x), 1))
        bits = np.arange(cells, dtype=np.uint64)
        marked = ((x[:, None] >> bits) & np.uint64(1)) + np.uint64(2) * ((o[:, None] >> bits) & np.uint64(1))
        texts[:, self._cells] = np.frombuffer(b".XO", np.uint8)[marked]
        if self.marks == 2:
            texts[:, -1] = np.frombuffer(b"xo", np.uint8)[turn]
        return texts.view(f"S{len(self.start)}").astype(np.str_).reshape(masks.shape[:-1])

    def _states(self, states: States) -> npt.NDArray[np.uint64]:
        """Return states as an array of shape (..., 3), the same one if it has that form."""
        array: npt.NDArray[Any] = states if isinstance(states, np.ndarray) else np.asarray(states)
        if array.shape == (0,) and array.dtype.kind == "f":  # an empty list
            array = array.astype(np.str_)
        if array.dtype.kind in "US":
            return self.parse(array)
        if array.dtype.kind not in "iu" or array.ndim == 0 or not 1 <= array.shape[-1] <= 3:
            raise c.InputError(
                f"states of type {array.dtype} and shape {array.shape}; give texts, or uint64 or int64 masks of shape (..., 3): X, O, and 1 if O is to move"
            )
        if array.dtype == np.int64:
            array = array.view(np.uint64)
        array = np.ascontiguousarray(array, np.uint64)
        if missing := 3 - array.shape[-1]:
            array = np.concatenate([array, np.zeros((*array.shape[:-1], missing), np.uint64)], axis=-1)
        return array

    def values(self, states: States, out: npt.NDArray[np.int32] | None = None) -> Values:
        """Return the values of states: texts, or masks of shape (..., 3), (..., 2) or (..., 1).

        C-contiguous uint64 of shape (..., 3) is read where it lies. ``out``, an int32 array of shape
        (..., 2), takes the result. Raises InputError, with the number of the state, and BadTableError.
        """
        masks = self._states(states)
        shape = (*masks.shape[:-1], 2)
        if out is None:
            out = np.empty(shape, np.int32)
        elif out.shape != shape or out.dtype != np.int32 or not out.flags.c_contiguous or not out.flags.writeable:
            raise c.InputError(f"out must be a contiguous int32 array of shape {shape}")
        c.call("values", self._handle, masks.ctypes.data, masks.size // 3, out.ctypes.data)
        return Values(out[..., 0], out[..., 1])

    def value(self, position: str) -> Value:
        """Return the value of a position. Raises InputError and BadTableError."""
        value = c.Value()
        c.call("probe", self._handle, c.text_bytes(position), value)
        return Value(Outcome(value.outcome), value.steps)

    def nimber(self, position: str) -> int | None:
        """Return the Grundy value of a position; None if the game is over or the table has none."""
        nimber = ctypes.c_int32()
        c.call("nimber", self._handle, c.text_bytes(position), nimber)
        return nimber.value if nimber.value >= 0 else None

    def _rank(self, position: str, capacity: int) -> list[Move]:
        moves, count = (c.Move * capacity)(), ctypes.c_size_t()
        c.call("rank", self._handle, c.text_bytes(position), moves, capacity, count)
        return [
            Move(m.move.decode(), Outcome(m.value.outcome), m.value.steps, m.position.decode())
            for m in moves[: min(count.value, capacity)]
        ]

    def moves(self, position: str) -> list[Move]:
        """Return the moves of a position, the best first; none if the game is over.

        Moves of unknown value, which leave an opening table, are left out. Raises InputError.
        """
        return self._rank(position, c.MAX_MOVES)

    def legal(self, position: str) -> list[str]:
        """Return the texts of :meth:`moves`, in their own order."""
        return sorted(m.move for m in self.moves(position))

    def play(self, position: str, move: str) -> str:
        """Return the position after a move. Raises InputError if it is not one of :meth:`moves`."""
        moves = self.moves(position)
        for m in moves:
            if m.move == move:
                return m.position
        known = ", ".join(sorted(m.move for m in moves)) or "none, as the game is over"
        raise c.InputError(f"{move!r} is not a move of {position!r}; the moves are {known}")

    def best(self, position: str) -> Move | None:
        """Return the best move of a position, None if the game is over. Raises InputError."""
        return next(iter(self._rank(position, 1)), None)

    def line(self, position: str, max_plies: int = 1000) -> list[Move]:
        """Return best play from a position, until the game is over or a position comes again."""
        seen = {position}
        line: list[Move] = []
        while len(line) < max_plies and (move := self.best(position)) is not None:
            line.append(move)
            position = move.position
            if position in seen:
                break
            seen.add(position)
        return line

    def states(self, chunk: int = 1 << 20, first: int = 0, *, signed: bool = False) -> Iterator[Chunk]:
        """Yield all stored states, from number ``first`` on, in chunks of at most ``chunk``.

        Symmetric states are stored once, with X to move. The order is always the same. With ``signed``,
        states and images are int64 with the same bits, as PyTorch before 2.3 has no unsigned types.
        """
        if chunk < 1 or first < 0:
            raise c.InputError(f"chunks of {chunk} states from {first} on; give a positive number, and one that is not negative")
        while True:
            states, values, images = np.empty((chunk, 3), np.uint64), np.empty((chunk, 2), np.int32), np.empty(chunk, np.uint32)
            count, total = ctypes.c_size_t(), ctypes.c_uint64()
            arrays = (states.ctypes.data, values.ctypes.data, images.ctypes.data)
            c.call("read", self._handle, first, *arrays, chunk, count, total)
            n = count.value
            if n > 0 and signed:
                yield Chunk(states[:n].view(np.int64), values[:n, 0], values[:n, 1], images[:n].astype(np.int64))
            elif n > 0:
                yield Chunk(states[:n], values[:n, 0], values[:n, 1], images[:n])
            if n < chunk:
                return
            first += n


def _absolute(path: Path) -> str:
    """Return a path that means the same in every working directory. Web addresses stay as they are."""
    text = os.fspath(path)
    return text if "://" in text else os.path.abspath(text)


def _open_again(path: str, board: str | None, was: tuple[object, ...]) -> Table:
    table = Table.open_file(path) if board is None else Table.open(board, None, path)
    if table._description() != was:
        table.close()
        raise c.BadTableError(f"{path} is not the table that was copied, but another table: {table!r}")
    return table


def fields(positions: Sequence[str] | npt.NDArray[np.str_] | npt.NDArray[np.bytes_]) -> npt.NDArray[np.bytes_]:
    """Return texts as a C-contiguous array of bytes, the same one if it has that form."""
    array: npt.NDArray[Any] = positions if isinstance(positions, np.ndarray) else np.asarray(positions, np.str_)
    if array.dtype.kind == "U":
        letters = np.zeros(0, np.uint32)
        if array.size > 0 and array.itemsize > 0:
            letters = np.ascontiguousarray(array).reshape(-1).view(np.uint32)
        if letters.size > 0 and letters.max() < 128:
            array = letters.astype(np.uint8).view(f"S{array.itemsize // 4}").reshape(array.shape)
        elif array.size > 0:
            array = np.char.encode(array, "utf-8")
        else:
            array = array.astype("S1")
    if array.dtype.kind != "S":
        raise c.InputError(f"positions of type {array.dtype}; give texts")
    if array.itemsize == 0:
        array = array.astype("S1")
    return np.ascontiguousarray(array)


def solve(
    board: str,
    size: int | str | None = None,
    dir: Path | None = None,
    *,
    steps: bool = False,
    nimbers: bool = False,
    threads: int = 0,
    memory: int = 0,
    progress: Callable[[int, int], object] | None = None,
) -> Table:
    """Open the table of a board in a directory, and solve the board first if there is none.

    ``steps`` stores the plies to the end, ``nimbers`` makes a table of nimbers, too. ``threads`` is 0 for
    all cores, ``memory`` a number of bytes, 0 for 1 GiB. ``progress`` is called in this thread with the
    number of solved states and of all. An exception in it, or Ctrl-C, stops the solve, which resumes
    when it is started again. Raises InputError if the board can have no table, BacksolveError.
    """
    now, stop, begun, ended = [0, 0], threading.Event(), threading.Event(), threading.Event()
    errors: list[BaseException] = []

    @c.Progress
    def report(_: object, done: int, total: int) -> int:
        now[:] = done, total
        return stop.is_set()

    how = c.Solving(int(steps), int(nimbers), threads, memory, report, None)
    where, word, handle = c.directory(dir), c.board_word(board, size), ctypes.c_uint64()
    arguments = c.path_bytes(where), c.text_bytes(word)

    def work() -> None:
        begun.set()
        try:
            if not stop.is_set():
                c.call("solve", c.API, *arguments, how, handle)
        except BaseException as error:
            errors.append(error)
        finally:
            ended.set()

    told = [-1, -1]
    try:
        threading.Thread(target=work, name="backsolve.solve").start()
        # Not Thread.join, in which Ctrl-C marks a running thread as ended (Python issue 45274).
        while not ended.wait(0.05):
            if progress is not None and now[1] > 0 and now != told:
                told = list(now)
                progress(*told)
    except BaseException:
        stop.set()
        while begun.is_set() and not ended.is_set():  # a second Ctrl-C does not leave the directory locked
            with contextlib.suppress(KeyboardInterrupt):
                ended.wait()
        if handle.value:
            c.call("close", handle)
        raise
    if errors:
        raise errors[0]
    table = Table(handle.value, (_absolute(where), word))
    if progress is not None and now[1] > 0 and now != told:
        progress(*now)
    return table

#!/usr/bin/env python3
"""Prints what a table knows about positions, like tbquery: the outcome, the steps to the
end, and all moves from the best to the worst.

    make build libbacksolve demo
    python3 cmd/libbacksolve/examples/probe.py bin/libbacksolve.so tables/quixo-4x4.tb 'XXOO/O.XO/O..X/XXO. x'

Several threads answer positions in parallel: ctypes releases Python's global lock during
calls. The exit status is that of the library, as of tbquery.
"""

import ctypes
import sys
from concurrent.futures import ThreadPoolExecutor

API = 1
OUTCOMES = ("draw", "win", "lose")
MAX_MOVES = 256


class Value(ctypes.Structure):
    _fields_ = [("outcome", ctypes.c_int32), ("steps", ctypes.c_int32)]


class Board(ctypes.Structure):
    _fields_ = [
        ("game", ctypes.c_char * 40),
        ("size", ctypes.c_int32),
        ("marks", ctypes.c_int32),
        ("steps", ctypes.c_int32),
        ("opening", ctypes.c_int32),
        ("start", ctypes.c_char * 80),
    ]


class Move(ctypes.Structure):
    _fields_ = [("move", ctypes.c_char * 8), ("value", Value), ("position", ctypes.c_char * 80)]


class BacksolveError(Exception):
    """An error message of the library, with its status."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


class Library:
    """The functions of include/backsolve.h; a status other than 0 is raised."""

    def __init__(self, path):
        library = ctypes.CDLL(path)
        text, handle, size = ctypes.c_char_p, ctypes.c_uint64, ctypes.c_size_t
        library.backsolve_version.restype = text
        self.version = library.backsolve_version().decode()
        self.open = self._checked(library.backsolve_open, ctypes.c_uint32, text, ctypes.POINTER(handle))
        self.close = self._checked(library.backsolve_close, handle)
        self.describe = self._checked(library.backsolve_describe, handle, ctypes.POINTER(Board))
        self.probe = self._checked(library.backsolve_probe, handle, text, ctypes.POINTER(Value))
        self.nimber = self._checked(library.backsolve_nimber, handle, text, ctypes.POINTER(ctypes.c_int32))
        self.rank = self._checked(
            library.backsolve_rank, handle, text, ctypes.POINTER(Move), size, ctypes.POINTER(size)
        )

    @staticmethod
    def _checked(function, *arguments):
        function.restype = ctypes.c_int
        function.argtypes = [*arguments, ctypes.c_char_p, ctypes.c_size_t]

        def call(*values):
            message = ctypes.create_string_buffer(1024)
            status = function(*values, message, len(message))
            if status != 0:
                raise BacksolveError(status, message.value.decode())

        return call


class Table:
    """An open table: with Table(library, path) as table: …"""

    def __init__(self, library, path):
        self._library, self._handle = library, ctypes.c_uint64()
        library.open(API, path.encode(), ctypes.byref(self._handle))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._library.close(self._handle)

    def describe(self):
        board = Board()
        self._library.describe(self._handle, ctypes.byref(board))
        return board

    def probe(self, position):
        value = Value()
        self._library.probe(self._handle, position.encode(), ctypes.byref(value))
        return value

    def nimber(self, position):
        nimber = ctypes.c_int32()
        self._library.nimber(self._handle, position.encode(), ctypes.byref(nimber))
        return nimber.value

    def rank(self, position):
        moves, count = (Move * MAX_MOVES)(), ctypes.c_size_t()
        self._library.rank(self._handle, position.encode(), moves, MAX_MOVES, ctypes.byref(count))
        return moves[: count.value]


def number(n):
    return str(n) if n >= 0 else "-"


def answer(table, position):
    value = table.probe(position)
    lines = [f"outcome  {OUTCOMES[value.outcome]}", f"steps    {number(value.steps)}"]
    nimber = table.nimber(position)
    if nimber >= 0:
        lines.append(f"nimber   {nimber}")
    moves = table.rank(position)
    if not moves:
        return "\n".join(lines + ["", "The game is over."])
    lines += ["", "move  outcome  steps" + ("  nimber" if nimber >= 0 else "")]
    for move in moves:
        after = f"  {number(table.nimber(move.position.decode())):>6}" if nimber >= 0 else ""
        lines.append(f"{move.move.decode():<4}  {OUTCOMES[move.value.outcome]:<7}  {number(move.value.steps):>5}{after}")
    return "\n".join(lines)


def main(arguments):
    if len(arguments) < 2:
        print(f"usage: {sys.argv[0]} LIBRARY TABLE [POSITION...]", file=sys.stderr)
        return 2
    try:
        with Table(Library(arguments[0]), arguments[1]) as table:
            positions = arguments[2:] or [table.describe().start.decode()]
            with ThreadPoolExecutor() as threads:
                for text in threads.map(lambda position: answer(table, position), positions):
                    print(text)
    except BacksolveError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.status
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

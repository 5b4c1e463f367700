"""The C library by ctypes: its functions, structs and errors. See include/backsolve.h.

It is loaded at the first call: once a process has loaded it, forked children cannot use it.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
import threading
import weakref
from collections.abc import Callable
from ctypes import POINTER, c_char, c_char_p, c_int, c_int32, c_size_t, c_uint32, c_uint64, c_void_p
from pathlib import Path
from typing import Any, TypeVar

API = 1
MAX_MOVES = 256
MESSAGE_SIZE = 1024
POSITION_SIZE = 80
LEAVE = -1
Owning = TypeVar("Owning", bound="Owner")


class BacksolveError(Exception):
    """An error of the library: a sentence that names cause and remedy. ``status`` is its number."""

    status = 1


class InputError(BacksolveError, ValueError):
    """An argument, a position or a move is invalid."""

    status = 2


class TableNotFoundError(BacksolveError, FileNotFoundError):
    """There is no such table, or it lacks the position."""

    status = 3

    def __str__(self) -> str:
        return str(self.args[0])


class BadTableError(BacksolveError):
    """The file is not a table, is damaged, truncated or of a newer format."""

    status = 4


class ClosedError(BacksolveError, ValueError):
    """The table or the games are closed."""

    status = 5


_ERRORS = {e.status: e for e in (BacksolveError, InputError, TableNotFoundError, BadTableError, ClosedError)}


class Value(ctypes.Structure):
    _fields_ = [("outcome", c_int32), ("steps", c_int32)]


class Board(ctypes.Structure):
    _fields_ = [
        ("game", c_char * 40),
        ("size", c_int32),
        ("marks", c_int32),
        ("steps", c_int32),
        ("opening", c_int32),
        ("start", c_char * POSITION_SIZE),
    ]


class Move(ctypes.Structure):
    _fields_ = [("move", c_char * 8), ("value", Value), ("position", c_char * POSITION_SIZE)]


Progress = ctypes.CFUNCTYPE(c_int, c_void_p, c_uint64, c_uint64)


class Solving(ctypes.Structure):
    _fields_ = [
        ("steps", c_int32),
        ("nimbers", c_int32),
        ("threads", c_int32),
        ("memory", c_uint64),
        ("progress", Progress),
        ("context", c_void_p),
    ]


class Form(ctypes.Structure):
    _fields_ = [
        ("game", c_char * 64),
        ("title", c_char * 80),
        ("board", c_char * 16),
        ("marks", c_int32),
        ("actions", c_int32),
        ("numbered", c_int32),
    ]


# The arguments of each function before the message.
_FUNCTIONS: dict[str, tuple[Any, ...]] = {
    "open": (c_uint32, c_char_p, POINTER(c_uint64)),
    "open_board": (c_uint32, c_char_p, c_char_p, POINTER(c_uint64)),
    "solve": (c_uint32, c_char_p, c_char_p, POINTER(Solving), POINTER(c_uint64)),
    "close": (c_uint64,),
    "describe": (c_uint64, POINTER(Board)),
    "probe": (c_uint64, c_char_p, POINTER(Value)),
    "parse": (c_uint64, c_char_p, c_void_p),
    "nimber": (c_uint64, c_char_p, POINTER(c_int32)),
    "rank": (c_uint64, c_char_p, POINTER(Move), c_size_t, POINTER(c_size_t)),
    "values": (c_uint64, c_void_p, c_size_t, c_void_p),
    "read": (c_uint64, c_uint64, c_void_p, c_void_p, c_void_p, c_size_t, POINTER(c_size_t), POINTER(c_uint64)),
    "games_new": (c_uint32, c_char_p, c_size_t, POINTER(c_uint64)),
    "games_free": (c_uint64,),
    "games_describe": (c_uint64, POINTER(Form)),
    "games_set": (c_uint64, c_void_p, c_size_t),
    "games_draw": (c_uint64, c_uint64),
    "games_step": (c_uint64, c_void_p),
    "games_observe": (c_uint64, c_void_p, c_size_t, c_void_p, c_void_p, c_void_p),
    "games_moves": (c_uint64, c_size_t, c_void_p, c_size_t),
    "games_rate": (c_uint64, c_char_p, c_void_p, c_void_p),
}

_messages = threading.local()  # a buffer for each thread
_loaded: ctypes.CDLL | None = None
_forked = False


def _after_fork() -> None:
    global _forked
    _forked = True


def _library() -> ctypes.CDLL:
    global _loaded
    if _forked:
        raise BacksolveError('a forked process cannot use the library if its parent has used it; start processes with context="spawn"')
    if _loaded is not None:
        return _loaded
    name = {"win32": "libbacksolve.dll", "darwin": "libbacksolve.dylib"}.get(sys.platform, "libbacksolve.so")
    library = ctypes.CDLL(str(Path(__file__).with_name(name)))
    library.backsolve_version.restype = c_char_p
    for function, arguments in _FUNCTIONS.items():
        f = getattr(library, "backsolve_" + function)
        f.restype = c_int
        f.argtypes = (*arguments, c_void_p, c_size_t)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_after_fork)
    _loaded = library
    return library


def call(function: str, *arguments: Any) -> None:
    """Call backsolve_FUNCTION and raise an error unless its status is BACKSOLVE_OK."""
    library = _library()
    message = getattr(_messages, "buffer", None)
    if message is None:
        message = _messages.buffer = ctypes.create_string_buffer(MESSAGE_SIZE)
    status = getattr(library, "backsolve_" + function)(*arguments, message, MESSAGE_SIZE)
    if status != 0:
        raise _ERRORS.get(status, BacksolveError)(message.value.decode())


def prepare(function: str, *arguments: Any) -> Callable[[], None]:
    """Return a call with these arguments, which takes half the time of :func:`call`. It is for one thread at a time."""
    f, message = getattr(_library(), "backsolve_" + function), ctypes.create_string_buffer(MESSAGE_SIZE)
    converted = (*(convert(value) for convert, value in zip(f.argtypes, arguments)), message, MESSAGE_SIZE)

    def again() -> None:
        if _forked:
            _library()  # says why not
        status = f(*converted)
        if status != 0:
            raise _ERRORS.get(status, BacksolveError)(message.value.decode())

    return again


def address(array: Any) -> int:
    """Return the address of the elements of a writable array, in a seventh of the time of array.ctypes.data."""
    return ctypes.addressof(c_char.from_buffer(array))


class Owner:
    """An object of the library, which a handle keeps until it is closed or collected."""

    def __init__(self, handle: int, closing: str) -> None:
        self._handle = handle
        self._finalizer = weakref.finalize(self, _give_back, closing, handle)

    def close(self) -> None:
        """Wait for the calls in progress, then close. A second call does nothing."""
        self._finalizer()

    def __enter__(self: Owning) -> Owning:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _give_back(closing: str, handle: int) -> None:
    with contextlib.suppress(BacksolveError):  # a forked child has none to close
        call(closing, handle)


def version() -> str:
    """Return the version of the C library."""
    return _library().backsolve_version().decode()


def board_word(board: str, size: int | str | None) -> str:
    """Return the text of a board: quixo:4 for ("quixo", 4); one text stays as it is."""
    return board if size is None else f"{board}:{size}"


def directory(dir: str | os.PathLike[str] | None) -> str | os.PathLike[str]:
    """Return a directory of tables, the default one if it is None: $BACKSOLVE_TABLES, or tables."""
    return (os.environ.get("BACKSOLVE_TABLES") or "tables") if dir is None else dir


def path_bytes(path: str | os.PathLike[str]) -> bytes:
    """Return a path as C takes it."""
    data = os.fsencode(path)
    if b"\0" in data:
        raise InputError("the path has a zero byte")
    return data


def text_bytes(text: str) -> bytes:
    """Return a text as C takes it."""
    data = text.encode()
    if b"\0" in data:
        raise InputError(f"{text!r} has a zero byte")
    return data

"""Solved board games: exact values, environments and grading.

Table and solve open and make tables; Games plays many games of any board at once; Env, VectorEnv and AECEnv
are environments for Gymnasium and PettingZoo; grade measures a policy by exact values,
and play lets it play matches.
"""

from typing import Any

from ._library import BacksolveError, BadTableError, ClosedError, InputError, TableNotFoundError, version
from .env import AECEnv, AutoresetMode, Env, PerfectOpponent, VectorEnv, random_opponent
from .games import LEAVE, Games, Ratings, View
from .grading import Grade, Shares, Walk, grade
from .playing import play
from .table import Chunk, Move, Outcome, Table, Value, Values, solve

__all__ = [
    "LEAVE", "AECEnv", "AutoresetMode", "BacksolveError", "BadTableError", "Chunk", "ClosedError", "Env", "Games", "Grade", "InputError", "Move",
    "Outcome", "PerfectOpponent", "Ratings", "Shares", "Table", "TableNotFoundError", "Value", "Values", "VectorEnv", "View", "Walk", "grade",
    "play", "random_opponent", "solve", "version",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name == "__version__":  # asks the library, which is loaded only when needed
        return version()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

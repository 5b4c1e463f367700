"""Solved board games: exact values, environments and grading.

Table and solve open and make tables; Games plays many games of any board at once; Env, VectorEnv and AECEnv
are environments for Gymnasium and PettingZoo; grade measures a policy by exact values,
and play lets it play matches. solve_rules and solve_batched solve games of your own.
"""

from typing import Any

from ._library import BacksolveError, BadTableError, ClosedError, InputError, TableNotFoundError, version
from .env import AECEnv, AutoresetMode, Env, PerfectOpponent, VectorEnv, random_opponent
from .games import LEAVE, Games, Ratings, View
from .grading import Grade, Shares, Walk, grade
from .playing import play
from .rules import GOES_ON, BatchedRules, Solution, solve_batched, solve_rules
from .table import Chunk, Move, Outcome, Table, Value, Values, solve

__all__ = [
    "GOES_ON", "LEAVE", "AECEnv", "AutoresetMode", "BacksolveError", "BadTableError", "BatchedRules", "Chunk", "ClosedError", "Env", "Games", "Grade",
    "InputError", "Move", "Outcome", "PerfectOpponent", "Ratings", "Shares", "Solution", "Table", "TableNotFoundError", "Value", "Values", "VectorEnv",
    "View", "Walk", "grade", "play", "random_opponent", "solve", "solve_batched", "solve_rules", "version",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name == "__version__":  # asks the library, which is loaded only when needed
        return version()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

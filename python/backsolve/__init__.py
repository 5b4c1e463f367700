"""Solved board games: exact values and environments.

Table and solve open and make tables; Games plays many games of any board at once; Env, VectorEnv and AECEnv
are environments for Gymnasium and PettingZoo.
"""

from ._library import BacksolveError, BadTableError, ClosedError, InputError, TableNotFoundError, version
from .env import AECEnv, Env, VectorEnv, random_opponent
from .games import LEAVE, Games, Ratings, View
from .table import Chunk, Move, Outcome, Table, Value, Values, solve

__version__ = version()

__all__ = [
    "LEAVE", "AECEnv", "BacksolveError", "BadTableError", "Chunk", "ClosedError", "Env", "Games", "InputError", "Move",
    "Outcome", "Ratings", "Table", "TableNotFoundError", "Value", "Values", "VectorEnv", "View",
    "random_opponent", "solve", "version",
]  # fmt: skip

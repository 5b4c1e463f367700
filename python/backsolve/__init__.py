"""Solved board games: exact values, and many games at once.

Table and solve open and make tables; Games plays many games of any board at once.
"""

from ._library import BacksolveError, BadTableError, ClosedError, InputError, TableNotFoundError, version
from .games import LEAVE, Games, Ratings, View
from .table import Chunk, Move, Outcome, Table, Value, Values, solve

__version__ = version()

__all__ = [
    "LEAVE", "BacksolveError", "BadTableError", "Chunk", "ClosedError", "Games", "InputError", "Move",
    "Outcome", "Ratings", "Table", "TableNotFoundError", "Value", "Values", "View",
    "solve", "version",
]  # fmt: skip

"""Games of your own: rules in a file, or methods that take the keys of many positions at once."""

from __future__ import annotations

import os
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from . import _library as c
from .table import Outcome, Path, Table, Value, solve

Keys = npt.NDArray[np.uint64]
GOES_ON = -1


def solve_rules(rules: Path, dir: Path | None = None, **options: Any) -> Table:
    """Open the table of a game whose rules are a file of WebAssembly, and solve it first if there is none.

    ``options`` are those of solve. The file is kept beside the table. Raises BacksolveError where the
    rules are wrong, with the position.
    """
    options.setdefault("steps", True)
    return solve(os.fspath(rules), None, dir, **options)


class BatchedRules(Protocol):
    """Rules by keys, numbers of 64 bits that stand for positions with the player to move."""

    def start(self) -> int:
        """Return the key of the first position."""

    def expand(self, keys: Keys) -> tuple[npt.ArrayLike, npt.ArrayLike, npt.ArrayLike]:
        """Return the ends, the numbers of moves, and the keys after all moves, position by position.

        An end is GOES_ON, or the Outcome for the player to move of a game that is over, without moves.
        """


class Solution(NamedTuple):
    """The value of each position that play can reach, by rising keys. ``steps`` are -1 where it is a draw."""

    keys: Keys
    outcome: npt.NDArray[np.int32]
    steps: npt.NDArray[np.int32]

    def value(self, key: int) -> Value:
        """Return the value of a position. Raises InputError if play cannot reach it."""
        at = int(np.searchsorted(self.keys, np.uint64(key)))
        if at == len(self.keys) or int(self.keys[at]) != key:
            raise c.InputError(f"no play reaches the position {key}")
        return Value(Outcome(int(self.outcome[at])), int(self.steps[at]))


def solve_batched(rules: BatchedRules, most: int = 10_000_000) -> Solution:
    """Solve a game of at most ``most`` positions in memory, some 100 bytes for each and 40 for each move.

    Positions may repeat: if neither side can force a win, the game is a draw.
    """
    keys, ends, counts, children = _reach(rules, most)
    targets = np.searchsorted(keys, children)
    sources = np.repeat(np.arange(len(keys)), counts)[np.argsort(targets, kind="stable")]
    first = np.concatenate([[0], np.cumsum(np.bincount(targets, minlength=len(keys)))])

    def before(positions: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the positions with a move to one of these, once for each such move."""
        return sources[_spans(first[positions], first[positions + 1] - first[positions])]

    going = ends == GOES_ON
    outcome, steps, left = np.where(going, Outcome.DRAW, ends).astype(np.int32), np.full(len(keys), -1, np.int32), counts.copy()
    won, lost, ply = np.flatnonzero(outcome == Outcome.WIN), np.flatnonzero(outcome == Outcome.LOSE), 0
    steps[won] = steps[lost] = 0
    while len(won) or len(lost):
        ply += 1
        winners = np.unique(before(lost))
        winners = winners[going[winners]]
        going[winners] = False
        losers, times = np.unique(before(won), return_counts=True)
        left[losers] -= times
        losers = losers[going[losers] & (left[losers] == 0)]
        going[losers] = False
        outcome[winners], outcome[losers] = Outcome.WIN, Outcome.LOSE
        steps[winners] = steps[losers] = ply
        won, lost = winners, losers
    return Solution(keys, outcome, steps)


def _reach(rules: BatchedRules, most: int) -> tuple[Keys, npt.NDArray[np.int64], npt.NDArray[np.int64], Keys]:
    """Return the keys that play reaches, rising, with their ends and numbers of moves, and the keys after these."""
    keys = frontier = np.array([rules.start()], np.uint64)
    found = []
    while len(frontier):
        expanded = rules.expand(frontier)
        ends, counts, children = np.asarray(expanded[0], np.int64), np.asarray(expanded[1], np.int64), np.asarray(expanded[2], np.uint64)
        wrong = ends.shape != frontier.shape or counts.shape != frontier.shape or children.shape != (counts.sum(),)
        if wrong or not np.isin(ends, (GOES_ON, *Outcome)).all() or ((counts > 0) != (ends == GOES_ON)).any() or (counts < 0).any():
            raise c.InputError("expand returned what does not fit together; return an end and a number of moves for each key, no moves where the game is over, and a key for each move")
        found.append((frontier, ends, counts, children))
        after = np.unique(children)
        frontier = after[keys[np.minimum(np.searchsorted(keys, after), len(keys) - 1)] != after]
        keys = np.union1d(keys, frontier)
        if len(keys) > most:
            raise c.InputError(f"the game has more than {most} positions")
    order = np.argsort(np.concatenate([f[0] for f in found]))
    ends, counts = np.concatenate([f[1] for f in found]), np.concatenate([f[2] for f in found])
    at = _spans((np.cumsum(counts) - counts)[order], counts[order])
    return keys, ends[order], counts[order], np.concatenate([f[3] for f in found])[at]


def _spans(starts: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the ranges of numbers with these starts and lengths, one after the other."""
    return np.arange(int(lengths.sum())) + np.repeat(starts - np.cumsum(lengths) + lengths, lengths)

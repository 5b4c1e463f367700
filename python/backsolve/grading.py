"""Grade any policy against the exact values of all positions, as ``lab grade`` does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Union

import numpy as np
import numpy.typing as npt

from ._library import InputError
from .games import LEAVE, Games, Ratings, View
from .table import Outcome, Path

# A policy gets observations, uint8 of shape (n, planes, rows, columns), and the legal actions, bool of shape
# (n, actions). It returns probabilities of shape (n, actions), or a tuple of these and of the values of the
# positions for the player to move, from -1 to 1, of shape (n,).
Policy = Callable[[npt.NDArray[np.uint8], npt.NDArray[np.bool_]], Union[npt.ArrayLike, "tuple[npt.ArrayLike, npt.ArrayLike]"]]


class Shares(NamedTuple):
    """Shares of states, from 0 to 1. ``random`` and ``random_strict`` are those of a random player, exactly.

    In ``keep`` of them the move keeps the outcome; in ``strict`` it also wins soonest or loses latest (None
    without steps). ``sign`` is how often the policy's value has the right sign in states that are won or lost
    (None without values).
    """

    states: int
    keep: float
    random: float
    strict: float | None
    random_strict: float | None
    sign: float | None


class Walk(NamedTuple):
    """The games from the start of one side against every opponent.

    ``champion`` says that no opponent gets more than the start is worth. Of the ``states`` in which the policy
    moves, in ``kept`` it still has what the start is worth, and in ``wrong`` of these its move gives that away.
    ``line`` is the shortest game in which it gets less, empty if there is none.
    """

    side: int
    champion: bool
    states: int
    kept: int
    wrong: int
    line: list[str]


class Grade(NamedTuple):
    """The result of :func:`grade`: all states, the won ones, and the walks of the sides that can hold."""

    all: Shares
    won: Shares
    champion: list[Walk]


class _Judge:
    """A policy and exact values, asked in batches of positions."""

    def __init__(self, policy: Policy, board: str, size: int | str | None, dir: Path | None, batch: int) -> None:
        self.games = Games(board, size, batch)
        self.policy, self.dir = policy, dir

    def look(self, texts: Sequence[str]) -> tuple[View, Ratings]:
        """Return the observations and the values of at most a batch of positions."""
        self.games.set(texts)
        n, view, ratings = len(texts), self.games.observe(), self.games.rate(self.dir)
        return View._make(part[:n] for part in view), Ratings._make(part[:n] for part in ratings)

    def ask(self, view: View) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64] | None]:
        """Return the action of the policy in each position, and its values if it has them."""
        answer = self.policy(view.observation, view.legal)
        values = None
        if isinstance(answer, tuple):
            answer, values = answer
            values = np.asarray(values, np.float64).reshape(-1)
        probabilities = np.asarray(answer, np.float64)
        if probabilities.shape != view.legal.shape or values is not None and values.shape != (len(view.turn),):
            raise InputError(f"the policy returned arrays of shape {probabilities.shape}; give one of shape {view.legal.shape}, and values of shape ({len(view.turn)},)")
        if np.isnan(probabilities).any() or values is not None and np.isnan(values).any():
            raise InputError("the policy returned probabilities or values that are not numbers")
        return np.where(view.legal, probabilities, -np.inf).argmax(axis=1), values

    def after(self, texts: Sequence[str], actions: npt.NDArray[np.int64]) -> list[str]:
        """Return the positions after actions."""
        after: list[str] = []
        for first in range(0, len(texts), self.games.count):
            some = texts[first : first + self.games.count]
            self.games.set(some)
            steps = np.full(self.games.count, LEAVE)
            steps[: len(some)] = actions[first : first + len(some)]
            self.games.step(steps)
            after += self.games.positions()[: len(some)]
        return after

    def reachable(self, most: int) -> list[str]:
        """Return the positions that are not over and that play can reach, those after fewer moves first."""
        found = {self.games._start: None}
        queue, done, opened = list(found), 0, []
        while done < len(queue):
            texts = queue[done : done + self.games.count]
            done += len(texts)
            self.games.set(texts)
            view = self.games.observe()
            at, actions = np.nonzero(view.legal[: len(texts)])
            opened += [text for text, result in zip(texts, view.result) if result < 0]
            for text in self.after([texts[i] for i in at], actions):
                if text not in found:
                    found[text] = None
                    queue.append(text)
            if len(queue) > most:
                raise InputError(f"play can reach more than {most} states; give a number of states to be drawn")
        return opened

    def drawn(self, states: int, seed: int) -> list[str]:
        """Return random positions that are not over."""
        with Games(self.games.board, None, states) as games:
            games.draw(seed)
            return games.positions()


def grade(
    policy: Policy,
    board: str,
    size: int | str | None = None,
    dir: Path | None = None,
    *,
    states: int = 0,
    seed: int = 1,
    champion: bool = True,
    batch: int = 4096,
    most: int = 1 << 22,
) -> Grade:
    """Grade a policy by the exact values of a board: ``grade(policy, "quixo", 3)``.

    The policy plays the legal action with the highest probability, of equal ones the least. It is asked in
    ``states`` random positions, or in all that play can reach if it is 0, but in no more than ``most``; these
    are the positions of ``lab grade --states --seed``. ``champion`` tries all replies of every opponent
    from the start. Raises InputError, TableNotFoundError and BadTableError.
    """
    if states < 0 or batch < 1:
        raise InputError(f"{states} states in batches of {batch}; give 0 or more states, and a positive batch")
    judge = _Judge(policy, board, size, dir, batch)
    with judge.games:
        positions = judge.drawn(states, seed) if states > 0 else judge.reachable(most)
        all_, won = _expert(judge, positions)
        return Grade(all_, won, _champion(judge, most) if champion else [])


def _expert(judge: _Judge, positions: list[str]) -> tuple[Shares, Shares]:
    columns: list[npt.NDArray[np.int64]] = []
    valued = stepped = False
    for first in range(0, len(positions), judge.games.count):
        view, r = judge.look(positions[first : first + judge.games.count])
        actions, values = judge.ask(view)
        keeps = view.legal & (r.action_outcome == r.outcome[:, None])
        strict = keeps & (r.action_steps == r.steps[:, None])
        rows, moves = np.arange(len(actions)), (r.action_outcome >= 0).sum(axis=1)
        decided = r.outcome != Outcome.DRAW
        valued, stepped = values is not None, stepped or bool((r.steps >= 0).any())
        right = np.zeros(len(actions), np.bool_) if values is None else decided & ((values > 0) == (r.outcome == Outcome.WIN))
        columns.append(np.stack([
            keeps[rows, actions], strict[rows, actions], right, decided, moves, keeps.sum(axis=1), strict.sum(axis=1),
            r.outcome == Outcome.WIN,
        ], axis=1))  # fmt: skip
    rows_ = np.concatenate(columns)
    return _shares(rows_, stepped, valued), _shares(rows_[rows_[:, -1] == 1], stepped, valued)


def _shares(rows: npt.NDArray[np.int64], stepped: bool, valued: bool) -> Shares:
    n, moves = len(rows), rows[:, 4]
    keep, strict, right, decided = rows[:, :4].sum(axis=0)
    share: Callable[[Any], float] = lambda part: float(part / n) if n > 0 else 0.0  # noqa: E731
    # Summed by the number of moves, as lab grade does.
    random, random_strict = (sum((rows[moves == m, at].sum() / m for m in np.unique(moves)), 0.0) for at in (5, 6))
    return Shares(
        n, share(keep), share(random), share(strict) if stepped else None, share(random_strict) if stepped else None,
        float(right / decided) if valued and decided > 0 else None,
    )  # fmt: skip


# How good an outcome is, by its number.
_GOODNESS = np.array([1, 2, 0])


def _champion(judge: _Judge, most: int) -> list[Walk]:
    view, r = judge.look([judge.games._start])
    turn, outcome = int(view.turn[0]), Outcome(r.outcome[0])
    sides = {Outcome.WIN: [turn], Outcome.LOSE: [1 - turn], Outcome.DRAW: [turn, 1 - turn]}[outcome]
    return [_walk(judge, side, 1 if outcome == Outcome.DRAW else 2, most) for side in sides]


def _walk(judge: _Judge, side: int, worth: int, most: int) -> Walk:
    """Play one side, to which the start is worth a goodness, against every opponent."""
    start = judge.games._start
    parents: dict[str, str | None] = {start: None}
    queue, done = [start], 0
    states = kept = wrong = 0
    beaten: str | None = None
    while done < len(queue):
        texts = queue[done : done + judge.games.count]
        done += len(texts)
        view, r = judge.look(texts)
        mine, over = view.turn == side, view.result >= 0
        final = _GOODNESS[view.result]
        final = np.where(mine, final, 2 - final)
        less = np.flatnonzero(over & (final < worth))
        if beaten is None and len(less) > 0:
            beaten = texts[less[0]]
        steps = view.legal.copy()
        asked = np.flatnonzero(mine & ~over)
        if len(asked) > 0:
            actions, _ = judge.ask(View._make(part[asked] for part in view))
            steps[asked] = False
            steps[asked, actions] = True
            has = _GOODNESS[r.outcome[asked]] >= worth
            gives = _GOODNESS[r.action_outcome[asked, actions]] < worth
            states, kept, wrong = states + len(asked), kept + int(has.sum()), wrong + int((has & gives).sum())
        at, actions = np.nonzero(steps)
        for i, text in zip(at, judge.after([texts[i] for i in at], actions)):
            if text not in parents:
                parents[text] = texts[i]
                queue.append(text)
        if len(queue) > most:
            raise InputError(f"opponents lead to more than {most} states; this board is too large for a walk")
    return Walk(side, beaten is None, states, kept, wrong, _line(judge, parents, beaten))


def _line(judge: _Judge, parents: dict[str, str | None], last: str | None) -> list[str]:
    """Return the moves from the start to a position."""
    line: list[str] = []
    while last is not None and (before := parents[last]) is not None:
        judge.games.set([before])
        moves = judge.games.moves(0)
        legal = [a for a, text in enumerate(moves) if text]
        line.append(moves[legal[judge.after([before] * len(legal), np.array(legal)).index(last)]])
        last = before
    return line[::-1]

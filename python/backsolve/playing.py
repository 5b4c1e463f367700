"""Let any policy play matches, as an engine that speaks the Universal Game Interface."""

from __future__ import annotations

import sys

from .grading import Policy, _Judge


def play(policy: Policy, board: str, size: int | str | None = None) -> None:
    """Answer the commands of ``lab match`` and of other programs for engines on standard input, until quit.

    A file that ends with ``play(policy, "quixo", 4)`` is the agent ``'engine:python3 FILE'``. The policy is that of
    :func:`grade`; it plays the legal action with the highest probability, of equal ones the least.
    """
    judge = _Judge(policy, board, size, None, 1)
    games = judge.games
    for line in sys.stdin:
        command, _, rest = line.strip().partition(" ")
        if command == "ugi":
            print("id name backsolve.play", "ugiok", sep="\n")
        elif command == "isready":
            print("readyok")
        elif command == "position" and rest.startswith("fen "):
            games.set([rest[len("fen ") :]])
        elif command == "position" and rest == "startpos":
            games.reset()
        elif command == "go":
            actions, _values = judge.ask(games.observe())
            print("bestmove", games.moves(0)[int(actions[0])])
        elif command == "quit":
            return
        sys.stdout.flush()

"""Checks that a network, without search, wins every game of Notakto or Nim from the start, by rules of its own.

champion.py FILE.npz plays all replies to the moves of a network that learn export has written. It needs NumPy only.
A side that wins against all replies is a champion, which needs no table to prove. The exit status is 1 if neither is.
"""

import json
import sys

import numpy as np
from canonical import grid, heaps
from forward import forward


class Notakto:  # a position is a tuple of cells, 1 for a mark; who completes a line loses
    def __init__(self, n):
        rows = [[r * n + c for c in range(n)] for r in range(n)]
        self.lines = rows + [list(column) for column in zip(*rows)]
        self.lines += [[r[i] for i, r in enumerate(rows)], [r[-1 - i] for i, r in enumerate(rows)]]
        self.start = (0,) * (n * n)

    def moves(self, s):
        return [cell for cell, mark in enumerate(s) if not mark]

    def play(self, s, cell):
        return s[:cell] + (1,) + s[cell + 1 :]

    def mover_wins(self, s):  # None while the game is open
        return True if any(all(s[c] for c in line) for line in self.lines) else None

    def see(self, s, encoding):  # the inputs of the network, and the move of each legal action
        inputs, origin = grid([list(s)], encoding["canonical"], encoding["parity"])
        return inputs, {action: cell for action, cell in enumerate(origin) if not s[cell]}


class Nim:  # a position is a tuple of counters; who takes the last one wins
    def __init__(self, n):
        self.start = tuple(range(1, 2 * n, 2))

    def moves(self, s):
        return [(heap, taken) for heap, counters in enumerate(s) for taken in range(1, counters + 1)]

    def play(self, s, move):
        heap, taken = move
        return s[:heap] + (s[heap] - taken,) + s[heap + 1 :]

    def mover_wins(self, s):
        return None if any(s) else False

    def see(self, s, encoding):
        ordered = encoding["canonical"] == "heaps"
        inputs, origin = heaps(s, encoding["canonical"], encoding["parity"], encoding.get("heaps") == "unary")
        actions = {}
        for place, heap in enumerate(origin):
            if not (ordered and place and s[heap] == s[origin[place - 1]]):
                actions |= {place * place + i: (heap, i + 1) for i in range(s[heap])}
        return inputs, actions


def choose(game, npz, made, positions):
    """Return the network's move in each position: the most probable one, none that loses at once with key states."""
    seen = [game.see(s, made["encoding"]) for s in positions]
    logits, _ = forward(npz, np.array([inputs for inputs, _ in seen], np.float32))
    for s, (_, actions), row in zip(positions, seen, logits):
        if made["search"]["key_states"]:
            actions = {a: m for a, m in actions.items() if not game.mover_wins(game.play(s, m))} or actions
        yield actions[max(actions, key=lambda a: row[a])]


def walk(game, npz, made, first):
    """Return how many positions the network plays in, and one after which it loses, if any."""
    met, replies = set(), [game.start]
    if not first:
        replies = [game.play(game.start, m) for m in game.moves(game.start)]
    while to_play := sorted(set(replies) - met):
        met, replies = met | set(to_play), []
        for s, move in zip(to_play, choose(game, npz, made, to_play)):
            after = game.play(s, move)
            if game.mover_wins(after) is None:
                replies += [game.play(after, m) for m in game.moves(after)]
            elif game.mover_wins(after):
                return len(met), s
        for s in replies:
            if game.mover_wins(s) is False:
                return len(met), s
        replies = [s for s in replies if game.mover_wins(s) is None]
    return len(met), None


if __name__ == "__main__":
    npz = np.load(sys.argv[1])
    made = json.loads(bytes(npz["made"]))
    if made["game"] not in ("notakto", "nim") or made["run"].get("games", {}).get("start"):
        sys.exit(f"{made['game']} is not known here, or does not begin at the start; give a network for Notakto or Nim")
    game = {"notakto": Notakto, "nim": Nim}[made["game"]](made["size"])
    results = [walk(game, npz, made, first) for first in (True, False)]
    for side, (positions, lost) in zip(("first", "second"), results):
        print(f"{side} player: " + (f"loses after {lost}" if lost else f"champion, in {positions} positions"))
    sys.exit(all(lost for _, lost in results))

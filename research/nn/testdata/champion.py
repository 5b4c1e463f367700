"""Checks that a network wins Notakto, Nim or Quixo from the start, by rules of its own, with NumPy only.

champion.py FILE.npz plays all replies to the moves that lab export has written, a search's or the network's own. A side
that wins whatever the other does, and does not go round for ever, is a champion. The exit status is 1 if neither is.
"""

import json
import sys

import numpy as np
from canonical import grid, heaps
from forward import forward


class Board:  # a position is a tuple of cells, 1 for a mark; in Quixo 1 for a tile of who moves, 2 for the other's
    def __init__(self, n, made):
        self.n, self.marks, self.start, cells = n, 1 + (made["game"] == "quixo"), (0,) * n**2, list(range(n * n))
        self.lines = [cells[i * n : i * n + n] for i in range(n)] + [cells[i::n] for i in range(n)]
        self.lines += [cells[:: n + 1], cells[n - 1 : -1 : n - 1]]
        ends = [{end for line in self.lines[: 2 * n] if cell in line for end in (line[0], line[-1])} for cell in cells]
        pushes = [(a, b) for a in cells if a in ends[a] for b in sorted(ends[a] - {a})]
        self.actions = pushes if self.marks == 2 else [(cell, cell) for cell in cells]

    def moves(self, s):
        return [(a, b) for a, b in self.actions if s[a] < self.marks]

    def play(self, s, move):
        (a, b), cells = move, list(s)
        step = (1 if a < b else -1) * (self.n if (a - b) % self.n == 0 else 1)
        cells[a:b:step] = [s[cell + step] for cell in range(a, b, step)]
        cells[b] = 1
        return tuple(cell and (3 - cell if self.marks == 2 else 1) for cell in cells)

    def mover_wins(self, s):  # None while the game is open
        full = {s[line[0]] for line in self.lines if len({s[cell] for cell in line}) == 1} - {0}
        return 1 in full if full else None

    def see(self, s, encoding):  # the inputs of the network, and the move of each legal action
        planes = [[int(cell == mark) for cell in s] for mark in range(1, self.marks + 1)]
        inputs, origin = grid(planes, encoding["canonical"], encoding["parity"])
        return inputs, {i: (origin[a], origin[b]) for i, (a, b) in enumerate(self.actions) if s[origin[a]] < self.marks}


class Nim:  # a position is a tuple of counters, in their order if the network sees them so; who takes the last one wins
    def __init__(self, n, made):
        self.start, self.ordered = tuple(range(1, 2 * n, 2)), sorted if made["encoding"]["canonical"] == "heaps" else tuple

    def moves(self, s):
        return [(heap, taken) for heap, counters in enumerate(s) for taken in range(1, counters + 1)]

    def play(self, s, move):
        return tuple(self.ordered(counters - move[1] * (heap == move[0]) for heap, counters in enumerate(s)))

    def mover_wins(self, s):
        return None if any(s) else False

    def see(self, s, encoding):
        inputs, origin = heaps(s, encoding["canonical"], encoding["parity"], encoding.get("heaps") == "unary")
        places = [p for p, k in enumerate(origin) if encoding["canonical"] != "heaps" or not p or s[k] != s[origin[p - 1]]]
        return inputs, {place * place + i: (origin[place], i + 1) for place in places for i in range(s[origin[place]])}


def choose(game, npz, made, positions):
    """Yield the search's moves, None where it has none, or the most probable ones; key states look for ends of the game."""
    seen = [game.see(s, made["encoding"]) for s in positions]
    if "played" in made:
        yield from (actions.get(made["played"].get(bytes(np.int8(inputs)))) for inputs, actions in seen)
        return
    logits, _ = forward(npz, np.array([inputs for inputs, _ in seen], np.float32))
    for s, (_, actions), row in zip(positions, seen, logits):
        ends = {a: game.mover_wins(game.play(s, m)) if made["search"]["key_states"] else None for a, m in actions.items()}
        yield actions[max(actions, key=lambda a: ({True: -1, None: 0, False: 1}[ends[a]], row[a]))]


def walk(game, npz, made, first):
    """Return how many positions the network plays in, and one after which it does not win, if any."""
    graph, replies = {}, [game.start] if first else [game.play(game.start, m) for m in game.moves(game.start)]
    while to_play := sorted(set(replies) - graph.keys()):
        for s, move in zip(to_play, choose(game, npz, made, to_play)):
            after = game.play(s, move) if move else s
            graph[s] = [game.play(after, m) for m in game.moves(after)] if game.mover_wins(after) is None else []
            if not move or game.mover_wins(after) or any(game.mover_wins(r) is False for r in graph[s]):
                return len(graph), s
        replies = [r for s in to_play for r in graph[s] if game.mover_wins(r) is None]
    left = set(graph)
    while done := {s for s in left if left.isdisjoint(graph[s])}:
        left -= done
    return len(graph), min(left, default=None)


if __name__ == "__main__":
    npz = np.load(sys.argv[1])
    made, games = json.loads(bytes(npz["made"])), {"notakto": Board, "nim": Nim, "quixo": Board}
    if made["game"] not in games or made["run"].get("games", {}).get("start"):
        sys.exit(f"{made['game']} is not known here, or does not begin at the start; give a network for {', '.join(games)}")
    made |= {"played": dict(zip(map(bytes, npz["seen"]), npz["played"].tolist()))} if "played" in npz else {}
    results = [walk(games[made["game"]](made["size"], made), npz, made, first) for first in (True, False)]
    for side, (positions, lost) in zip(("first", "second"), results):
        print(f"{side} player: " + (f"does not win after {lost}" if lost else f"champion, in {positions} positions"))
    sys.exit(all(lost for _, lost in results))

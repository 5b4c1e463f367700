"""An entry of the leaderboard: it plays the first move, and says of each position what is most frequent in train."""

import collections
import json
import sys

import load

for board in load.boards(sys.argv[1]):
    usual = collections.Counter(p["outcome"] for p in load.problems(sys.argv[1], "train", board)).most_common(1)[0][0]
    for p in load.problems(sys.argv[1], "test", board):
        print(json.dumps({"board": board, "position": p["position"], "move": p["moves"][0], "outcome": usual}))

"""Read the benchmark in plain Python: for problem in load.problems("bench/v2", "train", "nim-1-3-5-7-9"): ..."""

import json
import os


def boards(directory, split="test"):
    """Return the names of the boards."""
    return sorted(name[: -len(".jsonl")] for name in os.listdir(os.path.join(directory, split)))


def problems(directory, split, board):
    """Return the problems of a board as dicts; the page on the benchmark explains their fields."""
    if board not in boards(directory, split):
        raise ValueError(f"{split} has no board {board!r}; there are {', '.join(boards(directory, split))}")
    with open(os.path.join(directory, split, board + ".jsonl"), encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]

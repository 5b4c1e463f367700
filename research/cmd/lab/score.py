#!/usr/bin/env python3
"""Score answers to the test split: score.py ANSWERS.jsonl [DIRECTORY OF THE BENCHMARK]

Each line of the answers is {"board": "notakto-4x4", "position": "...", "move": "b2", "outcome": "win"};
the outcome may be left out. A board that has any answer needs one for each position of its test split.
An illegal move is wrong. One line of JSON is printed for each board. From Python:

    import score
    score.score(answers, "bench/v1")  # answers: dicts as above; returns a list of dicts
"""

import json
import os
import sys


def read(path):
    """Return the objects of a file of JSON lines."""
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def score(answers, directory, split="test"):
    """Return the scores by board, in the order of their names. Raises ValueError and OSError."""
    boards = {}
    for answer in answers:
        given = boards.setdefault(answer["board"], {})
        if answer["position"] in given:
            raise ValueError(f'{answer["board"]}: {answer["position"]} has two answers; give one')
        given[answer["position"]] = answer
    return [_score(board, boards[board], os.path.join(directory, split)) for board in sorted(boards)]


def _score(board, given, directory):
    path = os.path.join(directory, board + ".jsonl")
    if not os.path.exists(path):
        raise ValueError(f"{directory} has no board {board!r}; name one of its files without .jsonl")
    n = dict.fromkeys(("problems", "choices", "right", "lengths", "strict", "outcomes", "illegal"), 0)
    for problem in read(path):
        answer = given.pop(problem["position"], None)
        if answer is None:
            raise ValueError(f'{board}: {problem["position"]} has no answer; answer all positions of {path}')
        moves, move = problem["moves"], answer["move"]
        n["problems"] += 1
        n["illegal"] += move not in moves
        n["outcomes"] += answer.get("outcome") == problem["outcome"]
        for among, good, best in (("choices", "right", "right_moves"), ("lengths", "strict", "strict_moves")):
            if len(problem[best]) < len(moves):
                n[among] += 1
                n[good] += move in problem[best]
    if given:
        raise ValueError(f"{board}: {next(iter(given))} is no position of {path}; leave it out")
    share = lambda good, among: n[good] / n[among] if n[among] else None  # noqa: E731
    return {"board": board, **n, "right_share": share("right", "choices"),
            "strict_share": share("strict", "lengths"), "outcome_share": share("outcomes", "problems")}  # fmt: skip


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    try:
        here = os.path.dirname(os.path.abspath(__file__))
        for line in score(read(sys.argv[1]), sys.argv[2] if len(sys.argv) == 3 else here):
            print(json.dumps(line))
    except KeyError as error:
        sys.exit(f"error: an answer has no {error}; give board, position and move")
    except (ValueError, OSError) as error:
        sys.exit(f"error: {error}")

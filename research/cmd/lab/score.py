#!/usr/bin/env python3
"""Score answers to the test split: score.py ANSWERS.jsonl [DIRECTORY OF THE BENCHMARK]

Each line of the answers is {"board": "notakto-4x4", "position": "...", "move": "b2", "outcome": "win"};
the outcome may be left out. A board that has any answer needs one for each position of its test split.
An illegal move is wrong. One line of JSON is printed for each board. From Python:

    import score
    score.score(answers, "bench/v2")  # answers: dicts as above; returns a list of dicts

score.py --leaderboard FILE.jsonl [DIRECTORY] runs the program of each entry, which gets a
directory with the test split without answers and prints answers, scores them, and compares the entry's
scores if they are of this benchmark. Entries without a program are the baselines that lab bench has measured.
"""

import json
import os
import subprocess
import sys
import tempfile

import load


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
    return [_score(board, boards[board], directory, split) for board in sorted(boards)]


def _score(board, given, directory, split):
    n = dict.fromkeys(("problems", "choices", "right", "lengths", "strict", "balanced", "outcomes", "illegal", "regret"), 0)
    for problem in load.problems(directory, split, board):
        answer = given.pop(problem["position"], None)
        if answer is None:
            raise ValueError(f'{board}: {problem["position"]} has no answer; answer all positions of {split}')
        moves, move = problem["moves"], answer["move"]
        n["problems"] += 1
        n["illegal"] += move not in moves
        n["balanced"] += problem["balanced"]
        n["outcomes"] += problem["balanced"] and answer.get("outcome") == problem["outcome"]
        for among, good, best in (("choices", "right", "right_moves"), ("lengths", "strict", "strict_moves")):
            if len(problem[best]) < len(moves):
                n[among] += 1
                n[good] += move in problem[best]
        if len(problem["right_moves"]) < len(moves):
            left = problem["values"][moves.index(move)] if move in moves else "l"
            n["regret"] += "ldw".index(problem["outcome"][0]) - "ldw".index(left)
    if given:
        raise ValueError(f"{board}: {next(iter(given))} is not a position of {split}; leave it out")
    share = lambda good, among, most=1: n[good] / n[among] / most if n[among] else None  # noqa: E731
    return {"board": board, **n, "right_share": share("right", "choices"), "strict_share": share("strict", "lengths"),
            "outcome_share": share("outcomes", "balanced"), "regret_share": share("regret", "choices", 2)}  # fmt: skip


def questions(directory, to):
    """Make a directory with the same training data and a test split without answers."""
    for split in ("train", "validation"):
        os.symlink(os.path.abspath(os.path.join(directory, split)), os.path.join(to, split))
    os.mkdir(os.path.join(to, "test"))
    for board in load.boards(directory):
        with open(os.path.join(to, "test", board + ".jsonl"), "w", encoding="utf-8") as lines:
            for p in load.problems(directory, "test", board):
                print(json.dumps({"position": p["position"], "moves": p["moves"]}), file=lines)


def measured(name, directory):
    """Return the mean scores of a baseline, which lab bench has measured with several seeds."""
    with open(os.path.join(directory, "baselines.json"), encoding="utf-8") as file:
        points = [p for p in json.load(file)["points"] if p["agent"] == name]
    right = {p["board"]: [q["score"]["right"] for q in points if q["board"] == p["board"]] for p in points}
    return [{"board": board, "right_share": sum(r["good"] for r in all_) / max(1, sum(r["all"] for r in all_))} for board, all_ in sorted(right.items())]


def run(program, directory):
    """Return the scores of an entry's program."""
    with tempfile.TemporaryDirectory() as asked:
        questions(directory, asked)
        path = {**os.environ, "PYTHONPATH": os.path.dirname(os.path.abspath(__file__))}
        ran = subprocess.run([sys.executable, program, asked], stdout=subprocess.PIPE, universal_newlines=True, env=path)
    if ran.returncode != 0:
        raise ValueError(f"its program ends with status {ran.returncode}")
    return score(map(json.loads, ran.stdout.splitlines()), directory)


def check(path, directory):
    """Run the entries of a leaderboard. Raises ValueError where a program fails or scores otherwise than it says."""
    where = os.path.dirname(os.path.abspath(path))
    for entry in read(path):
        name, said = entry["name"], entry.get("right_share", {})
        try:
            found = run(os.path.join(where, entry["program"]), directory) if "program" in entry else measured(name, directory)
            if entry.get("benchmark") == os.path.basename(os.path.abspath(directory)):
                shares = {f["board"]: f["right_share"] or 0 for f in found}
                for board in sorted({*shares, *said}):
                    if abs(said.get(board, -1) - shares.get(board, -1)) > 0.0005:
                        raise ValueError(f"{board} has a share of {shares.get(board, 0):.3f} right moves, not {said.get(board)}")
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
        for f in found:
            yield {"name": name, **f}


if __name__ == "__main__":
    arguments = sys.argv[1:]
    leaderboard = arguments[:1] == ["--leaderboard"]
    if len(arguments) - leaderboard not in (1, 2):
        sys.exit(__doc__)
    try:
        path, directory = (arguments[leaderboard:] + [os.path.dirname(os.path.abspath(__file__))])[:2]
        for line in check(path, directory) if leaderboard else score(read(path), directory):
            print(json.dumps(line))
    except KeyError as error:
        sys.exit(f"error: an answer has no {error}; give board, position and move")
    except (ValueError, OSError) as error:
        sys.exit(f"error: {error}")

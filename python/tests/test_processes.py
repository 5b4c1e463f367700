"""The package in processes that are forked, spawned, or interrupted by Ctrl-C."""

import multiprocessing
import os
import subprocess
import sys
import tempfile
import unittest

import backsolve
from support import TABLES, table

# Sends a real SIGINT while a board is solved, and solves it again at once.
INTERRUPTED = """
import os, signal, sys, tempfile, threading, time
import backsolve

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs begin without it

def interrupt(where, solving, times):
    while not os.listdir(where):
        time.sleep(0.001)
    for _ in range(times):
        if solving.is_set():
            os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.003)

def interrupted(times):
    with tempfile.TemporaryDirectory() as where:
        solving = threading.Event()
        solving.set()
        thread = threading.Thread(target=interrupt, args=(where, solving, times))
        thread.start()
        try:
            backsolve.solve("quixo", 4, where, steps=True, threads=1).close()
            return False
        except KeyboardInterrupt:
            print("KeyboardInterrupt")
        finally:
            solving.clear()
            thread.join()
        left = [t.name for t in threading.enumerate() if t.name == "backsolve.solve"]
        print(left, backsolve.solve("quixo", 3, where).value(".../.../... x").outcome.name)
        if times == 1:
            print(backsolve.solve("quixo", 4, where, steps=True).value("..../..../..../.... x"))
        return True

for times in (1, 1, 1, 5):
    # On a busy machine the solve may end before the signal is sent.
    print("" if any(interrupted(times) for _ in range(20)) else "never interrupted", end="")
"""

FORKED = """
import multiprocessing, os
import backsolve

def ask(_):
    return backsolve.Games("tictactoe", 3).num_actions

if __name__ == "__main__":
    with multiprocessing.get_context("fork").Pool(2) as pool:
        print(pool.map(ask, range(4)), backsolve.__version__ == backsolve.version())
"""


def run(script):
    """Return what a script prints, with its errors."""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    return done.stdout + done.stderr


@unittest.skipUnless(os.name == "posix", "there are no signals and no fork")
class Processes(unittest.TestCase):
    def test_interrupted(self):
        """Ctrl-C stops a solve, which resumes when it is called again; a second one changes nothing."""
        lines = run(INTERRUPTED).splitlines()
        self.assertEqual(lines[0], "KeyboardInterrupt", lines)
        want = ["KeyboardInterrupt", "[] WIN", "Value(outcome=<Outcome.WIN: 1>, steps=21)"] * 3 + ["KeyboardInterrupt", "[] WIN"]
        self.assertEqual(lines, want)

    def test_forked_after_import(self):
        """A process that has only imported the package can fork: its children use the library."""
        self.assertEqual(run(FORKED), "[9, 9, 9, 9] True\n")

    def test_forked_after_use(self):
        """A child of a process that has used the library is told what to do."""
        t = table("quixo:3")
        for ask in (lambda: t.value(t.start), backsolve.version, lambda: backsolve.Env("quixo", 3), t.close):
            child = os.fork()
            if child == 0:
                status = 8
                try:
                    ask()
                    status = 9
                except backsolve.BacksolveError as error:
                    status = 7 if 'context="spawn"' in str(error) else 8
                finally:
                    os._exit(status)
            self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 9 if ask == t.close else 7)
        self.assertEqual(t.value(t.start).outcome, backsolve.Outcome.WIN)

    def test_spawned(self):
        with multiprocessing.get_context("spawn").Pool(2) as pool:
            self.assertEqual(pool.map(backsolve.Table.__len__, [table("quixo:3")] * 3), [len(table("quixo:3"))] * 3)


class Directory(unittest.TestCase):
    def test_tables_variable(self):
        """$BACKSOLVE_TABLES is the default directory everywhere; an empty value counts as unset."""
        table("quixo:3"), table("tictactoe:3")
        before = os.environ.get("BACKSOLVE_TABLES")
        try:
            os.environ["BACKSOLVE_TABLES"] = TABLES
            self.assertEqual(backsolve.Table.open("quixo", 3).game, "quixo")
            self.assertEqual(backsolve.solve("quixo", 3).game, "quixo")
            self.assertEqual(backsolve.Games("quixo", 3).values().outcome.tolist(), [1])
            self.assertEqual(backsolve.Games("quixo", 3).rate().outcome.tolist(), [1])
            self.assertEqual(backsolve.grade(lambda _, legal: legal, "tictactoe", 3, champion=False).all.states, 4520)
            env = backsolve.Env("tictactoe", 3, opponent=backsolve.PerfectOpponent(), side=1)
            self.assertEqual(env.reset()[1]["action_mask"].sum(), 8)
            with tempfile.TemporaryDirectory() as where:
                os.environ["BACKSOLVE_TABLES"] = where
                with self.assertRaises(FileNotFoundError):
                    backsolve.Table.open("quixo", 3)
            os.environ["BACKSOLVE_TABLES"] = ""
            with self.assertRaises(FileNotFoundError):
                backsolve.Table.open("quixo", 3)
        finally:
            del os.environ["BACKSOLVE_TABLES"]
            if before is not None:
                os.environ["BACKSOLVE_TABLES"] = before


if __name__ == "__main__":
    unittest.main()

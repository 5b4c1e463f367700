import gc
import os
import tempfile
import threading
import unittest

import numpy as np

import backsolve
from backsolve import Outcome, Table
from support import TABLES, Notakto, Quixo, TicTacToe, solved, table


def all_states(cells):
    """Return all states of two marks with X to move."""
    marks = np.stack([np.arange(3**cells) // 3**i % 3 for i in range(cells)], axis=1)
    bits = np.uint64(1) << np.arange(cells, dtype=np.uint64)
    x, o = ((marks == m).astype(np.uint64) @ bits for m in (1, 2))
    return np.stack([x, o, np.zeros_like(x)], axis=1)


class Values(unittest.TestCase):
    def test_against_plain_python(self):
        """Every reachable position has the value that a solver in plain Python finds."""
        for board, rules in (("tictactoe:3", TicTacToe(3)), ("notakto:3", Notakto(3))):
            want = solved(rules)
            self.assertGreater(len(want), 400)
            got = table(board).values(list(want))
            for (text, (outcome, steps)), o, s in zip(want.items(), got.outcome, got.steps):
                self.assertEqual((outcome, steps), (Outcome(o).name.lower(), s), text)

    def test_forms(self):
        """All forms of states have the same values, and single positions too."""
        t = table("quixo:3")
        states = all_states(9)
        want = t.values(states)
        self.assertEqual((want.outcome.dtype, want.outcome.shape), (np.int32, (19683,)))
        texts = t.format(states)
        self.assertEqual(texts[1], "X../.../... x")
        np.testing.assert_array_equal(t.parse(texts), states)
        np.testing.assert_array_equal(t.parse(["startpos", texts[1], "startpos moves a1c1", ".../.../..X o"]), [[0, 0, 0], states[1], [256, 0, 1], [256, 0, 1]])
        out = np.empty((19683, 2), np.int32)
        exchanged = np.stack([states[:, 1], states[:, 0], np.ones(19683, np.uint64)], axis=1)
        for form in (states.astype(np.int64), states.view(np.int64), states[:, :2], exchanged, texts, texts.tolist(), texts.astype("S"), np.asfortranarray(states)):
            self.assertEqual(t.values(form, out).outcome.base is not None, True)
            np.testing.assert_array_equal(out, np.stack(want, axis=1))
        np.testing.assert_array_equal(t.values(states.reshape(27, 729, 3)).steps, want.steps.reshape(27, 729))
        for i in range(0, 19683, 97):
            self.assertEqual(t.value(texts[i]), (want.outcome[i], want.steps[i]))
        self.assertEqual(t.format(exchanged)[1], "O../.../... o")
        self.assertEqual(t.values([]).outcome.shape, (0,))

    def test_no_copy(self):
        t, states = table("quixo:3"), all_states(9)
        self.assertIs(t._states(states), states)
        self.assertTrue(np.shares_memory(t._states(states.view(np.int64)), states))
        out = np.empty((19683, 2), np.int32)
        self.assertTrue(np.shares_memory(t.values(states, out).steps, out))

    def test_errors(self):
        t, states = table("quixo:3"), all_states(9)
        states[4000] = [1, 1, 0]
        for wrong in ([1, 1, 0], [512, 0, 0], [0, 0, 2], [0, 0, 256]):
            states[4000] = wrong
            with self.assertRaisesRegex(backsolve.InputError, "^state 4000: "):
                t.values(states)
            with self.assertRaises(backsolve.InputError):
                t.format(states)
        texts = ["X../.../... x"] * 9
        for wrong in ("", "X", "X../.../... y", "startpos x", "startpos moves a1a1", "äöü", "X../.../...x", "XX./.../.../..."):
            with self.assertRaisesRegex(backsolve.InputError, "^position 7: "):
                t.parse([*texts[:7], wrong, *texts[7:]])
        with self.assertRaises(backsolve.InputError):
            table("notakto:3").values(np.array([[1, 2, 0]]))
        for wrong in (np.zeros((5, 4), np.uint64), np.zeros((5, 3)), np.uint64(5), [[1.5, 2]], np.zeros((2, 0), int)):
            with self.assertRaises(backsolve.InputError):
                t.values(wrong)
        for out in (np.empty((19683, 2)), np.empty((5, 2), np.int32), np.empty((19683, 4), np.int32)[:, ::2]):
            with self.assertRaises(backsolve.InputError):
                t.values(all_states(9), out)
        for wrong in ("X\0", "X", "XXX/XXX/XXXX x"):
            with self.assertRaises(backsolve.InputError):
                t.value(wrong)

    def test_threads(self):
        """Threads ask while tables are closed: each call has the right answer or says that it is closed."""
        states = all_states(9)
        want = np.stack(table("quixo:3").values(states), axis=1)
        shared, wrong, answered = [Table.open("quixo", 3, TABLES)], [], [0]

        def ask():
            for _ in range(40):
                try:
                    if not (np.stack(shared[0].values(states), axis=1) == want).all():
                        wrong.append("values")
                    answered[0] += 1
                except backsolve.ClosedError:
                    pass

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            old, shared[0] = shared[0], Table.open("quixo", 3, TABLES)
            old.close()
        for thread in threads:
            thread.join()
        shared[0].close()
        self.assertEqual(wrong, [])
        self.assertGreater(answered[0], 0)


class Positions(unittest.TestCase):
    def test_moves(self):
        """Moves, play and best follow rules in plain Python."""
        for board, rules in (("tictactoe:3", TicTacToe(3)), ("notakto:3", Notakto(3)), ("quixo:3", Quixo(3))):
            t, position = table(board), rules.start
            self.assertEqual(t.start, rules.start)
            for ply in range(60):
                want = rules.moves(position)
                moves = t.moves(position)
                self.assertEqual({m.move: m.position for m in moves}, want)
                self.assertEqual(t.legal(position), sorted(want))
                self.assertEqual(t.best(position), moves[0] if moves else None)
                if not moves:
                    break
                self.assertEqual(moves[0][1:3], t.value(position))
                move = sorted(want)[ply * 7 % len(want)]
                position = t.play(position, move)
                self.assertEqual(position, want[move])
            else:
                self.assertEqual(board, "quixo:3")
        with self.assertRaisesRegex(backsolve.InputError, "the moves are a1, a2"):
            table("tictactoe:3").play("XO./.../... x", "a3")

    def test_line(self):
        t = table("quixo:3")
        line = t.line(t.start)
        self.assertEqual(len(line), t.value(t.start).steps)
        self.assertEqual(t.moves(line[-1].position), [])
        self.assertEqual(len(t.line(t.start, 2)), 2)
        drawn = table("tictactoe:3").line(table("tictactoe:3").start)
        self.assertEqual(len(drawn), 9)

    def test_nimber(self):
        t = table("notakto:3")
        self.assertEqual(t.nimber(t.start) is None, False)
        self.assertIsNone(t.nimber("XXX/.../..."))
        self.assertIsNone(table("quixo:3").nimber(".../.../... x"))


class States(unittest.TestCase):
    def test_chunks(self):
        """Chunks of any size have the same states, each once; their images are all states of the game."""
        t = table("quixo:3")
        whole = next(t.states())
        self.assertEqual(len(whole.states), len(t))
        self.assertEqual(whole.images.sum(), 3**9)
        np.testing.assert_array_equal(np.stack(t.values(whole.states)), np.stack([whole.outcome, whole.steps]))
        for size in (1000, 64, len(t), 7):
            chunks = list(t.states(size))
            for part in range(4):
                np.testing.assert_array_equal(np.concatenate([c[part] for c in chunks]), whole[part])
        np.testing.assert_array_equal(next(t.states(10, first=2000)).states, whole.states[2000:2010])
        self.assertEqual(list(t.states(10, first=len(t))), [])
        signed = next(t.states(signed=True))
        self.assertEqual([part.dtype for part in signed], [np.int64, np.int32, np.int32, np.int64])
        for part, same in zip(signed, whole):
            np.testing.assert_array_equal(part, same)
        np.testing.assert_array_equal(t.values(signed.states), signed[1:3])
        with self.assertRaises(backsolve.InputError):
            next(t.states(0))


class Opening(unittest.TestCase):
    def test_open(self):
        t = Table.open_file(os.path.join(TABLES, "quixo-3x3.tb")) if table("quixo:3") else None
        self.assertEqual((t.game, t.size, t.marks, t.has_steps, t.opening), ("quixo", 3, 2, True, False))
        with t:
            pass
        t.close()
        with self.assertRaises(backsolve.ClosedError):
            t.value(t.start)
        for wrong, error in (("quixo:9", ValueError), ("chess:8", backsolve.InputError), ("quixo", backsolve.InputError), ("quixo:5", FileNotFoundError)):
            with self.assertRaises(error):
                Table.open(wrong, dir=TABLES)
        with self.assertRaises(backsolve.BadTableError):
            Table.open_file(os.devnull)
        with self.assertRaises(FileNotFoundError):
            Table.open_file("nowhere.tb")
        with self.assertRaises(backsolve.InputError):
            Table.open_file("a\0b")

    def test_collected(self):
        """A table that is forgotten is closed."""
        table("quixo:3")
        t = Table.open("quixo", 3, TABLES)
        handle = t._handle
        del t
        gc.collect()
        with self.assertRaises(backsolve.ClosedError):
            backsolve._library.call("close", handle)

    @unittest.skipUnless(hasattr(os, "fork"), "there is no fork")
    def test_fork(self):
        t = table("quixo:3")
        child = os.fork()
        if child == 0:
            try:
                t.value(t.start)
            except backsolve.BacksolveError as error:
                os._exit(7 if "spawn" in str(error) else 8)
            os._exit(9)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 7)

    def test_solve(self):
        with tempfile.TemporaryDirectory() as where:
            reports = []
            with backsolve.solve("quixo", 4, where, progress=lambda *report: reports.append(report)) as t:
                self.assertGreater(len(t), 5_000_000)
            self.assertTrue(reports and all(0 <= done <= total for done, total in reports))
            with backsolve.solve("quixo", 4, where) as t:  # is there
                self.assertFalse(t.has_steps)
            with self.assertRaisesRegex(backsolve.BacksolveError, "no steps"):
                backsolve.solve("quixo", 4, where, steps=True)
            with self.assertRaises(backsolve.InputError):
                backsolve.solve("quixo", 8, where)

    def test_solve_stops(self):
        """An exception in progress stops the solve, unless that is just ending; another call finishes it."""

        def fail(_, __):
            raise KeyboardInterrupt

        stopped = False
        for _ in range(10):
            with tempfile.TemporaryDirectory() as where:
                with self.assertRaises(KeyboardInterrupt):
                    backsolve.solve("quixo", 4, where, steps=True, progress=fail)
                stopped = not os.path.exists(os.path.join(where, "quixo-4x4.tb"))
                with backsolve.solve("quixo", 4, where, steps=True) as t:
                    self.assertEqual(t.value(t.start), (Outcome.WIN, 21))
            if stopped:
                return
        self.fail("no solve was stopped")


if __name__ == "__main__":
    unittest.main()

"""The annotations of the package are those of its code, by mypy where it is installed (Debian: mypy)."""

import importlib.util
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import backsolve

OPTIONS = (
    "--strict --ignore-missing-imports --allow-subclassing-any --allow-untyped-decorators --no-warn-unused-ignores "
    "--no-warn-return-any --no-error-summary"
).split()


@unittest.skipIf(importlib.util.find_spec("mypy") is None, "mypy is not installed")
class Types(unittest.TestCase):
    def check(self, *what):
        """Return the errors of mypy."""
        with tempfile.TemporaryDirectory() as cache:
            command = [sys.executable, "-m", "mypy", *OPTIONS, "--cache-dir", cache, *what]
            return subprocess.run(command, capture_output=True, text=True).stdout

    def test_annotations(self):
        self.assertEqual(self.check(str(Path(backsolve.__file__).parent)), "")

    def test_users_see_types(self):
        self.assertIn("Incompatible types", self.check("-c", "from backsolve import Table\nsize: int = Table.open('quixo', 4).start\n"))


if __name__ == "__main__":
    unittest.main()

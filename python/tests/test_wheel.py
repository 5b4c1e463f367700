import importlib.util
import unittest
from pathlib import Path

spec = importlib.util.spec_from_file_location("make_wheel", Path(__file__).parents[1] / "wheel.py")
make_wheel = importlib.util.module_from_spec(spec)
spec.loader.exec_module(make_wheel)


class Versions(unittest.TestCase):
    def test_pep440(self):
        """What git describes becomes a version of Python; a revision of digits alone is none."""
        for described, want in (
            ("v0.1.0", "0.1.0"),
            ("v1.2-3-gab12", "1.2.post3+gab12"),
            ("v0.1.0-rc.1", "0.1.0rc1"),
            ("v0.1.0-rc1-2-gab12", "0.1.0rc1.post2+gab12"),
            ("v0.1.0-dirty", "0.1.0+dirty"),
            ("v0.1.0-3-g12-dirty", "0.1.0.post3+g12.dirty"),
            ("devel", "0+devel"),
            ("79513501", "0+79513501"),
            ("4bddd0c3-dirty", "0+4bddd0c3.dirty"),
        ):
            self.assertEqual(make_wheel.pep440(described), want)


if __name__ == "__main__":
    unittest.main()

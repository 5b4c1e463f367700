import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile
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

    def test_platform_tag(self):
        """Wheels are named by what the library needs, not by the machine that makes them."""
        glibc = b"\0GLIBC_2.2.5\0GLIBC_2.34\0GLIBC_2.3.4\0"
        for platform, library, want in (
            ("linux/amd64", glibc, "manylinux_2_34_x86_64"),
            ("linux/arm64", b"\0GLIBC_2.9\0", "manylinux_2_17_aarch64"),
            ("linux/amd64", b"musl", "linux_x86_64"),
            ("darwin/arm64", b"", "macosx_12_0_arm64"),
            ("darwin/amd64", b"", "macosx_12_0_x86_64"),
            ("windows/amd64", b"", "win_amd64"),
            ("windows/arm64", b"", "win_arm64"),
        ):
            self.assertEqual(make_wheel.platform_tag(platform, library), want)


@unittest.skipIf(shutil.which("go") is None or shutil.which("cc") is None, "there is no Go or no C compiler")
class Pip(unittest.TestCase):
    def test_source_package(self):
        """pip makes a wheel from the source package without a network; a checkout works alike."""
        with tempfile.TemporaryDirectory() as work:
            source = make_wheel.build_sdist(work)
            command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-index", "--no-deps", "--no-cache-dir", "--wheel-dir", work]
            offline = {**os.environ, "GOPROXY": "off", "GOMODCACHE": os.path.join(work, "none"), "GOFLAGS": ""}
            subprocess.run([*command, os.path.join(work, source)], env=offline, check=True, stdout=subprocess.DEVNULL)
            (wheel,) = Path(work).glob("*.whl")
            self.assertEqual(wheel.name.split("-")[:2], source[: -len(".tar.gz")].split("-"))
            self.assertGreater(zipfile.ZipFile(wheel).getinfo("backsolve/libbacksolve.so" if sys.platform == "linux" else "backsolve/__init__.py").file_size, 0)


if __name__ == "__main__":
    unittest.main()

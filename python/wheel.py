"""Makes the wheel: python3 wheel.py LIBRARY VERSION PLATFORM DIRECTORY [NOTICES]. It needs nothing but Python.

PLATFORM is what the library was built for, as Go writes it: linux/amd64. NOTICES has the licenses of what is in the library. The same
input gives the same bytes. For pip this is the backend, which builds the library by Go, too (build_wheel, build_sdist).
"""

from __future__ import annotations

import base64
import hashlib
import io
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
NEEDS = "error: building the package needs Go (the version in go.mod) and a C compiler; install them, or install a wheel"


def pep440(version: str) -> str:
    """Return a version of git describe as Python writes it: 1.2.0.post3+gabc for v1.2.0-3-gabc."""
    m = re.fullmatch(r"v(\d+(?:\.\d+)*)(?:-(alpha|beta|rc)\.?(\d*))?(?:-(\d+)-(g[0-9a-f]+))?(-dirty)?", version)
    if m is None:
        return "0+" + (re.sub(r"[^a-z0-9]+", ".", version.lower()).strip(".") or "devel")
    release, stage, candidate, commits, revision, dirty = m.groups()
    if stage:
        release += {"alpha": "a", "beta": "b", "rc": "rc"}[stage] + (candidate or "0")
    local = [x for x in (revision, "dirty" if dirty else None) if x]
    return release + (f".post{commits}" if commits else "") + ("+" + ".".join(local) if local else "")


def platform_tag(platform: str, library: bytes) -> str:
    """Return the tag by which pip knows on which systems a library runs.

    On Linux it names the latest version of glibc whose symbols the library imports, on macOS the oldest system that Go supports.
    """
    system, _, machine = platform.partition("/")
    if system == "windows":
        return {"amd64": "win_amd64", "arm64": "win_arm64", "386": "win32"}[machine]
    machine = {"amd64": "x86_64", "386": "i686", "arm": "armv7l"}.get(machine, machine)
    if system == "darwin":
        return f"macosx_12_0_{machine}"
    machine = {"arm64": "aarch64"}.get(machine, machine)
    glibc = [int(minor) for minor in re.findall(rb"\0GLIBC_2\.(\d+)(?:\.\d+)?(?=\0)", library)]
    return f"manylinux_2_{max(17, *glibc)}_{machine}" if glibc else f"linux_{machine}"


def date() -> int:
    """Return the date of all files: $SOURCE_DATE_EPOCH, but not before 1980, the first year in zip."""
    return max(int(os.environ.get("SOURCE_DATE_EPOCH", 0)), 315532800)


def metadata(version: str) -> bytes:
    return (
        f"Metadata-Version: 2.1\nName: backsolve\nVersion: {version}\nSummary: Exact values of solved board games, environments and grading\n"
        "Requires-Python: >=3.9\nRequires-Dist: numpy\nLicense-File: LICENSE\n"
    ).encode()


def pack(library: str, version: str, platform: str, directory: str, notices: str = "") -> Path:
    """Make the wheel of a version in Python's form, and return its path."""
    contents = Path(library).read_bytes()
    tag = "py3-none-" + platform_tag(platform, contents)
    info = f"backsolve-{version}.dist-info"
    files = {f"backsolve/{p.name}": p.read_bytes() for p in sorted((HERE / "backsolve").iterdir()) if p.suffix in (".py", ".typed")}
    files[f"backsolve/{Path(library).name}"] = contents
    files[f"{info}/METADATA"] = metadata(version)
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: backsolve\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    files[f"{info}/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    if notices:
        files[f"{info}/{Path(notices).name}"] = Path(notices).read_bytes()
    digest = lambda data: base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()  # noqa: E731
    record = [f"{name},sha256={digest(data)},{len(data)}\n" for name, data in files.items()]
    files[f"{info}/RECORD"] = "".join([*record, f"{info}/RECORD,,\n"]).encode()

    wheel = Path(directory, f"backsolve-{version}-{tag}.whl")
    wheel.parent.mkdir(parents=True, exist_ok=True)
    part = wheel.with_suffix(".part")
    with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as z:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, time.gmtime(date())[:6])
            entry.external_attr, entry.compress_type = 0o100644 << 16, zipfile.ZIP_DEFLATED
            z.writestr(entry, data)
    part.replace(wheel)
    return wheel


def go(*arguments: str, **environment: str) -> str:
    """Run Go in the module and return what it prints."""
    command = [os.environ.get("GO", "go"), *arguments]
    try:
        return subprocess.run(command, cwd=ROOT, env={**os.environ, "CGO_ENABLED": "1", **environment}, check=True, stdout=subprocess.PIPE, text=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"{NEEDS} ({error})")


def described() -> str:
    """Return the version: that of a source package, or what git describes."""
    if (ROOT / "PKG-INFO").exists():
        return re.search(r"^Version: (.*)$", (ROOT / "PKG-INFO").read_text(), re.MULTILINE)[1]
    try:
        command = ["git", "describe", "--tags", "--always", "--dirty"]
        return pep440(subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip())
    except (OSError, subprocess.CalledProcessError):
        return pep440("devel")


def build_wheel(wheel_directory: str, config_settings: object = None, metadata_directory: object = None) -> str:
    """Build the library and the wheel, for pip."""
    system, machine = go("env", "GOOS", "GOARCH").split()
    name, flags = {"windows": "libbacksolve.dll", "darwin": "libbacksolve.dylib"}.get(system, "libbacksolve.so"), f"-X main.version={described()}"
    if name.endswith(".so"):
        flags += f" -extldflags=-Wl,-soname,{name}"
    with tempfile.TemporaryDirectory() as work:
        library = os.path.join(work, name)
        go("build", "-trimpath", "-buildvcs=false", "-buildmode=c-shared", "-ldflags", flags, "-o", library, "./cmd/libbacksolve")
        return pack(library, described(), f"{system}/{machine}", wheel_directory).name


def sources(vendor: Path) -> dict[str, Path]:
    """Return the files from which the library is built, on any system, by their names in a source package.

    Other modules are vendored, so that building needs no network.
    """
    go("mod", "vendor", "-o", str(vendor))
    files = {name: ROOT / name for name in ("go.mod", "go.sum", "LICENSE", "pyproject.toml", "include/backsolve.h", "python/wheel.py")}
    files["vendor/modules.txt"] = vendor / "modules.txt"
    form = "{{with .Module}}{{if .Main}}{{$.Dir}}{{else}}vendor {{.Path}} {{$.ImportPath}}{{end}}{{end}}"
    listed = {line for system in ("linux", "darwin", "windows") for line in go("list", "-deps", "-f", form, "./cmd/libbacksolve", GOOS=system).split("\n")}
    for line in filter(None, listed):
        directory = ROOT if line.startswith("vendor ") else Path(line)
        found = list(directory.iterdir())
        if line.startswith("vendor "):
            _, module, package = line.split(" ")
            found = [*(vendor / package).iterdir(), *(vendor / module).glob("LICENSE*")]
        for path in found:
            if path.suffix in (".go", ".s", ".h", ".json") and not path.name.endswith("_test.go") or path.name.startswith("LICENSE"):
                where = path.relative_to(vendor.parent) if line.startswith("vendor ") else path.relative_to(ROOT)
                files[where.as_posix()] = path
    for path in (HERE / "backsolve").iterdir():
        if path.suffix in (".py", ".typed"):
            files[f"python/backsolve/{path.name}"] = path
    return files


def build_sdist(sdist_directory: str, config_settings: object = None) -> str:
    """Make the source package, for pip."""
    version = described()
    top = f"backsolve-{version}"
    archive = Path(sdist_directory, f"{top}.tar.gz")
    with tempfile.TemporaryDirectory() as work, tarfile.open(archive, "w:gz", format=tarfile.PAX_FORMAT) as tar:
        contents = {name: path.read_bytes() for name, path in sources(Path(work, "vendor")).items()}
        contents["PKG-INFO"] = metadata(version)
        for name in sorted(contents):
            entry = tarfile.TarInfo(f"{top}/{name}")
            entry.size, entry.mtime = len(contents[name]), date()
            tar.addfile(entry, io.BytesIO(contents[name]))
    return archive.name


if __name__ == "__main__":
    if len(sys.argv) not in (5, 6):
        sys.exit(__doc__)
    print(pack(sys.argv[1], pep440(sys.argv[2]), *sys.argv[3:]))

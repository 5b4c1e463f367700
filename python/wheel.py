"""Makes the wheel: python3 wheel.py LIBRARY VERSION PLATFORM DIRECTORY [NOTICES]. It needs nothing but Python.

PLATFORM is a platform tag, or native. NOTICES has the licenses of what is in the library. The same input gives the same bytes.
"""

import base64
import hashlib
import os
import re
import sys
import sysconfig
import time
import zipfile
from pathlib import Path

HERE = Path(__file__).parent


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


def main(library: str, version: str, platform: str, directory: str, notices: str = "") -> None:
    version = pep440(version)
    if platform == "native":
        platform = sysconfig.get_platform()
    tag = "py3-none-" + re.sub(r"[^A-Za-z0-9]", "_", platform)
    info = f"backsolve-{version}.dist-info"
    files = {f"backsolve/{p.name}": p.read_bytes() for p in sorted((HERE / "backsolve").iterdir()) if p.suffix in (".py", ".typed")}
    files[f"backsolve/{Path(library).name}"] = Path(library).read_bytes()
    files[f"{info}/METADATA"] = (
        f"Metadata-Version: 2.1\nName: backsolve\nVersion: {version}\nSummary: Exact values of solved board games, environments and grading\n"
        "Requires-Python: >=3.9\nRequires-Dist: numpy\nLicense-File: LICENSE\n"
    ).encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: backsolve\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    files[f"{info}/LICENSE"] = (HERE.parent / "LICENSE").read_bytes()
    if notices:
        files[f"{info}/{Path(notices).name}"] = Path(notices).read_bytes()
    digest = lambda data: base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()  # noqa: E731
    record = [f"{name},sha256={digest(data)},{len(data)}\n" for name, data in files.items()]
    files[f"{info}/RECORD"] = "".join([*record, f"{info}/RECORD,,\n"]).encode()

    when = time.gmtime(max(int(os.environ.get("SOURCE_DATE_EPOCH", 0)), 315532800))[:6]  # zip begins in 1980
    wheel = Path(directory, f"backsolve-{version}-{tag}.whl")
    wheel.parent.mkdir(parents=True, exist_ok=True)
    part = wheel.with_suffix(".part")
    with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as z:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, when)
            entry.external_attr, entry.compress_type = 0o100644 << 16, zipfile.ZIP_DEFLATED
            z.writestr(entry, data)
    part.replace(wheel)
    print(wheel)


if __name__ == "__main__":
    if len(sys.argv) not in (5, 6):
        sys.exit(__doc__)
    main(*sys.argv[1:])

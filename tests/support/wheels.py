"""Wheels built on the spot, and their unpacking as an installer does it: files, RECORD, METADATA."""

from __future__ import annotations

import base64
import hashlib
import zipfile
from collections.abc import Mapping
from pathlib import Path


def wheel(
    folder: Path,
    name: str,
    version: str,
    files: Mapping[str, bytes | str],
    tag: str = "py3-none-any",
    requires: tuple[str, ...] = (),
) -> Path:
    """A wheel file with these files in it."""
    needed = "".join(f"Requires-Dist: {requirement}\n" for requirement in requires)
    plain = name.replace("-", "_")
    content = {path: data.encode() if isinstance(data, str) else data for path, data in files.items()}
    info = f"{plain}-{version}.dist-info"
    content[f"{info}/METADATA"] = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{needed}\n".encode()
    content[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: {tag}\n\n".encode()
    lines = [f"{path},{_digest(data)},{len(data)}" for path, data in content.items()]
    content[f"{info}/RECORD"] = "\n".join([*lines, f"{info}/RECORD,,", ""]).encode()
    path = folder / f"{plain}-{version}-{tag}.whl"
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        for inner, data in content.items():
            archive.writestr(inner, data)
    return path


def unpack(site: Path, path: Path, installer: str = "pip") -> Path:
    """Install a wheel into a folder; returns its .dist-info."""
    with zipfile.ZipFile(path) as archive:
        archive.extractall(site)
        record = next(name for name in archive.namelist() if name.endswith(".dist-info/RECORD"))
    info = (site / record).parent
    (info / "INSTALLER").write_text(installer + "\n")
    with (info / "RECORD").open("a") as lines:
        lines.write(
            f"{info.name}/INSTALLER,,\n../../../bin/tool,sha256=x,12\n{path.stem}/__pycache__/a.cpython-311.pyc,,\n"
        )
    return info


def put(site: Path, name: str, version: str, files: Mapping[str, bytes | str], installer: str = "pip") -> Path:
    """Build and install in one."""
    return unpack(site, wheel(site.parent / "wheels", name, version, files), installer)


def _digest(data: bytes) -> str:
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()

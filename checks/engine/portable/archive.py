"""naosu-probe.pyz: the probes, what drives them, and the plan, in one file that Python runs.

Nothing is compressed, so that a Python without zlib runs it, too, and the same sources give the same bytes.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import tomli

from checks.engine.portable.command import NAME
from checks.engine.portable.plan import plan
from checks.engine.scripts import FOLDER
from checks.paths import BUNDLE, ROOT

_PACKAGE = "naosu_probes"  # as checks/probes/host.py calls it
_PARTS = ("host.py", "kit.py", "__init__.py", "ask", "compute", "model/__init__.py", "model/kit.py", "portable")
_LEFT_OUT = ("compute/model", "ask/statements.py")  # which need the user's models and programs
_FIRST = (1980, 1, 1, 0, 0, 0)  # the day on which a zip file's time begins
_PLAIN = 0o100644 << 16
_MAIN = '''\
"""Naosu's portable probe; python naosu-probe.pyz --help says what it does."""

import os
import sys

if sys.version_info < (3, 8):
    sys.stderr.write("naosu-probe: Python 3.8 or newer is needed, this is %d.%d\\n" % sys.version_info[:2])
    sys.exit(2)

FILE = os.path.dirname(os.path.abspath(__file__))
if sys.argv[1:2] == ["--step"]:
    from naosu_probes.portable.step import answer

    answer(sys.argv[2:])
from naosu_probes.portable.main import main

sys.exit(main(FILE))
'''


def archive() -> bytes:
    """The file; the same bytes from the same sources. The frozen application, which has none, brings it."""
    if BUNDLE is not None:
        return (BUNDLE / NAME).read_bytes()
    content = io.BytesIO()
    content.write(b"#!/usr/bin/env python3\n")
    with zipfile.ZipFile(content, "a", zipfile.ZIP_STORED) as file:
        for name, data in sorted(_files()):
            member = zipfile.ZipInfo(name, _FIRST)
            member.create_system = 3  # Unix, whatever makes it
            member.external_attr = _PLAIN
            file.writestr(member, data)
    return content.getvalue()


def _files() -> Iterator[tuple[str, bytes]]:
    yield "__main__.py", _MAIN.encode()
    yield "pynvml.py", _source(_nvml())
    for part in _PARTS:
        found = FOLDER / part
        for path in sorted(found.rglob("*.py")) if found.is_dir() else (found,):
            place = path.relative_to(FOLDER).as_posix()
            if not place.startswith(_LEFT_OUT):
                yield f"{_PACKAGE}/{place}", _source(path)
    yield f"{_PACKAGE}/portable/plan.json", json.dumps(plan(_words()), sort_keys=True).encode("ascii")


def _nvml() -> Path:
    """NVIDIA's own binding of NVML, which needs the standard library alone and names its licence at its top."""
    found = find_spec("pynvml")
    if found is None or found.origin is None:
        raise FileNotFoundError("pynvml (nvidia-ml-py) is not installed")
    return Path(found.origin)


def _source(path: Path) -> bytes:
    """A source with the ends of lines of a checkout anywhere."""
    return path.read_bytes().replace(b"\r\n", b"\n")


def _words() -> dict[str, dict[str, str]]:
    """What it says: language -> key -> text."""
    texts = tomli.loads((ROOT / "words" / "portable.toml").read_text(encoding="utf-8"))
    return {language: {key: text[language] for key, text in texts.items()} for language in ("en", "ja")}

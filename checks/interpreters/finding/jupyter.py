"""Interpreters that Jupyter's kernels start: kernelspecs name them in argv[0].

Source: https://jupyter-client.readthedocs.io/en/stable/kernels.html#kernel-specs
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from checks.interpreters.disk import names_in, start_of
from checks.interpreters.layout import EXECUTABLE
from checks.prepared import prepared

_MOST_KERNELS = 200  # in one folder
_LIMIT = 256 * 1024  # bytes of a kernel.json


class _KernelSpec(msgspec.Struct):
    argv: list[str] = []


def kernel_interpreters(data_folders: Iterable[Path]) -> Iterator[Path]:
    """Absolute paths of the Pythons that kernels start. A bare "python" means that of the Jupyter that reads it."""
    for folder in data_folders:
        kernels = folder / "kernels"
        for name in names_in(kernels)[:_MOST_KERNELS]:
            data = start_of(kernels / name / "kernel.json", _LIMIT)
            path = Path(_program(data)) if data is not None else Path()
            if path.is_absolute() and EXECUTABLE.fullmatch(path.name):
                yield path


def _program(kernel_json: bytes) -> str:
    """argv[0] of a kernelspec; empty where the file is none."""
    try:
        argv = msgspec.json.decode(kernel_json, type=prepared(_KernelSpec)).argv
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return ""
    return argv[0] if argv else ""

"""Shows that samples run what they say: each is loaded in a process of its own, in an empty folder.

    python -m support.hostile.proof FOLDER < list of {"id", "file", "loader"} as JSON

``FOLDER`` holds the files. Prints the ids of those that left their mark, as JSON.
"""

from __future__ import annotations

import atexit
import bz2
import contextlib
import gzip
import io
import json
import lzma
import os
import pickle
import shutil
import signal
import sys
import tarfile
import tempfile
import time
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

from support.hostile.assembler import MARK

SECONDS = 20
_AFTER = 3.0  # seconds in which what was started in the background leaves its mark


def _load(file: Path, loader: str) -> None:
    """Load a file as its user would."""
    _LOADERS[loader](file)


def _load_all(file: Path) -> None:
    with file.open("rb") as source:
        while True:
            pickle.load(source)


def _load_by_search(file: Path) -> None:
    data = file.read_bytes()
    pickle.loads(data)
    pickle.loads(data[data.rindex(b"\x80\x04") :])


def _load_with_ids(file: Path) -> None:
    class Unpickler(pickle.Unpickler):
        def persistent_load(self, pid: object) -> object:
            return pid

    Unpickler(io.BytesIO(file.read_bytes())).load()


def _load_with_joblib(file: Path) -> None:
    import joblib

    joblib.load(file)


def _load_with_numpy(file: Path) -> None:
    import numpy as np

    found = np.load(file, allow_pickle=True)
    for entry in getattr(found, "files", ()):
        found[entry]


def _load_with_torch(file: Path) -> None:
    import torch

    torch.load(file, weights_only=False)


def _load_script(file: Path) -> None:
    import torch

    torch.jit.load(str(file))


def _load_program(file: Path) -> None:
    import torch

    torch.export.load(file)


def _load_with_keras(file: Path) -> None:
    import keras
    import numpy as np

    keras.models.load_model(file, safe_mode=False).predict(np.zeros((1, 1)), verbose=0)


def _load_packed(file: Path) -> None:
    """Unpack an archive of any kind and load every pickle in it."""
    data, folder = file.read_bytes(), Path(f"{file.name}-unpacked")
    if data.startswith(b"7z\xbc\xaf"):
        import py7zr

        py7zr.SevenZipFile(file).extractall(folder)
    elif zipfile.is_zipfile(file):
        zipfile.ZipFile(file).extractall(folder)
    elif tarfile.is_tarfile(file):
        with tarfile.open(file) as archive:
            archive.extractall(folder, filter="data")
    elif unpack := {
        b"\x1f\x8b": gzip.decompress,
        b"BZ": bz2.decompress,
        b"\xfd7": lzma.decompress,
        b"\x5d\0": lzma.decompress,
        b"\x78\x9c": zlib.decompress,
        b"\x18\xd3": zlib.decompress,
    }.get(data[:2]):
        plain = Path(f"{file.name}-plain")
        plain.write_bytes(unpack(data))
        _load_packed(plain)
    else:
        pickle.loads(data)
    for member in sorted(folder.rglob("*")):
        if member.is_file():
            _load_packed(member)


_LOADERS: dict[str, Callable[[Path], None]] = {
    "pickle": lambda file: pickle.loads(file.read_bytes()),
    "pickles": _load_all,
    "pickles-by-search": _load_by_search,
    "persistent": _load_with_ids,
    "joblib": _load_with_joblib,
    "numpy": _load_with_numpy,
    "torch": _load_with_torch,
    "torch-jit": _load_script,
    "torch-export": _load_program,
    "packed": _load_packed,
    "keras": _load_with_keras,
}


def _child(file: Path, loader: str) -> None:
    """What the process does that is thrown away."""
    quiet = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(quiet, stream)
    os.setpgid(0, 0)
    with contextlib.suppress(BaseException):
        _load(file, loader)
    try:
        atexit._run_exitfuncs()
        time.sleep(1)  # for threads
    finally:
        os._exit(0)


def _ran(file: Path, loader: str) -> bool:
    folder = tempfile.mkdtemp(prefix="hostile-")  # no TemporaryDirectory: the child would remove it at its end
    try:
        return _leaves_a_mark(file, loader, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _leaves_a_mark(file: Path, loader: str, folder: str) -> bool:
    child = os.fork()
    if child == 0:
        os.chdir(folder)
        _child(file, loader)
    end = time.monotonic() + SECONDS
    is_over = is_found = False
    while not is_found and time.monotonic() < end:
        is_found = any(entry.name.startswith(MARK) for entry in Path(folder).iterdir())
        if not is_over and os.waitpid(child, os.WNOHANG)[0]:
            is_over = True
            end = min(end, time.monotonic() + _AFTER)
        time.sleep(0.01)
    if not is_over:
        with contextlib.suppress(OSError):
            os.killpg(child, signal.SIGKILL)
        os.waitpid(child, 0)
    return is_found


def main() -> None:
    """Load each of the files that are listed on standard input."""
    folder = Path(sys.argv[1]).resolve()
    for module in sys.argv[2:]:  # known to all children, so that each need not import it
        with contextlib.suppress(ImportError):
            __import__(module)
    wanted = json.load(sys.stdin)
    proven = [each["id"] for each in wanted if _ran(folder / each["file"], each["loader"])]
    json.dump(proven, sys.stdout)


if __name__ == "__main__":
    main()

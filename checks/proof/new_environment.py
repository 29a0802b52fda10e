"""A Python environment to examine on a machine that has none: made where the user asks for it, and only then.

Our own uv takes a Python that is there, or downloads one (https://docs.astral.sh/uv/concepts/python-versions/). After
that it is a plain virtual environment with its pip: the user need not have uv, so no remedy for it may ask for that.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from checks.engine.processes.surroundings import probe_environment
from checks.proof.resolving.pip_settings import for_uv, pip_settings
from checks.proof.resolving.resolver import uv_program

PYTHONS = ">=3.11,<3.15"  # for which the framework has wheels
FRAMEWORK = "torch==2.13.0"  # the version that Naosu is tested with (pyproject.toml)
PACKAGES = (FRAMEWORK, "numpy")


def make_environment(folder: Path, variables: Mapping[str, str] = os.environ) -> Path:
    """Make a virtual environment with PyTorch in a new folder; its interpreter. Progress is told on our streams.

    Raises:
        FileExistsError: there is something in its place.
        FileNotFoundError: there is no uv.
        subprocess.CalledProcessError: it could not be made, and uv or pip has said why; nothing of it is left.
    """
    folder = folder.absolute()
    if os.path.lexists(folder):
        raise FileExistsError(folder)
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    theirs = probe_environment(str(python), variables)
    uv = uv_program(theirs)
    if not uv:
        raise FileNotFoundError("uv")
    _, named = for_uv(pip_settings(None, theirs))
    made = (uv, "venv", "--quiet", "--python", PYTHONS, "--seed", str(folder))
    try:
        subprocess.run(made, env={**theirs, **named}, check=True)
        _forget_uv(folder / "pyvenv.cfg")
        subprocess.run((str(python), "-m", "pip", "install", *PACKAGES), env=theirs, check=True)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return python


def _forget_uv(config: Path) -> None:
    lines = config.read_text("utf-8").splitlines(keepends=True)
    config.write_text("".join(line for line in lines if not line.startswith("uv =")), "utf-8")

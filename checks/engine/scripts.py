"""The probe scripts as files: where they lie, and how a fact names the one that it came from."""

from __future__ import annotations

from pathlib import Path

from checks import probes

FOLDER = Path(probes.__file__).parent
HOST = FOLDER / "host.py"

# The first argument with which the frozen application is started as the interpreter of a probe: it is no Python that
# takes a script. wizard/frozen.py runs the host then.
OWN_PROBE = "--own-probe"


def script_of(name: str) -> Path:
    """The file of a probe by its place in the folder of the probes ("ask/torch")."""
    return FOLDER / f"{name}.py"


def name_of(script: Path) -> str:
    """How an origin names a script: by its place in that folder, and any other by its own name."""
    return script.relative_to(FOLDER).as_posix() if script.is_relative_to(FOLDER) else script.name

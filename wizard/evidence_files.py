"""What the user gives as evidence: which kind of file it is, and how much of a text is kept. No Qt."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

_BEGINNING = 64_000  # bytes that show whether a file is text
# How a saved case begins, the answer of the portable probe, and that of one probe alone.
_CASE = re.compile(r'\s*\{\s*(?:"(?:format|naosu-probe)"\s*:\s*\d|"python"\s*:\s*"\d)')
_LOOK = 200  # bytes that show whether a JSON file is a saved case
SHORT = 100_000  # characters of a text that is kept as it is, whatever its characters are


class Kind(Enum):
    """What a given file is."""

    LOG = "log"
    SCRIPT = "script"
    MODEL = "model"
    INPUT = "input"  # of the models: named as such
    REPORT = "report"


_KINDS = {
    ".py": Kind.SCRIPT,
    ".ipynb": Kind.SCRIPT,
    ".txt": Kind.LOG,
    ".log": Kind.LOG,
    ".out": Kind.LOG,
    ".err": Kind.LOG,
    ".pdf": Kind.REPORT,
    ".json": Kind.REPORT,
}


# Compressed logs, and what tools for support pack: nvidia-bug-report.log.gz, sosreport-….tar.xz.
_PACKED = re.compile(
    r"\.(?:log|txt|out|err)(?:\.\d+)?\.(?:gz|xz|bz2)$|^(?:sosreport|nvidia-bug-report)\b.*\.(?:gz|xz|zip)$",
    re.IGNORECASE,
)


# What is an input where a model is given beside it; an .npz alone may be a model itself.
INPUTS = (".npz", ".png", ".jpg", ".jpeg", ".bmp", ".webp")


@dataclass(frozen=True)
class Given:
    """One file that the user gave."""

    path: Path
    kind: Kind


def kind_of(path: Path) -> Kind:
    """The kind of a dropped file or folder. Model files have a hundred endings, so the rest is one.

    A .json is a report where it begins as one; TensorFlow.js and others write models with that ending.
    """
    if path.is_dir():
        return Kind.MODEL
    kind = _KINDS.get(path.suffix.lower(), Kind.MODEL)
    if _PACKED.search(path.name):
        return Kind.LOG
    return Kind.MODEL if path.suffix.lower() == ".json" and not _begins_as_report(path) else kind


def input_among(given: tuple[Given, ...]) -> Path | None:
    """The file that is the input of a model that was given beside it: one named as such, else by its ending."""
    named = next((file.path for file in given if file.kind is Kind.INPUT), None)
    if named is not None:
        return named
    files = [file.path for file in given if file.kind is Kind.MODEL]
    inputs = [path for path in files if path.suffix.lower() in INPUTS and not path.is_dir()]
    return inputs[0] if len(inputs) < len(files) and inputs else None


def _begins_as_report(path: Path) -> bool:
    """Whether a JSON file can be a saved case: judged by its beginning; what cannot be read is left to the opening."""
    try:
        if not path.is_file():
            return True
        with open(path, "rb") as file:
            beginning = file.read(_LOOK)
    except OSError:
        return True
    return bool(_CASE.match(beginning.decode("utf-8-sig", "replace"))) or not beginning.strip()


def kind_in_ticket(path: Path) -> Kind | None:
    """What a file is that came with a ticket, by its content: a text or a report; None for neither of them."""
    if path.suffix.lower() == ".pdf":
        return Kind.REPORT
    from checks.readers.text import NotText
    from checks.readers.tickets.bundle import is_archive, plain_text, sent_text

    try:
        if not path.is_file():  # a folder, or a pipe, which may never end
            return None
        if is_archive(path):
            return Kind.LOG if sent_text(path) else None
        with open(path, "rb") as file:
            beginning = plain_text(io.BytesIO(file.read(_BEGINNING)))
    except (OSError, NotText):
        return None
    if _CASE.match(beginning.removeprefix("\ufeff")):
        return Kind.REPORT
    return Kind.SCRIPT if kind_of(path) is Kind.SCRIPT else Kind.LOG


def models_among(paths: Iterable[Path]) -> tuple[Path, ...]:
    """The model files and folders among dropped files: those that are neither a text by another name, nor a report."""
    return tuple(path for path in paths if kind_of(path) is Kind.MODEL or kind_in_ticket(path) is None)


def may_be_neither(path: Path) -> bool:
    """Whether a file is neither a report nor surely a model: a JSON file may hold anything."""
    return path.suffix.lower() == ".json" and kind_of(path) is Kind.MODEL and not path.is_dir()


def no_models(paths: Iterable[Path]) -> tuple[Path, ...]:
    """Those of some files in which no reader of model files finds one."""
    from checks.readers.models import read_models

    return tuple(path for path in paths if all(read_model.format is None for read_model in read_models(path)))


def unicode(text: str) -> str:
    """A text in which what is no Unicode (half of a surrogate pair) is "?"."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def kept(text: str) -> str:
    """A text, or what matters of a very long one; what is no Unicode becomes "?". Of a long one it takes seconds."""
    if len(text) < SHORT:
        return unicode(text)
    from checks.readers.text import kept as what_matters  # late: the window wants to be shown first

    return what_matters(text)


def read_log(path: Path) -> str:
    """The text of a log file, or what matters of a very long one.

    Raises:
        OSError: the file cannot be read, or is a pipe or device, which may never end.
        checks.readers.text.NotText: it is no text.
    """
    from checks.readers.tickets.bundle import sent_text

    return sent_text(path)


def near_folder(given: tuple[Given, ...]) -> Path | None:
    """The folder near which the environment is expected: that of the first script."""
    return next((file.path.parent for file in given if file.kind is Kind.SCRIPT), None)

"""What comes in: files that the user names, read or only checked. What is wrong with one is a :class:`UsageError`."""

from __future__ import annotations

import argparse
import errno
import os
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from wizard.cli.arguments import STANDARD_STREAM, UsageError
from wizard.words import words

if TYPE_CHECKING:
    from checks.facts import SentFile
    from checks.facts.case import Case


def case_in(path: str, language: str) -> Case:
    """A saved case, or the one in a report.

    Raises:
        UsageError: it cannot be opened.
    """
    from checks.sharing.case import CaseError
    from wizard.report.open import open_case, sentence_of

    try:
        return open_case(Path(path))
    except CaseError as error:
        raise UsageError(f"naosu: {path}: {sentence_of(error, language)}") from error


def sent_file(path: str, kind: str, language: str) -> SentFile:
    """A file or pipe that the user gave; of a log its text, or what matters of a long one.

    Raises:
        UsageError: it cannot be read, or is no text.
    """
    from checks.facts import SentFile
    from checks.readers.text import NotText
    from checks.readers.tickets.bundle import plain_text, sent_text

    size = text = None
    try:
        if path == STANDARD_STREAM and kind == "log":
            text = plain_text(sys.stdin.buffer)
        else:
            with open(path, "rb") as file:
                about = os.fstat(file.fileno())
                size = about.st_size
                if kind == "log":  # a pipe is read as it was opened: of a second time there is nothing left
                    text = sent_text(Path(path)) if stat.S_ISREG(about.st_mode) else plain_text(file)
    except OSError as error:
        raise UsageError(unreadable(path, error, language)) from error
    except NotText as error:
        raise UsageError(words("commands.not-text", language, path=path)) from error
    return SentFile(
        origin=path,
        name="" if path == STANDARD_STREAM else Path(path).name,
        kind=kind,
        size=size,
        text=text,
        examined=kind == "log",
    )


def given_path(path: str, language: str) -> Path:
    """A file or folder that the user gave.

    Raises:
        UsageError: there is none.
    """
    if not os.path.lexists(path):
        raise UsageError(words("commands.file-unreadable", language, path=path, detail=os.strerror(errno.ENOENT)))
    return Path(path)


def given_inputs(chosen: argparse.Namespace) -> Path | None:
    """The input of the models, where one was given.

    Raises:
        UsageError: there is no such file, or no model that it could be for.
    """
    if chosen.inputs is None:
        return None
    if not getattr(chosen, "model", True):
        raise UsageError(words("commands.inputs-need-model", chosen.lang))
    return given_path(chosen.inputs, chosen.lang)


def unreadable(path: str, error: OSError, language: str) -> str:
    """The line that says why a file cannot be read."""
    return words("commands.file-unreadable", language, path=path, detail=error.strerror or str(error))

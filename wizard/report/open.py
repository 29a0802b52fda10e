"""Open what somebody sent: a case or a probe's answer as JSON, or a report PDF with the case inside. By content."""

from __future__ import annotations

import codecs
import contextlib
import re
from pathlib import Path

from checks.facts.case import Case
from checks.sharing.case import PACKED_LIMIT, SIZE_LIMIT, CaseError, decode
from wizard.words import words

_HEAD = 1024  # bytes in which a PDF names itself
_BEFORE = re.compile(rb"(?:%s)?\s*" % codecs.BOM_UTF8)
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def open_case(path: Path) -> Case:
    """The case in a file, judged again by this version. Needs no Qt.

    Raises:
        CaseError: "file-missing", "file-unreadable", "file-too-large", "case-not-ours" (neither JSON nor PDF), those
            of :func:`checks.sharing.case.decode` and of :func:`wizard.report.pdf.attached_case.read_pdf`.
    """
    try:
        with open(path, "rb") as file:
            data = file.read(SIZE_LIMIT + 1)
    except FileNotFoundError as error:
        raise CaseError("file-missing", str(path)) from error
    except (OSError, ValueError) as error:  # ValueError: a null byte in the path
        raise CaseError("file-unreadable", getattr(error, "strerror", None) or str(error)) from error
    return case_in(data, str(path))


def case_in(data: bytes, path: str = "") -> Case:
    """The case in the bytes of a file. ``path``: its name, for what is wrong with it.

    Raises:
        CaseError: as :func:`open_case`.
    """
    if len(data) > SIZE_LIMIT:
        raise CaseError("file-too-large", path)
    if len(data) > PACKED_LIMIT and not data.removeprefix(codecs.BOM_UTF8)[:_HEAD].lstrip().startswith(b"{"):
        raise CaseError("file-too-large", path)
    if b"%PDF-" in data[:_HEAD]:
        from wizard.report.pdf.attached_case import read_pdf

        return read_pdf(data)
    data = _utf8(data)
    if not data.startswith(b"{"):
        raise CaseError("case-not-ours", path)
    from checks.engine.portable.answer import case_of, is_answer  # late: most of what is opened is a case

    return case_of(data) if is_answer(data) else decode(data)


def holds_case(path: Path) -> bool:
    """Whether a file is a case or a report that :func:`open_case` opens."""
    with contextlib.suppress(OSError, CaseError):
        with open(path, "rb") as file:
            head = file.read(_HEAD)
        if b"%PDF-" in head or _utf8(head).startswith(b"{"):
            open_case(path)
            return True
    return False


def sentence_of(error: CaseError, language: str) -> str:
    """What went wrong, in one sentence for the user."""
    return words(f"errors.{error.reason}", language)


def _utf8(data: bytes) -> bytes:
    """The text without marks and white space at its start. PowerShell 5 writes what is redirected (>) as UTF-16."""
    if data.startswith(_UTF16):
        data = data.decode("utf-16", errors="replace").encode()
    begin = _BEFORE.match(data)
    return data[begin.end() :] if begin is not None and begin.end() else data  # copied once: it may be large

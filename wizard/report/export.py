"""Save a report: as PDF, JSON or Markdown, redacted unless the user says otherwise, whole or not at all."""

from __future__ import annotations

import errno
import locale
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from checks.sharing.files import remove_left_parts, write_whole
from wizard.words import words

if TYPE_CHECKING:  # what makes a report is imported when one is made: whether it can be written is asked before
    from checks.facts.case import Case

KINDS = ("pdf", "json", "markdown", "reply")

# Countries that print on Letter (CLDR supplemental data, paperSize "US-Letter").
_LETTER = frozenset({"BZ", "CA", "CL", "CO", "CR", "GT", "MX", "NI", "PA", "PH", "PR", "SV", "US", "VE"})
# The same as Windows names them in its locales ("English_United States").
_LETTER_BY_NAME = frozenset(
    {
        *("Belize", "Canada", "Chile", "Colombia", "Costa Rica", "El Salvador", "Guatemala", "Mexico", "Nicaragua"),
        *("Panama", "Philippines", "Puerto Rico", "United States", "Venezuela"),
    }
)
_REASONS = {
    errno.ENOENT: "folder-missing",
    errno.ENOTDIR: "folder-missing",
    errno.EACCES: "not-writable",
    errno.EPERM: "not-writable",
    errno.EROFS: "not-writable",
    errno.EISDIR: "is-a-folder",
    errno.ENOSPC: "disk-full",
    errno.EDQUOT: "disk-full",
}


class ExportError(Exception):
    """A report that could not be saved. ``reason`` is an id of resources/words/errors.toml ("export-...")."""

    def __init__(self, reason: str, path: str = "", detail: str = "") -> None:
        super().__init__(f"{reason} {path} {detail}".strip())
        self.reason = reason
        self.path = path
        self.detail = detail

    def sentence(self, language: str) -> str:
        """What went wrong and what to do, in one sentence for the user."""
        return words(f"errors.export-{self.reason}", language, path=self.path, detail=self.detail)


def export(
    case: Case,
    path: Path,
    kind: str,
    language: str,
    paper: str | None = None,
    *,
    hide: Sequence[str] | None = (),
    keep: Sequence[str] = (),
) -> dict[str, int]:
    """Write the report.

    ``kind``: one of KINDS; ``paper``: "a4", "letter" or None for the country's; ``hide``: the user's own words to hide
    besides what is private, None to hide nothing; ``keep``: what is private and stays all the same.
    A reply in a file ".txt" is without the marks of Markdown, for a mail.
    Returns how many values of which kind were hidden. An existing file stays as it was until the new one is whole.

    Raises:
        ExportError: it could not be written.
    """
    shown, hidden = _hidden(case, hide, keep)
    data = _render(shown, kind, language, paper)
    if kind == "reply" and path.suffix.lower() == ".txt":
        from wizard.report.prints.reply import plain

        data = plain(data.decode()).encode()
    try:
        write_whole(path, data)
    except (OSError, ValueError) as error:
        raise _export_error(error, path) from error
    return hidden


def render(
    case: Case,
    kind: str,
    language: str,
    paper: str | None = None,
    *,
    hide: Sequence[str] | None = (),
    keep: Sequence[str] = (),
) -> bytes:
    """The report as the bytes of a file, as :func:`export` writes it.

    Raises:
        ExportError: a PDF on a machine without a font for its language.
    """
    return _render(_hidden(case, hide, keep)[0], kind, language, paper)


def check_writable(path: Path) -> None:
    """Tell before a long run, not after it, that a file cannot be written there; what a killed run left is removed.

    Raises:
        ExportError: its folder is missing or closed, or it is itself a folder.
    """
    try:
        if path.is_dir():
            raise ExportError("is-a-folder", str(path))
        folder = path.parent
        if path.exists() and not path.is_file():  # a pipe or device: nothing is made beside it
            folder = path
        elif not folder.is_dir():
            raise ExportError("folder-missing", str(folder))
    except (OSError, ValueError) as error:
        raise _export_error(error, path) from error
    remove_left_parts(folder)
    if not os.access(folder, os.W_OK) or (path.exists() and not os.access(path, os.W_OK)):
        raise ExportError("not-writable", str(path))


def hidden_words(hidden: Mapping[str, int], language: str) -> str:
    """What :func:`export` has hidden, in words: "user names: 2, keys and passwords: 1"; "" for nothing."""
    parts = (words(f"report.hidden-{kind}", language, count=count) for kind, count in sorted(hidden.items()))
    return words("report.list-separator", language).join(parts)


def default_paper() -> str:
    """The paper of the user's country, as the system's locale names it ("en_US.UTF-8"; "C.UTF-8" names none)."""
    name = locale.setlocale(locale.LC_CTYPE)  # only asked: getlocale() would call "C.UTF-8" American
    country = name.partition(".")[0].partition("_")[2]
    return "letter" if country.upper() in _LETTER or country in _LETTER_BY_NAME else "a4"


def _hidden(case: Case, hide: Sequence[str] | None, keep: Sequence[str]) -> tuple[Case, dict[str, int]]:
    if hide is None:
        return case, {}
    from checks.sharing.redact import redact

    result = redact(case, words=hide, keep=keep)
    return result.case, result.replaced


def _render(case: Case, kind: str, language: str, paper: str | None) -> bytes:
    from wizard.report.content.report import build
    from wizard.report.prints.json_report import to_json
    from wizard.report.prints.markdown import to_markdown
    from wizard.report.prints.reply import to_reply

    if kind == "json":
        return to_json(case, language)
    if kind == "markdown":
        return to_markdown(build(case, language)).encode(errors="replace")
    if kind == "reply":
        return to_reply(build(case, language)).encode(errors="replace")
    try:
        from wizard.report.pdf.document import NoFontError, to_pdf
    except ImportError as error:  # a server without the libraries that Qt needs
        raise ExportError("no-qt", detail=str(error)) from error
    try:
        return to_pdf(build(case, language), to_json(case, language), paper or default_paper())
    except NoFontError as error:
        raise ExportError("no-japanese-font" if language == "ja" else "no-font") from error


def _export_error(error: OSError | ValueError, path: Path) -> ExportError:
    number = error.errno if isinstance(error, OSError) else None
    detail = getattr(error, "strerror", None) or str(error)
    return ExportError(_REASONS.get(number or 0, "failed"), str(path), detail)

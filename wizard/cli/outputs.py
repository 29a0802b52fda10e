"""What goes out: the summary on the terminal, files, streams, and the exit status."""

from __future__ import annotations

import argparse
import contextlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from checks.visible import visible
from wizard.cli.arguments import STANDARD_STREAM, UsageError
from wizard.words import words

if TYPE_CHECKING:
    from checks.facts.case import Case
    from wizard.report.content.blocks import Document


def deliver(case: Case, chosen: argparse.Namespace) -> int:
    """Write what was asked for, print the summary, and return the exit status.

    Standard output belongs to the program that `naosu run` has run; what we have to say goes beside it.

    Raises:
        UsageError: a file could not be written; the others are, and the summary is printed.
    """
    from checks.facts.question import MODELS
    from checks.judgement.coverage import has_own_error
    from checks.judgement.headline import is_trouble
    from checks.judgement.models.standing import is_any_serious
    from checks.judgement.served import is_served_trouble

    streamed = streams(chosen)
    failed: list[UsageError] = []
    for kind in ("json", "markdown", "reply", "pdf"):
        path = getattr(chosen, kind, None)
        if path is not None:
            try:
                _export(case, kind, path, chosen)
            except UsageError as error:  # told last: what was found is worth more than where it was to go
                failed.append(error)
    if not streamed and not chosen.quiet:
        from checks.sharing.redact import without_secrets
        from wizard.report.content.report import build
        from wizard.report.prints.terminal import to_terminal

        stream = sys.stderr if getattr(chosen, "command", None) == "run" else sys.stdout
        report = build(case if chosen.no_redact else without_secrets(case), chosen.lang)
        print(to_terminal(report, is_first_look=not chosen.verbose), file=stream)
    if failed:
        raise failed[0]
    if (
        has_own_error(case)
        or is_served_trouble(case)
        or (case.answers.symptom == MODELS and is_any_serious(case.facts, case.findings, case.verdicts))
    ):
        return 1
    return int(is_trouble(case.facts, case.findings, case.answers.symptom))


def streams(chosen: argparse.Namespace) -> list[str]:
    """The kinds of report that go to standard output, at most one.

    Raises:
        UsageError: there are two, which in one stream would be neither.
    """
    streamed = [kind for kind in ("csv", "json", "markdown", "reply") if getattr(chosen, kind, None) == STANDARD_STREAM]
    if len(streamed) > 1:
        raise UsageError(words("commands.one-stream", chosen.lang))
    return streamed


def check_outputs(chosen: argparse.Namespace) -> None:
    """Reject an output that cannot be written before a minute of work, not after it.

    Raises:
        UsageError: one cannot.
    """
    streams(chosen)
    from wizard.report.export import ExportError, check_writable

    for path in (chosen.json, chosen.markdown, chosen.pdf, *(getattr(chosen, kind, None) for kind in ("csv", "reply"))):
        if path is not None and path != STANDARD_STREAM:
            try:
                check_writable(Path(path))
            except ExportError as error:
                raise UsageError(f"naosu: {error.sentence(chosen.lang)}") from error


def document_pdf(document: Document, chosen: argparse.Namespace) -> bytes:
    """A document that is no report of a case, as a PDF.

    Raises:
        UsageError: Qt's libraries or a font are missing.
    """
    from wizard.report.export import ExportError, default_paper

    try:
        from wizard.report.pdf.document import NoFontError, document_to_pdf
    except ImportError as error:  # a server without the libraries that Qt needs
        raise UsageError(f"naosu: {ExportError('no-qt', detail=str(error)).sentence(chosen.lang)}") from error
    try:
        return document_to_pdf(document, paper=chosen.paper or default_paper())
    except NoFontError as error:
        reason = "no-japanese-font" if chosen.lang == "ja" else "no-font"
        raise UsageError(f"naosu: {ExportError(reason).sentence(chosen.lang)}") from error


def prepare_report() -> None:
    """Import, while there is time, what makes a report; whatever is wrong with that is told when one is made."""
    with contextlib.suppress(Exception):
        import wizard.report.content.report
        import wizard.report.prints.json_report
        import wizard.report.prints.markdown
        import wizard.report.prints.reply
        import wizard.report.prints.terminal  # noqa: F401
        from checks.knowledge.catalogue import cause_files, cause_of

        for cause in cause_files():
            cause_of(cause)


def write(path: str, data: bytes, language: str) -> None:
    """Write to a file, or to standard output.

    Raises:
        UsageError: the file cannot be written.
    """
    if path == STANDARD_STREAM:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    from checks.sharing.files import write_whole

    try:
        write_whole(Path(path), data)
    except OSError as error:
        raise UsageError(words("commands.file-unreadable", language, path=path, detail=error.strerror)) from error


def _export(case: Case, kind: str, path: str, chosen: argparse.Namespace) -> None:
    from wizard.report.export import ExportError, export, hidden_words, render

    hide = None if chosen.no_redact else chosen.redact
    language = _language_of_reply(case, chosen) if kind == "reply" else chosen.lang
    if path == STANDARD_STREAM:
        write(path, render(case, kind, language, hide=hide), chosen.lang)
        return
    try:
        hidden = export(case, Path(path), kind, language, paper=chosen.paper, hide=hide)
    except ExportError as error:
        raise UsageError(f"naosu: {error.sentence(chosen.lang)}") from error
    if not chosen.quiet:
        print(visible(words("commands.written", chosen.lang, path=path)), file=sys.stderr)
        if hidden:
            counts = hidden_words(hidden, chosen.lang)
            print(words("commands.hidden", chosen.lang, counts=counts), file=sys.stderr)


def _language_of_reply(case: Case, chosen: argparse.Namespace) -> str:
    """That of the ticket, unless another one was asked for."""
    from wizard.report.prints.reply import language_of

    if any(word.split("=")[0] == "--lang" for word in chosen.given):
        return str(chosen.lang)
    return language_of("\n".join(sent.text or "" for sent in case.facts.logs), chosen.lang)

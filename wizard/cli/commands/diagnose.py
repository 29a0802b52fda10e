"""`naosu diagnose`: the text of a ticket, or of many, one JSON object a line."""

from __future__ import annotations

import argparse
import codecs
import contextlib
import io
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from wizard.cli.arguments import STANDARD_STREAM, Parser, Text, UsageError, add_outputs
from wizard.cli.inputs import sent_file, unreadable
from wizard.cli.outputs import check_outputs, deliver
from wizard.words import words

if TYPE_CHECKING:
    from checks.facts.case import Case
    from checks.readers.tickets.threads import Conversation

_MOST_LISTED, _LONGEST_SUBJECT = 100, 80
_PDF = b"%PDF"  # how such a file begins


def add_arguments(parser: Parser, text: Text) -> None:
    """Its file and options."""
    parser.add_argument("file", nargs="?", metavar="FILE", help=text("help-ticket"))
    parser.add_argument("more", nargs="*", help=argparse.SUPPRESS)  # to say that one file is read at a time
    parser.add_argument("--json-lines", metavar="FILE", help=text("help-json-lines"))
    parser.add_argument("--thread", metavar="FILE", help=text("help-thread"))
    parser.add_argument("--conversation", type=int, metavar="NUMBER", help=text("help-conversation"))
    parser.add_argument("--answer", action="append", default=[], metavar="TEXT", help=text("help-answer"))
    parser.add_argument("--ask", action="store_true", help=text("help-ask"))
    parser.add_argument("--reply", nargs="?", const=STANDARD_STREAM, metavar="FILE", help=text("help-reply"))
    add_outputs(parser, text)


def run(chosen: argparse.Namespace) -> int:
    """Judge one ticket, or every line."""
    if chosen.json_lines is not None:
        return _answer_lines(chosen)
    _check_ticket(chosen)
    check_outputs(chosen)
    from wizard.cli.asking import with_answers

    return deliver(with_answers(_case_of(chosen), chosen), chosen)


def _case_of(chosen: argparse.Namespace) -> Case:
    """The case of the ticket, or of the thread of mails."""
    from checks.facts.case import Answers
    from checks.judgement.judge import judged
    from checks.readers.tickets.read import TICKET, read_ticket

    if chosen.thread is not None:
        return _case_of_thread(chosen.thread, chosen)
    file = chosen.file or STANDARD_STREAM
    if file == STANDARD_STREAM and sys.stdin.isatty() and not chosen.quiet:
        print(words("commands.paste-now", chosen.lang), file=sys.stderr)
    return judged(read_ticket(sent_file(file, "log", chosen.lang)), Answers(symptom=TICKET))


def _case_of_thread(path: str, chosen: argparse.Namespace) -> Case:
    from checks.judgement.tickets.dialogue import case_of_thread
    from checks.readers.tickets.threads import LARGEST, NotThread, SeveralThreads, read_thread

    try:
        if path == STANDARD_STREAM:
            data = sys.stdin.buffer.read(LARGEST + 1)
        else:
            with open(path, "rb") as file:
                data = file.read(LARGEST + 1)
        return case_of_thread(read_thread(data, chosen.conversation))
    except OSError as error:
        raise UsageError(unreadable(path, error, chosen.lang)) from error
    except NotThread as error:
        key = "not-a-thread" if chosen.conversation is None else "no-such-conversation"
        raise UsageError(words(f"commands.{key}", chosen.lang, path=path, number=chosen.conversation)) from error
    except SeveralThreads as error:
        listed = _listed(error.conversations, chosen.lang)
        raise UsageError(words("commands.which-conversation", chosen.lang, path=path, listed=listed)) from error


def _listed(conversations: Sequence[Conversation], language: str) -> str:
    """The conversations of a mailbox, each under its number."""
    lines = []
    for number, conversation in enumerate(conversations[:_MOST_LISTED], start=1):
        first = conversation.mails[0]
        subject = " ".join((conversation.subject or first.text).split())[:_LONGEST_SUBJECT]
        count = len(conversation.mails)
        lines.append(words("commands.conversation", language, number=number, subject=subject, count=count))
    more = len(conversations) - len(lines)
    lines += [words("commands.more-conversations", language, count=more)] if more else []
    return "\n".join(("", *lines))


def _check_ticket(chosen: argparse.Namespace) -> None:
    """What was meant as the ticket is one file, and neither a report nor the text itself nor an output's name."""
    if chosen.more or (chosen.thread is not None and chosen.file is not None):
        raise UsageError(words("commands.one-ticket", chosen.lang))
    if chosen.thread is not None:
        return
    if chosen.file is None:
        _check_not_swallowed(chosen)
    elif chosen.file != STANDARD_STREAM and not os.path.lexists(chosen.file) and len(chosen.file.split()) > 1:
        raise UsageError(words("commands.text-as-file", chosen.lang))
    elif _is_file(chosen.file):
        from wizard.report.open import holds_case

        if holds_case(Path(chosen.file)):
            raise UsageError(words("commands.ticket-is-report", chosen.lang, path=chosen.file))


def _check_not_swallowed(chosen: argparse.Namespace) -> None:
    """In `diagnose --reply ticket.txt` the ticket is the file that the answer would be written over."""
    for kind in ("reply", "json", "markdown", "pdf"):
        option, path = f"--{kind}", getattr(chosen, kind)
        if path in (None, STANDARD_STREAM) or f"{option}={path}" in chosen.given:
            continue
        if _is_file(path) and not (kind == "pdf" and _is_pdf(path)):
            raise UsageError(words("commands.ticket-as-output", chosen.lang, option=option, path=path))


def _is_file(path: str) -> bool:
    return os.path.isfile(path)  # noqa: PTH113 - where pathlib raises (a name that is too long), this is no file


def _is_pdf(path: str) -> bool:
    """Whether this is an earlier report, or nothing yet, which a run may replace: a ticket is text."""
    try:
        with open(path, "rb") as file:
            return file.read(len(_PDF)) in {_PDF, b""}
    except OSError:  # not to be written either, which is reported where outputs are checked
        return True


def _answer_lines(chosen: argparse.Namespace) -> int:
    """One answer per line, in the order of the tickets; a line that is no ticket is answered with what is wrong."""
    if chosen.file not in (None, STANDARD_STREAM) or any(
        (chosen.json, chosen.markdown, chosen.pdf, chosen.reply, chosen.thread, chosen.answer, chosen.ask)
    ):
        raise UsageError(words("commands.json-lines-alone", chosen.lang))
    from wizard.report.prints.json_lines import answer_of

    status = 0
    with contextlib.ExitStack() as stack:
        if chosen.json_lines == STANDARD_STREAM:
            tickets = cast("io.BufferedReader", sys.stdin.buffer)
        else:
            try:
                tickets = stack.enter_context(open(chosen.json_lines, "rb"))
            except OSError as error:
                raise UsageError(unreadable(chosen.json_lines, error, chosen.lang)) from error
        for number, line in enumerate(_lines(tickets), start=1):
            if line.strip():
                answer = answer_of(line, number, chosen.lang, hide=None if chosen.no_redact else chosen.redact)
                status = max(status, 2 if not answer.is_ticket else int(answer.is_found))
                sys.stdout.buffer.write(answer.line)
                sys.stdout.buffer.flush()  # who writes tickets into a pipe waits for each answer
    return status


def _lines(stream: io.BufferedReader) -> Iterator[bytes]:
    """The lines of a file or pipe in UTF-8; PowerShell writes UTF-16 with its mark, where a byte 10 ends no line."""
    if not stream.peek(len(codecs.BOM_UTF16)).startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        yield from stream
        return
    decoded = io.TextIOWrapper(stream, encoding="utf-16", errors="replace")
    try:
        yield from (line.encode() for line in decoded)
    finally:
        decoded.detach()  # the stream is its opener's to close

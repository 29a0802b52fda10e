"""The evidence that the user gave, read into facts. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from wizard.evidence_files import Given, Kind, input_among, kept, read_log

if TYPE_CHECKING:  # the types of the facts load only when an examination starts
    from checks.facts import OtherMachine, SentFile


@dataclass(frozen=True)
class Sent:
    """The evidence as facts, by their place in a case."""

    logs: tuple[SentFile, ...]
    scripts: tuple[SentFile, ...]
    models: tuple[Path, ...]
    inputs: Path | None = None  # of the models
    others: tuple[OtherMachine, ...] = ()  # of the reports, to compare this machine with


def sent_files(text: str, given: tuple[Given, ...]) -> Sent:
    """The evidence as facts.

    A report from another machine stands among the logs with the kind "report" and without its text, and among the
    others with what results are compared by. A file that has gone in the meantime, or cannot be read, is kept with the
    reason in ``unread``.
    """
    from checks.facts import SentFile
    from checks.readers.text import NotText
    from checks.sharing.case import CaseError

    sent: dict[str, list[SentFile]] = {"logs": [], "scripts": []}
    others: list[OtherMachine] = []
    if text.strip():
        data = kept(text)
        size = len(data.encode())
        sent["logs"].append(SentFile(name="", kind="log", origin="pasted", size=size, text=data, examined=True))
    for file in given:
        if file.kind in (Kind.MODEL, Kind.INPUT):
            continue
        place = "scripts" if file.kind is Kind.SCRIPT else "logs"
        try:
            content = read_log(file.path) if file.kind is Kind.LOG else None
            if file.kind is Kind.REPORT:
                others.append(_other_machine(file.path))
            fact = SentFile(
                name=file.path.name,
                kind=file.kind.value,
                size=file.path.stat().st_size,
                text=content,
                examined=content is not None or file.kind is Kind.REPORT,
            )
        except CaseError as error:
            fact = SentFile(name=file.path.name, kind=file.kind.value, unread={"text": error.reason})
        except OSError as error:
            fact = SentFile(name=file.path.name, kind=file.kind.value, unread={"text": error.strerror or str(error)})
        except NotText:
            fact = SentFile(name=file.path.name, kind=file.kind.value, unread={"text": "not-text"})
        sent[place].append(fact)
    inputs = input_among(given)
    return Sent(
        logs=tuple(sent["logs"]),
        scripts=tuple(sent["scripts"]),
        models=tuple(file.path for file in given if file.kind is Kind.MODEL and file.path != inputs),
        inputs=inputs,
        others=tuple(others),
    )


def _other_machine(report: Path) -> OtherMachine:
    from checks.analysis.numbers.side_by_side import other_machine
    from wizard.report.open import open_case

    return other_machine(open_case(report), report.name)

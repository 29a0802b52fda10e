"""What `naosu scan` prints: lines to read, JSON, and the diff."""

from __future__ import annotations

import json
import platform
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from checks import __version__
from checks.analysis.scripts.diff import patch
from checks.analysis.scripts.scan import Scan
from checks.analysis.scripts.words import severity_of, text_of
from checks.facts.finding import Severity
from checks.facts.scripts import Edit, ScriptMark, UnreadScript
from checks.knowledge.scripts.rules import rule_of
from checks.readers.scripts.sources import Unreadable
from checks.visible import visible, visible_json
from wizard.cli.scan.proving import proof_line
from wizard.words import words

if TYPE_CHECKING:  # loaded where programs are run
    from checks.proof.scripts.prove import ScriptProof

FORMAT = 1


def unread_line(unread: UnreadScript, language: str) -> str:
    """Why a file could not be read, as one line."""
    reason = words(f"scan.{unread.reason}", language, **{"python": platform.python_version(), **unread.values})
    return visible(words("scan.unread", language, file=unread.file, reason=reason))


def as_text(scan: Scan, language: str) -> str:
    """The findings to read, and how many files they are of."""
    if not scan.scripts:  # none could be read, which has its lines on standard error
        return ""
    told = [_told(mark, language) for mark in scan.marks]
    warnings = sum(severity_of(mark) == Severity.WARNING for mark in scan.marks)
    counts = {"files": len(scan.scripts), "warnings": warnings, "notes": len(scan.marks) - warnings}
    told.append(words("scan.counted" if scan.marks else "scan.nothing", language, **counts))
    return "\n".join(told) + "\n"


def as_json(scan: Scan, language: str, proofs: Iterable[ScriptProof] = ()) -> bytes:
    """The findings with their texts and changes, what was read, and what came of running programs with the changes."""
    told = {
        "format": FORMAT,
        "naosu": __version__,
        "language": language,
        "findings": [_plain(mark, language) for mark in scan.marks],
        "scripts": [
            {"file": script.file, "kind": script.kind, "lines": script.rows, "runs": script.runs,
             "frameworks": list(script.frameworks)}
            for script in scan.scripts
        ],
        "unread": [
            {"file": unread.file, "reason": unread.reason, "sentence": unread_line(unread, language)}
            for unread in scan.unread
        ],
        "proofs": [{**msgspec.to_builtins(proof), "sentence": proof_line(proof, language)} for proof in proofs],
    }  # fmt: skip
    return encoded(told)


def encoded(told: dict[str, Any]) -> bytes:
    """JSON on lines; bytes of a path or of a program that are no UTF-8 become "?"."""
    return visible_json(json.dumps(told, ensure_ascii=False, indent=2).encode("utf-8", "replace")) + b"\n"


def as_diff(scan: Scan, *, with_notes: bool = False) -> str:
    """The offered changes as one diff: those of warnings, and on request of what matters on some device alone."""
    by_file = scan.offered(with_notes=with_notes)
    return "".join(_patch(file, edits, is_for_bytes=True) for file, edits in sorted(by_file.items()))


def _told(mark: ScriptMark, language: str) -> str:
    text = text_of(mark, language)
    key = "scan.place-in-cell" if mark.cell else "scan.place"
    place = words(key, language, file=mark.file, line=mark.line, column=mark.column, cell=mark.cell or "")
    head = f"{place}: {words(f'scan.{severity_of(mark)}', language)}: {text.title} [{mark.rule}]"
    body = [f"    {mark.text}", *(f"    {line}" for line in (text.explanation, text.device, text.advice))]
    return "\n".join(map(visible, [head, *body])) + "\n"


def _plain(mark: ScriptMark, language: str) -> dict[str, Any]:
    text = text_of(mark, language)
    return {
        "rule": mark.rule,
        "cause": rule_of(mark.rule).cause,
        "severity": severity_of(mark),
        "file": mark.file,
        "cell": mark.cell,
        "line": mark.line,
        "column": mark.column,
        "subject": mark.subject,
        "title": text.title,
        "explanation": text.explanation,
        "device": text.device,
        "advice": text.advice,
        "code": mark.text,
        "sources": list(rule_of(mark.rule).sources),
        "fix": _fix(mark),
    }


def _fix(mark: ScriptMark) -> dict[str, Any] | None:
    if not mark.edits:
        return None
    file = mark.edits[0].file or mark.file
    mine = [edit for edit in mark.edits if (edit.file or mark.file) == file]
    edits = [{**msgspec.to_builtins(edit), "file": file} for edit in mine]
    return {"file": file, "edits": edits, "diff": _patch(file, mine)}


def _patch(file: str, edits: Iterable[Edit], *, is_for_bytes: bool = False) -> str:
    try:
        return patch(Path(file), edits, is_for_bytes=is_for_bytes)
    except (Unreadable, OSError):  # it was there a moment ago
        return ""

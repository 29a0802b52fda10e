"""The findings of `naosu scan` as SARIF 2.1.0, which code hosting, editors and other tools read.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
"""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote

from checks import __version__
from checks.analysis.scripts.scan import Scan
from checks.analysis.scripts.words import severity_of, text_of
from checks.facts.scripts import Edit, ScriptMark
from checks.knowledge.scripts.rules import rule_ids, rule_of
from wizard.cli.scan.outputs import encoded, unread_line

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def as_sarif(scan: Scan, language: str) -> bytes:
    """One run of one tool, with all rules, the findings and what could not be read."""
    order = {name: index for index, name in enumerate(rule_ids())}
    notifications = [
        {
            "level": "error",
            "message": {"text": unread_line(unread, language)},
            "locations": [{"physicalLocation": {"artifactLocation": {"uri": _uri(unread.file)}}}],
        }
        for unread in scan.unread
    ]
    run = {
        "tool": {
            "driver": {
                "name": "naosu",
                "version": __version__,
                "rules": [_rule(name, language) for name in order],
            }
        },
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": not scan.unread, "toolExecutionNotifications": notifications}],
        "results": [_result(mark, order, language) for mark in scan.marks],
    }
    told = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    return encoded(told)


def _rule(name: str, language: str) -> dict[str, Any]:
    rule = rule_of(name)
    text = rule.text.of(language)
    return {
        "id": name,
        "shortDescription": {"text": text.title},
        "fullDescription": {"text": text.explanation},
        "help": {"text": f"{text.device} {text.advice}"},
        "helpUri": rule.sources[0],
        "defaultConfiguration": {"level": rule.severity},
        "properties": {"cause": rule.cause},
    }


def _result(mark: ScriptMark, order: dict[str, int], language: str) -> dict[str, Any]:
    text = text_of(mark, language)
    location: dict[str, Any] = {
        "physicalLocation": {
            "artifactLocation": {"uri": _uri(mark.file)},
            "region": {"startLine": mark.line, "startColumn": mark.column},
        }
    }
    if mark.cell is not None:
        # A line of a cell is none of the file: the cell is named beside, and no region that would point elsewhere.
        del location["physicalLocation"]["region"]
        name = f"cell {mark.cell}, line {mark.line}"
        location["logicalLocations"] = [{"name": name, "kind": "member"}]
    result: dict[str, Any] = {
        "ruleId": mark.rule,
        "ruleIndex": order[mark.rule],
        "level": severity_of(mark),
        "message": {"text": f"{text.title}. {text.explanation} {text.device} {text.advice}"},
        "locations": [location],
        "properties": {"subject": mark.subject},
    }
    if mark.edits and mark.cell is None:
        file = mark.edits[0].file or mark.file
        mine = [edit for edit in mark.edits if (edit.file or mark.file) == file]
        changes = [{"artifactLocation": {"uri": _uri(file)}, "replacements": [_replaced(each) for each in mine]}]
        result["fixes"] = [{"description": {"text": text.advice}, "artifactChanges": changes}]
    return result


def _replaced(edit: Edit) -> dict[str, Any]:
    return {
        "deletedRegion": {
            "startLine": edit.line,
            "startColumn": edit.column,
            "endLine": edit.end_line,
            "endColumn": edit.end_column,
        },
        "insertedContent": {"text": edit.text},
    }


def _uri(file: str) -> str:
    """Relative as it was given; an absolute path as a file's URI."""
    path = Path(file)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())

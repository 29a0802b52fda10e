"""The installed package is another project of the same name.

Detects:      a distribution that brings the module which AI programs mean under that name, but is something else, where
              the meant one is not installed.
Why it bites: the import works, and then everything is missing: "module 'whisper' has no attribute 'load_model'".
Blind spots:  a program that really means the other project.
Knowledge:    resources/knowledge/packages/same_names.toml
"""

import re
from collections.abc import Iterator

from checks.analysis.packages.taking_part import failed_run_saying, texts_of_facts
from checks.causes.registry import check
from checks.facts import Facts, InterpreterFacts, Package
from checks.facts.finding import Evidence, Finding, Severity, Unread
from checks.facts.phrase import Value
from checks.knowledge.packages.ai_packages import frameworks_among
from checks.knowledge.packages.same_names import SameName, SameNames
from checks.knowledge.phrases import phrase


@check("wrong-package-of-same-name")
def wrong_package_of_same_name(interpreter: InterpreterFacts, facts: Facts) -> Iterator[Finding]:
    """One finding per package."""
    if interpreter.packages is None:
        raise Unread("packages", interpreter.unread.get("packages", ""))
    has_framework = bool(frameworks_among(package.name for package in interpreter.packages))
    for row in SameNames.read().row:
        wrong = next((package for package in interpreter.packages if row.is_wrong(package)), None)
        if wrong is None or interpreter.package(*row.wanted) is not None:
            continue
        missed = _missed(row)
        run = failed_run_saying(missed, facts)
        is_shown = bool(run) or any(missed.search(text) for text in texts_of_facts(facts))
        is_seen = any(not watched.statement and (watched.failed or watched.worked) for watched in facts.runs)
        if is_shown:
            yield _finding(row, wrong, Severity.BLOCKING, 0.96, run)
        elif has_framework:
            yield _finding(row, wrong, Severity.NOTE if is_seen else Severity.WARNING, row.certainty, {})


def _missed(row: SameName) -> re.Pattern[str]:
    """How errors name what only the wanted project has."""
    module, names = re.escape(row.module), "|".join(map(re.escape, row.attributes))
    wishes = "".join(rf"""No module named ['"]{re.escape(name)}['"]|""" for name in row.asks_for)
    return re.compile(
        wishes + rf"""module ['"]{module}(?:\.\w+)*['"] has no attribute ['"](?:{names})\b|"""
        rf"""cannot import name ['"](?:{names})['"] from ['"]{module}\b|No module named ['"]{module}\.(?:{names})\b|"""
        rf"""{module}[/\\]__init__\.py[\s\S]{{0,400}}(?:{names})"""
    )


def _finding(row: SameName, wrong: Package, severity: Severity, confidence: float, run: dict[str, Value]) -> Finding:
    wanted = row.wanted[0] if row.wanted else row.source
    return Finding(
        severity=severity,
        confidence=confidence,
        subject=row.module,
        evidence=(
            Evidence("package", f"{wrong.name} {wrong.version}", wrong.location or ""),
            Evidence("same_name_module", row.module, SameNames.read().title, row.source),
        ),
        values={
            "same_name": phrase("same-name", wrong=f"{wrong.name} {wrong.version}", module=row.module, wanted=wanted),
            "package_name": wrong.name,
            "wrong_package": wrong.name,
            **({"right_package": row.wanted[0]} if row.wanted else {}),
            "project_page": row.source,
            "import_names": row.module,
            **run,
        },
        remedies=("replace-namesake",) if row.wanted else ("remove-namesake",),
    )

"""A model file that was given is damaged, or is not what it should be.

Detects:      every file that its reader could not follow to its end: cut off, empty, a pointer of Git LFS, a web page,
              an archive or structure in disorder. A file that no reader knows is only a note.
Why it bites: whatever loads it stops, with words of its own that seldom name the reason.
Blind spots:  weights are not read, so that a changed number in them is not seen. Files that may not be read, and parts
              that are missing beside a whole file, are other causes.
Knowledge:    models.toml
"""

from __future__ import annotations

from collections.abc import Iterator

from checks.facts import ModelFacts, ModelFiles
from checks.finding import Evidence, Finding, Severity
from checks.registry import check
from checks.torch_models import file_of

CAUSE = "checkpoint-corrupt"
NOT_THE_FILE = ("empty", "lfs-pointer", "html-page")
CUT = "truncated"
DAMAGED = "-damaged"  # the end of every problem of a structure in disorder
SUSPICIOUS = ("too-large", "bomb")
UNKNOWN = "unknown-format"


@check(CAUSE)
def checkpoint_corrupt(models: ModelFiles) -> Iterator[Finding]:
    """One finding per file."""
    for model in models.files:
        grade = _grade(model)
        if grade is None or any(run.loaded for run in model.runs):
            continue
        severity, confidence = grade
        yield Finding(
            cause=CAUSE,
            severity=severity,
            confidence=confidence,
            subject=model.path,
            evidence=(
                file_of(model),
                Evidence("file_problem", model.problem or "", model.path),
                *((Evidence("file_size", str(model.size), model.path),) if model.size is not None else ()),
                *((Evidence("clue", model.problem_detail[:200], model.path),) if model.problem_detail else ()),
            ),
            values={"model_path": model.path, "runtime": ""},
            remedies=("check-what-the-file-is",) if model.problem == UNKNOWN else (),
        )


def _grade(model: ModelFacts) -> tuple[Severity, float] | None:
    problem = model.problem or ""
    if problem in NOT_THE_FILE:
        return Severity.BLOCKING, 0.97
    if problem == CUT or problem.endswith(DAMAGED):
        return Severity.BLOCKING, 0.9 if model.format else 0.8
    if problem in SUSPICIOUS:
        return Severity.WARNING, 0.6
    return (Severity.NOTE, 0.4) if problem == UNKNOWN else None

"""A model file that was given is damaged, or is not what it should be.

Detects:      every file that its reader could not follow to its end: cut off, empty, a pointer of Git LFS, a web page,
              an archive or structure in disorder.
Why it bites: whatever loads it stops, with words of its own that seldom name the reason.
Blind spots:  weights are not read, so that a changed number in them is not seen. Files that may not be read, and parts
              that are missing beside a whole file, are other causes. A file that no reader knows stays undecided.
Knowledge:    models.toml, model_formats.toml
"""

import ntpath
from collections.abc import Iterator

from checks.analysis.models.torch import file_of
from checks.causes.registry import check
from checks.facts import ModelFacts, ModelFiles
from checks.facts.finding import Evidence, Finding, NotInTable, Severity
from checks.knowledge.formats.model_formats import ModelFormatsTable

EMPTY, POINTER, PAGE = "empty", "lfs-pointer", "html-page"
CUT = "truncated"
DAMAGED = "-damaged"  # the end of every problem of a structure in disorder
SUSPICIOUS = ("too-large", "bomb")
UNKNOWN = "unknown-format"
# What the reader adds to a problem, by its label.
DETAIL = {POINTER: "lfs_size", PAGE: "page_title"}
REMEDIES = {
    POINTER: ("pull-git-lfs-file", "download-model-file-again"),
    PAGE: ("download-file-itself", "download-model-file-again"),
}
OTHERWISE = ("download-model-file-again", "check-what-the-file-is")


@check("checkpoint-corrupt")
def checkpoint_corrupt(models: ModelFiles) -> Iterator[Finding]:
    """One finding per file."""
    for model in models.files:
        grade = _grade(model)
        if grade is None or any(run.loaded for run in model.runs):
            continue
        severity, confidence = grade
        yield Finding(
            severity=severity,
            confidence=confidence,
            subject=model.path,
            evidence=tuple(_evidence(model)),
            values={
                "model_path": model.path,
                "model_folder": ntpath.dirname(model.path) or ".",  # of this system's paths and of Windows'
                "runtime": "",
            },
            remedies=REMEDIES.get(model.problem or "", OTHERWISE),
        )
    unknown = [
        model for model in models.files if model.problem == UNKNOWN and not any(run.loaded for run in model.runs)
    ]
    if unknown:
        raise NotInTable(ModelFormatsTable.read().title, unknown[0].name or unknown[0].path)


def _evidence(model: ModelFacts) -> Iterator[Evidence]:
    problem = model.problem or ""
    yield file_of(model)
    yield Evidence("model_problem", problem, model.path)
    if model.size is not None:
        yield Evidence("file_size", str(model.size), model.path)
    if model.problem_detail:
        yield Evidence(DETAIL.get(problem, "clue"), model.problem_detail[:200], model.path)


def _grade(model: ModelFacts) -> tuple[Severity, float] | None:
    problem = model.problem or ""
    if problem in (EMPTY, POINTER, PAGE):
        return Severity.BLOCKING, 0.97
    if problem == CUT or problem.endswith(DAMAGED):
        return Severity.BLOCKING, 0.9 if model.format else 0.8
    if problem in SUSPICIOUS:
        return Severity.WARNING, 0.6
    return None

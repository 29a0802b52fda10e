"""A TensorRT engine was built by another TensorRT than the one in the target.

Detects:      an engine file whose header names another TensorRT version than the installed one.
Why it bites: TensorRT refuses the file: "not compatible with this version of TensorRT", "Version tag does not match".
Blind spots:  whether an engine was built version compatible is not read; one that carries a section besides engine and
              weights (the lean runtime) is left alone in a newer TensorRT, one that was built without it is not known.
              Engines of TensorRT-RTX are not judged: what its releases make of each other's files was not tried.
Knowledge:    resources/knowledge/formats/tensorrt_engines.toml
"""

from collections.abc import Iterator

from checks.analysis.models.selected import some, values_of
from checks.causes.registry import check
from checks.facts import ModelFacts, ModelFiles, TensorRtFacts
from checks.facts.finding import Evidence, Finding, Severity, Unread
from checks.facts.versions import release
from checks.knowledge.formats.tensorrt_engines import rule


@check("trt-engine-version-mismatch")
def trt_engine_version_mismatch(models: ModelFiles, tensorrt: TensorRtFacts) -> Iterator[Finding]:
    """One finding per engine."""
    for model in some(models.of("tensorrt"), "tensorrt_engines"):
        if model.producer != "TensorRT" or not model.producer_version:
            continue  # the header was not read, or names another program's version
        if not tensorrt.version:
            raise Unread("tensorrt_version", tensorrt.unread.get("version", ""))
        built, here = release(model.producer_version), release(tensorrt.version)
        known = min(len(built), len(here))  # TensorRT 8's Python package names three numbers, the engine four
        is_newer = here[:known] > built[:known]
        if built[:known] == here[:known] or (is_newer and "plan-sections" in model.details):
            continue
        yield _finding(model, tensorrt, is_newer=is_newer)


def _finding(model: ModelFacts, tensorrt: TensorRtFacts, *, is_newer: bool) -> Finding:
    return Finding(
        severity=Severity.BLOCKING,
        confidence=0.85 if is_newer else 0.97,  # only in a newer one could it have been built to load
        subject=model.path,
        evidence=(
            Evidence("model", model.name, model.path),
            Evidence("engine_tensorrt", model.producer_version or "", model.path, rule("version").source),
            Evidence("tensorrt_version", tensorrt.version or "", tensorrt.origin),
        ),
        values=values_of(model, "tensorrt"),
    )

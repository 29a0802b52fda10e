"""An ONNX model refers to files with its weights that are not there, or not whole.

Detects:      a file of external data that is missing beside the model, shorter than the weights that it should hold, or
              outside the model's folder.
Why it bites: no runtime can load the model: the graph is there, the numbers are not.
Blind spots:  that a file is the right one is not checked, only that it is there and long enough. A path that leads out
              of the folder is not followed; ONNX Runtime refuses it from 1.24 on, older ones read it.
Knowledge:    resources/knowledge/onnx.toml
"""

from __future__ import annotations

import ntpath
from collections.abc import Iterator

from checks.facts import ModelFacts, ModelFiles, NeededFile, OnnxRuntimeFacts
from checks.finding import Evidence, Finding, Severity
from checks.given_models import some
from checks.knowledge.onnx import onnx_table
from checks.onnx_models import named
from checks.registry import check
from checks.versions import release

CAUSE = "onnx-external-data-missing"


@check(CAUSE)
def onnx_external_data_missing(models: ModelFiles, onnxruntime: OnnxRuntimeFacts | None) -> Iterator[Finding]:
    """One finding per model."""
    for model in some(models.of("onnx"), "onnx_models"):
        if any(run.loaded for run in model.runs):
            continue
        files = model.needs.files or ()
        absent = [each for each in files if each.present is False]
        short = [each for each in files if each.present and (each.present_size or 0) < (each.size or 0)]
        outside = [each for each in files if each.present is None]
        if absent or short:
            yield _finding(model, absent, short, outside, Severity.BLOCKING, "")
        elif outside:
            version = onnxruntime.version if onnxruntime else None
            is_refused = version is not None and release(version) >= release(onnx_table().paths_outside_refused)
            severity = Severity.BLOCKING if is_refused else Severity.WARNING
            yield _finding(model, absent, short, outside, severity, "onnxruntime" if is_refused else "")


def _finding(
    model: ModelFacts,
    absent: list[NeededFile],
    short: list[NeededFile],
    outside: list[NeededFile],
    severity: Severity,
    runtime: str,
) -> Finding:
    wanted = named([each.name for each in (*absent, *short)])
    lengths = [f"{each.name} ({each.present_size} < {each.size})" for each in short]
    return Finding(
        cause=CAUSE,
        severity=severity,
        confidence=0.98 if absent or short else 0.9,
        subject=model.path,
        evidence=(
            Evidence("model", model.name, model.path),
            *((Evidence("weights_missing", named([each.name for each in absent]), model.path),) if absent else ()),
            *((Evidence("weights_short", named(lengths), model.path),) if short else ()),
            *((Evidence("weights_outside", named([each.name for each in outside]), model.path),) if outside else ()),
        ),
        values={
            "model_path": model.path,
            "model_folder": ntpath.dirname(model.path) or ".",  # of this system's paths and of Windows'
            "files_wanted": wanted,
            "runtime": runtime,
        },
    )

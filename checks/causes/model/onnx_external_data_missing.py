"""An ONNX model refers to files with its weights that are not there, or not whole.

Detects:      a file of external data that is missing beside the model, shorter than the weights that it should hold, or
              outside the model's folder, by its path or behind a symbolic link.
Why it bites: no runtime can load the model: the graph is there, the numbers are not.
Blind spots:  that a file is the right one is not checked, only that it is there and long enough. A path that leads out
              of the folder is not followed; ONNX Runtime refuses it from 1.24 on, older ones read it.
Knowledge:    resources/knowledge/formats/onnx.toml
"""

import ntpath
from collections.abc import Iterator, Sequence

from checks.analysis.models.onnx import named
from checks.analysis.models.selected import some
from checks.causes.registry import check
from checks.facts import ModelFacts, ModelFiles, NeededFile, OnnxRuntimeFacts
from checks.facts.finding import Evidence, Finding, Severity
from checks.facts.versions import release
from checks.knowledge.formats.onnx import OnnxTable

_PUT_BACK = ("put-named-weights-beside-model", "put-external-data-beside-model", "save-onnx-as-one-file")


@check("onnx-external-data-missing")
def onnx_external_data_missing(models: ModelFiles, onnxruntime: OnnxRuntimeFacts | None) -> Iterator[Finding]:
    """One finding per model."""
    version = onnxruntime.version if onnxruntime else None
    for model in some(models.of("onnx"), "onnx_models"):
        if any(run.loaded for run in model.runs):
            continue
        files = model.needs.files or ()
        absent = [file for file in files if file.present is False]
        short = [file for file in files if file.present and (file.present_size or 0) < (file.size or 0)]
        outside = [file for file in files if file.present is None]
        linked = [file for file in files if file.linked_to and not _is_read(file, version)]
        if absent or short:
            yield _finding(model, absent, short, outside, Severity.BLOCKING, "")
        elif outside or linked:
            is_refused = version is not None and release(version) >= release(OnnxTable.read().paths_outside_refused)
            severity = Severity.BLOCKING if is_refused else Severity.WARNING
            yield _finding(model, absent, short, outside, severity, "onnxruntime" if is_refused else "", linked)


def _is_read(file: NeededFile, version: str | None) -> bool:
    """Whether a link that leads out of the folder is followed: into that of the model itself, but for two releases."""
    table = OnnxTable.read()
    is_strict = version is not None and (
        release(table.paths_outside_refused) <= release(version) < release(table.links_beside_real_model_read)
    )
    return file.beside_real_model and not is_strict


def _finding(
    model: ModelFacts,
    absent: list[NeededFile],
    short: list[NeededFile],
    outside: list[NeededFile],
    severity: Severity,
    runtime: str,
    linked: Sequence[NeededFile] = (),
) -> Finding:
    wanted = named([file.name for file in (*absent, *short)])
    lengths = [f"{file.name} ({file.present_size} < {file.size})" for file in short]
    leads = [f"{file.name} → {file.linked_to}" for file in linked]
    return Finding(
        severity=severity,
        confidence=0.98 if absent or short else 0.9,
        subject=model.path,
        evidence=(
            Evidence("model", model.name, model.path),
            *((Evidence("weights_missing", named([file.name for file in absent]), model.path),) if absent else ()),
            *((Evidence("weights_short", named(lengths), model.path),) if short else ()),
            *((Evidence("weights_outside", named([file.name for file in outside]), model.path),) if outside else ()),
            *((Evidence("weights_linked_out", named(leads), model.path),) if linked else ()),
        ),
        values={
            "model_path": model.path,
            "model_folder": ntpath.dirname(model.path) or ".",  # of this system's paths and of Windows'
            "files_wanted": wanted,
            "files_linked": named([file.name for file in linked]),
            "runtime": runtime,
        },
        remedies=_remedies(linked, runtime) if linked and not outside else _PUT_BACK,
    )


def _remedies(linked: Sequence[NeededFile], runtime: str) -> tuple[str, ...]:
    """Of links: where they lead beside the model itself, a newer ONNX Runtime follows them again."""
    newer = ("update-onnxruntime",) if runtime and all(file.beside_real_model for file in linked) else ()
    return (*newer, "put-weights-in-place-of-links")

"""A model file has the ending of another format.

Detects:      files whose name ends as those of other formats do, and not as those of their own.
Why it bites: many programs go by the name: Keras opens ".keras" as a zip, ONNX Runtime knows its own format by ".ort",
              OpenVINO, OpenCV and converters choose their reader by the ending, and people are misled as well.
Blind spots:  an ending that no format has says nothing wrong. HDF5 named ".keras" belongs to keras-version-mismatch.
Knowledge:    resources/knowledge/formats/model_formats.toml
"""

from collections.abc import Iterator

from checks.analysis.models.selected import is_in_archive
from checks.analysis.models.torch import file_of
from checks.causes.registry import check
from checks.facts import ModelFiles
from checks.facts.finding import Evidence, Finding, Severity
from checks.knowledge.formats.model_formats import ModelFormatsTable, fitting_path, model_format, wrong_ending


@check("model-file-misnamed")
def model_file_misnamed(models: ModelFiles) -> Iterator[Finding]:
    """One note per file."""
    for model in models.files:
        row = model_format(model.format) if model.format else None
        ending = wrong_ending(model.path, row.id) if row else ""
        if row is None or not ending or model.problem is not None:  # of half a file the format is a guess
            continue
        fitting = fitting_path(model.path, row.id)
        yield Finding(
            severity=Severity.NOTE,
            confidence=0.95,
            subject=model.path,
            evidence=(
                file_of(model),
                Evidence("file_ending", ending, model.path),
                Evidence("model_format", row.name, model.path, ModelFormatsTable.read().source),
            ),
            values={
                "model_path": model.path,
                "runtime": "",
                "fitting_file": "" if is_in_archive(model.path) else fitting,
                "fitting_name": fitting.replace("\\", "/").rpartition("/")[2],
            },
        )

"""Files that belong to a model are not beside it.

Detects:      shards, variables, assets and weights that a model names and that are missing in its folder.
Why it bites: whatever loads the model stops at the file that is not there.
Blind spots:  external data of ONNX models is a cause of its own. A file that the model names outside its folder, or
              by an address of the web, is not looked for.
Knowledge:    none: the model itself names its files
"""

from collections.abc import Iterator

from checks.analysis.models.selected import some
from checks.analysis.models.torch import file_of, listed
from checks.causes.registry import check
from checks.facts import ModelFacts, ModelFiles
from checks.facts.finding import Evidence, Finding, Severity
from checks.knowledge.formats.model_formats import is_named_as_model

_INDEX = ".json"  # how a file ends that names the parts of a model and bears no ending of a format
_HAS_ITS_OWN = "onnx"


@check("model-file-not-found")
def model_file_not_found(models: ModelFiles) -> Iterator[Finding]:
    """One finding per model."""
    of_several = (file for file in models.files if file.needs.files and file.format != _HAS_ITS_OWN)
    for model in some(of_several, "models_of_several_files"):
        missing = [file.name for file in model.needs.files or () if file.present is False]
        if not missing or any(run.loaded for run in model.runs):
            continue
        yield Finding(
            severity=Severity.BLOCKING,
            confidence=0.85,
            subject=model.path,
            evidence=(file_of(model), Evidence("missing_files", listed(missing), model.path)),
            values={
                "model_path": model.path,
                "runtime": "",
                "model_name": model.name,
                "part": missing[0],
                "wanted_file": _beside(model, missing[0]),
            },
            remedies=("put-missing-part", "find-model-file", "fetch-model-file"),
        )


def _beside(model: ModelFacts, part: str) -> str:
    """The path of a part: beside a file that is named as a model, within what is a folder."""
    is_file = is_named_as_model(model.path) or model.path.lower().endswith(_INDEX)
    slash = "\\" if "\\" in model.path and "/" not in model.path else "/"
    folder = model.path[: max(model.path.rfind(slash), 0)] if is_file else model.path
    return f"{folder}{slash}{part}" if folder else part

"""Which of the given models a check is about: without one there is nothing to check, and nothing is found fine."""

import re
from collections.abc import Iterable

from checks.facts import ModelFacts
from checks.facts.finding import NotHere

# Under which name a remedy asks for a file of these formats, in a command or code that takes no other.
_FILE_OF = {
    "onnx": "onnx_file",
    "ort": "onnx_file",
    "tflite": "tflite_file",
    "tflite-edgetpu": "tflite_file",
    "tensorrt": "engine_file",
    "tensorrt-rtx": "engine_file",
    "pickle": "pickle_file",
    "torch-legacy": "pickle_file",
}
# In the path of a member: the archive's own name. A file with such a name that is a folder only loses a command.
_ARCHIVE = re.compile(r"\.(?:zip|whl|egg|jar|aar|apk|ipa|tar|tgz|tbz2?|txz|tar\.\w{2,3})[/\\]", re.IGNORECASE)
_OTHER_KERAS = ".keras"  # the ending of another format, which HDF5 files of Keras 2 bear as well


def values_of(model: ModelFacts, runtime: str) -> dict[str, str]:
    """What every finding about a model tells, for its remedies too; ``runtime`` "": it holds for any."""
    values = {"model_path": model.path, "runtime": runtime}
    if is_in_archive(model.path):  # no command reaches it there
        return values
    if model.format in _FILE_OF:
        values[_FILE_OF[model.format]] = model.path
    if model.format == "keras-h5" and model.path.endswith(_OTHER_KERAS):
        values["h5_file"] = f"{model.path.removesuffix(_OTHER_KERAS)}.h5"
    return values


def is_in_archive(path: str) -> bool:
    """Whether a path leads into an archive ("models.zip/en/model.onnx")."""
    return _ARCHIVE.search(path) is not None


def some(models: Iterable[ModelFacts], kind: str) -> tuple[ModelFacts, ...]:
    """The models of a kind, of which at least one was given. ``kind``: its label, an id of fields.toml.

    Raises:
        NotHere: none was given.
    """
    found = tuple(models)
    if not found:
        raise NotHere(kind, "none-given")
    return found

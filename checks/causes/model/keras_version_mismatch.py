"""A model was saved by another generation of Keras than the one that would load it.

Detects:      files that the target's Keras refuses, by what the file says of itself: .keras files of the other
              generation; .h5 files with arguments, classes or nested models that the other one does not take; HDF5
              under the name .keras. As notes: a SavedModel of Keras 2 where load_model is Keras 3, and Python code in
              layers, which safe mode refuses.
Why it bites: load_model stops ("Unrecognized keyword arguments", "parent module ... cannot be imported").
Blind spots:  a file of a newer Keras 3 than the target's belongs to checkpoint-format-too-new. Weights alone are left
              out: whether they fit depends on the program. A program that sets TF_USE_LEGACY_KERAS itself is not seen.
Knowledge:    resources/knowledge/frameworks/keras.toml
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from checks.analysis.models.selected import some, values_of
from checks.analysis.models.torch import file_of, listed, unloaded
from checks.causes.registry import check
from checks.facts import EnvironmentVariables, InterpreterFacts, ModelFacts, ModelFiles, TensorFlowFacts
from checks.facts.finding import Evidence, Finding, NotHere, Severity, Unread
from checks.facts.versions import major_number
from checks.knowledge.frameworks.keras import KerasTable, refused_by, refused_generation

_FORMATS = ("keras-h5", "keras-zip", "savedmodel")
_LEGACY = "TF_USE_LEGACY_KERAS"


class Keras(NamedTuple):
    """A Keras in the target."""

    name: str
    version: str
    origin: str

    @property
    def generation(self) -> int:
        """Keras 2 or Keras 3."""
        return major_number(self.version)


@check("keras-version-mismatch")
def keras_version_mismatch(
    models: ModelFiles,
    interpreter: InterpreterFacts | None,
    tensorflow: TensorFlowFacts | None,
    environment: EnvironmentVariables | None,
) -> Iterator[Finding]:
    """At most one finding per model."""
    some(models.of(*_FORMATS), "keras_models")
    waiting = [model for model in unloaded(models, *_FORMATS) if model.details.get("content") != "weights"]
    if not waiting:
        return
    if interpreter is None or interpreter.packages is None:
        raise Unread("packages")
    here = _installed(interpreter, tensorflow, environment)
    if not here:
        raise NotHere("keras", "not-installed")
    for model in waiting:
        found = _refused(model, here)
        if found is not None:
            yield found


def _installed(
    interpreter: InterpreterFacts, tensorflow: TensorFlowFacts | None, environment: EnvironmentVariables | None
) -> list[Keras]:
    """Every Keras of the target; first the one that tf.keras is, or else "import keras"."""
    found = []
    for name in ("keras", "tf-keras"):
        package = interpreter.package(name)
        if package is not None:
            found.append(Keras(name, package.version, package.location or ""))
    if not found and tensorflow is not None and tensorflow.keras_version:
        found.append(Keras("tf.keras", tensorflow.keras_version, tensorflow.origin))
    is_legacy = environment is not None and environment.values.get(_LEGACY, "").lower() in ("1", "true")
    return found[::-1] if is_legacy else found


def _refused(model: ModelFacts, here: Sequence[Keras]) -> Finding | None:
    """The finding that the first Keras refuses a model, softer where another one is there that does not."""
    what = _what_is_refused(model, here[0])
    if not what:
        return None
    helper = next((name for name in here[1:] if not _what_is_refused(model, name)), None)
    is_saved_model = model.format == "savedmodel"
    severity = Severity.NOTE if is_saved_model else Severity.WARNING if helper else Severity.BLOCKING
    return Finding(
        severity=severity,
        confidence=0.75 if is_saved_model else 0.93,
        subject=model.path,
        evidence=(
            file_of(model),
            Evidence("written_with", f"Keras {_written_with(model)}", model.path),
            *_about(here[0]),
            Evidence("keras_refuses", what, KerasTable.read().title),
            *((Evidence("keras_beside", f"{helper.name} {helper.version}", helper.origin),) if helper else ()),
        ),
        values=values_of(model, "tensorflow" if here[0].name == "tf.keras" else "keras"),
        remedies=_remedies(model, here[0]),
    )


def _what_is_refused(model: ModelFacts, keras: Keras) -> str:
    """What of a model a Keras does not take; "" where it should read it."""
    written = _generation(model)
    is_renamed = model.format == "keras-h5" and "named-keras" in model.details
    row = refused_generation("h5-named-keras" if is_renamed else model.format or "", written, keras.version)
    if row is not None:
        return row.error
    if model.format != "keras-h5" or written == keras.generation:
        return ""
    particular = [part for part in model.details.get("keras-particular", "").split(", ") if part]
    refused = refused_by(keras.version, particular)
    meanings = {row.name: row.meaning for row in KerasTable.read().trait}
    return listed(meanings.get(name, name) for name in refused)


def _generation(model: ModelFacts) -> int:
    if model.format == "savedmodel":
        return 2 if "saved-by" in model.details else 0
    return max(major_number(model.producer_version or ""), 2) if model.producer_version else 0


def _written_with(model: ModelFacts) -> str:
    version = model.details.get("keras-version") if model.format == "savedmodel" else model.producer_version
    return version or "2"


def _remedies(model: ModelFacts, keras: Keras) -> tuple[str, ...]:
    if keras.generation < 3:
        return ("update-keras", "resave-with-both-keras")
    if "named-keras" in model.details:
        return ("name-keras-file-h5", "use-keras-2", "resave-with-both-keras")
    if model.format == "savedmodel":
        return ("resave-with-both-keras", "use-keras-2")
    return ("use-keras-2", "resave-with-both-keras")


def _about(keras: Keras) -> tuple[Evidence, ...]:
    return (Evidence("framework", f"{keras.name} {keras.version}", keras.origin),)

"""The TFLite models of a case and the interpreters that load them, as the checks want them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from checks.analysis.models.selected import some
from checks.facts import LiteRtFacts, ModelFacts, ModelFiles, OperatorUse, TensorFlowFacts
from checks.facts.finding import Evidence, NotCollected, Unread

PLAIN, COMPILED = "tflite", "tflite-edgetpu"
NPU = "npu"  # the domain of what a compiler made for a phone's NPU
OF_TENSORFLOW = ("tflite-runtime", "tflite-runtime-nightly")  # they count their releases as TensorFlow does
COMPILED_NAME = "_edgetpu.tflite"  # what the Edge TPU compiler makes of ".tflite" in a file's name
SHOWN = 8

_LIBRARY_MISSING = ("cannot open shared object", "image not found", "no such file", "could not find module", "dlopen")


@dataclass(frozen=True)
class Interpreter:
    """A TFLite interpreter of the target. ``runtime``: its field in Frameworks."""

    runtime: str
    name: str
    version: str
    origin: str
    is_tensorflow: bool  # whether its releases are TensorFlow's


def interpreters(litert: LiteRtFacts | None, tensorflow: TensorFlowFacts | None) -> Iterator[Interpreter]:
    """Those that are installed and whose version was read."""
    if litert is not None and litert.version:
        name = litert.package or "ai-edge-litert"
        yield Interpreter("litert", name, litert.version, litert.origin, name in OF_TENSORFLOW)
    if tensorflow is not None and tensorflow.version:
        yield Interpreter("tensorflow", "tensorflow", tensorflow.version, tensorflow.origin, is_tensorflow=True)


def models_to_load(
    models: ModelFiles, litert: LiteRtFacts | None, tensorflow: TensorFlowFacts | None
) -> Iterator[tuple[Interpreter, ModelFacts]]:
    """Each interpreter of the target with each model that it has not in fact loaded.

    Raises:
        NotHere: no model was given, or no interpreter is there.
        Unread: the version of an interpreter was not read.
    """
    some(models.of(COMPILED, PLAIN), "tflite_models")
    installed = list(interpreters(litert, tensorflow))
    if not installed:
        raise NotCollected("litert") if litert is None else Unread("framework", litert.unread.get("version", ""))
    for interpreter in installed:
        for model in tflite_models(models, interpreter.runtime):
            yield interpreter, model


def tflite_models(models: ModelFiles, runtime: str, *formats: str) -> Iterator[ModelFacts]:
    """Those that were read to their end and that the runtime has not in fact loaded."""
    for model in models.of(*(formats or (PLAIN, COMPILED))):
        has_loaded = any(run.loaded for run in model.runs if run.runtime == runtime)
        if model.problem is None and not has_loaded:
            yield model


def source_of(model: ModelFacts) -> dict[str, str]:
    """The file that the Edge TPU compiler takes, as its remedies ask for it; nothing where only its result is known."""
    if model.format == PLAIN:
        return {"source_file": model.path}
    is_named = model.path.endswith(COMPILED_NAME)
    return {"source_file": f"{model.path.removesuffix(COMPILED_NAME)}.tflite"} if is_named else {}


def lacks_edgetpu_library(litert: LiteRtFacts) -> bool:
    """Whether the delegate of the Edge TPU failed since its library is not installed."""
    error = (litert.edgetpu_error or "").lower()
    return any(words in error for words in _LIBRARY_MISSING)


def counted(operators: Iterable[OperatorUse]) -> str:
    """Operators with how often they occur, the first of them."""
    all_ = [f"{operator.name} ×{operator.count}" for operator in operators]
    more = len(all_) - SHOWN
    return ", ".join(all_[:SHOWN]) + (f" +{more}" if more > 0 else "")


def about(model: ModelFacts, interpreter: Interpreter) -> tuple[Evidence, Evidence]:
    """The first two lines of what proves a finding: the model, and the interpreter that it does not fit."""
    return (
        Evidence("model", model.name, model.path),
        Evidence("framework", f"{interpreter.name} {interpreter.version}", interpreter.origin),
    )

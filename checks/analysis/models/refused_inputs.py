"""Inputs of the user's that could not be given to a model: why, what it takes, and what was given."""

from collections.abc import Sequence

from checks.facts import ExportRun, MinimalGraph, ModelMeasured, QuantisationLoss, TensorSpec
from checks.facts.phrase import Phrase
from checks.knowledge.phrases import phrase

GivenTo = ModelMeasured | ExportRun | MinimalGraph | QuantisationLoss  # what takes inputs of the user's
GIVEN = ("file", "image")  # where inputs of the user's come from
_MISFIT, _UNREADABLE = "inputs-do-not-fit", "input-unreadable"
_REASONS = (_MISFIT, _UNREADABLE, "no-input-file", "no-image-library", "no-image-input", "input-too-large")
_MOST = 8  # inputs that are named
_NOTHING = "-"


def is_refused(run: GivenTo) -> bool:
    """Whether a model was not run, because of the inputs that the user gave."""
    return run.inputs_from in GIVEN and run.reason in _REASONS


def is_unreadable_picture(run: GivenTo) -> bool:
    """Whether there was a library for pictures, but it could not read this one."""
    return run.reason == _UNREADABLE and run.inputs_from == "image"


def remedies_for(run: GivenTo) -> tuple[str, ...]:
    """What helps where the trouble is the picture and not what the model takes, by the ids; empty for anything else."""
    if run.reason == "no-image-library":
        return ("install-image-library",)
    return ("save-picture-again",) if is_unreadable_picture(run) else ()


def why_refused(run: GivenTo) -> Phrase:
    """Why, in a sentence or two."""
    key = run.reason
    if is_unreadable_picture(run):
        key = "picture-unreadable"
    elif run.reason == _MISFIT and run.detail:
        key = f"{_MISFIT}-said"
    return phrase(key, detail=run.detail, wanted=named(run.inputs_wanted), given=named(run.inputs or ()))


def named(specs: Sequence[TensorSpec]) -> str:
    """Inputs in one line: "image: float32 [1, 3, ?, ?]"."""
    return "; ".join([*map(in_a_line, specs[:_MOST]), *(["..."] if len(specs) > _MOST else [])]) or _NOTHING


def in_a_line(spec: TensorSpec) -> str:
    """An input or output with its type and shape, as far as they are known."""
    shape = "" if spec.shape is None else f"[{', '.join(map(str, spec.shape))}]"
    return f"{spec.name}: {' '.join(filter(None, (spec.dtype, shape)))}".rstrip(": ")

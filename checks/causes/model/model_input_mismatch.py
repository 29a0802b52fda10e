"""The input that the user gave cannot be given to the model.

Detects:      a file of inputs whose names, shapes or types are not those of the model, that cannot be read, or that is
              a picture for a model that takes none.
Why it bites: the model was not run with it, so nothing of what was asked is answered.
Blind spots:  what fits by its form and means something else (another order of colours, another mean) is not seen; a
              TorchScript archive tells no shapes and types, only what its first layers take.
Knowledge:    none
"""

from collections.abc import Iterator

from checks.analysis.models.refused_inputs import GIVEN, GivenTo, is_refused, named, remedies_for, why_refused
from checks.analysis.models.repeats import name_of_path
from checks.causes.registry import check
from checks.facts import Measurements, MinimalGraph, ModelFiles, ModelMeasured, QuantisationLoss
from checks.facts.finding import MEASURED_MODEL, Evidence, Finding, NotHere, Severity

_Measured = ModelMeasured | MinimalGraph | QuantisationLoss


@check("model-input-mismatch")
def model_input_mismatch(measurements: Measurements | None, models: ModelFiles | None) -> Iterator[Finding]:
    """One finding per model."""
    runs: list[tuple[str, GivenTo]] = [(_path(run), run) for run in _measured(measurements)]
    runs += [(model.path, run) for model in (models.files if models else ()) for run in model.exports]
    if not any(run.inputs_from in GIVEN for _, run in runs):
        raise NotHere("given_inputs", "none-given")
    refused = {path: run for path, run in reversed(runs) if is_refused(run)}
    for path, run in refused.items():
        why, helping = why_refused(run), remedies_for(run)
        picture = {"unread_picture": run.reason} if helping else {}  # without it no remedy for pictures is offered
        yield Finding(
            severity=Severity.WARNING,
            confidence=1.0,
            subject=path,
            evidence=(
                Evidence("model", name_of_path(path), path),
                Evidence("input_expected", named(run.inputs_wanted), run.origin),
                *((Evidence("input_given", named(run.inputs), run.origin),) if run.inputs else ()),
            ),
            remedies=helping,
            values={MEASURED_MODEL: path, "model": name_of_path(path), "why": why, **picture},
        )


def _measured(measurements: Measurements | None) -> Iterator[_Measured]:
    return (run for run in (measurements.all if measurements else ()) if isinstance(run, _Measured))


def _path(run: _Measured) -> str:
    """The model that was given the inputs: of two that are compared the float one, which comes first."""
    return run.first or run.path if isinstance(run, QuantisationLoss) else run.path

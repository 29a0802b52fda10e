"""A quantised model gives worse results than the float model that it was made of.

Detects:      an ONNX model beside its quantised version, both run with the same inputs: decisions on the user's own
              inputs that change, or an output with a tenth of noise and more. The layer is named without whose loss the
              output is better; saturation, calibration and weights where a flip of each was run and mended it.
Why it bites: the small model is fast and wrong, and nothing says which layer is at fault.
Blind spots:  what was run with made-up inputs may look better or worse than real ones, so that it is no more than a
              note; accuracy itself is not measured, for that the right answers are needed.
Knowledge:    none
"""

from collections.abc import Iterator

from checks.analysis.models.quantisation import (
    DRAWN,
    PER_CHANNEL,
    REDUCE_RANGE,
    Judged,
    Why,
    anew,
    clipped,
    decibels,
    judged,
    losses,
    may_want_calibration,
    most_helpful,
    uneven,
)
from checks.analysis.models.repeats import name_of_path, node, share
from checks.causes.registry import check
from checks.facts import Measurements
from checks.facts.finding import FRAMEWORK, MEASURED_MODEL, Evidence, Finding, NotHere, Severity
from checks.facts.phrase import Phrase
from checks.knowledge.phrases import phrase

MEASURED = 0.95
_NAMED = 4
_REMEDIES = {
    Why.OVERFLOW: ("avoid-half-overflow", "compute-in-float32"),
    Why.SATURATION: ("avoid-int8-saturation",),
}
EXCLUDE, CALIBRATE = "leave-quantised-nodes-in-float", "calibrate-this-model"
HALF = "float16"
_OF_TRIED = {  # what helped when it was changed alone -> how to do that
    "exclude": (EXCLUDE,),
    PER_CHANNEL: ("quantise-weights-per-channel",),
    REDUCE_RANGE: ("avoid-int8-saturation",),
}


@check("quantization-accuracy-loss")
def quantization_accuracy_loss(measurements: Measurements) -> Iterator[Finding]:
    """One finding per quantised model.

    Raises:
        NotHere: none was compared with its float model.
    """
    compared = losses(measurements)
    if not compared:
        raise NotHere("quantised_pair", "none-given")
    for found in map(judged, compared):
        if found.is_poor:
            yield _finding(found)


def _finding(found: Judged) -> Finding:
    loss, layer = found.loss, found.layer
    evidence = [Evidence("output_sqnr", decibels(loss.sqnr), loss.origin)]
    if loss.decisions is not None and loss.inputs_from != DRAWN:
        evidence.append(Evidence("decisions_same", share(loss.decisions), loss.origin))
    if layer is not None:
        evidence.append(Evidence("losing_layer", node(layer.name, layer.op), loss.origin))
    if layer is not None and layer.is_tried:
        evidence.append(Evidence("sqnr_without_layer", decibels(layer.without), loss.origin))
    if found.why is Why.SATURATION:
        evidence.append(Evidence("sqnr_with_wide_sums", decibels(loss.saturates), loss.origin))
    if found.why is Why.CALIBRATION:
        evidence.append(Evidence("sqnr_quantised_anew", decibels(anew(loss)), loss.origin))
    cut = [f"{each.name}: {100 * (each.clipped or 0.0):.1f} %" for each in clipped(loss)[:_NAMED]]
    poor = [f"{weight.name}: {weight.steps} / 256" for weight in list(uneven(loss))[:_NAMED]]
    evidence += [Evidence("numbers_cut_off", ", ".join(cut), loss.origin)] if cut else []
    evidence += [Evidence("codes_of_channel", ", ".join(poor), loss.origin)] if poor else []
    helpful = most_helpful(loss)
    nodes = helpful.nodes if helpful is not None else ()
    values: dict[str, str | Phrase] = {
        MEASURED_MODEL: loss.path,
        FRAMEWORK: loss.framework,
        "model": name_of_path(loss.path),
        "onnx_file": loss.first,
        "where": _where(found),
    }
    if len(loss.inputs) == 1:
        values["model_input"] = loss.inputs[0].name
    if nodes:
        values["quantised_nodes"] = ", ".join(nodes)
    return Finding(
        severity=Severity.WARNING if loss.inputs_from != DRAWN else Severity.NOTE,
        confidence=MEASURED,
        subject=loss.path,
        evidence=tuple(evidence),
        remedies=_remedies(found),
        values=values,
    )


def _where(found: Judged) -> Phrase:
    """What is said in the title's stead: where it loses most, or why."""
    layer = found.layer
    size = decibels(found.loss.sqnr)
    if layer is not None and found.why is Why.OVERFLOW:
        return phrase("quantised-overflow", layer=node(layer.name, layer.op), count=str(layer.lost))
    if found.why in (Why.SATURATION, Why.CALIBRATION):
        return phrase(f"quantised-{found.why.value}", size=size)
    if layer is None:
        return phrase("quantised-spread", size=size)
    return phrase("quantised-layer", size=size, layer=node(layer.name, layer.op), without=decibels(layer.without))


def _remedies(found: Judged) -> tuple[str, ...]:
    """What was seen to mend it first, then what helped most; what was seen to bring nothing is not named."""
    seen = [_calibrated(found)] if found.why is Why.CALIBRATION else list(_REMEDIES.get(found.why, ()))
    if found.why is Why.OVERFLOW:
        return tuple(seen)
    if found.loss.form == HALF:
        return (*seen, "compute-in-float32")
    helpful = most_helpful(found.loss)
    if helpful is not None:
        seen += _OF_TRIED.get(helpful.what, ())
    if may_want_calibration(found.loss):
        seen.append(_calibrated(found))
    return tuple(dict.fromkeys((*seen, "train-with-quantisation")))


def _calibrated(found: Judged) -> str:
    """With the name of the model's own input, where it takes only one."""
    return CALIBRATE if len(found.loss.inputs) == 1 else "calibrate-with-real-inputs"

"""One measurement in a line: what was computed, where, and what came of it. No Qt."""

from __future__ import annotations

from checks.analysis.models.repeats import LOST, name_of, name_of_path
from checks.analysis.numbers.power import ENOUGH
from checks.analysis.numbers.repeats import results_of
from checks.facts import (
    ArrayDifference,
    Experiment,
    Flip,
    Health,
    Measurement,
    MinimalGraph,
    ModelMeasured,
    Portrait,
    Precision,
    QuantisationLoss,
    Repeat,
)
from checks.knowledge.frameworks.computations import known_settings, operation_name, setting_name
from wizard.report.content.blocks import Row, Table
from wizard.report.content.fact_sheet import label
from wizard.words import known, words

MOST_NAMED = 20  # of what was left out; the table in the window has all
COMPUTING = "computations:"  # the id of a probe that computes: this, the framework, the device, perhaps the setting
OF_SERVED = "served"  # the id of the one that asks a served model
OF_MODEL = "model:"  # the id of one that runs the user's model: this, the runtime, the file's name


def line_of(measurement: Measurement, language: str) -> Row:
    """Its operation, its place and its outcome."""
    state, outcome = _outcome(measurement, language)
    return Row((*_what_and_where(measurement, language), outcome), state)


def _what_and_where(measurement: Measurement, language: str) -> tuple[str, str]:
    """Of the user's own model its name and what was compared: its settings would be cut off behind the rest."""
    if isinstance(measurement, ModelMeasured):
        return name_of(measurement), compared_words(measurement, language)
    if isinstance(measurement, (MinimalGraph, QuantisationLoss)):
        key = "minimal" if isinstance(measurement, MinimalGraph) else "quantisation"
        return name_of_path(measurement.path), words(f"graphs.line-{key}", language)
    is_load = isinstance(measurement, Health)
    what = words("measurements.load", language) if is_load else operation_name(measurement.operation, language)
    return what, place_of(measurement, language)


def framework_name(framework: str, language: str) -> str:
    """A framework by its name; NumPy too, whose label elsewhere is that of an evidence."""
    return known(f"measurements.framework-{framework}", label(framework, language), language)


def place_of(measurement: Measurement, language: str) -> str:
    """Where and how it was computed: "PyTorch, cuda:0, float32, deterministic mode"."""
    framework = framework_name(measurement.framework, language) if measurement.framework else ""
    setting = "" if measurement.setting in ("", "default") else setting_name(measurement.setting, language)
    parts = (framework, measurement.device, measurement.dtype, setting)
    return words("report.list-separator", language).join(part for part in parts if part)


_ASPECTS = {  # of what a model was run for -> the words about it; of all others two settings are told
    "repeat": "again",
    "mode": "again-under",
    "device": "device",
    "lost": "finite",
    "rest": "rest",
}


def compared_words(measured: ModelMeasured, language: str) -> str:
    """What was compared with what, in words."""
    return words(
        f"measurements.models-{_ASPECTS.get(measured.aspect, 'settings')}",
        language,
        device=measured.device,
        setting=setting_name(measured.setting, language),
        other=setting_name(measured.other, language),
    )


def computing_name(probe: str, language: str) -> str:
    """The probe that computes, by what it computes with: "PyTorch on cuda:0, one thread"; "" for another probe.

    Of the user's model: "net.onnx, again and again in ONNX Runtime".
    """
    if probe.startswith(OF_MODEL):
        runtime, _, model = probe.removeprefix(OF_MODEL).partition(":")
        return words("measurements.computing-model", language, model=model, runtime=framework_name(runtime, language))
    if probe == OF_SERVED:
        return label(probe, language)
    if not probe.startswith(COMPUTING):
        return ""
    framework, _, device = probe.removeprefix(COMPUTING).partition(":")
    before, _, last = device.rpartition(":")
    setting = last if last in known_settings() else ""
    name = words(
        "measurements.computing",
        language,
        framework=framework_name(framework, language),
        device=before if setting else device,
    )
    separator = words("report.list-separator", language)
    return f"{name}{separator}{setting_name(setting, language)}" if setting else name


def left_out_line(table: Table, language: str) -> str:
    """What a table names in one sentence instead of many rows; "" where it has all."""
    if not table.left_out:
        return ""
    listed = words("report.list-separator", language).join(table.left_out[:MOST_NAMED])
    key = "left-out" if len(table.left_out) <= MOST_NAMED else "left-out-many"
    return words(f"measurements.{key}", language, count=len(table.left_out), listed=listed)


def _outcome(measurement: Measurement, language: str) -> tuple[str, str]:
    if measurement.reason:
        plain = known(f"graphs.reason-{measurement.reason}", measurement.reason, language)
        text = known(f"models.reason-{measurement.reason}", plain, language)
        why = known(f"measurements.reason-{measurement.reason}", text, language)
        return ("absent" if measurement.is_left_out else "open"), why.replace("{detail}", measurement.detail)
    state, key, values = _result(measurement)
    return state, words(f"measurements.line-{key}", language, **values)


_Result = tuple[str, str, dict[str, object]]  # the state, the key of the words, what fills them
_NOTHING: _Result = ("open", "nothing", {})


def _result(measurement: Measurement) -> _Result:
    match measurement:
        case Repeat():
            return _repeated(measurement)
        case Experiment():
            return _run_again(measurement)
        case Portrait():
            return "", "portrait", {}
        case Precision(against=against):
            return _apart(against, "no-error", "error")
        case Flip():
            return _flipped(measurement)
        case ModelMeasured():
            return _with_model(measurement)
        case MinimalGraph(nodes_after=after, nodes_before=before):
            return "", "minimal", {"after": after, "before": before}
        case QuantisationLoss(sqnr=sqnr, layers=layers):
            return "", "quantisation", {"layers": len(layers), "sqnr": "–" if sqnr is None else f"{sqnr:.1f} dB"}
        case Health(wrong=wrong, checked=checked):
            return "blocking" if wrong else "clear", "checked", {"checked": checked, "wrong": len(wrong)}


def _run_again(experiment: Experiment) -> _Result:
    counts: dict[str, object] = {"distinct": experiment.distinct, "count": len(experiment.exact)}
    if not experiment.exact:
        return _NOTHING
    return ("warning", "runs-vary", counts) if experiment.distinct > 1 else ("clear", "runs-same", counts)


def _repeated(repeat: Repeat) -> _Result:
    if repeat.distinct is None:
        return _NOTHING
    distinct, calls = results_of(repeat)
    counts: dict[str, object] = {"distinct": distinct, "count": calls}
    return (_same(calls), "same", counts) if repeat.is_alike else ("warning", "varies", counts)


def _same(count: int) -> str:
    """The state of equal results: few of them prove nothing."""
    return "clear" if count >= ENOUGH else "open"


def _flipped(flip: Flip) -> _Result:
    if flip.before is None or flip.after is None:
        return "clear", "no-difference", {}
    sizes: dict[str, object] = {"before": _relative(flip.before), "after": _relative(flip.after)}
    return "note", "flip-stays" if flip.after.differing else "flip-mends", sizes


def _with_model(model: ModelMeasured) -> _Result:
    if model.lost is not None:
        return "warning", "lost", {"count": model.lost.nan + model.lost.infinite, "elements": model.lost.elements}
    if model.aspect == LOST:
        return "clear", "finite", {}
    if model.distinct is not None and model.repetitions > 1:
        counts: dict[str, object] = {"distinct": model.distinct, "count": model.repetitions}
        return ("warning", "varies", counts) if model.distinct > 1 else (_same(model.repetitions), "same", counts)
    return _apart(model.difference, "same-bits", "difference")


def _apart(difference: ArrayDifference | None, equal: str, apart: str) -> _Result:
    if difference is None:
        return _NOTHING
    return ("", apart, {"size": _relative(difference)}) if difference.differing else ("", equal, {})


def _relative(difference: ArrayDifference) -> str:
    """The largest distance as a share of the largest value; "0" where all bits are the same."""
    if not difference.differing:
        return "0"
    if difference.max_abs is None:
        return "NaN"
    return f"{difference.max_abs / difference.scale:.2g}" if difference.scale else f"{difference.max_abs:.2g}"

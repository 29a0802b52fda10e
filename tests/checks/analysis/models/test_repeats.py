"""What recorded runs of models are found to be, and what the size of a difference says."""

import contextlib
from collections.abc import Callable, Iterable
from typing import Any

import msgspec
import pytest
from support.recorded_computations import measurements

from checks.analysis.models.repeats import draws, draws_numbers, is_dropout, mends, size_of
from checks.analysis.numbers.magnitude import Size
from checks.causes.reproducibility.batch_size_rounding import batch_size_rounding
from checks.causes.reproducibility.compiled_graph_rounding import compiled_graph_rounding
from checks.causes.reproducibility.cpu_gpu_rounding import cpu_gpu_rounding
from checks.causes.reproducibility.framework_numeric_bug import framework_numeric_bug
from checks.causes.reproducibility.non_finite_output import non_finite_output
from checks.causes.reproducibility.nondeterministic_op import nondeterministic_op
from checks.causes.reproducibility.padding_or_mask_dependence import padding_or_mask_dependence
from checks.causes.reproducibility.rng_unseeded import rng_unseeded
from checks.causes.reproducibility.tf32_enabled import tf32_enabled
from checks.causes.reproducibility.thread_count_rounding import thread_count_rounding
from checks.causes.reproducibility.train_mode_at_inference import train_mode_at_inference
from checks.facts import ArrayDifference, Measurement, Measurements, ModelMeasured, NodeApart, Symptom
from checks.facts.finding import Finding, Inconclusive, Severity
from checks.knowledge.phrases import in_language, title_of

BITS = Symptom(exactness="bits")
OPENVINO = "model-onnxruntime-1.24.1-openvino-cnn"
SOUND = "model-torch-2.13.0-sound"
RECORDED = (
    OPENVINO,
    SOUND,
    "model-onnxruntime-1.31.1-random",
    "model-onnxruntime-1.31.1-mlp",
    "model-onnxruntime-1.31.1-branch-random",
    "model-onnxruntime-1.31.1-cast-to-half",
    "model-onnxruntime-1.31.1-time-first",
    "model-onnxruntime-1.31.1-seeded-noise",
    "model-torch-2.13.0-dropout",
    "model-torch-2.13.0-traced-dropout",
)


def found(check: Any, made: Iterable[Measurement], symptom: Symptom | None = None) -> list[Finding]:
    told = Measurements(all=tuple(made))
    more: dict[str, Any] = {name: None for name in check.wanted if name != "measurements"}
    if "symptom" in more:
        more["symptom"] = symptom
    findings = []
    with contextlib.suppress(Inconclusive):  # as when it is judged: what was found before stays found
        findings.extend(check(told, **more))
    return findings


def evidence(finding: Finding, name: str) -> str:
    return "; ".join(each.value for each in finding.evidence if each.name == name)


CHECKS = (
    batch_size_rounding,
    compiled_graph_rounding,
    cpu_gpu_rounding,
    framework_numeric_bug,
    non_finite_output,
    nondeterministic_op,
    padding_or_mask_dependence,
    rng_unseeded,
    thread_count_rounding,
    train_mode_at_inference,
)


@pytest.mark.parametrize(
    ("name", "causes"),
    [
        pytest.param(OPENVINO, ["compiled-graph-rounding", "cpu-gpu-rounding"], id="another-provider"),
        pytest.param(SOUND, ["batch-size-rounding"], id="a-sound-archive"),
        pytest.param("model-onnxruntime-1.31.1-mlp", [], id="nothing-differs"),
        pytest.param("model-onnxruntime-1.31.1-random", ["rng-unseeded"], id="random-numbers-by-design"),
        pytest.param("model-onnxruntime-1.31.1-branch-random", ["rng-unseeded"], id="random-numbers-in-a-branch"),
        pytest.param("model-onnxruntime-1.31.1-seeded-noise", ["rng-unseeded"], id="noise-and-a-seed"),
        pytest.param("model-onnxruntime-1.31.1-mean-of-batch", ["padding-or-mask-dependence"], id="mean-of-the-batch"),
        pytest.param("model-onnxruntime-1.31.1-time-first", [], id="no-rows-but-steps"),
        pytest.param(
            "model-onnxruntime-1.31.1-cast-to-half",
            ["batch-size-rounding", "compiled-graph-rounding"],
            id="half-precision-within",
        ),
        pytest.param("model-torch-2.13.0-dropout", ["train-mode-at-inference"], id="dropout-left-on"),
        pytest.param("model-torch-2.13.0-traced-dropout", ["train-mode-at-inference"], id="dropout-traced"),
        pytest.param("model-onnxruntime-1.32.0-dropout-left-in", ["train-mode-at-inference"], id="dropout-taken-out"),
        pytest.param("model-onnxruntime-1.32.0-own-seed", ["rng-unseeded"], id="a-seed-in-the-file"),
        pytest.param("model-onnxruntime-1.32.0-nan-weight", ["non-finite-output"], id="a-weight-is-nan"),
        pytest.param("model-onnxruntime-1.32.0-logarithm-of-zero", ["non-finite-output"], id="of-one-kind-of-input"),
        pytest.param("model-onnxruntime-1.32.0-logarithm-of-negative", ["non-finite-output"], id="nothing-but-nan"),
        pytest.param("model-onnxruntime-1.32.0-only-zeros", [], id="nothing-but-zeros"),
    ],
)
def test_what_recorded_runs_are_found_to_be(name: str, causes: list[str]) -> None:
    made = measurements(name)
    kinds = {each.aspect for each in made if isinstance(each, ModelMeasured) and not each.reason}
    needed: dict[Any, str] = {batch_size_rounding: "batch", compiled_graph_rounding: "level"}
    needed |= {cpu_gpu_rounding: "device", thread_count_rounding: "threads", non_finite_output: "lost"}
    judged = [each for each in CHECKS if needed.get(each, "repeat") in kinds and each is not framework_numeric_bug]
    said = [finding for check in judged for finding in found(check, made)]
    assert [each.cause for each in said] == causes
    assert {each.severity for each in said} <= {Severity.NOTE, Severity.WARNING}


def test_a_difference_of_providers_names_the_node_and_is_a_note_unless_bits_matter() -> None:
    (finding,) = found(cpu_gpu_rounding, measurements(OPENVINO))
    assert finding.severity is Severity.NOTE
    assert evidence(finding, "operations_apart") == "/block0/Conv (Conv)"
    assert evidence(finding, "devices_compared") == "cnn.onnx: OpenVINOExecutionProvider / CPUExecutionProvider"
    assert evidence(finding, "decisions_alike") == "100 %"
    (finding,) = found(cpu_gpu_rounding, measurements(OPENVINO), BITS)
    assert finding.severity is Severity.WARNING


def test_dropout_is_named_with_what_mends_it() -> None:
    (finding,) = found(train_mode_at_inference, measurements("model-torch-2.13.0-dropout"))
    assert finding.severity is Severity.WARNING
    assert finding.values["where"].endswith("(aten::dropout)")
    assert evidence(finding, "mended_by") == "eval"
    (finding,) = found(train_mode_at_inference, measurements("model-torch-2.13.0-traced-dropout"))
    assert finding.values["where"].endswith("(aten::dropout)")
    assert evidence(finding, "mended_by") == ""  # it is part of the trace


# --- made ones --------------------------------------------------------------------------------------------------------


def compared(apart: float = 1e-6, bound: float | None = 1e-5, **more: Any) -> ModelMeasured:
    fields = {"aspect": "device", "device": "CUDAExecutionProvider", "other": "CPUExecutionProvider", **more}
    difference = ArrayDifference(elements=1000, differing=900 if apart else 0, max_abs=apart, scale=1.0)
    fields = {"difference": difference, "bound": bound, "inputs_from": "file", "decisions": 1.0, **fields}
    return ModelMeasured(path="/models/net.onnx", framework="onnxruntime", operation="scores", **fields)


LOCAL = ArrayDifference(elements=1000, differing=3, max_abs=1e-2, scale=1.0)


@pytest.mark.parametrize(
    ("made", "size"),
    [
        pytest.param(compared(0.0), Size.IDENTICAL, id="same-bits"),
        pytest.param(compared(1e-6), Size.ROUNDING, id="within-the-bound"),
        pytest.param(compared(1e-3), Size.HALF, id="tf32"),
        pytest.param(compared(1e-3, aspect="level"), Size.BEYOND, id="the-processor-has-no-tf32"),
        pytest.param(compared(1e-3, beyond_difference=LOCAL), Size.BEYOND, id="few-numbers-are-no-format"),
        pytest.param(compared(0.2), Size.BFLOAT16, id="bfloat16"),
        pytest.param(compared(0.9), Size.BEYOND, id="whole-digits"),
        pytest.param(compared(0.9, choice_node="top"), Size.ROUNDING, id="a-choice-before-it"),
        pytest.param(compared(1.0, None, first_node="conv"), Size.ROUNDING, id="labels-after-rounding"),
        pytest.param(
            compared(1.0, None, first_node="cast", beyond_node="cast"), Size.BEYOND, id="whole-numbers-at-first"
        ),
        pytest.param(
            compared(1.0, None, first_node="conv", beyond_node="mul"), Size.BEYOND, id="labels-after-more-than-rounding"
        ),
        pytest.param(compared(1.0, None), Size.ROUNDING, id="labels-and-no-search"),
        pytest.param(compared(difference=None, reason="shapes-differ"), Size.ROUNDING, id="another-number-of-boxes"),
        pytest.param(
            compared(1e-6, aspect="batch", first_node="scale", beyond_node="scale"), Size.BEYOND, id="from-all-rows"
        ),
        pytest.param(
            compared(difference=ArrayDifference(elements=9, differing=1, nan=1)), Size.BEYOND, id="nan-on-one-side"
        ),
        pytest.param(compared(difference=None), Size.NOTHING, id="nothing"),
    ],
)
def test_the_size_of_a_difference(made: ModelMeasured, size: Size) -> None:
    assert size_of(made) is size


@pytest.mark.parametrize(
    ("decisions", "source", "exactness", "severity"),
    [
        (1.0, "file", "decisions", Severity.NOTE),
        (1.0, "file", "bits", Severity.WARNING),
        (0.9, "file", "", Severity.WARNING),
        (0.9, "image", "decisions", Severity.BLOCKING),
        (0.9, "file", "bits", Severity.BLOCKING),
        (0.9, "drawn", "decisions", Severity.NOTE),
    ],
)
def test_decisions_that_change_are_told_louder(
    decisions: float, source: str, exactness: str, severity: Severity
) -> None:
    made = compared(decisions=decisions, inputs_from=source)
    (finding,) = found(cpu_gpu_rounding, [made], Symptom(exactness=exactness))
    assert finding.severity is severity


@pytest.mark.parametrize("aspect", ["device", "level", "threads", "deterministic"])
def test_beyond_rounding_is_a_bug_and_named_at_its_node(aspect: str) -> None:
    made = compared(0.9, aspect=aspect, first_node="a", beyond_node="resize", beyond_op="Resize", setting="x")
    (finding,) = found(framework_numeric_bug, [made])
    assert finding.severity is Severity.WARNING
    assert evidence(finding, "operations_wrong") == "resize (Resize)"
    assert evidence(finding, "times_rounding") == "90000"


@pytest.mark.parametrize(
    "made",
    [
        pytest.param(compared(1e-6), id="rounding"),
        pytest.param(compared(1e-3), id="tf32"),
        pytest.param(compared(0.9, aspect="batch"), id="rows-that-are-mixed"),
        pytest.param(compared(0.9, reason="failed"), id="not-measured"),
    ],
)
def test_no_bug(made: ModelMeasured) -> None:
    sound = compared(0.0)
    assert found(framework_numeric_bug, [sound, made]) == []


@pytest.mark.parametrize(
    ("without", "symptom", "severity"),
    [
        pytest.param(compared(1e-6, setting="tf32-off"), None, Severity.NOTE, id="rounding-without-it"),
        pytest.param(compared(0.0, setting="tf32-off"), BITS, Severity.WARNING, id="the-same-without-it"),
        pytest.param(compared(1e-3, setting="tf32-off"), None, None, id="as-far-without-it"),
        pytest.param(compared(1e-6, device="other", setting="tf32-off"), None, None, id="another-device"),
    ],
)
def test_tf32_is_told_where_the_model_agrees_without_it(
    without: ModelMeasured, symptom: Symptom | None, severity: Severity | None
) -> None:
    said = found(tf32_enabled, [compared(1e-3, beyond_node="conv", beyond_op="Conv"), without], symptom)
    assert [each.severity for each in said] == ([severity] if severity else [])
    assert all(evidence(each, "operations_apart") == "conv (Conv)" for each in said)


def varying(operation: str, **more: Any) -> ModelMeasured:
    fields = {"aspect": "repeat", "first_node": "node", "first_op": operation, "distinct": 3, "repetitions": 300}
    return compared(1e-6, **{**fields, "device": "CUDAExecutionProvider", **more})


def test_a_model_that_varies_names_its_node_and_what_mends_it() -> None:
    (finding,) = found(nondeterministic_op, [varying("ScatterND")])
    assert in_language(finding.values["varying"], "en") == "net.onnx: node (ScatterND)"
    assert evidence(finding, "varying_operation") == "node (ScatterND): 3 / 300"
    mode = msgspec.structs.replace(varying("ScatterND", distinct=1), aspect="mode", setting="deterministic")
    (mended,) = found(nondeterministic_op, [varying("ScatterND"), mode])
    assert in_language(mended.values["mended"], "en") != in_language(finding.values["mended"], "en")


@pytest.mark.parametrize(
    ("symptom", "severity"),
    [
        pytest.param(Symptom(name="models"), Severity.WARNING, id="models-that-are-repeated"),
        pytest.param(Symptom(name="results-change"), Severity.WARNING, id="results-change"),
        pytest.param(Symptom(name="everything"), Severity.WARNING, id="everything"),
        pytest.param(Symptom(name="everything", exactness="close"), Severity.NOTE, id="close-is-enough"),
        pytest.param(Symptom(name="results-change", exactness="decisions"), Severity.NOTE, id="decisions-stay"),
        pytest.param(Symptom(name="results-differ"), Severity.WARNING, id="asked-of-places"),
    ],
)
def test_that_the_own_model_changes_is_a_warning_where_that_may_matter(symptom: Symptom, severity: Severity) -> None:
    (finding,) = found(nondeterministic_op, [varying("ScatterND", decisions=1.0)], symptom)
    assert finding.severity is severity


@pytest.mark.parametrize(
    ("predicate", "operations", "others"),
    [
        (
            is_dropout,
            ["Dropout", "aten::dropout", "aten.dropout.default", "aten.native_dropout.default", "If > Dropout"],
            ["aten::relu", "Conv", ""],
        ),
        (
            draws,
            ["RandomNormalLike", "Multinomial", "aten::rand_like", "aten.bernoulli.p", "Loop > RandomUniform"],
            ["ScatterND", "Range", "If > Range", ""],
        ),
    ],
)
def test_operations_that_draw(predicate: Callable[[str], bool], operations: list[str], others: list[str]) -> None:
    assert all(map(predicate, operations))
    assert not any(map(predicate, others))


def seeded(**more: Any) -> ModelMeasured:
    return msgspec.structs.replace(varying("", **{"distinct": 1, **more}), aspect="mode", setting="seeded")


@pytest.mark.parametrize(
    ("made", "among", "is_drawn"),
    [
        pytest.param(varying("Conv", counts=(10, 290)), seeded(), True, id="a-seed-ends-it"),
        pytest.param(varying("Conv", counts=(10, 290)), seeded(repetitions=3), False, id="in-too-few-runs"),
        pytest.param(varying("Conv", counts=(10, 290)), seeded(distinct=2), False, id="it-does-not"),
        pytest.param(varying("Conv", counts=(10, 290)), seeded(device="cpu"), False, id="on-another-device"),
        pytest.param(varying("If > RandomNormal"), seeded(distinct=2), True, id="by-its-node"),
    ],
)
def test_a_model_that_draws_random_numbers_has_no_fault(
    made: ModelMeasured, among: ModelMeasured, is_drawn: bool
) -> None:
    assert draws_numbers(made, [among]) is is_drawn
    assert bool(found(nondeterministic_op, [made, among])) is not is_drawn


def test_so_few_repetitions_prove_nothing_mended() -> None:
    seldom, often = varying("Conv", counts=(295, 5)), varying("Conv", counts=(100, 100, 100))
    few = [seeded(repetitions=count) for count in (3, 100, 300)]
    assert [mends(each, seldom) for each in few] == [False, False, True]
    assert [mends(each, often) for each in few] == [False, True, True]
    assert not mends(seeded(difference=None), often)


def test_a_model_that_is_beyond_rounding_at_three_levels_is_told_once() -> None:
    levels = [compared(0.9, aspect="level", setting=each, device="cpu", other="off") for each in ("a", "b")]
    levels.append(compared(0.8, aspect="level", setting="c", device="cpu", other="off", beyond_node="mul"))
    (finding,) = found(framework_numeric_bug, levels)
    assert evidence(finding, "settings_compared") == "a / off; b / off; c / off"
    assert evidence(finding, "operations_wrong") == "mul"


def test_another_number_of_results_is_told_as_rounding_that_decided() -> None:
    made = compared(difference=None, reason="shapes-differ", detail="boxes", choice_node="nms", decisions=None)
    (finding,) = found(cpu_gpu_rounding, [made])
    assert (finding.severity, evidence(finding, "measured_difference")) == (Severity.WARNING, "boxes")
    assert evidence(finding, "decided_at") == "nms"


@pytest.mark.parametrize("name", RECORDED)
def test_no_recorded_run_is_taken_for_a_bug(name: str) -> None:
    made = [
        measurement
        for measurement in measurements(name)
        if isinstance(measurement, ModelMeasured) and not measurement.reason
    ]
    if any(each.aspect in ("device", "level", "threads") for each in made):
        assert found(framework_numeric_bug, made) == []
    assert all(
        size_of(each) in (Size.IDENTICAL, Size.ROUNDING) for each in made if each.aspect not in ("repeat", "mode")
    )


# --- rounding that a model makes larger -------------------------------------------------------------------------------


def optimised(output: float, *, inputs: str = "file", **more: Any) -> ModelMeasured:
    """A model in which a Sin of large numbers stands behind a BatchNormalization that rounds otherwise."""
    nodes = (
        NodeApart(name="bn", op="BatchNormalization", apart=6e-8, bound=1e-6),
        NodeApart(name="scale", op="Mul", apart=9e-8, bound=1e-6),
        NodeApart(name="wave", op="Sin", apart=output, bound=2.0),
        NodeApart(name="out", op="Identity", apart=output, bound=2.0),
    )
    fields: dict[str, Any] = {
        "difference": ArrayDifference(elements=8, differing=8, max_abs=output, scale=1.0),
        "first_difference": ArrayDifference(elements=8, differing=3, max_abs=6e-8, scale=1.0),
        "nodes": nodes,
        **more,
    }
    return ModelMeasured(
        framework="onnxruntime", device="CPUExecutionProvider", setting="ORT_ENABLE_ALL", other="ORT_DISABLE_ALL",
        path="/m/net.onnx", aspect="level", operation="y", bound=2.0, first_node="bn", first_op="BatchNormalization",
        inputs_from=inputs, decisions=0.5, **fields,
    )  # fmt: skip


@pytest.mark.parametrize("language", ["en", "ja"])
def test_rounding_made_large_is_not_called_last_digits(language: str) -> None:
    (finding,) = found(compiled_graph_rounding, [optimised(1.3)])
    text = title_of(finding, language) + in_language(finding.values["how_far"], language)
    for wrong in ("last digits", "expected", "no more than rounding", "最後の桁", "正常", "説明できる"):
        assert wrong not in text
    for told in ("bn (BatchNormalization)", "wave (Sin)", "1.3", "2.2e+07", "1.4e+07"):
        assert told in text
    assert finding.severity is Severity.WARNING


def test_a_large_difference_of_made_up_inputs_is_told_quietly() -> None:
    (finding,) = found(compiled_graph_rounding, [optimised(1.3, inputs="drawn")])
    assert finding.severity is Severity.NOTE
    assert "wave (Sin)" in in_language(finding.values["how_far"], "en")


def test_without_the_nodes_no_place_is_named() -> None:
    (finding,) = found(compiled_graph_rounding, [optimised(1.3, nodes=(), first_difference=None)])
    text = in_language(finding.values["how_far"], "en")
    assert "1.3" in text
    assert "grows" not in text


@pytest.mark.parametrize("size", [1e-6, 1e-3, 0.009])
def test_what_stays_in_the_last_digits_is_called_so(size: float) -> None:
    (finding,) = found(compiled_graph_rounding, [optimised(size)])
    assert "last digits, which is expected" in title_of(finding, "en")
    assert "no more than rounding" in in_language(finding.values["how_far"], "en")

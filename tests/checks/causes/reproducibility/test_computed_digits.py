"""How many digits are right: shorter formats, settings without effect, wrong operations and overflow, told apart."""

from collections.abc import Callable, Iterable

import msgspec
import pytest
from support.recorded_computations import measurements

from checks.analysis.numbers.digits import error_of, shorter_format
from checks.analysis.numbers.magnitude import Size
from checks.causes.reproducibility.framework_numeric_bug import framework_numeric_bug
from checks.causes.reproducibility.mixed_precision_overflow import mixed_precision_overflow
from checks.causes.reproducibility.reduced_precision import reduced_precision
from checks.causes.reproducibility.setting_ignored import setting_ignored
from checks.causes.reproducibility.tf32_enabled import tf32_enabled
from checks.facts import (
    ArrayDifference,
    Emulated,
    EnvironmentVariables,
    Facts,
    Flip,
    Measurement,
    Measurements,
    ModelMeasured,
    Portrait,
    Precision,
    Symptom,
    TorchFacts,
)
from checks.facts.case import Answers
from checks.facts.finding import Finding, NotHere, Severity
from checks.judgement.judge import judged
from checks.knowledge.phrases import in_language
from checks.remedies.plan import plan_remedies
from wizard.report.content.report import build

USUAL, FORCED = "torch-2.13.0-cpu-digits", "torch-2.13.0-cpu-onednn-bf16"
FORCING = EnvironmentVariables(values={"ONEDNN_DEFAULT_FPMATH_MODE": "BF16"})
TORCH = TorchFacts(version="2.13.0")

# What a card of the Ampere generation tells of a product of 64 x 1024 x 128: made of the errors that rounding the
# factors to 11 digits makes of it on the processor; no such card was at hand.
TF32 = Precision(
    framework="torch",
    operation="matmul",
    device="cuda:0",
    dtype="float32",
    terms=1024,
    condition=283.0,
    rms=2.8e-3,
    against=ArrayDifference(elements=8192, differing=8190, max_abs=1.1e-2, scale=45.0),
    emulated={
        "tf32": Emulated(max_abs=1.1e-2, rms=2.8e-3, likeness=0.999),
        "tf32-cut": Emulated(max_abs=4e-2, rms=7.3e-3, likeness=0.45),
        "bfloat16": Emulated(max_abs=9e-2, rms=2.2e-2, likeness=0.01),
    },
)
FULL = msgspec.structs.replace(
    TF32,
    rms=3e-6,
    against=ArrayDifference(elements=8192, differing=7000, max_abs=2e-5, scale=45.0),
    emulated={name: msgspec.structs.replace(each, likeness=0.01) for name, each in TF32.emulated.items()},
)
WRONG = msgspec.structs.replace(
    FULL, against=ArrayDifference(elements=8192, differing=64, max_abs=12.0, scale=45.0), rms=0.3, emulated={}
)
INFINITE = msgspec.structs.replace(
    FULL,
    dtype="float16",
    against=ArrayDifference(elements=8192, differing=20, max_abs=0.1, scale=65504.0, infinite=12, nan=3),
)


def given(*made: Measurement) -> Measurements:
    return Measurements(all=made)


def recorded(name: str) -> Measurements:
    return Measurements(all=measurements(name))


def evidence(finding: Finding) -> dict[str, str]:
    return {each.name: each.value for each in finding.evidence}


# --- TensorFloat-32 and bfloat16 -------------------------------------------------------------------------------------


def test_tf32_is_recognised_by_its_errors() -> None:
    (finding,) = tf32_enabled(given(TF32, msgspec.structs.replace(FULL, operation="linear")), None, None)
    told = evidence(finding)
    assert told["operations_apart"] == "matmul"
    assert told["operations_in_full"] == "linear"
    assert finding.confidence == pytest.approx(0.97)
    assert list(reduced_precision(given(TF32), None, None)) == []
    (alone,) = tf32_enabled(given(TF32), None, None)
    assert "operations_in_full" not in evidence(alone)  # nothing is no value to show


@pytest.mark.parametrize(
    ("framework", "device", "setting", "code"),
    [
        ("torch", "cuda:0", "tf32-off", "torch.backends.cudnn.allow_tf32 = False"),
        ("tensorflow", "GPU:0", "tf32-off", "enable_tensor_float_32_execution(False)"),
        ("jax", "gpu:0", "jax-precision-float32", '"jax_default_matmul_precision", "float32"'),
    ],
)
def test_tf32_is_switched_off_as_its_framework_wants_it(framework: str, device: str, setting: str, code: str) -> None:
    """What the flip of a card would tell: made up, no such card was at hand."""
    here = msgspec.structs.replace(TF32, framework=framework, device=device)
    flip = Flip(
        framework=framework, device=device, operation="matmul", dtype="float32", terms=1024, condition=283.0,
        pair=("cpu", device), setting=setting, before=TF32.against, after=FULL.against,
    )  # fmt: skip
    (finding,) = tf32_enabled(given(here, flip), None, None)
    assert evidence(finding)["restored_by"] == f"matmul: {setting}"
    (plan, *_) = plan_remedies(finding, Facts(), "en")
    codes = [step.code for step in plan.steps if step.code]
    assert len(codes) == 1
    assert code in codes[0]
    ignored = msgspec.structs.replace(here, setting=setting)
    (finding,) = setting_ignored(given(ignored), None, None)
    assert evidence(finding)["settings_without_effect"] == setting
    told = "".join(step.code for plan in plan_remedies(finding, Facts(), "en") for step in plan.steps)
    assert ("import torch" in told) == (framework == "torch")


def test_by_its_size_alone_it_is_less_sure() -> None:
    (finding,) = tf32_enabled(given(msgspec.structs.replace(TF32, emulated={})), None, None)
    assert finding.confidence == pytest.approx(0.85)


def test_bfloat16_that_a_variable_forces_is_found_on_a_real_processor() -> None:
    (finding,) = reduced_precision(recorded(FORCED), FORCING, None)
    told = evidence(finding)
    assert told["operations_apart"] == "conv2d, network"  # which has convolutions
    assert told["variable_for_digits"] == "ONEDNN_DEFAULT_FPMATH_MODE=BF16"
    assert float(told["measured_error"]) > 2 * float(told["rounding_allows"])
    assert list(tf32_enabled(recorded(FORCED), FORCING, None)) == []


TENSORFLOW, JAX = "tensorflow-2.21.0-cpu-digits", "jax-0.10.2-cpu-digits"
TENSORFLOW_FORCED, TENSORFLOW_OLD = "tensorflow-2.21.0-cpu-onednn-bf16", "tensorflow-2.12.0-cpu-digits"


def test_bfloat16_that_a_variable_forces_upon_tensorflow() -> None:
    forcing = EnvironmentVariables(values={"TF_SET_ONEDNN_FPMATH_MODE": "BF16"})
    (finding,) = reduced_precision(recorded(TENSORFLOW_FORCED), forcing, None)
    told = evidence(finding)
    assert told["operations_apart"] == "conv2d, attention, network"
    assert told["operations_in_full"] == "matmul, linear"
    assert told["variable_for_digits"] == "TF_SET_ONEDNN_FPMATH_MODE=BF16"
    codes = "".join(step.code for plan in plan_remedies(finding, Facts(), "en") for step in plan.steps)
    assert "TF_SET_ONEDNN_FPMATH_MODE" in codes
    assert "import torch" not in codes
    # Where the variables forbid it, in a process of its own, everything is computed in full.
    assert list(setting_ignored(recorded(TENSORFLOW_FORCED), forcing, None)) == []
    assert list(framework_numeric_bug(recorded(TENSORFLOW_FORCED), None)) == []


@pytest.mark.parametrize("name", [TENSORFLOW, JAX])
def test_other_frameworks_compute_in_full(name: str) -> None:
    for check in (tf32_enabled, reduced_precision):
        assert list(check(recorded(name), None, None)) == []
    assert list(framework_numeric_bug(recorded(name), None)) == []
    assert list(setting_ignored(recorded(name), None, None)) == []
    assert list(mixed_precision_overflow(recorded(name))) == []


def test_mixed_precision_is_judged_by_the_type_of_its_result() -> None:
    mixed = [each for each in recorded(TENSORFLOW).of(Precision) if each.setting == "mixed-bfloat16"]
    assert len(mixed) == 5
    assert all(error_of(each).size in (Size.ROUNDING, Size.IDENTICAL) for each in mixed)
    assert all(shorter_format(each) is None for each in mixed)


def test_a_pooling_that_is_wrong_in_a_real_release() -> None:
    """TensorFlow 2.12.0 on a processor: max_pool2d with NCHW was wrong with oneDNN, and refused without."""
    (finding,) = framework_numeric_bug(recorded(TENSORFLOW_OLD), None)
    told = evidence(finding)
    assert (told["operations_wrong"], told["settings_compared"]) == ("network: channels-first", "channels-first")
    codes = "".join(step.code for plan in plan_remedies(finding, Facts(), "en") for step in plan.steps)
    assert "TF_ENABLE_ONEDNN_OPTS" in codes
    assert "--upgrade tensorflow" in codes
    assert "torch" not in codes


def test_what_is_float32_already_is_not_to_be_made_float32() -> None:
    found = [*reduced_precision(recorded(FORCED), FORCING, None), *setting_ignored(recorded(FORCED), FORCING, None)]
    assert [each.remedies for each in found] == [("demand-full-float32",)] * 2


@pytest.mark.parametrize("check", [tf32_enabled, reduced_precision])
def test_silent_where_products_are_computed_in_full(check: Callable[..., Iterable[Finding]]) -> None:
    assert list(check(recorded(USUAL), None, None)) == []
    assert list(check(given(FULL), None, None)) == []


@pytest.mark.parametrize("check", [tf32_enabled, reduced_precision])
def test_a_setting_that_asks_for_fewer_digits_is_no_default(check: Callable[..., Iterable[Finding]]) -> None:
    asked = msgspec.structs.replace(TF32, setting="tf32-on")
    assert list(check(given(FULL, asked), None, None)) == []


@pytest.mark.parametrize(
    ("symptom", "severity"),
    [
        (None, Severity.NOTE),
        (Symptom(), Severity.NOTE),
        (Symptom(name="results-differ"), Severity.WARNING),
        (Symptom(name="results-differ", exactness="decisions"), Severity.NOTE),
        (Symptom(exactness="close"), Severity.WARNING),
        (Symptom(exactness="bits"), Severity.WARNING),
    ],
)
def test_the_exactness_that_is_needed_decides_how_loud_it_is(symptom: Symptom | None, severity: Severity) -> None:
    (finding,) = tf32_enabled(given(TF32), None, symptom)
    assert finding.severity is severity


# --- settings without effect -----------------------------------------------------------------------------------------


def test_a_demand_for_full_float32_without_effect_is_found_on_a_real_processor() -> None:
    (finding,) = setting_ignored(recorded(FORCED), FORCING, None)
    told = evidence(finding)
    assert (told["settings_without_effect"], told["computed_in"], told["operations_apart"]) == (
        "mkldnn-ieee",
        "bfloat16",
        "conv2d, network",
    )
    assert told["variable_for_digits"].startswith("ONEDNN_DEFAULT_FPMATH_MODE")


def test_tf32_that_stays_on_though_switched_off() -> None:
    (finding,) = setting_ignored(given(msgspec.structs.replace(TF32, setting="tf32-off")), None, None)
    assert evidence(finding)["settings_without_effect"] == "tf32-off"


def test_silent_where_a_demand_is_heard() -> None:
    assert list(setting_ignored(recorded(USUAL), None, None)) == []
    assert list(setting_ignored(given(TF32, msgspec.structs.replace(FULL, setting="tf32-off")), None, None)) == []


def test_a_permission_without_effect_is_no_fault() -> None:
    """TF32 on a processor: documented to be of other devices."""
    allowed = [measurement for measurement in measurements(USUAL) if measurement.setting == "mkldnn-tf32"]
    assert allowed
    with pytest.raises(NotHere):
        list(setting_ignored(given(*allowed), None, None))


# --- beyond rounding -------------------------------------------------------------------------------------------------


def test_an_operation_that_is_wrong() -> None:
    (finding,) = framework_numeric_bug(given(WRONG, msgspec.structs.replace(FULL, operation="linear")), TORCH)
    told = evidence(finding)
    assert told["operations_wrong"] == "matmul"
    assert told["computed_on"] == "torch 2.13.0, cuda:0"
    assert float(told["times_rounding"]) > 100


def test_a_setting_that_only_reorders_and_changes_too_much() -> None:
    beside = ArrayDifference(elements=8192, differing=64, max_abs=12.0, scale=45.0)
    changed = msgspec.structs.replace(FULL, setting="threads-1", other="default", beside=beside)
    assert len(list(framework_numeric_bug(given(changed), TORCH))) == 1
    allowed = msgspec.structs.replace(changed, setting="tf32-on")  # not only the order
    assert list(framework_numeric_bug(given(allowed), TORCH)) == []


def test_nan_on_one_side_is_wrong_and_both_sides_are_not() -> None:
    nan = msgspec.structs.replace(FULL, against=ArrayDifference(elements=9, differing=9, nan=9), rms=None)
    (finding,) = framework_numeric_bug(given(nan), None)
    assert evidence(finding)["measured_error"] == "NaN"
    assert "times_rounding" not in evidence(finding)
    for language, said in (("en", "the result is none (NaN): in 9 of 9 elements"), ("ja", "9個の要素のうち9個で")):
        why = build(judged(Facts(measurements=(nan,)), Answers()), language).findings[0].why
        assert said in why
        assert "NaN of the largest" not in why
        assert "- times" not in why
    both = msgspec.structs.replace(FULL, against=ArrayDifference(elements=9, differing=0), rms=None)
    assert list(framework_numeric_bug(given(both), None)) == []


@pytest.mark.parametrize("name", [USUAL, FORCED])
def test_no_operation_of_a_real_processor_is_called_wrong(name: str) -> None:
    """Half precision, every number of threads, autocast and bfloat16 among them."""
    assert list(framework_numeric_bug(recorded(name), TORCH)) == []


def test_overflow_is_no_bug_of_a_framework() -> None:
    assert list(framework_numeric_bug(given(INFINITE), TORCH)) == []


def test_what_is_infinite_is_told_in_words() -> None:
    endless = msgspec.structs.replace(FULL, against=ArrayDifference(elements=9, differing=2, infinite=2), rms=None)
    (finding,) = framework_numeric_bug(given(endless), None)
    assert in_language(finding.values["how_far"], "en").endswith("the result is infinite: in 2 of 9 elements.")
    assert (
        in_language(finding.values["how_far"], "ja")
        == "9個の要素のうち2個で、有限になるはずの結果が無限大になっています。"
    )


def test_a_finite_error_has_its_size() -> None:
    (finding,) = framework_numeric_bug(given(WRONG), None)
    assert in_language(finding.values["how_far"], "en").startswith("The largest error is ")
    assert "times what rounding can make at most" in in_language(finding.values["how_far"], "en")


OTHERS = ("torch-2.13.0-cpu-portraits", "numpy-2.4.6-portraits", "jax-0.10.2-cpu-portraits")


def wrong(measured: Measurement) -> Measurement:
    """The same portrait of a result whose first sampled element is far off."""
    assert isinstance(measured, Portrait)
    samples = ("7f7fffff", *measured.samples[1:])
    return msgspec.structs.replace(measured, fingerprint="0" * 16, samples=samples)


def test_a_framework_that_is_far_from_all_others_is_wrong() -> None:
    made = [
        wrong(measurement) if measurement.framework == "jax" and measurement.operation == "softmax" else measurement
        for measurement in measurements(*OTHERS)
    ]
    (finding,) = framework_numeric_bug(given(*made), TORCH)
    assert (evidence(finding)["computed_on"], evidence(finding)["operations_wrong"]) == ("jax cpu:0", "softmax")
    assert list(framework_numeric_bug(given(*measurements(*OTHERS)), TORCH)) == []


def test_of_two_that_disagree_neither_is_blamed() -> None:
    made = [
        wrong(measurement) if measurement.framework == "numpy" else measurement
        for measurement in measurements(*OTHERS[:2])
    ]
    assert list(framework_numeric_bug(given(*made), TORCH)) == []
    three = [
        wrong(measurement) if measurement.framework != "torch" else measurement for measurement in measurements(*OTHERS)
    ]
    (finding, *more) = framework_numeric_bug(given(*three), TORCH)  # the two wrong ones agree, and outvote the third
    assert evidence(finding)["computed_on"].startswith("torch")
    assert more == []


# --- overflow --------------------------------------------------------------------------------------------------------


def test_half_precision_that_overflows() -> None:
    (finding,) = mixed_precision_overflow(given(INFINITE))
    assert evidence(finding)["numbers_lost"] == "15 / 8192"


@pytest.mark.parametrize(("other", "count"), [("float32", 1), ("autocast-float16", 0)])
def test_a_model_that_overflows_in_half_precision_alone(other: str, count: int) -> None:
    difference = ArrayDifference(elements=10, differing=10, nan=10)
    model = ModelMeasured(operation="logits", device="cuda:0", setting="float16", other=other, difference=difference)
    assert len(list(mixed_precision_overflow(given(model)))) == count if count else True
    if not count:
        with pytest.raises(NotHere):
            list(mixed_precision_overflow(given(model)))


def test_silent_where_half_precision_is_finite() -> None:
    assert list(mixed_precision_overflow(recorded(USUAL))) == []


@pytest.mark.parametrize("check", [tf32_enabled, reduced_precision])
def test_nothing_measured_is_no_health(check: Callable[..., Iterable[Finding]]) -> None:
    nothing = Measurements(all=(msgspec.structs.replace(TF32, reason="no-time"),))
    with pytest.raises(NotHere):
        list(check(nothing, None, None))
    with pytest.raises(NotHere):
        list(setting_ignored(nothing, None, None))
    with pytest.raises(NotHere):
        list(framework_numeric_bug(nothing, None))


@pytest.mark.parametrize("check", [tf32_enabled, reduced_precision])
@pytest.mark.parametrize(
    "against",
    [
        pytest.param(ArrayDifference(elements=9, differing=9, nan=9), id="no-number"),
        pytest.param(ArrayDifference(elements=0, differing=0), id="nothing"),
    ],
)
def test_of_what_has_no_error_no_digits_are_told(
    check: Callable[..., Iterable[Finding]], against: ArrayDifference
) -> None:
    made = msgspec.structs.replace(FULL, against=against, rms=None, emulated={})
    with pytest.raises(NotHere):
        list(check(given(made), None, None))


def test_comparing_nothing_is_no_health() -> None:
    with pytest.raises(NotHere):
        list(framework_numeric_bug(given(msgspec.structs.replace(FULL, against=None)), None))

"""When a finding that is gone was mended, and when it was only not looked for again."""

import msgspec
import pytest
from support.recorded_computations import measurements
from support.recorded_repeats import NO_FORM, left_out, repeat

from checks.causes.registry import all_checks
from checks.facts import Experiment, Facts, Frameworks, Health, Measurement, Symptom, TorchFacts, WrongBits
from checks.facts.finding import Finding, Severity
from checks.judgement.one_check import judge_one
from checks.judgement.reexamined import is_seen_mended

REAL = measurements("torch-2.13.0-cpu-repeat")
REFUSED = (repeat("histc"), left_out("histc", "deterministic", "no-deterministic-form", NO_FORM))
SELDOM = repeat("index-add", distinct=2, n=100)


def facts(*made: Measurement) -> Facts:
    torch = Frameworks(torch=TorchFacts(version="2.13.0", build="cuda", cuda_version="13.0"))
    return Facts(frameworks=torch, measurements=made, symptom=Symptom(name="results-change"))


def found(cause: str, *made: Measurement) -> Finding:
    (finding,) = judge_one(all_checks()[cause], facts(*made)).findings
    return finding


def trained(runs: int, distinct: int) -> Experiment:
    bits = tuple((str(run % distinct),) for run in range(runs))
    return Experiment(
        framework="torch", operation="digits-network", device="cuda:0", dtype="float32", setting="default",
        steps=(100,), values=((0.1,),) * runs, exact=bits,
    )  # fmt: skip


WRONG = WrongBits(second=3.0, operation="matmul", index=(1, 2), expected="3f800000", found="3f800001")


def loaded(seconds: float, *wrong: WrongBits) -> Health:
    return Health(framework="torch", operation="load", device="cuda:0", length=seconds, checked=900, wrong=wrong)


@pytest.mark.parametrize(
    ("cause", "before", "now", "expected"),
    [
        pytest.param(
            "deterministic-mode-op-unsupported", REFUSED, (repeat("sum"), repeat("sum", "deterministic")), False,
            id="another-operation-was-tried",
        ),
        pytest.param(
            "deterministic-mode-op-unsupported", REFUSED,
            (repeat("histc"), left_out("histc", "deterministic", "no-time")), False, id="left-out",
        ),
        pytest.param(
            "deterministic-mode-op-unsupported", REFUSED, (repeat("histc"), repeat("histc", "deterministic")), True,
            id="it-is-no-longer-refused",
        ),
        pytest.param("nondeterministic-op", (SELDOM,), (repeat("index-add", n=600),), False, id="too-few-to-see-it"),
        pytest.param("nondeterministic-op", (SELDOM,), (repeat("index-add", n=3000),), True, id="enough-to-see-it"),
        pytest.param("nondeterministic-op", (trained(5, 3),), (trained(2, 1),), False, id="too-few-runs"),
        pytest.param("nondeterministic-op", (trained(5, 5),), (trained(5, 1),), True, id="enough-runs"),
        pytest.param("gpu-hardware-fault", (loaded(60.0, WRONG),), (loaded(10.0),), False, id="a-shorter-load"),
        pytest.param("gpu-hardware-fault", (loaded(60.0, WRONG),), (loaded(60.0),), True, id="as-long-a-load"),
    ],
)  # fmt: skip
def test_of_what_was_computed(
    cause: str, before: tuple[Measurement, ...], now: tuple[Measurement, ...], expected: bool
) -> None:
    assert is_seen_mended(found(cause, *before), facts(*before), facts(*now)) is expected


def test_a_shorter_examination_of_a_real_machine_mends_nothing() -> None:
    finding = found("nondeterministic-op", *REAL)
    few = [each for each in REAL if each.operation in ("matmul", "softmax")]
    assert not is_seen_mended(finding, facts(*REAL), facts(*few))
    steady = [msgspec.structs.replace(each, distinct=1, warm_up="") for each in REAL if hasattr(each, "warm_up")]
    assert not is_seen_mended(finding, facts(*REAL), facts(*steady))  # 2 different ones of 34 may well not show again
    often = [msgspec.structs.replace(each, repetitions=3000) for each in steady]
    assert is_seen_mended(finding, facts(*REAL), facts(*often))


def test_what_was_not_computed_is_judged_by_its_check_alone() -> None:
    driver = Finding(cause="driver-too-old-for-cuda", severity=Severity.BLOCKING, confidence=0.9)
    strange = Finding(cause="of-a-newer-version", severity=Severity.BLOCKING, confidence=0.9)
    assert is_seen_mended(driver, Facts(), Facts())
    assert is_seen_mended(strange, Facts(), Facts())

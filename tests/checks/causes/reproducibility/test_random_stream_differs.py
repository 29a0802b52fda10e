"""Other random numbers from the same seed: found on two devices and on another machine, quiet where they agree."""

import msgspec
import pytest
from support.cuda_streams import portraits
from support.recorded_computations import measurements

from checks.causes.reproducibility.cpu_gpu_rounding import cpu_gpu_rounding
from checks.causes.reproducibility.framework_numeric_bug import framework_numeric_bug
from checks.causes.reproducibility.gpu_arch_rounding import gpu_arch_rounding
from checks.causes.reproducibility.library_version_numerics import library_version_numerics
from checks.causes.reproducibility.random_stream_differs import random_stream_differs
from checks.facts import (
    EnvironmentVariables,
    Facts,
    FrameworkDevice,
    Frameworks,
    JaxFacts,
    Measurement,
    Measurements,
    OtherMachine,
    Symptom,
    TorchFacts,
)
from checks.facts.case import Answers
from checks.facts.finding import Finding, NotHere, Severity
from checks.judgement.judge import judged
from checks.knowledge.phrases import in_language

TORCH, NO_AVX = "torch-2.13.0-cpu-random", "torch-2.13.0-cpu-random-no-avx"
JAX, OLD_KEYS, OLD_JAX = "jax-0.10.2-cpu-random", "jax-0.10.2-cpu-random-not-partitionable", "jax-0.4.38-cpu-random"
DIFFER = Symptom(name="results-differ")


def evidence(finding: Finding) -> dict[str, str]:
    return {each.name: each.value for each in finding.evidence}


def why(finding: Finding, language: str = "en") -> str:
    return in_language(finding.values["why_streams"], language)


def frameworks(*gpus: str, jax: str = "0.10.2") -> Frameworks:
    devices = tuple(FrameworkDevice(device=f"cuda:{place}", name=name) for place, name in enumerate(gpus))
    return Frameworks(torch=TorchFacts(version="2.13.0", devices=devices), jax=JaxFacts(version=jax))


def beside(
    runs: tuple[Measurement, ...], theirs: tuple[Measurement, ...], jax: str = "0.10.2", gpu: str = "", **variables: str
) -> Facts:
    """This machine, and another one whose report was given."""
    other = OtherMachine(
        name="other.json",
        created="2026-11-23",
        frameworks=frameworks(*([gpu] if gpu else []), jax=jax),
        environment=EnvironmentVariables(values=variables),
        measurements=theirs,
    )
    mine = frameworks(*(["Tesla T4"] if gpu else []))
    return Facts(
        frameworks=mine, environment=EnvironmentVariables(), measurements=runs, others=(other,), symptom=DIFFER
    )


def test_the_processor_and_a_gpu() -> None:
    here = Facts(measurements=(*measurements(TORCH), *portraits("T4")), frameworks=frameworks("Tesla T4"))
    (finding,) = random_stream_differs(here)
    assert finding.severity is Severity.NOTE
    assert evidence(finding) == {
        "devices_compared": "torch cpu / torch cuda:0",
        "streams_apart": "random-normal, random-normal-large",
    }
    assert "Mersenne Twister" in why(finding)
    (asked,) = random_stream_differs(msgspec.structs.replace(here, symptom=DIFFER))
    assert asked.severity is Severity.WARNING
    choices = Symptom(name="results-differ", exactness="decisions")
    (relaxed,) = random_stream_differs(msgspec.structs.replace(here, symptom=choices))
    assert relaxed.severity is Severity.NOTE


def test_two_cards_of_one_machine() -> None:
    both = (*portraits("T4"), *portraits("L4", "cuda:1"))
    (finding,) = random_stream_differs(Facts(measurements=both, frameworks=frameworks("Tesla T4", "NVIDIA L4")))
    assert (evidence(finding)["streams_apart"], evidence(finding)["streams_alike"]) == (
        "random-normal-large",
        "random-normal",
    )
    assert "multiprocessors" in why(finding)
    assert "マルチプロセッサー" in why(finding, "ja")


def test_the_card_of_another_machine() -> None:
    runs = (*measurements(TORCH), *portraits("T4"))
    own, finding = random_stream_differs(beside(runs, portraits("L4"), gpu="NVIDIA L4"))
    assert (own.severity, finding.severity) == (Severity.NOTE, Severity.WARNING)  # what was asked is louder
    assert evidence(finding)["devices_compared"] == "torch cuda:0 / torch cuda:0 (other.json)"
    assert evidence(finding)["gpus_apart"] == "Tesla T4 / NVIDIA L4"
    assert "multiprocessors" in why(finding)


def test_a_variable_of_another_machine() -> None:
    two = beside(measurements(JAX), measurements(OLD_KEYS), JAX_THREEFRY_PARTITIONABLE="0")
    (finding,) = random_stream_differs(two)
    assert finding.severity is Severity.WARNING
    assert evidence(finding)["random_variables_apart"] == "- / JAX_THREEFRY_PARTITIONABLE=0"
    assert "how JAX makes random numbers" in why(finding)
    assert finding.remedies == ("set-jax-random-bits-alike", "save-random-numbers")


def test_a_version_of_another_machine() -> None:
    two = beside(measurements(JAX), measurements(OLD_JAX), jax="0.4.38")
    (finding,) = random_stream_differs(two)
    assert evidence(finding)["versions_apart"] == "jax 0.10.2 / jax 0.4.38"
    assert "JAX 0.5.0" in why(finding)
    assert list(library_version_numerics(two)) == []  # which tells of computed numbers


def test_what_nothing_explains() -> None:
    (finding,) = random_stream_differs(beside(measurements(JAX), measurements(OLD_KEYS)))
    assert "not seen" in why(finding)


def test_two_new_versions_of_jax_have_one_default() -> None:
    two = beside(measurements(JAX), measurements(OLD_KEYS), jax="0.7.0")
    (finding,) = random_stream_differs(two)
    assert "0.5.0" not in why(finding)


@pytest.mark.parametrize(("first", "second"), [(TORCH, NO_AVX), ("numpy-2.4.6-random", "numpy-1.26.4-random")])
def test_quiet_where_the_numbers_are_the_same_but_for_rounding(first: str, second: str) -> None:
    assert list(random_stream_differs(beside(measurements(first), measurements(second)))) == []


def test_quiet_between_equal_cards_and_between_frameworks() -> None:
    twins = (*portraits("T4"), *portraits("T4", "cuda:1"), *measurements(JAX))
    assert list(random_stream_differs(Facts(measurements=twins, frameworks=frameworks("Tesla T4", "Tesla T4")))) == []


def test_without_random_numbers() -> None:
    old = measurements("torch-2.13.0-cpu-portraits")
    with pytest.raises(NotHere) as alone:
        list(random_stream_differs(Facts(measurements=old)))
    assert alone.value.reason == "one-device"
    with pytest.raises(NotHere) as given:
        list(random_stream_differs(beside(old, old)))
    assert given.value.reason == "not-measured"


def test_no_other_cause_takes_them_for_a_result() -> None:
    """Neither an error of a framework nor rounding, and no doubt whether these were found."""
    runs = (*measurements(TORCH), *portraits("T4"), *portraits("L4", "cuda:1"))
    here = Facts(measurements=runs, frameworks=frameworks("Tesla T4", "NVIDIA L4"))
    everything = Measurements(all=runs)
    assert list(framework_numeric_bug(everything, None)) == []
    assert list(cpu_gpu_rounding(everything, DIFFER)) == []
    assert list(gpu_arch_rounding(here)) == []


def test_it_is_offered_first_where_results_differ_between_devices() -> None:
    runs = (*measurements(TORCH), *portraits("T4"))
    facts = Facts(measurements=runs, frameworks=frameworks("Tesla T4"), symptom=DIFFER)
    case = judged(facts, Answers(symptom="results-differ"))
    assert case.findings[0].cause == "random-stream-differs"
    assert case.findings[0].confidence < 0.8  # whether the program draws there was not seen

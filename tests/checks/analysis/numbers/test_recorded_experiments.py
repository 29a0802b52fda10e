"""What TensorFlow and JAX computed on a real processor: 1000 steps five times, and operations again and again."""

import msgspec
import pytest
from support.recorded_computations import measurements

from checks.analysis.numbers.repeats import Variation, repeated
from checks.facts import Experiment, Facts, Measurement, Measurements, Repeat, Symptom
from checks.facts.finding import Finding
from checks.judgement.judge import judge_each
from checks.knowledge.phrases import in_language

FIVE_RUNS = ("tensorflow-2.21.0-cpu", "tensorflow-2.21.0-cpu-deterministic", "jax-0.10.2-cpu")
VARYING = "crop-and-resize-backward"


@pytest.mark.parametrize("name", FIVE_RUNS)
def test_five_runs_of_a_thousand_steps_ended_in_the_same_bits(name: str) -> None:
    made = Measurements(all=measurements(name)).of(Experiment)
    (network,) = (each for each in made if each.operation == "digits-network")
    assert network.steps == (0, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000)
    assert len(network.values) == 5
    assert network.distinct == 1
    assert network.parted == (None,) * 5
    assert network.values[0][0] == 0.89  # as in every framework, before anything was learned
    assert network.values[0][-1] is not None
    assert network.values[0][-1] < 0.1
    sums = [each for each in made if each.operation != "digits-network"]
    assert len(sums) == 8
    assert all(each.distinct == 1 and len(each.values) == 10 for each in sums)


def test_an_operation_of_tensorflow_that_varies_on_the_processor_repeats_in_deterministic_mode() -> None:
    """One other result in 51 calls, and none in 212: another set of calls would look like that, too, by chance."""
    found = repeated(measurements(*FIVE_RUNS[:2]), {})
    (varying,) = (each for each in found if each.default is not None and each.default.varies)
    assert varying.operation == VARYING
    assert varying.variation is Variation.DOCUMENTED
    assert "pull/48905" in varying.promised.source
    assert (varying.mended_by, varying.is_open) == ((), True)


def test_the_finding_names_the_operation_and_what_mends_it() -> None:
    findings = judged(*FIVE_RUNS[:2])
    (finding,) = (each for each in findings if each.cause == "nondeterministic-op")
    assert finding.subject == "tensorflow CPU:0"
    assert in_language(finding.values["varying"], "en") == "crop_and_resize (gradient)"


def test_deterministic_mode_of_torch_computes_the_same_bits_on_the_processor() -> None:
    made = Measurements(all=measurements("torch-2.13.0-cpu-one-thread")).of(Experiment)
    default, mode = (each for each in made if each.operation == "digits-network")
    assert (default.setting, mode.setting) == ("default", "deterministic")
    assert default.distinct == mode.distinct == 1
    assert default.fingerprints == mode.fingerprints
    assert default.values == mode.values


def test_training_that_parts_is_found_although_no_operation_alone_varied() -> None:
    made = measurements("jax-0.10.2-cpu")
    (network,) = (each for each in made if isinstance(each, Experiment) and each.operation == "digits-network")
    prints = (*network.fingerprints[:4], "00000000bbbbbbbb")
    parted = msgspec.structs.replace(network, fingerprints=prints, parted=(None, None, None, None, 1000))
    rest = tuple(each for each in made if each is not network)
    (finding,) = (each for each in judged_of((*rest, parted)) if each.cause == "nondeterministic-op")
    assert finding.subject == "jax cpu:0"
    assert in_language(finding.values["varying"], "en") == "Small network for digits, trained"


def test_nothing_varies_in_jax() -> None:
    made = Measurements(all=measurements("jax-0.10.2-cpu")).of(Repeat)
    assert len(made) == 15
    assert not any(each.varies for each in made)
    assert not [each for each in judged("jax-0.10.2-cpu") if each.cause == "nondeterministic-op"]


def judged(*names: str) -> list[Finding]:
    return judged_of(measurements(*names))


def judged_of(made: tuple[Measurement, ...]) -> list[Finding]:
    facts = Facts(measurements=made, symptom=Symptom(name="results-change"))
    return [finding for outcome in judge_each(facts) for finding in outcome.findings]

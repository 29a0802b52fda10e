"""What is said of a real, sound NVIDIA H100 (PyTorch 2.11, JAX 0.11): of measurements, and of programs that ran there.

Recorded on 2026-11-22 and 23; the programs are those of tests/tools/gpu_environments.py.
"""

from pathlib import Path

import msgspec
import pytest
from support.recorded_computations import measurements

from checks.facts import Facts, OsFacts, Repeat, Symptom
from checks.facts.case import Answers
from checks.facts.finding import Finding, Severity
from checks.facts.machine import MachineFacts
from checks.facts.question import SymptomName
from checks.judgement.headline import Stance, headline
from checks.judgement.judge import judged

GPU = measurements("torch-2.11.0-h100", "torch-2.11.0-h100-digits", "jax-0.11.2-h100")
WITH_PROCESSOR = (*GPU, *measurements("torch-2.13.0-cpu-portraits", "torch-2.13.0-cpu-digits"))
# Nothing of this is so on a card that computes as it should.
ACCUSATIONS = {
    "gpu-hardware-fault", "uninitialized-memory-or-race", "framework-numeric-bug", "reduced-precision",
    "cudnn-autotune", "setting-ignored", "mixed-precision-overflow", "library-version-numerics",
}  # fmt: skip


def found(symptom: str) -> dict[tuple[str, str], Finding]:
    facts = Facts(
        machine=MachineFacts(os=OsFacts(system="Linux")), measurements=WITH_PROCESSOR, symptom=Symptom(name=symptom)
    )
    findings = judged(facts, Answers(symptom=symptom, effort="standard")).findings
    return {(finding.cause, finding.subject): finding for finding in findings}


def test_a_sound_card_is_accused_of_nothing() -> None:
    for symptom in (SymptomName.RESULTS_CHANGE, SymptomName.RESULTS_DIFFER, SymptomName.EVERYTHING):
        assert not {cause for cause, _ in found(symptom)} & ACCUSATIONS
    assert all(finding.severity is Severity.NOTE for finding in found(SymptomName.EVERYTHING).values())


def test_what_varies_is_atomic_additions_and_is_not_called_certain() -> None:
    finding = found(SymptomName.RESULTS_CHANGE)["nondeterministic-op", "torch cuda:0"]
    assert finding.severity is Severity.WARNING
    assert finding.confidence < 0.8
    repeats = [made for made in GPU if isinstance(made, Repeat) and made.framework == "torch" and not made.reason]
    varied = {made.operation for made in repeats if made.setting == "default" and made.distinct > 1}
    assert {"index-add", "scatter-add", "embedding-backward", "grid-sample-backward", "cumsum"} <= varied
    assert not {"matmul", "conv2d", "softmax", "layer-norm"} & varied
    mended = [made for made in repeats if "deterministic" in made.setting]
    assert len(mended) > 5
    assert {made.distinct for made in mended} == {1}


def test_tf32_is_named_where_jax_takes_it_and_not_where_pytorch_does_not() -> None:
    by_subject = found(SymptomName.RESULTS_DIFFER)
    assert by_subject["tf32-enabled", "jax:gpu:0"].severity is Severity.WARNING
    assert ("tf32-enabled", "torch:cuda:0") not in by_subject


def test_processor_and_card_differ_by_rounding() -> None:
    finding = found(SymptomName.RESULTS_DIFFER)["cpu-gpu-rounding", "torch:cuda:0:cpu"]
    assert finding.severity is Severity.NOTE


RUNS = Path(__file__).parents[2] / "recordings" / "runs"


def case_of(name: str) -> tuple[Facts, tuple[Finding, ...]]:
    facts = msgspec.json.decode((RUNS / f"{name}.json").read_bytes(), type=Facts)
    assert facts.symptom is not None
    return facts, judged(facts, Answers(symptom=facts.symptom.name)).findings


@pytest.mark.parametrize(
    ("name", "cause"),
    [
        # All three end in the same words, "No CUDA GPUs are available" or "Found no NVIDIA driver on your system".
        pytest.param("h100-no-device-files", "container-gpu-unavailable", id="no-device-files"),
        pytest.param("h100-device-files-of-root", "device-permission-denied", id="device-files-of-root"),
        pytest.param("h100-no-libcuda", "container-gpu-unavailable", id="no-libcuda"),
        pytest.param("h100-chooses-another-card", "gpu-hidden-by-environment", id="sets-the-variable-itself"),
        pytest.param("h100-left-on-cpu", "program-stays-on-cpu", id="left-on-the-processor"),
    ],
)
def test_the_cause_of_a_program_that_really_failed(name: str, cause: str) -> None:
    _, findings = case_of(name)
    assert findings[0].cause == cause
    assert findings[0].severity is not Severity.NOTE


@pytest.mark.parametrize("name", ["h100-on-gpu", "h100-runs-already"])
def test_a_program_that_is_on_the_card(name: str) -> None:
    facts, findings = case_of(name)
    assert {finding.severity for finding in findings} <= {Severity.NOTE}
    assert headline(facts, findings, SymptomName.NOT_ON_GPU, "").stance is Stance.ON_GPU

"""What the causes say of programs that really failed: tests/recordings/runs, made by tests/tools/record_run.py."""

from pathlib import Path

import msgspec
import pytest

from checks.facts import Facts
from checks.facts.finding import FAILED_RUN, Finding
from checks.judgement.judge import judge_each

RECORDINGS = Path(__file__).parents[3] / "recordings/runs"

EXPECTED = {
    # recording: (cause, subject, what a command would install)
    "b01": ("numpy-abi-mismatch", "onnxruntime", ""),
    "b04": ("numpy-abi-mismatch", "ml-dtypes", ""),
    "b05": ("protobuf-conflict", "tensorflow-cpu", "protobuf<3.21"),
    "b14": ("dependency-version-conflict", "peft", "transformers>=4.43.4"),
    "b20": ("dependency-version-conflict", "jax", "scipy<1.13"),
    "b25": ("numpy-abi-mismatch", "tflite-runtime", ""),
    "b31": ("dependency-version-conflict", "pytorch-lightning", "setuptools<82.0"),
    "b71": ("python-part-missing", "_ctypes", ""),
    "r07": ("python-version-unsupported", "pydub 0.25.1", "audioop-lts"),
    "r10": ("dependency-version-conflict", "diffusers", "huggingface-hub<0.26"),
    "r22": ("package-not-installed", "httpx", "httpx[http2]"),
    "g15": ("package-not-installed", "flash-attn", "flash-attn"),
    "b97": ("package-not-installed", "sentencepiece", "sentencepiece"),
}
# Damaged, shadowed, or of a variable: the causes of this module's own keep silent.
NOT_OURS = ("b09", "b10", "b40", "b42", "b51", "b89", "b91", "h24")
OURS = ("dependency-version-conflict", "package-not-installed", "python-part-missing", "framework-not-installed")


def facts_of(name: str) -> Facts:
    return msgspec.json.decode((RECORDINGS / f"{name}.json").read_bytes(), type=Facts)


def explained(name: str) -> list[Finding]:
    outcomes = judge_each(facts_of(name))
    return [finding for outcome in outcomes for finding in outcome.findings if FAILED_RUN in finding.values]


@pytest.mark.parametrize("name", EXPECTED)
def test_the_failing_run_has_its_cause(name: str) -> None:
    cause, subject, requirement = EXPECTED[name]
    (finding,) = explained(name)
    assert (finding.cause, finding.subject) == (cause, subject)
    assert finding.named("requirement") == requirement
    assert finding.confidence >= 0.5


@pytest.mark.parametrize("name", NOT_OURS)
def test_silent_where_another_cause_is_meant(name: str) -> None:
    assert [finding.cause for finding in explained(name) if finding.cause in OURS] == []


def test_an_environment_of_other_packages_lacks_no_framework() -> None:
    causes = {finding.cause for outcome in judge_each(facts_of("h24")) for finding in outcome.findings}
    assert "framework-not-installed" not in causes

"""When cpu-instruction-unsupported speaks, and when it keeps silent."""

import pytest

from checks.causes.hardware.cpu_instruction_unsupported import cpu_instruction_unsupported
from checks.facts import (
    CpuFacts,
    ErrorText,
    Frameworks,
    InterpreterFacts,
    JaxFacts,
    OsFacts,
    Package,
    ProbeRun,
    ProbeRuns,
    TensorFlowFacts,
)
from checks.facts.finding import Finding, Inconclusive, Severity

IVY_BRIDGE = CpuFacts(name="Intel(R) Core(TM) i5-3230M CPU @ 2.60GHz", instruction_sets=("sse2", "sse4_2", "avx"))
CELERON = CpuFacts(name="Intel(R) Celeron(R) CPU N3060", instruction_sets=("sse2", "ssse3", "sse4_2"))
MODERN = CpuFacts(name="AMD EPYC 7763", instruction_sets=("sse2", "sse4_2", "avx", "avx2", "fma"))
ARM = CpuFacts(name="Neoverse-N1", instruction_sets=("asimd",))


def findings(
    run: ProbeRun | None,
    cpu: CpuFacts | None,
    package: tuple[str, str] | None,
    frameworks: Frameworks | None = None,
    os: OsFacts | None = None,
) -> list[Finding]:
    packages = (Package(name=package[0], version=package[1]),) if package else ()
    interpreter = InterpreterFacts(path="/usr/bin/python3", packages=packages)
    runs = ProbeRuns(runs=(run,) if run else ())
    return list(cpu_instruction_unsupported(runs, cpu, frameworks, interpreter, os))


def crashed(probe: str, signal: str | None = "SIGILL", code: int | None = -4) -> ProbeRun:
    return ProbeRun(probe=probe, status="crashed", signal=signal, exit_code=code)


@pytest.mark.parametrize(
    ("run", "cpu", "package", "missing"),
    [
        pytest.param(  # tensorflow/tensorflow#45744
            crashed("tensorflow"), IVY_BRIDGE, ("tensorflow", "2.4.0"), "avx2, fma", id="tensorflow-2.4.0-on-ivy-bridge"
        ),
        pytest.param(None, CELERON, ("jaxlib", "0.4.30"), "avx", id="by-the-table-alone"),  # jax-ml/jax#6671
        pytest.param(crashed("torch"), CELERON, ("torch", "2.9.0"), "-", id="by-the-crash-alone"),
        pytest.param(crashed("torch", None, 0xC000001D), CELERON, ("torch", "2.9.0"), "-", id="windows-exit-code"),
        pytest.param(crashed("torch"), None, None, "-", id="nothing-else-known"),
        pytest.param(
            ProbeRun(
                probe="tensorflow",
                status="crashed",
                signal="SIGABRT",
                stderr_tail="The TensorFlow library was compiled to use AVX instructions, "
                "but these aren't available on your machine.",
            ),
            CELERON,
            ("tensorflow", "2.16.1"),
            "avx",
            id="tensorflow-says-so",
        ),
    ],
)
def test_speaks(run: ProbeRun | None, cpu: CpuFacts | None, package: tuple[str, str] | None, missing: str) -> None:
    (finding,) = findings(run, cpu, package)
    assert finding.severity is Severity.BLOCKING
    assert finding.placeholders()["missing_instructions"] == missing


def test_jaxlib_says_so() -> None:
    message = (
        "This version of jaxlib was built using AVX instructions, "
        "which your CPU and/or operating system do not support."
    )
    jax = JaxFacts(imported=False, error=ErrorText(type="RuntimeError", message=message))
    run = ProbeRun(probe="jax", status="failed")
    (finding,) = findings(run, CELERON, ("jaxlib", "0.7.1"), Frameworks(jax=jax), OsFacts(virtual_machine="kvm"))
    assert finding.remedies[0] == "pass-cpu-features-to-virtual-machine"


@pytest.mark.parametrize(
    ("run", "cpu", "package", "frameworks"),
    [
        pytest.param(None, MODERN, ("tensorflow", "2.16.1"), None, id="processor-has-it"),
        pytest.param(None, IVY_BRIDGE, ("tensorflow", "2.4.1"), None, id="next-release-asks-for-less"),
        pytest.param(None, ARM, ("tensorflow", "2.16.1"), None, id="not-x86"),
        pytest.param(None, CELERON, ("torch", "2.9.0"), None, id="package-without-a-row"),
        pytest.param(crashed("torch", "SIGSEGV", -11), CELERON, ("torch", "2.9.0"), None, id="another-crash"),
        pytest.param(
            None,
            CELERON,
            ("tensorflow", "2.16.1"),
            Frameworks(tensorflow=TensorFlowFacts(imported=True)),
            id="it-was-seen-to-work",
        ),
        pytest.param(None, None, ("tensorflow", "2.16.1"), None, id="processor-unread"),
    ],
)
def test_silent(
    run: ProbeRun | None, cpu: CpuFacts | None, package: tuple[str, str], frameworks: Frameworks | None
) -> None:
    assert findings(run, cpu, package, frameworks) == []


def told(cpu: CpuFacts | None, package: tuple[str, str]) -> list[Finding]:
    """The findings where nothing was run, as for a ticket."""
    interpreter = InterpreterFacts(path="", packages=(Package(name=package[0], version=package[1]),))
    return list(cpu_instruction_unsupported(None, cpu, None, interpreter, None))


def test_speaks_of_what_is_only_told() -> None:
    (finding,) = told(CELERON, ("tensorflow", "2.16.1"))
    assert finding.placeholders()["missing_instructions"] == "avx"
    assert told(MODERN, ("tensorflow", "2.16.1")) == []


@pytest.mark.parametrize(
    ("cpu", "package"),
    [
        pytest.param(None, ("tensorflow", "2.16.1"), id="processor-untold"),
        pytest.param(ARM, ("tensorflow", "2.16.1"), id="not-x86"),
        pytest.param(CELERON, ("torch", "2.9.0"), id="package-without-a-row"),
    ],
)
def test_leaves_open_what_is_not_told(cpu: CpuFacts | None, package: tuple[str, str]) -> None:
    with pytest.raises(Inconclusive):
        told(cpu, package)

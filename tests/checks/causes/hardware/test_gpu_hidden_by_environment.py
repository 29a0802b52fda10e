"""When gpu-hidden-by-environment speaks, and when it keeps silent."""

import pytest

from checks.causes.hardware.gpu_hidden_by_environment import gpu_hidden_by_environment
from checks.facts import (
    AmdFacts,
    AmdNode,
    DeviceUse,
    EnvironmentVariables,
    Frameworks,
    Gpu,
    Gpus,
    IntelFacts,
    JaxFacts,
    NvidiaFacts,
    NvidiaGpu,
    ProgramRun,
    ProgramRuns,
    PythonProcess,
    TorchFacts,
)
from checks.facts.finding import Finding, NotHere, Severity

TWO = NvidiaFacts(
    devices=(
        NvidiaGpu(index=0, name="NVIDIA A100-SXM4-40GB", uuid="GPU-11111111-aaaa"),
        NvidiaGpu(index=1, name="NVIDIA A100-SXM4-40GB", uuid="GPU-22222222-bbbb"),
    )
)
UNLIKE = NvidiaFacts(
    devices=(NvidiaGpu(index=0, name="NVIDIA GeForce GT 1030"), NvidiaGpu(index=1, name="NVIDIA GeForce RTX 4090"))
)


def findings(nvidia: NvidiaFacts | None, frameworks: Frameworks | None = None, **values: str) -> list[Finding]:
    environment = EnvironmentVariables(values=values)
    return list(gpu_hidden_by_environment(environment, nvidia, None, None, Gpus(), frameworks))


@pytest.mark.parametrize(
    ("value", "visible", "severity"),
    [
        pytest.param("", 0, Severity.BLOCKING, id="empty"),
        pytest.param("-1", 0, Severity.BLOCKING, id="minus-one"),
        pytest.param("NoDevFiles", 0, Severity.BLOCKING, id="word-of-a-scheduler"),
        pytest.param("3", 0, Severity.BLOCKING, id="number-of-another-machine"),  # thuml/Anomaly-Transformer#74
        pytest.param("2,0", 0, Severity.BLOCKING, id="read-up-to-the-first-wrong-one"),
        pytest.param("0,2", 1, Severity.WARNING, id="second-does-not-exist"),
        pytest.param("0,0", 0, Severity.BLOCKING, id="named-twice"),
        pytest.param("²", 0, Severity.BLOCKING, id="digit-that-is-no-number"),
        pytest.param("9" * 5000, 0, Severity.BLOCKING, id="number-without-end"),
        pytest.param(",0", 0, Severity.BLOCKING, id="empty-entry-first"),
        pytest.param("GPU-3333", 0, Severity.BLOCKING, id="uuid-of-another-card"),
    ],
)
def test_speaks(value: str, visible: int, severity: Severity) -> None:
    (finding,) = findings(TWO, CUDA_VISIBLE_DEVICES=value)
    assert finding.severity is severity
    assert finding.placeholders()["gpus_visible"] == str(visible)


@pytest.mark.parametrize(
    "value",
    [
        pytest.param("0", id="one-of-two-on-purpose"),
        pytest.param("1, 0", id="both-in-another-order"),
        pytest.param("0,1,", id="comma-at-the-end"),
        pytest.param("GPU-1111", id="beginning-of-a-uuid"),
        pytest.param("MIG-1c6d", id="mig-is-another-cause"),
        pytest.param("all", id="all"),
    ],
)
def test_silent(value: str) -> None:
    assert findings(TWO, CUDA_VISIBLE_DEVICES=value) == []


def test_silent_where_nothing_is_set_or_there_is_no_gpu() -> None:
    assert findings(TWO) == []
    with pytest.raises(NotHere):  # the bus shows none, and no driver told of one
        findings(None, CUDA_VISIBLE_DEVICES="")
    assert findings(NvidiaFacts(devices=()), CUDA_VISIBLE_DEVICES="0") == []


def test_a_number_among_unlike_cards_is_a_note() -> None:
    (finding,) = findings(UNLIKE, CUDA_VISIBLE_DEVICES="0")
    assert (finding.severity, finding.subject) == (Severity.NOTE, "CUDA_DEVICE_ORDER")
    assert findings(UNLIKE, CUDA_VISIBLE_DEVICES="0", CUDA_DEVICE_ORDER="PCI_BUS_ID") == []
    assert findings(UNLIKE) == []


def test_jax_that_was_told_to_stay_on_the_cpu() -> None:
    jax = Frameworks(jax=JaxFacts(version="0.7.0", cuda_version="12.8"))
    (finding,) = findings(TWO, jax, JAX_PLATFORMS="cpu")
    assert finding.severity is Severity.WARNING
    assert findings(TWO, jax, JAX_PLATFORMS="cuda,cpu") == []


@pytest.mark.parametrize(
    ("variable", "value", "count"),
    [
        pytest.param("HIP_VISIBLE_DEVICES", "", 1, id="hip-empty"),
        pytest.param("ROCR_VISIBLE_DEVICES", "1", 1, id="rocr-beyond"),
        pytest.param("HIP_VISIBLE_DEVICES", "0", 0, id="hip-right"),
        pytest.param("ROCR_VISIBLE_DEVICES", "GPU-e0ed7a6e", 0, id="rocr-uuid-cannot-be-judged"),
    ],
)
def test_amd(variable: str, value: str, count: int) -> None:
    environment = EnvironmentVariables(values={variable: value})
    amd = AmdFacts(nodes=(AmdNode(gfx_target="gfx1100"),))
    rocm = Frameworks(torch=TorchFacts(build="rocm"))
    assert len(list(gpu_hidden_by_environment(environment, None, amd, None, None, rocm))) == count


@pytest.mark.parametrize(("mask", "count"), [("0", 0), ("0.0,0.1", 0), ("1", 1), ("", 0)])
def test_intel(mask: str, count: int) -> None:
    environment = EnvironmentVariables(values={"ZE_AFFINITY_MASK": mask})
    gpus = Gpus(devices=(Gpu(vendor_id="8086"),))
    xpu = Frameworks(torch=TorchFacts(build="xpu"))
    assert len(list(gpu_hidden_by_environment(environment, None, None, IntelFacts(), gpus, xpu))) == count


def by_program(value: str | None, devices: tuple[DeviceUse, ...] = ()) -> list[Finding]:
    python = PythonProcess(pid=7, variables={"CUDA_VISIBLE_DEVICES": value}, devices=devices)
    runs = ProgramRuns(runs=(ProgramRun(command=("python", "train.py"), exit_code=1, pythons=(python,)),))
    return list(gpu_hidden_by_environment(EnvironmentVariables(), TWO, None, None, Gpus(), None, runs))


def test_a_program_that_sets_the_variable_itself() -> None:
    (finding,) = by_program("4")
    assert finding.severity is Severity.BLOCKING
    assert finding.evidence[0].origin == "python train.py"
    assert finding.remedies == ("find-line-that-hides-gpus",)
    assert not by_program("1")
    assert not by_program(None)
    (emptied,) = by_program("")
    assert emptied.severity is Severity.BLOCKING


def test_a_program_that_computed_on_a_gpu_hid_it_from_others() -> None:
    card = (DeviceUse(framework="torch", device="cuda:0", peak_memory=1),)
    assert not by_program("-1", card)

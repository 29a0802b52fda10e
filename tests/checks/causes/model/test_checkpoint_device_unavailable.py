"""When a file wants a device that PyTorch does not have, and when it has it."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from checks.causes.model.checkpoint_device_unavailable import checkpoint_device_unavailable
from checks.facts import (
    Binding,
    MachineFacts,
    ModelFacts,
    ModelFiles,
    ModelNeeds,
    ModelRun,
    NvidiaFacts,
    NvidiaGpu,
    OsFacts,
    TorchFacts,
)
from checks.facts.finding import Finding, Severity, Unread
from checks.readers.models import read_model

RECORDED = Path(__file__).parents[3] / "recordings" / "models"
CPU = TorchFacts(version="2.13.0+cpu", cuda_available=False, mps_available=False, xpu_available=False)
GPU = TorchFacts(version="2.13.0", cuda_available=True, cuda_device_count=1)


def judged(model: ModelFacts | str, torch: TorchFacts, machine: MachineFacts | None = None) -> list[Finding]:
    read = read_model(RECORDED / model) if isinstance(model, str) else model
    return list(checkpoint_device_unavailable(ModelFiles(files=(read,)), torch, machine))


def saved_on(*devices: str) -> ModelFacts:
    return ModelFacts(path="a.pt", format="torch-zip", needs=ModelNeeds(devices=devices))


def test_saved_on_a_gpu_and_none_is_here() -> None:
    (finding,) = judged("torch-legacy/alex.pth", CPU)
    assert finding.severity is Severity.WARNING
    assert finding.placeholders()["saved_on"] == "cuda:0"


def test_code_with_a_device_in_it_cannot_be_mapped() -> None:
    (finding,) = judged("torchscript/made/cuda_in_code.pt", CPU)
    assert finding.severity is Severity.BLOCKING
    assert finding.remedies == ("save-on-the-cpu",)


@pytest.mark.parametrize(("device", "torch"), [("cuda:1", GPU), ("mps:0", CPU), ("xpu:0", CPU)])
def test_other_devices(device: str, torch: TorchFacts) -> None:
    assert len(judged(saved_on(device), torch)) == 1


@pytest.mark.parametrize(
    ("model", "torch"),
    [
        (saved_on("cuda:0"), GPU),
        (saved_on("hpu:0"), CPU),
        (saved_on(), CPU),
        (saved_on("mps:0"), TorchFacts(version="2.13.0", mps_available=True)),
    ],
)
def test_silent(model: ModelFacts, torch: TorchFacts) -> None:
    assert judged(model, torch) == []


def test_loaded_onto_the_processor_proves_nothing_but_a_run_does() -> None:
    loaded, ran = ModelRun(runtime="torch", loaded=True), ModelRun(runtime="torch", loaded=True, ran=True)
    assert len(judged(replace(saved_on("cuda:0"), runs=(loaded,)), CPU)) == 1
    assert judged(replace(saved_on("cuda:0"), runs=(ran,)), CPU) == []


@pytest.mark.parametrize("device", ["cuda:0", "mps:0", "xpu:0"])
def test_unread(device: str) -> None:
    with pytest.raises(Unread, match="available"):
        judged(saved_on(device), TorchFacts(version="2.13.0"))


def compiled(platform: str = "Linux x86_64", device: str = "cuda", capability: str = "86") -> ModelFacts:
    return ModelFacts(
        path="a.pt2",
        format="aoti-pt2",
        bound_to=(Binding(kind="operating-system", value=platform),),
        details={"compute-capability": capability} if capability else {},
        needs=ModelNeeds(devices=(device,) if device else ()),
    )


def machine(capability: str | None = "8.6", system: str = "Linux", architecture: str = "x86_64") -> MachineFacts:
    gpus = (NvidiaGpu(index=0, name="GPU", compute_capability=capability),) if capability else ()
    return MachineFacts(
        os=OsFacts(system=system, architecture=architecture), nvidia=NvidiaFacts(nvml="ok", devices=gpus)
    )


@pytest.mark.parametrize(
    ("model", "torch", "here"),
    [
        pytest.param(compiled(), CPU, machine(None), id="no GPU"),
        pytest.param(compiled(), GPU, machine("7.5"), id="an older GPU"),
        pytest.param(compiled(), GPU, machine("9.0"), id="another generation"),
        pytest.param(compiled(device="", capability=""), CPU, machine(None, architecture="aarch64"), id="processor"),
        pytest.param(compiled("Windows AMD64", "", ""), CPU, machine(None), id="system"),
    ],
)
def test_a_compiled_package_for_elsewhere(model: ModelFacts, torch: TorchFacts, here: MachineFacts) -> None:
    (finding,) = judged(model, torch, here)
    assert finding.severity is Severity.BLOCKING


@pytest.mark.parametrize(
    ("model", "here"),
    [
        (compiled(), machine("8.6")),
        (compiled(), machine("8.9")),
        (compiled(device="", capability=""), machine(None)),
        (compiled("macOS arm64", "", ""), machine(None, "Darwin", "arm64")),
        (compiled("", "", ""), machine(None)),
    ],
)
def test_a_compiled_package_for_here(model: ModelFacts, here: MachineFacts) -> None:
    assert judged(model, GPU, here) == []


def test_a_compiled_package_and_an_unread_system() -> None:
    with pytest.raises(Unread, match="os"):
        judged(compiled(), GPU)

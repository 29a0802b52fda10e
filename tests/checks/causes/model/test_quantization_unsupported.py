"""When a quantized checkpoint asks for what is not there."""

import itertools

import pytest

from checks.causes.model.quantization_unsupported import quantization_unsupported
from checks.facts import (
    InterpreterFacts,
    MachineFacts,
    ModelFacts,
    ModelFiles,
    NvidiaFacts,
    NvidiaGpu,
    Package,
    TorchFacts,
)
from checks.facts.finding import Finding, NotHere, NotInTable, Severity, Unread
from checks.facts.versions import release
from checks.knowledge.frameworks.quantization_methods import QuantizationMethodsTable, rule_for

NO_GPU = TorchFacts(cuda_available=False, xpu_available=False)


def model(method: str) -> ModelFacts:
    return ModelFacts(path="/m/x", name="x", format="safetensors", details={"quantization-method": method})


def gpu(capability: str | None) -> MachineFacts:
    card = NvidiaGpu(index=0, name="NVIDIA A100", compute_capability=capability)
    return MachineFacts(nvidia=NvidiaFacts(nvml="ok", devices=(card,)))


def findings(
    method: str, *packages: str, torch: TorchFacts | None = None, machine: MachineFacts | None = None
) -> list[Finding]:
    installed = tuple(Package(name=name, version=version) for name, _, version in (p.partition("==") for p in packages))
    target = InterpreterFacts(path="/p", packages=installed)
    return list(quantization_unsupported(ModelFiles(files=(model(method),)), target, torch, machine))


@pytest.mark.parametrize(
    ("method", "packages", "needed"),
    [
        pytest.param("gptq", ["transformers==4.45.2", "optimum==1.2"], "auto-gptq", id="gptq-then"),
        pytest.param("gptq", ["transformers==5.1.0"], "gptqmodel, optimum", id="gptq-now"),
        pytest.param("awq", ["transformers==4.50.0", "gptqmodel==2.0", "accelerate==1.0"], "autoawq", id="awq-then"),
        pytest.param("bitsandbytes", ["transformers==4.50.0", "accelerate==1.0"], "bitsandbytes", id="bitsandbytes"),
        pytest.param(
            "bitsandbytes",
            ["transformers==5.0.0", "accelerate==1.0", "bitsandbytes==0.45.0"],
            "bitsandbytes>=0.46.1",
            id="too-old",
        ),
        pytest.param("compressed-tensors", ["transformers==4.57.1"], "compressed-tensors", id="compressed-tensors"),
    ],
)
def test_a_package_is_missing(method: str, packages: list[str], needed: str) -> None:
    (found,) = findings(method, *packages)
    assert found.severity is Severity.BLOCKING
    assert {each.name: each.value for each in found.evidence}["needed"] == needed
    assert found.values["requirement"] == needed.replace(", ", " ")
    assert found.remedies[0] == "install-required-version"


def test_without_its_kernels_it_is_unpacked() -> None:
    (found,) = findings("mxfp4", "transformers==4.57.1", "triton==3.4.0")
    assert (found.severity, found.values["requirement"]) == (Severity.WARNING, "kernels")


def test_transformers_is_too_old_for_the_method() -> None:
    (found,) = findings("mxfp4", "transformers==4.50.0")
    assert found.values["requirement"] == "transformers>=4.55"


@pytest.mark.parametrize(
    ("version", "capability", "severity"),
    [
        pytest.param("4.50.0", "8.9", Severity.BLOCKING, id="only-hopper-then"),
        pytest.param("4.57.1", "8.0", Severity.BLOCKING, id="refused"),
        pytest.param("5.0.0", "8.0", Severity.WARNING, id="unpacked"),
        pytest.param("4.57.1", "8.9", None, id="new-enough"),
    ],
)
def test_fp8_and_the_gpu(version: str, capability: str, severity: Severity | None) -> None:
    found = findings("fp8", f"transformers=={version}", "accelerate==1.0", machine=gpu(capability))
    assert [each.severity for each in found] == ([severity] if severity else [])


def test_no_gpu_at_all() -> None:
    (found,) = findings("eetq", "transformers==5.0.0", "kernels==0.18.2", "accelerate==1.0", torch=NO_GPU)
    assert {each.name: each.value for each in found.evidence}["needed"] == "GPU"


@pytest.mark.parametrize(
    ("method", "packages", "torch"),
    [
        pytest.param("gptq", ["transformers==4.50.0", "gptqmodel==2.0", "optimum==1.24"], NO_GPU, id="all-there"),
        pytest.param("gptq", ["transformers==5.1.0", "vllm==0.11"], NO_GPU, id="vllm-brings-its-own"),
        pytest.param("eetq", ["transformers==5.0.0", "kernels==0.18", "accelerate==1"], None, id="torch-not-asked"),
        pytest.param(
            "eetq",
            ["transformers==5.0.0", "kernels==0.18", "accelerate==1"],
            TorchFacts(cuda_available=False, xpu_available=True),
            id="another-gpu",
        ),
    ],
)
def test_silent(method: str, packages: list[str], torch: TorchFacts | None) -> None:
    assert findings(method, *packages, torch=torch) == []


def test_nothing_is_fine_where_nothing_could_read_it() -> None:
    with pytest.raises(NotHere) as raised:
        findings("gptq", "torch==2.8.0", torch=NO_GPU)
    assert (raised.value.fact, raised.value.reason) == ("transformers", "not-installed")


def test_what_is_not_known_is_not_judged() -> None:
    with pytest.raises(NotInTable):
        findings("zebra", "transformers==5.1.0")
    with pytest.raises(NotInTable):
        findings("gptq", "transformers==4.30.0")
    with pytest.raises(Unread):
        findings("fp8", "transformers==4.57.1", "accelerate==1.0", machine=gpu(None))


def test_the_rows_of_a_method_follow_one_another() -> None:
    rows = QuantizationMethodsTable.read().rule
    for method in {row.method for row in rows}:
        mine = [row for row in rows if row.method == method]
        assert mine[-1].before is None
        for earlier, later in itertools.pairwise(mine):
            assert earlier.before == later.since
            assert release(earlier.since) < release(later.since)
        assert rule_for(method, mine[0].since) is mine[0]
        assert rule_for(method, "99") is mine[-1]


def test_a_model_of_apples_framework_is_not_checked() -> None:
    with pytest.raises(NotHere):
        findings("mlx", "transformers==5.1.0")

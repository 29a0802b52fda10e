"""From what a probe told to the typed fact. The recordings are real answers; each says of what, and when."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from checks.analysis.gpu.state import ran_on_cuda
from checks.engine.catalogues.probes import PROBES, ProbeSpec, read_answer
from checks.engine.processes.runner import Answer
from checks.facts import ErrorText, FrameworkFacts, ProbeRun, ProviderStart, StageRun, TorchFacts

RECORDINGS = Path(__file__).parents[3] / "recordings" / "probes"


def spec(probe: str) -> ProbeSpec:
    return next(each for each in PROBES if each.id == probe)


def recorded(name: str) -> Any:
    """The fact that a recorded answer gives."""
    plain = json.loads((RECORDINGS / f"{name}.json").read_text(encoding="utf-8"))
    run = msgspec.convert(plain["run"], ProbeRun)
    return read_answer(spec(run.probe), Answer(plain["facts"], run))


def answer(facts: dict[str, Any], *stages: StageRun, probe: str = "torch", status: str = "ok") -> Answer:
    run = ProbeRun(probe=probe, interpreter="/home/user/venv/bin/python", status=status, stages=stages)
    return Answer(facts, run)


@pytest.mark.parametrize("path", sorted(RECORDINGS.glob("*.json")), ids=lambda path: path.stem)
def test_every_recording_is_read_without_loss(path: Path) -> None:
    fact = recorded(path.stem)
    told = json.loads(path.read_text(encoding="utf-8"))["facts"]
    assert isinstance(fact, FrameworkFacts)
    assert fact.imported is True
    assert fact.version
    assert fact.location
    assert fact.loaded_libraries
    assert set(fact.unread) == set(told.get("unread", {}))
    read = msgspec.to_builtins(fact)
    # Nothing that the probe told is dropped, except what stands for its own absence.
    assert told.keys() - {"unread"} <= read.keys() | {name for name, value in told.items() if value is None}


def test_torch_for_the_cpu() -> None:
    torch = recorded("torch-2.13.0-cpu")
    assert (torch.version, torch.build, torch.cuda_version, torch.arch_list) == ("2.13.0+cpu", "cpu", "", ())
    assert [(device.device, device.kernel.correct) for device in torch.devices] == [("cpu", True)]
    assert torch.settings["torch.backends.cudnn.allow_tf32"] is True
    assert torch.numpy_bridge.correct is True


def test_onnxruntime_gpu_that_falls_back() -> None:
    """Session creation succeeds, and the reason is only printed."""
    runtime = recorded("onnxruntime-gpu-1.31.1-without-cuda")
    providers = {provider.name: provider for provider in runtime.providers}
    assert providers["CPUExecutionProvider"] == ProviderStart(
        name="CPUExecutionProvider", started=True, fell_back=False
    )
    cuda = providers["CUDAExecutionProvider"]
    assert (cuda.started, cuda.fell_back) == (False, True)
    assert "libcublasLt.so.13: cannot open shared object file" in (cuda.error or "")
    assert "\x1b" not in (cuda.error or "")
    assert runtime.cuda_version == "13.0"


def test_a_provider_without_a_device_is_not_tried() -> None:
    runtime = recorded("onnxruntime-1.31.1")
    assert [(provider.name, provider.started) for provider in runtime.providers] == [
        ("CPUExecutionProvider", True),
        ("AzureExecutionProvider", None),
    ]


def test_jax_whose_cuda_plugin_finds_no_cuda() -> None:
    jax = recorded("jax-0.10.2-cuda12-plugin-without-cuda")
    assert jax.plugins == ("jax-cuda12-plugin 0.10.2", "jax-cuda12-pjrt 0.10.2")
    assert (jax.default_backend, jax.cuda_version) == ("cpu", "12.9")
    assert any("Unable to load CUDA. Is it installed?" in warning for warning in jax.warnings)


def test_a_card_that_computes() -> None:
    torch = recorded("torch-2.11.0-cuda13-h100")
    assert (torch.build, torch.cuda_version, torch.cudnn_version, torch.cuda_error) == ("cuda", "13.0", "9.19.0", None)
    assert "sm_90" in torch.arch_list
    (card,) = [device for device in torch.devices if device.device == "cuda:0"]
    assert (card.name, card.compute_capability, card.pci_address) == ("NVIDIA H100 80GB HBM3", "9.0", "0000:00:06.0")
    assert card.kernel.correct
    jax = recorded("jax-0.11.2-cuda13-h100")
    assert (jax.default_backend, jax.cuda_version) == ("gpu", "13.0")
    assert [(device.device, device.kernel.correct) for device in jax.devices] == [("gpu:0", True), ("cpu:0", True)]
    assert ran_on_cuda(torch)
    assert ran_on_cuda(jax)
    assert not ran_on_cuda(recorded("torch-2.13.0-cpu"))


def test_litert_without_the_library_of_the_edge_tpu() -> None:
    for name, package in (("ai-edge-litert-2.3.0", "ai-edge-litert"), ("tflite-runtime-2.14.0", "tflite-runtime")):
        litert = recorded(name)
        assert (litert.package, litert.edgetpu_delegate) == (package, False)
        assert "libedgetpu.so.1" in litert.edgetpu_error


def test_an_import_that_raised() -> None:
    error = ErrorText(type="ImportError", message="libcudnn.so.9: cannot open shared object file")
    fact = read_answer(
        spec("torch"),
        answer(
            {"version": "2.6.0+cu124", "cuda_version": "12.4"},
            StageRun(name="build", ended=True),
            StageRun(name="imported", ended=True, error=error),
            status="failed",
        ),
    )
    assert fact == TorchFacts(
        origin="ask/torch.py in /home/user/venv/bin/python",
        version="2.6.0+cu124",
        cuda_version="12.4",
        imported=False,
        error=error,
    )


def test_an_import_that_crashed_is_neither_done_nor_refused() -> None:
    fact = read_answer(
        spec("torch"),
        answer(
            {"version": "2.6.0+cu124"},
            StageRun(name="build", ended=True),
            StageRun(name="imported"),
            status="crashed",
        ),
    )
    assert isinstance(fact, TorchFacts)
    assert (fact.imported, fact.version) == (None, "2.6.0+cu124")


def test_a_probe_that_told_nothing_gives_no_fact() -> None:
    assert read_answer(spec("torch"), answer({}, status="not-started")) is None


def test_the_machine_is_read_elsewhere() -> None:
    assert read_answer(spec("machine"), answer({"os": {}}, probe="machine")) is None


def test_a_field_of_a_wrong_type_is_left_out_and_named() -> None:
    facts = {
        "version": "2.6.0",
        "threads": "four",
        "devices": [{"name": "no device"}],
        "unread": {"debug": "why"},
        "x": 1,
    }
    fact = read_answer(spec("torch"), answer(facts, StageRun(name="imported", ended=True)))
    assert isinstance(fact, TorchFacts)
    assert (fact.version, fact.imported, fact.threads, fact.devices) == ("2.6.0", True, None, None)
    assert fact.unread.keys() == {"debug", "threads", "devices"}
    assert "int" in fact.unread["threads"]


@pytest.mark.parametrize("unread", ["text", ["a"], None, {"a": 1}])
def test_reasons_of_a_wrong_type(unread: object) -> None:
    fact = read_answer(spec("torch"), answer({"version": "2.6.0", "unread": unread}))
    assert isinstance(fact, TorchFacts)
    assert fact.unread == ({"a": "1"} if isinstance(unread, dict) else {})


@pytest.mark.parametrize("probe", PROBES, ids=lambda probe: probe.id)
def test_every_probe_has_limits_that_leave_room(probe: ProbeSpec) -> None:
    limits = [probe.time_limit(effort) for effort in ("quick", "standard", "thorough")]
    assert limits == sorted(limits)
    assert limits[0] > 5 * probe.expected_seconds
    assert probe.script.is_file()
    json.dumps(probe.argument())


def test_the_frameworks_are_asked_by_the_names_of_their_packages() -> None:
    assert "onnxruntime-gpu" in spec("onnxruntime").distributions
    assert spec("environment").distributions == ()
    assert all(probe.distributions for probe in PROBES if probe.id not in {"machine", "nvidia", "environment"})

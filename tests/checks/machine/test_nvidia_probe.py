"""The NVML probe behind the real nvidia-ml-py, with a library that plays recordings: no GPU needed."""

import importlib
import json
import sys
from pathlib import Path

import pynvml
import pytest
from support import nvml_player

from checks.engine.processes.runner import ProbeTask, run_probe
from checks.engine.scripts import script_of
from checks.facts import EccCounts, PciLink, RowRemaps
from checks.machine.nvidia import from_nvml
from checks.probes.ask import nvidia as nvidia_probe

RECORDINGS = Path(__file__).parents[2] / "recordings" / "nvml"
ERRORS = sorted(name for name in vars(pynvml) if name.startswith("NVML_ERROR_"))


def recording(name="h100"):
    return json.loads((RECORDINGS / f"{name}.json").read_text(encoding="utf-8"))


@pytest.fixture
def probed(monkeypatch):
    """Play a recording to the probe's stages in this process; the facts that come of it."""
    monkeypatch.setattr(pynvml, "nvmlLib", None)
    monkeypatch.setattr(pynvml, "_nvmlGetFunctionPointer_cache", {})

    def run(played):
        nvml_player.play(played)
        facts = {}
        for stage in importlib.reload(nvidia_probe).STAGES:
            unread = {**facts.get("unread", {}), **(answer := stage({})).get("unread", {})}
            facts |= answer | {"unread": unread}
        return from_nvml(json.loads(json.dumps(facts)))

    yield run
    importlib.reload(nvidia_probe)  # it remembers what answered


@pytest.fixture
def probed_for_real(tmp_path):
    """Play a recording to the probe in a process of its own, as the engine runs it."""

    def run(played, seconds=20.0):
        file = tmp_path / "recording.json"
        file.write_text(json.dumps(played), encoding="utf-8")
        here = str(Path(nvml_player.__file__).parent)
        (tmp_path / "sitecustomize.py").write_text(
            f"import sys\nsys.path.insert(0, {here!r})\nimport nvml_player\nnvml_player.install({str(file)!r})\n",
            encoding="utf-8",
        )
        return run_probe(
            ProbeTask(
                probe="nvidia",
                script=script_of("ask/nvidia"),
                interpreter=sys.executable,
                time_limit=seconds,
                environment={"PYTHONPATH": str(tmp_path)},
            )
        )

    return run


def test_healthy_h100_in_full(probed):
    facts = probed(recording())
    assert (facts.nvml, facts.driver_version, facts.cuda_driver_version) == ("ok", "580.159.04", "13.0")
    assert facts.device_errors == {}
    first, second = facts.devices
    assert (first.index, second.index) == (0, 1)
    assert (first.name, first.architecture, first.compute_capability) == ("NVIDIA H100 80GB HBM3", "Hopper", "9.0")
    assert (first.pci_address, first.pci_device_id, first.pci_subsystem_id) == ("0000:18:00.0", "2330", "16c110de")
    assert first.memory_total == 81559 * 1024**2
    assert first.ecc == EccCounts(
        corrected_volatile=0, uncorrected_volatile=0, corrected_aggregate=0, uncorrected_aggregate=0
    )
    assert first.row_remaps == RowRemaps(correctable=0, uncorrectable=0, pending=False, failure=False)
    assert first.throttle_reasons == ("GpuIdle",)
    assert (first.power, first.power_limit, first.temperature, first.temperature_slowdown) == (71.244, 700.0, 31, 89)
    assert (first.clock_sm, first.clock_sm_max, first.clock_memory, first.clock_memory_max) == (345, 1980, 2619, 2619)
    assert first.link == PciLink(width=16, width_max=16, generation=5, generation_max=5)
    assert (first.nvlinks_active, first.nvlinks_inactive, first.fabric_state) == (18, 0, "completed")
    assert (first.mig_enabled, first.mig_instances, first.recovery_action) == (False, (), "none")
    assert (first.compute_mode, first.brand, first.persistence_mode) == ("default", "nvidia", True)
    assert [(process.pid, process.name, process.used_memory) for process in first.processes] == [
        (4242, "python3.12", 524288000)
    ]
    assert first.unread == {
        "retired_pages": "NVML_ERROR_NOT_SUPPORTED",
        "retired_pages_pending": "NVML_ERROR_NOT_SUPPORTED",
    }


def test_a_geforce_says_what_it_does_not_support(probed):
    gpu = probed(recording("gtx1650")).devices[0]
    assert (gpu.name, gpu.brand, gpu.display_active) == ("NVIDIA GeForce GTX 1650", "geforce", True)
    assert gpu.ecc is None
    assert gpu.ecc_enabled is None
    assert gpu.unread["ecc_enabled"] == gpu.unread["ecc.corrected_volatile"] == "NVML_ERROR_NOT_SUPPORTED"
    assert gpu.unread["recovery_action"] == gpu.unread["nvlinks_active"] == "NVML_ERROR_NOT_SUPPORTED"
    assert [(process.pid, process.name, process.used_memory) for process in gpu.processes] == [(1777, None, None)]


def test_mig(probed):
    played = recording()
    played["devices"][0] |= {
        "nvmlDeviceGetMigMode": [1, 1],
        "nvmlDeviceGetMaxMigDeviceCount": 7,
        "nvmlDeviceGetMigDeviceHandleByIndex": 0,
        "mig": [
            {
                "nvmlDeviceGetName": "NVIDIA H100 80GB HBM3 MIG 1g.10gb",
                "nvmlDeviceGetMemoryInfo": {"total": 9984 << 20, "free": 9984 << 20, "used": 0},
            }
        ],
    }
    (instance,) = probed(played).devices[0].mig_instances
    assert (instance.index, instance.profile, instance.memory_total) == (0, "1g.10gb", 9984 << 20)


def test_damaged_memory_and_a_hot_card(probed):
    played = recording()
    played["devices"][0] |= {
        "nvmlDeviceGetRetiredPages": {"by": {"0": [4096, 8192], "1": [12288]}},
        "nvmlDeviceGetRetiredPagesPendingStatus": 1,
        "nvmlDeviceGetRemappedRows": [2, 1, 1, 1],
        "nvmlDeviceGetCurrentClocksThrottleReasons": 0x48,
        "nvmlDeviceGetFieldValues": {"230": 1},
    }
    gpu = probed(played).devices[0]
    assert gpu.row_remaps == RowRemaps(correctable=2, uncorrectable=1, pending=True, failure=True)
    assert gpu.throttle_reasons == ("HwSlowdown", "HwThermalSlowdown")
    assert gpu.recovery_action == "reset"
    assert gpu.retired_pages_pending is True


def test_one_lost_gpu_does_not_hide_the_other(probed):
    played = recording()
    played["devices"][0]["nvmlDeviceGetHandleByIndex_v2"] = "NVML_ERROR_GPU_IS_LOST"
    facts = probed(played)
    assert facts.device_errors == {"0": "NVML_ERROR_GPU_IS_LOST"}
    assert [gpu.index for gpu in facts.devices] == [1]


@pytest.mark.parametrize("error", ERRORS)
def test_every_error_at_the_start(probed, error):
    facts = probed({"init": error})
    known = {"NVML_ERROR_LIBRARY_NOT_FOUND": "library-not-found"}
    assert facts.nvml == known.get(error, error)
    assert facts.devices is None


@pytest.mark.parametrize("error", ERRORS)
def test_every_error_in_every_field(probed, error):
    played = recording()
    played["devices"][0] = dict.fromkeys(played["devices"][0], error)
    facts = probed(played)
    gpu = facts.devices[0]
    assert set(gpu.unread.values()) == {error}
    told = {"origin", "unread", "index"}
    assert [name for name in gpu.__struct_fields__ if name not in told and getattr(gpu, name) is not None] == []
    assert facts.devices[1].name == "NVIDIA H100 80GB HBM3"


@pytest.mark.parametrize("error", ERRORS)
def test_every_error_of_a_handle(probed, error):
    played = recording()
    played["devices"][1]["nvmlDeviceGetHandleByIndex_v2"] = error
    assert probed(played).device_errors == {"1": error}


def test_an_error_without_a_name_keeps_its_number(probed, monkeypatch):
    monkeypatch.setattr(nvml_player, "code", lambda name: 77)
    assert probed({"init": "NVML_ERROR_UNKNOWN"}).nvml == "NVML_ERROR_77"


def test_an_old_library_without_newer_functions(probed):
    played = recording()
    for device in played["devices"]:
        del device["nvmlDeviceGetGpuFabricInfoV"], device["nvmlDeviceGetRemappedRows"]
    gpu = probed(played).devices[0]
    assert gpu.unread["fabric_state"] == gpu.unread["row_remaps"] == "NVML_ERROR_FUNCTION_NOT_FOUND"


def test_in_a_process_of_its_own(probed_for_real):
    answer = probed_for_real(recording())
    assert answer.run.status == "ok"
    assert [stage.name for stage in answer.run.stages] == ["library", "start", "driver", "gpu_0", "gpu_1"]
    assert [gpu.name for gpu in from_nvml(answer.facts).devices] == ["NVIDIA H100 80GB HBM3"] * 2


def test_a_driver_that_hangs_names_the_gpu(probed_for_real):
    played = recording()
    played["devices"][1]["nvmlDeviceGetHandleByIndex_v2"] = "hang"
    answer = probed_for_real(played, seconds=1.0)
    assert (answer.run.status, answer.run.last_stage) == ("timed-out", "gpu_1")
    facts = from_nvml(answer.facts)
    assert [gpu.index for gpu in facts.devices] == [0]
    assert facts.device_errors == {"1": "no-answer"}


def test_a_driver_that_hangs_at_the_start(probed_for_real):
    answer = probed_for_real({"init": "hang"}, seconds=2.0)
    assert (answer.run.status, answer.run.last_stage) == ("timed-out", "start")
    assert from_nvml(answer.facts).unread["nvml"] == "no-answer"


def test_this_machine_for_real():
    answer = run_probe(ProbeTask(probe="nvidia", script=script_of("ask/nvidia"), interpreter=sys.executable))
    assert answer.run.status == "ok"
    assert answer.facts["nvml"] in ("ok", "library-not-found", *ERRORS)


def test_a_real_card_in_a_virtual_machine(probed):
    """Recorded on 2026-11-22 by tests/tools/record_nvml.py: no links to other GPUs, nothing wrong."""
    facts = probed(recording("h100-virtual-machine"))
    (card,) = facts.devices
    assert (facts.nvml, facts.driver_version, facts.cuda_driver_version) == ("ok", "580.159.04", "13.0")
    assert (card.name, card.compute_capability, card.memory_total) == ("NVIDIA H100 80GB HBM3", "9.0", 85520809984)
    assert card.ecc_enabled
    assert card.ecc == EccCounts(
        corrected_volatile=0, uncorrected_volatile=0, corrected_aggregate=0, uncorrected_aggregate=0
    )
    assert (card.fabric_state, card.recovery_action) == ("not-supported", "none")
    assert card.unread.keys() == {"retired_pages", "retired_pages_pending", "nvlinks_active"}

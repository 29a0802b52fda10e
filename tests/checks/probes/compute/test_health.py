"""The load whose every result is checked: right on a sound device, and with a planted fault each wrong bit is told."""

import ctypes
import importlib
import itertools
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import msgspec
import pytest
import torch

from checks.engine.catalogues.computations import measurements_of
from checks.engine.processes.runner import Answer
from checks.facts import Health, LogEntry, ProbeRun


@pytest.fixture(scope="module")
def health() -> ModuleType:
    return importlib.import_module("checks.probes.compute.torch.health")


@pytest.fixture(scope="module")
def telemetry() -> ModuleType:
    return importlib.import_module("checks.probes.compute.telemetry")


@pytest.fixture(autouse=True)
def _small(health: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "SIZES", {"cpu": 64})
    monkeypatch.setattr(health, "MEMORY_OF_PROCESSOR", 1 << 20)
    monkeypatch.setattr(health, "CHUNK", 1 << 16)
    monkeypatch.setattr(health, "BEAT", 0.0)


def told(health: ModuleType, turns: int) -> tuple[Health, list[dict[str, Any]]]:
    """The fact and the samples of a load of so many looks."""
    lines = list(health.stage({"device": "cpu"}, Turns(turns)))
    samples = [sample for line in lines for sample in line.get("watched+", ())]
    (raw,) = lines[-1]["measurements+"]
    return msgspec.convert(raw, Health), samples


class Turns:
    """A clock that is over after so many looks at it."""

    def __init__(self, turns: int, seconds: float = 0.0) -> None:
        self.seconds = seconds
        self._looks = 2 * turns  # two looks in a turn

    @property
    def left(self) -> float:
        self._looks -= 1
        return float(self._looks > 0)


def test_a_sound_device_has_no_wrong_bit(health: ModuleType) -> None:
    fact, samples = told(health, 9)
    assert fact.wrong == ()
    assert fact.error is None
    assert fact.checked >= 10
    assert fact.bytes_checked > 2 << 20  # the memory twice
    assert len(samples) == len(fact.samples) == 9
    assert samples[-1]["wrong"] == 0
    assert fact.length is not None


def test_however_short_the_time_something_is_checked(health: ModuleType) -> None:
    fact, samples = told(health, 0)
    assert fact.checked >= 2
    assert len(samples) == 1


def test_of_a_day_so_many_samples_are_told_that_the_answer_has_room_for_them(health: ModuleType) -> None:
    """The runner reads 8 MiB of an answer; at each half second, a day has more samples than that."""
    lines = list(health.stage({"device": "cpu"}, Turns(9, seconds=1e9)))
    (raw,) = lines[-1]["measurements+"]
    assert len(raw["samples"]) == 2  # the first and the last, of nine
    assert raw["samples"][-1]["checked"] == raw["checked"]


def flipped(tensor: torch.Tensor, place: int, bit: int) -> torch.Tensor:
    """The same with one bit turned over."""
    changed = tensor.clone()
    words = changed.view(torch.int32).view(-1)
    words[place] ^= 1 << bit
    return changed


@pytest.fixture
def after(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Plants a fault: from the given product on, one bit of each is wrong."""

    def plant(number: int) -> None:
        right, count = torch.Tensor.__matmul__, iter(range(1 << 30))

        def multiply(self: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
            product = right(self, other)
            if product.dtype != torch.float32 or next(count) < number:
                return product
            return flipped(product, 130, 20)

        monkeypatch.setattr(torch.Tensor, "__matmul__", multiply)

    return plant


def test_one_flipped_bit_is_told_with_its_place_and_both_bits(health: ModuleType, after: Callable[[int], None]) -> None:
    after(3)
    fact, _ = told(health, 6)
    assert fact.wrong
    first = fact.wrong[0]
    assert (first.operation, first.index, first.elements) == ("matmul-float32", (2, 2), 1)
    assert int(first.expected, 16) ^ int(first.found, 16) == 1 << 20
    assert fact.samples[-1].wrong == len(fact.wrong)


@pytest.mark.parametrize("status", ["cancelled", "crashed"])
def test_a_load_that_is_ended_in_the_middle_keeps_what_was_checked_and_what_was_wrong(
    health: ModuleType, after: Callable[[int], None], status: str
) -> None:
    after(3)
    facts: dict[str, Any] = {}
    for line in itertools.islice(health.stage({"device": "cpu"}, Turns(20)), 8):
        for name, value in line.items():  # as the host's lines are put together
            if name.endswith("+"):
                facts.setdefault(name[:-1], []).extend(value)
            else:
                facts[name] = value
    (cut,) = measurements_of(Answer(facts, ProbeRun(probe="computations:torch:cpu", status=status)), "health")
    assert isinstance(cut, Health)
    assert cut.reason == status
    assert len(cut.samples) == 7
    assert cut.checked == cut.samples[-1].checked > 7
    assert cut.bytes_checked > 0
    assert len(cut.wrong) == cut.samples[-1].wrong > 0


def test_a_first_product_that_is_wrong_is_found_by_its_sums(health: ModuleType, after: Callable[[int], None]) -> None:
    after(0)
    fact, _ = told(health, 3)
    assert fact.wrong[0].operation == "matmul-float32"
    assert fact.wrong[0].index == ()
    assert fact.wrong[0].elements == 1  # column
    assert len(fact.wrong) == 1  # the later ones are as the first


def test_memory_that_loses_a_bit_is_told(health: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = health.Memory(torch, "cpu", 1 << 20)
    assert memory.check() == (1 << 20, None)
    copy = torch.Tensor.copy_

    def losing(self: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
        copy(self, other)
        if self.dtype == torch.int32 and self.storage_offset() == 1 << 16:
            self[5] ^= 2
        return self

    monkeypatch.setattr(torch.Tensor, "copy_", losing)
    checked, wrong = memory.check()
    operation, index, expected, found, elements = wrong
    assert (checked, operation, index, elements) == (1 << 20, "memory", [(1 << 16) + 5], 1)
    assert int(expected, 16) ^ int(found, 16) == 2


@pytest.mark.parametrize("start", [0, 1 << 23, (1 << 31) - 8, 3 << 30, 10 << 30])
def test_the_pattern_goes_on_beyond_what_32_bits_count(health: ModuleType, start: int) -> None:
    """A card of 80 GB has room for ten thousand million words."""
    memory = health.Memory(torch, "cpu", 1 << 20)
    words = [(start + place) * health.FACTOR + 0x3C6EF35F for place in range(64)]
    found = memory._pattern(start, torch.empty(64, dtype=torch.int32)).tolist()
    assert [each % (1 << 32) for each in found] == [word % (1 << 32) for word in words]


def test_a_device_that_is_gone_at_the_start_is_told(health: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(*_: object) -> None:
        raise RuntimeError("CUDA error: device-side assert triggered")

    monkeypatch.setattr(health, "pci_address", lost)
    fact, samples = told(health, 3)
    assert (fact.reason, fact.checked, samples) == ("failed", 0, [])
    assert fact.error is not None


def test_a_device_that_is_lost_in_the_middle_keeps_what_was_seen(
    health: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lost(self: object) -> None:
        raise RuntimeError("CUDA error: unspecified launch failure")

    monkeypatch.setattr(health.Memory, "check", lost)
    fact, samples = told(health, 8)
    assert fact.reason == "failed"
    assert fact.error is not None
    assert "launch failure" in fact.error.message
    assert len(samples) == len(fact.samples) == health.MEMORY_TURN - 1
    assert fact.checked > 0


@pytest.mark.parametrize(("integrated", "room"), [(0, 4 << 30), (1, 1 << 30)])
def test_a_gpu_within_the_processor_leaves_the_machine_its_memory(
    health: ModuleType, monkeypatch: pytest.MonkeyPatch, integrated: int, room: int
) -> None:
    card = SimpleNamespace(is_integrated=integrated)
    cuda = SimpleNamespace(mem_get_info=lambda device: (8 << 30, 8 << 30), get_device_properties=lambda device: card)
    monkeypatch.setattr(health, "available_memory", lambda: 4 << 30)
    load = health.Load(SimpleNamespace(cuda=cuda), "cuda:0", health.telemetry.Nothing())
    assert load._room() == room


# --- telemetry --------------------------------------------------------------------------------------------------------


class Nvml:
    """Answers as libnvidia-ml does: a code, and the value in the last argument."""

    def __init__(self, missing: tuple[str, ...] = (), xids: tuple[int, ...] = (), cards: int = 1) -> None:
        self._missing, self._xids, self._cards = missing, iter(xids), cards
        self.ecc = iter((5, 0, 7, 0))

    def __getattr__(self, name: str) -> Callable[..., int]:
        if name in self._missing:
            raise AttributeError(name)
        return lambda *given: self._answer(name, given)

    def _answer(self, name: str, given: tuple[Any, ...]) -> int:
        if name == "nvmlDeviceGetHandleByPciBusId_v2":
            return 0 if given[0] == b"0000:01:00.0" else 6  # NVML_ERROR_NOT_FOUND
        if name == "nvmlDeviceGetCount_v2":
            given[0]._obj.value = self._cards
            return 0
        if name == "nvmlEventSetWait_v2":
            code = next(self._xids, None)
            if code is None:
                return 10  # NVML_ERROR_TIMEOUT
            given[1]._obj.kind, given[1]._obj.data = 8, code
            return 0
        if name == "nvmlDeviceGetUtilizationRates":
            given[1]._obj.gpu = 97
            return 0
        if name == "nvmlDeviceGetTemperatureV":
            asked = given[1]._obj
            asked.temperature = 71
            return 0 if (asked.version, asked.kind) == (0x100000C, 0) else 25  # NVML_ERROR_ARGUMENT_VERSION_MISMATCH
        values = {
            "nvmlDeviceGetTemperature": 71,
            "nvmlDeviceGetClockInfo": 1980 if given[1:2] == (1,) else 10501,
            "nvmlDeviceGetPowerUsage": 312_500,
            "nvmlDeviceGetCurrentClocksEventReasons": 0x24,
            "nvmlDeviceGetCurrentClocksThrottleReasons": 0x24,
        }
        if name == "nvmlDeviceGetTotalEccErrors":
            given[-1]._obj.value = next(self.ecc)
        elif name in values:
            given[-1]._obj.value = values[name]
        return 3 if name == "nvmlDeviceGetRemappedRows" else 0  # NVML_ERROR_NOT_SUPPORTED


def test_nvml_tells_heat_clocks_power_and_errors(telemetry: ModuleType) -> None:
    card = telemetry.Nvml(Nvml(xids=(13, 79)), "0000:01:00.0")
    assert card.sample() == {
        "temperature": 71,
        "clock_sm": 1980,
        "clock_memory": 10501,
        "power": 312.5,
        "utilization": 97,
        "throttle_mask": 0x24,
    }
    assert card.counts() == {"ecc_corrected": 5, "ecc_uncorrected": 0}
    assert card.counts() == {"ecc_corrected": 7, "ecc_uncorrected": 0}
    assert card.xids() == [13, 79]
    assert card.xids() == []


def test_a_newer_nvml_tells_the_temperature_by_another_name(telemetry: ModuleType) -> None:
    """CUDA 14 is to remove the function of old."""
    assert telemetry.Nvml(Nvml(("nvmlDeviceGetTemperature",)), "0000:01:00.0").sample()["temperature"] == 71
    missing = ("nvmlDeviceGetTemperature", "nvmlDeviceGetTemperatureV")
    assert "temperature" not in telemetry.Nvml(Nvml(missing), "0000:01:00.0").sample()


def test_what_an_older_nvml_lacks_is_left_out(telemetry: ModuleType) -> None:
    names = ("nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons")  # new, old
    missing = (*names, "nvmlDeviceGetRemappedRows", "nvmlEventSetCreate")
    card = telemetry.Nvml(Nvml(missing), "0000:01:00.0")
    assert "throttle_mask" not in card.sample()
    for name in names:
        assert telemetry.Nvml(Nvml((name,)), "0000:01:00.0").sample()["throttle_mask"] == 0x24
    assert card.xids() is None


def test_the_only_card_is_found_without_its_address(telemetry: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """PyTorch tells addresses since 2.8."""
    monkeypatch.setattr(telemetry, "_nvml_library", Nvml)
    assert telemetry.of_device("cuda:0", is_nvidia=True).sample()["temperature"] == 71
    assert type(telemetry.of_device("cuda:0")) is telemetry.Nothing
    monkeypatch.setattr(telemetry, "_nvml_library", lambda: Nvml(cards=2))
    assert type(telemetry.of_device("cuda:0", is_nvidia=True)) is telemetry.Nothing


def test_another_vendors_card_is_asked_in_sysfs(telemetry: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(telemetry, "_nvml_library", Nvml)
    assert isinstance(telemetry.of_device("cuda:0", "0000:09:00.0"), telemetry.Sysfs)
    assert isinstance(telemetry.of_device("cuda:0", "0000:01:00.0"), telemetry.Nvml)
    assert type(telemetry.of_device("mps")) is telemetry.Nothing


def files(folder: Path, **content: str) -> Path:
    folder.mkdir(parents=True)
    for name, text in content.items():
        (folder / name).write_text(text + "\n")
    return folder


def test_sysfs_of_a_card(telemetry: ModuleType, tmp_path: Path) -> None:
    files(tmp_path / "hwmon" / "hwmon4", temp1_input="64000", freq1_input="2305000000", power1_average="187000000")
    (tmp_path / "gpu_busy_percent").write_text("99\n")
    told = telemetry.Sysfs(str(tmp_path)).sample()
    assert told == {"temperature": 64, "clock_sm": 2305, "power": 187.0, "utilization": 99}
    assert telemetry.Sysfs(str(tmp_path / "none")).sample() == {}


def test_errors_that_amds_driver_counted(telemetry: ModuleType, tmp_path: Path) -> None:
    """The files as amdgpu_ras.c writes them; a sleeping RX 6000 tells of 1048560 errors that never were."""
    files(
        tmp_path / "ras",
        umc_err_count="ue: 1\nce: 12\nde: 3",
        gfx_err_count="ue: 0\nce: 2",
        sdma_err_count="ue: 1048560\nce: 1048560",
        mmhub_err_count="Query currently inaccessible",
        features="feature mask: 0x7",
    )
    assert telemetry.Sysfs(str(tmp_path)).counts() == {"ecc_uncorrected": 1, "ecc_corrected": 14}
    assert telemetry.Sysfs(str(tmp_path / "none")).counts() == {}


def test_counters_that_began_anew_tell_of_no_errors(health: ModuleType) -> None:
    class Sensors:
        def __init__(self) -> None:
            self.told = iter([{"ecc_corrected": 7, "ecc_uncorrected": 1}, {"ecc_corrected": 0, "ecc_uncorrected": 3}])

        def counts(self) -> dict[str, int]:
            return next(self.told)

        def xids(self) -> None:
            return None

    facts = health.Load(None, "cuda:0", Sensors()).facts()
    assert (facts["ecc_corrected"], facts["ecc_uncorrected"]) == (0, 2)


def test_sensors_of_the_processor(telemetry: ModuleType, tmp_path: Path) -> None:
    files(tmp_path / "class" / "hwmon" / "hwmon0", name="nvme", temp1_input="90000")
    files(tmp_path / "class" / "hwmon" / "hwmon1", name="coretemp", temp1_input="71000", temp2_input="83000")
    for core, clock in enumerate((3900000, 5200000)):
        files(tmp_path / "devices" / "system" / "cpu" / f"cpu{core}" / "cpufreq", scaling_cur_freq=str(clock))
    assert telemetry.Processor(str(tmp_path)).sample() == {"temperature": 83, "clock_sm": 5200}
    assert telemetry.Processor(str(tmp_path / "none")).sample() == {}


def test_the_event_is_laid_out_as_in_the_header(telemetry: ModuleType) -> None:
    assert ctypes.sizeof(telemetry._Event) == 32
    assert (telemetry._Event.kind.offset, telemetry._Event.data.offset) == (8, 16)


@pytest.mark.parametrize("entries", [[{"source": "kernel", "text": "NVRM: Xid (PCI:0000:01:00): 79, lost"}], [], None])
def test_what_the_systems_log_got_meanwhile_is_told(
    health: ModuleType, monkeypatch: pytest.MonkeyPatch, entries: list[dict[str, str]] | None
) -> None:
    """A log that may not be read is not an empty one."""

    class Watch:
        def entries(self, seconds: float) -> list[dict[str, str]] | None:
            assert seconds >= 0
            return entries

    monkeypatch.setattr(health.system_log, "Watch", Watch)
    fact, _ = told(health, 2)
    assert fact.log == (None if entries is None else msgspec.convert(entries, tuple[LogEntry, ...]))


def test_where_memory_is_short_the_load_is_smaller_and_says_so(
    health: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A card that others use: 40 MB are free, of the 400 that the load would like."""
    made = health.Product

    def product(torch: Any, device: str, dtype: Any, size: int, largest: int) -> Any:
        if size > 300:
            raise RuntimeError("CUDA out of memory. Tried to allocate 64.00 MiB. GPU 0 has a total capacity of ...")
        return made(torch, device, dtype, size, largest)

    monkeypatch.setattr(health, "SIZES", {"cpu": 1024})
    monkeypatch.setattr(health, "Product", product)
    fact, _ = told(health, 3)
    assert (fact.reason, fact.shrunk, fact.wrong) == ("", 2, ())
    assert fact.checked >= 3
    assert told(health, 1)[0].shrunk == 2


@pytest.mark.parametrize("text", ["CUDA out of memory. Tried to allocate 2 MiB", "CUDA error: unspecified"])
def test_a_load_that_cannot_begin_is_told(health: ModuleType, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    def refuse(*_: Any) -> Any:
        raise RuntimeError(text)

    monkeypatch.setattr(health, "Product", refuse)
    fact, samples = told(health, 3)
    assert (fact.reason, fact.checked, samples) == ("failed", 0, [])
    assert fact.error is not None
    assert fact.error.message == text

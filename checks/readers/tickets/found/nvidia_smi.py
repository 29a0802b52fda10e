"""nvidia-smi: its table (of all ages), ``-L``, ``-q`` and ``-q -x``, and what it says when it fails."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from checks.facts import EccCounts, GpuProcess, MigInstance, RowRemaps
from checks.machine.gpu_names import gpu_of_name
from checks.readers.tickets.found.gpus import GpuStatement
from checks.readers.tickets.text import Statement, Text

PROGRAM = "nvidia-smi"
MIB = 2**20
_BANNER = re.compile(r"NVIDIA-SMI\s{1,6}(\d{3}\.[\d.]{1,8})")
_BANNER_DRIVER = re.compile(r"(?:Driver|KMD) Version:\s{0,9}(\d{3}\.[\d.]{1,8})")
_BANNER_CUDA = re.compile(r"CUDA (?:UMD )?Version\s{0,40}:\s{0,9}(\d{1,2}\.\d{1,2})")
# |   0  NVIDIA GeForce RTX 3090        Off | 00000000:01:00.0  On |                  N/A |
_GPU_ROW = re.compile(
    r"^\|?\s{0,6}(?P<index>\d{1,2})\s{1,4}(?P<name>[A-Z][^|]{2,60}?)\s{1,30}(?:On|Off|N/A|TCC|WDDM|MCDM|WDDM/TCC)\s{0,6}\|"
    r"\s{0,6}(?P<bus>(?:[0-9A-Fa-f]{4,8}:)?[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-9A-Fa-f])\s{0,9}(?:On|Off|N/A)?\s{0,6}\|?"
    r"\s{0,24}(?P<ecc>\d{1,9}|Off|N/A)?"
)
# | 30%   40C    P8    20W / 350W |    500MiB / 24576MiB |      0%      Default |
_STATE_ROW = re.compile(
    r"(?:(?P<temperature>\d{1,3})C)?\s{0,6}(?:P(?P<state>\d{1,2}))?"
    r"\s{0,16}(?:(?P<power>\d{1,4})W|N/A|ERR!|Unknown Error)?[^|]{0,24}\|"
    r"\s{0,16}(?P<used>\d{1,7})MiB\s{0,3}/\s{0,8}(?P<total>\d{1,7})MiB\s{0,6}\|?\s{0,16}(?:(?P<use>\d{1,3})%|N/A)?\s{0,8}"
    r"(?P<mode>Default|E\. Process|E\. Thread|Prohibited|Exclusive_Process)?"
)
_MIG_ROW = re.compile(r"^\|?[\s|]{10,120}(Enabled|Disabled)\*?\s{0,4}\|?\s*$")
# |    0   N/A  N/A      1234      C   python      500MiB |
_PROCESS_ROW = re.compile(
    r"^\|?\s{1,8}(?P<index>\d{1,2})\s{1,8}(?:(?:N/A|\d{1,3})\s{1,8}){0,2}(?P<pid>\d{1,8})\s{1,8}(?:C\+G|C|G|M\+C)\s{1,8}(?P<name>\S.{0,80}?)\s{1,60}"
    r"(?:(?P<used>\d{1,7})MiB|N/A)\s{0,12}\|?$"
)
_LISTED = re.compile(
    r"^\s{0,8}GPU (\d{1,2}): ([^(\n]{3,80}?) \((?:UUID: (GPU-[\w-]{4,60})|[^)\n]{0,80})\)", re.MULTILINE
)
_MIG_LISTED = re.compile(r"^\s{1,8}MIG (\S{1,20})\s{1,12}Device\s{1,4}(\d{1,2}): \(UUID", re.MULTILINE)
_MODES = {
    "Default": "default", "E. Process": "exclusive-process", "Exclusive_Process": "exclusive-process",
    "E. Thread": "exclusive-thread", "Exclusive_Thread": "exclusive-thread", "Prohibited": "prohibited",
}  # fmt: skip
# What it says instead of a table -> what NVML calls it. The words: NVML's nvmlErrorString() and the program's own.
_FAILURES = (
    ("driver/library version mismatch", "NVML_ERROR_LIB_RM_VERSION_MISMATCH"),
    ("couldn't communicate with the nvidia driver", "NVML_ERROR_DRIVER_NOT_LOADED"),
    ("failed to initialize nvml: driver not loaded", "NVML_ERROR_DRIVER_NOT_LOADED"),
    ("couldn't find libnvidia-ml", "library-not-found"),
    ("failed to initialize nvml: insufficient permissions", "NVML_ERROR_NO_PERMISSION"),
    ("failed to initialize nvml: gpu is lost", "NVML_ERROR_GPU_IS_LOST"),
    ("failed to initialize nvml: unknown error", "NVML_ERROR_UNKNOWN"),
)
_NO_DEVICES = "no devices were found"


def read_nvidia_smi(text: Text) -> Iterator[Statement]:
    """All shapes of its output."""
    if not text.has("nvidia-smi", "nvml", "uuid: gpu-", "driver version", "<product_name>", "uuid: mig-", _NO_DEVICES):
        return
    yield from _failures(text)
    yield from _table(text)
    yield from _listed(text)
    if text.has("<nvidia_smi_log>", "<product_name>"):
        yield from _xml(text)
    elif (text.has("product name") and "FB Memory Usage" in text.whole) or "Attached GPUs" in text.whole:
        yield from _long(text)


def _failures(text: Text) -> Iterator[Statement]:
    for words, error in _FAILURES:
        at = text.lower.find(words)
        if at >= 0:
            yield Statement("machine.nvidia.nvml", error, text.at(at), PROGRAM)
            line_end = text.whole.find("\n", at)
            message = text.whole[text.line_start(at) : line_end if line_end >= 0 else None]
            yield Statement("machine.nvidia.nvml_message", message.strip()[:300], text.at(at), PROGRAM)
    at = text.lower.find(_NO_DEVICES)
    if at >= 0:
        numbers = text.at(at)
        yield Statement("machine.nvidia.nvml", "ok", numbers, PROGRAM)
        yield Statement("no-nvidia-devices", True, numbers, PROGRAM)


def _table(text: Text) -> Iterator[Statement]:
    gpus: dict[int, tuple[GpuStatement, list[int]]] = {}
    processes: dict[int, list[GpuProcess]] = {}
    here: int | None = None
    for line in text.lines:
        raw = line.text
        if "NVIDIA-SMI" in raw and "Version" in raw:
            yield from _banner(raw, line.number)
            continue
        if "|" not in raw and "MiB" not in raw:
            continue
        row = _GPU_ROW.match(raw)
        if row is not None:
            here = int(row["index"])
            gpus.setdefault(here, (_gpu(row), [line.number]))
            continue
        if here is None:
            continue
        state = _STATE_ROW.search(raw) if "MiB" in raw else None
        if state is not None and "memory_total" not in gpus[here][0].nvidia:
            gpus[here][0].nvidia.update(_state(state))
            gpus[here][1].append(line.number)
        elif (" C " in raw or " G " in raw or "C+G" in raw) and (process := _PROCESS_ROW.match(raw)):
            used = int(process["used"]) * MIB if process["used"] else None
            one = GpuProcess(pid=int(process["pid"]), name=process["name"].strip(), used_memory=used)
            processes.setdefault(int(process["index"]), []).append(one)
        elif raw.endswith(("Enabled |", "Disabled |", "Enabled* |")) and (mig := _MIG_ROW.match(raw)):
            gpus[here][0].nvidia["mig_enabled"] = mig[1] == "Enabled"
    for index, (gpu, numbers) in gpus.items():
        if index in processes:
            gpu.nvidia["processes"] = tuple(processes[index])
        yield Statement("gpu", gpu, tuple(numbers), PROGRAM)
        yield Statement("machine.nvidia.nvml", "ok", tuple(numbers), PROGRAM)


def _banner(raw: str, number: int) -> Iterator[Statement]:
    driver = _BANNER_DRIVER.search(raw) or _BANNER.search(raw)
    if driver:
        yield Statement("machine.nvidia.driver_version", driver[1].rstrip("."), (number,), PROGRAM)
    cuda = _BANNER_CUDA.search(raw)
    if cuda:
        yield Statement("machine.nvidia.cuda_driver_version", cuda[1], (number,), PROGRAM)


def _gpu(row: re.Match[str]) -> GpuStatement:
    name = row["name"].strip()
    address = row["bus"].lower()
    fields: dict[str, Any] = {"pci_address": address if address.count(":") == 2 else f"0000:{address}"}
    if row["ecc"] is not None:
        fields["ecc_enabled"] = row["ecc"].isdigit() if row["ecc"] != "N/A" else False
        if row["ecc"].isdigit():
            fields["ecc"] = EccCounts(uncorrected_volatile=int(row["ecc"]))
    return GpuStatement(gpu_of_name(_without_dots(name)), name, index=int(row["index"]), by="driver", nvidia=fields)


def _without_dots(name: str) -> str:
    """A name that the table has cut: "NVIDIA GeForce RTX 40..." tells no more than "NVIDIA GeForce"."""
    whole, dots, _ = name.partition("...")
    if not dots or name.rstrip(".").endswith(" "):
        return whole
    return whole.rpartition(" ")[0] if " " in whole and "-" not in whole else whole.rpartition("-")[0]


def _state(row: re.Match[str]) -> dict[str, Any]:
    total, used = int(row["total"]) * MIB, int(row["used"]) * MIB
    fields: dict[str, Any] = {"memory_total": total, "memory_used": used, "memory_free": max(total - used, 0)}
    if row["temperature"]:
        fields["temperature"] = int(row["temperature"])
    if row["power"]:
        fields["power"] = float(row["power"])
    if row["state"]:
        fields["performance_state"] = int(row["state"])
    if row["use"]:
        fields["utilization"] = int(row["use"])
    if row["mode"]:
        fields["compute_mode"] = _MODES[row["mode"]]
    return fields


def _listed(text: Text) -> Iterator[Statement]:
    if not text.has("gpu 0: ", "gpu 1: ") or "(" not in text.whole:
        return
    instances = tuple(MigInstance(index=int(found[2]), profile=found[1]) for found in _MIG_LISTED.finditer(text.whole))
    for found in _LISTED.finditer(text.whole):
        if gpu_of_name(found[2]) is None and "nvidia" not in found[2].lower():
            continue
        fields: dict[str, Any] = {"uuid": found[3]} if found[3] else {}
        if instances:
            fields |= {"mig_enabled": True, "mig_instances": instances}
        statement = GpuStatement(gpu_of_name(found[2]), found[2], index=int(found[1]), by="driver", nvidia=fields)
        numbers = text.at(found)
        yield Statement("gpu", statement, numbers, PROGRAM)
        if found[3]:
            yield Statement("machine.nvidia.nvml", "ok", numbers, PROGRAM)


# --- nvidia-smi -q: sections by indentation, "Key : value" -----------------------------------------------------------

_LONG_LINE = re.compile(r"^(\s{0,24})([A-Z][\w ./()-]{1,50}?)\s{0,40}(?::\s{0,3}(.{0,120}))?$")
_LONG_GPU = re.compile(r"^GPU ([0-9A-Fa-f]{4,8}:[0-9A-Fa-f:.]{7})$")


def _long(text: Text) -> Iterator[Statement]:
    values: dict[str, str] = {}
    address = ""
    start = 0
    index = 0
    section: list[tuple[int, str]] = []
    for line in text.lines:
        begin = _LONG_GPU.match(line.text)
        if begin is not None:
            if address:
                yield from _of_long(values, address, index, (start, line.number - 1))
                index += 1
            values, address, start, section = {}, begin[1].lower(), line.number, []
            continue
        found = _LONG_LINE.match(line.text)
        if found is None:
            continue
        depth, key, value = len(found[1]), found[2].strip(), found[3]
        section = [entry for entry in section if entry[0] < depth]
        if value is None:
            section.append((depth, key))
        elif address:
            values.setdefault("/".join([*(field[1] for field in section), key]), value.strip())
        elif key in ("Driver Version", "CUDA Version"):
            yield from _version(key.startswith("Driver"), value, line.number)
    if address:
        yield from _of_long(values, address, index, (start, text.lines[-1].number))


def _version(is_driver: bool, value: str, number: int) -> Iterator[Statement]:
    """A version where there is one: without a working driver it says "N/A", without libcuda "Not Found"."""
    if value[:1].isdigit():
        name = "driver_version" if is_driver else "cuda_driver_version"
        yield Statement(f"machine.nvidia.{name}", value.strip(), (number,), PROGRAM)


def _of_long(values: dict[str, str], address: str, index: int, span: tuple[int, int]) -> Iterator[Statement]:
    name = values.get("Product Name", "")
    fields: dict[str, Any] = {"pci_address": address}
    device = re.match(r"0x([0-9A-Fa-f]{4})10DE", values.get("PCI/Device Id", ""))
    if device:
        fields["pci_device_id"] = device[1].lower()
    for key, fact in (("GPU UUID", "uuid"), ("VBIOS Version", "vbios"), ("Board Part Number", "board_part_number")):
        if values.get(key, "N/A") != "N/A":
            fields[fact] = values[key]
    for key, fact in (("Total", "memory_total"), ("Used", "memory_used"), ("Free", "memory_free")):
        amount = re.match(r"(\d{1,7}) MiB", values.get(f"FB Memory Usage/{key}", ""))
        if amount:
            fields[fact] = int(amount[1]) * MIB
    if values.get("Compute Mode") in _MODES:
        fields["compute_mode"] = _MODES[values["Compute Mode"]]
    for key, fact in (
        ("MIG Mode/Current", "mig_enabled"),
        ("MIG Mode/Pending", "mig_pending"),
        ("Ecc Mode/Current", "ecc_enabled"),
        ("ECC Mode/Current", "ecc_enabled"),
    ):
        if values.get(key) in ("Enabled", "Disabled"):
            fields[fact] = values[key] == "Enabled"
    remaps = {
        key: values.get(f"Remapped Rows/{key}", "")
        for key in ("Correctable Error", "Uncorrectable Error", "Pending", "Remapping Failure Occurred")
    }
    if any(value not in ("", "N/A") for value in remaps.values()):
        counts = [
            int(remaps[key]) if remaps[key].isdigit() else None for key in ("Correctable Error", "Uncorrectable Error")
        ]
        flags = [
            remaps[key] == "Yes" if remaps[key] in ("Yes", "No") else None
            for key in ("Pending", "Remapping Failure Occurred")
        ]
        fields["row_remaps"] = RowRemaps(
            correctable=counts[0], uncorrectable=counts[1], pending=flags[0], failure=flags[1]
        )
    temperature = re.match(r"(\d{1,3}) C", values.get("Temperature/GPU Current Temp", ""))
    if temperature:
        fields["temperature"] = int(temperature[1])
    reasons = _clock_reasons(values)
    if reasons is not None:
        fields["throttle_reasons"] = reasons
    statement = GpuStatement(gpu_of_name(name), name or "NVIDIA GPU", index=index, by="driver", nvidia=fields)
    yield Statement("gpu", statement, span, PROGRAM)
    yield Statement("machine.nvidia.nvml", "ok", span, PROGRAM)


# The words of "Clocks Throttle Reasons" (later "Clocks Event Reasons") -> the names in hardware_errors.toml.
_REASONS = {
    "HW Thermal Slowdown": "HwThermalSlowdown", "HW Power Brake Slowdown": "HwPowerBrakeSlowdown",
    "SW Thermal Slowdown": "SwThermalSlowdown", "SW Power Cap": "SwPowerCap", "HW Slowdown": "HwSlowdown",
}  # fmt: skip


def _clock_reasons(values: dict[str, str]) -> tuple[str, ...] | None:
    found = None
    for key, value in values.items():
        section, _, name = key.partition("/")
        if section in ("Clocks Throttle Reasons", "Clocks Event Reasons"):
            found = found or []
            if value == "Active" and name.rpartition("/")[2] in _REASONS:
                found.append(_REASONS[name.rpartition("/")[2]])
    return None if found is None else tuple(found)


# --- nvidia-smi -q -x: read by its tags; nothing is expanded, no document type is looked at --------------------------

_TAG = re.compile(
    r"<(driver_version|cuda_version|product_name|pci_device_id|uuid|gpu id|compute_mode"
    r"|total|used|free|current_mig)(?:=\"([\w:.]{1,40})\")?>([^<\n]{0,120})"
)


def _xml(text: Text) -> Iterator[Statement]:
    fields: dict[str, Any] = {}
    name = ""
    index = -1
    start = 0
    last = 0
    for found in _TAG.finditer(text.whole):
        tag, attribute, value = found[1], found[2], found[3].strip()
        number = text.number_at(found.start())
        if tag in ("driver_version", "cuda_version"):
            yield from _version(tag == "driver_version", value, number)
        elif tag == "gpu id":
            if index >= 0:
                yield from _of_xml(name, index, fields, (start, last))
            index, fields, name, start = index + 1, {"pci_address": (attribute or "").lower()}, "", number
        elif tag == "product_name":
            name = value
        elif tag == "pci_device_id" and re.fullmatch(r"[0-9A-Fa-f]{4}10DE", value):
            fields["pci_device_id"] = value[:4].lower()
        elif tag == "uuid":
            fields["uuid"] = value
        elif tag == "compute_mode" and value in _MODES:
            fields["compute_mode"] = _MODES[value]
        elif tag == "current_mig" and value in ("Enabled", "Disabled"):
            fields["mig_enabled"] = value == "Enabled"
        elif tag in ("total", "used", "free") and (amount := re.match(r"(\d{1,7}) MiB", value)):
            fields.setdefault(f"memory_{tag}", int(amount[1]) * MIB)  # the first is the frame buffer, then BAR1
        last = number
    if index >= 0:
        yield from _of_xml(name, index, fields, (start, last))


def _of_xml(name: str, index: int, fields: dict[str, Any], span: tuple[int, int]) -> Iterator[Statement]:
    yield Statement(
        "gpu", GpuStatement(gpu_of_name(name), name, index=index, by="driver", nvidia=fields), span, PROGRAM
    )
    yield Statement("machine.nvidia.nvml", "ok", span, PROGRAM)

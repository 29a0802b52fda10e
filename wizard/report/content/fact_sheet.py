"""The facts as rows to read: label and value with its unit, and why a value is missing where that is known."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from checks.analysis.scripts.measured import VariedLine, varied_in
from checks.analysis.scripts.words import text_of
from checks.facts import (
    Accelerator,
    Facts,
    FrameworkDevice,
    FrameworkFacts,
    Gpu,
    GpuEvent,
    InterpreterFacts,
    MachineFacts,
    NvidiaFacts,
    NvidiaGpu,
    OnnxRuntimeFacts,
    SentFile,
    TorchFacts,
    XidEvent,
)
from checks.facts.remedies.mendings import left_by
from checks.facts.scripts import ScriptMark
from checks.knowledge.phrases import phrases
from checks.readers.tickets.lines import PASTED
from wizard.report.content.blocks import FactRow
from wizard.words import area, words

Format = Callable[[Any, str], str]


@dataclass(frozen=True)
class FactSection:
    """The facts about one thing. ``text`` is a log that was given, whole; ``origin`` as evidence names it.

    ``are_settings``: the labels are names of a program, and many of them have the same value. ``marks``: of a script
    the lines of which something is to be said, and ``marked`` their numbers in its text, from 1.
    """

    title: str
    rows: tuple[FactRow, ...] = ()
    text: str = ""
    origin: str = ""
    are_settings: bool = False
    marks: tuple[FactRow, ...] = ()
    marked: tuple[int, ...] = ()


def label(name: str, language: str) -> str:
    """The label of an evidence's name, or of a fact's or probe's; the name itself where there is none."""
    found = area("fields").get(name) or area("facts").get(name)
    return found.of(language) if found else name


def row_label(name: str, language: str) -> str:
    """The label of a row of the fact sheet: under the heading of its section a shorter one says enough."""
    found = area("facts").get(name)
    return found.of(language) if found else label(name, language)


# --- formats: a value and a language -> text -------------------------------------------------------------------------


def _text(value: Any, language: str) -> str:
    return str(value) if value != "" else words("report.none", language)


def _listing(value: Any, language: str) -> str:
    return words("report.list-separator", language).join(map(str, value)) or words("report.none", language)


def _yes_no(value: Any, language: str) -> str:
    return words("report.yes" if value else "report.no", language)


def size(value: Any, language: str) -> str:  # noqa: ARG001 - one shape for all formats
    """Bytes as people read them: "31.4 GiB"."""
    power = min(max(int(value).bit_length() - 1, 0) // 10, 4)
    amount = value / 1024**power
    digits = 0 if amount >= 100 or amount == int(amount) else 1
    return f"{amount:.{digits}f} {('B', 'KiB', 'MiB', 'GiB', 'TiB')[power]}"


def _unit(pattern: str) -> Format:
    return lambda value, language: pattern.format(value)  # noqa: ARG005 - one shape for all formats


# Fields that are not shown as their type asks for (yes or no, a list, text).
_FORMATS: dict[str, Format] = {
    **dict.fromkeys(("total", "available", "limit", "shm_total", "bar1_size", "memory_total", "memory_free"), size),
    "temperature": _unit("{} °C"),
    **dict.fromkeys(("power", "power_limit"), _unit("{:.0f} W")),
    **dict.fromkeys(("clock_sm", "clock_memory"), _unit("{} MHz")),
    "utilization": _unit("{} %"),
    "wsl": lambda value, language: _text(value or "", language),
}


def _shown(name: str, value: Any, language: str) -> str:
    by_type = _yes_no if isinstance(value, bool) else _listing if isinstance(value, (tuple, list)) else _text
    return _FORMATS.get(name, by_type)(value, language)


# Packages that decide whether an AI program runs, by the beginning of their names; the JSON holds all of them.
_MATTERS = re.compile(
    r"(torch|triton|xformers|flash-attn|pytorch|nvidia-|cuda|cupy|cudnn|nccl|onnx|ort-|tensorflow|keras|tensorrt|"
    r"jax|openvino|coreml|ai-edge|tflite|tf-|numpy$|scipy$|protobuf$|ml-dtypes|h5py|opencv|intel-|mkl|pip$|setuptools|"
    r"transformers$|diffusers$|accelerate$|safetensors$|bitsandbytes|numba|llvmlite|rocm|pyopencl|ultralytics|vllm)"
)


def _fields(names: str) -> tuple[str, ...]:
    return tuple(names.split())


# The fields of each kind of facts, in the order in which they are shown.
_OS = _fields("name kernel architecture wsl container virtual_machine secure_boot package_managers")
_CPU = _fields("name usable_cores logical_cores")
_MEMORY = _fields("total available limit shm_total")
_APPLE = _fields("chip macos_version metal gpu_cores")
_JETSON = _fields("model l4t_release jetpack compute_capability")
_AMD = _fields("module_loaded rocm_version")
_GPU = _fields("vendor die architecture compute_capability gfx_target address driver driver_version bar1_size")
_NVIDIA = _fields(
    "driver_version cuda_driver_version nvml kernel_module_version kernel_module_flavour modules_loaded fabric_manager"
)
_NVIDIA_GPU = _fields(
    "name compute_capability pci_address memory_total memory_free temperature power power_limit clock_sm clock_memory "
    "utilization throttle_reasons compute_mode ecc_enabled retired_pages mig_enabled vbios board_part_number"
)
_INTERPRETER = _fields(
    "path version implementation architecture kind package_manager project externally_managed problem"
)
_FRAMEWORK = _fields("version imported cuda_version cudnn_version")
_MORE = {
    "torch": _fields(
        "build hip_version xpu_version arch_list nccl_version cuda_available mps_available xpu_available "
        "cpu_capability threads"
    ),
    "onnxruntime": _fields("device providers_listed"),
    "tensorflow": _fields("is_cuda_build is_rocm_build keras_version"),
    "jax": _fields("jaxlib_version plugins default_backend"),
    "tensorrt": _fields("plugins"),
    "litert": _fields("package edgetpu_delegate"),
    "openvino": (),
    "coremltools": _fields("torch_tested"),
}


def fact_sections(facts: Facts, language: str) -> tuple[FactSection, ...]:
    """Everything that was read, in the order in which one asks for it. Sections without a row are left out."""
    left = left_by(facts.mendings)
    sections = (
        *_machine(facts, language),
        *_interpreter(left.left if left else facts.target_interpreter, language),
        *_frameworks(facts, language),
        *_environment(facts, language),
        *(_sent(sent, facts, language) for sent in (*facts.logs, *facts.scripts)),
    )
    return tuple(section for section in sections if section.rows or section.text)


def _rows(
    fact: msgspec.Struct | None, fields: Sequence[str], language: str, names: dict[str, str] | None = None
) -> list[FactRow]:
    """The read fields, and of the unread ones those that say why. ``names``: field -> label id, where they differ."""
    found: list[FactRow] = []
    unread: dict[str, str] = getattr(fact, "unread", {})
    for name in fields if fact is not None else ():
        value = getattr(fact, name)
        title = row_label((names or {}).get(name, name), language)
        if value is not None:
            found.append(FactRow(title, _shown(name, value, language)))
        elif name in unread:
            found.append(FactRow(title, words("report.unread", language, why=unread[name]), is_unread=True))
    return found


def _machine(facts: Facts, language: str) -> Iterator[FactSection]:
    machine = facts.machine
    if machine is None:
        return
    rows = _rows(machine.os, _OS, language, {"name": "os"})
    rows += _rows(machine.cpu, _CPU, language, {"name": "cpu"})
    rows += _rows(
        machine.memory,
        _MEMORY,
        language,
        {"total": "memory_total_main", "available": "memory_available", "limit": "memory_limit"},
    )
    rows += _rows(machine.apple, _APPLE, language)
    rows += _rows(machine.jetson, _JETSON, language)
    yield FactSection(words("report.section-machine", language), tuple(rows))
    gpus = machine.gpus.devices if machine.gpus else ()
    for number, gpu in enumerate(gpus):
        yield _gpu(gpu, number, language)
    if machine.gpus is not None and not gpus:
        none = FactRow(row_label("gpus", language), words("report.none", language))
        yield FactSection(words("report.section-gpus", language), (none,))
    if machine.nvidia is not None:
        yield from _nvidia(machine.nvidia, language)
    yield FactSection(words("report.section-amd", language), tuple(_rows(machine.amd, _AMD, language)))
    yield FactSection(words("report.section-system-log", language), tuple(_log(machine, language)))
    accelerators = tuple(_accelerator(accelerator, language) for accelerator in machine.accelerators or ())
    yield FactSection(words("report.section-accelerators", language), accelerators)


def _gpu(gpu: Gpu, number: int, language: str) -> FactSection:
    name = gpu.product or gpu.die or ":".join(filter(None, (gpu.vendor_id, gpu.device_id)))
    rows = _rows(gpu, _GPU, language, {"driver": "kernel_driver"})
    link = gpu.link
    if link is not None and link.width is not None and link.generation is not None:
        now = words("report.link", language, width=link.width, generation=link.generation)
        if link.width_max is not None and link.generation_max is not None:
            best = words("report.link", language, width=link.width_max, generation=link.generation_max)
            now = words("report.of-at-most", language, now=now, most=best)
        rows.append(FactRow(row_label("link", language), now))
    return FactSection(words("report.section-gpu", language, number=number, name=name), tuple(rows))


def _log(machine: MachineFacts, language: str) -> Iterator[FactRow]:
    xids = machine.nvidia.xids if machine.nvidia else None
    events = machine.log.events if machine.log else None
    events_by_name: list[tuple[str, XidEvent | GpuEvent]] = [(f"Xid {xid.code}", xid) for xid in xids or ()]
    events_by_name += [(_kind_of_event(event.kind, language), event) for event in events or ()]
    for name in dict.fromkeys(name for name, _ in events_by_name):
        alike = [event for known, event in events_by_name if known == name]
        places = words("report.list-separator", language).join(
            dict.fromkeys(event.pci_address for event in alike if event.pci_address)
        )
        last = max((event.time for event in alike if event.time), default="")
        parts = (f"x{len(alike)}", places, last.partition(".")[0])
        yield FactRow(name, " / ".join(part for part in parts if part))


def _kind_of_event(kind: str, language: str) -> str:
    """A case of a newer version may tell of kinds that this one has no words for."""
    known = phrases().get(f"fault-log-{kind}")
    return known.of(language).format(times="") if known else kind


def _nvidia(nvidia: NvidiaFacts, language: str) -> Iterator[FactSection]:
    yield FactSection(words("report.section-nvidia", language), tuple(_rows(nvidia, _NVIDIA, language)))
    for gpu in nvidia.devices or ():
        yield _nvidia_gpu(gpu, language)


def _nvidia_gpu(gpu: NvidiaGpu, language: str) -> FactSection:
    title = words("report.section-nvidia-gpu", language, index=gpu.index)
    return FactSection(title, tuple(_rows(gpu, _NVIDIA_GPU, language)))


def _accelerator(found: Accelerator, language: str) -> FactRow:
    ids = ":".join(filter(None, (found.vendor_id, found.device_id)))
    parts = (found.name, found.bus, ids, found.driver)
    return FactRow(found.kind or found.bus, words("report.list-separator", language).join(filter(None, parts)))


def _interpreter(found: InterpreterFacts | None, language: str) -> Iterator[FactSection]:
    if found is None:
        return
    fields = _INTERPRETER if found.path else _INTERPRETER[1:]  # of a ticket's interpreter the place is not known
    yield FactSection(words("report.section-interpreter", language), tuple(_rows(found, fields, language)))
    if found.packages:
        rows = tuple(
            FactRow(package.name, package.version) for package in found.packages if _MATTERS.match(package.name)
        )
        title = words("report.section-packages", language, shown=len(rows), count=len(found.packages))
        yield FactSection(title, rows)


def _frameworks(facts: Facts, language: str) -> Iterator[FactSection]:
    for name, framework in facts.frameworks.each() if facts.frameworks else ():
        rows = _rows(framework, _FRAMEWORK + _MORE[name], language)
        if framework.error is not None:
            rows.append(FactRow(row_label("error", language), f"{framework.error.type}: {framework.error.message}"))
        rows += _devices(framework, language)
        yield FactSection(words("report.section-framework", language, name=label(name, language)), tuple(rows))
        if isinstance(framework, TorchFacts) and framework.settings:
            settings = sorted(framework.settings.items())
            title = words("report.section-settings", language, name=label(name, language))
            switches = tuple(FactRow(setting.removeprefix("torch."), str(value)) for setting, value in settings)
            yield FactSection(title, switches, are_settings=True)


def _devices(framework: FrameworkFacts, language: str) -> list[FactRow]:
    rows = [_device(device, language) for device in getattr(framework, "devices", None) or ()]
    if isinstance(framework, OnnxRuntimeFacts):
        for provider in framework.providers or ():
            ran = provider.started and not provider.fell_back
            if provider.started is not None:
                ending = words("report.ran" if ran else "report.ran-not", language)
                rows.append(FactRow(provider.name, f"{ending} {provider.error or ''}".strip()))
    if isinstance(framework, TorchFacts):
        for companion in framework.companions or ():
            problem = (
                f"{companion.error.type}: {companion.error.message}"
                if companion.error
                else _yes_no(companion.imported, language)
            )
            rows.append(
                FactRow(
                    companion.name, " ".join(filter(None, (companion.version, "" if companion.imported else problem)))
                )
            )
    return rows


def _device(device: FrameworkDevice, language: str) -> FactRow:
    parts = [device.name, device.compute_capability or device.gfx_target]
    if device.memory_total is not None:
        parts.append(size(device.memory_total, language))
    if device.kernel is not None:
        works = device.kernel.ran and device.kernel.correct is not False
        parts.append(words("report.ran" if works else "report.ran-not", language))
        if device.kernel.error is not None:
            parts.append(device.kernel.error.message)
    return FactRow(device.device, words("report.list-separator", language).join(filter(None, parts)))


def _environment(facts: Facts, language: str) -> Iterator[FactSection]:
    if facts.environment is not None:
        rows = tuple(FactRow(name, value) for name, value in sorted(facts.environment.values.items()))
        none = FactRow(words("report.section-environment", language), words("report.none", language))
        yield FactSection(words("report.section-environment", language), rows or (none,))


def _sent(sent: SentFile, facts: Facts, language: str) -> FactSection:
    rows = [] if sent.size is None else [FactRow(row_label("file_size", language), size(sent.size, language))]
    if not sent.examined:
        rows.append(FactRow(row_label("examined", language), words("report.no", language)))
    marks = sent.read.marks if sent.read else ()
    varied = tuple(varied_in(sent, facts.measurements))
    kind = sent.kind if sent.kind in ("script", "model") else "log"
    title = words(f"report.section-{kind if sent.name else 'pasted'}", language, name=sent.name)
    return FactSection(
        title,
        tuple(rows),
        sent.text or "",
        sent.name or PASTED if sent.text else "",
        marks=tuple(_marked(mark, varied, language) for mark in marks),
        marked=tuple(sorted({mark.row or mark.line for mark in marks})),
    )


def place_of(mark: ScriptMark, language: str) -> str:
    """Where a marked line stands in its file, as the reader counts: of a notebook its cell, too."""
    key = "script-line-in-cell" if mark.cell else "script-line"
    return words(f"report.{key}", language, line=mark.line, cell=mark.cell or "")


def _marked(mark: ScriptMark, varied: Iterable[VariedLine], language: str) -> FactRow:
    """A line of a script that a rule speaks of, with what was measured of the operation that it uses."""
    text = text_of(mark, language)
    mine = (line for line in varied if line.mark is mark)
    measured = (words("report.script-line-varied", language, **line.figures) for line in mine)
    return FactRow(place_of(mark, language), "\n".join(filter(None, (text.title, *measured, text.advice))))

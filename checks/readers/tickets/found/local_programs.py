"""What the log of an AI program tells of what it computes on: Ollama, LM Studio, llama.cpp, ComfyUI and others.

The wordings are a table (resources/knowledge/packages/local_program_logs.toml). Of one log the last start counts, and
in it the line that stands last: a model that was loaded later is what the user sees.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from checks.facts import LocalProgram
from checks.facts.programs.local import ON_PROCESSOR
from checks.knowledge.packages.ai_programs import program_of_text
from checks.knowledge.packages.environment_variables import allowed_names
from checks.knowledge.packages.local_program_logs import LogSign, backend_called, needles, signs
from checks.machine.gpu_names import gpu_of_name
from checks.readers.tickets.found.gpus import MOST, GpuStatement
from checks.readers.tickets.text import Statement, Text

_PAIR = re.compile(r"\b([\w.]{1,30})=(?:\"([^\"\n]{0,200})\"|([^\s\"]{1,200}))")
_MAP = re.compile(r"server config\"? env=\"map\[(?P<map>[^\n]{0,3900})")
_SET = re.compile(r"(?<![^\s\[])(?P<name>[A-Z][A-Z0-9_]{3,40}):(?P<value>[^\s\]\[]{1,200})(?=[\s\]])")
_CAPABILITY = re.compile(r"Device \d{1,2}: (?P<name>[^,\n]{3,80}), compute capability (?P<capability>\d{1,2}\.\d)")
_SIZE = re.compile(r"([\d.]{1,8}) (GiB|MiB)")
_SOFTWARE = re.compile(r"(?i)llvmpipe|lavapipe|swiftshader|\bCPU\b|processor")
_UNITS = {"GiB": 2**30, "MiB": 2**20}


@dataclass
class _Told:
    """What the lines of one start told so far."""

    backend: str | None = None
    runtime: str = ""
    version: str | None = None
    devices: dict[str, str | None] | None = None  # with the backend that found each
    layers: tuple[int, int] | None = None
    lines: list[int] = field(default_factory=list)


def read_local_programs(text: Text) -> Iterator[Statement]:
    """The program that wrote the text, with what it computes on; its GPUs; the variables that its service has."""
    if not text.has(*needles()):
        return
    told = _told(text, last_start(text.whole))
    name = program_of_text(text.whole)
    if name is not None and told.lines:
        program = LocalProgram(
            name=name,
            version=told.version,
            backend=told.backend,
            runtime=told.runtime,
            devices=None if told.devices is None else tuple(told.devices)[:MOST],
            layers=told.layers[0] if told.layers else None,
            layers_total=told.layers[1] if told.layers else None,
        )
        yield Statement("local-program", program, tuple(dict.fromkeys(told.lines)), name)
    yield from _gpus(text, name or "")
    yield from _variables(text, name or "")


def last_start(log: str) -> int:
    """Where the last start of a program begins in its log."""
    begins = (found.start() for sign, pattern in signs() if sign.begins for found in pattern.finditer(log))
    last = max(begins, default=0)
    return log.rfind("\n", 0, last) + 1


def _told(text: Text, begun: int) -> _Told:
    matches = [
        (found.start(), sign, found) for sign, pattern in signs() for found in pattern.finditer(text.whole, begun)
    ]
    told = _Told()
    for _, sign, found in sorted(matches, key=lambda match: match[0]):
        if sign.begins:
            continue
        _take(told, sign, {name: value for name, value in found.groupdict().items() if value})
        told.lines.append(text.number_at(found.start()))
    if told.devices == {} and told.layers and told.layers[0]:
        told.backend, told.layers = ON_PROCESSOR, (0, told.layers[1])  # "offloaded" to a renderer in software
    return told


def _take(told: _Told, sign: LogSign, groups: dict[str, str]) -> None:
    """One line. A buffer on the processor says nothing where others lie on a GPU: each model leaves something there."""
    if "pairs" in groups:
        groups = _of_pairs(groups["pairs"])
    named = backend_called(groups["backend"]) if "backend" in groups else sign.backend or None
    if named is not None and not (named == ON_PROCESSOR and sign.buffer and told.backend not in (None, ON_PROCESSOR)):
        told.backend = named
    told.runtime = groups.get("runtime", told.runtime)
    told.version = told.version or groups.get("version")
    if "layers" in groups:
        told.layers = int(groups["layers"]), int(groups["total"])
    if sign.devices_none or groups.get("none"):
        told.devices, told.backend = {}, ON_PROCESSOR
    if "missing" in groups:
        missing = backend_called(groups["missing"])
        told.devices = {device: by for device, by in (told.devices or {}).items() if by != missing}
        told.backend = next(reversed(told.devices.values()), ON_PROCESSOR)
    device = groups.get("device", "").strip()
    if device and not _SOFTWARE.search(device):
        told.devices = {**(told.devices or {}), device: told.backend}


def _of_pairs(line: str) -> dict[str, str]:
    """A line of Ollama: its library is the backend, and its runtime the folder that it came from."""
    pairs = {key: quoted or plain for key, quoted, plain in _PAIR.findall(line)}
    library = pairs.get("library", "")
    if "layers.offload" in pairs:
        return {"backend": library, "layers": pairs["layers.offload"], "total": pairs["layers.model"]}
    if library.lower() == ON_PROCESSOR:
        return {"backend": library, "none": "yes"}
    folder = next((part for part in pairs.get("libdirs", "").split(",") if part not in ("", "ollama")), "")
    variant = f"{library.lower()}_{pairs['variant']}" if pairs.get("variant") else ""
    device = pairs.get("description") or pairs.get("name", "")
    return {"backend": library, "runtime": folder or variant or library.lower(), "device": device}


def _gpus(text: Text, program: str) -> Iterator[Statement]:
    """GPUs as ggml and Ollama list them."""
    if "compute capability" in text.whole:
        for found in _CAPABILITY.finditer(text.whole):
            gpu = gpu_of_name(found["name"])
            if gpu is None or gpu.vendor_id == "10de":
                fields = {"compute_capability": found["capability"]}
                yield Statement(
                    "gpu", GpuStatement(gpu, found["name"], by="driver", nvidia=fields), text.at(found), program
                )
    for line in text.lines if "inference compute" in text.whole else ():
        if "inference compute" in line.text:
            yield from _listed(line.text, line.number, program)


def _listed(line: str, number: int, program: str) -> Iterator[Statement]:
    pairs = {key: quoted or plain for key, quoted, plain in _PAIR.findall(line)}
    name = pairs.get("description") or pairs.get("name", "")
    gpu = gpu_of_name(name)
    size = _SIZE.match(pairs.get("total", ""))
    if pairs.get("library", "").lower() == "cuda" and gpu is not None and gpu.vendor_id == "10de":
        fields: dict[str, Any] = {"compute_capability": pairs.get("compute", "")}
        if size is not None:
            fields["memory_total"] = int(float(size[1]) * _UNITS[size[2]])
        yield Statement("gpu", GpuStatement(gpu, name, by="driver", nvidia=fields), (number,), program)
    elif gpu is not None:
        yield Statement("gpu", GpuStatement(gpu, name), (number,), program)


def _variables(text: Text, program: str) -> Iterator[Statement]:
    """Those that are set in the surroundings of Ollama's service: it lists the others, too, with nothing behind."""
    if "env=" not in text.whole:
        return
    allowed = frozenset(allowed_names())
    for config in _MAP.finditer(text.whole):
        for found in _SET.finditer(config["map"]):
            if found["name"] in allowed:
                yield Statement("variable", (found["name"], found["value"]), text.at(config), program)

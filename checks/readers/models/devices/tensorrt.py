"""TensorRT engines ("plans"): who built them, and for which GPU.

A plan begins with "ftrt" (TensorRT-RTX: "vtrt"), has the builder's version in bytes 24 to 27 (NVIDIA's own trtexec
prints it from there) and then a list of sections: the engine, its weights, perhaps a runtime. The engine is an archive
that begins with "ptrt"; before TensorRT 8.6 the archive alone was the file. It starts with a row of typed values: the
version, and the properties of the GPU that it was built on. NVIDIA documents none of this but the version; the rest was
read off files of TensorRT 7.1, 8.0, 8.2, 8.6, 10.0, 10.3 and 10.6, and of TensorRT-RTX 1.4 to 1.7, where it agreed with
what is known of the GPU: clocks, bus, memory, number of multiprocessors. TensorRT 5 and 6 wrote a FlatBuffer.

What stands in the code of the kernels is no evidence: engines of a GPU of compute capability 7.5 name "sm_86".

Ultralytics puts four bytes of length and a JSON text before the plan; TensorRT-LLM a config.json beside it.
"""

from __future__ import annotations

import contextlib
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

import msgspec

from checks.facts import Binding, NeededFile, TensorSpec
from checks.knowledge.formats.tensorrt_engines import rtx_targets, written_by
from checks.prepared import prepared
from checks.readers.containers.flatbuffer import FlatBuffer
from checks.readers.containers.folder import Folder
from checks.readers.containers.json_text import JSON_ERRORS, decoded
from checks.readers.containers.source import MIB, Damaged, Source
from checks.readers.models.reading import Reading
from checks.readers.models.registry import Rank, file_reader, folder_reader

_PLAN, _RTX_PLAN, _ARCHIVE = b"ftrt", b"vtrt", b"ptrt"
_MAGIC = (_PLAN, _RTX_PLAN, _ARCHIVE)
_ENGINE_SECTION, _WEIGHTS_SECTION = b"NGNE", b"THGW"
_PLAN_HEADER, _RTX_HEADER, _SECTION = 32, 64, 24
_ARCHIVE_HEADER = 24  # bytes; 20 since TensorRT 10.6
_FIRST_BYTE = (b"\x02\x80\x01\x00", b"\x02\x00\x01\x00")  # what announces the version's first number
_MOST_SECTIONS = 16
_BEGINNING = 512  # bytes of an archive that hold what is read of it

# The kind of a value, without the bit that newer releases set, and how many bytes it has. Other kinds are the beginning
# of an object, which has no bytes of its own.
_BYTE, _BOOL = 2, 10
_VALUES = {_BYTE: 1, 7: 4, 8: 8, 9: 8, _BOOL: 1}
_MOST_VALUES = 48
_LEAST_MEMORY = 1 << 28  # bytes: no GPU that TensorRT serves has less

_WINDOW = 2 * MIB  # searched for names at both ends of an engine
_PLUGIN = re.compile(rb"(?<![A-Za-z0-9_])[A-Z][A-Za-z0-9]{2,40}_TRT(?![A-Za-z0-9_])")
_MOST_JSON = MIB
_ENGINE_NAME = re.compile(r"\.(?:engine|plan|trt)$", re.IGNORECASE)
_RANK_NAME = re.compile(r"(?:.*_)?rank\d+\.engine")


@dataclass
class Gpu:
    """What an archive says of the GPU that it was built on."""

    compute_capability: str
    multiprocessors: int
    memory_bus: int  # bits
    memory: int | None = None  # bytes
    is_integrated: bool = False


@dataclass
class Plan:
    """The contents of the beginning of an engine."""

    product: str = "TensorRT"
    version: str | None = None
    serialization: int | None = None
    gpu: Gpu | None = None
    hardware_level: int = 0  # what stands between version and GPU since 8.6; taken for the level of compatibility
    gpu_name: str = ""
    targets: tuple[str, ...] = ()  # compute capabilities that TensorRT-RTX built for
    sections: list[bytes] = field(default_factory=list)
    weights: int | None = None  # bytes, where they are a section of their own
    size: int | None = None  # bytes that the header announces
    problem: Damaged | None = None


class _Metadata(msgspec.Struct):
    """What Ultralytics and YOLOv5 write before a plan, as far as it is shown."""

    version: str | None = None
    task: str | None = None
    date: str | None = None
    batch: int | None = None
    imgsz: tuple[int, ...] | None = None
    stride: int | None = None
    names: dict[str, str] | None = None


@file_reader("tensorrt", "tensorrt-rtx", rank=Rank.MAGIC)
def tensorrt(source: Source, _beside: Folder) -> Reading | None:
    """A plan, or a plan behind a JSON text."""
    if source.size < 8:
        return None
    if source.read(0, 4) in _MAGIC:
        return reading_of(read_plan(source), source)
    at = _after_json(source)
    if at is None:
        return None
    inner = source.part(at, source.size - at)
    return _with_metadata(reading_of(read_plan(inner), inner), source.read(4, at - 4))


@file_reader("tensorrt", rank=Rank.STRUCTURE)
def tensorrt_5(source: Source, _beside: Folder) -> Reading | None:
    """A FlatBuffer of TensorRT 5 or 6 behind its length; the name must say what it is."""
    if source.size < 64 or not _ENGINE_NAME.search(source.name):
        return None
    size, root = struct.unpack("<QI", source.read(0, 12))
    if size != source.size or root >= _BEGINNING:
        return None
    plan = Plan()
    with contextlib.suppress(Damaged):  # one such file was seen; what is laid out otherwise is an engine all the same
        _read_flatbuffer(source.part(8, source.size - 8), plan)
    return reading_of(plan, source)


@folder_reader("tensorrt")
def tensorrt_llm(folder: Folder) -> Reading | None:
    """A folder of TensorRT-LLM: config.json and an engine per rank."""
    engines = tuple(name for name in folder.names if _RANK_NAME.fullmatch(name))
    if not engines or folder.size_of("config.json") is None:
        return None
    with folder.file(engines[0]) as source:
        if source.size < 8 or source.read(0, 4) not in _MAGIC:
            return None
        reading = reading_of(read_plan(source), source)
    with folder.file("config.json") as source:
        content = decoded(source.read(0, min(source.size, _MOST_JSON)), object, "config.json")
    config = content if isinstance(content, dict) else {}
    network = config.get("pretrained_config") or config.get("builder_config")
    network = network if isinstance(network, dict) else {}
    mapping = network.get("mapping")
    ranks = mapping.get("world_size") if isinstance(mapping, dict) else network.get("tensor_parallel")
    quantization = network.get("quantization")
    configured = {
        "architecture": network.get("architecture") or network.get("name"),
        "precision": network.get("dtype") or network.get("precision"),
        "tensorrt-llm-ranks": ranks,
    }
    version = config.get("version")
    files = tuple(
        NeededFile(name=name, present=True, present_size=folder.size_of(name)) for name in (*engines, "config.json")
    )
    if isinstance(ranks, int) and len(engines) < ranks <= 4096:
        files += tuple(NeededFile(name=f"rank{n}.engine", present=False) for n in range(len(engines), ranks))
    reading.producer = "TensorRT-LLM"
    reading.producer_version = version if isinstance(version, str) else None
    reading.quantization = _text(quantization.get("quant_algo")) if isinstance(quantization, dict) else None
    reading.files = files
    reading.frameworks = (*reading.frameworks, "tensorrt-llm")
    reading.add_details({key: _text(value) or "" for key, value in configured.items()})
    return reading


def read_plan(source: Source) -> Plan:
    """The beginning of a plan or a bare archive; also for a plan that lies in another file.

    Raises:
        Damaged: "truncated" where not even the header is there.
    """
    magic = source.read(0, 4)
    if magic == _ARCHIVE:
        plan = Plan(size=None)
        _read_archive(source, 0, plan, is_alone=True)
    else:
        plan = _read_header(source, is_rtx=magic == _RTX_PLAN)
    if plan.size is not None and plan.size > source.size:
        plan.problem = Damaged("truncated", f"{source.size} of {plan.size} bytes")
    return plan


def reading_of(plan: Plan, source: Source) -> Reading:
    """A plan in the words of all models."""
    is_rtx = plan.product == "TensorRT-RTX"
    row = written_by(plan.product, plan.serialization) if plan.serialization is not None else None
    details: dict[str, str] = {}
    bound: list[Binding] = []
    if plan.version:
        bound.append(Binding(kind="tensorrt-version", value=f"{plan.product} {plan.version}"))
    elif row:
        details["tensorrt-guessed"] = row.tensorrt
    if plan.gpu:
        details |= _described(plan.gpu)
        bound.append(Binding(kind="gpu-model", value=f"compute capability {plan.gpu.compute_capability}"))
        if plan.hardware_level:
            details["hardware-compatible-guessed"] = str(plan.hardware_level)
    elif plan.targets:
        details["compute-capability"] = ", ".join(plan.targets)
        bound.append(Binding(kind="gpu-model", value=f"compute capability {details['compute-capability']}"))
    if plan.gpu_name:
        details["gpu-name"] = plan.gpu_name
    others = [section for section in plan.sections if section not in (_ENGINE_SECTION, _WEIGHTS_SECTION)]
    if others:
        details["plan-sections"] = ", ".join(other[::-1].decode("ascii", "replace") for other in others)
    if plugins := _plugins(source):
        details["plugins-guessed"] = ", ".join(plugins)
    requirement = f"=={plan.version}" if plan.version else ""
    return Reading(
        "tensorrt-rtx" if is_rtx else "tensorrt",
        version=f"serialization {plan.serialization}" if plan.serialization is not None else None,
        producer=plan.product,
        producer_version=plan.version,
        frameworks=("tensorrt-rtx" if is_rtx else f"tensorrt{requirement}",),
        devices=("cuda",),
        memory=plan.weights,
        bound_to=tuple(bound),
        details=details,
        problem=plan.problem,
    )


def _read_header(source: Source, *, is_rtx: bool) -> Plan:
    header = source.read(0, _RTX_HEADER if is_rtx else _PLAN_HEADER)
    layout, count, _, size = struct.unpack("<IIIQ", header[4:24])
    plan = Plan(product="TensorRT-RTX" if is_rtx else "TensorRT")
    if layout != 0:  # trtexec knows no other; where the rest lies is not known then
        return plan
    plan.size = size
    plan.version = ".".join(str(byte) for byte in header[24:28]) if any(header[24:28]) else None
    if is_rtx:
        plan.targets = rtx_targets(header[32])
    at = len(header)
    for _ in range(min(count, _MOST_SECTIONS)):
        if at + _SECTION > source.size:
            break
        name, start, length = struct.unpack("<4s4xQQ", source.read(at, _SECTION))
        plan.sections.append(name)
        if name == _ENGINE_SECTION and start + 4 <= source.size and source.read(start, 4) == _ARCHIVE:
            _read_archive(source, start, plan)
        if name == _WEIGHTS_SECTION:
            plan.weights = length
        at += _SECTION
    return plan


def _read_archive(source: Source, start: int, plan: Plan, *, is_alone: bool = False) -> None:
    """The header of an archive, whose fields moved with the releases, and the values at its beginning."""
    header = source.read(start, min(_ARCHIVE_HEADER, source.size - start))
    if len(header) < _ARCHIVE_HEADER:
        raise Damaged("truncated", f"{len(header)} bytes of a header of {_ARCHIVE_HEADER}")
    first, second = struct.unpack("<II", header[4:12])
    plan.serialization = first or second
    data = source.read(start, min(_BEGINNING, source.size - start))
    values = list(_values(data, 20 if data[20:24] in _FIRST_BYTE else _ARCHIVE_HEADER))
    version = [value for kind, value in values[:4] if kind == _BYTE and value is not None]
    if len(version) == 4 and plan.version is None:
        plan.version = ".".join(map(str, version))
    plan.gpu = _gpu(values[4:])
    before_gpu = [value for _, value in values[4:6] if value is not None]
    plan.hardware_level = before_gpu[0] if plan.gpu and values[4][1] is None and len(before_gpu) == 1 else 0
    if is_alone:
        # The length of what follows stands at 12 (7.1), at 16 (8.0 to 8.5): taken where it makes sense.
        lengths = (*struct.unpack_from("<Q", header, 12), *struct.unpack_from("<Q", header, 16))
        fitting = [length for length in lengths if 0 < length < 1 << 40]
        plan.size = fitting[0] + _ARCHIVE_HEADER if len(fitting) == 1 else None


def _values(data: bytes, at: int) -> Iterator[tuple[int, int | None]]:
    """The values that follow one another from ``at``, as (kind, value); the value of an object's beginning is None."""
    for _ in range(_MOST_VALUES):
        if at + 4 > len(data) or data[at + 2 : at + 4] != b"\x01\x00":
            return
        kind = struct.unpack_from("<H", data, at)[0] & 0x7FFF
        at += 4
        size = _VALUES.get(kind)
        if size is None:
            yield kind, None
            continue
        if at + size > len(data):
            return
        yield kind, int.from_bytes(data[at : at + size], "little")
        at += size


def _gpu(values: list[tuple[int, int | None]]) -> Gpu | None:
    """The GPU among the values after the version; None where what stands there is no GPU (TensorRT-RTX writes zeros).

    Its object begins with the compute capability, two clocks and the bus, the last number before the first yes or no
    is that of the multiprocessors, the yes or no says whether it is integrated; of the rest the memory is large.
    """
    flag = next((index for index, (kind, _) in enumerate(values) if kind == _BOOL), None)
    if flag is None:
        return None
    begin = max((index for index in range(flag) if values[index][1] is None), default=-1) + 1
    numbers = [value for _, value in values[begin:flag] if value is not None]
    if len(numbers) < 7:
        return None
    major, minor, *_ = numbers
    bus, multiprocessors = numbers[4], numbers[-1]
    if not (3 <= major < 100 and minor < 10 and 0 < multiprocessors < 10_000 and 0 < bus < 1 << 16):
        return None
    later = [value for _, value in values[flag + 1 :] if value is not None and _LEAST_MEMORY <= value < 1 << 44]
    memory = next((value for value in later if value != 0x7FFFFFFF), None)
    return Gpu(f"{major}.{minor}", multiprocessors, bus, memory, is_integrated=values[flag][1] == 1)


def _described(gpu: Gpu) -> dict[str, str]:
    described = {
        "compute-capability": gpu.compute_capability,
        "gpu-multiprocessors": str(gpu.multiprocessors),
        "gpu-memory-bus": f"{gpu.memory_bus} bit",
    }
    if gpu.memory:
        described["gpu-memory"] = f"{gpu.memory / 2**30:.1f} GiB"
    return described


def _read_flatbuffer(source: Source, plan: Plan) -> None:
    """The version and the GPU of TensorRT 5: the second and third field of the root."""
    root = FlatBuffer(source).root()
    version, device = root.table(1), root.table(2)
    if version is not None and 1 <= version.integer(0) < 100:
        plan.version = ".".join(str(version.integer(index)) for index in range(4))
    name = device.text(0, most=100) if device is not None else ""
    plan.gpu_name = name if name.isprintable() else ""


def _after_json(source: Source) -> int | None:
    """Where the plan begins behind a JSON text; None where the file is not of that kind."""
    length, brace = struct.unpack("<IB", source.read(0, 5))
    at = 4 + int(length)
    if brace != ord("{") or length > _MOST_JSON or at + 4 > source.size:
        return None
    return at if source.read(at, 4) in _MAGIC else None


def _with_metadata(reading: Reading, text: bytes) -> Reading:
    try:
        metadata = msgspec.json.decode(text, type=prepared(_Metadata), strict=False)
    except JSON_ERRORS:
        return reading
    details = {
        "exporter": f"Ultralytics {metadata.version}" if metadata.version else "Ultralytics",
        "task": metadata.task or "",
        "exported": (metadata.date or "")[:40],
        "stride": str(metadata.stride or ""),
        "classes": str(len(metadata.names)) if metadata.names else "",
    }
    reading.add_details(details)
    size = metadata.imgsz
    if size and len(size) == 2:
        reading.inputs = (TensorSpec(name="images", shape=(metadata.batch or "?", "?", *size)),)
    return reading


def _plugins(source: Source) -> tuple[str, ...]:
    """Names of plugins that stand at either end of the file: a hint, since a name alone proves no use."""
    windows = [source.read(0, min(_WINDOW, source.size))]
    if source.size > _WINDOW:
        windows.append(source.read(source.size - _WINDOW, _WINDOW))
    found = {match.decode() for window in windows for match in _PLUGIN.findall(window)}
    return tuple(sorted(found))[:20]


def _text(value: object) -> str | None:
    return str(value)[:100] if isinstance(value, str | int) and not isinstance(value, bool) and value != "" else None

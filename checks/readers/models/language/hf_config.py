"""config.json and adapter_config.json: what stands beside weights and says what they are the weights of."""

from __future__ import annotations

from typing import TypeVar

import msgspec

from checks.knowledge.frameworks.transformers import model_type_releases
from checks.prepared import prepared
from checks.readers.containers.folder import Folder
from checks.readers.containers.json_text import JSON_ERRORS
from checks.readers.containers.source import MIB, Damaged, Source
from checks.readers.models.reading import Reading

MOST_CONFIG = 4 * MIB
MOST_LIST = 64 * 1024  # bytes of a list or table within it
NOTHING = msgspec.Raw(b"null")
_Kind = TypeVar("_Kind")


class Config(msgspec.Struct):
    """The fields of config.json that are looked at, as they stand there: nobody promises their types."""

    architectures: msgspec.Raw = NOTHING
    model_type: msgspec.Raw = NOTHING
    dtype: msgspec.Raw = NOTHING
    torch_dtype: msgspec.Raw = NOTHING
    transformers_version: msgspec.Raw = NOTHING
    quantization_config: msgspec.Raw = NOTHING
    compression_config: msgspec.Raw = NOTHING  # of compressed-tensors before 0.5
    quantization: msgspec.Raw = NOTHING  # of MLX
    auto_map: msgspec.Raw = NOTHING
    peft_type: msgspec.Raw = NOTHING
    peft_version: msgspec.Raw = NOTHING
    base_model_name_or_path: msgspec.Raw = NOTHING
    diffusers: msgspec.Raw = msgspec.field(default=NOTHING, name="_diffusers_version")
    class_name: msgspec.Raw = msgspec.field(default=NOTHING, name="_class_name")


class _Quantization(msgspec.Struct):
    quant_method: msgspec.Raw = NOTHING
    bits: msgspec.Raw = NOTHING
    load_in_4bit: msgspec.Raw = NOTHING
    load_in_8bit: msgspec.Raw = NOTHING
    bnb_4bit_quant_type: msgspec.Raw = NOTHING
    format: msgspec.Raw = NOTHING
    checkpoint_format: msgspec.Raw = NOTHING


def described(reading: Reading, beside: Folder) -> Reading:
    """Add to weights what the config.json in their folder says of them."""
    adapter = read_config(beside, "adapter_config.json")
    config = adapter if adapter and text(adapter.peft_type) else read_config(beside, "config.json")
    if config is None:
        return reading
    if text(config.peft_type):
        return _as_adapter(reading, config)
    kind, method = text(config.model_type), _quantization_method(config)
    architectures = texts(config.architectures)
    if not (kind or architectures or text(config.class_name)):
        return reading
    details = {
        "architecture": ", ".join(architectures) or text(config.class_name),
        "model-type": kind,
        "configured-dtype": (text(config.dtype) or text(config.torch_dtype)).removeprefix("torch."),
        "quantization-method": method,
        "custom-code": _custom_code(config.auto_map),
    }
    is_diffusers = bool(text(config.diffusers))
    library = "diffusers" if is_diffusers else "transformers" if kind else ""
    version = text(config.diffusers) or text(config.transformers_version)
    reading.producer, reading.producer_version = library, version
    reading.quantization = _quantization(config, method) or reading.quantization
    reading.frameworks = _frameworks(reading, library, kind)
    reading.add_details(details, most=200)
    return reading


def _as_adapter(reading: Reading, config: Config) -> Reading:
    details = {
        "adapter": reading.details.get("adapter") or text(config.peft_type),
        "base-model": text(config.base_model_name_or_path),
    }
    reading.producer, reading.producer_version = "peft", text(config.peft_version)
    reading.frameworks = tuple(dict.fromkeys((*reading.frameworks, "peft")))
    reading.add_details(details, most=200)
    return reading


def _frameworks(reading: Reading, library: str, kind: str) -> tuple[str, ...]:
    if reading.details.get("written-for") == "mlx":
        return tuple(dict.fromkeys((*reading.frameworks, "mlx")))
    if not library:
        return tuple(reading.frameworks)
    known = model_type_releases(kind) if library == "transformers" else None
    needed = f"{library}>={known[0]}" if known else library
    return tuple(dict.fromkeys((*reading.frameworks, needed)))


def _quantization_method(config: Config) -> str:
    for raw in (config.quantization_config, config.compression_config):
        settings = decoded(bytes(raw), _Quantization)
        method = text(settings.quant_method) if settings else ""
        if method:
            return method
        if settings and (_true(settings.load_in_4bit) or _true(settings.load_in_8bit)):
            return "bitsandbytes"  # files of 2023 do not name it
    return "mlx" if bytes(config.quantization)[:1] == b"{" else ""


def _quantization(config: Config, method: str) -> str:
    raw = config.quantization if method == "mlx" else config.quantization_config
    settings = decoded(bytes(raw), _Quantization) or _Quantization()
    if method == "bitsandbytes":
        return f"{method} " + (
            (text(settings.bnb_4bit_quant_type) or "fp4") if _true(settings.load_in_4bit) else "int8"
        )
    bits = number(settings.bits)
    return f"{method} int{bits}" if method and bits else method


def read_config(folder: Folder, name: str) -> Config | None:
    """A small JSON file of a folder; None where it is not there, or cannot be read: the weights count."""
    if folder.size_of(name) is None:
        return None
    try:
        with folder.file(name) as source:
            return decoded(small_file(source, MOST_CONFIG), Config)
    except Damaged:
        return None


def small_file(source: Source, most: int) -> bytes:
    """All of a small file. Raises Damaged: "too-large"."""
    if source.size > most:
        raise Damaged("too-large", f"{source.size} bytes of JSON")
    return source.read(0, source.size)


def decoded(data: bytes, kind: type[_Kind]) -> _Kind | None:
    """JSON as a type; None where it is none, or of another shape."""
    try:
        return msgspec.json.decode(data, type=prepared(kind))
    except JSON_ERRORS:
        return None


def text(raw: msgspec.Raw) -> str:
    """A text; "" where it is none."""
    return decoded(bytes(raw), str) or ""


def texts(raw: msgspec.Raw) -> tuple[str, ...]:
    """A list of texts; () where it is none."""
    data = bytes(raw)
    return (decoded(data, tuple[str, ...]) or ()) if len(data) <= MOST_LIST else ()


def _custom_code(raw: msgspec.Raw) -> str:
    """The modules of custom code that a config names."""
    data = bytes(raw)
    pairs = (decoded(data, dict[str, msgspec.Raw]) or {}) if len(data) <= MOST_LIST else {}
    return ", ".join(sorted({module for pair in pairs.values() if (module := text(pair))}))


def number(raw: msgspec.Raw) -> int | None:
    """A count; None where it is none."""
    found = decoded(bytes(raw), float)  # total_size is 1.3e10 in some files
    return int(found) if found is not None and 0 <= found < 1 << 62 else None


def _true(raw: msgspec.Raw) -> bool:
    return bytes(raw) == b"true"

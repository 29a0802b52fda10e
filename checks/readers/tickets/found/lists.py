"""Lists of "key: value": collect_env and its relatives, issue forms, logs that print a version per line.

All of them name the same things by slightly different keys, so one table of keys (tickets/words.toml) reads them all:
torch.utils.collect_env (old, new, vLLM's, mmcv's, detectron2's), transformers-cli env, the forms of TensorFlow, ONNX
Runtime, TensorRT and PyTorch, ComfyUI's and Ultralytics' start-up lines.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from packaging.utils import canonicalize_name

from checks.facts import Package
from checks.knowledge.packages.ai_packages import examined_names
from checks.knowledge.tickets.words import FieldRow, field_of_key, is_possible, package_of_word
from checks.readers.tickets.found.gpus import GpuStatement, gpus_in
from checks.readers.tickets.found.systems import system_facts
from checks.readers.tickets.text import Field, Statement, Text, plain_key

VERSION = re.compile(
    r"(?<![\w.+])v?(\d{1,4}(?:\.\d{1,8}){1,3}(?:\.?(?:a|b|rc|dev|post|alpha|beta)\d{0,12}){0,3}(?:\+[\w.]{1,40})?)"
)
_DRIVER = re.compile(r"(?<![\d.])(\d{3}\.\d{2,3}(?:\.\d{2})?)(?![\d.])")
_DRIVER_BRANCH = re.compile(r"(?<![\d.])(\d{3})(?![\d.])")
_PYTHON = re.compile(r"(?<![\d.])([23]\.\d{1,2}(?:\.\d{1,2})?(?:(?:a|b|rc)\d)?)(?![\d.])")
_GLIBC = re.compile(r"glibc[ -]?(\d\.\d{1,2})|^(\d\.\d{1,2})$")
_CUDA = re.compile(r"(?<![\d.])(\d{1,2}\.\d{1,2})(?:\.\d{1,4})?(?![\d.])")
_SLASH = re.compile(
    r"(?:cuda )?v?(\d{1,2}\.\d{1,2})[\d.]*\s{0,3}/\s{0,3}(?:cudnn )?v?(\d{1,2}(?:\.\d{1,2}){0,3})", re.IGNORECASE
)
_FLAGS = re.compile(r"^\s{0,80}[Ff](?:lags|eatures)\s{0,40}:\s{0,80}([a-z0-9_ ]{20,4000})$", re.MULTILINE)
_NOTHING = frozenset(
    {"none", "n/a", "na", "not installed", "no", "-", "could not collect", "not available", "null", "unknown"}
)
_YES = re.compile(r"(?:yes|true|1)\b", re.IGNORECASE)
_NO = re.compile(r"(?:no|false|0)\b", re.IGNORECASE)
_KERNEL = re.compile(r"(?:Linux )?(?:version )?(\d\.\d{1,3}\.\d[\w.+~-]{0,60})")
_DESCRIBED = re.compile(r"v\d[\w.]{0,20}-\d{1,6}-g[0-9a-f]{6,40} (\S{1,40})")  # TensorFlow: "v1.2.0-5-g435cdfc 1.2.1"
_YOU_HAVE = re.compile(r"\(you have ([^()]{1,40})\)")  # xFormers: "Python  3.11.7 (you have 3.11.0)"
_CPU = re.compile(
    r"intel|amd|xeon|ryzen|epyc|threadripper|core|apple|arm|cortex|neoverse|graviton|ampere|snapdragon|pentium|i[3579]-",
    re.IGNORECASE,
)
_LISTED_GPU = re.compile(r"GPU (\d{1,2}): (.{3,80})")
_CAPABILITY = re.compile(r"compute capability:? (\d{1,2}\.\d)")
_GPU_NUMBER = re.compile(r"gpu ?(\d{1,2})(?:,\d{1,2})*")  # mmcv: "GPU 0,1,2,3: NVIDIA A100"
_COLLECTED = ("pytorch version", "cuda used to build pytorch")


def read_lists(text: Text) -> Iterator[Statement]:
    """The statements of all keys, in the order of the lines."""
    program = _program(text)
    for field in text.fields:
        yield from _of_field(field, text, program)
    for field in text.columns:
        if field.key in field_of_key():
            yield from _of_field(field, text, program)
    yield from _of_headings(text)
    if "flags" in text.lower or "features" in text.lower:
        for found in _FLAGS.finditer(text.whole):
            yield Statement("machine.cpu.instruction_sets", tuple(found[1].split()), text.at(found), program)


def _program(text: Text) -> str:
    if text.has("cuda used to build pytorch", "collecting environment information"):
        return "collect_env"
    if text.has("huggingface_hub version", "transformers` version", "transformers version"):
        return "transformers env"
    return ""


def _of_field(field: Field, text: Text, program: str) -> Iterator[Statement]:
    number = text.lines[field.index].number
    row = field_of_key().get(field.key)
    if "==" in text.lines[field.index].text and (row is None or row.fact.startswith("frameworks.")):
        return  # "torch==2.1.0" is read with the lists of packages
    if row is not None:
        value = field.value
        numbers: tuple[int, ...] = (number,)
        if not value and row.reads in ("gpus", "version", "system"):  # the value on the next line
            value, numbers = _next_value(text, field.index, numbers)
        yield from _statement(row, value, numbers, program)
        return
    named = _GPU_NUMBER.fullmatch(field.key)
    if named:
        found = gpus_in(field.value, is_name=True)
        for gpu, _ in found[:1]:
            statement = GpuStatement(
                gpu, field.value.partition(" (UUID")[0].strip()[:80], index=int(named[1]), by="driver"
            )
            yield Statement("gpu", statement, (number,), program)
        return
    yield from _package_line(field, number, program)


def _next_value(text: Text, index: int, numbers: tuple[int, ...]) -> tuple[str, tuple[int, ...]]:
    for line in text.lines[index + 1 : index + 3]:
        if line.text.strip():
            key = plain_key(line.text.partition(":")[0])
            is_key = key in field_of_key() or _GPU_NUMBER.fullmatch(key)
            return ("", numbers) if is_key else (line.text.strip(), (*numbers, line.number))
    return "", numbers


def _of_headings(text: Text) -> Iterator[Statement]:
    """Forms that set the question as a heading, and the answer below: "### TensorFlow version"."""
    keys = field_of_key()
    for index, line in enumerate(text.lines[:-1]):
        if len(line.text) > 60 or ":" in line.text or "=" in line.text or not line.text:
            continue
        row = keys.get(plain_key(line.text))
        if row is None or row.reads == "flags":
            continue
        value, numbers = _next_value(text, index, (line.number,))
        if value and len(value) < 100:
            yield from _statement(row, value, numbers, "")


def _package_line(field: Field, number: int, program: str) -> Iterator[Statement]:
    """A package in "xformers version: 0.0.20", "- Accelerate version: 0.25.0", "transformers = 4.45.1"."""
    name = field.key.removesuffix(" version").strip()
    known = package_of_word().get(name)
    if known is None and canonicalize_name(name) in examined_names():
        known = str(canonicalize_name(name))
    if known is None:
        return
    instead = _YOU_HAVE.search(field.value)
    version = VERSION.match(instead[1] if instead else field.value.lstrip("\"' ^=v"))
    if version and is_possible(known, version[1]):
        yield Statement("package", Package(name=known, version=version[1]), (number,), program)


def _statement(row: FieldRow, value: str, numbers: tuple[int, ...], program: str) -> Iterator[Statement]:
    instead = _YOU_HAVE.search(value)
    package = row.fact.split(".")[1] if row.fact.startswith("frameworks.") else ""
    for fact, read in READS[row.reads](instead[1] if instead else value):
        if row.reads == "version" and not is_possible(package, read):
            continue
        yield Statement(fact or row.fact, read, numbers, program)


# --- how a value is read: pairs of (another fact than the row's, value) ----------------------------------------------

_Values = Iterator[tuple[str, Any]]


def _version(value: str) -> _Values:
    described = _DESCRIBED.match(value)
    found = VERSION.search(described[1] if described else value.strip("\"' "))
    if found:
        yield "", found[1]


def _pattern(find: Callable[[str], re.Match[str] | None]) -> Callable[[str], _Values]:
    """What the first group stands for that a pattern finds."""

    def read(value: str) -> _Values:
        found = find(value)
        if found:
            yield "", next(filter(None, found.groups()))

    return read


def _driver(value: str) -> _Values:
    found = _DRIVER.search(value) or (_DRIVER_BRANCH.search(value) if len(value) < 24 else None)
    if found:
        yield "", found[1]


def _cuda(value: str) -> _Values:
    """The CUDA (or ROCm) of a build: "None" says that it was built without; "N/A", that nobody could ask."""
    if value.strip().lower() in ("none", "n/a"):
        if value.strip().lower() == "none":
            yield "", ""
        return
    found = _CUDA.search(value)
    if found:
        yield "", found[1]


def _flag(value: str) -> _Values:
    if _YES.match(value):
        yield "", True
    elif _NO.match(value):
        yield "", False


def _text(value: str) -> _Values:
    if value and value.lower() not in _NOTHING:
        yield "", value[:200].strip("` ")


def _model(value: str) -> _Values:
    if _CPU.search(value):
        yield "", value[:120]


def _system(value: str) -> _Values:
    facts = system_facts(value)
    if facts:
        yield "", facts


def _gpus(value: str) -> _Values:
    listed = _LISTED_GPU.match(value)  # old collect_env: "GPU models and configuration: GPU 0: GeForce GTX 1080 Ti"
    found = gpus_in(listed[2] if listed else value, is_name=True)
    for gpu, name in found:
        yield (
            "gpu",
            GpuStatement(gpu, name, index=int(listed[1]) if listed else None, by="driver" if listed else "mention"),
        )
    capability = None if found else _CAPABILITY.search(value)
    if capability is not None:
        yield "gpu", GpuStatement(None, value[:80].strip(), nvidia={"compute_capability": capability[1]})


def _both(value: str) -> _Values:
    both = _SLASH.search(value)
    found = _CUDA.search(value)
    if both:
        yield "", both[1]
        yield "mention.cudnn", both[2]
    elif found:
        yield "", found[1]


def _container(value: str) -> _Values:
    lower = value.lower()
    if lower in _NOTHING or "bare" in lower:
        return
    if "docker" in lower or "container" in lower or "nvcr.io" in lower:
        yield "", "docker"


READS: dict[str, Callable[[str], _Values]] = {
    "version": _version,
    "driver": _driver,
    "python": _pattern(_PYTHON.search),
    "libc": _pattern(_GLIBC.search),
    "kernel": _pattern(_KERNEL.match),
    "cuda": _cuda,
    "flag": _flag,
    "text": _text,
    "model": _model,
    "system": _system,
    "gpus": _gpus,
    "both": _both,
    "container": _container,
    "flags": lambda _: iter(()),  # a processor's flags are read from the whole line
}

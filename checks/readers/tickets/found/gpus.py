"""GPUs in a text: where names of them stand, and what a text says of one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from checks.machine.gpu_names import NamedGpu, gpu_at, gpu_of_name

MOST = 16  # GPUs of one text
# Where a name can begin. What follows must be in the index of names to count.
_BEGIN = re.compile(
    r"(?<![a-z0-9_./-])(?:(?:nvidia|geforce|quadro|tesla|titan|radeon|instinct|(?:rtx"
    r"|gtx|rx|arc)(?=[ -]?[ab]?\d)|rtx (?:a|pro|titan)|intel(?:\(r\))? arc|amd)\b"
    r"|(?:rtx|gtx|rx|arc|mx)(?=[ab]?\d{3,4})|gt(?= ?\d{3,4}(?![\d.]))"
    r"|[1-5]0[5-9]0(?= ?(?:ti|super)(?![a-z]))"
    r"|(?:[ahbvpkl]\d{2,3}[a-z]?|t4|gb\d{2,3}|gh200|mi\d{2,3}x?)(?![a-z0-9_.]))"
)
_SHORT = re.compile(r"[a-z]{1,2}\d{2,3}[a-z]?|t4")  # data-centre cards by their bare name
_WELL_KNOWN = frozenset(
    {"a100", "h100", "h200", "h800", "v100", "l40s", "b200", "gb200", "mi300x", "mi250x", "mi210", "a10g"}
)
_BARE = re.compile(
    r"(?<![\w.])(\d{4}(?:\s?(?:ti|super))?(?:\s(?:super|laptop|mobile))?)(?![\w.]|[ -]series)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class GpuStatement:
    """A GPU that a text names. ``by``: "driver" where the driver or a framework listed it, "bus", "mention" else."""

    named: NamedGpu | None
    name: str  # as the text has it; "" for the name of the index
    index: int | None = None
    by: str = "mention"
    nvidia: dict[str, Any] = field(default_factory=dict)  # more fields of NvidiaGpu
    bus: dict[str, Any] = field(default_factory=dict)  # more fields of Gpu

    @property
    def label(self) -> str:
        """What to call it."""
        return self.name or (self.named.product if self.named else "GPU")


@dataclass(frozen=True, slots=True)
class Mention:
    """The name of a GPU in a text, and where it stands."""

    named: NamedGpu
    start: int
    end: int


def mentions_of_gpus(text: str, lower: str) -> Iterator[Mention]:
    """Every name of a GPU in a text. ``lower``: the text in lower case, of the same length."""
    last = 0
    for begin in _BEGIN.finditer(lower):
        if begin.start() < last:
            continue
        word = begin.group(0)
        is_upper = text[begin.start()].isupper()  # "A100" is a card, "a16" or "h20" need not be
        if _SHORT.fullmatch(word) and not is_upper and word not in _WELL_KNOWN:
            continue
        found = gpu_at(text[begin.start() : begin.start() + 90].partition("\n")[0])
        if found is not None:
            last = begin.start() + found[1]
            yield Mention(found[0], begin.start(), last)


def gpus_in(value: str, *, is_name: bool = False) -> list[tuple[NamedGpu, str]]:
    """The GPUs that the value of a field names, with their names as written.

    ``is_name``: the field is about a GPU, so that a bare "3090" or "L4" is one.
    """
    lower = value.lower()
    if len(lower) != len(value):
        lower = value
    found = [(mention.named, value[mention.start : mention.end].strip()) for mention in mentions_of_gpus(value, lower)]
    if not found and is_name:
        start = gpu_at(value.lstrip())
        if start is not None:
            return [(start[0], value.lstrip()[: start[1]])]
        found = [(gpu, match[1]) for match in _BARE.finditer(value) if (gpu := _of_number(match[1]))]
    return found[:MOST]


def _of_number(number: str) -> NamedGpu | None:
    """The GeForce or Radeon that a bare number means: "3090", "1080 Ti"."""
    return gpu_of_name(f"RTX {number}") or gpu_of_name(f"GTX {number}") or gpu_of_name(f"RX {number}")

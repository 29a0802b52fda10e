"""What is known from a GPU's name: its maker, its die and what that can compute.

Names come as drivers, frameworks and people write them: "NVIDIA A100-SXM4-80GB", "GeForce RTX 2070 with Max-Q Design",
"3090 Ti". A name is cut into words; makers, memory sizes, board forms and the like are dropped, and what is left is
looked up in an index of the names in pci.ids. A name that several dies have gives what all of them have in common.
"""

from __future__ import annotations

import functools
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from checks.facts import Gpu
from checks.knowledge.gpu.gpu_architectures import (
    GpuArchitectures,
    amd_target_of_device,
    architecture_of_die,
    intel_platform,
    tegra_of,
)
from checks.knowledge.tickets.words import TicketWords
from checks.machine.pci import VENDOR_NAMES, PciName, devices_of

LONGEST_NAME = 90  # characters
MOST_WORDS = 8  # of a name that are looked at

# Glued words: "rtx3090ti" -> "rtx 3090 ti", "rx6700xt" -> "rx 6700 xt".
_GLUED = re.compile(r"(rtx|gtx|rx|arc|titan|quadro|tesla)(?=[a-z]?\d)|(?<=\d{4})(?=(?:ti|super|xtx|xt|gre|d)\b)")
_NO_WORD = re.compile(r"\((?:r|tm|c)\)|[^a-z0-9.+]+")
# A piece of a name in a sentence. Japanese, Chinese and Korean go on without a space: "RTX 3070です。".
_PIECE = re.compile(r"[^\s,;|()/\[\]:!?\u1100-\u11ff\u3000-\u9fff\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef]+")
_SIZE = re.compile(
    r"\d{1,3}(?:\.\d)?g[ib]?b?|\d{4,6}m[ib]{1,2}|hbm\d?e?|gddr\d?x?|sxm\d?|pcie|nvl\d*|dgxs|fhhl|\d{1,3}"
)
_MOBILE = frozenset({"mobile", "laptop", "notebook"})
_MAX_Q = "maxq"
_ONLY_WITH_BRAND = frozenset({"quadro", "ada", "pro"})  # people leave these out, and then several cards are meant


_DECIDED = ("device_id", "die", "architecture", "compute_capability", "gfx_target")  # what a name may leave open


class NamedGpu(msgspec.Struct, frozen=True, kw_only=True):
    """The GPU that a name stands for. Empty texts: the name alone does not decide."""

    vendor_id: str  # "10de"
    product: str  # as pci.ids spells it, without the maker
    device_id: str = ""
    die: str = ""
    architecture: str = ""
    compute_capability: str = ""  # NVIDIA
    gfx_target: str = ""  # AMD

    def as_gpu(self, name: str, origin: str) -> Gpu:
        """The GPU as the bus of a live machine would show it, under the name that was reported."""
        known: dict[str, Any] = {field: getattr(self, field) or None for field in _DECIDED}
        vendor = VENDOR_NAMES[self.vendor_id]
        return Gpu(origin=origin, vendor_id=self.vendor_id, vendor=vendor, product=name, **known)


def gpu_of_name(name: str) -> NamedGpu | None:
    """The GPU of a name that a program printed; None where no such name is known."""
    words = _words(name)
    for length in range(len(words), 0, -1):
        found = _index().get(_key(words[:length]))
        if found is not None:
            return found
    return None


@functools.lru_cache(maxsize=4096)
def gpu_at(text: str) -> tuple[NamedGpu, int] | None:
    """The GPU whose name the text begins with, and how many characters of it are the name.

    A name of one word that other things have too ("titan") does not count; a row of cards ("RTX 50 series") neither.
    """
    end = 0
    best: tuple[NamedGpu, int] | None = None
    key = ""
    pieces = list(_PIECE.finditer(text[:LONGEST_NAME]))[:MOST_WORDS]
    for piece in pieces:
        between = text[end : piece.start()]
        if end and between.strip(" ()-"):
            break
        end = piece.end()
        words = _words(text[:end])
        if words and not any(word.isdigit() or any(c.isdigit() for c in word) for word in words):
            continue
        if re.match(r"[\s-]*(?:series|系列|シリーズ)", text[end : end + 10], re.IGNORECASE):
            return None
        found = _index().get(_key(words)) if words else None
        if found is not None and _key(words) != key:  # else only a word was added that means nothing
            best, key = (found, end - len(piece.group(0)) + len(piece.group(0).rstrip(".!?\"'"))), _key(words)
    return best


def jetson_capability(model: str) -> str | None:
    """The compute capability of a Jetson by its model's name ("Jetson Orin Nano"); None for one that is not known."""
    wanted = model.lower()
    for row in reversed(GpuArchitectures.read().tegra):  # the newest first: "Orin Nano" is no "Nano"
        boards = row.boards.lower().removeprefix("jetson ").split(", ")
        if any(board in wanted for board in boards):
            soc = tegra_of([row.soc])
            architecture = architecture_of_die(soc.die) if soc else None
            return architecture.compute_capability if architecture else None
    return None


def _words(name: str) -> list[str]:
    """The words of a name that mean something, lower case: "NVIDIA GeForce RTX 3080 Laptop GPU" -> rtx 3080 mobile."""
    lower = name[:LONGEST_NAME].lower().replace("max-q", _MAX_Q).replace("max q", _MAX_Q).replace("rev. a", "")
    lower = _GLUED.sub(lambda found: f"{found.group(0)} ", _NO_WORD.sub(" ", lower))
    meaningless = frozenset(TicketWords.read().gpu_name.says_nothing)
    found: list[str] = []
    for part in lower.split():
        word = part.strip(".+")
        if not word or word in meaningless:
            continue
        if _SIZE.fullmatch(word) and (found or not word.isdigit()) and not _is_model(word, found):
            continue
        found.append("mobile" if word in _MOBILE else word)
    return found[:MOST_WORDS]


def _is_model(word: str, before: Sequence[str]) -> bool:
    """Whether a short number is a model's and no size: "vega 56", "gt 710"."""
    return word.isdigit() and bool(before) and before[-1] in {"vega", "gt", "gts", "gtx", "titan", "fury", "pro", "nvs"}


def _key(words: Iterable[str]) -> str:
    return " ".join(words)


@functools.cache
def _index() -> dict[str, NamedGpu]:
    candidates: defaultdict[str, list[NamedGpu]] = defaultdict(list)
    for gpu in _known():
        for name in _spelled_out(gpu.product):
            words = _words(name)
            if not words or not any(any(c.isdigit() for c in word) or word == "titan" for word in words):
                continue
            candidates[_key(words)].append(msgspec.structs.replace(gpu, product=name))
    for key in list(candidates):
        for shorter in _left_out(key.split()):
            candidates[shorter] += candidates[key]
    return {key: _common(found) for key, found in candidates.items()}


def _left_out(words: list[str]) -> Iterator[str]:
    """How else the card is called: without its brand, and by its bare number ("3090 ti")."""
    brandless = [word for word in words if word not in _ONLY_WITH_BRAND]
    if brandless != words:
        yield _key(brandless)
    for brand in ("rtx", "gtx", "rx", "arc"):
        if words[0] == brand and len(words) > 1 and re.fullmatch(r"[ab]?\d{3,4}", words[1]):
            yield _key(words[1:])


def _known() -> Iterator[NamedGpu]:
    for vendor_id in VENDOR_NAMES:
        for device_id, pci in devices_of(vendor_id):
            fields = _computing(vendor_id, device_id, pci)
            if fields is not None:
                yield NamedGpu(vendor_id=vendor_id, product=pci.product, device_id=device_id, die=pci.die, **fields)


def _computing(vendor_id: str, device_id: str, pci: PciName) -> dict[str, str] | None:
    """What a device computes with, as fields of NamedGpu; None where it is no GPU that is known."""
    if vendor_id == "8086":
        platform = intel_platform(device_id)
        return {"architecture": platform.architecture} if platform else None
    if not _is_graphics(pci):
        return None
    if vendor_id == "10de":
        known = architecture_of_die(pci.die)
        if known is None:
            return None
        return {"architecture": known.architecture, "compute_capability": known.compute_capability}
    target = amd_target_of_device(device_id, pci.name)
    return {"architecture": target.architecture, "gfx_target": target.gfx} if target else None


def _is_graphics(pci: PciName) -> bool:
    return "Audio" not in pci.name and pci.product != pci.name


def _spelled_out(product: str) -> Iterator[str]:
    """The names in a row of them: "Radeon RX 7900 XT/7900 XTX" -> "Radeon RX 7900 XT", "Radeon RX 7900 XTX"."""
    prefix: list[str] = []
    before = ""
    for part in re.split(r"\s*/\s*", product):
        words = part.split()
        if all(not any(c.isdigit() for c in word) for word in words) and before:
            yield f"{re.sub(r'(?i) (?:mobile|max-q).*', '', before)} {part}"  # "RTX 3070 Mobile / Max-Q"
            continue
        own = []
        for word in words:
            if any(c.isdigit() for c in word):
                break
            own.append(word)
        if own:
            prefix = own
        before = part if own else " ".join([*prefix, part])
        yield before


def _common(found: list[NamedGpu]) -> NamedGpu:
    """What all cards of one name have in common."""
    shared = {}
    for field in _DECIDED:
        values = {getattr(gpu, field) for gpu in found}
        shared[field] = values.pop() if len(values) == 1 else ""
    return NamedGpu(vendor_id=found[0].vendor_id, product=found[0].product, **shared)

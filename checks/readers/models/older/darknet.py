"""Darknet: the network as sections of a text (.cfg), and its weights (.weights) beside it.

Weights begin with three numbers for the version, and a count of the images seen, of 32 or, since 0.2, 64 bits; after
that only numbers in single precision, in the order of the layers.
"""

from __future__ import annotations

import re
import struct
from collections import Counter

from checks.facts import TensorSpec
from checks.knowledge.formats.darknet_layers import DarknetLayersTable
from checks.readers.containers.folder import Folder
from checks.readers.containers.source import MIB, Damaged, Source
from checks.readers.models.reading import Reading, missing_file, operator_uses, weights_beside
from checks.readers.models.registry import Rank, file_reader

_BEGINS = re.compile(rb"\s*(?:[#;][^\n]*\n\s*)*\[net(?:work)?\]\s*\n")
_SECTION = re.compile(r"^[ \t]*\[([\w-]{1,60})\][ \t]*\r?$", re.MULTILINE)
_SETTING = re.compile(r"^[ \t]*(\w{1,60})[ \t]*=[ \t]*([^\r\n#;]{0,200})", re.MULTILINE)
_MOST_TEXT = 4 * MIB
_MOST_LAYERS = 100_000
_WEIGHTED = {"convolutional", "conv", "connected", "conn", "deconvolutional", "deconv", "local", "batchnorm", "lstm"}
_WEIGHTED |= {"gru", "rnn", "crnn"}


@file_reader("darknet", rank=Rank.STRUCTURE)
def darknet_cfg(source: Source, beside: Folder) -> Reading | None:
    """The network."""
    if not _BEGINS.match(source.head):
        return None
    if source.size > _MOST_TEXT:
        raise Damaged("too-large", f"{source.size} bytes of text")
    text = source.read(0, source.size).decode("utf-8", "replace")
    sections = list(_SECTION.finditer(text))
    table = DarknetLayersTable.read()
    kinds = Counter(match[1] for match in sections[1:_MOST_LAYERS])
    if not kinds or not any(kind in table.original for kind in kinds):
        return None
    net = dict(_SETTING.findall(text, sections[0].end(), sections[1].start()))
    weights = weights_beside(beside, source.name.removesuffix(".cfg"), ".weights", ".cfg")
    files = (weights,) if _WEIGHTED & kinds.keys() else ()
    classes = dict(_SETTING.findall(text, sections[-1].end())).get("classes", "").strip()
    height, width, channels = (_number(net.get(key, "")) for key in ("height", "width", "channels"))
    return Reading(
        "darknet",
        producer="darknet",
        frameworks=("darknet", "opencv-python<5"),
        operators=operator_uses(kinds, is_custom=lambda kind: kind not in table.original),
        files=files,
        memory=files[0].present_size if files else 0,
        inputs=(TensorSpec(name="data", dtype="float32", shape=("?", channels or 3, height or "?", width or "?")),),
        details={
            **({"classes": classes} if classes.isdecimal() else {}),
            **({"darknet-fork": "AlexeyAB"} if any(kind in table.fork for kind in kinds) else {}),
        },
        problem=missing_file(files),
    )


@file_reader("darknet", rank=Rank.NAME)
def darknet_weights(source: Source, _beside: Folder) -> Reading | None:
    """The weights."""
    if not source.name.endswith(".weights") or source.size < 20:
        return None
    major, minor, revision = struct.unpack("<iii", source.read(0, 12))
    if not (major == 0 and 1 <= minor <= 10 and 0 <= revision <= 10):
        return None
    header = 20 if minor >= 2 else 16
    seen = int.from_bytes(source.read(12, header - 12), "little")
    count, left = divmod(source.size - header, 4)
    return Reading(
        "darknet",
        version=f"{major}.{minor}.{revision}",
        producer="darknet",
        frameworks=("darknet", "opencv-python<5"),
        memory=4 * count,
        parameters=count,
        dtypes={"float32": count},
        details={"content": "weights", **({"images-seen": str(seen)} if seen < 1 << 40 else {})},
        problem=Damaged("truncated") if left else None,
    )


def _number(text: str) -> int:
    text = text.strip()
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else 0

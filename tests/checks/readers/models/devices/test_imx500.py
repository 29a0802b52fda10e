"""What the files for Sony's IMX500 say: the converter's archive and the camera's package.

Both are laid out here as the files were that were looked at: archives of the converter 3.16.1 and 3.17.1, and the
packages of 3.11.3 to 3.17.1 that Raspberry Pi publishes.
"""

from __future__ import annotations

import contextlib
import io
import json
import struct
import zipfile
from typing import Any

import pytest
from hypothesis import given
from support.mangled import cuts, mangled, read, survives

from checks.facts import ModelFacts, TensorSpec
from checks.readers.containers.folder import ZipFolder
from checks.readers.containers.source import Damaged, of_bytes
from checks.readers.models.devices.imx500 import imx500_packer, imx500_rpk

PARAMETERS = """<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<dnnParams>
    <networks>
        <network name="best_imx" ordinal="0" type="">
            <inputTensors>
                <inputTensor persistency="0" ordinal="0" name="input:0" bitsPerElement="8" scale="0.00390625" format="unsigned">
                    <dimensions>
                        <dimension size="3" serializationOrder="2" ordinal="0" padding="0"/>
                        <dimension size="640" serializationOrder="1" ordinal="1" padding="0"/>
                        <dimension size="480" serializationOrder="0" ordinal="2" padding="0"/>
                    </dimensions>
                </inputTensor>
            </inputTensors>
            <outputTensors>
                <outputTensor ordinal="1" name="scores:0" bitsPerElement="8" scale="0.00390625" format="unsigned">
                    <dimensions><dimension size="300" serializationOrder="0" ordinal="0" padding="0"/></dimensions>
                </outputTensor>
                <outputTensor ordinal="0" name="boxes:0" bitsPerElement="16" scale="0.03125" format="signed">
                    <dimensions>
                        <dimension size="300" serializationOrder="0" ordinal="0" padding="0"/>
                        <dimension size="4" serializationOrder="1" ordinal="1" padding="0"/>
                    </dimensions>
                </outputTensor>
            </outputTensors>
        </network>
    </networks>
    <l2memory totalSize="8388480" coefficientsSize="2694624" reservedMemorySize="1024" networksRuntimeSize="4699136"/>
</dnnParams>
"""  # noqa: E501 - as the converter writes it
MANIFEST = {
    "Release Version": "3.17.1",
    "Description": "Created by Packer",
    "Target": "IMX500",
    "Network Name": "best_imx",
    "Date Info": "Wed Jan 14 17:00:54 CET 2026",
    "coef": {"LoadAddr": "0x456e1a0", "File": "l2staticData.bin", "Version": "3.17.1", "Size": 500},
    "xml": {"LoadAddr": "NA", "File": "dnnParams.xml", "Version": "3.17.1", "Size": len(PARAMETERS)},
}


def packed(manifest: object = MANIFEST, parameters: str = PARAMETERS, coefficients: int = 500) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("l2staticData.bin", bytes(coefficients))
        archive.writestr("dnnParams.xml", parameters)
        archive.writestr("manifest.json", json.dumps(manifest))
    return out.getvalue()


def packer(data: bytes) -> ModelFacts | None:
    return imx500_packer.read(ZipFolder(of_bytes(data, "packerOut.zip")))


def flat(fields: list[tuple[str, Any]]) -> bytearray:
    """A FlatBuffer's table with everything that it leads to; it begins with the offset to the table."""
    sizes = {"B": 1, "H": 2}
    vtable = struct.pack("<HH", 4 + 2 * len(fields), 4 + 4 * len(fields))
    vtable += b"".join(struct.pack("<H", 4 + 4 * index) for index in range(len(fields)))
    out = bytearray(struct.pack("<I", 4 + len(vtable)) + vtable)
    table = len(out)
    out += struct.pack("<i", len(vtable)) + bytes(4 * len(fields))
    for index, (kind, given_value) in enumerate(fields):
        at = table + 4 + 4 * index
        if kind in sizes:
            struct.pack_into(f"<{kind}", out, at, given_value)
            continue
        struct.pack_into("<I", out, at, len(out) - at)
        if kind == "text":
            out += struct.pack("<I", len(given_value)) + given_value.encode() + b"\0"
            continue
        start = len(out)
        out += struct.pack("<I", len(given_value)) + bytes(4 * len(given_value))
        for number, each in enumerate(given_value):
            place = start + 4 + 4 * number
            child = flat(each)
            struct.pack_into("<I", out, place, len(out) - place + struct.unpack_from("<I", child)[0])
            out += child
    return out


def dimensions(*lengths: int) -> list[list[tuple[str, Any]]]:
    return [[("B", index), ("H", length), ("B", index), ("B", 0)] for index, length in enumerate(lengths)]


INPUT = [("B", 0), ("text", "input:0"), ("B", 3), ("tables", dimensions(3, 640, 640)), ("H", 0), ("B", 0), ("B", 1)]
BOXES = [
    ("B", 0),
    ("text", "boxes:0"),
    ("B", 2),
    ("tables", dimensions(300, 4)),
    ("B", 16),
    ("H", 0),
    ("B", 0),
    ("B", 0),
]
SCORES = [("B", 1), ("text", "scores:0"), ("B", 1), ("tables", dimensions(300)), ("B", 8), ("H", 0), ("B", 0), ("B", 1)]
NETWORK = [("H", 0), ("text", "yolo11n_imx"), ("text", ""), ("tables", [INPUT]), ("tables", [SCORES, BOXES])]
TENSORS = flat([("tables", [NETWORK])])
INFO = (
    f"version=020400\nnetworkID=000000\napParamSize={len(TENSORS)}\nnetworkNum=1\nnetworkOrdinal=0\n"
    "inputTensorWidth=640\ninputTensorHeight=480\ninputTensorFormat=RGB\noutputTensorNum=2\n"
).encode()
INTRINSICS = b'{"inference_rate": 30, "task": "object detection", "classes": {"labels": ["person", "bicycle"]}}'


def turned(data: bytes) -> bytes:
    data = data.ljust(len(data) + 3 & ~3, b"\0")
    return b"".join(data[at : at + 4][::-1] for at in range(0, len(data), 4))


def block(number: int, content: bytes, *, is_locked: bool) -> bytes:
    head = struct.pack(">4sIHH4B", b"9464", len(content), 2, number, 0, 0, int(is_locked), 1)
    return head.ljust(60, b"\0") + content + b"3695" + (bytes(32) if is_locked else b"")


def cpio(members: dict[str, bytes]) -> bytes:
    out = b""
    for name, content in [*members.items(), ("TRAILER!!!", b"")]:
        numbers = (0, 0o100644, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(name) + 1, 0)
        out += b"070701" + b"".join(b"%08X" % number for number in numbers) + name.encode() + b"\0"
        out += bytes(-len(out) % 4) + content
        out += bytes(-len(out) % 4)
    return out


def package(members: dict[str, bytes], tensors: bytes = bytes(TENSORS), version: str = "0317010000000000") -> bytes:
    first = bytearray(6000)
    first[36 : 36 + len(tensors) + 3 & ~3] = turned(tensors)
    data = bytearray(block(1, bytes(first), is_locked=True))
    data[48:64] = turned(version.encode())
    return bytes(data) + block(2, bytes(3000), is_locked=False) + cpio(members)


RPK = package({"imx500_regs": bytes(40), "network_info.txt": INFO, "network_intrinsics": INTRINSICS})
PACKED = packed()


def test_the_converters_archive() -> None:
    facts = packer(PACKED)
    assert facts is not None
    assert (facts.format, facts.producer, facts.producer_version) == ("imx500-packer", "imx500-converter", "3.17.1")
    assert facts.inputs == (TensorSpec(name="input:0", dtype="uint8", shape=(3, 640, 480)),)
    assert facts.outputs == (
        TensorSpec(name="boxes:0", dtype="int16", shape=(300, 4)),
        TensorSpec(name="scores:0", dtype="uint8", shape=(300,)),
    )
    assert facts.details["memory-working"] == "4699136"
    assert facts.needs.memory == 2694624
    assert facts.problem is None


def test_a_part_that_is_missing_or_short_is_named() -> None:
    facts = packer(packed(coefficients=100))
    assert facts is not None
    assert (facts.problem, facts.problem_detail) == ("missing-part", "l2staticData.bin")


def test_other_archives_are_not_taken() -> None:
    assert packer(packed(manifest={"name": "an extension of a browser"})) is None
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("manifest.json", json.dumps(MANIFEST))
    assert packer(out.getvalue()) is None


@pytest.mark.parametrize(
    "parameters",
    [
        pytest.param(PARAMETERS[:500], id="cut"),
        pytest.param(PARAMETERS.replace("<dnnParams>", '<!DOCTYPE a [<!ENTITY b "c">]><dnnParams>', 1), id="entity"),
        pytest.param("<a>" * 2000, id="deep"),
        pytest.param("", id="empty"),
    ],
)
def test_xml_that_is_no_good(parameters: str) -> None:
    manifest = {key: value for key, value in MANIFEST.items() if key != "xml"}
    with pytest.raises(Damaged, match="xml-damaged"):
        packer(packed(manifest, parameters))


def test_the_cameras_package() -> None:
    facts = read(imx500_rpk, RPK, "network.rpk")
    assert facts is not None
    assert (facts.format, facts.producer_version, facts.problem) == ("imx500-rpk", "3.17.1", None)
    assert facts.inputs == (TensorSpec(name="input:0", dtype="uint8", shape=(3, 640, 640)),)
    assert facts.outputs == (
        TensorSpec(name="boxes:0", dtype="int16", shape=(300, 4)),
        TensorSpec(name="scores:0", dtype="uint8", shape=(300,)),
    )
    assert facts.details == {
        "network": "yolo11n_imx",
        "input-format": "RGB",
        "task": "object detection",
        "frame-rate": "30",
        "classes": "2",
        "package-version": "020400",
    }


def test_without_tensors_the_list_of_the_network_serves() -> None:
    facts = read(imx500_rpk, package({"network_info.txt": INFO}, tensors=bytes(100)), "network.rpk")
    assert facts is not None
    assert facts.inputs == (TensorSpec(name="input", shape=(480, 640, "?")),)
    assert facts.outputs is None


def test_four_digits_alone_are_no_package() -> None:
    assert read(imx500_rpk, b"9464 is a number" * 100, "numbers.txt") is None
    assert read(imx500_rpk, b"9464" + bytes(100), "network.bin") is None


def test_a_cut_package_says_so() -> None:
    for cut in cuts(RPK):
        facts = survives(imx500_rpk, cut, "network.rpk")
        assert facts is None or (isinstance(facts, ModelFacts) and facts.problem == "truncated"), len(cut)


@given(mangled(RPK, RPK[6000:], b"9464\0\0\0\0" + RPK[8:]))
def test_mangled_packages(data: bytes) -> None:
    survives(imx500_rpk, data, "network.rpk")


@given(mangled(PARAMETERS.encode(), json.dumps(MANIFEST).encode()))
def test_mangled_parts_of_an_archive(data: bytes) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("dnnParams.xml", data if data[:1] == b"<" else PARAMETERS)
        archive.writestr("manifest.json", json.dumps(MANIFEST).encode() if data[:1] == b"<" else data)
    with contextlib.suppress(Damaged):
        packer(out.getvalue())

"""What TensorRT engines say of themselves.

The first bytes of the engines of TensorRT-RTX are real: built with the releases 1.7.1.116 and 1.5.0.114 for the named
compute capabilities, a convolution and a ReLU. Engines of TensorRT itself need a GPU to be built; the others are laid
out here as the files of the named releases were that were looked at, with the values of the GPUs that built those.
"""

from __future__ import annotations

import json
import struct

import pytest
from hypothesis import given
from support.mangled import MemoryFolder, cuts, mangled, read, survives

from checks.facts import Binding, ModelFacts
from checks.readers.containers.source import Damaged, of_bytes
from checks.readers.models.devices.tensorrt import read_plan, tensorrt, tensorrt_5, tensorrt_llm

RTX_1_7_FOR_FOUR = bytes.fromhex(
    "76747274000000000200000000000000e41904000000000001070174767472741d00000000000000000000000000000000000000000000000008"
    "0000000000004e474e450000000070000000000000006e110400000000005448475700000000e0110400000000000008000000000000707472"
    "74640000005a110400000000000000000002800100010280010007028001000102800100744e80010007800100000000001180010"
    "00f80010009800100"
)
RTX_1_5_FOR_TWO = bytes.fromhex(
    "76747274000000000200000000000000940c0400000000000105007276747274210000000000000000000000000000003a2f0000000000000008"
    "0000000000004e474e450000000070000000000000001b040400000000005448475700000000900404000000000000080000000000007074727"
    "45e00000007040400000000000000000002800100010280010005028001000002800100724e800100078001000000000011800100"
    "0f80010009800100"
)
RTX = RTX_1_7_FOR_FOUR.ljust(268_772, b"\0")


def value(kind: int, number: int | None, *, is_old: bool = False) -> bytes:
    size = {2: 1, 7: 4, 8: 8, 9: 8, 10: 1}.get(kind, 0)
    return struct.pack("<HH", kind if is_old else kind | 0x8000, 1) + (number or 0).to_bytes(size, "little")


def values(version: tuple[int, ...], gpu: dict[str, int], *, release: str) -> bytes:
    """The beginning of an archive, in the order of the releases."""
    is_old, is_new = release < "8.1", release >= "8.6"
    objects = {"7.1": (0x21,), "8.0": (0x48, 0xA5)}.get(release, (0x12, 0x10))
    out: list[tuple[int, int | None]] = [(2, number) for number in version]
    if is_new:
        out += [(0xE5, None), (7, gpu.get("level", 0))]
    out += [(kind, None) for kind in objects]
    out += [(7, gpu["major"]), (7, gpu["minor"]), (7, gpu["clock"]), (7, gpu["memory_clock"]), (7, gpu["bus"])]
    out += [(8, gpu["l2"]), (8, 0), (7, 49152), (7, 65536), (7, 512)] if is_new else [(8, gpu["l2"]), (8, 49152)]
    out += [(7, gpu["sms"]), (10, gpu["integrated"]), (7, 0x40000), (7, 0x7FFFFFFF), (7, 65535), (7, 65535)]
    out += [(8 if release == "7.1" else 9, gpu["memory"]), (7, 0)]
    return b"".join(value(*each, is_old=is_old) for each in out)


NANO = {"major": 5, "minor": 3, "clock": 921600, "memory_clock": 12750, "bus": 64, "l2": 262144, "sms": 1}
NANO |= {"integrated": 1, "memory": 4_156_661_760}
RTX_3060 = {"major": 8, "minor": 6, "clock": 1_852_000, "memory_clock": 7_501_000, "bus": 192, "l2": 2_359_296}
RTX_3060 |= {"sms": 28, "integrated": 0, "memory": 12_884_377_600}
T4 = {"major": 7, "minor": 5, "clock": 1_590_000, "memory_clock": 5_001_000, "bus": 256, "l2": 4_194_304}
T4 |= {"sms": 40, "integrated": 0, "memory": 15_828_320_256}
XAVIER = {"major": 7, "minor": 2, "clock": 1_377_000, "memory_clock": 1_377_000, "bus": 256, "l2": 524_288}
XAVIER |= {"sms": 8, "integrated": 1, "memory": 33_466_150_912}
BODY = b"kernel sm_86 sm_90 EfficientNMS_TRT\0" + bytes(2000)


def archive(release: str, tag: int, version: tuple[int, ...], gpu: dict[str, int]) -> bytes:
    data = values(version, gpu, release=release) + BODY
    if release == "7.1":
        return struct.pack("<4sIIQI", b"ptrt", tag, 211, len(data), 0xA34A5421) + data
    if release == "8.0":
        return struct.pack("<4sIIIQ", b"ptrt", tag, 256, 0x4DA88282, len(data)) + data
    if release in ("8.2", "8.6", "10.0"):
        return struct.pack("<4sIQQ", b"ptrt", 0, tag, len(data)) + data
    return struct.pack("<4sIQI", b"ptrt", tag, len(data), 0) + data


def plan(inner: bytes, version: tuple[int, ...], *, sections: tuple[bytes, ...] = (b"NGNE",)) -> bytes:
    start = 32 + 24 * len(sections)
    table = b"".join(struct.pack("<4s4xQQ", name, start, len(inner)) for name in sections)
    head = struct.pack("<4sIIIQ4B4s", b"ftrt", 0, len(sections), 0, start + len(inner), *version, b"rtrt")
    return head + table + inner


PLAN = plan(archive("8.6", 236, (8, 6, 1, 6), RTX_3060), (8, 6, 1, 6))
NANO_ARCHIVE = archive("8.2", 205, (8, 2, 1, 8), NANO)


def found(data: bytes, name: str = "model.engine") -> ModelFacts:
    facts = read(tensorrt, data, name)
    assert facts is not None
    return facts


def test_an_engine_of_tensorrt_rtx() -> None:
    facts = found(RTX)
    assert (facts.format, facts.producer, facts.producer_version) == ("tensorrt-rtx", "TensorRT-RTX", "1.7.1.116")
    assert facts.version == "serialization 100"
    assert facts.details == {"compute-capability": "7.5, 8.6, 8.9, 12.0"}
    assert facts.needs.frameworks == ("tensorrt-rtx",)
    assert facts.needs.memory == 2048
    assert facts.problem is None


def test_an_older_engine_of_tensorrt_rtx() -> None:
    facts = found(RTX_1_5_FOR_TWO.ljust(265_364, b"\0"))
    assert facts.producer_version == "1.5.0.114"
    assert facts.details == {"compute-capability": "7.5, 12.1"}


@pytest.mark.parametrize(
    ("data", "version", "capability", "multiprocessors", "memory"),
    [
        pytest.param(archive("7.1", 97, (7, 1, 3, 0), XAVIER), "7.1.3.0", "7.2", "8", "31.2 GiB", id="7.1 on a Xavier"),
        pytest.param(archive("8.0", 43, (8, 0, 1, 6), NANO), "8.0.1.6", "5.3", "1", "3.9 GiB", id="8.0 on a Nano"),
        pytest.param(NANO_ARCHIVE, "8.2.1.8", "5.3", "1", "3.9 GiB", id="8.2 on a Nano"),
        pytest.param(PLAN, "8.6.1.6", "8.6", "28", "12.0 GiB", id="8.6 on an RTX 3060"),
        pytest.param(
            plan(archive("10.6", 239, (10, 6, 0, 26), T4), (10, 6, 0, 26)),
            "10.6.0.26",
            "7.5",
            "40",
            "14.7 GiB",
            id="10.6 on a T4",
        ),
    ],
)
def test_the_builder_and_its_gpu(data: bytes, version: str, capability: str, multiprocessors: str, memory: str) -> None:
    facts = found(data)
    assert (facts.format, facts.producer_version) == ("tensorrt", version)
    assert facts.needs.frameworks == (f"tensorrt=={version}",)
    assert facts.details["compute-capability"] == capability
    assert facts.details["gpu-multiprocessors"] == multiprocessors
    assert facts.details["gpu-memory"] == memory
    assert facts.problem is None
    assert Binding(kind="gpu-model", value=f"compute capability {capability}") in facts.bound_to


def test_names_in_the_kernels_are_no_evidence_of_the_gpu_but_a_hint_at_plugins() -> None:
    facts = found(PLAN.replace(b"EfficientNMS_TRT", b"sm_90_sm_90_sm_9"))
    assert "sm_90" not in str(facts)
    assert found(PLAN).details["plugins-guessed"] == "EfficientNMS_TRT"


def test_a_section_that_is_neither_engine_nor_weights_is_named() -> None:
    inner = archive("8.6", 236, (8, 6, 1, 6), RTX_3060)
    facts = found(plan(inner, (8, 6, 1, 6), sections=(b"NGNE", b"NAEL")))
    assert facts.details["plan-sections"] == "LEAN"


def test_the_layout_alone_leaves_a_guess() -> None:
    inner = struct.pack("<4sIQQ", b"ptrt", 0, 205, 100) + bytes(100)
    facts = found(inner)
    assert facts.producer_version is None
    assert facts.details["tensorrt-guessed"] == "8.2.1"


def test_a_layout_that_nobody_knows_is_still_an_engine() -> None:
    facts = found(b"ftrt" + struct.pack("<I", 7) + bytes(100))
    assert (facts.format, facts.producer_version, facts.version) == ("tensorrt", None, None)


def test_a_cut_plan_says_so_and_keeps_what_was_read() -> None:
    facts = found(PLAN[:-500])
    assert facts.problem == "truncated"
    assert facts.producer_version == "8.6.1.6"
    assert found(NANO_ARCHIVE[:-1]).problem == "truncated"


def test_ultralytics_writes_json_before_it() -> None:
    text = json.dumps(
        {
            "description": "Ultralytics YOLOv8n model",
            "version": "8.3.40",
            "date": "2025-01-02T03:04:05",
            "stride": 32,
            "task": "detect",
            "batch": 1,
            "imgsz": [640, 640],
            "names": {"0": "person", "1": "bicycle"},
        }
    ).encode()
    facts = found(struct.pack("<I", len(text)) + text + PLAN)
    assert facts.producer_version == "8.6.1.6"
    assert facts.inputs is not None
    assert facts.inputs[0].shape == (1, "?", 640, 640)
    assert facts.details["exporter"] == "Ultralytics 8.3.40"
    assert facts.details["classes"] == "2"


@pytest.mark.parametrize("text", [b"{", b'{"names": 3}', b"{" * 5000])
def test_json_that_is_none_spoils_nothing(text: bytes) -> None:
    assert found(struct.pack("<I", len(text)) + text + PLAN).producer_version == "8.6.1.6"


def test_tensorrt_5_wrote_a_flatbuffer() -> None:
    name = b"NVIDIA Tegra X2"
    root = struct.pack("<HHHHH", 10, 12, 0, 4, 8) + b"\0\0" + struct.pack("<iII", 12, 0, 0)
    # root at 16: fields 1 (version) and 2 (device); both tables follow by hand.
    body = bytearray(struct.pack("<I", 16) + root)
    version_table = struct.pack("<HHHHHH", 12, 16, 4, 0, 8, 12) + struct.pack("<iIII", 12, 5, 6, 3)
    device_table = struct.pack("<HHH", 6, 8, 4) + b"\0\0" + struct.pack("<iI", 8, 4)
    version_at = len(body) + 12
    body += version_table
    device_at = len(body) + 8
    body += device_table + struct.pack("<I", len(name)) + name + b"\0"
    struct.pack_into("<I", body, 20, version_at - 20)
    struct.pack_into("<I", body, 24, device_at - 24)
    body += bytes(64)
    data = struct.pack("<Q", len(body) + 8) + bytes(body)
    facts = read(tensorrt_5, data, "lenet5.engine")
    assert facts is not None
    assert (facts.format, facts.producer_version) == ("tensorrt", "5.0.6.3")
    assert facts.details["gpu-name"] == "NVIDIA Tegra X2"
    assert read(tensorrt_5, data, "lenet5.bin") is None
    assert read(tensorrt_5, data + b"\0", "lenet5.engine") is None


LLM_CONFIG = {
    "version": "0.17.0",
    "pretrained_config": {
        "architecture": "LlamaForCausalLM",
        "dtype": "float16",
        "mapping": {"world_size": 2, "tp_size": 2},
        "quantization": {"quant_algo": "W4A16_AWQ"},
    },
    "build_config": {"max_batch_size": 8},
}


def test_a_folder_of_tensorrt_llm() -> None:
    files = {"rank0.engine": PLAN, "config.json": json.dumps(LLM_CONFIG).encode()}
    facts = tensorrt_llm.read(MemoryFolder(files))
    assert facts is not None
    assert (facts.producer, facts.producer_version, facts.quantization) == ("TensorRT-LLM", "0.17.0", "W4A16_AWQ")
    assert facts.details["architecture"] == "LlamaForCausalLM"
    assert facts.details["tensorrt-llm-ranks"] == "2"
    assert facts.needs.files is not None
    assert [(file.name, file.present) for file in facts.needs.files] == [
        ("rank0.engine", True),
        ("config.json", True),
        ("rank1.engine", False),
    ]


def test_other_folders_are_not_tensorrt_llm() -> None:
    assert tensorrt_llm.read(MemoryFolder({"config.json": b"{}"})) is None
    assert tensorrt_llm.read(MemoryFolder({"rank0.engine": b"something", "config.json": b"{}"})) is None
    with pytest.raises(Damaged, match="json-damaged"):
        tensorrt_llm.read(MemoryFolder({"rank0.engine": PLAN, "config.json": b"{"}))


@pytest.mark.parametrize("data", [b"", b"ftrt", b"ONNX model", b"{}" * 10, b"\x00\x01\x00\x00{" + bytes(300)])
def test_other_files_are_not_engines(data: bytes) -> None:
    assert read(tensorrt, data, "model.engine") is None


@pytest.mark.parametrize("original", [RTX, PLAN, NANO_ARCHIVE])
def test_cut_at_every_twentieth(original: bytes) -> None:
    for cut in cuts(original):
        facts = survives(tensorrt, cut, "model.engine")
        assert facts in (None, "truncated") or (isinstance(facts, ModelFacts) and facts.problem == "truncated")


def test_offsets_and_counts_that_lead_nowhere() -> None:
    hostile = bytearray(PLAN)
    struct.pack_into("<I", hostile, 8, 0xFFFFFFFF)
    struct.pack_into("<QQ", hostile, 40, 1 << 63, (1 << 64) - 1)
    assert found(bytes(hostile)).producer_version == "8.6.1.6"
    with pytest.raises(Damaged):
        read_plan(of_bytes(b"ptrt\0\0\0\0"))


@given(mangled(RTX[:600], PLAN, NANO_ARCHIVE, struct.pack("<I", 20) + b'{"version": "8.3.4"}'[:20] + PLAN))
def test_mangled_engines(data: bytes) -> None:
    survives(tensorrt, data, "model.engine")
    survives(tensorrt_5, struct.pack("<Q", len(data) + 8) + data, "model.engine")

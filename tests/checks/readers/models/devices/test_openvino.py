"""OpenVINO IRs and blobs that OpenVINO wrote, older IRs as its documentation has them, and hostile XML."""

import shutil
from pathlib import Path

import pytest
from hypothesis import given
from support.mangled import cuts, mangled, read, survives

from checks.facts import Binding, NeededFile, OperatorUse, TensorSpec
from checks.readers.models import read_model
from checks.readers.models.devices.openvino import openvino_blob, openvino_ir

RECORDINGS = Path(__file__).parents[4] / "recordings" / "models"
MADE = RECORDINGS / "openvino-ir" / "made"
TINY = (MADE / "tiny.xml").read_bytes()
PACKED = (MADE / "u4.xml").read_bytes()
BLOB = (RECORDINGS / "openvino-blob" / "made" / "tiny.blob").read_bytes()
OLD = b"""<?xml version="1.0" ?>
<net batch="1" name="age_gender" version="4">
  <layers>
    <layer id="0" name="data" precision="FP32" type="Input">
      <output><port id="0"><dim>1</dim><dim>3</dim><dim>62</dim><dim>62</dim></port></output>
    </layer>
    <layer id="1" name="conv1" precision="FP32" type="Convolution">
      <data kernel="3,3" output="48"/>
      <blobs><weights offset="0" size="5184"/><biases offset="5184" size="192"/></blobs>
    </layer>
  </layers>
  <edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/></edges>
  <meta_data>
    <MO_version value="2019.1.0-178-ga427cda"/>
    <cli_parameters><framework value="caffe"/><input_model value="DIR/age_gender_net.caffemodel"/></cli_parameters>
  </meta_data>
</net>
"""
WITH_BODY = b"""<net name="loop" version="10">
  <layers>
    <layer id="0" name="x" type="Parameter" version="opset1"><data shape="1,?" element_type="f16"/></layer>
    <layer id="1" name="t" type="TensorIterator" version="opset1"><body><layers>
      <layer id="0" name="inner" type="Parameter" version="opset1"><data shape="4" element_type="f16"/></layer>
      <layer id="1" name="q" type="FakeQuantize" version="opset1"/>
      <layer id="2" name="own" type="MyOp" version="my_ops"/>
    </layers></body></layer>
    <layer id="2" name="y/sink_port_0" type="Result" version="opset1">
      <input><port id="0" precision="FP16"><dim>1</dim><dim>-1</dim></port></input>
    </layer>
  </layers>
</net>
"""


def test_all_of_an_ir() -> None:
    facts = read_model(MADE / "tiny.xml")
    assert (facts.format, facts.version, facts.problem) == ("openvino-ir", "IR 11", None)
    assert (facts.producer, facts.producer_version) == ("openvino", "2026.4.1")
    assert facts.needs.frameworks == ("openvino>=2022.1",)
    assert facts.needs.opsets == {"": 8}
    assert facts.needs.operators == (
        OperatorUse(name="Convert", count=2),
        OperatorUse(name="Convolution"),
        OperatorUse(name="ReLU"),
        OperatorUse(name="ReduceMean"),
        OperatorUse(name="MatMul"),
        OperatorUse(name="SoftMax"),
    )
    assert facts.needs.files == (NeededFile(name="tiny.bin", size=272, present=True, present_size=272),)
    assert facts.inputs == (TensorSpec(name="x", dtype="float32", shape=("?", 3, 16, 16)),)
    assert facts.outputs == (TensorSpec(name="prob", dtype="float32", shape=("?", 5)),)
    assert (facts.parameters, facts.dtypes) == (130, {"float16": 128, "int64": 2})
    assert facts.details == {"graph-name": "tiny", "openvino-opsets": "opset1, opset8"}


def test_packed_weights() -> None:
    facts = read_model(MADE / "u4.xml")
    assert (facts.quantization, facts.dtypes, facts.needs.memory) == ("uint4", {"uint4": 32, "float16": 1}, 18)


def test_weights_are_missing_or_short(tmp_path: Path) -> None:
    shutil.copy(MADE / "tiny.xml", tmp_path)
    facts = read_model(tmp_path / "tiny.xml")
    assert (facts.problem, facts.problem_detail) == ("missing-part", "tiny.bin")
    (tmp_path / "tiny.bin").write_bytes(bytes(100))
    facts = read_model(tmp_path / "tiny.xml")
    assert (facts.problem, facts.problem_detail) == ("truncated", "tiny.bin: 100 of 272 bytes")


def test_an_ir_of_long_ago() -> None:
    facts = read(openvino_ir, OLD, "old.xml", old__bin=bytes(5376))
    assert facts is not None
    assert (facts.version, facts.producer_version, facts.problem) == ("IR 4", "2019.1.0", None)
    assert facts.needs.frameworks == ("openvino>=2018.5,<2022.1",)
    assert facts.needs.operators == (OperatorUse(name="Convolution"),)
    assert facts.inputs == (TensorSpec(name="data", dtype="float32", shape=(1, 3, 62, 62)),)
    assert (facts.parameters, facts.details["converted-from"]) == (1344, "caffe")


def test_layers_within_layers() -> None:
    facts = read(openvino_ir, WITH_BODY, "loop.xml")
    assert facts is not None
    assert facts.problem is None
    assert facts.inputs == (TensorSpec(name="x", dtype="float16", shape=(1, "?")),)
    assert facts.outputs == (TensorSpec(name="y", dtype="float16", shape=(1, "?")),)
    assert facts.needs.operators == (
        OperatorUse(name="TensorIterator"),
        OperatorUse(name="FakeQuantize"),
        OperatorUse(name="MyOp", domain="my_ops", is_custom=True),
    )
    assert facts.quantization == "FakeQuantize"


@pytest.mark.parametrize(
    ("was", "becomes", "needed"),
    [
        pytest.param(b'"opset8"', b'"opset13"', "openvino>=2023.2", id="operator-set"),
        pytest.param(b'"f16"', b'"f8e8m0"', "openvino>=2024.3", id="number-type"),
        pytest.param(b'version="11"', b'version="10"', "openvino>=2022.1", id="opset8-in-version-10"),
    ],
)
def test_what_it_asks_for(was: bytes, becomes: bytes, needed: str) -> None:
    facts = read(openvino_ir, TINY.replace(was, becomes), "x.xml", x__bin=bytes(272))
    assert facts is not None
    assert facts.needs.frameworks == (needed,)


@pytest.mark.parametrize("data", [*cuts(TINY)][1:])
def test_cut(data: bytes) -> None:
    answer = survives(openvino_ir, data, "x.xml")
    assert getattr(answer, "problem", answer) == "truncated"


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b'<net version="11">' + b"<a>" * 200_000, id="deep"),
        pytest.param(b'<net version="11"><layers><layer name="' + b"x" * 6_000_000, id="an-attribute-without-end"),
        pytest.param(b'<net version="11">&lol;</net>', id="an-entity"),
        pytest.param(
            b'<net version="11"><layers><layer><data offset="-1" size="9"/></layer></layers></net>', id="place"
        ),
        pytest.param(
            b'<net version="11"><layers><layer><data offset="1" size="' + b"9" * 5000 + b'"/></layer></layers></net>',
            id="digits",
        ),
    ],
)
def test_hostile(data: bytes) -> None:
    answer = survives(openvino_ir, data, "x.xml")
    assert getattr(answer, "problem", answer) in ("xml-damaged", "too-large", "truncated")


def test_entities_are_never_expanded() -> None:
    laughs = b'<!DOCTYPE net [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>'
    assert read(openvino_ir, laughs + TINY, "x.xml") is None
    late = TINY.replace(b"<layers>", laughs + b"<layers>", 1)
    facts = read(openvino_ir, late, "x.xml")
    assert facts is not None
    assert facts.problem == "xml-damaged"


def test_other_xml_is_not_mine() -> None:
    assert read(openvino_ir, b'<?xml version="1.0"?><network version="11"/>', "x.xml") is None
    assert read(openvino_ir, b"<net>words</net>", "x.xml") is None
    # Where a comment may end in many ways, trying them all would never end.
    assert read(openvino_ir, b"<!---->" * 585, "x.xml") is None


def test_a_compiled_model() -> None:
    facts = read(openvino_blob, BLOB, "x.blob")
    assert facts is not None
    assert (facts.format, facts.producer_version) == ("openvino-blob", "2026.4.1")
    assert facts.needs.frameworks == ("openvino==2026.4.1",)
    assert facts.bound_to[0] == Binding(kind="openvino-version", value="2026.4.1")
    assert "AVX" in facts.bound_to[1].value


def test_a_model_of_the_cache() -> None:
    begins = (
        b'<?xml version="1.0"?><compiled_blob ie_version="2026.4.1-22982-e213a147257-releases/2026/4" file_info="1"/>\n'
    )
    facts = read(openvino_blob, begins + bytes(100), "x.blob")
    assert facts is not None
    assert facts.producer_version == "2026.4.1"


@given(mangled(TINY, PACKED, OLD, WITH_BODY))
def test_survives(data: bytes) -> None:
    survives(openvino_ir, data, "x.xml")


@given(mangled(BLOB[:600]))
def test_a_blob_survives(data: bytes) -> None:
    survives(openvino_blob, data, "x.blob")

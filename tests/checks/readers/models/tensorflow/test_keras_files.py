"""Keras files of Keras 2.4, 2.15 and 3.15, compared with what Keras and h5py say of them."""

from __future__ import annotations

import base64
import contextlib
import io
import json
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from support.mangled import cuts, mangled, read, survives

from checks.facts import Binding, NamedClass, OperatorUse, TensorSpec
from checks.readers.containers.folder import ZipFolder
from checks.readers.containers.source import Damaged, of_bytes
from checks.readers.models import read_model
from checks.readers.models.tensorflow.keras_config import KerasModel, parse_config, read_config
from checks.readers.models.tensorflow.keras_files import keras_h5, keras_zip

RECORDED = Path(__file__).parents[4] / "recordings" / "models"
H5, ZIPS = RECORDED / "keras-h5" / "made", RECORDED / "keras-zip" / "made"
SMALL = (H5 / "small-2.4.h5").read_bytes()
NEW = (H5 / "small-3.15.h5").read_bytes()


def layers(name: str) -> dict[str, int]:
    return {operator.name: operator.count for operator in read_model(H5 / name).needs.operators or ()}


def test_a_whole_model_in_hdf5() -> None:
    facts = read_model(H5 / "small-2.4.h5")
    assert (facts.format, facts.producer, facts.producer_version, facts.problem) == ("keras-h5", "keras", "2.4.0", None)
    assert layers("small-2.4.h5") == {
        "BatchNormalization": 1,
        "Conv2D": 1,
        "Dense": 1,
        "Flatten": 1,
        "InputLayer": 1,
    }
    assert facts.inputs == (TensorSpec(name="input_1", dtype="float32", shape=("?", 8, 8, 3)),)
    assert facts.outputs == (TensorSpec(name="dense"),)
    assert (facts.parameters, facts.dtypes, facts.needs.memory) == (418, {"float32": 418}, 1672)
    assert facts.details == {"keras-backend": "tensorflow", "optimizer": "Adam"}
    assert facts.needs.frameworks == ("keras",)
    assert facts.dependence == "medium"


def test_of_keras_3() -> None:
    facts = read_model(H5 / "small-3.15.h5")
    assert facts.producer_version == "3.15.1"
    assert facts.needs.frameworks == ("keras>=3.15",)
    assert "InputLayer(batch_shape)" in facts.details["keras-particular"]
    assert facts.parameters == 418


@pytest.mark.parametrize(
    ("name", "version", "dtypes"),
    [
        ("small-2.4.weights.h5", "2.4.0", {"float32": 418}),
        ("bfloat16-3.15.weights.h5", None, {"bfloat16": 418}),
    ],
)
def test_weights_alone(name: str, version: str | None, dtypes: dict[str, int]) -> None:
    facts = read_model(H5 / name)
    assert (facts.format, facts.producer_version, facts.problem) == ("keras-h5", version, None)
    assert (facts.dtypes, facts.details["content"]) == (dtypes, "weights")
    assert facts.needs.operators is None
    assert facts.inputs is None


@pytest.mark.parametrize(
    ("name", "particular"),
    [
        ("small-2.4.h5", None),
        ("rnn-2.4.h5", "inner-layer-without-module, LSTM(time_major), Orthogonal"),
        ("functional-2.15.h5", "nested-in-functional"),
        ("mixed-2.15.h5", "dtype-policy-of-keras-2"),
    ],
)
def test_what_not_every_keras_reads(name: str, particular: str | None) -> None:
    assert read_model(H5 / name).details.get("keras-particular") == particular


def test_layers_within_layers() -> None:
    assert layers("rnn-2.4.h5") == {"Bidirectional": 1, "Dense": 1, "InputLayer": 1, "LSTM": 1, "TimeDistributed": 1}
    assert layers("functional-2.15.h5")["Dense"] == 3
    facts = read_model(H5 / "functional-2.15.h5")
    assert [each.name for each in facts.inputs or ()] == ["left", "right"]
    assert [output.name for output in facts.outputs or ()] == ["score", "kind"]


def test_somebodys_own_layers() -> None:
    facts = read_model(H5 / "custom-2.15.h5")
    assert facts.needs.operators == (
        OperatorUse(name="InputLayer"),
        OperatorUse(name="Own", is_custom=True),
        OperatorUse(name="Own2", domain="acme", is_custom=True),
    )
    assert facts.dependence == "high"
    assert Binding(kind="custom-layers", value="Own, acme>Own2") in facts.bound_to
    (zipped,) = (read_model(ZIPS / "custom-3.15.keras"),)
    assert zipped.details["custom-objects"] == "Own, acme>Own2"


@pytest.mark.parametrize("path", [H5 / "lambda-2.4.h5", H5 / "lambda-3.15.h5", ZIPS / "lambda-3.15.keras"])
def test_code_in_a_layer(path: Path) -> None:
    facts = read_model(path)
    assert facts.details["code-in-layers"] == "1"
    assert facts.needs.classes == (NamedClass(name="keras.layers.Lambda", risk="dangerous"),)
    assert Binding(kind="python-version") in facts.bound_to
    assert facts.dependence == "high"


def test_the_code_is_not_run(tmp_path: Path) -> None:
    """Bytecode that would leave a mark is only counted."""
    mark = tmp_path / "mark"
    code = base64.b64encode(compile(f"open({str(mark)!r}, 'w')", "x", "exec").co_code).decode()
    model = KerasModel()
    layer = {"class_name": "Lambda", "config": {"name": "l", "function": [code, None, None]}}
    read_config({"class_name": "Sequential", "config": {"layers": [layer]}}, model)
    assert model.functions == 1
    assert not mark.exists()


def test_hdf5_under_the_name_of_a_zip() -> None:
    facts = read_model(H5 / "small-2.4.keras")
    assert (facts.format, facts.details["named-keras"]) == ("keras-h5", "yes")


@pytest.mark.parametrize(
    ("name", "version", "needs"),
    [
        ("small-2.15.keras", "2.15.0", "keras>=2.12"),
        ("custom-3.15.keras", "3.15.1", "keras>=3.4"),
        ("int8-3.15.keras", "3.15.1", "keras>=3.15"),
    ],
)
def test_the_zip_of_keras(name: str, version: str, needs: str) -> None:
    facts = read_model(ZIPS / name)
    assert (facts.format, facts.producer_version, facts.problem) == ("keras-zip", version, None)
    assert facts.needs.frameworks == (needs,)
    assert facts.details["saved-at"].startswith("2026-11-21@")


def test_quantized() -> None:
    facts = read_model(ZIPS / "int8-3.15.keras")
    assert facts.quantization == "int8"
    assert facts.dtypes == {"int8": 128, "float32": 16}
    assert facts.needs.memory == 192


def zipped(**files: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, data in files.items():
            archive.writestr(name.replace("__", "."), data)
    return made.getvalue()


METADATA = b'{"keras_version": "3.1.0"}'


def test_without_weights() -> None:
    data = zipped(metadata__json=METADATA, config__json=b'{"class_name": "Sequential", "config": {"layers": []}}')
    facts = keras_zip.read(ZipFolder(of_bytes(data, "a.keras")))
    assert facts is not None
    assert (facts.problem, facts.problem_detail) == ("missing-part", "model.weights.h5")


@pytest.mark.parametrize(
    ("metadata", "config"),
    [(b'{"version": 1}', b"{}"), (b"no json", b"{}"), (b"[" * 100_000, b"{}")],
    ids=["of-something-else", "no-json", "deep"],
)
def test_another_zip_is_none(metadata: bytes, config: bytes) -> None:
    archive = ZipFolder(of_bytes(zipped(metadata__json=metadata, config__json=config), "a.zip"))
    assert keras_zip.read(archive) is None


@pytest.mark.parametrize(
    "config",
    [
        pytest.param(b"[" * 100_000, id="deep"),
        pytest.param(b"{}", id="no-class"),
        pytest.param(b'{"class_name": 1}', id="a-number-for-a-class"),
        pytest.param(b'{"class_name": "Model", "config": ', id="cut"),
    ],
)
def test_a_damaged_description(config: bytes) -> None:
    archive = ZipFolder(of_bytes(zipped(metadata__json=METADATA, config__json=config), "a.keras"))
    facts = keras_zip.read(archive)
    assert facts is not None
    assert facts.problem == "json-damaged"


@pytest.mark.parametrize(
    "config",
    [
        {"class_name": "Sequential", "config": [{"class_name": "Dense", "config": {"name": "d"}}]},
        {"class_name": "Functional", "config": {"layers": 5, "output_layers": {"a": 1}}},
        {"class_name": "Functional", "config": {"layers": [None, 3, {"class_name": "InputLayer", "config": 1}]}},
        {"class_name": "Dense", "config": {"dtype": {"class_name": "Policy", "config": []}}},
        {
            "class_name": "X",
            "module": 5,
            "registered_name": 7,
            "config": {"layer": {"class_name": "Y", "config": None}},
        },
    ],
)
def test_odd_descriptions(config: object) -> None:
    read_config(parse_config(json.dumps(config).encode()), KerasModel())


def test_hdf5_of_another_program_is_none() -> None:
    renamed = SMALL.replace(b"keras_version", b"other_version").replace(b"model_config", b"other_config")
    assert survives(keras_h5, renamed, "data.h5") is None


def test_cut_at_every_twentieth() -> None:
    for data in (SMALL, NEW):
        for cut in cuts(data):
            answer = survives(keras_h5, cut, "model.h5")
            assert answer is None or isinstance(answer, str) or answer.problem == "truncated"


def test_what_was_not_lost_is_told() -> None:
    facts = read(keras_h5, SMALL[:-200], "model.h5")
    assert facts is not None
    assert (facts.problem, facts.producer_version) == ("truncated", "2.4.0")


@given(mangled(SMALL, NEW))
def test_mangled(data: bytes) -> None:
    survives(keras_h5, data, "model.h5")


@given(mangled((ZIPS / "int8-3.15.keras").read_bytes(), (ZIPS / "small-2.15.keras").read_bytes()))
def test_mangled_zip(data: bytes) -> None:
    with contextlib.suppress(Damaged):
        keras_zip.read(ZipFolder(of_bytes(data, "model.keras")))


@given(mangled((ZIPS.parent.parent / "tfjs" / "made" / "layers-2.15" / "model.json").read_bytes()))
def test_mangled_description(data: bytes) -> None:
    try:
        config = parse_config(data)
        read_config(config["modelTopology"]["model_config"] if isinstance(config, dict) else config, KerasModel())
    except (Damaged, KeyError, TypeError):
        pass

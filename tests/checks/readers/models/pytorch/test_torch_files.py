"""PyTorch's files: what is read from them is what PyTorch loads from them, and damage is told."""

import io
import json
import os
import pickle
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from checks.facts import Binding, ModelFacts, TensorSpec
from checks.readers.containers.folder import ZipFolder
from checks.readers.containers.source import of_bytes
from checks.readers.containers.torch.values import find_tensors
from checks.readers.containers.torch.zip import TorchZip
from checks.readers.models import read_model

RECORDED = Path(__file__).parents[4] / "recordings" / "models"
SAVED = sorted((RECORDED / "torch-zip" / "made").iterdir())
OLD = sorted((RECORDED / "torch-legacy").rglob("*.pt*"))
SHAPES = {"conv.weight": (4, 3, 3, 3), "conv.bias": (4,), "fc.weight": (2, 4)}


def read(name: str) -> ModelFacts:
    return read_model(RECORDED / name)


def risky(model: ModelFacts) -> dict[str, str]:
    return {each.name: each.risk for each in model.needs.classes or () if each.risk != "known"}


# --- torch.save ------------------------------------------------------------------------------------------------------


def in_torch(value: Any, name: str = "") -> dict[str, torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return {name: value}
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list | tuple) else ()
    found: dict[str, torch.Tensor] = {}
    for key, below in items:
        found |= in_torch(below, f"{name}.{key}" if name else str(key))
    return found


@pytest.mark.parametrize(
    "path", [each for each in SAVED if "module" not in each.name and "ultra" not in each.name], ids=str
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_tensors_are_those_that_torch_loads(path: Path) -> None:
    pickled = TorchZip.with_member(ZipFolder(of_bytes(path.read_bytes())), "data.pkl")
    assert pickled is not None
    ours = {each.name: each for each in find_tensors(pickled.pickle("data.pkl").root).tensors if each.kind != "array"}
    theirs = in_torch(torch.load(path, weights_only=False))
    assert ours.keys() == theirs.keys()
    for name, tensor in theirs.items():
        if tensor.is_nested:
            assert ours[name].kind == "nested"
            continue
        assert ours[name].shape == tuple(tensor.shape)
        if not tensor.is_quantized:
            assert f"torch.{ours[name].dtype}" == str(tensor.dtype)
        assert ours[name].device == str(tensor.device)


def test_state_dict() -> None:
    model = read("torch-zip/made/state_dict.pt")
    assert (model.format, model.version, model.producer, model.problem) == ("torch-zip", "3", "pytorch", None)
    assert (model.parameters, model.dtypes) == (139, {"float32": 138, "int64": 1})
    assert model.needs.memory == 138 * 4 + 8
    assert model.needs.frameworks == ("torch>=1.6",)
    assert model.needs.devices == ()
    assert risky(model) == {}
    assert model.details == {"content": "state_dict", "tensors": "9", "written-since": "2.7"}
    assert (model.bound_to, model.dependence) == ((Binding(kind="model-source"),), "low")


def test_whole_module() -> None:
    for name in ("torch-zip/made/module.pt", "torch-legacy/made/module.pt"):
        model = read(name)
        assert model.details["model-class"] == "__main__.Net"
        assert model.details["content"] == "module"
        assert risky(model) == {"__main__.Net": "unknown"}
        assert (model.parameters, model.dependence) == (139, "medium")
    assert model.details["source-file"].endswith("net.py")


def test_checkpoints_of_trainers() -> None:
    lightning = read("torch-zip/made/lightning.ckpt")
    assert (lightning.producer, lightning.producer_version) == ("pytorch-lightning", "2.4.0")
    assert (lightning.parameters, lightning.details["weights-under"]) == (139, "state_dict")
    other = read("torch-zip/made/ultralytics_keys.pt")
    assert (other.producer, other.producer_version, other.details["saved-at"]) == (
        "ultralytics",
        "8.2.1",
        "2024-05-01T00:00:00",
    )
    assert (other.parameters, other.details["weights-under"]) == (139, "model")


def test_kinds_of_tensors() -> None:
    model = read("torch-zip/made/kinds.pt")
    assert model.quantization == "int8"
    assert model.details["tensor-kinds"] == "meta, nested, sparse"
    assert model.dtypes is not None
    assert model.dtypes["bfloat16"] == 3
    assert model.dtypes["float8_e4m3fn"] == 6
    assert model.dtypes["uint16"] == 5


def test_legacy() -> None:
    model = read("torch-legacy/made/state_dict.pt")
    assert (model.format, model.version, model.parameters) == ("torch-legacy", "1001", 139)
    assert model.needs.devices == ()
    old = read("torch-legacy/alex.pth")  # of lpips 0.1.4, written on a GPU by Python 2
    assert old.needs.devices == ("cuda:0",)
    assert Binding(kind="torch-device", value="cuda:0") in old.bound_to
    assert (old.parameters, old.details["content"]) == (1152, "state_dict")
    tar = read("torch-legacy/made/tar.pt")
    assert (tar.format, tar.version, tar.problem, tar.details) == (
        "torch-legacy",
        "tar",
        None,
        {"weights-only-refuses": "tar"},
    )


def test_what_weights_only_refuses_by_its_opcodes() -> None:
    assert read("torch-zip/made/protocol_4.pt").details["weights-only-refuses"] == "SHORT_BINUNICODE"
    assert "weights-only-refuses" not in read("torch-zip/made/module.pt").details


class Bomb:
    """Makes a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, ...]:
        return os.mkdir, (str(self.path),)


MAKERS: dict[str, Callable[[Bomb, Path], object]] = {
    "zip": lambda bomb, path: torch.save({"w": torch.ones(2), "x": bomb}, path),
    "legacy": lambda bomb, path: torch.save({"w": bomb}, path, _use_new_zipfile_serialization=False),
    "pickle": lambda bomb, path: path.write_bytes(pickle.dumps(bomb)),
    "protocol 0": lambda bomb, path: path.write_bytes(pickle.dumps(bomb, 0)),
}


@pytest.mark.parametrize("form", MAKERS)
def test_nothing_is_executed(form: str, tmp_path: Path) -> None:
    MAKERS[form](Bomb(tmp_path / "made"), tmp_path / "model.pt")
    model = read_model(tmp_path / "model.pt")
    assert set(risky(model).values()) == {"dangerous"}
    assert not (tmp_path / "made").exists()
    loaded = (
        torch.load(tmp_path / "model.pt", weights_only=False)
        if form in ("zip", "legacy")
        else pickle.loads((tmp_path / "model.pt").read_bytes())
    )
    assert loaded is None or loaded
    assert (tmp_path / "made").exists(), "the file is harmless, so that the test proves nothing"


def zipped(members: dict[str, bytes], compression: int = zipfile.ZIP_STORED) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", compression) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return made.getvalue()


def members_of(name: str) -> dict[str, bytes]:
    with zipfile.ZipFile(RECORDED / name) as archive:
        return {each: archive.read(each) for each in archive.namelist()}


def test_a_pickle_under_another_name(tmp_path: Path) -> None:
    members = members_of("torch-zip/made/state_dict.pt") | {
        "state_dict/readme.txt": b"\x80\x04\x8c\x02os\x8c\x06system\x93)R."
    }
    (tmp_path / "a.pt").write_bytes(zipped(members))
    model = read_model(tmp_path / "a.pt")
    assert risky(model) == {"os.system": "dangerous"}
    assert model.details["hidden-pickles"] == "state_dict/readme.txt"


def test_a_second_root_hides_nothing(tmp_path: Path) -> None:
    members = members_of("torch-zip/made/state_dict.pt") | {"zzz/data.pkl": b"cos\nsystem\n)R."}
    (tmp_path / "a.pt").write_bytes(zipped(members))
    assert risky(read_model(tmp_path / "a.pt")) == {"os.system": "dangerous"}


def test_a_wrong_checksum_hides_nothing(tmp_path: Path) -> None:
    data = bytearray(zipped({"a/data.pkl": b"cos\nsystem\n)R.", "a/version": b"3\n"}))
    place = data.index(b"PK\x01\x02")
    data[place + 16 : place + 20] = b"\0\0\0\0"
    (tmp_path / "a.pt").write_bytes(bytes(data))
    assert risky(read_model(tmp_path / "a.pt")) == {"os.system": "dangerous"}


@pytest.mark.parametrize("trick", ["flag", "name"])
def test_a_local_header_that_lies_hides_nothing(trick: str, tmp_path: Path) -> None:
    """PyTorch goes by the list at the end; what it loads is read here too."""
    data = bytearray(zipped({"a/data.pkl": b"\x80\x02cos\nsystem\n)R.", "a/version": b"3\n"}))
    if trick == "flag":
        data[6] |= 1  # encrypted
    else:
        data[30:40] = b"x/notpkl.x"
    (tmp_path / "a.pt").write_bytes(bytes(data))
    assert risky(read_model(tmp_path / "a.pt")) == {"os.system": "dangerous"}


@pytest.mark.parametrize("data", [b"7z\xbc\xaf\x27\x1c\x00\x04" + bytes(60), b"Rar!\x1a\x07\x01\x00" + bytes(60)])
def test_another_archive_under_the_name_of_a_checkpoint(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.pt").write_bytes(data)
    model = read_model(tmp_path / "a.pt")
    assert (model.format, model.problem) == (None, "archive-not-opened")


def test_compressed_members_are_told(tmp_path: Path) -> None:
    (tmp_path / "a.pt").write_bytes(zipped(members_of("torch-zip/made/state_dict.pt"), zipfile.ZIP_DEFLATED))
    model = read_model(tmp_path / "a.pt")
    assert model.parameters == 139
    assert int(model.details["packed-members"]) >= 9


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"state_dict/data/0": None}, "missing-part"),
        ({"state_dict/data/0": b"short"}, "truncated"),
        ({"state_dict/data.pkl": b"\x80\x02}q\x00X\xff\xff\xff\x7f"}, "truncated"),
        ({"state_dict/data.pkl": b"\x80\x02\xff"}, "pickle-damaged"),
        ({"state_dict/data.pkl": b""}, "truncated"),
    ],
)
def test_damage_inside(change: dict[str, bytes | None], problem: str, tmp_path: Path) -> None:
    members = {**members_of("torch-zip/made/state_dict.pt"), **change}
    (tmp_path / "a.pt").write_bytes(zipped({name: data for name, data in members.items() if data is not None}))
    model = read_model(tmp_path / "a.pt")
    assert (model.format, model.problem) == ("torch-zip", problem)


def test_big_endian(tmp_path: Path) -> None:
    (tmp_path / "a.pt").write_bytes(
        zipped(members_of("torch-zip/made/state_dict.pt") | {"state_dict/byteorder": b"big"})
    )
    assert read_model(tmp_path / "a.pt").details["byteorder"] == "big"


@pytest.mark.parametrize(
    "path",
    [*SAVED, *OLD, *(RECORDED / "torchscript" / "made").iterdir(), *(RECORDED / "pt2" / "made").iterdir()],
    ids=str,
)
def test_truncated_anywhere(path: Path, tmp_path: Path) -> None:
    data = path.read_bytes().rstrip(b"\0") if path.name == "tar.pt" else path.read_bytes()  # blocks of zeros at its end
    for cut in range(20):
        (tmp_path / "cut.pt").write_bytes(data[: len(data) * cut // 20])
        model = read_model(tmp_path / "cut.pt")
        assert model.problem not in (None, "reader-broke") or model.details.get("content") == "flatbuffer", cut


# --- TorchScript -----------------------------------------------------------------------------------------------------


def test_scripted_and_traced() -> None:
    for name in ("scripted", "traced"):
        model = read(f"torchscript/made/{name}.pt")
        assert (model.format, model.version, model.parameters, model.problem) == ("torchscript", "3", 139, None)
        assert model.inputs == (TensorSpec(name="x"),)
        assert model.details["methods"] == "forward(x: Tensor) -> Tensor"
        assert model.details["model-class"] == "Net"
        assert model.needs.classes == ()
        assert model.needs.devices == ()
        assert {operator.name for operator in model.needs.operators or ()} >= {"relu", "mean", "linear", "batch_norm"}


def test_lite_interpreter() -> None:
    model = read("torchscript/made/lite.ptl")
    assert model.details["bytecode"] == "8"
    assert {operator.name: operator.domain for operator in model.needs.operators or ()}["conv2d"] == ""
    flat = read("torchscript/made/flatbuffer.ptl")
    assert (flat.format, flat.details["content"]) == ("torchscript", "flatbuffer")


def test_device_in_the_code() -> None:
    model = read("torchscript/made/cuda_in_code.pt")
    assert model.needs.devices == ("cuda:0",)
    assert (model.dependence, model.bound_to[0]) == ("medium", Binding(kind="torch-device", value="cuda:0"))


def test_operators_of_an_extension(tmp_path: Path) -> None:
    members = members_of("torchscript/made/scripted.pt")
    code = members["scripted/code/__torch__.py"].replace(b"torch.relu(", b"ops.torchvision.nms(")
    (tmp_path / "a.pt").write_bytes(zipped(members | {"scripted/code/__torch__.py": code}))
    model = read_model(tmp_path / "a.pt")
    (own,) = (operator for operator in model.needs.operators or () if operator.is_custom)
    assert (own.domain, own.name) == ("torchvision", "nms")
    assert model.needs.frameworks == ("torch", "torchvision")


# --- torch.export ----------------------------------------------------------------------------------------------------


def test_exported_program() -> None:
    model = read("pt2/made/exported.pt2")
    assert (model.format, model.version) == ("pt2", "schema 8.20")
    assert (model.producer, model.producer_version) == ("pytorch", "2.13.0+cpu")
    assert (model.parameters, model.dtypes) == (139, {"float32": 138, "int64": 1})
    assert model.inputs is not None
    assert model.inputs[0].dtype == "float32"
    assert model.inputs[0].shape is not None
    assert isinstance(model.inputs[0].shape[0], str)
    assert model.inputs[0].shape[1:] == (3, 8, 8)
    assert model.outputs is not None
    assert len(model.outputs) == 1
    assert [operator.name for operator in model.needs.operators or ()] == [
        "batch_norm",
        "conv2d",
        "linear",
        "mean.dim",
        "relu",
    ]
    assert model.needs.frameworks == ("torch>=2.8",)
    assert model.needs.opsets == {"aten": 10}
    assert Binding(kind="torch-schema", value="8.20") in model.bound_to


def test_exported_program_before_2_8() -> None:
    model = read("pt2/made/before_2_8.pt2")
    assert (model.format, model.version, model.parameters) == ("pt2", "schema 8.20", 139)
    assert model.needs.frameworks == ("torch>=2.1",)
    assert risky(model) == {}


def test_aotinductor_package(tmp_path: Path) -> None:
    told = {
        "AOTI_DEVICE_KEY": "cuda",
        "AOTI_PLATFORM": "linux",
        "AOTI_MACHINE": "x86_64",
        "AOTI_COMPUTE_CAPABILITY": "86",
    }
    elf = b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x03\x00\x3e\x00" + bytes(1000)  # the head of a real one, no more
    folder = "m/data/aotinductor/model"
    members = {
        "m/archive_format": b"pt2",
        "m/archive_version": b"0",
        f"{folder}/c1.wrapper.so": elf,
        f"{folder}/c1.wrapper_metadata.json": json.dumps(told).encode(),
    }
    (tmp_path / "a.pt2").write_bytes(zipped(members))
    model = read_model(tmp_path / "a.pt2")
    assert (model.format, model.dependence, model.needs.devices) == ("aoti-pt2", "high", ("cuda",))
    assert [(needed.name[-3:], needed.risk) for needed in model.needs.classes or ()] == [(".so", "unknown")]
    assert model.bound_to[:2] == (
        Binding(kind="operating-system", value="Linux x86_64"),
        Binding(kind="cpu-or-gpu", value="cuda 86"),
    )
    assert model.details["compute-capability"] == "86"


@pytest.mark.parametrize("text", [b"", b"{", b"[" * 100_000, b'{"schema_version": {"major": "x"}}', b"null", b"\xff"])
def test_a_damaged_program(text: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.pt2").write_bytes(zipped(members_of("pt2/made/exported.pt2") | {"exported/models/model.json": text}))
    model = read_model(tmp_path / "a.pt2")
    assert (model.format, model.problem) == ("pt2", "json-damaged")


# --- mutated ---------------------------------------------------------------------------------------------------------

WHOLE = [path.read_bytes() for path in (*SAVED[:3], *OLD[:3], *(RECORDED / "torchscript" / "made").iterdir())]


@given(st.sampled_from(WHOLE), st.data())
def test_mutated_files_break_no_reader(tmp_path: Path, seed: bytes, data: st.DataObject) -> None:
    mutated = bytearray(seed)
    for place, byte in data.draw(st.lists(st.tuples(st.integers(0, len(seed) - 1), st.integers(0, 255)), max_size=8)):
        mutated[place] = byte
    (tmp_path / "m.pt").write_bytes(bytes(mutated))
    assert read_model(tmp_path / "m.pt").problem != "reader-broke"


@given(st.sampled_from(["torch-zip/made/kinds.pt", "torchscript/made/lite.ptl", "pt2/made/exported.pt2"]), st.data())
def test_mutated_members_break_no_reader(tmp_path: Path, name: str, data: st.DataObject) -> None:
    members = members_of(name)
    chosen = data.draw(st.sampled_from([member for member in members if members[member] and "/data/" not in member]))
    mutated = bytearray(members[chosen])
    for place, byte in data.draw(
        st.lists(st.tuples(st.integers(0, len(mutated) - 1), st.integers(0, 255)), max_size=8)
    ):
        mutated[place] = byte
    (tmp_path / "m.pt").write_bytes(zipped(members | {chosen: bytes(mutated)}))
    assert read_model(tmp_path / "m.pt").problem != "reader-broke"


def test_a_tar_archive_that_is_no_model(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        archive.add(RECORDED / "MADE.md", "pickle")
    assert read_model(tmp_path / "a.tar").format is None


def test_an_activation_that_is_kept_as_a_function(tmp_path: Path) -> None:
    """torch.relu is written as an attribute of a class of PyTorch's own."""
    torch.save({"act": torch.relu, "w": torch.ones(1)}, tmp_path / "a.pt")
    classes = {each.name: each.risk for each in read_model(tmp_path / "a.pt").needs.classes or ()}
    assert classes["torch._C._VariableFunctionsClass.relu"] == "known"
    assert set(classes.values()) == {"known"}
    torch.save({"act": torch.from_file}, tmp_path / "a.pt")
    classes = {each.name: each.risk for each in read_model(tmp_path / "a.pt").needs.classes or ()}
    assert classes["torch._C._VariableFunctionsClass.from_file"] != "known"

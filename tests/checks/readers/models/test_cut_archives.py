"""Zip archives that were cut off: the format is named, and what a whole member tells is told."""

import contextlib
import io
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks.readers.containers.cut_zip import mended, what_is_left
from checks.readers.containers.folder import ZipFolder
from checks.readers.containers.source import Damaged, of_bytes
from checks.readers.models import read_model, read_models

RECORDED = Path(__file__).parents[3] / "recordings" / "models"
ARCHIVES = {
    "torch-zip/made/state_dict.pt": ("torch-zip",),
    "torch-zip/made/lightning.ckpt": ("torch-zip",),
    "torchscript/made/scripted.pt": ("torchscript",),
    "torchscript/made/traced.pt": ("torchscript",),
    "pt2/made/exported.pt2": ("pt2",),
    "pt2/made/before_2_8.pt2": ("pt2",),
    "keras-zip/made/small-2.15.keras": ("keras-zip",),
    "keras-zip/made/custom-3.15.keras": ("keras-zip",),
    "npz/made/compressed.npz": ("npz",),
    "chainer-npz/made/classifier.npz": ("npz", "chainer-npz"),
}


@pytest.mark.parametrize("name", ARCHIVES)
def test_the_format_of_a_cut_archive_is_named(name: str, tmp_path: Path) -> None:
    data = (RECORDED / name).read_bytes()
    path = tmp_path / Path(name).name
    for part in range(3, 20):
        path.write_bytes(data[: len(data) * part // 20])
        (facts,) = read_models(path)
        assert facts.format in ARCHIVES[name], part
        assert facts.problem == "truncated", part


@pytest.mark.parametrize("name", ARCHIVES)
def test_every_member_is_found_without_the_list(name: str) -> None:
    """With sizes before and behind the members, packed and stored."""
    source = of_bytes((RECORDED / name).read_bytes())
    whole = ZipFolder(source)
    left = what_is_left(source)
    found = ZipFolder(mended(source, left))
    assert found.names == whole.names
    for each in whole.names:
        with found.file(each) as one, whole.file(each) as other:
            assert one.read(0, one.size) == other.read(0, other.size)


def test_what_a_whole_member_tells(tmp_path: Path) -> None:
    """The pickle of torch.save stands first, and names all weights."""
    data = (RECORDED / "torch-zip" / "made" / "state_dict.pt").read_bytes()
    path = tmp_path / "a.pt"
    path.write_bytes(data[: len(data) // 2])
    assert read_model(path).parameters == 139
    keras = (RECORDED / "keras-zip" / "made" / "small-2.15.keras").read_bytes()
    path.write_bytes(keras[: len(keras) // 2])
    facts = read_model(path)
    assert (facts.producer_version, facts.parameters, len(facts.needs.operators or ())) == ("2.15.0", None, 5)


def test_an_archive_of_models(tmp_path: Path) -> None:
    path = tmp_path / "models.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("abs.onnx", "mul_1.onnx", "light_bvlc_alexnet.onnx"):
            archive.write(RECORDED / "onnx" / name, name)
    data = path.read_bytes()
    path.write_bytes(data[: data.index(b"light_bvlc_alexnet.onnx") + 200])
    found = read_models(path)
    assert [(each.name, each.format, each.problem) for each in found[:-1]] == [
        ("abs.onnx", "onnx", None),
        ("mul_1.onnx", "onnx", None),
    ]
    assert (found[-1].path, found[-1].problem) == (str(path), "archive-damaged")


def test_a_member_of_a_folder(tmp_path: Path) -> None:
    data = (RECORDED / "torchscript" / "made" / "traced.pt").read_bytes()
    (tmp_path / "a.pt").write_bytes(data[:-300])
    (found,) = read_models(tmp_path)
    assert (found.format, found.problem) == ("torchscript", "truncated")


def test_a_list_that_is_broken_is_not_called_cut(tmp_path: Path) -> None:
    data = bytearray((RECORDED / "torch-zip" / "made" / "state_dict.pt").read_bytes())
    second = data.index(b"PK\x01\x02", data.index(b"PK\x01\x02") + 1)
    data[second + 1] = 0
    (tmp_path / "a.pt").write_bytes(data)
    (found,) = read_models(tmp_path / "a.pt")
    assert (found.format, found.problem) == ("torch-zip", "archive-damaged")


def test_what_only_begins_like_an_archive(tmp_path: Path) -> None:
    (tmp_path / "a.pt").write_bytes(b"PK\x03\x04" + b"\xff" * 100)
    (found,) = read_models(tmp_path / "a.pt")
    assert (found.format, found.problem) == (None, "archive-damaged")


SEEDS = [(RECORDED / name).read_bytes() for name in ARCHIVES]


@given(st.data())
def test_nothing_but_damaged(data: st.DataObject) -> None:
    seed = bytearray(data.draw(st.sampled_from(SEEDS)))
    for _ in range(data.draw(st.integers(0, 6))):
        seed[data.draw(st.integers(0, len(seed) - 1))] = data.draw(st.integers(0, 255))
    source = of_bytes(bytes(seed[: data.draw(st.integers(0, len(seed)))]))
    with contextlib.suppress(Damaged):
        left = what_is_left(source)
        for name in (archive := ZipFolder(mended(source, left))).names:
            with contextlib.suppress(Damaged), archive.file(name) as member:
                member.read(0, member.size)


def test_sizes_beyond_all_measure() -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("a/data.pkl", b"x" * 100)
    data = bytearray(made.getvalue())
    data[18:26] = b"\xfe\xff\xff\xff\xfe\xff\xff\xff"
    left = what_is_left(of_bytes(bytes(data)))
    assert (left.names, left.whole) == (["a/data.pkl"], [])


class _NotSeekable(io.BytesIO):
    def seekable(self) -> bool:
        return False

    def seek(self, *_: int) -> int:
        raise OSError

    def tell(self) -> int:
        raise OSError


@pytest.mark.parametrize(("marks", "is_found"), [(100, True), (20_000, False)])
def test_what_looks_like_the_end_of_a_member(marks: int, is_found: bool) -> None:
    made = _NotSeekable()
    with zipfile.ZipFile(made, "w") as archive, archive.open("a/data.pkl", "w") as member:
        member.write(b"PK\x07\x08" * marks)
    left = what_is_left(of_bytes(made.getvalue()))
    assert left.names == ["a/data.pkl"]
    assert [each.name for each in left.whole] == ([b"a/data.pkl"] if is_found else [])

"""Inputs that the user gives: arrays by name or in order, and one picture."""

import importlib
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

inputs = importlib.import_module("checks.probes.model.inputs")
NotDrawn = importlib.import_module("checks.probes.model.kit").NotDrawn


def spec(name: str, shape: list[Any] | None, dtype: str = "float32") -> dict[str, Any]:
    return {"name": name, "dtype": dtype, "shape": shape}


@pytest.fixture
def picture(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A picture of 40 x 60: red grows from left to right, green is full, blue empty."""
    pixels = np.zeros((40, 60, 3), dtype="uint8")
    pixels[..., 0] = np.linspace(0, 255, 60).astype("uint8")
    pixels[..., 1] = 255
    monkeypatch.setattr(inputs, "_by_pillow", lambda numpy, path: pixels)
    path = tmp_path / "picture.PNG"
    path.write_bytes(b"\x89PNG\r\n\x1a\n")
    return path


def test_arrays_by_name_and_in_their_order(tmp_path: Path) -> None:
    file = tmp_path / "inputs.npz"
    np.savez(file, b=np.ones(2), a=np.zeros(3))
    found, told = inputs.read(np, [spec("a", [3]), spec("b", [2])], str(file))
    assert {name: each.shape for name, each in found.items()} == {"a": (3,), "b": (2,)}
    assert told == {"inputs_from": "file"}
    found, told = inputs.read(np, [spec("x", [2]), spec("y", [3])], str(file))
    assert {name: each.shape for name, each in found.items()} == {"x": (2,), "y": (3,)}
    assert told == {"inputs_from": "file", "inputs_renamed": "x: b, y: a"}
    with pytest.raises(NotDrawn) as caught:  # some names are right: then the order is none to go by
        inputs.read(np, [spec("a", [2]), spec("y", [3])], str(file))
    assert [each["name"] for each in caught.value.fields["inputs"]] == ["b", "a"]


def test_arrays_that_nobody_named_go_by_their_order(tmp_path: Path) -> None:
    file = tmp_path / "inputs.npz"
    np.savez(file, np.ones(2), np.zeros(3))
    found, told = inputs.read(np, [spec("x", [2]), spec("y", [3])], str(file))
    assert ({name: each.shape for name, each in found.items()}, told) == (
        {"x": (2,), "y": (3,)},
        {"inputs_from": "file"},
    )


def test_arrays_that_do_not_fit_and_files_that_are_none(tmp_path: Path) -> None:
    file = tmp_path / "inputs.npz"
    np.savez(file, a=np.ones(2))
    with pytest.raises(NotDrawn) as caught:
        inputs.read(np, [spec("x", [2]), spec("y", [3])], str(file))
    assert caught.value.reason == "inputs-do-not-fit"
    np.savez(file, a=np.array([object()], dtype=object))
    with pytest.raises(NotDrawn) as caught:
        inputs.read(np, [spec("a", [1])], str(file))
    assert caught.value.reason == "input-unreadable"


@pytest.mark.parametrize(
    ("shape", "dtype", "wanted"),
    [
        pytest.param([1, 3, 20, 30], "float32", (1, 3, 20, 30), id="channels-first"),
        pytest.param(["N", 20, 30, 3], "float32", (1, 20, 30, 3), id="channels-last-and-a-free-batch"),
        pytest.param([2, 1, 20, 30], "float32", (2, 1, 20, 30), id="grey-twice"),
        pytest.param([1, 3, "h", "w"], "float32", (1, 3, 32, 32), id="free-sizes-are-multiples-of-32"),
        pytest.param([1, 3, 20, 30], "uint8", (1, 3, 20, 30), id="bytes"),
        pytest.param([1, 4, 20, 30], "float16", (1, 4, 20, 30), id="with-transparency"),
    ],
)
def test_a_picture_is_fitted_to_the_input(shape: list[Any], dtype: str, wanted: tuple[int, ...], picture: Path) -> None:
    found, told = inputs.read(np, [spec("image", shape, dtype)], str(picture))
    made = found["image"]
    assert (made.shape, str(made.dtype), told) == (wanted, dtype, {"inputs_from": "image"})
    assert float(made.max()) == pytest.approx(255 if dtype == "uint8" else 1.0, abs=0.6 if shape[1] == 1 else 1e-3)


def test_scaling_keeps_a_gradient(picture: Path) -> None:
    found, _ = inputs.read(np, [spec("image", [1, 3, 20, 30])], str(picture))
    red, green, blue = found["image"][0]
    assert np.all(np.diff(red[0]) > 0)
    assert (green.min(), blue.max()) == (1.0, 0.0)


def test_other_inputs_beside_the_picture_are_drawn(picture: Path) -> None:
    found, _ = inputs.read(np, [spec("size", [2], "int64"), spec("image", [1, 3, 20, 30])], str(picture))
    assert list(found) == ["size", "image"]
    assert found["size"].shape == (2,)


def test_a_model_without_one_picture_says_what_it_takes(picture: Path) -> None:
    with pytest.raises(NotDrawn) as caught:
        inputs.read(np, [spec("tokens", [1, "n"], "int64")], str(picture))
    assert (caught.value.reason, str(caught.value)) == ("no-image-input", "tokens: int64 [1, ?]")


def test_no_library_and_one_that_cannot_read_the_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    for name in ("PIL", "cv2", "torchvision", "torchvision.io"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(NotDrawn) as caught:
        inputs.decoded(np, str(tmp_path / "picture.png"))
    assert caught.value.reason == "no-image-library"

    def damaged(numpy: Any, path: str) -> Any:
        raise ValueError("broken data stream")

    monkeypatch.setattr(inputs, "_by_pillow", damaged)
    with pytest.raises(NotDrawn) as caught:
        inputs.decoded(np, str(tmp_path / "picture.png"))
    assert (caught.value.reason, "broken data stream" in str(caught.value)) == ("input-unreadable", True)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        pytest.param(
            "Got invalid dimensions for input: x\nExpected: 3", "Got invalid dimensions for input: x", id="first"
        ),
        pytest.param(
            "The operation failed.\nTraceback (most recent call last):\nRuntimeError: list index out of range",
            "RuntimeError: list index out of range",
            id="behind-a-trace",
        ),
        pytest.param(
            "The following operation failed in the TorchScript interpreter.\nTraceback (most recent call last):\n"
            "    x = torch.add(x, y)\nno such overload\n",
            "no such overload",
            id="behind-a-trace-without-a-type",
        ),
        pytest.param("", "", id="nothing-said"),
    ],
)
def test_what_to_supply_where_no_drawn_input_fits(error: str, said: str) -> None:
    raised = inputs.none_fits([spec("x", None), spec("sr", [], "int64")], RuntimeError(error))
    assert (raised.reason, str(raised)) == ("inputs-needed", f"x: float32 [?]; sr: int64 [] ({said})")


def test_one_array_is_the_one_input(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.ones((2, 3)))
    found, _ = inputs.read(np, [spec("x", [None, 3])], str(tmp_path / "x.npy"), is_typed=True)
    assert (found["x"].shape, found["x"].dtype) == ((2, 3), "float32")
    with pytest.raises(NotDrawn):
        inputs.read(np, [spec("x", [3]), spec("y", [3])], str(tmp_path / "x.npy"))


@pytest.mark.parametrize(
    ("array", "dtype", "made"),
    [
        pytest.param(np.ones(3), "float32", "float32", id="numpy-makes-float64"),
        pytest.param(np.ones(3), "float16", "float16", id="half"),
        pytest.param(np.arange(3), "int32", "int32", id="whole-numbers"),
        pytest.param(np.array([1 << 40]), "int32", "int64", id="that-do-not-fit"),
        pytest.param(np.arange(3), "float32", "int64", id="another-kind"),
        pytest.param(np.ones(3), "bfloat16", "float64", id="a-type-that-numpy-lacks"),
        pytest.param(np.array(["a", "b"]), "string", "object", id="texts"),
    ],
)
def test_numbers_of_another_width_are_made_those_of_the_model(
    array: Any, dtype: str, made: str, tmp_path: Path
) -> None:
    np.savez(tmp_path / "x.npz", x=array)
    found, _ = inputs.read(np, [spec("x", [3], dtype)], str(tmp_path / "x.npz"), is_typed=True)
    assert str(found["x"].dtype) == made


def test_what_unpacks_to_more_than_the_memory_holds_is_not_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    np.savez_compressed(path, x=np.zeros(1 << 20, "uint8"), other=np.zeros(4))
    few = inputs.MOST_BYTES
    inputs.MOST_BYTES = 1 << 16
    try:
        with pytest.raises(NotDrawn) as caught:
            inputs.read(np, [spec("x", [1 << 20], "uint8")], str(path))
        found, _ = inputs.read(np, [spec("other", [4])], str(path))  # what is not asked for is not unpacked
    finally:
        inputs.MOST_BYTES = few
    assert (caught.value.reason, list(found)) == ("input-too-large", ["other"])


def test_a_file_of_another_kind_is_not_given_to_numpy_which_would_advise_to_unpickle_it(tmp_path: Path) -> None:
    (tmp_path / "x.npz").write_bytes(b"import os\n")
    for path in (tmp_path / "x.npz", tmp_path, tmp_path / "none.npy"):
        with pytest.raises(NotDrawn) as caught:
            inputs.read(np, [spec("x", [3])], str(path))
        assert (caught.value.reason, str(caught.value)) == ("no-input-file", path.name)


def test_a_file_that_only_calls_itself_a_picture_is_given_to_no_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def opened(*_: Any) -> Any:
        raise AssertionError

    for name in ("_by_pillow", "_by_opencv", "_by_torchvision"):
        monkeypatch.setattr(inputs, name, opened)
    path = tmp_path / "picture.png"
    path.write_bytes(b"%!PS-Adobe-3.0 EPSF-3.0\n")
    for each in (path, tmp_path / "none.png"):
        with pytest.raises(NotDrawn) as caught:
            inputs.decoded(np, str(each))
        assert caught.value.reason == "no-input-file"


def test_a_picture_of_a_size_that_no_memory_holds_is_not_made(picture: Path) -> None:
    for shape in ([1, 3, 100_000, 100_000], [1_000_000, 3, 640, 640]):
        with pytest.raises(NotDrawn) as caught:
            inputs.read(np, [spec("x", shape)], str(picture))
        assert caught.value.reason == "input-too-large"


@pytest.mark.parametrize(
    ("shape", "dtype", "is_typed", "detail"),
    [
        pytest.param([None, 3], "float32", True, "Got invalid dimensions for input: x", id="only-the-model-knows"),
        pytest.param([None, 4], "float32", True, None, id="a-length"),
        pytest.param([3], "float32", True, None, id="axes"),
        pytest.param([None, 3], "int64", True, None, id="a-type"),
        pytest.param([None, 4], "int64", False, "Got invalid dimensions for input: x", id="the-file-tells-no-types"),
    ],
)
def test_inputs_that_the_model_refuses_are_told_with_what_it_takes(
    shape: list[Any], dtype: str, is_typed: bool, detail: str | None, tmp_path: Path
) -> None:
    def refuse(_: Any) -> None:
        raise RuntimeError("Got invalid dimensions for input: x\n index: 1 Got: 3 Expected: 4")

    np.savez(tmp_path / "x.npz", x=np.ones((2, 3), "float32"))
    with pytest.raises(NotDrawn) as caught:
        inputs.taken(np, [spec("x", shape, dtype)], str(tmp_path / "x.npz"), refuse, is_typed=is_typed)
    told = caught.value.fields
    assert (told["reason"], told.get("detail"), told["inputs_from"]) == ("inputs-do-not-fit", detail, "file")
    assert told["inputs"] == [{"name": "x", "dtype": "float32", "shape": [2, 3]}]
    assert told["inputs_wanted"] == [{"name": "x", "dtype": dtype, "shape": [each or "?" for each in shape]}]


def test_of_a_file_that_tells_no_shapes_the_number_of_rows_is_open(tmp_path: Path) -> None:
    def refuse(_: Any) -> None:
        raise RuntimeError("expected 3 channels")

    np.save(tmp_path / "x.npy", np.ones(3))
    with pytest.raises(NotDrawn) as caught:
        inputs.taken(np, [spec("x", [1, 3, -1, -1])], str(tmp_path / "x.npy"), refuse)
    assert caught.value.fields["inputs_wanted"][0]["shape"] == ["?", 3, "?", "?"]


def test_a_device_without_memory_is_not_the_fault_of_the_inputs() -> None:
    error = RuntimeError("CUDA out of memory.")
    assert inputs.none_fits([spec("x", [3])], error) is error

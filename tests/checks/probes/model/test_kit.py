"""Inputs that are made up for a model: what is free, what is tried, and whose fault it is when they are refused."""

import os
import re
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from checks.probes import host  # noqa: F401 - it offers the modules of the probes
from checks.probes import kit as probes_kit
from checks.probes.model import kit


def spec(shape: list[Any] | None, dtype: str = "float32", name: str = "x") -> dict[str, Any]:
    return {"name": name, "dtype": dtype, "shape": shape}


@pytest.mark.parametrize(
    ("asked", "made"),
    [
        pytest.param(spec([1, 3, 480, 640]), [1, 3, 480, 640], id="nothing-free"),
        pytest.param(spec(["batch", 3, "height", "width"]), [1, 3, 224, 224], id="image-channels-first"),
        pytest.param(spec([None, None, None, 3]), [1, 224, 224, 3], id="image-channels-last"),
        pytest.param(spec([-1, 1, 64, "width"]), [1, 1, 64, 224], id="line-of-text"),
        pytest.param(spec(["batch", "sequence"], "int64"), [1, 8], id="tokens"),
        pytest.param(spec([2, "N", 128], name="state"), [2, 1, 128], id="state-of-a-recurrent-network"),
        pytest.param(spec(["past_length + 1"], "int64"), [9], id="sum-of-lengths"),
        pytest.param(spec(["samples"]), [8], id="sound"),
        pytest.param(spec(["N"]), [1], id="batch-alone"),
        pytest.param(spec([]), [], id="scalar"),
        pytest.param(spec(None), [], id="unknown-rank"),
    ],
)
def test_first_shape(asked: dict[str, Any], made: list[int]) -> None:
    assert kit.shape_of(asked, 0) == made


def test_the_size_that_the_model_names_goes_first() -> None:
    assert kit.shape_of(spec(["batch", 3, "height", "width"]), 0, 320) == [1, 3, 320, 320]
    assert kit.shape_of(spec(["batch", 3, "height", "width"]), 1, 320) == [1, 3, 640, 640]


def test_a_line_of_text_is_among_the_images() -> None:
    shapes = [kit.shape_of(spec([None, 3, None, None]), attempt) for attempt in range(len(kit.SIZES))]
    assert [1, 3, 48, 320] in shapes
    assert len({tuple(shape) for shape in shapes}) == len(shapes)


def test_names_that_are_equal_get_equal_lengths() -> None:
    inputs = kit.drawn(np, [spec(["b", "n"], name="a"), spec(["b", "n"], name="c")], 3)
    assert inputs["a"].shape == inputs["c"].shape


@pytest.mark.parametrize(
    ("name", "dtype", "value"),
    [
        ("input_ids", "int64", 0),
        ("attention_mask", "int64", 1),
        ("attention_mask", "bool", True),
        ("sr", "int64", 16000),
        ("x_lens", "int32", 8),
        ("text", "string", ""),
    ],
)
def test_whole_numbers_and_texts(name: str, dtype: str, value: object) -> None:
    array = kit.draw(np, spec([2], dtype, name), [2], 0)
    assert array.tolist() == [value, value]


def test_fractions_are_between_zero_and_one_and_the_same_each_time() -> None:
    first, again = (kit.draw(np, spec([3, 200], "float16"), [3, 200], 0) for _ in range(2))
    assert first.dtype == np.float16
    assert 0 <= first.min() < first.max() <= 1
    assert (first == again).all()


@pytest.mark.parametrize("dtype", ["posit16", "float8e4m3fn", "int3"])  # what ml_dtypes brings is NumPy's once imported
def test_a_type_that_numpy_lacks_is_not_made_up(dtype: str) -> None:
    with pytest.raises(kit.NotDrawn) as refused:
        kit.draw(np, spec([2], dtype), [2], 0)
    assert refused.value.reason == "input-type"


@pytest.mark.parametrize("dtype", ["float32", "string"])
def test_an_enormous_input_is_not_made(dtype: str) -> None:
    with pytest.raises(kit.NotDrawn) as refused:
        kit.draw(np, spec([1 << 40], dtype), [1 << 40], 0)
    assert refused.value.reason == "input-too-large"


def run_with(fitting: tuple[int, ...]) -> Any:
    def run(inputs: dict[str, np.ndarray[Any, Any]]) -> None:
        (array,) = inputs.values()
        if array.shape != fitting:
            raise ValueError(f"got {array.shape}")

    return run


def test_tries_until_one_fits() -> None:
    inputs, error = kit.first_that_runs(np, [spec([None, None])], run_with((1, 512)), time.monotonic() + 60)
    assert error is None
    assert inputs["x"].shape == (1, 512)


def test_gives_the_first_error_where_none_fits() -> None:
    inputs, error = kit.first_that_runs(np, [spec([None, None])], run_with((7, 7)), time.monotonic() + 60)
    assert inputs is None
    assert str(error) == "got (1, 8)"


def test_tries_no_further_when_the_time_is_up() -> None:
    tried = []

    def run(inputs: dict[str, Any]) -> None:
        tried.append(inputs)
        raise ValueError

    kit.first_that_runs(np, [spec([None, None])], run, time.monotonic() - 1)
    assert len(tried) == 1


def test_other_sizes_do_not_help_against_a_full_memory() -> None:
    tried = []

    def run(inputs: dict[str, Any]) -> None:
        tried.append(inputs)
        raise RuntimeError("CUDA out of memory")

    kit.first_that_runs(np, [spec([None, None])], run, time.monotonic() + 60)
    assert len(tried) == 1


@pytest.mark.parametrize(
    ("specs", "message", "ran"),
    [
        pytest.param([spec([1, 3, 8, 8])], "Status Message: bad", False, id="nothing-was-guessed"),
        pytest.param([spec([1, "n"])], "Status Message: bad", None, id="a-length-was-guessed"),
        pytest.param([spec([4], "int64")], "Status Message: bad", None, id="a-number-was-guessed"),
        pytest.param([spec([4])], "Scale value should be greater than 0", None, id="factors"),
        pytest.param([spec([1, "n"])], "CUDA failure 2: out of memory", False, id="no-input-would-help"),
    ],
)
def test_whose_fault_a_refusal_is(specs: list[dict[str, Any]], message: str, ran: bool | None) -> None:
    facts = kit.refused(RuntimeError(message), specs)
    assert facts["error"]["message"] == message
    assert facts.get("ran") is ran
    assert facts.get("reason") == (None if ran is False else "inputs-refused")


def test_of_a_long_log_only_the_telling_lines_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    base: Any = probes_kit
    monkeypatch.setattr(base.Captured, "path", str(tmp_path / "stderr"))
    with base.Captured(keep=re.compile(rb"\[E:")) as captured:
        os.write(
            2, b"[I:onnxruntime] placed\n" * 100_000 + b"\x1b[1;31m[E:onnxruntime] it failed\x1b[m\n" + b"[I:] more\n"
        )
    assert captured.text == "[E:onnxruntime] it failed"
    assert "it failed" in capfd.readouterr().err  # passed on
    with base.Captured() as captured:
        os.write(2, b"x" * 100_000 + b"\nthe end\n")
    assert captured.text.endswith("the end")
    assert len(captured.text) <= base.TEXT_LIMIT


def _raising(error: Exception, fact: dict[str, Any], **first: Any) -> None:
    def work() -> None:
        fact.update(first)
        raise error

    kit.tried(fact, work)


def test_what_a_run_raises_becomes_a_part_of_its_fact(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probes_kit.Captured, "path", str(tmp_path / "printed"))
    facts: list[dict[str, Any]] = [{} for _ in range(5)]
    _raising(kit.NotDrawn("input-type", "x: float8"), facts[0])
    _raising(kit.Unsafe("WriteFile"), facts[1])
    _raising(kit.Unsafe("WriteFile"), facts[2], loaded=True)
    _raising(ValueError("no"), facts[3])
    _raising(ValueError("no"), facts[4], loaded=True)
    errors = [fact.pop("error", {}).get("message") for fact in facts]
    assert facts == [
        {"reason": "input-type"},
        {"reason": "loading-runs-code", "detail": "WriteFile"},
        {"reason": "reaches-outside", "detail": "WriteFile", "loaded": True},
        {"loaded": False},
        {"loaded": True, "ran": False},
    ]
    assert errors == [None, None, None, "no", "no"]


def test_what_was_printed_is_added_to_what_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probes_kit.Captured, "path", str(tmp_path / "printed"))
    fact: dict[str, Any] = {"log": "NPU does not take: Loop"}
    kit.add_to_log(fact, kit.tried(fact, lambda: os.write(2, b"plugin: no driver\n")))
    assert fact == {"log": "NPU does not take: Loop\nplugin: no driver"}
    silent: dict[str, Any] = {}
    kit.add_to_log(silent, kit.tried(silent, lambda: None))
    assert silent == {}

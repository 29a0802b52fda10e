"""The models that a program names: found in its folder or in the hub's cache, and read, not loaded."""

from pathlib import Path

import pytest

from checks.engine.named_models import read_named
from checks.engine.plans.calls import Call
from checks.readers.containers.source import never
from checks.readers.scripts.asked import asked_by_program


def _calls(folder: Path, source: str) -> list[Call]:
    program = folder / "main.py"
    program.write_text(source)
    return [Call(asked, program, str(folder), is_unasked=False) for asked in asked_by_program(program, {})]


def test_a_file_is_read_once_with_the_place_that_names_it(tmp_path: Path) -> None:
    (tmp_path / "net.onnx").write_bytes(b"")
    source = "import onnx\nimport onnxruntime\nonnxruntime.InferenceSession('net.onnx')\nonnx.load('net.onnx')\n"
    (named,) = read_named(_calls(tmp_path, source), never)
    assert (named.read_at, named.label) == ("main.py:3", "onnxruntime.InferenceSession('net.onnx')")
    assert named.model.problem == "empty"
    assert named.defined == ("onnx", "onnxruntime")


def test_what_is_only_looked_at_says_nothing_of_a_load(tmp_path: Path) -> None:
    (tmp_path / "m.pkl").write_bytes(b"")
    (named,) = read_named(_calls(tmp_path, "import joblib\njoblib.load('m.pkl')\n"), never)
    assert named.label == ""
    assert read_named(_calls(tmp_path, "import joblib\njoblib.load('gone.pkl')\n"), never) == ()


def test_a_model_of_the_hub_is_read_from_its_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    model = tmp_path / "hub" / "models--me--tiny"
    (model / "refs").mkdir(parents=True)
    (model / "refs" / "main").write_text("abc123")
    (model / "snapshots" / "abc123").mkdir(parents=True)
    (model / "snapshots" / "abc123" / "model.safetensors").write_bytes(b"")
    source = "from transformers import AutoModel\nAutoModel.from_pretrained('me/tiny')\n"
    found = read_named(_calls(tmp_path, source), never)
    assert [named.model.problem for named in found if named.model.path.endswith("model.safetensors")] == ["empty"]
    (model / "refs" / "main").write_text("../../..")
    assert read_named(_calls(tmp_path, source), never) == ()

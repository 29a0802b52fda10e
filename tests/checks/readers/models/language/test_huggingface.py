"""Folders that transformers, PEFT and diffusers saved: what config.json says of the weights beside it."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from support.mangled import MemoryFolder, cuts, mangled, read, survives

from checks.readers.models import read_model, read_models
from checks.readers.models.language.huggingface import huggingface, sharded

MADE = Path(__file__).parents[4] / "recordings" / "models" / "safetensors" / "made"
INDEX = "model.safetensors.index.json"
LIST = (MADE / "llama-sharded" / INDEX).read_bytes()


def changed(folder: Path, to: Path, **values: object) -> Path:
    """A copy of a folder whose config.json has other values."""
    shutil.copytree(folder, to)
    config = json.loads((to / "config.json").read_text("utf-8"))
    (to / "config.json").write_text(json.dumps(config | values), "utf-8")
    return to


def test_a_model_of_transformers() -> None:
    (facts,) = read_models(MADE / "llama")
    assert (facts.format, facts.producer, facts.producer_version) == ("safetensors", "transformers", "5.23.0")
    assert facts.needs.frameworks == ("safetensors", "transformers>=4.28.0")
    assert (facts.parameters, facts.needs.memory, facts.problem) == (984, 3936, None)
    assert facts.details["architecture"] == "LlamaForCausalLM"
    assert facts.details["model-type"] == "llama"
    assert facts.details["configured-dtype"] == "float32"


def test_the_same_in_parts() -> None:
    (facts,) = read_models(MADE / "llama-sharded")
    (whole,) = read_models(MADE / "llama")
    assert (facts.parameters, facts.dtypes, facts.needs.memory) == (whole.parameters, whole.dtypes, whole.needs.memory)
    assert facts.needs.files is not None
    assert [file.present for file in facts.needs.files] == [True, True, True]
    assert read_model(MADE / "llama-sharded" / INDEX).parameters == 984


def test_a_part_is_missing_or_short(tmp_path: Path) -> None:
    folder = shutil.copytree(MADE / "llama-sharded", tmp_path / "set")
    part = folder / "model-00002-of-00003.safetensors"
    part.write_bytes(part.read_bytes()[:-4])
    facts = read_model(folder)
    assert (facts.problem, facts.needs.memory) == ("truncated", 3936)
    assert facts.problem_detail == f"{part.name}: 4 of 1632 bytes are missing"
    part.unlink()
    facts = read_model(folder)
    assert (facts.problem, facts.problem_detail, facts.needs.memory) == ("missing-part", part.name, 3936)


def test_an_adapter() -> None:
    (facts,) = read_models(MADE / "lora")
    assert (facts.producer, facts.producer_version) == ("peft", "0.21.2")
    assert facts.needs.frameworks == ("safetensors", "peft")
    assert facts.details["adapter"] == "LoRA"


def test_a_pipeline_of_diffusers(tmp_path: Path) -> None:
    (facts,) = read_models(MADE / "ddpm")
    assert (facts.producer, facts.producer_version) == ("diffusers", "0.42.1")
    assert (facts.parameters, facts.details["architecture"]) == (2713, "DDPMPipeline")
    assert facts.details["components"] == "scheduler, unet"
    folder = shutil.copytree(MADE / "ddpm", tmp_path / "ddpm")
    shutil.rmtree(folder / "unet")
    assert (read_model(folder).problem, read_model(folder).problem_detail) == ("missing-part", "unet")


@pytest.mark.parametrize(
    ("said", "method", "quantization"),
    [
        pytest.param({"quant_method": "gptq", "bits": 4}, "gptq", "gptq int4", id="gptq"),
        pytest.param({"quant_method": "fp8", "fmt": "e4m3"}, "fp8", "fp8", id="fp8"),
        pytest.param(
            {"load_in_4bit": True, "bnb_4bit_quant_type": "nf4"}, "bitsandbytes", "bitsandbytes nf4", id="bitsandbytes"
        ),
    ],
)
def test_quantization(tmp_path: Path, said: object, method: str, quantization: str) -> None:
    facts = read_model(changed(MADE / "llama", tmp_path / "model", quantization_config=said))
    assert (facts.details["quantization-method"], facts.quantization) == (method, quantization)


def test_of_a_kind_that_nobody_knows(tmp_path: Path) -> None:
    facts = read_model(changed(MADE / "llama", tmp_path / "m", model_type="zebra", auto_map={"AutoModel": "m.Zebra"}))
    assert facts.needs.frameworks == ("safetensors", "transformers")
    assert (facts.details["model-type"], facts.details["custom-code"]) == ("zebra", "m.Zebra")


def test_other_forms_of_the_model_are_models_of_their_own(tmp_path: Path) -> None:
    folder = shutil.copytree(MADE / "llama", tmp_path / "model")
    (folder / "onnx").mkdir()
    onnx = Path(__file__).parents[4] / "recordings" / "models" / "onnx" / "abs.onnx"
    shutil.copy(onnx, folder / "onnx" / "model.onnx")
    assert [(each.format, each.name) for each in read_models(folder)] == [
        ("safetensors", "model.safetensors"),
        ("onnx", "model.onnx"),
    ]
    assert read_models(folder)[0].details["model-type"] == "llama"


def test_of_training_the_weights_are_the_model(tmp_path: Path) -> None:
    folder = shutil.copytree(MADE / "llama", tmp_path / "checkpoint")
    (folder / "training_args.bin").write_bytes(b"PK")
    assert [each.path for each in read_models(folder)] == [str(folder)]


def test_a_part_outside_is_not_looked_at() -> None:
    listed = b'{"weight_map": {"a": "../../etc/passwd", "b": "\\u0061.safetensors"}}'
    facts = read(sharded, listed, INDEX)
    assert facts is not None
    assert facts.problem == "missing-part"
    assert [(file.name, file.present) for file in facts.needs.files or ()] == [
        ("../../etc/passwd", None),
        ("a.safetensors", False),
    ]


@pytest.mark.parametrize("data", [*cuts(LIST)])
def test_cut(data: bytes) -> None:
    answer = survives(sharded, data, INDEX)
    assert answer is None or getattr(answer, "problem", None) in ("truncated", "missing-part")


@pytest.mark.parametrize(
    "text",
    [
        b'{"weight_map": ' + b"[" * 100_000,
        b'{"weight_map": {' + b'"a": "b", ' * 20_000 + b'"c": "d"}}',
        b'{"weight_map": {"a": "\xff\xfe"}}',
        b'{"weight_map": {"a": 1}}',
    ],
    ids=["deep", "long", "no-utf-8", "numbers"],
)
def test_hostile_lists(text: bytes) -> None:
    survives(sharded, text, INDEX)


def folder_of(name: str) -> Callable[[dict[str, bytes]], MemoryFolder]:
    files = {path.name: path.read_bytes() for path in (MADE / name).iterdir()}
    return lambda other: MemoryFolder(files | other)


@given(mangled((MADE / "llama" / "config.json").read_bytes(), b'{"model_type": [[]], "architectures": [1]}'))
def test_survives_any_config(data: bytes) -> None:
    huggingface.read(folder_of("llama")({"config.json": data}))


@given(mangled(LIST))
def test_survives_any_list(data: bytes) -> None:
    survives(sharded, data, INDEX)

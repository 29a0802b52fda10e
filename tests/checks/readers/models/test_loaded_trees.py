"""Settings, code and archives beside weights run something when their program loads them: none gets a tick.

tests/live/test_hostile_proof.py shows that they run.
"""

import gzip
import json
from pathlib import Path

import pytest
from support.hostile.loaded_trees import WEIGHTS, Tree, loaded_trees, written

from checks.engine.given_models import side_by_side
from checks.facts import Facts, ModelFacts, Symptom
from checks.facts.case import Answers, Case
from checks.facts.question import MODELS
from checks.judgement.judge import judged
from checks.judgement.models.standing import PerModel, Standing, is_harmful
from checks.readers.models import read_models
from checks.readers.models.tensorflow.keras_config import KerasModel, read_config

TREES = {tree.id: tree for tree in loaded_trees()}


def case_of(models: tuple[ModelFacts, ...]) -> Case:
    return judged(Facts(models=models, symptom=Symptom(origin="user", name=MODELS)), Answers(symptom=MODELS))


def said_of(path: Path) -> str:
    """ "named", "warned", "unread", or "nothing"."""
    case = case_of(read_models(path))
    if case.findings and is_harmful(case.findings[0]):
        return "named"
    if any(finding.cause.startswith("pickle-") for finding in case.findings):
        return "warned"
    per_model = PerModel.of(case.findings, case.verdicts)
    standings = {per_model.standing(model) for model in case.facts.models}
    return "unread" if Standing.UNREADABLE in standings else "nothing"


def test_there_are_enough() -> None:
    assert len(TREES) >= 90


def test_what_runs_something_is_said(tmp_path: Path) -> None:
    found = {name: said_of(written(tree, tmp_path / str(number))) for number, (name, tree) in enumerate(TREES.items())}
    assert {name: said for name, said in found.items() if said != TREES[name].said} == {}


def test_what_it_would_run_is_told(tmp_path: Path) -> None:
    case = case_of(read_models(written(TREES["NeMo's archives: os.system"], tmp_path)))
    assert case.findings[0].placeholders()["dangerous_names"] == ("os.system(command='echo>ran')",)
    case = case_of(read_models(written(TREES["code that a server loads: TorchServe"], tmp_path / "mar")))
    assert case.findings[0].placeholders()["unknown_names"] == ("handler.py",)


HARMLESS = {
    "NeMo": (
        "model_config.yaml",
        (
            "encoder:\n  _target_: nemo.collections.asr.modules.ConformerEncoder\n  feat_in: 80\n"
            "optim: {name: adamw, params: {lr: 0.1}}\n"
        ),
    ),
    "Stable Diffusion": (
        "v1-inference.yaml",
        (
            "model:\n  target: ldm.models.diffusion.ddpm.LatentDiffusion\n  params:\n    first_stage_config:\n"
            "      target: ldm.models.autoencoder.AutoencoderKL\n      params: {embed_dim: 4}\n"
            "    cond_stage_config: {target: torch.nn.Identity, params: {}}\n"
        ),
    ),
    "SpeechBrain": (
        "hyperparams.yaml",
        (
            "seed: !apply:torch.manual_seed [1]\nmodel: !new:speechbrain.nnet.containers.Sequential\n"
            "  norm: !name:torch.nn.BatchNorm1d\nlr: !ref <seed>\n"
        ),
    ),
    "pyannote": ("config.yaml", "pipeline:\n  name: pyannote.audio.pipelines.SpeakerDiarization\n  params: {x: 1}\n"),
    "torchtune": ("recipe.yaml", "model:\n  _component_: torchtune.models.llama3.llama3_8b\n"),
    "a name with a version": ("a.json", json.dumps({"model": {"name": "resnet18.a1_in1k", "params": {}}})),
    "a tuple": ("hparams.yaml", "shape: !!python/tuple [1, 2]\n"),
    "TorchServe's own handler": ("MAR-INF/MANIFEST.json", json.dumps({"model": {"handler": "image_classifier"}})),
    "MLflow": (
        "MLmodel",
        "flavors:\n  python_function:\n    loader_module: mlflow.sklearn\n    model_path: model.pkl\n",
    ),
    "a template": ("chat_template.jinja", "{% for message in messages %}{{ message['content'] }}{% endfor %}"),
    "a template of a program": ("templates/kernel.py.jinja", "def __init__(self): pass"),
    "sentence-transformers": (
        "modules.json",
        json.dumps([{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"}]),
    ),
    "a program of a project": ("src/model.py", "import os\nos.system('make')\n"),
    "a list of words": ("vocab.json", json.dumps({"_target_": 1, "os.system": 2})),
    "damaged": ("notes.yaml", "a: [1, 2\n"),
}


@pytest.mark.parametrize("name", HARMLESS)
def test_harmless_ones_are_not_disturbed(name: str, tmp_path: Path) -> None:
    file, text = HARMLESS[name]
    said = said_of(written(Tree("", name, {"model.safetensors": WEIGHTS, file: text.encode()}, ""), tmp_path))
    assert said == "nothing"


def test_what_cannot_be_read_and_shows_signs_is_said(tmp_path: Path) -> None:
    for number, text in enumerate(
        ("a: [1\n_target_: os.system\n", "[" * 200 + "_target_: os.system", "_target_: x\n" * 400_000)
    ):
        tree = Tree("", "", {"model.safetensors": WEIGHTS, "config.yaml": text.encode()}, "")
        assert said_of(written(tree, tmp_path / str(number))) == "unread"


def test_aliases_without_end(tmp_path: Path) -> None:
    lines = ["a0: &a0 [x]"] + [f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 60)]
    text = "\n".join([*lines, "b: {_target_: os.system, command: *a59}"])
    tree = Tree("", "", {"model.safetensors": WEIGHTS, "config.yaml": text.encode()}, "")
    assert said_of(written(tree, tmp_path)) == "named"


def test_settings_are_no_weights(tmp_path: Path) -> None:
    files = {"model.safetensors": WEIGHTS, "config.yaml": b"_target_: own.run\n"}
    models = read_models(written(Tree("", "", files, ""), tmp_path))
    assert [model.format for model in models] == ["loader-settings", "safetensors"]
    assert side_by_side(models) == ()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("model.rds", gzip.compress(b"X\n\0\0\0\3")),
        ("weights", b"RDX3\nX\n"),
        ("weka.model", b"\xac\xed\0\5sr"),
        ("model.llamafile", b"MZqFpD"),
    ],
)
def test_what_other_languages_run_is_said(name: str, content: bytes, tmp_path: Path) -> None:
    path = written(Tree("", "", {"model.safetensors": WEIGHTS, name: content}, ""), tmp_path)
    assert said_of(path) == "unread"
    assert [model.problem for model in read_models(path) if model.name == name] == ["runs-code-unread"]


def frozen(*operators: str) -> bytes:
    """A graph of TensorFlow."""

    def field(number: int, content: bytes) -> bytes:
        return bytes([number << 3 | 2, len(content)]) + content

    nodes = (field(1, f"n{index}".encode()) + field(2, name.encode()) for index, name in enumerate(operators))
    return b"".join(field(1, node) for node in nodes)


@pytest.mark.parametrize(
    ("operators", "said"),
    [
        (("Placeholder", "Relu", "Softmax"), "nothing"),
        (("Placeholder", "Const", "WriteFile"), "named"),
        (("Placeholder", "PyFunc", "Relu"), "warned"),
    ],
)
def test_graphs_that_write_or_call(operators: tuple[str, ...], said: str, tmp_path: Path) -> None:
    path = written(Tree("", "", {"graph.pb": frozen(*operators)}, ""), tmp_path)
    assert [model.format for model in read_models(path)] == ["tf-frozen"]
    assert said_of(path) == said


@pytest.mark.parametrize(("function", "risk"), [("io.write_file", "dangerous"), ("math.add", "")])
def test_a_layer_of_keras_that_calls_tensorflow(function: str, risk: str) -> None:
    layer = {"class_name": "TFOpLambda", "config": {"name": "l", "function": function}, "inbound_nodes": []}
    config = {"class_name": "Functional", "config": {"name": "m", "layers": [layer]}}
    found = KerasModel()
    read_config(config, found)
    assert found.called == ({f"tf.{function}": risk} if risk else {})

"""The probes' own code: profiles of real sessions read, weights really loaded by torch, and what must not be loaded."""

import importlib
import io
import json
import os
import pickle
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import msgspec
import pytest
import torch
from hypothesis import given, strategies
from support.recorded_runs import facts

from checks.engine.catalogues.models import MODEL_PROBES, ModelProbeSpec, runs_of
from checks.engine.processes.runner import Answer, ProbeTask, run_probe
from checks.facts import ModelFacts, ModelRun, ProbeRun
from checks.facts.case import Answers
from checks.judgement.judge import judged
from checks.knowledge.formats.model_safety import ModelSafety
from checks.probes.model import kit
from checks.sharing.case import decode, to_builtins

PROFILES = Path(__file__).parents[3] / "recordings" / "model_runs" / "profiles"
NotDrawn = kit.NotDrawn
Loaded = Callable[[Path, str], ModelRun]


def probe(stem: str) -> ModuleType:
    return importlib.import_module(f"checks.probes.model.{stem}")


def spec(runtime: str, stem: str) -> ModelProbeSpec:
    return next(
        model_probe for model_probe in MODEL_PROBES if (model_probe.runtime, model_probe.stem) == (runtime, stem)
    )


# --- ONNX Runtime's profile -------------------------------------------------------------------------------------------


class Session:
    """A session that has a recorded profile; versions before 1.24 do not tell what a compiled part was made of."""

    def __init__(self, name: str, folder: Path) -> None:
        self.path = folder / "profile.json"
        shutil.copy(PROFILES / f"{name}.json", self.path)

    def end_profiling(self) -> str:
        return str(self.path)


class NewerSession(Session):
    """One that does."""

    def get_provider_graph_assignment_info(self) -> list[Any]:
        def part(provider: str, *operators: str) -> Any:
            return SimpleNamespace(
                ep_name=provider, get_nodes=lambda: [SimpleNamespace(op_type=op) for op in operators]
            )

        return [
            part("OpenVINOExecutionProvider", "Conv", "Relu", "Conv"),
            part("OpenVINOExecutionProvider", "Concat"),
            part("CPUExecutionProvider", "ConvInteger"),
        ]


def shares(session: Session) -> dict[str, Any]:
    found, _ = probe("onnxruntime")._shares(session)
    return {share["provider"]: share for share in found}


def test_what_a_provider_leaves_to_the_processor(tmp_path: Path) -> None:
    took = shares(Session("onnxruntime-openvino-1.24.1-fallback", tmp_path))
    assert took["CPUExecutionProvider"]["operators"] == {"ConvInteger": 21, "DynamicQuantizeLSTM": 1}
    assert sum(took["OpenVINOExecutionProvider"]["operators"].values()) == 23  # compiled parts
    seconds = sum(share["seconds"] for share in took.values())
    last = json.loads((PROFILES / "onnxruntime-openvino-1.24.1-fallback.json").read_text())[-1]
    assert last["name"] == "model_run"
    assert seconds == pytest.approx(last["dur"] / 1e6)


def test_newer_versions_tell_what_a_compiled_part_was_made_of(tmp_path: Path) -> None:
    took = shares(NewerSession("onnxruntime-openvino-1.24.1-fallback", tmp_path))
    assert took["OpenVINOExecutionProvider"]["operators"] == {"Conv": 2, "Concat": 1, "Relu": 1}
    assert took["CPUExecutionProvider"]["operators"] == {"ConvInteger": 21, "DynamicQuantizeLSTM": 1}


def test_the_time_of_a_node_is_without_that_of_the_nodes_within(tmp_path: Path) -> None:
    (cpu,) = shares(Session("onnxruntime-1.31.1-nested", tmp_path)).values()
    assert cpu["operators"]["If"] >= 1
    assert cpu["operators"]["Conv"] >= 1  # inside the If
    events = json.loads((PROFILES / "onnxruntime-1.31.1-nested.json").read_text())
    last = [event for event in events if event["name"] == "model_run"][-1]
    assert cpu["seconds"] <= last["dur"] / 1e6


def test_only_the_last_run_counts_and_old_versions_are_read(tmp_path: Path) -> None:
    (cpu,) = shares(Session("onnxruntime-1.10.0", tmp_path)).values()
    assert cpu == {"provider": "CPUExecutionProvider", "operators": {"Sigmoid": 1}, "seconds": pytest.approx(1e-6)}


def test_no_profile_stays_behind(tmp_path: Path) -> None:
    shares(Session("onnxruntime-1.10.0", tmp_path))
    assert list(tmp_path.iterdir()) == []


# Lines as CUDA's provider and the framework print them (cuda_execution_provider.cc, fallback_cpu_capability.cc).
LOG = """\
[I:onnxruntime:, cuda_execution_provider.cc:2943 GetCapability] CUDA kernel not found in registries for Op type: \
NonMaxSuppression node name: nms_0
[I:onnxruntime:, fallback_cpu_capability.cc:178 GetCpuPreferredNodes] ORT optimization- Force fallback to CPU \
execution for node: gather_7 because the CPU execution path is deemed faster than overhead involved with execution on \
other EPs  capable of executing this node"""


def test_why_an_operator_is_on_the_processor() -> None:
    told = [
        {"provider": "CUDAExecutionProvider", "operators": {"Conv": 60}},
        {"provider": "CPUExecutionProvider", "operators": {"NonMaxSuppression": 1, "Gather": 2, "Shape": 1}},
    ]
    probe("onnxruntime")._add_reasons(told, LOG, {"gather_7": "Gather", "nms_0": "NonMaxSuppression"})
    assert "reasons" not in told[0]
    reasons: Any = told[1]["reasons"]
    assert reasons.keys() == {"NonMaxSuppression", "Gather"}
    assert "not found in registries" in reasons["NonMaxSuppression"]


def test_the_log_keeps_what_tells_of_placements() -> None:
    telling = probe("onnxruntime")._TELLING
    assert all(telling.search(line.encode()) for line in LOG.splitlines())
    assert not telling.search(b"[I:onnxruntime:, graph_transformer.cc:15 Apply] GraphTransformer modified: 0")


@pytest.mark.parametrize(("content", "tried"), [(b"Conv", ["CUDAExecutionProvider"]), (b"EPContext", [])])
def test_what_a_provider_has_compiled_is_not_given_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes, tried: list[str]
) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(content)
    listed = ["CUDAExecutionProvider", "CPUExecutionProvider"]
    runtime = SimpleNamespace(get_available_providers=lambda: listed)
    monkeypatch.setitem(sys.modules, "onnxruntime", runtime)
    module = probe("onnxruntime")
    monkeypatch.setattr(module, "_tried", lambda _, provider: iter([provider]))
    assert list(module.on_providers({"path": str(path)})) == tried


def test_inputs_as_the_session_lists_them() -> None:
    def listed(name: str, kind: str, shape: Any) -> Any:
        return SimpleNamespace(name=name, type=kind, shape=shape)

    session = SimpleNamespace(
        get_inputs=lambda: [
            listed("a", "tensor(float)", ["batch", 3]),
            listed("b", "seq(tensor(int64))", []),
            listed("c", "optional(tensor(float))", []),
            listed("d", "tensor(string)", [None]),
        ]
    )
    specs, sequences = probe("onnxruntime").inputs_of(session)
    assert specs == [
        {"name": "a", "dtype": "float32", "shape": ["batch", 3]},
        {"name": "b", "dtype": "int64", "shape": None},
        {"name": "d", "dtype": "string", "shape": [None]},
    ]
    assert sequences == {"b"}


@pytest.mark.parametrize("words", [{}, {"imgsz": "huge"}, {"imgsz": "[" * 5000}, {"imgsz": "[]"}])
def test_words_of_the_model_that_name_no_size(words: dict[str, str]) -> None:
    session = SimpleNamespace(get_modelmeta=lambda: SimpleNamespace(custom_metadata_map=words))
    assert probe("onnxruntime").image_size(session) is None


# --- torch, really ----------------------------------------------------------------------------------------------------


@pytest.fixture
def loaded(warm_probes: None) -> Loaded:
    return _loaded


def _loaded(path: Path, kind: str) -> ModelRun:
    chosen = spec("torch", "model/torch")
    task = ProbeTask("torch", chosen.script, sys.executable, {"path": str(path), "format": kind}, time_limit=300)
    (run,) = runs_of(run_probe(task), chosen)
    return run


class RunsACommand:
    """A pickle that makes a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return os.mkdir, (str(self.folder),)


def test_weights_load(loaded: Loaded, tmp_path: Path) -> None:
    torch.save({"w": torch.ones(3)}, tmp_path / "w.pt")
    run = loaded(tmp_path / "w.pt", "torch-zip")
    assert (run.loaded, run.ran, run.error, run.reason) == (True, None, None, "")


@pytest.mark.parametrize("zipped", [True, False])
def test_a_pickle_that_runs_a_command_is_refused_and_does_not_run_it(
    loaded: Loaded, tmp_path: Path, zipped: bool
) -> None:
    trap = tmp_path / "trap"
    torch.save({"w": RunsACommand(trap)}, tmp_path / "w.pt", _use_new_zipfile_serialization=zipped)
    run = loaded(tmp_path / "w.pt", "torch-zip" if zipped else "torch-legacy")
    assert run.loaded is False
    assert run.error is not None
    assert "Weights only load failed" in run.error.message
    assert not trap.exists()


def test_a_cut_file_does_not_load(loaded: Loaded, tmp_path: Path) -> None:
    torch.save({"w": torch.ones(1000)}, tmp_path / "w.pt")
    (tmp_path / "w.pt").write_bytes((tmp_path / "w.pt").read_bytes()[:2000])
    assert loaded(tmp_path / "w.pt", "torch-zip").loaded is False


SCRIPT = """
import sys
import torch
from typing import Tuple


class Plain(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + 1


class Writes(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.w = torch.zeros(2)

    @torch.jit.export
    def __getstate__(self) -> Tuple[torch.Tensor, bool]:
        return (self.w, self.training)

    @torch.jit.export
    def __setstate__(self, state: Tuple[torch.Tensor, bool]) -> None:
        self.w, self.training = state
        torch.save(state[0], "TRAP")

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.w


torch.jit.script(Plain()).save(sys.argv[1])
torch.jit.script(Writes()).save(sys.argv[2])
"""


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_torchscript_loads_where_loading_runs_nothing(loaded: Loaded, torch_python: str, tmp_path: Path) -> None:
    """torch.jit.load calls the archive's own __setstate__, which is TorchScript and may write files."""
    source = tmp_path / "make.py"
    trap, shouted = tmp_path / "trap.pt", tmp_path / "shouted.ts"
    source.write_text(SCRIPT.replace("TRAP", str(trap)))
    made = (tmp_path / "plain.ts", tmp_path / "writes.ts")  # TorchScript reads the source of its classes: from a file
    subprocess.run([torch_python, str(source), *map(str, made)], check=True, capture_output=True)
    assert loaded(made[0], "torchscript").loaded is True
    trap.unlink(missing_ok=True)
    run = loaded(made[1], "torchscript")
    assert (run.loaded, run.reason) == (None, "loading-runs-code")
    assert not trap.exists()
    torch.jit.load(made[1])
    assert trap.exists()  # so it is worth the look
    trap.unlink()
    # Its code is found whatever the case of its name.
    with zipfile.ZipFile(made[1]) as archive, zipfile.ZipFile(shouted, "w") as changed:
        for name in archive.namelist():
            changed.writestr(re.sub(r"\.py$", ".PY", name), archive.read(name))
    run = loaded(shouted, "torchscript")
    assert (run.loaded, run.reason) == (None, "loading-runs-code")
    assert not trap.exists()
    torch.jit.load(shouted)
    assert trap.exists()  # so the archive finds it


@pytest.fixture
def older(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch, "__version__", "2.5.1+cpu")


@pytest.mark.usefixtures("older")
def test_before_26_tar_files_and_archives_of_code_are_not_given_to_torch_load(tmp_path: Path) -> None:
    loading = probe("torch")._load_weights
    tar = tmp_path / "old.pt"
    with tarfile.open(tar, "w") as archive:
        archive.addfile(tarfile.TarInfo("sys_info"), io.BytesIO())
    with pytest.raises(NotDrawn, match="loading-runs-code"):
        loading(str(tar))
    weights = tmp_path / "w.pt"
    torch.save({"w": torch.ones(3)}, weights)
    loading(str(weights))


def test_before_113_nothing_is_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch, "load", lambda f, map_location=None, pickle_module=pickle: pytest.fail("loaded"))
    with pytest.raises(NotDrawn, match="loading-runs-code"):
        probe("torch")._load_weights(str(tmp_path / "w.pt"))


# --- TensorFlow and Keras ---------------------------------------------------------------------------------------------


def foreign(config: object) -> list[str]:
    return list(probe("tensorflow")._foreign(config, ModelSafety.read().for_probe(), 0))


LAYERS = {
    "module": "keras.src.models.functional",
    "class_name": "Functional",
    "config": {
        "layers": [
            {"module": "keras.layers", "class_name": "InputLayer", "config": {"dtype": "float32"}},
            {
                "module": "keras.layers",
                "class_name": "Dense",
                "config": {
                    "dtype": {"module": "keras", "class_name": "DTypePolicy", "config": {"name": "float32"}},
                    "kernel_initializer": {"module": "keras.initializers", "class_name": "GlorotUniform"},
                    "activation": "relu",
                },
            },
        ]
    },
}


@pytest.mark.parametrize(
    ("config", "told"),
    [
        pytest.param(LAYERS, [], id="own-layers"),
        pytest.param({"class_name": "Sequential", "config": [{"class_name": "Dense"}]}, [], id="keras-2"),
        pytest.param({"class_name": "Lambda", "config": {}}, ["Lambda"], id="lambda-of-keras-2"),
        pytest.param({"module": "keras.layers", "class_name": "Lambda"}, ["keras.layers.Lambda"], id="lambda"),
        pytest.param({"f": {"class_name": "__lambda__", "config": {}}}, ["__lambda__"], id="code"),
        pytest.param(
            {"class_name": "TFOpLambda", "config": {"function": "io.write_file"}},
            ["TFOpLambda"],
            id="any-of-tensorflow",
        ),
        pytest.param({"class_name": "TensorFlowOpLayer", "config": {}}, ["TensorFlowOpLayer"], id="any-operation"),
        pytest.param({"module": "os", "class_name": "system"}, ["os.system"], id="any-function"),
        pytest.param({"module": "keras.utils", "class_name": "get_file"}, ["keras.utils.get_file"], id="download"),
        pytest.param({"module": "kerasx.layers", "class_name": "A"}, ["kerasx.layers.A"], id="alike"),
        pytest.param({"module": ["os"], "class_name": "A"}, ["['os'].A"], id="odd"),
        pytest.param(
            {"module": "keras.layers", "class_name": "TFSMLayer"}, ["keras.layers.TFSMLayer"], id="savedmodel"
        ),
        pytest.param(
            {"module": "keras.layers", "class_name": "StringLookup", "config": {"vocabulary": "/etc/passwd"}},
            ["vocabulary file"],
            id="a-file-to-read",
        ),
    ],
)
def test_what_a_keras_file_names_besides_layers(config: object, told: list[str]) -> None:
    assert foreign(config) == told


def test_a_keras_file_that_is_nested_without_end() -> None:
    config: dict[str, Any] = {}
    for _ in range(900):
        config = {"a": config}
    assert foreign(config) == ["nested too deep"]


def node(name: str, op: str, *inputs: str, calls: str = "") -> Any:
    value = SimpleNamespace(func=SimpleNamespace(name=calls), list=SimpleNamespace(func=[]))
    return SimpleNamespace(name=name, op=op, input=list(inputs), attr={"f": value})


def test_the_operations_that_a_fetch_runs_are_all_found() -> None:
    """Through inputs, control inputs, calls, calls of calls, and functions that an optimiser may put in their place."""
    graph = SimpleNamespace(
        node=[
            node("x", "Placeholder"),
            node("y", "PartitionedCall", "x:0", "^before", calls="outer"),
            node("before", "Assert"),
            node("save", "SaveV2", "x"),
        ]
    )
    functions = {
        "outer": SimpleNamespace(attr={}, node_def=[node("a", "MatMul"), node("b", "inner")]),
        "inner": SimpleNamespace(attr={}, node_def=[node("c", "WriteFile"), node("d", "While", calls="outer")]),
        "instead": SimpleNamespace(attr={"api_implements": b""}, node_def=[node("e", "CudnnRNN")]),
        "saver": SimpleNamespace(attr={}, node_def=[node("f", "MergeV2Checkpoints")]),
    }
    found = probe("tensorflow")._operations(graph, functions, ["y:0"])
    assert found == {"Placeholder", "PartitionedCall", "Assert", "MatMul", "inner", "WriteFile", "While", "CudnnRNN"}


# --- LiteRT -----------------------------------------------------------------------------------------------------------


def test_operations_of_tensorflow_are_not_given_to_tensorflow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "model.tflite"
    path.write_bytes(b"\x1c\0\0\0TFL3" + b"\0" * 40 + b"FlexWriteFile\0")
    module = probe("litert")
    monkeypatch.setattr(module, "_interpreter", lambda _: pytest.fail("loaded"))
    with pytest.raises(NotDrawn, match="loading-runs-code"):
        module._try({}, {"path": str(path), "runtime": "tensorflow"}, False)


@pytest.mark.parametrize(("content", "is_there"), [(b"", False), (b"Flow", False), (b"x" * 9000 + b"Flex", True)])
def test_a_word_in_a_file(tmp_path: Path, content: bytes, is_there: bool) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    assert kit.mentions(str(path), b"Flex") is is_there


def test_which_nodes_a_delegate_took() -> None:
    """As LiteRT 2.3 lists them: the model's own nodes, and behind them one for each part that a delegate took."""

    def listed(name: str, inputs: list[int], outputs: list[int]) -> dict[str, Any]:
        return {"op_name": name, "inputs": inputs, "outputs": outputs}

    nodes = [
        listed("CONV_2D", [0, 10], [1]),
        listed("RELU", [1], [2]),
        listed("EXPAND_DIMS", [2], [3]),
        listed("ADD", [3, 2], [4]),
        listed("DELEGATE", [0, 10], [2]),
        listed("DELEGATE", [3, 2], [4]),
    ]
    assert probe("litert")._shares(SimpleNamespace(_get_ops_details=lambda: nodes)) == [
        {"provider": "XNNPACK", "operators": {"ADD": 1, "CONV_2D": 1, "RELU": 1}},
        {"provider": "CPU", "operators": {"EXPAND_DIMS": 1}},
    ]


def test_the_part_of_the_edge_tpu_is_named() -> None:
    nodes = [
        {"op_name": "edgetpu-custom-op", "inputs": [0], "outputs": [1]},
        {"op_name": "SOFTMAX", "inputs": [1], "outputs": [2]},
        {"op_name": "DELEGATE", "inputs": [0], "outputs": [1]},
    ]
    assert probe("litert")._shares(SimpleNamespace(_get_ops_details=lambda: nodes)) == [
        {"provider": "Edge TPU", "operators": {"edgetpu-custom-op": 1}},
        {"provider": "CPU", "operators": {"SOFTMAX": 1}},
    ]


def test_an_interpreter_that_does_not_list_its_nodes() -> None:
    assert probe("litert")._shares(SimpleNamespace()) is None


def test_the_end_of_a_process_is_the_end_of_its_run() -> None:
    """A run that had begun gets the signal; without any run, the runtime itself did not start."""
    answer = {
        "runs": [{"setting": "CPUExecutionProvider", "loaded": True, "ran": True}, {"setting": "X", "loaded": True}]
    }
    chosen = spec("onnxruntime", "model/onnxruntime")
    run = {"probe": "onnxruntime", "interpreter": "python", "status": "crashed", "signal": "SIGSEGV"}

    def told(facts: dict[str, Any], **more: Any) -> tuple[ModelRun, ...]:
        return runs_of(Answer(facts, ProbeRun(**{**run, **more})), chosen)

    whole, cut = told(answer)
    assert (whole.ran, whole.error) == (True, None)
    assert (cut.loaded, cut.ran, cut.reason) == (True, False, "crashed")
    assert cut.error is not None
    assert cut.error.type == "SIGSEGV"
    assert [each.reason for each in told({})] == ["runtime-broken"]
    assert [each.reason for each in told(answer, status="timed-out")] == ["", "timed-out"]
    ended = told(answer, status="too-much-memory", memory_limit=5)[-1]
    assert (ended.reason, ended.memory_limit, ended.loaded, ended.error) == ("too-much-memory", 5, True, None)
    assert [each.reason for each in told({}, status="cancelled")] == ["cancelled"]
    assert [each.runtime for each in told({"runs": "no list"}, status="ok")] == []


JSON: Any = strategies.recursive(
    strategies.none()
    | strategies.booleans()
    | strategies.integers()
    | strategies.floats()
    | strategies.text(max_size=8),
    lambda inner: (
        strategies.lists(inner, max_size=3) | strategies.dictionaries(strategies.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=12,
)
SHARES = strategies.fixed_dictionaries(
    {"provider": JSON, "operators": JSON | strategies.dictionaries(strategies.text(max_size=4), strategies.integers())},
    optional={"seconds": JSON, "reasons": JSON, "operator_seconds": JSON},
)
RUN = strategies.dictionaries(
    strategies.sampled_from(ModelRun.__struct_fields__), JSON | strategies.lists(SHARES), max_size=9
)


@given(
    told=strategies.lists(RUN | JSON, max_size=3) | JSON, status=strategies.sampled_from(("ok", "failed", "crashed"))
)
def test_a_process_that_is_broken_may_answer_anything(told: object, status: str) -> None:
    chosen = spec("onnxruntime", "model/onnxruntime")
    found = runs_of(Answer({"runs": told}, ProbeRun(probe="onnxruntime", interpreter="python", status=status)), chosen)
    model = ModelFacts(path="/model", name="model", format="onnx", runs=found)
    case = judged(facts(model, installed={"onnxruntime": "1.24.1"}), Answers(symptom="models"))
    assert {verdict.runtime for verdict in case.verdicts} >= {"onnxruntime"}
    assert decode(msgspec.json.encode(to_builtins(case))).facts.models[0].path == "/model"

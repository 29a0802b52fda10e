"""The probe of exports: what counts as rounding, where two networks part, and what is never loaded or run."""

import contextlib
import importlib
import io
import json
import os
import pickle
import sys
import tarfile
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from support.bombs import add_zeros

from checks.engine.plans.export import SCRIPT, ExportSpec, export_of
from checks.engine.processes.runner import ProbeTask, run_probe
from checks.facts import ExportRun
from checks.knowledge.formats.model_safety import ModelSafety

compare = importlib.import_module("checks.probes.export.compare")
exported_program = importlib.import_module("checks.probes.export.program")
export_torch = importlib.import_module("checks.probes.export.torch")
SAFETY = ModelSafety.read().for_export()
Rounding = compare.Rounding


def figures(reference: Any, candidate: Any, rounding: Any = None) -> dict[str, Any]:
    told: dict[str, Any] = compare.figures(np, "x", reference, candidate, rounding or Rounding(2.0**-24, 9, 1, {}))
    return told


# --- rounding ---------------------------------------------------------------------------------------------------------


def sums(order: np.ndarray[Any, Any], terms: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The same sums one number after the other, in an order."""
    return np.add.accumulate(terms[:, order], axis=1, dtype=np.float32)[:, -1]


@pytest.mark.parametrize("count", [10, 1_000, 100_000])
def test_the_order_of_a_sum_is_rounding_by_the_computed_bound(count: int) -> None:
    random = np.random.default_rng(0)
    terms = random.standard_normal((4, count)).astype(np.float32)
    first, second = sums(np.arange(count), terms), sums(random.permutation(count), terms)
    assert compare.is_rounding(figures(first, second, Rounding(2.0**-24, count, 1, {}, size=terms.size)))


def test_nan_beside_nan_is_counted() -> None:
    reference = np.array([1.0, np.nan, np.nan], "float32")
    assert figures(reference, reference)["nan_in_both"] == 2
    assert figures(reference, np.array([1.0, np.nan, 2.0], "float32"))["nan_in_both"] == 1
    assert figures(np.ones(3, "int64"), np.ones(3, "int64")).get("nan_in_both", 0) == 0


def test_the_networks_own_distance_from_float64_is_the_measure() -> None:
    reference = np.array([1.0, 2.0], np.float32)
    rounding = Rounding(2.0**-24, 1, 1, {"x": 1e-3})
    assert compare.is_rounding(figures(reference, reference + np.float32(0.01), rounding))
    assert not compare.is_rounding(figures(reference, reference + np.float32(0.1), rounding))


@pytest.mark.parametrize(
    ("reference", "candidate", "is_rounding"),
    [
        pytest.param(np.float32([1, 2]), np.float32([1, 2]), True, id="equal"),
        pytest.param(np.float32([1, 2]), np.float32([1, 2.001]), False, id="apart"),
        pytest.param(np.float32([np.nan, 2]), np.float32([np.nan, 2]), True, id="both-nan"),
        pytest.param(np.float32([1, 2]), np.float32([np.nan, 2]), False, id="one-nan"),
        pytest.param(np.float32([np.inf]), np.float32([-np.inf]), False, id="other-infinity"),
        pytest.param(np.int64([2**62]), np.int64([2**62]), True, id="large-whole-numbers"),
        pytest.param(np.int64([3, 4]), np.int64([3, 5]), False, id="whole-numbers"),
        pytest.param(np.array([True]), np.array([False]), False, id="truth"),
        pytest.param(np.float32([[1, 2]]), np.float32([[1], [2]]), False, id="shape"),
        pytest.param(np.float32([]), np.float32([]), True, id="empty"),
        pytest.param(np.array(["a"], object), np.array(["a"], object), True, id="words"),
        pytest.param(np.array(["a"], object), np.array(["b"], object), False, id="other-words"),
        pytest.param(np.complex64([1 + 1j]), np.complex64([1 + 2j]), False, id="complex"),
    ],
)
def test_what_is_rounding(reference: Any, candidate: Any, is_rounding: bool) -> None:
    told = figures(reference, candidate)
    assert compare.is_rounding(told) is is_rounding
    json.dumps(told)


@pytest.mark.parametrize(
    ("first", "second", "cosine"),
    [
        pytest.param([1e200, 2e200], [2e200, -1e200], 0.0, id="squares-that-are-infinite"),
        pytest.param([1e-200, 2e-200], [1e200, 2e200], 1.0, id="lengths-far-apart"),
        pytest.param([1.7e308, 1.0], [-1.7e308, 1.0], -1.0, id="a-difference-that-is-infinite"),
        pytest.param([np.inf, 1.0], [-np.inf, 1.0], 1.0, id="infinities"),
    ],
)
def test_figures_of_numbers_of_any_size_are_finite(first: list[float], second: list[float], cosine: float) -> None:
    told = figures(np.array(first), np.array(second))
    assert told["cosine"] == pytest.approx(cosine)
    json.dumps(told, allow_nan=False)


def test_an_error_of_ours_is_not_called_one_of_the_export(monkeypatch: pytest.MonkeyPatch) -> None:
    probe = importlib.import_module("checks.probes.export.probe")
    for ran, told in ((True, {"reason": "own-error"}), (None, {"ran": False})):
        monkeypatch.setattr(probe, "FACT", {"ran": ran})
        fields = probe._failed(probe._compare, ValueError("-inf + inf in fsum"))
        assert {name: value for name, value in fields.items() if name != "error"} == told


def test_complex_numbers_come_as_pairs() -> None:
    reference = np.fft.rfft(np.linspace(0, 1, 8)).astype(np.complex64)
    pairs = np.stack([reference.real, reference.imag], axis=-1)
    told = figures(reference, pairs)
    assert (told["equal"], told.get("export_shape"), told["export_dtype"]) == (True, None, "float32")
    assert not compare.is_rounding(figures(reference, pairs * 1.01))
    assert figures(reference, pairs[..., :1])["export_shape"] == [5, 1]
    assert figures(reference.real, pairs)["export_shape"] == [5, 2]  # of a real output a pair is something else


def test_decisions_are_counted() -> None:
    told = figures(np.float32([[1, 2], [3, 4]]), np.float32([[1, 2], [4, 3]]))
    assert (told["same_top"], told["share"], told["max_abs"]) == (0.5, 0.5, 1.0)


# --- the first step at which two networks part ------------------------------------------------------------------------


def chain(*ops: str, names: str = "v") -> list[Any]:
    return [
        compare.Step(f"{names}_{op}", op, [f"{names}{place}"], [f"{names}{place + 1}"]) for place, op in enumerate(ops)
    ]


def parting(
    original: list[Any], exported: list[Any], values: tuple[dict[str, Any], dict[str, Any]], *outputs: str
) -> Any:
    return compare.first_parting(np, original, exported, values, outputs, Rounding(2.0**-24, 1, 1, {}))


def test_the_first_step_is_named_and_not_the_last() -> None:
    random = np.random.default_rng(1)
    right = [random.standard_normal((1, 3, 4, 5)).astype(np.float32) for _ in range(4)]
    original, exported = chain("conv", "pool", "relu"), chain("Conv", "AveragePool", "Relu", names="w")
    reference = {f"v{place}": each for place, each in enumerate(right)}
    # Another order of axes and other names, as TensorFlow and ONNX have them.
    candidate = {f"w{place}": each.transpose(0, 2, 3, 1) for place, each in enumerate(right)}
    assert parting(original, exported, (reference, candidate)) is None
    candidate.update(w2=candidate["w2"] + np.float32(0.1), w3=candidate["w3"] + np.float32(0.1))
    told = parting(original, exported, (reference, candidate), "w3")
    assert (told["name"], told["original_name"]) == ("w_AveragePool", "v_pool")
    assert told["max_abs"] == pytest.approx(0.1, abs=1e-4)


def test_what_an_exporter_splits_up_is_not_blamed_where_it_comes_right_again() -> None:
    random = np.random.default_rng(2)
    x, soft, last = (random.standard_normal(7).astype(np.float32) for _ in range(3))
    original = chain("softmax", "linear")
    exported = [
        compare.Step("exp", "Exp", ["x"], ["inner"]),
        compare.Step("div", "Div", ["inner"], ["soft"]),
        compare.Step("gemm", "Gemm", ["soft"], ["y"]),
    ]
    candidate = {"inner": np.exp(x), "soft": soft, "y": last + np.float32(1)}
    told = parting(original, exported, ({"v0": x, "v1": soft, "v2": last}, candidate), "y")
    assert (told["name"], told["original_op"]) == ("gemm", "linear")


def test_two_that_became_one_are_found_by_the_nearest() -> None:
    random = np.random.default_rng(3)
    conv, norm = random.standard_normal(9).astype(np.float32), random.standard_normal(9).astype(np.float32)
    exported = [compare.Step("fused", "Conv", ["x"], ["y"])]
    candidate = {"y": norm + np.float32(0.01)}
    told = parting(chain("conv", "norm"), exported, ({"v1": conv, "v2": norm}, candidate), "y")
    assert told["original_op"] == "norm"


# --- an exported program ----------------------------------------------------------------------------------------------


class Small(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(4, 3)
        self.register_buffer("offset", torch.ones(3), persistent=False)  # among the constants of the file

    def forward(self, x: torch.Tensor) -> dict[str, torch.Tensor]:
        y = self.linear(x) + self.offset
        return {"flat": y.view(y.shape[0] * 3), "top": y.argmax(-1)}


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("saved") / "small.pt2"
    free = {"x": {0: torch.export.Dim.AUTO}}
    torch.export.save(torch.export.export(Small().eval(), (torch.rand(2, 4),), dynamic_shapes=free), path)
    return path


def changed(saved: Path, target: Path, change: Callable[[str, bytes], bytes | None]) -> Path:
    """The archive with members changed, or left out."""
    with zipfile.ZipFile(saved) as source, zipfile.ZipFile(target, "w") as made:
        for name in source.namelist():
            content = change(name, source.read(name))
            if content is not None:
                made.writestr(name, content)
    return target


def graph_changed(saved: Path, target: Path, change: Callable[[dict[str, Any]], None]) -> Path:
    def member(name: str, content: bytes) -> bytes:
        if not name.endswith("models/model.json"):
            return content
        told = json.loads(content)
        change(told)
        return json.dumps(told).encode()

    return changed(saved, target, member)


def test_a_program_is_the_same_after_it_was_written_anew(
    saved: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    program, x = exported_program.load(str(saved), SAFETY), torch.rand(5, 4)
    wanted = torch.export.load(saved).module()(x)
    given = program.module()(x)
    assert set(given) == set(wanted) == {"flat", "top"}
    assert all(torch.equal(given[name], wanted[name]) for name in wanted)
    (args, _) = program.example_inputs
    assert args[0].shape == (2, 4)


class Evil:
    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (str(self.mark),)


def node(told: dict[str, Any], **more: Any) -> None:
    told["graph_module"]["graph"]["nodes"][0].update(more)


def rename(told: Any, name: str) -> Any:
    """The input x under another name, everywhere."""
    if isinstance(told, dict):
        return {(name if key == "x" else key): rename(each, name) for key, each in told.items()}
    if isinstance(told, list):
        return [rename(each, name) for each in told]
    return name if told == "x" else told


def expression(told: dict[str, Any], text: str) -> None:
    sizes = told["graph_module"]["graph"]["tensor_values"]["x"]["sizes"]
    sizes[0] = {"as_expr": {"expr_str": text, "hint": {"as_int": 2}}}


def keyword(told: dict[str, Any], key: str, where: str = "in_spec") -> None:
    """Inputs by keywords of these names, of which PyTorch makes the parameters of a function in Python."""
    leaf = {"type": None, "context": None, "children_spec": []}
    given = {"type": "builtins.dict", "context": json.dumps([key]), "children_spec": [leaf]}
    empty = {"type": "builtins.tuple", "context": "null", "children_spec": []}
    tree = {"type": "builtins.tuple", "context": "null", "children_spec": [empty, given]}
    told["graph_module"]["module_call_graph"][0]["signature"].update(
        {where: json.dumps([1, tree]), "forward_arg_names": []}
    )


MARK = "MARK"
HOSTILE: dict[str, Callable[[dict[str, Any]], Any]] = {
    "a-command-as-operator": lambda told: node(told, target="torch.serialization.os.mkdir"),
    "a-method-as-operator": lambda told: node(told, target="torch.ops.aten.__init__.default"),
    "any-attribute": lambda told: node(told, target="_operator.methodcaller"),
    "a-file-as-a-tensor": lambda told: node(told, target="torch.ops.aten.from_file.default"),
    "indices-that-nobody-checks": lambda told: node(told, target="torch.ops.aten._sparse_csr_tensor_unsafe.default"),
    "a-gradient": lambda told: node(told, target="torch.ops.aten.embedding_dense_backward.default"),
    "an-operator-as-argument": lambda told: node(
        told, inputs=[{"name": "f", "arg": {"as_operator": "torch.serialization.os.mkdir"}, "kind": 1}]
    ),
    "code-as-expression": lambda told: expression(told, "__import__('os').mkdir('MARK')"),
    "an-attribute-in-an-expression": lambda told: expression(told, "Integer.mro()"),
    "an-expression-without-end": lambda told: expression(told, "Pow(9, Pow(9, Pow(9, 9)))"),
    "powers-without-end": lambda told: expression(told, "9**9**9**9"),
    "powers-of-powers": lambda told: expression(told, "((((9**4)**4)**4)**4)**4"),
    "powers-of-powers-as-calls": lambda told: expression(told, "Pow(Pow(Pow(9, 8), 8), 8)"),
    "thousands-of-signs": lambda told: expression(told, "-" * 4900 + "1"),
    "a-comprehension": lambda told: expression(told, "Add(*[x for x in ()])"),
    "code-as-a-name": lambda told: told.update(rename(told, "x=__import__('os').mkdir('MARK')")),
    "a-line-as-a-name": lambda told: told.update(rename(told, "x\n__import__('os').mkdir('MARK')\n")),
    "an-attribute-as-a-name": lambda told: told.update(rename(told, "torch.load")),
    "an-enumeration-to-import": lambda told: told["graph_module"]["module_call_graph"][0]["signature"].update(
        out_spec='[1, {"type": "builtins.dict", "context": "[{\\"__enum__\\": true, \\"fqn\\": \\"antigravity:x\\"}]", '
        '"children_spec": []}]'
    ),
    "code-as-a-keyword": lambda told: keyword(told, "y:__import__('os').mkdir('MARK')"),
    "a-line-as-a-keyword": lambda told: keyword(told, "y):return 1\n__import__('os').mkdir('MARK')\n#"),
    "code-as-a-key-of-the-output": lambda told: keyword(told, "'+__import__('os').mkdir('MARK')+'", "out_spec"),
    "a-number-of-a-thousand-digits": lambda told: told["opset_version"].update(aten=10**1000),
    "another-type-to-build": lambda told: told["graph_module"]["module_call_graph"][0]["signature"].update(
        out_spec='[1, {"type": "collections.namedtuple", "context": "\\"os\\"", "children_spec": []}]'
    ),
    "nested-without-end": lambda told: told["graph_module"]["graph"].update(nodes=nested(200)),
}
DAMAGED: dict[str, Callable[[dict[str, Any]], Any]] = {
    "a-list-for-the-graph": lambda told: told.update(graph_module=[]),
    "no-nodes": lambda told: told["graph_module"].pop("graph"),
    "a-number-for-a-tree": lambda told: told["graph_module"]["module_call_graph"][0]["signature"].update(in_spec=3),
    "a-tree-without-end": lambda told: told["graph_module"]["module_call_graph"][0]["signature"].update(
        in_spec="[" * 100_000
    ),
    "no-calls": lambda told: told["graph_module"].update(module_call_graph=None),
}


def nested(depth: int) -> Any:
    return [] if depth == 0 else [nested(depth - 1)]


@pytest.mark.parametrize("name", HOSTILE)
def test_nothing_of_a_hostile_program_is_run(
    name: str, saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = graph_changed(saved, tmp_path / "bad.pt2", HOSTILE[name])
    with pytest.raises(exported_program.NotPlain):
        exported_program.rewrite(str(path), "plain.pt2", SAFETY)
    assert not (tmp_path / MARK).exists()


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_program_says_so(name: str, saved: Path, tmp_path: Path) -> None:
    path = graph_changed(saved, tmp_path / "bad.pt2", DAMAGED[name])
    with pytest.raises(exported_program.NoProgram):
        exported_program.rewrite(str(path), str(tmp_path / "plain.pt2"), SAFETY)


def test_a_program_that_is_cut_off_says_so(saved: Path, tmp_path: Path) -> None:
    content = saved.read_bytes()
    for part in range(20):
        (tmp_path / "cut.pt2").write_bytes(content[: len(content) * part // 20])
        with pytest.raises(exported_program.NoProgram):
            exported_program.rewrite(str(tmp_path / "cut.pt2"), str(tmp_path / "plain.pt2"), SAFETY)


def test_code_that_guards_a_program_is_left_out(saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = graph_changed(
        saved, tmp_path / "bad.pt2", lambda told: told.update(guards_code=["__import__('os').mkdir('MARK')"])
    )
    program = exported_program.load(str(path), SAFETY)
    program.module()(torch.rand(2, 4))
    assert not (tmp_path / MARK).exists()


def zipped(content: bytes, **more: Any) -> bytes:
    """An archive as torch.save makes it, with this pickle in it."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", **more) as archive:
        archive.writestr("archive/data.pkl", content)
        archive.writestr("archive/version", b"3\n")
        archive.writestr("archive/byteorder", b"little")
    return made.getvalue()


def script(content: bytes) -> bytes:
    """An archive of TorchScript with this pickle in it."""
    made = io.BytesIO(zipped(content))
    with zipfile.ZipFile(made, "a") as archive:
        archive.writestr("archive/constants.pkl", content)
        archive.writestr("archive/code/__torch__.py", b"")
    return made.getvalue()


def tarred(content: bytes) -> bytes:
    """As PyTorch wrote it before 0.1.10."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        for name in ("sys_info", "pickle", "tensors", "storages"):
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return made.getvalue()


def legacy(content: bytes) -> bytes:
    """As PyTorch wrote it before 1.6: the magic number, the protocol, the system, what was saved."""
    return pickle.dumps(0x1950A86A20F9469CFC6C, 2) + pickle.dumps(1001, 2) + content + content


WRAPPINGS: dict[str, Callable[[bytes], bytes]] = {
    "bare": lambda content: content,
    "archive": zipped,
    "compressed-archive": lambda content: zipped(content, compression=zipfile.ZIP_DEFLATED),
    "torchscript": script,
    "tar": tarred,
    "legacy": legacy,
    "archive-behind-it": lambda content: content + zipped(content),
    "archive-before-it": lambda content: zipped(content) + content,
    "archive-in-an-archive": lambda content: zipped(zipped(content)),
}
MEMBERS = ("data/sample_inputs/model.pt", "data/weights/weight_0", "data/constants/tensor_0", "models/model.json", "")


@pytest.mark.parametrize("member", MEMBERS, ids=lambda name: name.rpartition("/")[2] or "the-file-itself")
@pytest.mark.parametrize("wrapping", WRAPPINGS)
def test_no_pickle_is_opened(
    wrapping: str, member: str, saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    hostile = WRAPPINGS[wrapping](pickle.dumps(Evil(tmp_path / MARK), 2))

    def member_changed(name: str, content: bytes) -> bytes:
        if name.endswith("_config.json") and member.startswith(("data/weights", "data/constants")):
            return content.replace(b'"use_pickle": false', b'"use_pickle": true')
        return hostile if name.endswith(member) else content

    if member:
        with zipfile.ZipFile(saved) as archive:
            assert any(name.endswith(member) for name in archive.namelist())
        path = changed(saved, tmp_path / "bad.pt2", member_changed)
    else:
        path = tmp_path / "bad.pt2"
        path.write_bytes(hostile)
    with pytest.raises((exported_program.NotPlain, exported_program.NoProgram)):
        exported_program.load(str(path), SAFETY)
    assert not (tmp_path / MARK).exists()


@pytest.mark.parametrize("wrapping", ["archive", "torchscript", "tar", "legacy"])
def test_what_would_run_without_the_care(wrapping: str, tmp_path: Path) -> None:
    """The wrappings are real: a loader that trusts them runs what is in them."""
    path = tmp_path / "bad.pt"
    path.write_bytes(WRAPPINGS[wrapping](pickle.dumps(Evil(tmp_path / MARK), 2)))
    with contextlib.suppress(Exception), warnings.catch_warnings(action="ignore"):
        torch.load(path, weights_only=False)
    assert (tmp_path / MARK).exists() == (wrapping != "torchscript")  # that one's unpickler knows no such names


def test_the_inputs_do_not_unpack_to_more_than_they_are(saved: Path, tmp_path: Path) -> None:
    plain = io.BytesIO()
    torch.save(([torch.zeros(1_000_000)], {}), plain)
    packed = io.BytesIO()
    with zipfile.ZipFile(plain) as source, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            target.writestr(name, source.read(name))
    inputs = "data/sample_inputs/model.pt"
    for content, is_refused in ((plain.getvalue(), False), (packed.getvalue(), True)):
        path = changed(
            saved, tmp_path / "inputs.pt2", lambda name, old, new=content: new if name.endswith(inputs) else old
        )
        with pytest.raises(exported_program.NotPlain, match="compressed") if is_refused else contextlib.nullcontext():
            exported_program.rewrite(str(path), str(tmp_path / "plain.pt2"), SAFETY)


def test_machine_code_and_unknown_members_are_left_out(saved: Path, tmp_path: Path) -> None:
    path = tmp_path / "more.pt2"
    path.write_bytes(saved.read_bytes())
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("small/data/aotinductor/model/model.so", b"\x7fELF")
        archive.writestr("small/extra/run.py", b"import os")
    exported_program.rewrite(str(path), str(tmp_path / "plain.pt2"), SAFETY)
    with zipfile.ZipFile(tmp_path / "plain.pt2") as plain:
        assert not [name for name in plain.namelist() if "aotinductor" in name or "extra" in name]


def test_a_bomb_is_not_unpacked(saved: Path, tmp_path: Path) -> None:
    path = tmp_path / "bomb.pt2"
    path.write_bytes(saved.read_bytes())
    add_zeros(path, "small/data/weights/weight_9", chunks=18)
    with pytest.raises(exported_program.NotPlain, match="unpacks"):
        exported_program.rewrite(str(path), str(tmp_path / "plain.pt2"), SAFETY)


@pytest.mark.parametrize(
    "text",
    [
        "Mul(Integer(16), Symbol('s77', positive=True, integer=True))",
        "s0 + 2*u1",
        "Max(1, s3//2)",
        "Float('0.5', precision=53)",
        "Pow(s0, 2) + s1**2*s0**3",
    ],
)
def test_expressions_that_merely_compute_pass(text: str) -> None:
    exported_program.check_expression(text)


class Counter(torch.nn.Module):
    """A network that keeps something between two runs."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("seen", torch.zeros(1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.seen += 1
        return x + self.seen


@pytest.mark.parametrize("form", ["pt2", "torchscript"])
def test_every_run_begins_in_the_same_state(form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "counter.pt2"
    with warnings.catch_warnings(action="ignore", category=DeprecationWarning):  # PyTorch's own about torch.jit
        if form == "pt2":
            torch.export.save(torch.export.export(Counter(), (torch.zeros(2),)), path)
        else:
            torch.jit.script(Counter()).save(path)
        model = export_torch.load({"path": str(path), "format": form, "safety": SAFETY})
    x = {"x": np.zeros(2, np.float32)}
    for _ in range(2):
        (result,) = model.run(x).values()
        assert result.tolist() == [1.0, 1.0]


# --- real runs of the probe -------------------------------------------------------------------------------------------


def run(path: Path, exporter: str, inputs: Path | None = None) -> ExportRun:
    """A model in this interpreter, which has torch, and neither onnx nor ONNX Runtime."""
    argument = {
        "path": str(path),
        "format": "torchscript",
        "exporter": exporter,
        "inputs": str(inputs) if inputs else None,
        "seconds": 30.0,
        "safety": SAFETY,
    }
    task = ProbeTask(probe="test", script=SCRIPT, interpreter=sys.executable, argument=argument, time_limit=240.0)
    return export_of(run_probe(task), ExportSpec(exporter))


class Classifier(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 4, 3)

    def forward(self, picture: torch.Tensor) -> torch.Tensor:
        return torch.relu(self.conv(picture)).mean((2, 3))


class Writer(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        torch.save(x, "MARK")
        return x


class Reader(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + torch.from_file("MARK", shared=True, size=4)


@pytest.fixture
def traced(tmp_path: Path) -> Path:
    with pytest.warns(DeprecationWarning, match="torch.jit"):  # PyTorch would have torch.export used
        torch.jit.trace(Classifier().eval(), torch.rand(1, 3, 8, 8)).save(tmp_path / "traced.pt")
    return tmp_path / "traced.pt"


@pytest.mark.usefixtures("warm_probes")
def test_an_export_that_is_equal(traced: Path) -> None:
    done = run(traced, "torch-export")
    assert (done.loaded, done.exported, done.ran, done.error) == (True, True, True, None)
    assert (done.inputs_from, done.repeats, done.bound_by, done.runner) == ("drawn", True, "float64", "torch")
    assert [(each.name, each.shape) for each in done.inputs or ()] == [("picture", (1, 3, 224, 224))]
    (output,) = done.outputs or ()
    assert output.is_rounding
    assert done.size


@pytest.mark.usefixtures("warm_probes")
def test_the_exporters_own_error_and_the_users_own_input(traced: Path, tmp_path: Path) -> None:
    np.savez(tmp_path / "inputs.npz", picture=np.ones((2, 3, 9, 9), np.float32))
    done = run(traced, "torch-onnx-torchscript", tmp_path / "inputs.npz")
    assert (done.exported, done.inputs_from) == (False, "file")
    assert [each.shape for each in done.inputs or ()] == [(2, 3, 9, 9)]
    assert done.error is not None
    assert "onnx" in done.error.message


@pytest.mark.usefixtures("warm_probes")
def test_inputs_that_do_not_fit(traced: Path, tmp_path: Path) -> None:
    np.savez(tmp_path / "two.npz", a=np.ones(3), b=np.ones(3))
    assert run(traced, "torch-export", tmp_path / "two.npz").reason == "inputs-do-not-fit"
    (tmp_path / "no.npz").write_text("no arrays")
    assert run(traced, "torch-export", tmp_path / "no.npz").reason == "no-input-file"


@pytest.mark.usefixtures("warm_probes")
@pytest.mark.parametrize("module", [Writer(), Reader()])
def test_a_script_that_reaches_outside_is_not_run(module: torch.nn.Module, tmp_path: Path) -> None:
    with pytest.warns(DeprecationWarning, match="torch.jit"):
        torch.jit.script(module).save(tmp_path / "script.pt")
    done = run(tmp_path / "script.pt", "torch-export")
    assert (done.reason, done.exported) == ("reaches-outside", None)
    assert done.detail.startswith("aten::")

"""naosu-probe.pyz: what is in it, and that it runs alone."""

import ast
import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from checks.engine.portable.answer import case_of
from checks.engine.portable.archive import archive
from checks.engine.portable.command import NAME
from checks.probes.portable import main
from checks.probes.portable.step import Step

LARGEST = 2_000_000  # bytes
PYTHON = getattr(sys, "_base_executable", sys.executable)  # which has no framework to import
WORDS = "naosu_probes/portable/plan.json"


@pytest.fixture(scope="module")
def made() -> bytes:
    return archive()


@pytest.fixture(scope="module")
def file(made: bytes, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("portable") / NAME
    path.write_bytes(made)
    return path


def started(file: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    command = [PYTHON, str(file), *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=variables, timeout=120)


def test_it_is_small_and_the_same_each_time(made: bytes) -> None:
    assert len(made) < LARGEST
    assert archive() == made


def test_every_module_is_python_3_8_and_imports_nothing_of_ours(made: bytes) -> None:
    standard = {*sys.stdlib_module_names, "pynvml", "naosu_probes"}
    frameworks = {"torch", "numpy", "tensorflow", "jax", "onnxruntime", "tensorrt", "openvino", "coremltools"}
    frameworks |= {"ai_edge_litert", "tflite_runtime", "jaxlib", "keras", "tf_keras", "onnx", "triton", "ml_dtypes"}
    with zipfile.ZipFile(io.BytesIO(made)) as content:
        for name in content.namelist():
            if not name.endswith(".py"):
                continue
            tree = ast.parse(content.read(name), feature_version=(3, 8))
            for node in ast.walk(tree):
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                if isinstance(node, ast.ImportFrom) and not node.level:
                    names.append(node.module or "")
                assert {one.partition(".")[0] for one in names} <= standard | frameworks, name


def test_relative_imports_are_in_it(made: bytes) -> None:
    """What a module imports beside it was carried, too."""
    with zipfile.ZipFile(io.BytesIO(made)) as content:
        names = {name.removesuffix(".py").removesuffix("/__init__") for name in content.namelist()}
        for name in content.namelist():
            if not name.startswith("naosu_probes/") or not name.endswith(".py"):
                continue
            for node in ast.walk(ast.parse(content.read(name))):
                if isinstance(node, ast.ImportFrom) and node.level:
                    above = name.split("/")[: -node.level]
                    module = "/".join([*above, *(node.module or "").split(".")]).rstrip("/")
                    assert module in names or f"{module}/__init__" in names, f"{name}: {module}"


def test_the_help_in_both_languages(file: Path) -> None:
    english, japanese = started(file, "--help"), started(file, "--help", "--lang", "ja", PYTHONIOENCODING="utf-8")
    assert "Exit status" in english.stdout
    assert "終了コード" in japanese.stdout
    assert english.returncode == japanese.returncode == 0
    assert "\\u" in started(file, "--help", LC_ALL="ja_JP.ASCII", PYTHONIOENCODING="ascii").stdout


WRONG = (("--nothing",), ("--compute", "all"), ("--timeout", "0"), ("-o", "/none/a.json"))


@pytest.mark.parametrize("arguments", WRONG)
def test_wrong_usage(file: Path, arguments: tuple[str, ...]) -> None:
    ended = started(file, *arguments)
    assert ended.returncode == 2
    assert ended.stdout == ""
    assert len(ended.stderr.splitlines()) == 1


def test_it_looks_at_this_machine_with_nothing_around_it(file: Path) -> None:
    ended = started(file, "--quiet", PATH="", HOME="")
    assert (ended.returncode, ended.stderr) == (0, "")
    facts = case_of(ended.stdout.encode()).facts
    assert facts.machine is not None
    assert facts.target == PYTHON
    assert facts.probes is not None
    assert {run.status for run in facts.probes.runs} <= {"ok", "failed"}
    assert [path.name for path in file.parent.iterdir()] == [NAME]


@pytest.fixture
def scripts(tmp_path: Path) -> Path:
    for name, text in {"hangs": "sleep 60", "dies": "kill -SEGV $$", "no": "exit 3"}.items():
        script = tmp_path / name
        script.write_text(f"#!/bin/sh\n{text}\n")
        script.chmod(0o755)
    return tmp_path


def test_a_target_that_is_not_there_is_told(file: Path, scripts: Path) -> None:
    output = scripts / "answer.json"
    ended = started(file, "--target", str(scripts / "none\udcff"), "-o", str(output), "--quiet")
    assert ended.returncode == 1
    assert "interpreter-not-usable" in {finding.cause for finding in case_of(output.read_bytes()).findings}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows lets not everybody make links")
def test_an_answer_goes_through_no_link_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    other, output = tmp_path / "other", tmp_path / "answer.json"
    other.write_text("of somebody else")
    output.symlink_to(other)
    main._check_output(str(output))
    main._write(str(output), {"a": "\udcff"})
    assert json.loads(output.read_text()) == {"a": "?"}
    assert (output.is_symlink(), other.read_text()) == (False, "of somebody else")
    output.chmod(0o640)
    main._write(str(output), {})
    assert (output.stat().st_mode & 0o777, output.read_text()) == (0o640, "{}\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["answer.json", "other"]


def test_an_answer_that_cannot_be_written_leaves_the_earlier_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "answer.json"
    output.write_text("earlier")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(main.os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        main._write(str(output), {"a": 1})
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("answer.json", "earlier")]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such file")
def test_an_answer_goes_into_what_a_shell_has_opened(file: Path, tmp_path: Path) -> None:
    ended = started(file, "--quiet", "-o", "/dev/stdout", "--timeout", "1", PATH="", HOME="")
    assert json.loads(ended.stdout)["naosu-probe"] == 1


ENDS = {"dies": ("exited", -11), "no": ("exited", 3), "none": ("not-started", None), "hangs": ("timed-out", None)}


@pytest.mark.parametrize("name", ENDS)
def test_each_step_has_an_end(file: Path, scripts: Path, name: str) -> None:
    plan = {"id": "python", "stem": "ask/python", "argument": {}}
    record = Step(str(file), str(scripts / name), plan, 0.2 if name == "hangs" else 20).record()
    assert (record["ended"], record.get("code")) == ENDS[name]


def test_the_plan_is_that_of_an_examination(made: bytes) -> None:
    with zipfile.ZipFile(io.BytesIO(made)) as content:
        plan = json.loads(content.read(WORDS))
    assert [ask["id"] for ask in plan["asks"]][:5] == ["machine", "nvidia", "pythons", "python", "environment"]
    assert {one["framework"] for one in plan["computations"]["quick"]} == {"torch", "tensorflow", "jax", "numpy"}
    assert plan["words"]["en"].keys() == plan["words"]["ja"].keys()


@pytest.mark.parametrize(
    "told",
    [
        '{"facts": 5}',
        '{"facts": {"python": []}}',
        '{"facts": {"python": {"distributions": [5, {}, {"name": null}]}, "torch": {"devices": 5}}}',
        '{"facts": {"torch": {"devices": [5, {"kernel": 5}, {"kernel": {"ran": true}, "device": []}]}}}',
        '{"facts": {"a": 1}}\n{"facts": {"a+": [1]}}',
        "[" * 100_000,
    ],
)
def test_whatever_a_python_tells_the_answer_is_written(told: str) -> None:
    """A target that is broken may answer anything; what the others told was lost with it."""
    facts, done = main._read(told)
    run = object.__new__(main._Run)
    run._facts = {"python": facts.get("python"), "torch": facts.get("torch")}
    assert (run._installed(["torch"]), done) == (False, False)
    assert run._devices({"package": "", "framework": "torch"}) == []

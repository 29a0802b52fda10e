"""The headless commands: what they print, write and return."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from support.extent import some
from support.shared_answers import SharedAnswers

from checks.facts import InterpreterFacts
from wizard import __main__ as entry
from wizard.cli.command_line import run_command
from wizard.desktop.display import NoWindow
from wizard.flow import SYMPTOMS
from wizard.report import export
from wizard.report.export import ExportError
from wizard.words import words

ROOT = Path(__file__).resolve().parents[3]
QUICK = ["check", "--target", sys.executable, "--effort", "quick"]
CONTRACT = {"cause", "severity", "confidence", "title", "explanation", "evidence", "remedies"}


pytestmark = pytest.mark.usefixtures("shared_probes")


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """In a home without environments, of which one would be offered."""
    monkeypatch.setenv("NAOSU_LANG", "en")
    home = str(tmp_path_factory.mktemp("home"))
    for name in [name for name in os.environ if name.startswith(("XDG_", "POETRY_", "PYENV_", "CONDA_", "WORKON_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", home)
    monkeypatch.setenv("USERPROFILE", home)


@pytest.fixture(scope="module")
def saved(qapp: QApplication, tmp_path_factory: pytest.TempPathFactory, shared_answers: SharedAnswers) -> Path:
    """A case and a PDF of the interpreter that runs the tests, made by the real command in one run.

    ``qapp``: the PDF takes the application that is there; the windows' tests need theirs to be the first.
    """
    folder = tmp_path_factory.mktemp("saved")
    paths = ["--json", str(folder / "case.json"), "--pdf", str(folder / "report.pdf")]
    with shared_answers.in_use():
        assert run_command([*QUICK, "--quiet", "--lang", "en", *paths]) in {0, 1}
    return folder


def test_the_json_is_the_contract(saved: Path) -> None:
    case = json.loads((saved / "case.json").read_bytes())
    assert {"format", "naosu", "findings", "facts", "outcomes", "answers", "created"} <= set(case)
    kinds = {"machine", "interpreters", "frameworks", "models", "scripts", "logs", "measurements"}
    assert {*kinds, "probes", "target"} <= set(case["facts"])
    for finding in case["findings"]:
        assert set(finding) >= CONTRACT


def test_the_pdf_holds_the_same_facts_as_the_json(saved: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    run_command(["show", str(saved / "report.pdf"), "--json"])
    again = json.loads(capfdbinary.readouterr().out)
    assert again["facts"] == json.loads((saved / "case.json").read_bytes())["facts"]


def test_a_report_that_cannot_be_saved_costs_neither_the_others_nor_the_summary(
    saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def refused(case: object, path: Path, kind: str, *_: object, **__: object) -> dict[str, int]:
        if kind == "json":
            raise ExportError("disk-full", str(path), "No space left on device")
        path.write_text("written")
        return {}

    monkeypatch.setattr(export, "export", refused)
    paths = ["--json", str(tmp_path / "case.json"), "--markdown", str(tmp_path / "report.md")]
    status = run_command(["show", str(saved / "case.json"), *paths])
    shown = capfd.readouterr()
    assert status == 2
    assert (tmp_path / "report.md").exists()
    assert "Checks:" in shown.out
    assert shown.err.splitlines()[-1].startswith("naosu: ")


def test_json_on_standard_output_stands_alone(saved: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    status = run_command(["show", str(saved / "case.json"), "--json", "-"])
    assert status in {0, 1}
    json.loads(capfdbinary.readouterr().out)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_summary_speaks_the_language(saved: Path, language: str, capfd: pytest.CaptureFixture[str]) -> None:
    run_command(["show", str(saved / "case.json"), "--lang", language])
    shown = capfd.readouterr().out
    assert bool(re.search("[ぁ-ん]", shown)) is (language == "ja")


def test_quiet_says_nothing(saved: Path, capfd: pytest.CaptureFixture[str]) -> None:
    run_command(["show", str(saved / "case.json"), "--quiet"])
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        pytest.param(["check", "--symptom", "tired"], "--symptom does not take 'tired'", id="wrong-choice"),
        pytest.param(["check", "--load", "0"], "--load takes a number of seconds from 1 to 86400", id="no-time"),
        pytest.param(["check", "--load", "long"], "from 1 to 86400, not 'long'", id="no-number"),
        pytest.param(["check", "--frob"], "unknown arguments: --frob", id="unknown-argument"),
        pytest.param(["show"], "missing: FILE", id="missing-argument"),
        pytest.param(["check", "--target"], "--target needs a value", id="missing-value"),
        pytest.param(["show", "/no/such/file.pdf"], "does not exist", id="case-missing"),
        pytest.param(["check", "--log", "/no/such.log"], "/no/such.log cannot be read", id="log-missing"),
        pytest.param(["check", "--pdf", "/no/such/folder/r.pdf"], "folder", id="target-folder-missing"),
        pytest.param(["check", "--json", "/"], "folder", id="target-is-a-folder"),
        pytest.param(["envs", "--near", "/no/such"], "/no/such cannot be read", id="no-such-folder"),
        pytest.param(["check", "--target", "/no/such/python"], "there is no /no/such/python", id="no-such-target"),
        pytest.param(["check", "--json", "--markdown"], "can go to standard output", id="two-in-one-stream"),
    ],
)
def test_wrong_usage_is_one_clear_line(arguments: list[str], says: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run_command(arguments) == 2
    printed = capfd.readouterr()
    assert printed.out == ""
    assert says in printed.err
    assert len(printed.err.splitlines()) == 1


def test_wrong_usage_in_japanese(capfd: pytest.CaptureFixture[str]) -> None:
    assert run_command(["--lang", "ja", "check", "--frob"]) == 2
    assert "不明な引数: --frob" in capfd.readouterr().err


@pytest.mark.parametrize("content", [b"", b"{}", b"not json", b"%PDF-1.7 nothing", b'{"format": 1, "facts": 3}'])
def test_a_file_that_is_no_case_is_one_clear_line(
    tmp_path: Path, content: bytes, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "case.json"
    path.write_bytes(content)
    assert run_command(["show", str(path)]) == 2
    assert len(capfd.readouterr().err.splitlines()) == 1


def test_a_file_that_cannot_be_written_leaves_the_old_one(saved: Path, tmp_path: Path) -> None:
    old = tmp_path / "report.pdf"
    old.mkdir()
    assert run_command(["show", str(saved / "case.json"), "--quiet", "--pdf", str(old)]) == 2
    assert list(tmp_path.iterdir()) == [old]


def test_logs_scripts_and_models_are_kept(tmp_path: Path) -> None:
    log = tmp_path / "error.log"
    log.write_text("RuntimeError: CUDA error\n")
    model = tmp_path / "model.onnx"
    model.write_bytes(b"\x08\x07")
    out = tmp_path / "case.json"
    given = ["--log", str(log), "--model", str(model), "--quiet", "--json", str(out)]
    run_command([*QUICK, *given])
    facts = json.loads(out.read_bytes())["facts"]
    assert facts["logs"][0]["text"] == "RuntimeError: CUDA error\n"
    assert facts["models"][0]["name"] == "model.onnx"
    assert "examined" not in facts["models"][0]  # this version does not examine it, and says so


def test_envs_lists_this_interpreter(capfd: pytest.CaptureFixture[str]) -> None:
    assert run_command(["envs"]) == 0
    assert "torch 2.13.0" in capfd.readouterr().out


@pytest.mark.parametrize(("found_by", "said"), [("naosu", "Naosu's own Python"), ("PATH", "the likely one")])
def test_envs_tells_naosus_own_python_from_the_users(
    found_by: str, said: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    only = InterpreterFacts(path="/opt/bin/python", found_by=(found_by,))
    monkeypatch.setattr("checks.interpreters.find_interpreters", lambda places: (only,))
    assert run_command(["envs", "--lang", "en"]) == 0
    assert said in capfd.readouterr().out


def test_envs_as_json(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert run_command(["envs", "--json"]) == 0
    listed = json.loads(capfdbinary.readouterr().out)
    assert listed["interpreters"]
    assert listed["target"]


def test_a_display_that_is_gone_ends_nothing(saved: Path, naosu_python: str) -> None:
    """Qt would abort. So it is with a display that was forwarded once, or that belongs to somebody else."""
    clean = {name: value for name, value in os.environ.items() if name not in {"QT_QPA_PLATFORM", "WAYLAND_DISPLAY"}}
    done = subprocess.run(
        [naosu_python, "-m", "wizard", "open", str(saved / "case.json")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**clean, "DISPLAY": ":64999", "NAOSU_LANG": "en"},
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines() == [words("commands.no-display-open", "en")]


def test_without_a_display_the_headless_check_runs(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    assert entry.main([]) in {0, 1}
    printed = capfd.readouterr()
    assert "No display was found" in printed.err
    assert printed.out


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no signal to itself in this way")
@pytest.mark.parametrize("name", some(["SIGINT", "SIGTERM", "SIGHUP"], 1))  # each: tests/wizard/test_stop_signals.py
def test_being_asked_to_end_keeps_what_is_done(tmp_path: Path, name: str, naosu_python: str, torch_python: str) -> None:
    """The real command, interrupted while it imports torch, still writes its case, and says that it is incomplete."""
    out = tmp_path / "case.json"
    script = (
        "import os, signal, sys\n"
        "from checks.engine import examination as engine\n"
        "from checks.engine.events import ProbeStage\n"
        "from wizard.cli.command_line import run_command\n"
        "from checks.engine.processes.runner import _Running\n"
        "command = _Running._command\n"
        f"_Running._command = lambda *given: [{torch_python!r}, *command(*given)[1:]]\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a shell's background job ignores it
        "examine = engine.examine\n"
        "def interrupted(*args, **kwargs):\n"
        "    for event in examine(*args, **kwargs):\n"
        "        if isinstance(event, ProbeStage) and event.stage == 'imported':\n"
        f"            os.kill(os.getpid(), signal.{name})\n"
        "        yield event\n"
        "engine.examine = interrupted\n"
        "sys.exit(run_command(sys.argv[1:]))\n"
    )
    command = [naosu_python, "-c", script, *QUICK, "--quiet", "--json", str(out)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env={**os.environ, "NAOSU_LANG": "en"})
    assert done.returncode in {1, 130}, done.stderr  # an early end is no clean bill of health
    assert "Cancelled" in done.stderr
    assert json.loads(out.read_bytes())["complete"] is False


def test_a_reader_that_goes_away_is_no_traceback(saved: Path, naosu_python: str) -> None:
    command = [naosu_python, "-m", "wizard", "show", str(saved / "case.json"), "--json"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert b"Traceback" not in process.stderr.read()


def test_the_symptoms_are_those_that_the_window_offers() -> None:
    from wizard.words import area

    for symptom in SYMPTOMS:
        assert f"symptom-{symptom}" in area("report") or f"clear-{symptom}" in area("report")


def test_a_full_standard_output_is_one_clear_line(saved: Path, naosu_python: str) -> None:
    command = [naosu_python, "-m", "wizard", "show", str(saved / "case.json"), "--json", "--lang", "en"]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(command, cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2
    assert "standard output cannot be written" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("given", [["--lang", "ja"], ["--lang=ja"]])
def test_a_language_alone_means_the_window(
    given: list[str], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Here the window cannot start, which is told in that language, as is the headless check."""
    asked: list[list[str]] = []
    monkeypatch.setattr("wizard.desktop.display.no_window", lambda: NoWindow("no-display"))
    monkeypatch.setattr("wizard.cli.command_line.run_command", lambda arguments: asked.append(arguments) or 0)
    assert entry.main(given) == 0
    assert asked == [["check", "--lang", "ja"]]
    assert re.search("[ぁ-ん]", capfd.readouterr().err)


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        pytest.param(["frobnicate"], "packaging/run --help", id="wrong-usage"),
        pytest.param(["diagnose", "no such file"], "packaging/run diagnose", id="a-text-as-file"),
    ],
)
def test_hints_name_the_program_as_it_was_started(
    arguments: list[str], hint: str, language: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("NAOSU_PROGRAM", "packaging/run")
    assert run_command([*arguments, "--lang", language]) == 2
    assert hint in capfd.readouterr().err


@pytest.mark.parametrize(
    ("content", "said"), [('{"format":', "damaged"), (None, "This file does not exist;")], ids=["half", "never-there"]
)
def test_what_cannot_be_compared_is_named(
    content: str | None, said: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    half = tmp_path / "half.json"
    if content:
        half.write_text(content)
    assert run_command(["compare", str(half), str(half), "--lang", "en"]) == 2
    error = capfd.readouterr().err
    assert "half.json" in error
    assert said in error
    assert "any more" not in error

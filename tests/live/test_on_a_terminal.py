"""Whatever a stranger named or wrote, a real terminal gets nothing to obey: the real program on a pseudo-terminal."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from support.hostile_facts import keys_of_texts, with_text

from checks.visible import is_visible

if sys.platform == "win32":
    pytest.skip("Windows has no pseudo-terminals of this kind", allow_module_level=True)
import pty

ROOT = Path(__file__).resolve().parents[2]
EVIL = "\x1b[31mred\x1b]0;title\x07\x9b2J\u202egnp\u2066 end\x7f\u2028"
NAME = f"a{EVIL}\nFAKE: all is well"
CASE = ROOT / "tests" / "cases" / "onnxruntime-twice-rtx-4090.json"


def on_terminal(*command: str, cwd: Path) -> str:
    """What a command writes on a terminal, on both streams."""
    master, slave = pty.openpty()
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "LANG": "C.UTF-8"}
    with subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, cwd=cwd, env=environment) as process:
        os.close(slave)
        written = b""
        try:
            while piece := os.read(master, 65536):
                written += piece
        except OSError:  # Linux: nobody has the other end any more
            pass
    os.close(master)
    assert process.returncode is not None
    return written.decode("utf-8").replace("\r\n", "\n")  # as a terminal's driver writes a line break


Naosu = Callable[..., str]


@pytest.fixture
def naosu(naosu_python: str, tmp_path: Path) -> Naosu:
    """What the program writes on a terminal, started in the folder of the test."""
    return lambda *arguments: on_terminal(naosu_python, "-P", "-m", "wizard", *arguments, cwd=tmp_path)


def assert_harmless(written: str, *, but: str = "") -> None:
    """Nothing but our own line breaks and tabs, and what a form needs."""
    assert written.strip()
    obeyed = {hex(ord(each)) for line in written.split("\n") for each in line if not is_visible(each)}
    assert obeyed <= {hex(ord(each)) for each in f"\t{but}"}


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(("frob" + NAME,), id="command"),
        pytest.param(("check", "--" + NAME), id="option"),
        pytest.param(("check", "--lang", NAME), id="choice"),
        pytest.param(("check", "--timeout", NAME), id="number"),
        pytest.param(("check", "--target", NAME), id="target"),
        pytest.param(("check", "--log", NAME), id="log"),
        pytest.param(("check", "--json", f"{NAME}/out.json"), id="output"),
        pytest.param(("envs", "--near", NAME), id="folder"),
        pytest.param(("show", NAME), id="case"),
        pytest.param(("inspect", NAME), id="model"),
        pytest.param(("compare", NAME, NAME), id="two-cases"),
        pytest.param(("diagnose", NAME), id="ticket"),
        pytest.param(("diagnose", "--json-lines", NAME), id="tickets"),
    ],
)
def test_an_error_is_one_line(arguments: tuple[str, ...], naosu: Naosu, tmp_path: Path) -> None:
    written = naosu("--lang", "en", *arguments)
    assert_harmless(written)
    assert "\nFAKE" not in written


def test_a_damaged_case_with_such_a_name(naosu: Naosu, tmp_path: Path) -> None:
    (tmp_path / NAME).write_text("{damaged")
    written = naosu("show", NAME)
    assert_harmless(written)
    assert written.count("\n") == 1


@pytest.mark.parametrize("json_too", [(), ("--json",)])
def test_environments_near(json_too: tuple[str, ...], naosu: Naosu, tmp_path: Path) -> None:
    folder = tmp_path / NAME / ".venv"
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "python").symlink_to(sys.executable)
    (folder / "pyvenv.cfg").write_text(f"home = {Path(sys.executable).parent}\nversion = 3.11{EVIL}\n", "utf-8")
    written = naosu("envs", "--near", str(tmp_path / NAME), *json_too)
    assert ".venv" in written
    assert_harmless(written)
    assert "\nFAKE" not in written


@pytest.mark.parametrize("form", [(), ("--json",), ("--markdown",), ("--reply",)])
def test_a_ticket_in_every_form(form: tuple[str, ...], naosu: Naosu, tmp_path: Path) -> None:
    log = f"{NAME}\nModuleNotFoundError: No module named 'torch{EVIL}'\nImportError: lib{EVIL}.so.1: cannot open\n" * 3
    (tmp_path / NAME).write_text(log, "utf-8")
    assert_harmless(naosu("diagnose", NAME, *form, "--no-redact"), but="\u200b")


def test_tickets_line_by_line(naosu: Naosu, tmp_path: Path) -> None:
    ticket = json.dumps({"id": NAME, "text": f"RuntimeError: CUDA error: {EVIL} out of memory"}, ensure_ascii=False)
    (tmp_path / "tickets").write_text(ticket, "utf-8")
    written = naosu("diagnose", "--json-lines", "tickets", "--no-redact")
    assert_harmless(written)
    assert json.loads(written)["id"] == NAME


@pytest.mark.parametrize("form", [(), ("-v",), ("--json",), ("--markdown",)])
def test_a_case_with_hostile_texts_everywhere(form: tuple[str, ...], naosu: Naosu, tmp_path: Path) -> None:
    plain = json.loads(CASE.read_bytes())
    for key in set(keys_of_texts(plain["facts"])) & {
        "location",
        "detail",
        "driver_version",
        "kernel",
        "message",
        "origin",
    }:
        plain["facts"] = with_text(plain["facts"], key, NAME)
    (tmp_path / "case.json").write_text(json.dumps(plain), "utf-8")
    written = naosu("show", "case.json", *form, "--no-redact")
    assert "red" in written or not form  # a first look shows less of them
    assert_harmless(written, but="\u200b")
    if form == ("--json",):
        assert json.loads(written)["format"] == 1


def test_a_model_and_the_report_that_is_written(naosu: Naosu, tmp_path: Path) -> None:
    name = NAME.replace("/", "")
    (tmp_path / f"{name}.onnx").write_bytes(b"no model")
    assert_harmless(naosu("inspect", f"{name}.onnx", "--json", f"{name}.json"), but="\r")  # our progress


def test_the_changes_of_a_script(naosu: Naosu, tmp_path: Path) -> None:
    (tmp_path / "a\x1b[31m.py").write_text(
        f"import torch\ntorch.backends.cudnn.benchmark = True  # {EVIL[:-1]}\n", "utf-8"
    )
    written = naosu("scan", ".", "--diff")
    assert "benchmark = False" in written
    assert_harmless(written)


def test_an_error_of_our_own_and_what_libraries_log(tmp_path: Path) -> None:
    program = (
        "import logging, sys, warnings\nfrom wizard.cli.streams import guard_streams\nguard_streams()\n"
        "evil = sys.argv[1]; print(evil); sys.stderr.writelines([evil]); warnings.warn(evil)\n"
        "logging.getLogger('x').error(evil)\n"
        "raise ValueError(evil)"
    )
    written = on_terminal(sys.executable, "-P", "-c", program, EVIL, cwd=tmp_path)
    assert written.count("title") >= 5
    assert_harmless(written)


def test_a_reader_that_has_enough_is_no_error() -> None:
    """`naosu envs | head -0`."""
    read, write = os.pipe()
    os.close(read)
    try:
        command = [sys.executable, "-m", "wizard", "envs"]
        done = subprocess.run(command, cwd=ROOT, stdout=write, stderr=subprocess.PIPE, check=False)
    finally:
        os.close(write)
    assert (done.returncode, done.stderr) == (0, b"")

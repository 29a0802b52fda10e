"""The start of the frozen application: what its starter left is taken back, and it runs our own probes."""

import sys
from pathlib import Path

import pytest

from checks.engine.processes import runner
from checks.engine.processes.runner import ProbeTask, _Running
from checks.engine.processes.transcript import Transcript
from checks.engine.scripts import HOST, OWN_PROBE, script_of
from checks.proof.resolving import resolver
from wizard import frozen

LED = {"LD_LIBRARY_PATH": "/opt/naosu/_internal", "_PYI_ARCHIVE_FILE": "/opt/naosu/naosu", "HOME": "/home/user"}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only there the starter leads the loader")
@pytest.mark.parametrize(
    ("more", "left"),
    [
        ({}, {}),
        ({"LD_LIBRARY_PATH_ORIG": "/usr/local/cuda/lib64"}, {"LD_LIBRARY_PATH": "/usr/local/cuda/lib64"}),
        ({"LD_LIBRARY_PATH_ORIG": ""}, {"LD_LIBRARY_PATH": ""}),
    ],
)
def test_the_users_search_path_for_libraries_comes_back(more: dict[str, str], left: dict[str, str]) -> None:
    variables = {**LED, **more}
    frozen.give_back(variables)
    assert variables == {"HOME": "/home/user", **left}


def test_a_probe_of_our_own_is_run_by_the_application(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(runner, "BUNDLE", tmp_path)

    def command(interpreter: str, is_isolated: bool) -> list[str]:
        task = ProbeTask("machine", script_of("ask/machine"), interpreter, is_isolated=is_isolated)
        transcript = Transcript(lambda _: None, lambda _: None)
        return _Running(task, tmp_path, lambda: False, transcript)._command(tmp_path / "answer")

    own = command("/opt/naosu/naosu", is_isolated=True)
    assert own[:3] == ["/opt/naosu/naosu", OWN_PROBE, str(script_of("ask/machine"))]
    assert command("/home/user/bin/python", is_isolated=False)[1:6] == [*runner.FLAGS, str(HOST)]


def test_the_host_gets_what_follows(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[tuple[str, list[str]]] = []
    monkeypatch.setattr(frozen.runpy, "run_path", lambda path, run_name: started.append((path, list(sys.argv))))
    monkeypatch.setattr(sys, "argv", ["naosu"])
    assert frozen.main([OWN_PROBE, "probe.py", "answer", "{}"]) == 0
    assert started == [(str(HOST), [str(HOST), "probe.py", "answer", "{}"])]


@pytest.mark.parametrize(("name", "expected"), [("report.pdf", ["open"]), ("missing.pdf", [])])
def test_a_document_alone_is_opened(
    name: str, expected: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "report.pdf").touch()
    given: list[list[str]] = []
    monkeypatch.setattr("wizard.__main__.main", lambda arguments: given.append(arguments) or 0)
    assert frozen.main([str(tmp_path / name)]) == 0
    assert given == [[*expected, str(tmp_path / name)]]


def test_uv_of_the_application_is_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(resolver, "BUNDLE", tmp_path)
    assert Path(resolver.uv_program({"PATH": ""})).parent == tmp_path / "bin"

# ruff: noqa: E501 - what programs printed stays as it is
"""Installed AI programs are found and their last log is read: within bounds, without links, without what people asked."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from checks.engine.local_programs import Surroundings, journal_of, local_programs, local_programs_of
from checks.engine.request import Request
from checks.facts import LocalProgram
from checks.facts.case import Answers
from checks.facts.question import SymptomName

START = 'time=2025-04-30T02:46:25.000+08:00 level=INFO source=routes.go:1231 msg="server config" env="map[OLLAMA_DEBUG:INFO]"\n'
ON_GPU = (
    START + 'time=2025-04-30T02:47:00.000+08:00 level=INFO source=ggml.go:494 msg="offloaded 33/33 layers to GPU"\n'
)
SECRET = 'time=2025-04-30T02:47:01.000+08:00 level=DEBUG source=routes.go:99 msg="chat request" prompt="my diary, CUDA error"\n'
FOLDERS = {"Linux": "~", "Darwin": "~", "Windows": "%LOCALAPPDATA%"}


def around(home: Path, system: str = "Darwin", journal: str | None = None, path: tuple[str, ...] = ()) -> Surroundings:
    folders = {"~": str(home), "%LOCALAPPDATA%": str(home / "Local"), "%APPDATA%": str(home / "Roaming")}
    return Surroundings(system=system, folders=folders, path=path, root=str(home / "root"), journal=lambda _: journal)


def log_at(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def only(found: tuple[LocalProgram, ...], name: str = "Ollama") -> LocalProgram:
    assert [program.name for program in found] == [name]
    return found[0]


def test_nothing_is_found_in_an_empty_home(tmp_path: Path) -> None:
    for system in ("Linux", "Darwin", "Windows"):
        assert local_programs(around(tmp_path, system)) == ()


@pytest.mark.parametrize(
    ("system", "name", "log"),
    [
        pytest.param("Darwin", "Ollama", ".ollama/logs/server.log", id="ollama-mac"),
        pytest.param("Windows", "Ollama", "Local/Ollama/server.log", id="ollama-windows"),
        pytest.param("Linux", "LM Studio", ".config/LM Studio/logs/main.log", id="lm-studio-linux"),
        pytest.param("Windows", "LM Studio", "Roaming/LM Studio/logs/main.log", id="lm-studio-windows"),
        pytest.param("Darwin", "LM Studio", ".lmstudio/server-logs/2025-09/2025-09-03.1.log", id="lm-studio-server"),
        pytest.param(
            "Windows", "ComfyUI", "AI/ComfyUI_windows_portable/ComfyUI/user/comfyui.log", id="comfyui-portable"
        ),
        pytest.param("Linux", "Jan", ".config/Jan/data/logs/app.log", id="jan"),
        pytest.param("Windows", "Foundry Local", ".foundry/logs/foundry20260915.log", id="foundry"),
    ],
)
def test_a_log_in_its_usual_place_is_read(tmp_path: Path, system: str, name: str, log: str) -> None:
    path = log_at(tmp_path / log, "load_tensors: offloaded 12/33 layers to GPU\n")
    found = local_programs(around(tmp_path, system))
    told = next(program for program in found if program.name == name)
    assert told.log == str(path)
    assert (told.layers, told.layers_total) == (12, 33)
    assert told.written


def test_of_very_many_logs_the_newest_is_read(tmp_path: Path) -> None:
    """LM Studio begins one each day."""
    for number in range(250):
        path = log_at(
            tmp_path / f".lmstudio/server-logs/2025/{number:03}.log", "load_tensors: offloaded 0/33 layers to GPU\n"
        )
        os.utime(path, (number, number))
    newest = log_at(tmp_path / ".lmstudio/server-logs/2026/001.log", "load_tensors: offloaded 33/33 layers to GPU\n")
    assert only(local_programs(around(tmp_path)), "LM Studio").log == str(newest)


def test_an_installed_program_without_a_log_is_found(tmp_path: Path) -> None:
    log_at(tmp_path / "bin" / "ollama", "#!/bin/sh\n")
    told = only(local_programs(around(tmp_path, "Linux", path=(str(tmp_path / "bin"),))))
    assert told.path == str(tmp_path / "bin" / "ollama")
    assert not told.log
    assert not told.is_told


@pytest.mark.skipif(os.name == "nt", reason="runs a script")
def test_the_journal_gives_the_lines_of_this_start_of_the_machine_as_the_program_wrote_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = log_at(tmp_path / "journalctl", '#!/bin/sh\necho "$*"\n')
    script.chmod(0o755)
    monkeypatch.setattr("checks.engine.local_programs._JOURNAL", (str(script),))
    asked = journal_of("ollama")
    assert asked is not None
    assert asked.strip() == "-u ollama -b -n 5000 -q --no-pager -o cat"  # a prefix would hide what lines begin with


def test_on_linux_the_journal_is_asked(tmp_path: Path) -> None:
    log_at(tmp_path / "root" / "usr" / "local" / "bin" / "ollama", "#!/bin/sh\n")
    line = "Nov 23 08:00:00 host ollama[123]: "
    told = only(local_programs(around(tmp_path, "Linux", journal=line + ON_GPU.replace("\n", "\n" + line))))
    assert told.log == "journalctl -u ollama"
    assert told.is_whole_on_gpu


def test_the_newest_of_several_logs_is_read(tmp_path: Path) -> None:
    folder = tmp_path / ".lmstudio" / "server-logs" / "2025-09"
    for day, layers in enumerate((1, 2, 3)):
        path = log_at(folder / f"2025-09-0{day}.1.log", f"load_tensors: offloaded {layers}/33 layers to GPU\n")
        os.utime(path, (1000 + (day == 1), 1000 + (day == 1)))
    assert only(local_programs(around(tmp_path)), "LM Studio").layers == 2


def test_a_log_of_last_month_is_old(tmp_path: Path) -> None:
    path = log_at(tmp_path / ".ollama/logs/server.log", ON_GPU)
    assert not only(local_programs(around(tmp_path))).is_old
    then = path.stat().st_mtime - 30 * 86_400
    os.utime(path, (then, then))
    assert only(local_programs(around(tmp_path))).is_old


@pytest.mark.parametrize("time", [2.0**38, -(2.0**38)])
def test_a_log_of_no_known_year_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, time: float) -> None:
    log_at(tmp_path / ".ollama/logs/server.log", ON_GPU)
    monkeypatch.setattr("checks.engine.local_programs._written", lambda _: time)
    assert not only(local_programs(around(tmp_path))).written


def test_only_the_last_start_is_kept(tmp_path: Path) -> None:
    log_at(tmp_path / ".ollama/logs/server.log", START + 'level=INFO source=gpu.go:1 msg="too old"\n' + ON_GPU)
    told = only(local_programs(around(tmp_path)))
    assert "too old" not in told.text
    assert told.is_whole_on_gpu


def test_what_people_asked_is_not_kept(tmp_path: Path) -> None:
    text = (
        ON_GPU
        + SECRET
        + '  "content": "my diary: load_tensors: out of memory"\nmy diary, written as a line of its own\n'
    )
    log_at(tmp_path / ".ollama/logs/server.log", text)
    assert "diary" not in only(local_programs(around(tmp_path))).text


@pytest.mark.parametrize(
    "line",
    [
        'level=TRACE source=bytepairencoding.go:265 msg=encoded string="my diary" ids="[1 2]"',
        'level=DEBUG source=routes.go:2001 msg="builtin parser input" parser=qwen3 content="my diary"',
        'level=TRACE source=runner.go:9 msg="sampled" piece="my diary"',
        'level=INFO source=routes.go:9 msg="generated" response="my diary"',
    ],
)
def test_what_ollama_logs_of_a_conversation_is_not_kept(tmp_path: Path, line: str) -> None:
    log_at(tmp_path / ".ollama/logs/server.log", f"{ON_GPU}time=2025-04-30T02:47:02.000+08:00 {line}\n")
    assert "diary" not in only(local_programs(around(tmp_path))).text


@pytest.mark.parametrize(
    "line",
    [
        'My diary: I get "CUDA out of memory" in my thesis',
        '    "my diary: out of memory",',
        '  "input": "ERROR: my diary, no kernel image"',
        "In my diary the NVIDIA driver of 2019 and the EP of my band",
    ],
)
def test_a_question_with_the_words_of_an_error_is_not_kept(tmp_path: Path, line: str) -> None:
    log_at(tmp_path / ".ollama/logs/server.log", f"{ON_GPU}{line}\n")
    assert "diary" not in only(local_programs(around(tmp_path))).text


@pytest.mark.parametrize(
    "line",
    [
        "/usr/bin/ollama: error while loading shared libraries: libcudart.so.12: cannot open shared object file",
        "[2026-11-20 10:00:00.123] [error] Failed to load model: out of memory",
        "RuntimeError: Found no NVIDIA driver on your system.",
        "2026-11-20 10:00:00,123 - root - ERROR - CUDA error: no kernel image is available",
        "[INFO] Device: GPU, EPs: CUDAExecutionProvider",
        "CUDA error: out of memory",
    ],
)
def test_an_error_of_the_program_is_kept(tmp_path: Path, line: str) -> None:
    log_at(tmp_path / ".ollama/logs/server.log", f"{ON_GPU}{line}\n")
    assert line in only(local_programs(around(tmp_path))).text


def test_no_link_is_followed(tmp_path: Path) -> None:
    secret = log_at(tmp_path / "elsewhere" / "server.log", ON_GPU)
    home = tmp_path / "home"
    (home / ".ollama" / "logs").mkdir(parents=True)
    (home / ".ollama" / "logs" / "server.log").symlink_to(secret)
    assert local_programs(around(home)) == ()
    other = tmp_path / "other"
    (other / ".ollama").mkdir(parents=True)
    (other / ".ollama" / "logs").symlink_to(secret.parent)
    assert local_programs(around(other)) == ()
    third = tmp_path / "third"
    (third / ".lmstudio" / "server-logs").mkdir(parents=True)
    (third / ".lmstudio" / "server-logs" / "2025-09").symlink_to(secret.parent)
    assert local_programs(around(third)) == ()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs a named pipe")
def test_a_pipe_is_no_log_and_is_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / ".ollama" / "logs").mkdir(parents=True)
    os.mkfifo(tmp_path / ".ollama" / "logs" / "server.log")
    assert local_programs(around(tmp_path)) == ()


def test_a_huge_log_is_read_from_its_end(tmp_path: Path) -> None:
    path = log_at(tmp_path / ".ollama/logs/server.log", "")
    with path.open("wb") as file:
        file.seek(300 * 2**20)  # sparse
        file.write(b"\n" + ON_GPU.encode() + b"load_tensors: more\n" * 20_000 + ON_GPU.splitlines()[-1].encode())
    told = only(local_programs(around(tmp_path)))
    assert told.is_whole_on_gpu
    assert len(told.text) < 70_000


def test_a_log_that_is_no_text_is_none(tmp_path: Path) -> None:
    path = log_at(tmp_path / ".ollama/logs/server.log", "")
    path.write_bytes(bytes(range(32)) * 5_000)
    assert local_programs(around(tmp_path)) == ()


def test_questions_about_numbers_look_for_no_programs() -> None:
    for symptom in (SymptomName.MODELS, SymptomName.COMPARISON, SymptomName.RESULTS_CHANGE):
        assert local_programs_of(Request(answers=Answers(symptom=symptom.value))) is None

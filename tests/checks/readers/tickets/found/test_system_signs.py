"""The system that a text shows without naming it, and where it is better not told."""

import json
from pathlib import Path

import pytest

from checks.readers.tickets.found.system_signs import _signs
from checks.readers.tickets.lines import lines_of
from checks.readers.tickets.reported import reported_in


def system_of(text: str) -> str | None:
    machine = reported_in(lines_of(text)).facts.machine
    return machine.os.system if machine and machine.os else None


@pytest.mark.parametrize(
    ("text", "system"),
    [
        ("after apt upgrade this morning:\n\n$ nvidia-smi\nFailed to initialize NVML", "Linux"),
        ("I did sudo apt-get install nvidia-driver-550, nothing changed", "Linux"),
        ("dmesg: Out of memory: Killed process 4711 (python)", "Linux"),
        ("(env) taro@gpu01:~/work$ python train.py\nKilled", "Linux"),
        ("NVRM: Xid (PCI:0000:01:00): 79, GPU has fallen off the bus.", "Linux"),
        ("'nvidia-smi' is not recognized as an internal or external command", "Windows"),
        (
            "'nvidia-smi' は、内部コマンドまたは外部コマンド、\n操作可能なプログラムとして認識されていません。",
            "Windows",
        ),
        ("PS C:\\> python app.py", "Windows"),
        ("ImportError: DLL load failed while importing onnxruntime_pybind11_state", "Windows"),
        ("I installed it by brew install python@3.11", "Darwin"),
        ("hana@MacBook-Air ~ % python train.py", "Darwin"),
        ("/opt/homebrew/bin/python3: No module named torch", "Darwin"),
    ],
)
def test_its_commands_prompts_and_messages_tell_the_system(text: str, system: str) -> None:
    assert system_of(text) == system


@pytest.mark.parametrize(
    "text",
    [
        "torch.cuda.is_available() is False",
        "ImportError: libGL.so.1. Please run apt-get install libgl1",
        "Mac users: Run `brew install libomp`",
        "should I use apt install nvidia-driver?",
        "root@3f2a9c1b7d55:/# nvidia-smi\nbash: nvidia-smi: command not found",
        "FROM pytorch/pytorch\nRUN apt-get install -y git\ndocker build .",
        "brew install python, then apt install python on the other one",
        "an apt description of the error",
    ],
)
def test_what_is_suggested_of_an_image_or_contradictory_tells_no_system(text: str) -> None:
    assert system_of(text) is None


@pytest.mark.parametrize(
    "text", ["(環境) 太郎@gpu01:~/work$ ls", "太郎@mac ~ % ls", "x\nPS C:\\>", "root@0123456789ab:/x# ls"]
)
def test_what_is_quick_to_say_that_no_sign_is_there_overlooks_none(text: str) -> None:
    tickets = (Path(__file__).parents[4] / "tickets" / "known").glob("*.jsonl")
    texts = [json.loads(line)["text"] for path in tickets for line in path.read_text("utf-8").splitlines()[::5]]
    for one in (text, *texts):
        assert [system for system, gate, sign in _signs() if sign.search(one) and not gate.search(one)] == []

"""How the GPUs were used while a program ran: real processes, with an NVML that plays what an H100 told."""

import functools
import sys
from pathlib import Path
from typing import Any

import pytest
from support import nvml_player

from checks.engine.watch import gpu_use, program
from checks.engine.watch.connection import Listened
from checks.engine.watch.gpu_use import GpuWatch, _uses
from checks.engine.watch.program import ProgramTask, watch_program
from checks.facts import GpuMoment, ProgramRun

RECORDING = Path(__file__).parents[3] / "recordings" / "nvml" / "h100.json"
GIB = 1 << 30
# The player begins when the program has told its number, and the program ends when it was looked at often enough.
PLAYED = f"""
import itertools, json, os, sys
sys.path.insert(0, {str(Path(nvml_player.__file__).parent)!r})
import nvml_player
from naosu_probes.ask import gpu_use

while not os.path.exists({{number!r}}):
    pass
with open({str(RECORDING)!r}, encoding="utf-8") as file:
    played = json.load(file)
played["devices"] = played["devices"][:2]
first, second = played["devices"]
memory = {{{{"gpuInstanceId": 0, "computeInstanceId": 0, "usedGpuMemory": 3 << 30}}}}
with open({{number!r}}, encoding="utf-8") as file:
    first["nvmlDeviceGetComputeRunningProcesses_v3"] = [dict(memory, pid=int(file.read()))]
first["nvmlDeviceGetUtilizationRates"] = {{{{"gpu": 45, "memory": 10}}}}
second["nvmlDeviceGetUtilizationRates"] = {{utilization!r}}
nvml_player.play(played)


def use(argument):
    for count, facts in enumerate(gpu_use.use(argument)):
        yield facts
        if count == 14:
            open({{done!r}}, "w").close()


STAGES, ESSENTIAL = (use,), ()
"""
PROGRAM = """
import os, sys
with open(sys.argv[1] + ".part", "w") as file:
    file.write(str(os.getpid()))
os.rename(sys.argv[1] + ".part", sys.argv[1])
while not os.path.exists(sys.argv[2]):
    pass
"""


def watched(folder: Path, monkeypatch: pytest.MonkeyPatch, utilization: Any) -> ProgramRun:
    """A program that ran while NVML played."""
    script, number, done = folder / "played.py", str(folder / "number"), str(folder / "done")
    script.write_text(PLAYED.format(number=number, done=done, utilization=utilization))
    monkeypatch.setattr(gpu_use, "has_driver", lambda: True)
    monkeypatch.setattr(program, "GpuWatch", functools.partial(GpuWatch, script, 0.001))
    task = ProgramTask(command=(sys.executable, "-c", PROGRAM, number, done), folder=folder)
    return watch_program(task, Listened(lambda *_: None))


def test_what_a_program_held_and_how_busy_the_gpu_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = watched(tmp_path, monkeypatch, {"gpu": 0, "memory": 0})
    assert run.worked
    first, second = run.gpu_use
    assert (first.gpu, first.name, first.is_own, first.memory) == (0, "NVIDIA H100 80GB HBM3", True, 3 * GIB)
    assert (first.busy, first.idle) == (pytest.approx(0.45), 0.0)
    assert first.looks >= 5
    assert first.moments[0].begin == 0.0
    assert [moment.begin for moment in first.moments[1:]] == [moment.end for moment in first.moments[:-1]]
    assert (second.is_own, second.memory, second.busy, second.idle) == (False, 0, 0.0, 1.0)


def test_a_gpu_that_does_not_tell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = watched(tmp_path, monkeypatch, "NVML_ERROR_NOT_SUPPORTED")
    assert (run.gpu_use[1].busy, run.gpu_use[1].idle) == (None, None)


def test_without_a_driver_nothing_is_asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(gpu_use, "run_probe", lambda *_, **__: pytest.fail("it was"))
    monkeypatch.setattr(gpu_use, "_DEVICES", tmp_path)
    watch = GpuWatch()
    watch.begin()
    assert watch.end({1}, on_gpu=False) == ()


def facts_of(*processes: dict[str, int | None]) -> dict[str, Any]:
    points = [
        {"gpu": 0, "begin": float(at), "end": at + 1.0, "looks": 1, "busy": at / 4, "idle": 0.0, "processes": held}
        for at, held in enumerate(processes)
    ]
    return {"gpus": [{"index": 0, "name": "A", "memory_total": 8 * GIB}], "points": points}


def test_the_memory_of_all_its_processes_together() -> None:
    (use,) = _uses(facts_of({"1": 100, "2": 50, "9": 7}, {"1": 120}), {1, 2}, on_gpu=True)
    first, second = (
        GpuMoment(begin=0.0, end=1.0, busy=0.0, memory=150),
        GpuMoment(begin=1.0, end=2.0, busy=0.25, memory=120),
    )
    assert use.moments == (first, second)


def test_in_a_container_nobody_can_tell_whose_it_is() -> None:
    (use,) = _uses(facts_of({"4711": 100}), {1}, on_gpu=True)
    assert (use.is_own, use.memory) == (None, None)
    (use,) = _uses(facts_of({"4711": 100}), {1}, on_gpu=False)
    assert (use.is_own, use.memory) == (False, 0)


def test_of_two_gpus_it_is_on_one() -> None:
    facts = facts_of({"1": 100})
    other = {"gpu": 1, "begin": 0.0, "end": 1.0, "looks": 1, "processes": {"9": 7}}
    facts = {"gpus": [*facts["gpus"], {"index": 1}], "points": [*facts["points"], other]}
    assert [use.is_own for use in _uses(facts, {1}, on_gpu=True)] == [True, False]


def test_windows_does_not_tell_how_much() -> None:
    (use,) = _uses(facts_of({"1": None}), {1}, on_gpu=False)
    assert (use.is_own, use.memory) == (True, None)


def test_of_a_long_watch_few_moments_are_kept() -> None:
    (use,) = _uses(facts_of(*({"1": number} for number in range(500))), {1}, on_gpu=True)
    assert len(use.moments) <= 120
    assert (use.moments[-1].end, use.memory, use.looks) == (500.0, 499, 500)


@pytest.mark.parametrize("facts", [{}, {"gpus": "x"}, {"gpus": [{"index": 0}], "points": [{"gpu": 0}]}, {"gpus": [1]}])
def test_what_is_no_answer_is_none(facts: dict[str, Any]) -> None:
    assert tuple(_uses(facts, {1}, on_gpu=True)) == ()

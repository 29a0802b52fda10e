"""The system's log of a load that ended with its process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from checks.engine import job_runner
from checks.engine.catalogues.computations import measurements_of
from checks.engine.job_runner import JobRunner
from checks.engine.load_watch import LoadLog
from checks.engine.processes.runner import Answer, ProbeTask
from checks.facts import Health, LogEntry, ProbeRun, StageRun
from checks.probes.ask.system_log import Entry, Watch

LINE = {"source": "kernel", "text": "[ 911.2] amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=4"}
UNDER = {"checked": 40, "bytes_checked": 4096, "xid": []}
LOAD = {"kind": "health", "framework": "torch", "operation": "load", "device": "cuda:0"}


def watch(entries: list[Entry] | None) -> Callable[[], Watch]:
    class Recorded:
        def entries(self, seconds: float) -> list[Entry] | None:
            assert seconds >= 0
            return entries

    return lambda: cast(Watch, Recorded())


def answer(status: str, stage: str = "health", **facts: Any) -> Answer:
    stages = (StageRun(name="repeat", ended=True), StageRun(name=stage))
    return Answer(facts={"measuring": LOAD, **facts}, run=ProbeRun(probe="p", status=status, stages=stages))


def told(answer: Answer, entries: list[Entry] | None, stage: str = "health") -> Health:
    log = LoadLog(watch(entries))
    for name in ("repeat", stage):
        log.begin_stage(name)
    (health,) = measurements_of(log.completed(answer), "here")
    assert isinstance(health, Health)
    return health


@pytest.mark.parametrize("status", ["crashed", "timed-out"])
def test_what_came_until_the_process_ended_is_of_the_load(status: str) -> None:
    health = told(answer(status, under_load=UNDER), [LINE])
    assert health.log == (LogEntry(source="kernel", text=LINE["text"]),)
    assert (health.reason, health.checked, health.xid) == (status, 40, ())
    assert told(answer(status), [LINE]).log == health.log  # it ended before its first sample
    assert told(answer(status), []).log == ()


def test_a_log_that_cannot_be_read_is_not_empty() -> None:
    assert told(answer("crashed", under_load=UNDER), None).log is None


@pytest.mark.parametrize(
    "ended", [answer("ok"), answer("cancelled"), answer("too-much-memory"), answer("crashed", "flip")]
)
def test_another_end_is_left_as_it_is(ended: Answer) -> None:
    log = LoadLog(watch([LINE]))
    log.begin_stage("health")
    assert log.completed(ended) is ended


def test_without_a_load_no_log_is_read() -> None:
    def never() -> Watch:
        raise AssertionError

    log = LoadLog(never)
    log.begin_stage("repeat")
    ended = answer("crashed", "repeat")
    assert log.completed(ended) is ended


def test_the_engine_asks_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def dying(task: ProbeTask, *, on_stage: Callable[[str], None], **_: Any) -> Answer:
        on_stage("health")
        return answer("crashed", under_load=UNDER)

    monkeypatch.setattr(job_runner, "run_probe", dying)
    monkeypatch.setattr(job_runner, "LoadLog", lambda: LoadLog(watch([LINE])))
    runner = JobRunner(lambda: False)
    ended = runner._run(ProbeTask(probe="p", script=Path("x.py"), interpreter="python", argument={}, time_limit=9.0))
    runner.stop()
    assert ended.facts["under_load"]["log"] == [LINE]

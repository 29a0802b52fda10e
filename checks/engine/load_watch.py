"""What the system's log got during a load test whose process did not live to report it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from checks.engine.catalogues.computations import LOAD
from checks.engine.processes.runner import Answer
from checks.facts.runs import RunStatus
from checks.probes.ask.system_log import Watch

_CUT = (RunStatus.CRASHED, RunStatus.TIMED_OUT)  # a card that is lost can take the process with it, or hold it for ever


class LoadLog:
    """Of one process: the log as it was when the load began, and what came until the process ended."""

    def __init__(self, watch: Callable[[], Watch] = Watch) -> None:
        self._begin = watch
        self._watch: Watch | None = None
        self._since = 0.0

    def begin_stage(self, stage: str) -> None:
        """Note that a stage of the process has begun."""
        if stage == LOAD:
            self._watch, self._since = self._begin(), time.monotonic()

    def completed(self, answer: Answer) -> Answer:
        """The answer, with what the log got where the process ended within the load."""
        run = answer.run
        if self._watch is None or run.last_stage != LOAD or run.status not in _CUT:
            return answer
        entries = self._watch.entries(time.monotonic() - self._since)
        if entries is None:
            return answer
        under = answer.facts.get("under_load")
        grown = under if isinstance(under, dict) else {}
        return replace(answer, facts={**answer.facts, "under_load": {**grown, "log": entries}})

"""Real probes that run once: who asks the same again gets the same answer, with every stage and fact on the way."""

import contextlib
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from checks import probes
from checks.engine.installed_files import installed_of
from checks.engine.plans.unasked import MOST_PACKAGES
from checks.engine.processes import runner
from checks.engine.processes.runner import Answer, ProbeTask, run_probe
from checks.engine.request import Request
from checks.facts import InstalledFiles, InterpreterFacts

OWN = Path(probes.__file__).parent


def use_warm_python(patch: pytest.MonkeyPatch, torch_python: str) -> None:
    """A probe of this Python runs in a process of the warm one."""
    command = runner._Running._command

    def warm(running: runner._Running, answer: Path) -> list[str]:
        python, *arguments = command(running, answer)
        return [torch_python if python == sys.executable else python, *arguments]

    patch.setattr(runner._Running, "_command", warm)


def compared_once(installed_of: Callable[..., Any]) -> Callable[..., Any]:
    """``installed_of``, which reads the thousands of files of this Python once for each effort."""
    known: dict[str, Any] = {}

    def compared(target: Any, request: Any) -> Any:
        effort = request.answers.effort
        if target is None or target.path != sys.executable or target.problem is not None:
            return installed_of(target, request)
        if effort not in known:
            known[effort] = installed_of(target, request)
        return known[effort]

    return compared


class SharedAnswers:
    """Stands in for ``run_probe``. Scripts that a test wrote, and tasks with a limit of memory, always run.

    ``torch_python``: a warm Python, which is this one in other respects.
    """

    def __init__(self, torch_python: str) -> None:
        self._torch_python = torch_python
        self._known: dict[str, tuple[list[tuple[str, Any]], Answer]] = {}
        self._installed: dict[str, InstalledFiles | None] = {}

    @contextlib.contextmanager
    def in_use(self) -> Iterator[None]:
        """An examination in this process asks this computer once for all tests, and computes nothing."""
        with pytest.MonkeyPatch.context() as patch:
            use_warm_python(patch, self._torch_python)
            patch.setattr("checks.engine.job_runner.run_probe", self.run)
            patch.setattr("checks.engine.plans.compute.COMPUTATION_PROBES", ())
            patch.setattr("checks.engine.plans.unasked.MOST_PACKAGES", dict.fromkeys(MOST_PACKAGES, 1))
            patch.setattr("checks.engine.examination.installed_of", self.installed)
            yield

    def installed(self, target: InterpreterFacts | None, request: Request) -> InstalledFiles | None:
        """The files of this Python, from one reading."""
        if target is None or target.path != sys.executable:
            return installed_of(target, request)
        effort = request.answers.effort
        if effort not in self._installed:
            self._installed[effort] = installed_of(target, request)
        return self._installed[effort]

    def run(
        self,
        task: ProbeTask,
        *,
        cancelled: Callable[[], bool] = lambda: False,
        on_stage: Callable[[str], None] = lambda _: None,
        on_facts: Callable[[dict[str, Any]], None] = lambda _: None,
    ) -> Answer:
        """The answer of a task, from its one real run."""
        if OWN not in task.script.parents or task.memory_limit is not None:
            return run_probe(task, cancelled=cancelled, on_stage=on_stage, on_facts=on_facts)
        asked = [str(task.script), task.interpreter, dict(task.argument), dict(task.environment)]
        key = json.dumps(asked, sort_keys=True, default=str)
        if key not in self._known:
            heard: list[tuple[str, Any]] = []
            answer = run_probe(
                task,
                on_stage=lambda name: heard.append(("stage", name)),
                on_facts=lambda facts: heard.append(("facts", facts)),
            )
            self._known[key] = heard, answer
        heard, answer = self._known[key]
        for kind, what in heard:
            (on_stage if kind == "stage" else on_facts)(what)
        return answer

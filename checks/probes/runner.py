"""Start a probe in an interpreter, follow its answer, and end it with all its children.

What is probed is broken: it may crash, hang, print without end, or be no Python at all. All of that becomes a
:class:`~checks.facts.ProbeRun`; nothing of it becomes an exception here.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from checks.facts import ProbeRun

HOST = Path(__file__).with_name("host.py")
TAIL = 16_384  # bytes of output that are kept
ANSWER_LIMIT = 8 * 1024 * 1024  # bytes of answer that are read
POLL = 0.01  # seconds between two looks at the process


@dataclass(frozen=True)
class ProbeTask:
    """One probe to run: the script, the interpreter, its argument, and how long it may take (seconds)."""

    probe: str
    script: Path
    interpreter: str
    argument: Mapping[str, Any] = field(default_factory=dict)
    time_limit: float = 60.0
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Answer:
    """What a probe said (the facts of all its stages in one dict) and how it ended."""

    facts: dict[str, Any]
    run: ProbeRun


def run_probe(
    task: ProbeTask,
    *,
    cancelled: Callable[[], bool] = lambda: False,
    on_stage: Callable[[str], None] = lambda stage: None,
) -> Answer:
    """Run one probe to its end, its time limit or the cancel. Never raises for what the target does."""
    with tempfile.TemporaryDirectory(prefix="naosu-", ignore_cleanup_errors=True) as folder:
        return _Running(task, Path(folder), cancelled, on_stage).answer()

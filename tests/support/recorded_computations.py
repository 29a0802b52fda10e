"""Recorded computations of real frameworks on real devices, as the facts that the engine makes of them.

A recording holds what a probe told: framework, version, device, setting, and its measurements, as they came.
"""

from __future__ import annotations

import json
from pathlib import Path

from checks.engine.catalogues.computations import measurements_of
from checks.engine.processes.runner import Answer
from checks.facts import Measurement, ProbeRun

FOLDER = Path(__file__).parents[1] / "recordings" / "computations"


def measurements(*names: str) -> tuple[Measurement, ...]:
    """All measurements of some recordings."""
    return tuple(made for name in names for made in _measurements(name))


def _measurements(name: str) -> tuple[Measurement, ...]:
    told = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    run = ProbeRun(probe=name, interpreter="/home/user/venv/bin/python", status="ok")
    made = tuple(measurements_of(Answer(facts={"measurements": told["measurements"]}, run=run), name))
    assert len(made) == len(told["measurements"])
    return made

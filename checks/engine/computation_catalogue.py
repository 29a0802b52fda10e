"""The probes that compute: one process per framework and device, and which kinds of measurement each makes."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from checks.engine.model_catalogue import crash_of, kept_error
from checks.engine.processes.runner import Answer
from checks.engine.scripts import script_of
from checks.facts import ErrorText, Health, HealthSample, Measurement

TIMES_BUDGET = 3.0  # a process that takes this many times what it was given is ended: something hangs
START = {"quick": 60.0, "standard": 180.0, "thorough": 600.0}  # seconds by effort, to import a framework


RESUMED = ("repeat", "precision", "portrait")  # kinds that go on behind what is named as done


@dataclass(frozen=True)
class Setting:
    """What holds in a process from its start to its end, since it cannot be taken back, or is read once.

    ``kinds``: what is measured under it; (): every kind. ``environment``: what the framework reads when it starts.
    ``only_accelerators``: the processor knows no such setting.
    """

    id: str = "default"  # as Measured.setting
    kinds: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    only_accelerators: bool = False


@dataclass(frozen=True)
class ComputationSpec:
    """The probe of a framework. ``kinds``: stage -> its part of the time, in the order in which they are measured.

    ``expected_start``: seconds until it measures. ``settings``: each gets a process of its own. ``package``: the
    distribution that it needs where ``framework`` is no field of Frameworks; it computes on the processor alone.
    ``share``: its part of the time beside that of the others.
    """

    framework: str
    stem: str
    kinds: Mapping[str, float]
    expected_start: float
    settings: tuple[Setting, ...] = (Setting(),)
    package: str = ""
    share: float = 1.0

    @property
    def script(self) -> Path:
        """The file that runs in the interpreter."""
        return script_of(self.stem)


_WORKSPACE = Setting(
    "deterministic-workspace",
    kinds=("experiment",),  # those of the kind "repeat" are asked again only where it matters
    environment={"CUBLAS_WORKSPACE_CONFIG": ":4096:8"},
    only_accelerators=True,
)
# TensorFlow 2.8 is switched by a call that cannot be taken back, the versions before by this variable.
_REPEATED = ("experiment", "repeat", "portrait")  # where determinism shows; of digits it is asked by the kind itself
_TENSORFLOW_DETERMINISTIC = Setting("deterministic", kinds=_REPEATED, environment={"TF_DETERMINISTIC_OPS": "1"})

# The most telling kinds come first, for when the time is short.
COMPUTATION_PROBES: tuple[ComputationSpec, ...] = (
    ComputationSpec(
        framework="torch",
        stem="compute/torch/probe",
        kinds={"repeat": 4, "experiment": 3, "precision": 2, "flip": 1, "portrait": 1, "health": 1},
        expected_start=4.0,
        settings=(Setting(), _WORKSPACE),
    ),
    ComputationSpec(
        framework="tensorflow",
        stem="compute/tensorflow/probe",
        kinds={"experiment": 3, "repeat": 2, "portrait": 1, "precision": 2, "flip": 1},
        expected_start=6.0,
        settings=(Setting(), _TENSORFLOW_DETERMINISTIC),
    ),
    ComputationSpec(
        framework="jax",
        stem="compute/jax/probe",
        kinds={"experiment": 3, "repeat": 2, "portrait": 1, "precision": 2, "flip": 1},
        expected_start=3.0,
        settings=(Setting(), Setting("deterministic", kinds=_REPEATED, only_accelerators=True)),
    ),
    ComputationSpec(
        framework="numpy",
        stem="compute/numpy/probe",
        kinds={"experiment": 2, "portrait": 2, "precision": 1, "flip": 1},
        expected_start=1.0,
        package="numpy",
        share=0.25,
    ),
)


def read_measurement(raw: object, origin: str) -> Measurement | None:
    """One measurement as the probe told it; None where it is no such thing: the process may be broken."""
    try:
        read: Measurement = msgspec.convert(raw, Measurement)
    except (msgspec.ValidationError, RecursionError):
        return None
    return msgspec.structs.replace(read, origin=origin, error=kept_error(read.error))


def measurements_of(answer: Answer, origin: str) -> Iterator[Measurement]:
    """What an answer tells; a measurement during which the process ended comes last, with the end as its error.

    A load that the user ended is told, too: what was checked by then was checked.
    """
    told = answer.facts.get("measurements")
    for raw in told if isinstance(told, list) else ():
        read = read_measurement(raw, origin)
        if read is not None:
            yield read
    ended = answer.run.status in ("crashed", "timed-out", "too-much-memory")
    if ended or answer.run.status == "cancelled":
        cut = read_measurement(answer.facts.get("measuring"), origin)
        if isinstance(cut, Health):
            cut = _load_until_then(answer, cut, origin)
        if cut is not None and (ended or isinstance(cut, Health)):
            yield msgspec.structs.replace(cut, reason=answer.run.status, error=_end_of(answer))


def _load_until_then(answer: Answer, load: Health, origin: str) -> Health:
    """A load as it was told last before its process ended."""
    told = answer.facts
    grown = dict(under) if isinstance(under := told.get("under_load"), dict) else {}
    named = {"kind": "health", "framework": load.framework, "operation": load.operation, "device": load.device}
    read = read_measurement({**grown, "wrong": told.get("wrong_bits") or [], **named}, origin)
    known = read if isinstance(read, Health) else load
    return msgspec.structs.replace(known, samples=tuple(read_samples(told.get("watched"))))


def planned_of(answer: Answer, origin: str) -> Iterator[Measurement]:
    """What was to be measured, as far as it was known before: names, without figures."""
    planned = answer.facts.get("planned")
    for raw in planned if isinstance(planned, list) else ():
        read = read_measurement(raw, origin)
        if read is not None:
            yield read


def read_samples(told: object) -> Iterator[HealthSample]:
    """How a device fared under load, sample by sample."""
    for raw in told if isinstance(told, list) else ():
        with contextlib.suppress(msgspec.ValidationError, RecursionError):
            yield msgspec.convert(raw, HealthSample)


def _end_of(answer: Answer) -> ErrorText | None:
    return crash_of(answer) if answer.run.status == "crashed" else None


def stages_ended(answer: Answer) -> tuple[str, ...]:
    """The stages that began: none of them is to be begun again after a crash."""
    return tuple(stage.name for stage in answer.run.stages)


def argument_of(device: str, effort: str, seconds: Mapping[str, float], setting: str = "default") -> dict[str, Any]:
    """What a probe is told: where, and how long each kind may take; kinds that are not named are not measured."""
    return {"device": device, "effort": effort, "seconds": dict(seconds), "setting": setting}

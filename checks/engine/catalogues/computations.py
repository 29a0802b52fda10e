"""The probes that compute: one process per framework and device, and which kinds of measurement each makes."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from checks.engine.answers import CUT, crash_of, kept_error
from checks.engine.job import Job, Stem
from checks.engine.processes.runner import Answer
from checks.facts import Health, HealthSample, Measurement
from checks.prepared import prepared

TIMES_BUDGET = 3.0  # a process that takes this many times what it was given is ended: something hangs
START = {"quick": 60.0, "standard": 180.0, "thorough": 600.0}  # seconds by effort, to import a framework
RESUMED = ("repeat", "precision", "portrait")  # kinds that go on behind what is named as done
LOAD = "health"  # the kind that is the load test


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
class ComputationSpec(Stem):
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
        kinds={"repeat": 4, "experiment": 3, "portrait": 1, "precision": 2, "flip": 1, "health": 1},
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


# One framework on one device under one setting.
ComputationJob = Job[ComputationSpec, tuple[Measurement, ...]]


def argument_of(device: str, effort: str, seconds: Mapping[str, float], setting: str = "default") -> dict[str, Any]:
    """The argument of a probe: where, and how long each kind may take; kinds that are not named are not measured."""
    return {"device": device, "effort": effort, "seconds": dict(seconds), "setting": setting}


def with_seconds(job: ComputationJob, seconds: Mapping[str, float], **more: Any) -> ComputationJob:
    """The same job with other seconds of each kind. ``more``: what its argument holds beside that."""
    argument = {**job.argument, "seconds": dict(seconds), **more}
    limit = replace(job.limit, seconds=time_limit(argument["effort"], seconds))
    return replace(job, seconds=seconds, argument=argument, limit=limit)


def time_limit(effort: str, seconds: Mapping[str, float]) -> float:
    """Seconds after which a process that computes is ended."""
    return START[effort] + TIMES_BUDGET * sum(seconds.values())


def read_measurement(raw: object, origin: str) -> Measurement | None:
    """One measurement as the probe reported it; None where it is no such thing: the process may be broken."""
    try:
        measurement: Measurement = msgspec.convert(raw, prepared(Measurement))
    except (msgspec.ValidationError, RecursionError):
        return None
    return msgspec.structs.replace(measurement, origin=origin, error=kept_error(measurement.error))


def _read_all(raw: object, origin: str) -> Iterator[Measurement]:
    for one in raw if isinstance(raw, list) else ():
        measurement = read_measurement(one, origin)
        if measurement is not None:
            yield measurement


def measurements_of(answer: Answer, origin: str) -> Iterator[Measurement]:
    """The measurements of an answer; one during which the process ended comes last, with the end as its error.

    A load that the user ended is among them: what was checked by then was checked.
    """
    yield from _read_all(answer.facts.get("measurements"), origin)
    status = answer.run.status
    if status not in (*CUT, "cancelled"):
        return
    cut = read_measurement(answer.facts.get("measuring"), origin)
    if isinstance(cut, Health):
        cut = _load_until_then(answer, cut, origin)
    if cut is not None and (status in CUT or isinstance(cut, Health)):
        error = crash_of(answer) if status == "crashed" else None
        yield msgspec.structs.replace(cut, reason=status, error=error)


def _load_until_then(answer: Answer, load: Health, origin: str) -> Health:
    """A load as it was reported last before its process ended."""
    reported = answer.facts
    totals = dict(under) if isinstance(under := reported.get("under_load"), dict) else {}
    names = {"kind": "health", "framework": load.framework, "operation": load.operation, "device": load.device}
    names["setting"] = load.setting
    read = read_measurement({**totals, "wrong": reported.get("wrong_bits") or [], **names}, origin)
    known = read if isinstance(read, Health) else load
    return msgspec.structs.replace(known, samples=tuple(read_samples(reported.get("watched"))))


def planned_of(answer: Answer, origin: str) -> Iterator[Measurement]:
    """What was to be measured, as far as it was known before: names, without figures."""
    yield from _read_all(answer.facts.get("planned"), origin)


def read_samples(raw: object) -> Iterator[HealthSample]:
    """How a device fared under load, sample by sample."""
    for sample in raw if isinstance(raw, list) else ():
        with contextlib.suppress(msgspec.ValidationError, RecursionError):
            yield msgspec.convert(sample, prepared(HealthSample))

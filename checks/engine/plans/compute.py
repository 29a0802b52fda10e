"""What is computed in the target: on which devices, in which order, and how the time is shared out."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping

from checks.engine.catalogues.computations import (
    COMPUTATION_PROBES,
    LOAD,
    ComputationJob,
    ComputationSpec,
    Setting,
    argument_of,
    time_limit,
    with_seconds,
)
from checks.engine.job import Job, Limit, free_bytes, memory_of
from checks.engine.request import Request
from checks.engine.resume import read_computation, resume_computation
from checks.facts import Facts, FrameworkDevice
from checks.facts.question import ABOUT_RESULTS, SymptomName

BUDGET = {"quick": 10.0, "standard": 60.0, "thorough": 600.0}  # seconds of computing, by effort
OF_MODELS = 0.4  # part of the time that the user's models get
CPU = "cpu"
# An accelerator has so many times the processor's time: what is asked about is most often the accelerator.
_TIMES_FOR_ACCELERATOR = 2.0
_LEAST = 1.0  # seconds of a kind below which nothing is learned
# What answers a question gets so many times the part that it has otherwise. Portraits are what two machines are
# compared by, and so quick that a short examination has room for them.
_ANSWERS: Mapping[str, Mapping[str, float]] = {
    SymptomName.RESULTS_CHANGE: {"repeat": 3.0, "experiment": 1.5, "portrait": 2.5},
}
_BESIDE = 0.5
# Threads of OpenMP that wait for each other spin by default. Where others compute beside us on few cores, they take the
# time from those that they wait for: five times as long was measured (gcc.gnu.org/onlinedocs/libgomp, OMP_WAIT_POLICY).
# How the work is divided among them, and with it every bit, stays the same. Who has set one of these has a reason.
_PATIENT = {"OMP_WAIT_POLICY": "passive"}
_OF_WAITING = ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME")
_LEAST_TIMES = 0.25  # part of its time that each keeps, however long those before it took


def is_wanted(request: Request) -> bool:
    """Whether computations were asked for: a program that does not start computes nothing."""
    symptom = request.answers.symptom
    return symptom in ABOUT_RESULTS or (symptom == SymptomName.EVERYTHING and request.compute)


def repeats_models(request: Request) -> bool:
    """Whether the user's models are run again and compared."""
    return is_wanted(request) if request.repeat is None else request.repeat


def budget(request: Request) -> float:
    """Seconds of computing in all, as far as they are known before the devices are; 0: nothing is computed."""
    effort = request.answers.effort
    computed = BUDGET[effort] if is_wanted(request) and COMPUTATION_PROBES else 0.0
    of_models = budget_of_models(effort, alone=True) if request.repeat and request.models else 0.0
    return computed + (request.load or 0.0) or of_models


def budget_of_models(effort: str, *, alone: bool) -> float:
    """Seconds for the user's models, where there are any. ``alone``: nothing else is computed."""
    return BUDGET[effort] * (1.0 if alone else OF_MODELS)


def compute_jobs(facts: Facts, request: Request, *, without: float = 0.0) -> tuple[ComputationJob, ...]:
    """One process for each framework, device and setting, to run one after the other, those of accelerators first.

    ``without``: seconds of the time that others have.
    """
    effort, load = request.answers.effort, request.load
    only_load = not is_wanted(request)
    if only_load and not load:
        return ()
    budget_left = max(0.0, BUDGET[effort] - without)
    found = sorted(_devices(facts), key=lambda pair: _is_cpu(pair[1]))
    if only_load:
        found = [(spec, device) for spec, device in found if LOAD in spec.kinds]
    symptom = request.answers.symptom
    total = sum(_share(spec, device, symptom) for spec, device in found)
    return tuple(
        _asked_for(computation(_id(spec, device, setting), spec, device, seconds, facts, effort, setting), symptom)
        for spec, device in found
        for setting, shared in _shared(spec, device, budget_left * _share(spec, device, symptom) / total, symptom)
        if (seconds := _with_load(shared, spec, setting, load, only_load=only_load))
    )


def computation(
    name: str,
    spec: ComputationSpec,
    device: str,
    seconds: Mapping[str, float],
    facts: Facts,
    effort: str,
    setting: Setting = Setting(),  # noqa: B008 - frozen
) -> ComputationJob:
    """The job of one framework on one device of the target. ``seconds``: of each kind of measurement."""
    return Job(
        id=name,
        spec=spec,
        interpreter=facts.target or "",
        argument=argument_of(device, effort, seconds, setting.id),
        limit=Limit(time_limit(effort, seconds), free_bytes(memory_of(facts))),
        read=read_computation,
        resume=resume_computation,
        expected_seconds=spec.expected_start + sum(seconds.values()),
        seconds=seconds,
        environment={**_patience(device), **setting.environment},
    )


def _asked_for(job: ComputationJob, symptom: str) -> ComputationJob:
    """The same without what answers another question alone: what is compiled differs from what is not, each time."""
    compiles = symptom != SymptomName.RESULTS_CHANGE
    return job if compiles else with_seconds(job, job.seconds, compile=False)


def _patience(device: str, variables: Mapping[str, str] = os.environ) -> Mapping[str, str]:
    is_chosen = any(name in variables for name in _OF_WAITING)
    return {} if is_chosen or not _is_cpu(device) else _PATIENT


def with_saved(
    job: ComputationJob, saved: float, waiting: Iterable[ComputationJob], load: float | None
) -> ComputationJob:
    """The same with its part of the seconds that those before it took less, or more, than they were given.

    ``waiting``: it and those after it. A load of a chosen length stays as long as it is.
    """
    exact = {LOAD} if load else set()
    planned = sum(s for other in waiting for kind, s in other.seconds.items() if kind not in exact)
    times = max(_LEAST_TIMES, 1 + saved / planned) if planned else 1.0
    return with_seconds(job, {kind: s * (1.0 if kind in exact else times) for kind, s in job.seconds.items()})


def _with_load(
    shared: dict[str, float], spec: ComputationSpec, setting: Setting, load: float | None, *, only_load: bool
) -> dict[str, float]:
    """The seconds of each kind with the load test as long as it was asked for, under the first setting alone."""
    asked = {LOAD: load} if load and LOAD in spec.kinds and setting is spec.settings[0] else {}
    return asked if only_load else shared | asked


def _id(spec: ComputationSpec, device: str, setting: Setting) -> str:
    """The first setting is what "the probe of this device" means; the others are named."""
    name = f"computations:{spec.framework}:{device}"
    return name if setting is spec.settings[0] else f"{name}:{setting.id}"


def _share(spec: ComputationSpec, device: str, symptom: str) -> float:
    """The part of the time of all; of a framework in which what answers the question most is not measured, half."""
    times = 1.0 if _is_cpu(device) else _TIMES_FOR_ACCELERATOR
    most = next(iter(_ANSWERS.get(symptom, {})), "")
    return spec.share * times * (_BESIDE if most and most not in spec.kinds else 1.0)


def _is_cpu(device: str) -> bool:
    """PyTorch says "cpu", TensorFlow "CPU:0", JAX "cpu:0"."""
    return device.lower().partition(":")[0] == CPU


def _shared(
    spec: ComputationSpec, device: str, seconds: float, symptom: str
) -> Iterator[tuple[Setting, dict[str, float]]]:
    """The seconds of each kind under each setting.

    Those for which too little time is left get none, and the others theirs: the least telling kinds are left out first,
    and of one kind the last settings.
    """
    settings = [setting for setting in spec.settings if not (setting.only_accelerators and _is_cpu(device))]
    asked = _ANSWERS.get(symptom, {})
    parts = [
        (setting, kind, part * asked.get(kind, 1.0))
        for kind, part in spec.kinds.items()
        for setting in settings
        if kind in (setting.kinds or spec.kinds)
    ]
    while len(parts) > 1 and seconds * min(_weights(parts)) / sum(_weights(parts)) < _LEAST:
        parts.pop()
    total = sum(_weights(parts))
    for setting in settings:
        mine = {kind: seconds * part / total for under, kind, part in parts if under is setting}
        if mine:
            yield setting, mine


def _weights(parts: Iterable[tuple[Setting, str, float]]) -> list[float]:
    return [part for _, _, part in parts]


def _devices(facts: Facts) -> Iterator[tuple[ComputationSpec, str]]:
    """Every framework that was imported, on every device on which it computed something."""
    known = dict(facts.frameworks.each()) if facts.frameworks else {}
    target = facts.target_interpreter
    for spec in COMPUTATION_PROBES:
        if spec.package and target is not None and target.package(spec.package):
            yield spec, CPU
        framework = known.get(spec.framework)
        if framework is None or framework.imported is False:
            continue
        devices: Iterable[FrameworkDevice] = getattr(framework, "devices", None) or ()
        for device in devices:
            # Older TensorFlow lists its devices a second time as XLA_CPU:0, XLA_GPU:0.
            if device.kernel is not None and device.kernel.ran and not device.device.startswith("XLA_"):
                yield spec, device.device

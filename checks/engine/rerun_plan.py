"""Which of the user's models are run again and compared, in which runtime, and how long: one process each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from checks.analysis.models.runtimes import is_broken, is_installed
from checks.engine.computation_catalogue import START, TIMES_BUDGET
from checks.engine.load_plan import LARGEST, SEARCH_SECONDS, memory_reason, started, why_not
from checks.engine.model_catalogue import BYTES_PER_SECOND
from checks.engine.scripts import name_of, script_of
from checks.facts import Facts, InterpreterFacts, Measurement, ModelFacts, ModelMeasured
from checks.knowledge.formats.model_safety import model_safety

SCRIPT = script_of("compute/model/probe")
KIND = "model"  # the probe's id begins with this
LEAST = 3.0  # seconds of a model below which nothing can be told
# A format and the runtimes that can run it again and again with nothing of the file executed but what computes.
RUNTIMES: Mapping[str, tuple[str, ...]] = {
    "onnx": ("onnxruntime",),
    "ort": ("onnxruntime",),
    "torchscript": ("torch",),
    "pt2": ("torch",),
}
EXPECTED_START = 2.0
OTHER_FORMAT = "not-repeatable-format"
ENDED = ("crashed", "timed-out", "too-much-memory")
PROCESSORS = ("cpu", "CPUExecutionProvider")


@dataclass(frozen=True)
class ModelComputation:
    """A model and a runtime. ``reason``: an id [reason-...] of measurements.toml where it is not computed."""

    id: str
    model: ModelFacts
    runtime: str
    interpreter: str
    seconds: float = 0.0
    reason: str = ""

    @property
    def origin(self) -> str:
        """Where its measurements come from."""
        return f"{name_of(SCRIPT)} in {self.interpreter}"

    @property
    def expected_seconds(self) -> float:
        """How long it may take."""
        return EXPECTED_START + self.seconds + (self.model.size or 0) / BYTES_PER_SECOND

    def time_limit(self, effort: str) -> float:
        """Seconds after which it is ended."""
        return START[effort] + TIMES_BUDGET * self.seconds + SEARCH_SECONDS[effort] + self.expected_seconds


def model_computations(
    models: Sequence[ModelFacts], facts: Facts, effort: str, budget: float
) -> tuple[ModelComputation, ...]:
    """Every model in every runtime of the target that can run it, and those for which there is none with the reason.

    ``models``: with their trials; what did not run there runs here no better, but for what only lacks an input.
    ``budget``: seconds for all.
    """
    target = facts.target_interpreter
    if target is None:
        return ()
    found = [each for model in models for each in _of_model(model, facts, target, effort)]
    wanted = sum(not each.reason for each in found)
    most = max(1, int(budget / LEAST))
    seconds = budget / max(1, min(wanted, most))
    planned = []
    for each in found:
        if each.reason:
            planned.append(each)
            continue
        most -= 1
        reason = "" if most >= 0 else "no-time"
        planned.append(ModelComputation(each.id, each.model, each.runtime, each.interpreter, seconds, reason))
    return tuple(planned)


def _of_model(model: ModelFacts, facts: Facts, target: InterpreterFacts, effort: str) -> Iterator[ModelComputation]:
    runtimes = RUNTIMES.get(model.format or "", ())
    installed = [each for each in runtimes if is_installed(each, target)]
    if model.format is None or not (installed or runtimes):
        yield ModelComputation(_id("", model), model, "", target.path, reason=OTHER_FORMAT)
        return
    if not installed:
        yield ModelComputation(_id(runtimes[0], model), model, runtimes[0], target.path, reason="no-runtime")
    for runtime in installed:
        reason = _reason(model, runtime, facts, effort)
        yield ModelComputation(_id(runtime, model), model, runtime, target.path, reason=reason)


def _reason(model: ModelFacts, runtime: str, facts: Facts, effort: str) -> str:
    if is_broken(runtime, facts):
        return "runtime-broken"
    if why_not(model, effort):
        return "too-large" if (model.size or 0) > LARGEST[effort] else "model-not-run"
    memory = facts.machine.memory if facts.machine else None
    if memory_reason(model, memory):
        return "no-memory"
    runs = [run for run in model.runs if run.runtime == runtime]
    # TorchScript is only loaded in a trial, and what lacked the right input may be given one here.
    failed = [
        run
        for run in runs
        if run.loaded is False or run.reason in ENDED or (run.ran is False and run.reason != "inputs-refused")
    ]
    return "model-not-run" if runs and len(failed) == len(runs) else ""


def _id(runtime: str, model: ModelFacts) -> str:
    return f"{KIND}:{runtime}:{model.name}" if runtime else f"{KIND}:{model.name}"


def argument(computation: ModelComputation, facts: Facts, effort: str, inputs: Path | None) -> dict[str, Any]:
    """What its probe is told."""
    torch = facts.frameworks.torch if facts.frameworks else None
    devices = torch.devices if torch else None
    return {
        "path": str(Path(computation.model.path).absolute()),
        "format": computation.model.format,
        "runtime": computation.runtime,
        "inputs": str(inputs.absolute()) if inputs else None,
        "providers": started(computation.runtime, facts.frameworks),
        "devices": devices and [device.device for device in devices if device.kernel and device.kernel.ran],
        "effort": effort,
        "seconds": computation.seconds,
        "search_seconds": SEARCH_SECONDS[effort],
        "safety": model_safety().for_export(),
    }


def not_computed(computation: ModelComputation) -> ModelMeasured:
    """The fact of a model that was not computed."""
    return ModelMeasured(
        origin=computation.origin,
        framework=computation.runtime,
        path=computation.model.path,
        reason=computation.reason,
        detail=(computation.model.format or "") if computation.reason == OTHER_FORMAT else "",
        inputs=computation.model.inputs or (),
    )


def with_path_of(made: Measurement, model: ModelFacts) -> Measurement:
    """A measurement with the model's path as the user gave it: the probe is told the absolute one."""
    return msgspec.structs.replace(made, path=model.path) if isinstance(made, ModelMeasured) else made


def lost_device(made: Sequence[Measurement]) -> str:
    """The device or provider that ended the process, or the step on the processor; "" where nothing did.

    Likewise where the model cannot even be repeated on the processor, which all need, or takes too long there.
    """
    last = made[-1] if made else None
    if not isinstance(last, ModelMeasured) or last.reason not in ENDED:
        return ""
    if not last.device.startswith(PROCESSORS):
        return last.device
    if last.reason == "timed-out" or last.aspect in ("", "repeat"):
        return ""
    return last.setting if last.aspect == "threads" else last.aspect

"""The probes of models: which runtime tries which formats by which script, and how its answer is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from checks.engine.answers import ENDS, crash_of, fields_of, kept_error, kept_log, stage_error
from checks.engine.job import Stem
from checks.engine.processes.runner import Answer
from checks.engine.scripts import name_of
from checks.facts import ModelRun

# Seconds by effort, for loading and a few inferences; the time to read the file comes on top.
LIMITS = {"quick": 60.0, "standard": 180.0, "thorough": 600.0}
BYTES_PER_SECOND = 50_000_000  # of a slow disk


@dataclass(frozen=True)
class ModelProbeSpec(Stem):
    """A runtime and the formats that it is tried with. ``expected_seconds``: for a small model, the import included."""

    runtime: str
    stem: str
    formats: tuple[str, ...]
    expected_seconds: float


# TensorRT is not here: to load an engine is to run its machine code. Nor are pt2 (torch.export.load unpickles without
# limits) and pickle.
MODEL_PROBES: tuple[ModelProbeSpec, ...] = (
    ModelProbeSpec("onnxruntime", "model/onnxruntime", ("onnx", "ort"), 1.5),
    ModelProbeSpec(
        "openvino", "model/openvino", ("onnx", "openvino-ir", "tflite", "savedmodel", "tf-frozen", "paddle"), 2.0
    ),
    ModelProbeSpec("litert", "model/litert", ("tflite", "tflite-edgetpu"), 1.0),
    ModelProbeSpec("tensorflow", "model/litert", ("tflite",), 6.0),
    ModelProbeSpec("tensorflow", "model/tensorflow", ("savedmodel", "tf-frozen", "keras-h5", "keras-zip"), 8.0),
    ModelProbeSpec("keras", "model/tensorflow", ("keras-h5", "keras-zip"), 8.0),
    ModelProbeSpec("torch", "model/torch", ("torchscript", "torch-zip", "torch-legacy"), 3.0),
    ModelProbeSpec("safetensors", "model/torch", ("safetensors",), 3.0),
    ModelProbeSpec("llama.cpp", "model/llama", ("gguf",), 2.0),
)


def time_limit(effort: str, size: int | None) -> float:
    """Seconds after which a trial is ended."""
    return LIMITS[effort] + (size or 0) / BYTES_PER_SECOND


def runs_of(answer: Answer, spec: ModelProbeSpec) -> tuple[ModelRun, ...]:
    """The runs that an answer reports. A run that began and did not end gets the end of the process as its own."""
    origin = f"{name_of(spec.script)} in {answer.run.interpreter}"
    reported = answer.facts.get("runs")
    raw_runs = [raw for raw in reported if isinstance(raw, dict)] if isinstance(reported, list) else []
    runs = [_run(raw, spec, origin) for raw in raw_runs]
    ended = answer.run.status if answer.run.status in ENDS else None
    if answer.run.status != "ok" and (ended is None or (ended == "crashed" and not runs)):
        return (ModelRun(origin=origin, runtime=spec.runtime, reason="runtime-broken", error=stage_error(answer)),)
    if ended is not None:
        last = runs.pop() if runs and _is_open(runs[-1]) else ModelRun(origin=origin, runtime=spec.runtime)
        runs.append(_cut_short(last, ended, answer))
    return tuple(runs)


def _run(raw: Mapping[str, Any], spec: ModelProbeSpec, origin: str) -> ModelRun:
    values, unread = fields_of(ModelRun, raw)
    return _kept(ModelRun(**{"runtime": spec.runtime, **values}, origin=origin, unread=unread))


def _kept(run: ModelRun) -> ModelRun:
    return msgspec.structs.replace(run, error=kept_error(run.error), log=kept_log(run.log))


def _is_open(run: ModelRun) -> bool:
    return run.loaded is not False and run.ran is None and not run.reason and run.error is None


def _cut_short(run: ModelRun, ended: str, answer: Answer) -> ModelRun:
    if ended != "crashed":
        return msgspec.structs.replace(run, reason=ended, memory_limit=answer.run.memory_limit)
    error = crash_of(answer)
    state = {"ran": False} if run.loaded else {"loaded": False}
    return _kept(
        msgspec.structs.replace(run, reason=ended, error=error, log=run.log or answer.run.stderr_tail, **state)
    )

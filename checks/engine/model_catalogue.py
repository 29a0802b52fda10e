"""The probes of models: which runtime tries which formats by which script, and what its answer says of the run."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from checks.engine.processes.runner import Answer
from checks.engine.scripts import name_of, script_of
from checks.facts import ErrorText, Fact, ModelRun

# Seconds by effort, for loading and a few inferences; the time to read the file comes on top.
LIMITS = {"quick": 60.0, "standard": 180.0, "thorough": 600.0}
BYTES_PER_SECOND = 50_000_000  # of a slow disk
ERROR_SHOWN, LOG_SHOWN = 4000, 4000  # characters that are kept
_NOISE = re.compile(r"\[[IV]:onnxruntime")  # what ONNX Runtime tells of placements, of which a crash leaves all
# Ends of a process that are the answer, and not a failure to ask.
TOLD = frozenset({"crashed", "timed-out", "too-much-memory", "cancelled"})


@dataclass(frozen=True)
class ModelProbeSpec:
    """A runtime and the formats that it is tried with. ``expected_seconds``: for a small model, the import included."""

    runtime: str
    stem: str
    formats: tuple[str, ...]
    expected_seconds: float

    @property
    def script(self) -> Path:
        """The file that runs in the interpreter."""
        return script_of(self.stem)


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
    """The runs that an answer tells of. A run that has begun and not ended gets the end of the process as its own."""
    origin = f"{name_of(spec.script)} in {answer.run.interpreter}"
    told = answer.facts.get("runs")
    raw = [each for each in told if isinstance(each, dict)] if isinstance(told, list) else []
    runs = [_run(each, spec, origin) for each in raw]
    ended = answer.run.status if answer.run.status in TOLD else None
    if answer.run.status != "ok" and (ended is None or (ended == "crashed" and not runs)):
        return (ModelRun(origin=origin, runtime=spec.runtime, reason="runtime-broken", error=stage_error(answer)),)
    if ended is not None:
        last = runs.pop() if runs and _is_open(runs[-1]) else ModelRun(origin=origin, runtime=spec.runtime)
        runs.append(_cut_short(last, ended, answer))
    return tuple(runs)


def _run(raw: Mapping[str, Any], spec: ModelProbeSpec, origin: str) -> ModelRun:
    """One run as a fact."""
    values, unread = told_fields(ModelRun, raw)
    return _kept(ModelRun(**{"runtime": spec.runtime, **values}, origin=origin, unread=unread))


def told_fields(kind: type[Fact], raw: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """(The fields of a fact, why others are left out): the process may be broken, so that one is of a wrong type."""
    values: dict[str, Any] = {}
    unread: dict[str, str] = {}
    for field in msgspec.structs.fields(kind):
        if field.name not in raw or field.name in ("origin", "unread"):
            continue
        try:
            values[field.name] = msgspec.convert(raw[field.name], field.type)
        except (msgspec.ValidationError, RecursionError) as error:
            unread[field.name] = str(error)
    return values, unread


def _kept(run: ModelRun) -> ModelRun:
    return msgspec.structs.replace(run, error=kept_error(run.error), log=kept_log(run.log))


def kept_error(error: ErrorText | None) -> ErrorText | None:
    """An error without the length of its texts: Keras names the whole model in it."""
    return error and msgspec.structs.replace(
        error, message=error.message[:ERROR_SHOWN], traceback=error.traceback[-ERROR_SHOWN:]
    )


def kept_log(log: str | None) -> str | None:
    """A log without lines that say nothing or the same again: TBB warns in each thread."""
    lines = dict.fromkeys(line for line in (log or "").splitlines() if not _NOISE.search(line))
    return "\n".join(lines)[:LOG_SHOWN] or None


def _is_open(run: ModelRun) -> bool:
    return run.loaded is not False and run.ran is None and not run.reason and run.error is None


def crash_of(answer: Answer) -> ErrorText:
    """The end of a process that died, as an error."""
    how = answer.run.signal or (f"exit code {answer.run.exit_code}" if answer.run.exit_code else "")
    return ErrorText(type=how or "crash", message=answer.run.detail or "the process ended by itself")


def _cut_short(run: ModelRun, ended: str, answer: Answer) -> ModelRun:
    """A run in which the process died, or was ended."""
    if ended != "crashed":
        return msgspec.structs.replace(run, reason=ended, memory_limit=answer.run.memory_limit)
    error = crash_of(answer)
    state = {"ran": False} if run.loaded else {"loaded": False}
    return _kept(
        msgspec.structs.replace(run, reason=ended, error=error, log=run.log or answer.run.stderr_tail, **state)
    )


def stage_error(answer: Answer) -> ErrorText | None:
    """Why the runtime did not start: the exception of its import, or how the process ended."""
    error = next((stage.error for stage in answer.run.stages if stage.error), None)
    if error is not None:
        return error
    return ErrorText(type=answer.run.status, message=answer.run.detail) if answer.run.detail else None

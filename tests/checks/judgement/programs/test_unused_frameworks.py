"""A framework that the user's own program never loaded is no trouble of it; what was not seen may have loaded it."""

import time

import msgspec
import pytest

from checks.facts import Facts, Frame, LoadedModule, ProgramRun, PythonProcess, Raised, SentFile
from checks.facts.finding import FAILED_RUN, FRAMEWORK, Evidence, Finding, Outcome, Severity, Status
from checks.judgement.programs.runs import with_programs
from checks.judgement.programs.unused_frameworks import with_unused_as_notes

# As b7 of the programs that were broken for an H100: torch alone was loaded, and no GPU was to be seen.
RAISED = Raised(type="RuntimeError", message="No CUDA GPUs are available", frames=(Frame(file="/p/prog.py", line=2),))
PYTHON = PythonProcess(
    pid=1,
    executable="/opt/jax/bin/python",
    is_complete=True,
    raised=RAISED,
    modules=(LoadedModule(name="numpy"), LoadedModule(name="torch"), LoadedModule(name="torch._C")),
)
RUN = ProgramRun(
    command=("/opt/jax/bin/python", "prog.py"),
    exit_code=1,
    processes=1,
    errors='  File "/opt/jax/lib/python3.12/site-packages/torch/cuda/__init__.py"\nRuntimeError: No CUDA GPUs',
    pythons=(PYTHON,),
)


def _found(cause: str, **more: object) -> Outcome:
    finding = Finding(cause=cause, severity=Severity.WARNING, confidence=0.9)
    return Outcome(cause=cause, status=Status.FOUND, findings=(msgspec.structs.replace(finding, **more),))


ONNX = _found("framework-cpu-only-build", subject="onnxruntime")
JAX = _found("jax-falls-back-to-cpu", evidence=(Evidence(FRAMEWORK, "jax 0.11.2", "jax"),))


def _severity(outcome: Outcome, *runs: ProgramRun, **facts: object) -> Severity:
    (judged,) = with_unused_as_notes(Facts(runs=runs, **facts), (outcome,))
    return judged.findings[0].severity


def _with(python: PythonProcess = PYTHON, **more: object) -> ProgramRun:
    return msgspec.structs.replace(RUN, **{"pythons": (python,), **more})


@pytest.mark.parametrize("outcome", [ONNX, JAX])
def test_what_the_program_never_loaded_is_a_note(outcome: Outcome) -> None:
    assert _severity(outcome, RUN) is Severity.NOTE
    calmed = with_programs(Facts(runs=(RUN,)), (outcome,))
    assert {f.severity for judged in calmed for f in judged.findings if f.cause == outcome.cause} == {Severity.NOTE}


def test_also_where_its_import_is_broken_and_nobody_asked_for_it() -> None:
    broken = _found("numpy-abi-mismatch", severity=Severity.BLOCKING, values={FAILED_RUN: "import onnxruntime"})
    assert _severity(broken, RUN) is Severity.NOTE


@pytest.mark.parametrize(
    "module", [LoadedModule(name="onnxruntime"), LoadedModule(name="onnxruntime.capi._pybind_state", file="/x.so")]
)
def test_what_it_loaded_stays_a_warning(module: LoadedModule) -> None:
    run = _with(msgspec.structs.replace(PYTHON, modules=(*PYTHON.modules, module)))
    assert _severity(ONNX, run) is Severity.WARNING
    assert _severity(JAX, run) is Severity.NOTE


def test_jaxlib_alone_is_jax() -> None:
    run = _with(msgspec.structs.replace(PYTHON, modules=(LoadedModule(name="jaxlib"),)))
    assert _severity(JAX, run) is Severity.WARNING


@pytest.mark.parametrize(
    "run",
    [
        _with(processes=2),  # a child of which only the process was seen
        _with(pythons=(PYTHON, PythonProcess(pid=2, executable="/opt/bin/python"))),  # a Python, seen from outside
        _with(msgspec.structs.replace(PYTHON, is_launcher=True)),
        _with(msgspec.structs.replace(PYTHON, is_complete=False)),
        _with(msgspec.structs.replace(PYTHON, modules=())),
        _with(msgspec.structs.replace(PYTHON, modules=tuple(LoadedModule(name=f"m{n}") for n in range(2000)))),
        _with(pythons=()),
        _with(end="watched", exit_code=None),  # it may load more later
        _with(statement="import torch"),  # no program
        _with(end="not-started", pythons=()),
    ],
)
def test_what_was_not_seen_whole_proves_nothing(run: ProgramRun) -> None:
    assert _severity(ONNX, run) is Severity.WARNING


def test_of_several_programs_each_must_have_been_seen() -> None:
    assert _severity(ONNX, RUN, _with(processes=2)) is Severity.WARNING
    assert _severity(ONNX, RUN, RUN) is Severity.NOTE


@pytest.mark.parametrize(
    "more",
    [
        {"errors": "ImportError: ONNX Runtime is needed for this"},
        {"output": "onnxruntime not usable, going on without\n"},
        {"command": ("python", "-m", "onnxruntime.transformers.benchmark")},
        {"pythons": (msgspec.structs.replace(PYTHON, raised=Raised(type="ImportError", name="onnxruntime")),)},
        {"pythons": (msgspec.structs.replace(PYTHON, led_there=(Raised(type="E", message="no onnxruntime"),)),)},
    ],
)
def test_what_its_own_words_name_it_may_have_tried_to_load(more: dict[str, object]) -> None:
    assert _severity(ONNX, _with(**more)) is Severity.WARNING


def test_a_text_that_was_given_may_tell_of_it() -> None:
    log = SentFile(name="log", kind="log", text="2026-11-22 [W:onnxruntime:Default] GPU device discovery failed")
    assert _severity(ONNX, RUN, logs=(log,)) is Severity.WARNING


def test_the_name_of_an_environment_is_no_word_about_a_framework() -> None:
    assert "/opt/jax/" in RUN.errors
    assert _severity(JAX, RUN) is Severity.NOTE


@pytest.mark.parametrize(
    "outcome",
    [
        _found("driver-state-lost", evidence=(Evidence(FRAMEWORK, "jax 0.11.2", "jax"),)),  # of the machine
        _found("pickle-runs-code", subject="onnxruntime"),  # it may do harm
        _found("gpu-hidden-by-environment", subject="CUDA_VISIBLE_DEVICES"),
        _found("framework-cpu-only-build", subject="torch"),  # loaded
        _found("framework-cpu-only-build", subject="onnxruntime", values={FAILED_RUN: RUN.label}),  # it explains it
        _found(
            "onnx-opset-unsupported",
            evidence=(Evidence("model", "m.onnx", "m.onnx"), Evidence(FRAMEWORK, "onnxruntime 1")),
        ),
    ],
)
def test_what_is_no_matter_of_an_unused_framework_stays(outcome: Outcome) -> None:
    assert _severity(outcome, RUN) is Severity.WARNING


@pytest.mark.parametrize("text", ["a" * 100_000, "word " * 20_000, "/" * 100_000])
def test_a_text_without_an_end_costs_no_time(text: str) -> None:
    began = time.monotonic()
    _severity(ONNX, RUN, logs=(SentFile(name="log", kind="log", text=text),))
    assert time.monotonic() - began < 5

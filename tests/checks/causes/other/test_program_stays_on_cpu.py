"""When program-stays-on-cpu speaks, and when it keeps silent; and that a program on the GPU is called so."""

from typing import Any

import msgspec
import pytest

from checks.causes.other.program_stays_on_cpu import program_stays_on_cpu
from checks.facts import (
    DeviceUse,
    Facts,
    FrameworkDevice,
    Frameworks,
    GpuProcess,
    GpuUse,
    InterpreterFacts,
    KernelLaunch,
    LoadedModule,
    MachineFacts,
    NvidiaFacts,
    NvidiaGpu,
    ProgramRun,
    ProgramRuns,
    PythonProcess,
    Symptom,
    TorchFacts,
)
from checks.facts.finding import Finding, NotHere, Severity
from checks.facts.question import SymptomName
from checks.judgement.programs.seen_to_run import still_ran, used_gpu

PYTHON = InterpreterFacts(path="/home/user/env/bin/python")
CARD = FrameworkDevice(device="cuda:0", kernel=KernelLaunch(ran=True))
ON_CUDA = Frameworks(torch=TorchFacts(version="2.11.0", cuda_version="13.0", devices=(CARD,)))
ON_CPU = Frameworks(torch=TorchFacts(version="2.11.0", cuda_version="13.0", devices=()))


def run(*, processes: tuple[int, ...] = (), **inside: Any) -> ProgramRun:
    known = {"gpu_files": (), "is_complete": True, "modules": (LoadedModule(name="torch"),)} | inside
    return ProgramRun(
        command=("python", "train.py"),
        interpreter=PYTHON.path,
        exit_code=0,
        gpu_processes=processes,
        pythons=(PythonProcess(pid=7, executable=PYTHON.path, **known),),
    )


def findings(
    program: ProgramRun, frameworks: Frameworks = ON_CUDA, symptom: str = SymptomName.NOT_ON_GPU
) -> list[Finding]:
    runs = ProgramRuns(runs=(program,), interpreters=(PYTHON,))
    return list(program_stays_on_cpu(Symptom(name=symptom), runs, frameworks, PYTHON))


def test_a_program_that_never_opened_a_gpu_that_works() -> None:
    (finding,) = findings(run(devices=(DeviceUse(framework="torch", device="cpu"),)))
    assert finding.severity is Severity.WARNING
    assert finding.placeholders()["program"] == "python train.py"
    assert finding.placeholders()["computed_on_gpu"] == "torch 2.11.0"
    assert finding.placeholders()["devices_used"] == "cpu"


@pytest.mark.parametrize(
    "program",
    [
        pytest.param(
            run(processes=(7,), devices=(DeviceUse(framework="torch", device="cuda:0", peak_memory=1),)),
            id="put-something-there",
        ),
        pytest.param(run(processes=(7, 8)), id="a-child-that-nobody-looked-into-opened-it"),
        pytest.param(
            run(processes=(7,), modules=(LoadedModule(name="torch"), LoadedModule(name="jax"))),
            id="opened-it-with-a-framework-that-does-not-tell",
        ),
        pytest.param(run(gpu_files=None, modules=(LoadedModule(name="jax"),)), id="nobody-could-look"),
        pytest.param(run(is_complete=False), id="died-before-its-end"),
        pytest.param(run(modules=(LoadedModule(name="csv"),)), id="loaded-no-framework"),
        pytest.param(run(variables={"CUDA_VISIBLE_DEVICES": "1"}), id="hides-the-gpu-itself"),
        pytest.param(msgspec.structs.replace(run(), pythons=()), id="no-python-seen"),
    ],
)
def test_silent(program: ProgramRun) -> None:
    assert not findings(program)


def test_silent_where_the_gpu_itself_does_not_work() -> None:
    assert not findings(run(), ON_CPU)


def test_asked_for_something_else() -> None:
    (finding,) = findings(run(), symptom=SymptomName.EVERYTHING)
    assert finding.severity is Severity.NOTE
    with pytest.raises(NotHere):
        findings(run(), symptom=SymptomName.DOES_NOT_START)


def test_opened_and_left_empty() -> None:
    """Importing torch.optim opens the GPU's file (PyTorch 2.11 on an H100, tests/tools/gpu_environments.py, b34)."""
    (finding,) = findings(run(processes=(7,), gpu_files=("/dev/nvidia0",)))
    assert finding.severity is Severity.WARNING


def test_what_computed_on_the_gpu_is_called_so_only_where_that_was_asked() -> None:
    asked = Symptom(name=SymptomName.NOT_ON_GPU)
    on_it = run(processes=(7,), devices=(DeviceUse(framework="torch", device="cuda:0", peak_memory=1),))
    assert used_gpu(Facts(runs=(on_it,), symptom=asked))
    assert not used_gpu(Facts(runs=(run(processes=(7,)),), symptom=asked)), "opened is not used"
    assert not used_gpu(Facts(runs=(msgspec.structs.replace(on_it, exit_code=1),), symptom=asked))
    assert not used_gpu(Facts(runs=(on_it,), symptom=Symptom(name=SymptomName.DOES_NOT_START)))


def test_the_driver_lists_it_with_memory_of_the_card() -> None:
    card = NvidiaGpu(index=0, processes=(GpuProcess(pid=7, name="python3", used_memory=746586112),))
    machine = MachineFacts(nvidia=NvidiaFacts(devices=(card,)))
    asked = Symptom(name=SymptomName.NOT_ON_GPU)
    assert used_gpu(Facts(runs=(run(processes=(7,)),), machine=machine, symptom=asked))
    assert not used_gpu(Facts(runs=(run(processes=(8,)),), machine=machine, symptom=asked))


@pytest.mark.parametrize("is_own", [True, False, None])
def test_the_driver_listed_it_while_it_ran(is_own: bool | None) -> None:
    asked = Symptom(name=SymptomName.NOT_ON_GPU)
    use = GpuUse(gpu=0, looks=3, is_own=is_own)
    seen = msgspec.structs.replace(run(processes=(7,), gpu_files=("/dev/nvidia0",)), gpu_use=(use,))
    assert used_gpu(Facts(runs=(seen,), symptom=asked)) is (is_own is True)
    assert bool(findings(seen)) is (is_own is not True)


def test_one_that_still_runs_was_looked_at_for_long_enough() -> None:
    outside = PythonProcess(pid=7, executable=PYTHON.path, modules=(LoadedModule(name="torch"),))
    still = msgspec.structs.replace(run(), end="running", exit_code=None, pythons=(outside,), gpu_untouched_for=15.0)
    (finding,) = findings(still)
    assert finding.confidence < 0.9, "what it does later nobody knows"
    assert not findings(msgspec.structs.replace(still, gpu_untouched_for=3.0))
    assert not findings(msgspec.structs.replace(still, gpu_untouched_for=None))
    assert not findings(msgspec.structs.replace(still, gpu_processes=(7,)))


def test_one_that_failed_may_not_have_come_so_far() -> None:
    assert not findings(msgspec.structs.replace(run(), exit_code=1))


def test_one_that_vanished_while_it_was_looked_at_is_not_told_to_run() -> None:
    asked = Symptom(name=SymptomName.DOES_NOT_START)
    still = ProgramRun(command=("python", "train.py"), end="running", seconds=2.0)
    assert still_ran(Facts(runs=(still,), symptom=asked))
    assert not still_ran(Facts(runs=(msgspec.structs.replace(still, detail="gone"),), symptom=asked))


@pytest.mark.parametrize("other", ["ctranslate2", "llama_cpp", "xgboost"])
def test_beside_a_library_that_computes_on_gpus_by_itself(other: str) -> None:
    both = (LoadedModule(name="torch"), LoadedModule(name=other))
    assert not findings(run(processes=(7,), gpu_files=("/dev/nvidia0",), modules=both))


def test_an_allocator_that_does_not_count_proves_nothing() -> None:
    uncounted = (DeviceUse(framework="torch", device="?cuda:0"), DeviceUse(framework="torch", device="cpu"))
    assert not findings(run(processes=(7,), gpu_files=("/dev/nvidia0",), devices=uncounted))

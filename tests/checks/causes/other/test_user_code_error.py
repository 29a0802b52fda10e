"""What a program asks of a GPU that it does not have: its number, the size of its blocks."""

from pathlib import Path

import msgspec
import pytest
from support.runs import SITE, failed

from checks.causes.other.user_code_error import user_code_error
from checks.facts import (
    EnvironmentVariables,
    Facts,
    NvidiaFacts,
    NvidiaGpu,
    Package,
    ProgramRun,
    ProgramRuns,
    PythonProcess,
    Raised,
    SentFile,
)
from checks.facts.case import Answers, Case
from checks.facts.finding import MISSPELT, Finding, NotHere
from checks.facts.programs.watched import Frame
from checks.judgement.judge import judged
from checks.knowledge.phrases import words_of
from checks.readers.tickets.read import TICKET, pasted, read_ticket
from checks.remedies.plan import plan_remedies
from wizard.report.content.report import build
from wizard.report.prints.reply import to_reply

RECORDINGS = Path(__file__).parents[3] / "recordings/runs"
ORDINAL = "CUDA error: invalid device ordinal\nGPU device may be out of range, do you have enough GPUs?"


# As Triton 3.6 said it on an NVIDIA H100 (tests/tools/gpu_environments.py, b50).
OUT_OF_RESOURCES = "out of resource: shared memory, Required: 1048576, Hardware limit: 232448. Reducing block sizes or"


def runs(kind: str, message: str, *frames: Frame) -> ProgramRuns:
    python = PythonProcess(pid=1, raised=Raised(type=kind, message=message, frames=frames))
    return ProgramRuns(runs=(ProgramRun(command=("python", "prog.py"), exit_code=1, pythons=(python,)),))


@pytest.mark.parametrize(
    ("module", "asker", "count"),
    [("utils.plots", "/home/user/app/prog.py", 1), ("utils", f"{SITE}/peft/x.py", 0), ("cv2", "/home/user/p.py", 0)],
)
def test_a_file_of_the_programs_own_is_missed(module: str, asker: str, count: int) -> None:
    message = f"No module named {module!r}"
    findings = found(runs("ModuleNotFoundError", message, Frame(file=asker, line=1)), None, None)
    assert [finding.remedies[0] for finding in findings] == ["find-package-of-module"] * count


def own(code: str, function: str = "<module>") -> Frame:
    return Frame(file="/home/user/app/prog.py", line=3, function=function, code=code)


def gpus(count: int, *, mig: bool = False) -> NvidiaFacts:
    return NvidiaFacts(nvml="ok", devices=tuple(NvidiaGpu(index=at, mig_enabled=mig) for at in range(count)))


def variables(**values: str) -> EnvironmentVariables:
    return EnvironmentVariables(values=values)


def found(failed: ProgramRuns, nvidia: NvidiaFacts | None, environment: EnvironmentVariables | None) -> list[Finding]:
    try:
        return list(user_code_error(failed, nvidia, environment))
    except NotHere:
        return []


def complaint(finding: Finding) -> str:
    return words_of(msgspec.structs.replace(finding, cause="user-code-error"), "en")["complaint"]


def first_of(name: str) -> Finding:
    known = msgspec.json.decode((RECORDINGS / f"{name}.json").read_bytes(), type=Facts)
    return judged(known, Answers(symptom="does-not-start")).findings[0]


@pytest.mark.parametrize(
    ("name", "told", "remedy"),
    [
        ("g28", "The program asks for cuda:1, but the number of GPUs is 1", "name-a-present-gpu"),
        ("g30", "with 2048 threads in a block, and a GPU takes at most 1024", "launch-smaller-blocks"),
        ("g50", "asks for 1048576 of shared memory for one block, and this GPU has 232448", "launch-smaller-blocks"),
        ("g04", "", "repeat-on-the-cpu"),  # told by its words alone, as before
    ],
)
def test_recorded_on_a_real_h100(name: str, told: str, remedy: str) -> None:
    first = first_of(name)
    assert first.cause == "user-code-error"
    assert first.confidence >= 0.85
    assert told in (complaint(first) if told else "")
    assert first.remedies[0] == remedy


@pytest.mark.parametrize(
    "code",
    [
        "torch.cuda.set_device(2)",
        'x = torch.ones(3, device="cuda:2")',
        "model.cuda(2)",
        'torch.device("cuda", 2)',
        "with cupy.cuda.Device(2):",
    ],
)
def test_a_number_that_no_gpu_has(code: str) -> None:
    failed = runs("torch.AcceleratorError", ORDINAL, own(code))
    (finding,) = found(failed, gpus(2), variables())
    assert "asks for cuda:2, but the number of GPUs is 2" in complaint(finding)
    assert found(failed, gpus(3), variables()) == [], "then something else hides it"


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("ValueError", "Invalid CUDA 'device=3' requested. Use 'device=cpu' or pass valid CUDA device(s) if available"),
        (
            "lightning.fabric.utilities.exceptions.MisconfigurationException",
            "You requested gpu: [0, 3]\n But your machine",
        ),
        (
            "onnxruntime.capi.onnxruntime_pybind11_state.Fail",
            "CUDA failure 101: invalid device ordinal ; GPU=3 ; file=",
        ),
        (
            "tensorflow.python.framework.errors_impl.InvalidArgumentError",
            "Could not satisfy device specification '/job:localhost/device:GPU:3'. All available devices [].",
        ),
    ],
)
def test_the_frameworks_name_the_number_themselves(kind: str, message: str) -> None:
    (finding,) = found(runs(kind, message, own("main()")), gpus(2), variables())
    assert "asks for cuda:3, but the number of GPUs is 2" in complaint(finding)


@pytest.mark.parametrize(
    "message",
    [
        "Invalid CUDA 'device=0' requested. Pass valid CUDA device(s), i.e. 'device=0' or 'device=0,1,2,3'",
        "Invalid CUDA 'device=3' requested.\ntorch.cuda.is_available(): False\ntorch.cuda.device_count(): 0",
        "You requested gpu: [3]\n But your machine only has: []",
    ],
)
def test_a_framework_that_sees_no_gpu_at_all_is_another_cause(message: str) -> None:
    assert found(runs("ValueError", message, own("main()")), gpus(2), variables()) == []


@pytest.mark.parametrize(
    ("nvidia", "environment"),
    [
        (gpus(2), variables(CUDA_VISIBLE_DEVICES="0")),  # gpu-hidden-by-environment
        (gpus(1, mig=True), variables()),
        (None, variables()),
        (gpus(1), None),
    ],
)
def test_silent_where_a_variable_decides_or_nobody_counted(
    nvidia: NvidiaFacts | None, environment: EnvironmentVariables | None
) -> None:
    assert found(runs("RuntimeError", ORDINAL, own("torch.cuda.set_device(1)")), nvidia, environment) == []


def test_a_number_from_somewhere_is_less_sure() -> None:
    (finding,) = found(runs("RuntimeError", ORDINAL, own("model.to(args.device)")), gpus(1), variables())
    assert 0.7 <= finding.confidence < 0.9
    assert "by a number that none has" in complaint(finding)


def test_a_checkpoint_of_another_machine_is_another_cause() -> None:
    load = Frame(file="/env/lib/python3.12/site-packages/torch/serialization.py", code="obj.cuda(1)")
    assert found(runs("RuntimeError", ORDINAL, own('torch.load("w.pt")'), load), gpus(1), variables()) == []


@pytest.mark.parametrize(
    ("kind", "message", "frames", "told"),
    [
        (
            "numba.cuda.cudadrv.driver.CudaAPIError",
            "[1] Call to cuLaunchKernel results in CUDA_ERROR_INVALID_VALUE",
            (
                own("scale[1, (64, 64)](x)"),
                Frame(file="/env/lib/python3.12/site-packages/numba_cuda/numba/cuda/dispatcher.py", function="_launch"),
            ),
            "4096 threads",
        ),
        (
            "pycuda._driver.LogicError",
            "cuLaunchKernel failed: invalid argument",
            (
                own("f(x, block=(2000, 1, 1), grid=(1, 1))"),
                Frame(file="/env/lib/python3.12/site-packages/pycuda/driver.py", function="_launch_kernel"),
            ),
            "2000 threads",
        ),
        ("RuntimeError", "CUDA error: invalid configuration argument", (own("raise RuntimeError(e)"),), "no GPU takes"),
        (
            "numba.cuda.cudadrv.driver.CudaAPIError",
            "[701] Call to cuLaunchKernel results in CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
            (
                own("scale[1, 1024](x)"),
                Frame(file="/env/lib/python3.12/site-packages/numba/cuda/dispatcher.py", function="launch"),
                Frame(file="/env/lib/python3.12/site-packages/numba/cuda/cudadrv/driver.py", function="launch_kernel"),
                own("scale[1, 1024](x)"),
            ),
            "more registers or shared memory",
        ),
    ],
)  # fmt: skip
def test_a_kernel_of_the_programs_own(kind: str, message: str, frames: tuple[Frame, ...], told: str) -> None:
    (finding,) = found(runs(kind, message, *frames), gpus(1), variables())
    assert told in complaint(finding)
    assert finding.remedies[0] == "launch-smaller-blocks"


@pytest.mark.parametrize(
    ("caller", "told"),
    [
        (own("product[(1,)](a, a, c, n)"), "asks for 1048576 of shared memory for one block, and this GPU has 232448"),
        (Frame(file="/e/lib/python3.12/site-packages/flash_attn/flash_attn_triton.py", code="f[grid](q)"), ""),
    ],
)
def test_a_triton_kernel_that_wants_too_much(caller: Frame, told: str) -> None:
    """Who launches it is whose kernel it is: what a package launches, its maker tuned for another GPU."""
    inner = Frame(file="/e/lib/python3.12/site-packages/triton/compiler/compiler.py", function="_init_handles")
    failed = runs("triton.runtime.errors.OutOfResources", OUT_OF_RESOURCES, own("main()"), caller, inner)
    assert [complaint(finding) for finding in found(failed, gpus(1), variables())] == (
        [f"The kernel of the program {told}"] if told else []
    )


def test_a_kernel_of_pytorch_is_not_the_programs() -> None:
    message = "CUDA error: invalid configuration argument\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side"
    assert found(runs("torch.AcceleratorError", message, own("y = torch.sort(x)")), gpus(1), variables()) == []


TRITON = Frame(file="/env/lib/python3.12/site-packages/triton/runtime/jit.py", function="run")


def test_a_triton_kernel_is_the_programs_own_unless_a_package_brings_it() -> None:
    kind, call = "triton.runtime.errors.OutOfResources", own("product[(1,)](a, a, c, n)")
    (finding,) = found(runs(kind, OUT_OF_RESOURCES, call, TRITON), gpus(1), variables())
    assert "asks for 1048576 of shared memory" in complaint(finding)
    package = Frame(file="/env/lib/python3.12/site-packages/vllm/attention/ops/prefix_prefill.py", function="forward")
    assert found(runs(kind, OUT_OF_RESOURCES, own("llm.generate(x)"), package, TRITON), gpus(1), variables()) == []


def test_a_wrong_value_elsewhere_is_no_launch() -> None:
    message = "[1] Call to cuMemcpyHtoD results in CUDA_ERROR_INVALID_VALUE"
    assert (
        found(runs("numba.cuda.cudadrv.driver.CudaAPIError", message, own("cuda.to_device(x)")), gpus(1), variables())
        == []
    )


def test_that_no_such_slip_was_seen_clears_nothing() -> None:
    with pytest.raises(NotHere):
        list(user_code_error(runs("KeyError", "'x'", own("d['x']")), gpus(1), variables()))


def test_silent_where_the_program_itself_says_which_gpus_it_sees() -> None:
    (run,) = runs("torch.AcceleratorError", ORDINAL, own("model.to(device)")).runs
    (python,) = run.pythons
    hides = msgspec.structs.replace(python, variables={"CUDA_VISIBLE_DEVICES": "0"})
    told = ProgramRuns(runs=(msgspec.structs.replace(run, pythons=(hides,)),))
    assert found(ProgramRuns(runs=(run,)), gpus(4), variables())
    assert not found(told, gpus(4), variables())


@pytest.mark.parametrize(("written", "confidence"), [("scikit_learn", 0.93), ("sklern", 0.85)])
def test_a_misspelt_import_of_what_is_installed(written: str, confidence: float) -> None:
    message = f"No module named {written!r}"
    facts = failed(
        Raised(type="ModuleNotFoundError", message=message, name=written, frames=(own(f"import {written}"),)),
        Package(name="scikit-learn", version="1.7.2"),
    )
    (finding,) = found(facts.program_runs, None, None)
    assert finding.confidence == confidence
    assert finding.remedies[0] == "write-the-right-import"
    assert f"imports “{written}”" in complaint(finding)
    assert "scikit-learn is imported as “sklearn”" in complaint(finding)
    judgement = judged(facts, Answers(symptom="does-not-start"))
    assert judgement.findings[0].cause == "user-code-error"


def lacks(name: str, module: str = "torch", *, near: tuple[str, ...] = (), said: str = "") -> Facts:
    """A program that imports a name which the installed torch has not."""
    raised = Raised(
        type="ImportError",
        message=f"cannot import name {name!r} from {module!r} (/env/site-packages/{module}/__init__.py){said}",
        near=near,
        frames=(own(f"from {module} import {name}"),),
    )
    return failed(raised, Package(name=module, version="2.13.0"))


@pytest.mark.parametrize(
    ("facts", "statement", "confidence"),
    [
        (lacks("nm", near=("nn", "ne", "np")), "from torch import nn", 0.75),
        (lacks("tensr", near=("tensor",)), "from torch import tensor", 0.85),
        (lacks("tensor", near=("Tensor",)), "from torch import Tensor", 0.93),
    ],
)
def test_a_name_that_is_nearly_one_of_the_module(facts: Facts, statement: str, confidence: float) -> None:
    first = judged(facts, Answers(symptom="does-not-start")).findings[0]
    assert (first.cause, first.confidence) == ("user-code-error", confidence)
    assert first.named("import_statement") == statement
    assert first.remedies[0] == "write-the-right-name"
    assert f"torch has “{statement.rsplit(maxsplit=1)[-1]}”" in complaint(first)


def test_a_name_that_is_like_none_or_went_with_a_release_is_no_slip() -> None:
    for facts in (lacks("frobnicate", near=("function",)), lacks("xn", near=("nn",)), lacks("nm")):
        findings = judged(facts, Answers(symptom="does-not-start")).findings
        assert not [finding for finding in findings if MISSPELT in finding.values]
    gone = lacks("cached_download", "huggingface_hub", near=("cached_downloads", "cached_downloaf"))
    first = judged(gone, Answers(symptom="does-not-start")).findings[0]
    assert first.cause == "dependency-version-conflict"


def test_the_text_of_the_same_import_accuses_no_package() -> None:
    facts = lacks("nm", near=("nn",))
    raised = facts.runs[0].pythons[0].raised
    assert raised is not None
    log = SentFile(name="log", kind="log", text=TRACEBACK.format(code="", error=f"{raised.type}: {raised.message}"))
    findings = judged(msgspec.structs.replace(facts, logs=(log,)), Answers(symptom="does-not-start")).findings
    assert [finding.cause for finding in findings] == ["user-code-error"]


TRACEBACK = """Traceback (most recent call last):
  File "/home/me/train.py", line 1, in <module>
    {code}
{error}
"""


def ticket(code: str, error: str) -> Case:
    return judged(read_ticket(pasted(TRACEBACK.format(code=code, error=error))), Answers(symptom=TICKET))


@pytest.mark.parametrize(
    ("written", "statement"),
    [("scikit_learn", "import sklearn"), ("sklearnn", "import sklearn"), ("Torch", "import torch")],
)
def test_a_pasted_misspelt_import_gets_the_right_name(written: str, statement: str) -> None:
    case = ticket(f"import {written}", f"ModuleNotFoundError: No module named '{written}'")
    first = case.findings[0]
    assert (first.cause, first.remedies[0]) == ("user-code-error", "write-the-right-import")
    assert first.named("import_statement") == statement
    assert first.confidence <= 0.93, "no surer than the slip itself"
    for language in ("en", "ja"):
        title = plan_remedies(first, case.facts, language)[0].title
        assert statement in title
        assert written in to_reply(build(case, language))


def test_pythons_own_suggestion_in_a_pasted_text_is_heard() -> None:
    lacking = "ImportError: cannot import name 'AutoTokeniser' from 'transformers' (/x/transformers/__init__.py)"
    case = ticket("from transformers import AutoTokeniser", f"{lacking}. Did you mean: 'AutoTokenizer'?")
    assert case.findings[0].named("import_statement") == "from transformers import AutoTokenizer"
    case = ticket("from torch import nm", "ImportError: cannot import name 'nm' from 'torch' (/x/torch/__init__.py)")
    assert case.findings[0].named("import_statement") == "from torch import nn", "the table knows what torch has"


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("import sklearn", "ModuleNotFoundError: No module named 'sklearn'"),
        ("import my_helpers", "ModuleNotFoundError: No module named 'my_helpers'"),
        ("from torch import frobnicate", "ImportError: cannot import name 'frobnicate' from 'torch' (/x/torch.py)"),
    ],
)
def test_of_another_pasted_import_no_slip_is_guessed(code: str, error: str) -> None:
    assert not [finding for finding in ticket(code, error).findings if MISSPELT in finding.values]

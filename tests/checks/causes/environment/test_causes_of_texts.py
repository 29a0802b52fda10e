"""The causes that only the words of a failed import show: when they speak, and when they keep silent."""

import pytest

from checks.causes.environment.executable_stack_refused import executable_stack_refused
from checks.causes.environment.static_tls_exhausted import static_tls_exhausted
from checks.causes.environment.vc_redist_missing import vc_redist_missing
from checks.causes.environment.windows_page_file_too_small import windows_page_file_too_small
from checks.causes.registry import Check
from checks.facts import ErrorText, Frameworks, OnnxRuntimeFacts, OsFacts, TorchFacts
from checks.facts.finding import Inconclusive, NotHere, Severity, Unread

CASES = [
    pytest.param(
        vc_redist_missing,
        # pytorch/pytorch#169429
        "OSError",
        "[WinError 1114] A dynamic link library (DLL) initialization routine failed. Error loading "
        '"C:\\Python\\Lib\\site-packages\\torch\\lib\\c10.dll" or one of its dependencies.',
        id="vc-redist",
    ),
    pytest.param(
        vc_redist_missing,
        # pytorch/pytorch#131662, as a Japanese Windows words it
        "OSError",
        '[WinError 126] 指定されたモジュールが見つかりません。 Error loading "C:\\torch\\lib\\fbgemm.dll" or',
        id="vc-redist-japanese",
    ),
    pytest.param(
        executable_stack_refused,
        # conda-forge/pytorch-cpu-feedstock#350
        "ImportError",
        "libtorch_cpu.so: cannot enable executable stack as shared object requires: Invalid argument",
        id="executable-stack",
    ),
    pytest.param(
        static_tls_exhausted,
        # NVIDIA-AI-IOT/trt_pose#111
        "OSError",
        "/usr/lib/aarch64-linux-gnu/libgomp.so.1: cannot allocate memory in static TLS block",
        id="static-tls",
    ),
    pytest.param(
        windows_page_file_too_small,
        # WeCLIP#5
        "OSError",
        '[WinError 1455] 页面文件太小，无法完成操作。 Error loading "D:\\lib\\cudnn_cnn_infer64_8.dll" or',
        id="page-file",
    ),
]
CHECKS = [vc_redist_missing, executable_stack_refused, static_tls_exhausted, windows_page_file_too_small]


@pytest.mark.parametrize(("check", "kind", "message"), CASES)
def test_speaks(check: Check, kind: str, message: str) -> None:
    torch = TorchFacts(version="2.9.0", imported=False, error=ErrorText(type=kind, message=message))
    (finding,) = check(Frameworks(torch=torch), None, None)
    assert finding.cause == check.cause
    assert finding.severity is Severity.BLOCKING
    assert finding.placeholders()["package"] == "torch 2.9.0"
    assert finding.placeholders()["clue"].startswith(f"{kind}: ")


@pytest.mark.parametrize("check", CHECKS)
def test_silent(check: Check) -> None:
    other = ErrorText(type="ImportError", message="libcudnn.so.9: cannot open shared object file: No such file")
    frameworks = Frameworks(
        torch=TorchFacts(version="2.9.0", imported=True),
        onnxruntime=OnnxRuntimeFacts(version="1.20.0", imported=False, error=other),
    )
    assert list(check(frameworks, None, None)) == []


@pytest.mark.parametrize("check", CHECKS)
def test_open(check: Check) -> None:
    with pytest.raises(Inconclusive):
        list(check(Frameworks(), None, None))
    with pytest.raises(Unread):
        list(check(Frameworks(torch=TorchFacts(version="2.9.0")), None, None))


@pytest.mark.parametrize(
    ("check", "system"),
    [
        (vc_redist_missing, "Linux"),
        (windows_page_file_too_small, "Darwin"),
        (executable_stack_refused, "Windows"),
        (static_tls_exhausted, "Darwin"),
    ],
)
def test_nothing_to_check_on_another_system(check: Check, system: str) -> None:
    frameworks = Frameworks(torch=TorchFacts(version="2.9.0", imported=True))
    with pytest.raises(NotHere):
        list(check(frameworks, None, OsFacts(system=system)))


def test_the_library_that_came_too_late_is_known_to_the_remedy() -> None:
    message = "/usr/lib/aarch64-linux-gnu/libgomp.so.1: cannot allocate memory in static TLS block"
    torch = TorchFacts(imported=False, error=ErrorText(type="OSError", message=message))
    (finding,) = static_tls_exhausted(Frameworks(torch=torch), None, None)
    assert finding.placeholders()["library"] == "/usr/lib/aarch64-linux-gnu/libgomp.so.1"

"""When openmp-duplicate-runtime speaks, and when it keeps silent."""

import pytest

from checks.causes.environment.openmp_duplicate_runtime import openmp_duplicate_runtime
from checks.facts import EnvironmentVariables, Frameworks, LibraryFile, ProbeRun, ProbeRuns, StageRun, TorchFacts
from checks.facts.finding import Finding, Inconclusive, Severity, Unread


def findings(
    *paths: str, switch: str | None = None, probes: ProbeRuns | None = None, imported: bool | None = True
) -> list[Finding]:
    torch = TorchFacts(
        version="2.6.0",
        imported=imported,
        loaded_libraries=tuple(LibraryFile(path=path) for path in paths) if imported else None,
    )
    environment = EnvironmentVariables(values={"KMP_DUPLICATE_LIB_OK": switch} if switch else {})
    return list(openmp_duplicate_runtime(Frameworks(torch=torch), environment, probes))


@pytest.mark.parametrize(
    "paths",
    [
        pytest.param(
            ("C:\\env\\Library\\bin\\libiomp5md.dll", "C:\\env\\Lib\\site-packages\\torch\\lib\\libiomp5md.dll"),
            id="intel-twice",
        ),
        pytest.param(("/env/lib/libomp.dylib", "/env/torch/lib/libiomp5.dylib"), id="llvm-and-intel"),
        pytest.param(("C:\\torch\\lib\\libiomp5md.dll", "C:\\faiss\\libomp140.x86_64.dll"), id="llvm-of-microsoft"),
    ],
)
def test_speaks_from_the_loaded_libraries(paths: tuple[str, ...]) -> None:
    (finding,) = findings(*paths)
    assert finding.severity is Severity.WARNING
    assert finding.placeholders()["package"] == "torch 2.6.0"


def test_speaks_from_the_last_words_of_a_process() -> None:
    # faiss-wheels/faiss-wheels#40
    run = ProbeRun(
        probe="torch",
        status="crashed",
        signal="SIGABRT",
        stages=(StageRun(name="imported"),),
        stderr_tail="OMP: Error #15: Initializing libomp.a, but found libiomp5.dylib already initialized.\n",
    )
    (finding,) = findings(probes=ProbeRuns(runs=(run,)), imported=None)
    assert finding.severity is Severity.BLOCKING


def test_a_process_that_died_before_it_told_anything_is_heard() -> None:
    run = ProbeRun(
        probe="onnxruntime",
        status="crashed",
        signal="SIGABRT",
        stages=(StageRun(name="imported"),),
        stderr_tail="OMP: Error #15: Initializing libiomp5md.dll, but found libomp140.x86_64.dll already initialized.",
    )
    (finding,) = openmp_duplicate_runtime(Frameworks(), None, ProbeRuns(runs=(run,)))
    assert finding.placeholders()["package"] == "onnxruntime"
    assert finding.severity is Severity.BLOCKING


def test_a_switch_alone_is_a_note() -> None:
    (finding,) = findings(switch="TRUE")
    assert finding.severity is Severity.NOTE
    assert finding.placeholders()["clue"] == "KMP_DUPLICATE_LIB_OK=TRUE"


@pytest.mark.parametrize(
    ("paths", "switch"),
    [
        pytest.param(("/env/torch/lib/libgomp-a34b3233.so.1",), None, id="one"),
        pytest.param(("/env/torch.libs/libgomp-1.so", "/env/scikit_learn.libs/libgomp-2.so"), None, id="gnu-twice"),
        pytest.param(("/env/lib/libiomp5.so", "/usr/lib/libgomp.so.1"), None, id="intel-and-gnu"),
        pytest.param((), "FALSE", id="switch-off"),
    ],
)
def test_silent(paths: tuple[str, ...], switch: str | None) -> None:
    assert findings(*paths, switch=switch) == []


def test_open() -> None:
    with pytest.raises(Unread):
        findings(imported=None)
    with pytest.raises(Inconclusive):
        list(openmp_duplicate_runtime(Frameworks(), None, None))

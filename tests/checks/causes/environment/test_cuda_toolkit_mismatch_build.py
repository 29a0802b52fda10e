"""When cuda-toolkit-mismatch-build speaks, and when it keeps silent."""

import pytest

from checks.causes.environment.cuda_toolkit_mismatch_build import cuda_toolkit_mismatch_build
from checks.facts import EnvironmentVariables, TorchFacts
from checks.facts.finding import Finding, Severity, Unread
from checks.knowledge.phrases import words_of

HOME = "/usr/local/cuda-11.8"


def findings(
    home: str | None, version: str | None, *, nvcc: str | None = None, cuda: str | None = "12.4", variable: str = ""
) -> list[Finding]:
    environment = EnvironmentVariables(
        values={"CUDA_HOME": variable} if variable else {},
        cuda_home=home,
        nvcc=f"{home}/bin/nvcc" if nvcc is None and home else nvcc,
        nvcc_version=version,
    )
    return list(cuda_toolkit_mismatch_build(TorchFacts(version="2.5.1", cuda_version=cuda), environment))


def test_speaks_of_another_major_version() -> None:
    (finding,) = findings(HOME, "11.8")
    assert finding.severity is Severity.NOTE
    assert finding.placeholders()["nvcc_version"] == "11.8"
    assert finding.placeholders()["cuda_major"] == "12"


def test_speaks_of_a_variable_that_leads_nowhere() -> None:
    # Dao-AILab/flash-attention#264
    (finding,) = findings(":/usr/local/cuda-11.7", None, nvcc="", variable=":/usr/local/cuda-11.7", cuda="11.7")
    assert finding.placeholders()["cuda_home"] == ":/usr/local/cuda-11.7"
    assert words_of(finding, "en")["toolkit"] == "there is no CUDA compiler in :/usr/local/cuda-11.7"


@pytest.mark.parametrize(
    ("home", "version", "nvcc", "cuda"),
    [
        pytest.param("/usr/local/cuda-12.1", "12.1", None, "12.4", id="another-minor-version"),
        pytest.param("", None, "", "12.4", id="no-toolkit"),
        pytest.param(HOME, "11.8", None, "", id="cpu-build"),
    ],
)
def test_silent(home: str, version: str | None, nvcc: str | None, cuda: str) -> None:
    assert findings(home, version, nvcc=nvcc, cuda=cuda) == []


@pytest.mark.parametrize(
    ("home", "version", "cuda"),
    [
        pytest.param(None, None, "12.4", id="toolkit-unread"),
        pytest.param("/opt/cuda", None, "12.4", id="version-unread"),
        pytest.param(HOME, "11.8", None, id="build-unread"),
    ],
)
def test_open(home: str | None, version: str | None, cuda: str | None) -> None:
    with pytest.raises(Unread):
        findings(home, version, cuda=cuda)

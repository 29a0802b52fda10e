"""When cublas-workspace-unset speaks, and when it keeps silent."""

import pytest
from support.recorded_repeats import left_out, measurements, repeat

from checks.causes.reproducibility.cublas_workspace_unset import cublas_workspace_unset
from checks.facts import EnvironmentVariables, ErrorText, Measurements, Repeat, TorchFacts
from checks.facts.finding import Finding, NotHere, Severity, Unread

ERROR = ErrorText(
    type="RuntimeError",
    message=(
        "Deterministic behavior was enabled with either `torch.use_deterministic_algorithms(True)` or "
        "`at::Context::setDeterministicAlgorithms(true)`, but this operation is not deterministic because it "
        "uses CuBLAS"
    ),
    traceback="",
)
MODE = {"torch.are_deterministic_algorithms_enabled": True}
REFUSED = (repeat("matmul"), left_out("matmul", "deterministic", "workspace-not-set", ERROR))


def findings(
    *made: Repeat,
    version: str = "2.7.1",
    cuda: str | None = "12.8",
    settings: dict[str, object] | None = None,
    **variables: str,
) -> list[Finding]:
    torch = TorchFacts(version=version, cuda_version=cuda, settings=settings or {})
    given: Measurements | None = measurements(*made) if made else None
    return list(cublas_workspace_unset(torch, EnvironmentVariables(values=variables), given))


def test_speaks_where_the_products_were_refused() -> None:
    (finding,) = findings(*REFUSED)
    told = {each.name: each.value for each in finding.evidence}
    assert finding.severity is Severity.NOTE
    assert told["refused_operations"] == "matmul"
    assert "uses CuBLAS" in told["error_text"]


def test_a_warning_where_the_mode_is_on() -> None:
    (finding,) = findings(settings=MODE)
    assert finding.severity is Severity.WARNING


def test_speaks_of_a_layer_that_the_variable_mends() -> None:
    (finding,) = findings(
        repeat("lstm-backward", distinct=3, counts=(100, 100, 100)),
        repeat("lstm-backward", "deterministic", distinct=2),
        repeat("lstm-backward", "deterministic-workspace"),
    )
    assert {each.name: each.value for each in finding.evidence}["varying_operation"] == "lstm-backward"


def test_a_value_that_does_not_help() -> None:
    (finding,) = findings(*REFUSED, CUBLAS_WORKSPACE_CONFIG=":4096:2")
    assert {each.name: each.value for each in finding.evidence}["workspace_variable"].endswith("=:4096:2")


@pytest.mark.parametrize("value", [":4096:8", ":16:8"])
def test_silent_where_it_is_set(value: str) -> None:
    assert findings(*REFUSED, settings=MODE, CUBLAS_WORKSPACE_CONFIG=value) == []


def test_silent_where_nobody_wants_the_mode() -> None:
    assert findings(repeat("matmul"), repeat("matmul", "deterministic")) == []
    assert findings() == []


@pytest.mark.parametrize(("version", "cuda"), [("2.10.0", "13.0"), ("2.7.1", ""), ("1.8.0", "10.1")])
def test_not_every_build_wants_it(version: str, cuda: str) -> None:
    with pytest.raises(NotHere):
        findings(settings=MODE, version=version, cuda=cuda)


def test_an_unread_build_is_not_called_fine() -> None:
    with pytest.raises(Unread):
        findings(settings=MODE, cuda=None)

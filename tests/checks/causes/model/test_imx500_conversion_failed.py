"""When a converted network does not fit into the IMX500."""

import pytest

from checks.causes.model.imx500_conversion_failed import imx500_conversion_failed
from checks.facts import ModelFacts, ModelFiles
from checks.facts.finding import Finding, Severity


def findings(coefficients: int, working: int, reserved: int = 1024) -> list[Finding]:
    details = {
        "memory-coefficients": str(coefficients),
        "memory-working": str(working),
        "memory-reserved": str(reserved),
    }
    model = ModelFacts(path="/m/packerOut.zip", name="packerOut.zip", format="imx500-packer", details=details)
    return list(imx500_conversion_failed(ModelFiles(files=(model,))))


def test_more_than_the_sensor_holds() -> None:
    (found,) = findings(6_000_000, 3_000_000)
    assert found.severity is Severity.BLOCKING
    assert found.remedies == ("shrink-model-for-imx500",)
    evidence = {each.name: each.value for each in found.evidence}
    assert (evidence["memory_needed"], evidence["sensor_memory"]) == ("9001024 bytes", "8388480 bytes")


@pytest.mark.parametrize(
    ("coefficients", "working"),
    [
        pytest.param(2_694_624, 4_699_136, id="a-real-detector"),
        pytest.param(8_000_000, 387_456, id="exactly-full"),
    ],
)
def test_silent(coefficients: int, working: int) -> None:
    assert findings(coefficients, working) == []


def test_without_the_figures_it_is_silent() -> None:
    assert list(imx500_conversion_failed(ModelFiles(files=(ModelFacts(format="imx500-packer"),)))) == []

"""When driver-regression speaks, and when it keeps silent."""

import pytest

from checks.causes.driver.driver_regression import driver_regression
from checks.facts import (
    NvidiaFacts,
    NvidiaGpu,
    OsFacts,
)
from checks.facts.finding import Severity


@pytest.mark.parametrize(
    ("system", "driver", "gpu", "found"),
    [
        pytest.param("Windows", "537.42", "NVIDIA GeForce RTX 3060", 1, id="in-the-range"),
        pytest.param("Windows", "546.01", "NVIDIA GeForce RTX 3060", 0, id="first-that-is-good"),
        pytest.param("Linux", "535.104.05", "NVIDIA GeForce RTX 3060", 0, id="another-system"),
        pytest.param("Windows", "580.88", "NVIDIA GeForce RTX 5060 Laptop GPU", 1, id="open-range"),  # llama.cpp#23765
        pytest.param("Windows", "576.33", "NVIDIA GeForce RTX 5060 Laptop GPU", 0, id="the-good-one"),
        pytest.param("Windows", "580.88", "NVIDIA GeForce RTX 5090", 0, id="another-gpu"),
    ],
)
def test_speaks_within_the_range_only(system: str, driver: str, gpu: str, found: int) -> None:
    nvidia = NvidiaFacts(driver_version=driver, devices=(NvidiaGpu(index=0, name=gpu),))
    findings = list(driver_regression(nvidia, OsFacts(system=system), None))
    assert len(findings) == found
    assert all(finding.severity is Severity.NOTE for finding in findings)

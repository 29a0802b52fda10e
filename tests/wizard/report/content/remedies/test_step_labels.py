"""The numbers of steps: what is done one after the other is counted, and what is done instead is not."""

import pytest

from checks.remedies.plan import PlannedStep
from wizard.report.content.remedies.step_labels import step_numbers


def step(platforms: str = "", managers: str = "") -> PlannedStep:
    return PlannedStep(kind="command", platforms=tuple(platforms.split()), managers=tuple(managers.split()))


@pytest.mark.parametrize(
    ("steps", "numbers"),
    [
        ([step()], [""]),
        ([step(), step(), step()], ["1.", "2.", "3."]),
        ([step("linux"), step("windows"), step("container"), step("macos"), step("wsl")], [""] * 5),
        ([step(managers="pip uv"), step(managers="conda mamba")], ["", ""]),
        ([step(managers="conda mamba"), step(), step()], ["1.", "2.", "3."]),
        ([step("linux", "apt"), step("linux", "dnf"), step("windows"), step("linux")], ["1.", "1.", "1.", "2."]),
        ([step("linux"), step("linux"), step("windows"), step()], ["1.", "2.", "1.", "3."]),
        ([step("linux", "apt"), step(managers="pip"), step(managers="conda")], ["1.", "2.", "2."]),
    ],
)
def test_only_what_follows_another_step_is_counted_behind_it(steps: list[PlannedStep], numbers: list[str]) -> None:
    assert list(step_numbers(steps)) == numbers

"""When gpu-mig-misconfigured speaks, and when it keeps silent."""

import pytest

from checks.causes.hardware.gpu_mig_misconfigured import gpu_mig_misconfigured
from checks.facts import EnvironmentVariables, MigInstance, NvidiaFacts, NvidiaGpu
from checks.facts.finding import Finding, Severity

HALF = (MigInstance(index=0, profile="3g.20gb"),)


def card(index: int = 0, **state: object) -> NvidiaGpu:
    return NvidiaGpu(index=index, name="NVIDIA A100-PCIE-40GB", **state)  # type: ignore[arg-type]


def findings(*cards: NvidiaGpu, wanted: str | None = None) -> list[Finding]:
    environment = EnvironmentVariables(values={} if wanted is None else {"CUDA_VISIBLE_DEVICES": wanted})
    return list(gpu_mig_misconfigured(NvidiaFacts(devices=cards), environment))


@pytest.mark.parametrize(
    ("cards", "wanted", "severity", "remedy"),
    [
        pytest.param(  # nanoporetech/megalodon#275
            (card(mig_enabled=True, mig_pending=True, mig_instances=()),),
            None,
            Severity.BLOCKING,
            "create-mig-instance",
            id="no-instance",
        ),
        pytest.param(
            (card(mig_enabled=True, mig_pending=True, mig_instances=()), card(1, mig_enabled=False, mig_pending=False)),
            None,
            Severity.WARNING,
            "create-mig-instance",
            id="no-instance-on-one-of-two",
        ),
        pytest.param(
            (card(mig_enabled=False, mig_pending=True),), None, Severity.WARNING, "reset-gpu", id="reset-is-due"
        ),
        pytest.param(
            (card(mig_enabled=False, mig_pending=False),),
            "MIG-1c6d",
            Severity.BLOCKING,
            "unset-device-variable",
            id="mig-name-without-mig",
        ),
    ],
)
def test_speaks(cards: tuple[NvidiaGpu, ...], wanted: str | None, severity: Severity, remedy: str) -> None:
    (finding,) = findings(*cards, wanted=wanted)
    assert finding.severity is severity
    assert finding.remedies[0] == remedy


@pytest.mark.parametrize(
    ("card", "wanted"),
    [
        pytest.param(card(mig_enabled=False, mig_pending=False, mig_instances=()), None, id="off"),
        pytest.param(
            card(mig_enabled=True, mig_pending=True, mig_instances=HALF), "MIG-1c6d", id="on-with-an-instance"
        ),
        pytest.param(card(mig_enabled=None), None, id="gpu-without-mig"),
        pytest.param(card(mig_enabled=True, mig_pending=True, mig_instances=None), None, id="instances-unread"),
        pytest.param(card(mig_enabled=None), "MIG-1c6d", id="mode-unread"),
    ],
)
def test_silent(card: NvidiaGpu, wanted: str | None) -> None:
    assert findings(card, wanted=wanted) == []

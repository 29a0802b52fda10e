"""When shared-memory-too-small speaks, and when it keeps silent."""

import pytest

from checks.causes.environment.shared_memory_too_small import shared_memory_too_small
from checks.facts import InterpreterFacts, MemoryFacts, OsFacts, Package, TorchFacts
from checks.facts.finding import Finding, NotHere, Severity, Unread

MIB = 1024 * 1024
LINUX = OsFacts(system="Linux", container="docker")
TORCH = InterpreterFacts(path="/usr/bin/python3", packages=(Package(name="torch", version="2.6.0"),))


def findings(
    total: int | None,
    free: int | None = None,
    os: OsFacts = LINUX,
    interpreter: InterpreterFacts = TORCH,
    torch: TorchFacts | None = None,
) -> list[Finding]:
    return list(shared_memory_too_small(os, MemoryFacts(shm_total=total, shm_free=free), interpreter, torch))


@pytest.mark.parametrize(
    ("total", "free", "shown"),
    [
        pytest.param(64 * MIB, 64 * MIB, "64 MiB", id="docker-default"),
        pytest.param(0, None, "0 MiB", id="none-at-all"),
        pytest.param(8192 * MIB, 10 * MIB, "10 MiB", id="full"),
        pytest.param(128 * MIB - 1, None, "128 MiB", id="just-below"),
    ],
)
def test_speaks(total: int, free: int | None, shown: str) -> None:
    (finding,) = findings(total, free)
    assert finding.severity is Severity.WARNING
    assert finding.placeholders()["shm_free"] == shown


def test_a_torch_that_answered_needs_no_list_of_packages() -> None:
    (finding,) = findings(64 * MIB, interpreter=InterpreterFacts(path="/p"), torch=TorchFacts(imported=True))
    assert finding.placeholders()["shm_total"] == "64 MiB"


@pytest.mark.parametrize(
    ("total", "interpreter"),
    [
        pytest.param(128 * MIB, TORCH, id="just-enough"),
        pytest.param(64 * MIB, InterpreterFacts(path="/p", packages=()), id="no-data-loader"),
    ],
)
def test_silent(total: int, interpreter: InterpreterFacts) -> None:
    assert findings(total, interpreter=interpreter) == []


def test_nothing_to_check_on_macos() -> None:
    with pytest.raises(NotHere):
        findings(64 * MIB, os=OsFacts(system="Darwin"))


@pytest.mark.parametrize(
    ("total", "interpreter"),
    [
        pytest.param(None, TORCH, id="size-unread"),
        pytest.param(64 * MIB, InterpreterFacts(path="/p"), id="packages-unread"),
    ],
)
def test_open(total: int | None, interpreter: InterpreterFacts) -> None:
    with pytest.raises(Unread):
        findings(total, interpreter=interpreter)

"""The order in which interpreters are listed."""

from checks.facts import InterpreterFacts, Package
from checks.interpreters import likely_first

TORCH = (Package(name="torch", version="2.6.0"),)
BARE = InterpreterFacts(path="/usr/bin/python3", version="3.12.3", packages=())
FULL = InterpreterFacts(path="/opt/full/bin/python", version="3.11.1", packages=TORCH)
NEAR = InterpreterFacts(path="/project/.venv/bin/python", version="3.10.1", packages=(), found_by=("folder",))
BROKEN = InterpreterFacts(path="/opt/broken/bin/python", problem="base-missing")


def test_the_likely_one_then_those_with_frameworks_then_the_rest_as_found() -> None:
    assert likely_first([BARE, BROKEN, FULL, NEAR]) == (NEAR, FULL, BARE, BROKEN)


def test_none_usable() -> None:
    assert likely_first([BROKEN]) == (BROKEN,)
    assert likely_first([]) == ()


def test_naosus_own_python_goes_behind_those_of_the_user_that_have_a_framework() -> None:
    more = (*TORCH, Package(name="tensorflow", version="2.20.0"))
    own = InterpreterFacts(path="/naosu/.venv/bin/python", version="3.13.1", packages=more, found_by=("naosu", "PATH"))
    assert likely_first([own, BARE, FULL]) == (FULL, own, BARE)

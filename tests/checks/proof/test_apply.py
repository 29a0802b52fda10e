"""Settings are changed as a shell would change them."""

import sys

import pytest

from checks.proof.apply import Ground, NotApplied, _reason
from checks.proof.changes import Filtered, Printed

STUBS = "/(stubs|compat)(/|$)"


def test_a_list_loses_the_members_in_which_the_pattern_is_found() -> None:
    ground = Ground(None, {"LD_LIBRARY_PATH": "/a/stubs:/b/lib:/c/compat/x:/stubsy"})
    ground.apply((Filtered("the line", "LD_LIBRARY_PATH", STUBS), Filtered("another", "NOT_SET", STUBS)))
    assert ground.variables == {"LD_LIBRARY_PATH": "/b/lib:/stubsy"}
    assert ground.commands == ["the line", "another"]


def test_a_variable_gets_what_a_statement_prints_and_not_what_it_warns_of() -> None:
    ground = Ground(None, {})
    ground.apply((Printed("", "ARCH", sys.executable, "import sys; print('9.0'); print('warned', file=sys.stderr)"),))
    assert ground.variables == {"ARCH": "9.0"}
    with pytest.raises(NotApplied):
        ground.apply((Printed("", "ARCH", sys.executable, "import nowhere_at_all"),))


def test_conda_says_which_packages_there_are_none_of() -> None:
    """As conda 26.7 ends where there is no such release."""
    said = """Channels:
 - file:///opt/channel
Platform: linux-64

PackagesNotFoundInChannelsError: The following packages are not available from current channels:

  - numpy[version='>2.2.6']

Current channels:

  - file:///opt/channel

To search for alternate channels that may provide the conda package you're
looking for, navigate to

    https://anaconda.org

and use the search bar at the top of the page.
"""
    assert _reason(said).splitlines() == [
        "PackagesNotFoundInChannelsError: The following packages are not available from current channels:",
        "- numpy[version='>2.2.6']",
    ]

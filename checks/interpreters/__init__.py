"""Every Python that a user may mean, found and read without starting one.

An interpreter that is broken, hostile or endless must not stop the search, so nothing is executed here: the files
around an interpreter show its version, architecture, kind and packages. Starting comes later, in a probe with a time
limit. Libraries were weighed for this: python-discovery 1.9.5 and virtualenv's discovery start each interpreter that
they find (and cache the answers in the user's folder); importlib.metadata reads packages well, but five times slower
(see packages.py); platformdirs and jupyter_core compute the folders of the running process only, not of a machine
built by a test. So the search is ours, and what tools do lies in resources/knowledge/packages/interpreter_places.toml.
"""

from checks.interpreters.finding.find import find_interpreters
from checks.interpreters.finding.places import Places
from checks.interpreters.owner import is_of_another, owner_of
from checks.interpreters.read import project_python, read_interpreter
from checks.interpreters.target import (
    Choice,
    choice_among,
    frameworks_of,
    is_active,
    is_own,
    likely_first,
    likely_target,
    may_start,
)  # fmt: skip

__all__ = [
    "Choice", "Places", "choice_among", "find_interpreters", "frameworks_of", "is_active", "is_of_another", "is_own",
    "likely_first", "likely_target", "may_start", "owner_of", "project_python",
    "read_interpreter",
]  # fmt: skip

"""How much a run of the tests tries.

The usual run tries every rule and every format at least once, and of what only repeats (cuts of the same file, prints
of more cases, examples of a search) some, always the same ones. With ``NAOSU_TESTS=all``, which the CI of a release
sets, it tries all of them, and the searches for odd input are long and start elsewhere each time.
"""

import os
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from hypothesis import HealthCheck, settings

T = TypeVar("T")

# Before NumPy and PyTorch are loaded, which read it then: threads that wait for each other take another worker's core.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

ALL = os.environ.get("NAOSU_TESTS") == "all"


def some(items: Sequence[T], most: int, first: int = 0) -> list[T]:
    """At most so many of these, evenly spread, or all of them before a release.

    ``first`` moves the choice, so that two lists of the same length are not tried in the same places.
    """
    if ALL or len(items) <= most:
        return list(items)
    return [items[(first + place * len(items) // most) % len(items)] for place in range(most)]


def all_at_once(attempt: Callable[[T], None], together: T, alone: Iterable[T]) -> None:
    """Try all settings in one start; each alone where that fails, so that the failure names the guilty one."""
    try:
        attempt(together)
    except AssertionError:
        for setting in alone:
            attempt(setting)
        raise
    if ALL:
        for setting in alone:
            attempt(setting)


def load_profile() -> None:
    """Bound every search by hypothesis: the tests name no numbers of their own."""
    quiet = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
    settings.register_profile(
        "usual", max_examples=25, deadline=None, derandomize=True, database=None, suppress_health_check=quiet
    )
    settings.register_profile("all", max_examples=300, deadline=None, suppress_health_check=quiet)
    settings.load_profile("all" if ALL else "usual")

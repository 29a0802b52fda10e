"""A test that walks over many things in one item: the thousandth costs microseconds, and a failure names its own."""

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

import pytest

SHOWN = 20  # failures in full


def for_each(items: Iterable[Any], name: Callable[[Any], str] = str) -> Callable[[Callable[..., None]], Any]:
    """Call the test with each of these as its first argument (a tuple: its first arguments); the others are fixtures.

    All are tried. The test fails with one line for everything that failed: its name and the complaint.
    """

    def decorate(test: Callable[..., None]) -> Any:
        known = tuple(items)
        assert known, f"{test.__name__} walks over nothing"
        first = len(known[0]) if isinstance(known[0], tuple) else 1
        signature = inspect.signature(test)
        fixtures = list(signature.parameters.values())[first:]

        def walk(**fixtures: Any) -> None:
            failures: list[tuple[str, BaseException]] = []
            for item in known:
                arguments = item if isinstance(item, tuple) else (item,)
                try:
                    test(*arguments, **fixtures)
                # Whatever it is, the others are tried, too; of many items none is skipped in silence.
                except (Exception, pytest.fail.Exception, pytest.skip.Exception) as error:  # noqa: BLE001
                    failures.append((name(item), error))
            if failures:
                lines = [f"{item}: {_first_line(error)}" for item, error in failures[:SHOWN]]
                raise AssertionError("\n".join([f"{len(failures)} of {len(known)}:", *lines])) from failures[0][1]

        functools.update_wrapper(walk, test)
        del walk.__wrapped__  # type: ignore[attr-defined]  # pytest would read the fixtures' names there
        walk.__signature__ = signature.replace(parameters=fixtures)  # type: ignore[attr-defined]
        return walk

    return decorate


def _first_line(error: BaseException) -> str:
    line = str(error).partition("\n")[0]
    return line if isinstance(error, AssertionError) else f"{type(error).__name__}: {line}"

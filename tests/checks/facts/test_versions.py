"""Versions as numbers, also where a version is none."""

import pytest

from checks.facts.versions import major_number, minor, release


@pytest.mark.parametrize(
    ("version", "numbers"),
    [
        pytest.param("2.7.1+cu128", (2, 7, 1), id="local-part"),
        pytest.param("R580", (580,), id="letter-before"),
        pytest.param("12.0", (12,), id="trailing-zero"),
        pytest.param("2.6.0a0+ecf3bae40a.nv25.01", (2, 6), id="vendor-build"),
        pytest.param("unknown", (), id="no-number"),
        pytest.param("", (), id="empty"),
        pytest.param("²", (), id="digit-that-is-no-decimal"),
    ],
)
def test_release(version: str, numbers: tuple[int, ...]) -> None:
    assert release(version) == numbers


def test_a_number_without_end_is_read_in_part() -> None:
    """Python refuses to convert more than 4300 digits; metadata of a stranger's package may hold them."""
    assert release("1" * 5000) == (int("1" * 18),)


@pytest.mark.parametrize(("version", "number"), [("12.8", 12), ("13", 13), ("12.6.r12.6", 12), ("", 0), ("n/a", 0)])
def test_major(version: str, number: int) -> None:
    assert major_number(version) == number


def test_minor() -> None:
    assert [minor("2.7.1+cu128"), minor("13"), minor("n/a")] == ["2.7", "13.0", "0.0"]

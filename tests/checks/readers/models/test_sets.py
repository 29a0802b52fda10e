"""Which other files a file of a set asks for, in folders that are no more than names."""

import contextlib
import re

import pytest

from checks.readers.containers.source import Source, of_bytes
from checks.readers.models.sets import other_parts

PATTERN = re.compile(r"(.+)-(\d{5})-of-(\d{5})(\.gguf)")


class Names:
    """A folder that counts how often it is asked."""

    name = "m"

    def __init__(self, *names: str) -> None:
        self.names = names
        self.asked = 0

    def size_of(self, name: str) -> int | None:
        self.asked += 1
        return 7 if name in self.names else None

    def file(self, name: str) -> contextlib.AbstractContextManager[Source]:
        return contextlib.nullcontext(of_bytes(b"", name))


def part(number: int, count: int) -> str:
    return f"m-{number:05d}-of-{count:05d}.gguf"


def told(number: int, count: int, *there: int) -> dict[str, bool | None] | None:
    folder = Names(*(part(each, count) for each in there))
    found = other_parts(part(number, count), folder, PATTERN)
    return None if found is None else {each.name: each.present for each in found}


def test_the_first_names_all_others() -> None:
    assert told(1, 3, 1, 3) == {part(2, 3): False, part(3, 3): True}


def test_another_one_speaks_where_the_first_is_missing() -> None:
    assert told(2, 3, 2) == {part(1, 3): False, part(3, 3): False}
    assert told(2, 3, 1, 2) == {}


@pytest.mark.parametrize("name", ["m.gguf", "m-00004-of-00003.gguf", "m-00000-of-00003.gguf", "m-00001-of-99999.gguf"])
def test_a_name_of_no_set(name: str) -> None:
    assert other_parts(name, Names(), PATTERN) is None


@pytest.mark.parametrize("number", [1, 2, 9000])
@pytest.mark.parametrize("there", [range(0), range(2, 10_000)], ids=["alone", "all-but-the-first"])
def test_thousands_of_files_ask_for_no_more_than_there_are(number: int, there: range) -> None:
    folder = Names(*(part(each, 10_000) for each in there if number > 1))
    found = other_parts(part(number, 10_000), folder, PATTERN)
    assert found is not None
    assert max(len(found), folder.asked) <= 60

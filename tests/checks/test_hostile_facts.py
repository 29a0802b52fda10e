"""No text that a stranger put into metadata, variables or a case file crashes a check: one field after the other."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from checks.case import CaseError, decode
from checks.finding import Status

CASES = Path(__file__).parents[1] / "cases"
# Cases in which many checks speak.
RICH = ("onnxruntime-twice-rtx-4090", "rtx-5070-ti-windows-cu126", "recorded-tensorflow-protobuf")
HOSTILE = {
    "empty": "",
    "digit-that-is-no-number": "²",
    "number-without-end": "1" * 5000,
    "control-characters": "\x00\x1b[31m\u202e",
    "placeholder": "{0.__class__}{x}",
    "dots": "..",
}


def keys_of_texts(value: Any, key: str = "") -> Iterator[str]:
    if isinstance(value, dict):
        for name, each in value.items():
            yield from keys_of_texts(each, name)
    elif isinstance(value, list):
        for each in value:
            yield from keys_of_texts(each, key)
    elif isinstance(value, str):
        yield key


def with_text(value: Any, key: str, text: str, name: str = "") -> Any:
    """The same plain data with every text of this key replaced."""
    if isinstance(value, dict):
        return {each: with_text(inner, key, text, each) for each, inner in value.items()}
    if isinstance(value, list):
        return [with_text(each, key, text, name) for each in value]
    return text if isinstance(value, str) and name == key else value


@pytest.mark.parametrize("hostile", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("name", RICH)
def test_crashes_no_check(name: str, hostile: str) -> None:
    plain = json.loads((CASES / f"{name}.json").read_bytes())
    for key in sorted(set(keys_of_texts(plain["facts"])) - {"origin"}):
        changed = {**plain, "facts": with_text(plain["facts"], key, hostile)}
        try:
            outcomes = decode(json.dumps(changed).encode()).outcomes
        except CaseError:
            continue  # refused as a whole
        crashed = [(outcome.cause, outcome.detail) for outcome in outcomes if outcome.status is Status.CRASHED]
        assert not crashed, f"{key} = {hostile[:20]!r}"

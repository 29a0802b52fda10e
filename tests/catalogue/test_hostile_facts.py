"""No text that a stranger put into metadata, variables or a case file crashes a check: one field after the other."""

import json
from pathlib import Path

import pytest
from support.extent import some
from support.hostile_facts import HOSTILE, keys_of_texts, with_text

from checks.facts.finding import Status
from checks.sharing.case import CaseError, decode

CASES = Path(__file__).parents[1] / "cases"
# Cases in which many checks speak.
RICH = ("onnxruntime-twice-rtx-4090", "rtx-5070-ti-windows-cu126", "recorded-tensorflow-protobuf")


@pytest.mark.parametrize("name", RICH)
def test_crashes_no_check(name: str) -> None:
    """Every field with two of the texts, each of them with a third of the fields; before a release each with each."""
    plain = json.loads((CASES / f"{name}.json").read_bytes())
    keys = sorted(set(keys_of_texts(plain["facts"])) - {"origin"})
    for key, hostile in [
        (key, text) for turn, key in enumerate(keys) for text in some(tuple(HOSTILE.values()), 2, turn)
    ]:
        changed = {**plain, "facts": with_text(plain["facts"], key, hostile)}
        try:
            outcomes = decode(json.dumps(changed).encode()).outcomes
        except CaseError:
            continue  # refused as a whole
        crashed = [(outcome.cause, outcome.detail) for outcome in outcomes if outcome.status is Status.CRASHED]
        assert not crashed, f"{key} = {hostile[:20]!r}"

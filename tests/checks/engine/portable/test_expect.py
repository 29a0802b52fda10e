"""A machine is held against a sound one of the same kind, and against no other."""

import json
from pathlib import Path

import pytest
from support.fleet_answers import Made, answer

from checks.engine.portable.plan import plan
from checks.probes.portable.expect import NOTHING, OTHER, SAME, held_against, read

VARIABLES = plan({})["variables"]
REFERENCE = json.loads(answer())


def held(made: Made) -> tuple[str, list[str]]:
    outcome: tuple[str, list[str]] = held_against(REFERENCE, json.loads(answer(made)), VARIABLES)
    return outcome


def test_the_same_bits() -> None:
    assert held(Made()) == (SAME, [])
    assert held(Made(kernel="6.8.0-45-generic")) == (SAME, [])  # which changes no number


def test_other_bits_on_the_same_machine() -> None:
    outcome, names = held(Made(odd=1))
    assert outcome == OTHER
    assert len(names) == 2


@pytest.mark.parametrize("made", [Made(cpu="Intel Xeon", odd=1), Made(torch="2.12.0+cpu", odd=1)])
def test_other_bits_of_another_kind_of_machine_are_no_fault(made: Made) -> None:
    assert held(made)[0] == NOTHING


def test_nothing_in_common() -> None:
    steps = [step for step in REFERENCE["steps"] if not step["id"].startswith("computations")]
    assert held_against(REFERENCE, {**REFERENCE, "steps": steps}, VARIABLES) == (NOTHING, [])


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"naosu-probe": 1}'])
def test_what_is_no_reference(tmp_path: Path, text: str) -> None:
    (tmp_path / "reference.json").write_text(text)
    with pytest.raises(ValueError):  # noqa: PT011 - of JSON or of ours
        read(tmp_path / "reference.json")

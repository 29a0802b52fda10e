"""Secrets as they really stand in logs, dumps and tickets, planted; and harmless lines that look like them.

All were invented by people who knew nothing of the rules (tests/recordings/privacy). ``shape`` is false for what
nobody could tell: a name in a sentence, bare digits.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.extent import some

from checks.facts import EnvironmentVariables, Facts, InterpreterFacts, ModelFacts, Package, SentFile
from checks.facts.case import Answers, Case
from checks.judgement.judge import judged
from checks.sharing.redact import Own, Redaction, learned, redact
from wizard.report.export import render

RECORDED = Path(__file__).parents[2] / "recordings" / "privacy"
PLANTED = [json.loads(line) for line in (RECORDED / "secrets.jsonl").read_text("utf-8").splitlines()]
HARMLESS = (RECORDED / "harmless.txt").read_text("utf-8").splitlines()
# What has a form and is not found: a name in the second folder of a home or in another folder's name, a group of ls, an
# organisation in brackets, a phrase of plain words, a copyright; secrets whose place only a reader understands.
KNOWN_LEFT = frozenset(
    (
        *(
            "mizushima",
            "hoshino",
            "visionlab",
            "kazeworks-vision",
            "岡部",
            "Rohan Lindgren",
            "correct horse stapler nine",
        ),
        *("Wisteria-77x", "runPw31x", "TidePool204!", "Q1rzqcXTjdPlCPAeEV_1vUaTnQ3H65YCYbSrq_0qXL7="),
    )
)


def secrets(planted: dict[str, Any]) -> list[str]:
    return [planted["secret"]] if isinstance(planted["secret"], str) else planted["secret"]


def left(shown: str) -> Iterator[tuple[str, str]]:
    for planted in PLANTED:
        if planted["shape"]:
            yield from ((planted["kind"], secret) for secret in secrets(planted) if secret in shown)


def hidden(text: str) -> str:
    return Redaction(learned([text], "", Own())).hide(text, "text")


def test_each_alone() -> None:
    survived = [
        (planted["kind"], secret)
        for planted in some([planted for planted in PLANTED if planted["shape"]], 300)
        for shown in [hidden(planted["text"])]
        for secret in secrets(planted)
        if secret in shown
    ]
    assert {secret for _, secret in survived} <= KNOWN_LEFT, survived
    assert len({planted["kind"] for planted in PLANTED}) >= 120


def test_what_is_harmless_stays_byte_for_byte() -> None:
    assert len(HARMLESS) >= 1200
    changed = [(line, hidden(line)) for line in HARMLESS if hidden(line) != line]
    assert not changed


@pytest.fixture(scope="module")
def everywhere() -> Case:
    """A hidden case that had them in a log, the environment, paths, the metadata of packages and of models."""
    texts = [planted["text"] for planted in some(PLANTED, 250)]
    facts = Facts(
        logs=(SentFile(name="all.log", kind="log", text="\n".join(texts)),),
        environment=EnvironmentVariables(values={f"VALUE_{number}": text for number, text in enumerate(texts)}),
        interpreters=(
            InterpreterFacts(
                path=sys.executable,
                packages=tuple(
                    Package(name=f"package{n}", version="1", channel=text, location=text)
                    for n, text in enumerate(texts)
                ),
            ),
        ),
        models=tuple(ModelFacts(path=text, producer=text) for text in texts[::20]),
    )
    return redact(judged(facts, Answers()), Own()).case


@pytest.mark.parametrize("kind", ["json", "markdown", "reply"])
def test_all_together_in_what_is_written(everywhere: Case, kind: str) -> None:
    shown = render(everywhere, kind, "en", hide=None).decode()
    if kind == "json":
        shown = "\n".join(_strings(json.loads(shown)))
    survived = set(left(shown))
    assert {secret for _, secret in survived} <= KNOWN_LEFT, survived


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from (key, *_strings(item))
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)

"""Secrets as they really stand in logs, dumps and tickets, planted; and harmless lines that look like them.

All were invented by people who knew nothing of the rules (tests/recordings/privacy). ``shape`` is false for what
nobody could tell: a name in a sentence, bare digits.
"""

import io
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pypdf import PdfReader
from support.extent import some

from checks.facts import EnvironmentVariables, Facts, InterpreterFacts, ModelFacts, Package, SentFile
from checks.facts.case import Answers, Case
from checks.judgement.judge import judged
from checks.readers.private.hiding import Own, Redaction, learned
from checks.sharing.redact import redact, without_secrets
from wizard.report.content.report import build
from wizard.report.export import render
from wizard.report.prints.terminal import to_terminal

RECORDED = Path(__file__).parents[2] / "recordings" / "privacy"
PLANTED = [json.loads(line) for line in (RECORDED / "secrets.jsonl").read_text("utf-8").splitlines()]
TOGETHER = some(PLANTED, 160)
HARMLESS = (RECORDED / "harmless.txt").read_text("utf-8").splitlines()
# What has a form and is not found: a name in the second folder of a home or in another folder's name, a group of ls, an
# organisation in brackets, a phrase of plain words, a copyright; secrets whose place only a reader understands.
KNOWN_LEFT = frozenset(
    (
        *(
            "mizushima",
            "hoshino",
            "visionlab",
            "岡部",
            "Rohan Lindgren",
            "correct horse stapler nine",
        ),
        *("Wisteria-77x", "runPw31x", "TidePool204!", "Q1rzqcXTjdPlCPAeEV_1vUaTnQ3H65YCYbSrq_0qXL7="),
    )
)


def secrets(planted: dict[str, Any]) -> list[str]:
    return [planted["secret"]] if isinstance(planted["secret"], str) else planted["secret"]


def elsewhere() -> frozenset[str]:
    """Digits that also stand where nothing tells what they are: a process, a part of a longer number."""
    bare = {secret for planted in PLANTED if planted["shape"] for secret in secrets(planted) if secret.isdigit()}
    texts = [planted["text"] for planted in PLANTED if not (planted["shape"] and bare & set(secrets(planted)))]
    return frozenset(secret for secret in bare if any(stands_in(secret, text) for text in texts))


def left(shown: str) -> Iterator[tuple[str, str]]:
    told_elsewhere = elsewhere()
    for planted in TOGETHER:  # what only another text tells, nothing hides here
        if planted["shape"]:
            found = (secret for secret in secrets(planted) if secret not in told_elsewhere)
            yield from ((planted["kind"], secret) for secret in found if stands_in(secret, shown))


def stands_in(secret: str, shown: str) -> bool:
    """Digits are a secret only where no other digit is beside them: there are numbers of pages and of placeholders."""
    return re.search(rf"(?<!\d){secret}(?!\d)", shown) is not None if secret.isdigit() else secret in shown


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


def test_hiding_twice_hides_no_more_than_once() -> None:
    texts = [hidden(planted["text"]) for planted in some(PLANTED, 60)]
    assert [text for text in texts if hidden(text) != text] == []
    together = hidden("\n".join(planted["text"] for planted in some(PLANTED, 400)))
    assert hidden(together) == together


def test_what_is_harmless_stays_byte_for_byte() -> None:
    assert len(HARMLESS) >= 1400
    changed = [(line, hidden(line)) for line in HARMLESS if hidden(line) != line]
    assert not changed


@pytest.fixture(scope="module")
def everywhere() -> Case:
    """A hidden case that had them in a log, the environment, paths, the metadata of packages and of models."""
    texts = [planted["text"] for planted in TOGETHER]
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


@pytest.mark.parametrize("kind", ["json", "markdown", "reply", "terminal"])
def test_all_together_in_what_is_written(everywhere: Case, kind: str) -> None:
    if kind == "terminal":
        shown = to_terminal(build(everywhere, "en"))
    else:
        shown = render(everywhere, kind, "en", hide=None).decode()
    if kind == "json":
        shown = "\n".join(_strings(json.loads(shown)))
    survived = set(left(shown))
    assert {secret for _, secret in survived} <= KNOWN_LEFT, survived


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("language", some(["ja", "en"], 1))
def test_all_together_in_a_pdf(everywhere: Case, language: str) -> None:
    """On its pages, where lines are broken, in what it says of itself and leads to, and in what is attached."""
    document = PdfReader(io.BytesIO(render(everywhere, "pdf", language, hide=None)))
    pages = "".join(page.extract_text() for page in document.pages)
    tight = re.sub(r"\s", "", pages)
    told = [str(document.metadata), str(document.xmp_metadata), *(str(item) for item in document.outline)]
    told += [str(note.get_object()) for page in document.pages for note in page.get("/Annots", ())]
    (content,) = document.attachments["naosu-case.json"]
    shown = "\n".join((*told, *document.attachments, pages, *_strings(json.loads(content))))
    survived = {secret for _, secret in left(shown)}
    survived |= {secret for _, secret in left(tight) if len(secret) >= 6 and not secret.isalpha()}
    assert survived <= KNOWN_LEFT, survived


def test_the_terminal_of_the_owner_shows_no_secret() -> None:
    """Who reads it knows the names; of what is hidden as a secret alone nothing stands there either."""
    shapely = [planted for planted in some(PLANTED, 160) if planted["shape"]]
    planted = [one for one in shapely if {*re.findall(r"<(\w+)-\d+>", hidden(one["text"]))} == {"secret"}]
    log = SentFile(name="all.log", kind="log", text="\n".join(one["text"] for one in planted))
    models = tuple(ModelFacts(path=one["text"], producer=one["text"]) for one in planted[::10])
    shown = to_terminal(build(without_secrets(judged(Facts(logs=(log,), models=models), Answers())), "en"))
    assert len(planted) > 50
    assert {secret for one in planted for secret in secrets(one) if stands_in(secret, shown)} <= KNOWN_LEFT


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from (key, *_strings(item))
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)

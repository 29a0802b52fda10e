"""Phrases: a finding carries keys and values, and the reader's language chooses the words."""

import re
from pathlib import Path

import msgspec
import pytest

from checks.facts.finding import Evidence, Finding, Severity
from checks.facts.phrase import Phrase, Value
from checks.knowledge.phrases import (
    in_language,
    operation_phrase,
    phrase,
    phrases,
    replacement_phrase,
    title_of,
    words_of,
)

CHECKS = Path(__file__).parents[3] / "checks"


def finding(**values: Value) -> Finding:
    return Finding(
        cause="gpu-hardware-fault",
        severity=Severity.BLOCKING,
        confidence=0.9,
        evidence=(Evidence("gpu", "RTX 3090"), Evidence("signs", "raw")),
        values=values,
    )


@pytest.mark.parametrize(
    ("value", "english", "japanese"),
    [
        pytest.param("as it is", "as it is", "as it is", id="text"),
        pytest.param(phrase("cpu-crashed", signal="SIGILL", cpu="i5"), "on i5", "i5上で", id="phrase"),
        pytest.param(("a", "b"), "a, b", "a、b", id="several"),
        pytest.param((), "none", "なし", id="none"),
        pytest.param(
            ("a", phrase("not-there", module="onnx")), "a, no onnx", "a、onnxなし", id="several-with-a-phrase"
        ),
        pytest.param(
            phrase("fault-xid", code="79", suspect=phrase("suspect-pcie"), times=""), "Xid 79 (", "Xid 79(", id="nested"
        ),
        pytest.param(phrase("signs", signs=("a", "b")), "a; b", "a、b", id="semicolon"),
        pytest.param(
            phrase("operations-and-more", operations=("a", "b"), count="2"), "a / b and 2", "a / b、ほか2件", id="slash"
        ),
        pytest.param(operation_phrase("index-of-nobody"), "index-of-nobody", "index-of-nobody", id="of-others"),
        pytest.param(replacement_phrase("max-unpool2d"), "upsample with", "アンプーリング", id="replacement"),
    ],
)
def test_words_depend_on_the_reader(value: Value, english: str, japanese: str) -> None:
    assert english in in_language(value, "en")
    assert japanese in in_language(value, "ja")


def test_a_phrase_that_nobody_wrote_or_filled_is_refused() -> None:
    with pytest.raises(KeyError):
        phrase("no-such-phrase")
    with pytest.raises(KeyError, match="signal"):
        phrase("cpu-crashed", cpu="i5")


def test_what_a_text_names_in_words_and_what_proves_it() -> None:
    words = words_of(finding(signs=phrase("signs", signs=("a", "b"))), "en")
    assert words == {"gpu": "RTX 3090", "signs": "a; b"}
    assert "RTX 3090" in title_of(finding(signs="a"), "en")
    assert finding(signs=("a",), path="/m").named("path") == "/m"
    assert finding(signs=("a",)).named("signs") == finding().named("path") == ""


def test_a_phrase_survives_json() -> None:
    whole = finding(signs=phrase("signs", signs=("a", phrase("suspect-pcie"))), device=("cuda:0",), path="/m")
    assert msgspec.json.decode(msgspec.json.encode(whole), type=Finding) == whole


def test_every_phrase_that_code_names_by_its_whole_key_is_there() -> None:
    code = "\n".join(path.read_text(encoding="utf-8") for path in sorted(CHECKS.rglob("*.py")))
    named = set(re.findall(r"\b(?:phrase|Phrase)\(\s*\"([\w-]+)\"", code)) - {"operation", "replacement"}
    assert len(named) > 40
    assert named <= phrases().keys()


def test_the_text_of_a_phrase_has_no_other_separators_than_known() -> None:
    for key, words in phrases().items():
        assert set(re.findall(r"\{\w+:(\w+)\}", words.en + words.ja)) <= {"slash", "semicolon", "space"}, key
    assert in_language(Phrase("nothing"), "en") == "none"

"""Where a value was read, in both languages."""

import re
from pathlib import Path

import pytest

import checks
from checks.facts import SentFile
from checks.facts.case import Answers
from checks.facts.search import SearchPlace
from checks.judgement.judge import judged
from checks.readers.tickets.read import pasted, read_ticket
from wizard.report.content.findings.origins import lines_in_words, origin_in_words
from wizard.report.content.report import build
from wizard.words import area


@pytest.mark.parametrize(
    ("origin", "english", "japanese"),
    [
        ("line 2 of pasted", "the text, line 2", "文章、2行目"),
        ("line 4", "the text, line 4", "文章、4行目"),
        ("line 4 of error of today.log", "error of today.log, line 4", "error of today.log、4行目"),
        ("nvidia-smi, lines 3-20", "nvidia-smi, lines 3-20", "nvidia-smi、3-20行目"),
        ("kernel log, line 9 of dmesg", "kernel log, dmesg, line 9", "カーネルログ、dmesg、9行目"),
        (
            "nvidia-smi, lines 3-20 of a.txt; line 1 of pasted",
            "nvidia-smi, a.txt, lines 3-20; the text, line 1",
            "nvidia-smi、a.txt、3-20行目; 文章、1行目",
        ),
    ],
)
def test_what_a_text_told(origin: str, english: str, japanese: str) -> None:
    assert (origin_in_words(origin, "en"), origin_in_words(origin, "ja")) == (english, japanese)


@pytest.mark.parametrize(
    ("origin", "english", "japanese"),
    [
        ("the program itself", "the program itself", "プログラム自身"),
        ("environment", "environment variables", "環境変数"),
        ("script-folder", "the program's folder", "プログラムのフォルダー"),
    ],
)
def test_what_is_no_name_is_in_words(origin: str, english: str, japanese: str) -> None:
    assert (origin_in_words(origin, "en"), origin_in_words(origin, "ja")) == (english, japanese)


def test_every_origin_that_is_written_as_a_sentence_has_its_words() -> None:
    root = Path(checks.__file__).parent
    origins = {
        found
        for path in root.rglob("*.py")
        for found in re.findall(r'origin="(an? [^"]+|the [^"]+)"', path.read_text("utf-8"))
    }
    origins |= set(SearchPlace)
    assert {origin for origin in origins if f"origin-of-{origin.replace(' ', '-')}" not in area("report")} == set()


@pytest.mark.parametrize(
    "origin", ["", "nvml", "/proc/driver/nvidia/version", "PyTorch releases: builds, line by line"]
)
def test_any_other_origin_stays_as_it_is(origin: str) -> None:
    assert origin_in_words(origin, "ja") == origin


def test_many_lines_are_named_by_the_first() -> None:
    assert lines_in_words("error.log", range(1, 10), "en") == "error.log, lines 1, 2, 3, 4, 5, 6"
    assert lines_in_words("pasted", (3,), "ja") == "文章、3行目"


def test_of_several_files_each_value_is_named_with_its_own() -> None:
    texts = {
        "": "It fails.\nGPU: RTX 5080",
        "pip.txt": "x\ny\ntorch==2.5.1+cu121",
        "smi.log": "Driver Version: 470.199.02",
    }
    sent = [SentFile(name=name, kind="log", text=text) if name else pasted(text) for name, text in texts.items()]
    report = build(judged(read_ticket(*sent), Answers(symptom="ticket")), "ja")
    origins = {row.value: row.origin for finding in report.findings for row in finding.evidence}
    assert origins["RTX 5080"] == "文章、2行目"
    assert origins["470.199.02"].endswith("smi.log、1行目")

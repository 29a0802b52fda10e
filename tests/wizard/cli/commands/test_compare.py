"""``naosu compare A B`` and a report given as evidence: on cases that hold recorded computations."""

import json
from pathlib import Path

import msgspec
import pytest
from support.recorded_computations import measurements

from checks.facts import Facts, Frameworks, TorchFacts
from checks.facts.case import Answers, Case
from checks.judgement.judge import judged
from checks.sharing.case import decode
from wizard.cli.command_line import run_command
from wizard.evidence_files import Given, Kind
from wizard.jobs.sent_files import sent_files
from wizard.report.prints.json_report import to_json

HERE, ONE_THREAD = "torch-2.13.0-cpu-portraits", "torch-2.13.0-cpu-one-thread-portraits"


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NAOSU_LANG", "en")


def case(name: str, threads: int) -> Case:
    torch = TorchFacts(version="2.13.0", threads=threads)
    facts = Facts(frameworks=Frameworks(torch=torch), measurements=measurements(name))
    return judged(facts, Answers(), created="2026-11-21T09:30:00+00:00")


@pytest.fixture
def two(tmp_path: Path) -> tuple[str, str]:
    paths = []
    for name, recording, threads in (("here", HERE, 2), ("there", ONE_THREAD, 1)):
        path = tmp_path / f"{name}.json"
        path.write_bytes(to_json(case(recording, threads), "en"))
        paths.append(str(path))
    return paths[0], paths[1]


def test_two_cases_in_words(two: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["compare", *two]) == 0
    told = capsys.readouterr().out
    assert "explained by what differs between the machines: number of CPU threads (2 against 1)" in told
    assert "Proven: number of CPU threads" in told


def test_the_json_of_a_comparison_is_a_case_that_opens_again(
    two: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saved = tmp_path / "comparison.json"
    run_command(["compare", *two, "--json", str(saved), "--quiet"])
    plain = json.loads(saved.read_bytes())
    assert plain["answers"]["symptom"] == "comparison"
    (other,) = plain["facts"]["others"]
    assert (other["name"], other["frameworks"]["torch"]["threads"]) == ("there.json", 1)
    again = decode(saved.read_bytes())
    assert again.facts.others[0].name == "there.json"
    assert run_command(["show", str(saved)]) == 0
    assert "Two machines side by side" in capsys.readouterr().out


def test_the_other_way_round_and_with_itself(two: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["compare", two[1], two[0]]) == 0
    assert run_command(["compare", two[0], two[0]]) == 0
    assert "are the same, bit for bit (12 of 12)" in capsys.readouterr().out


def test_a_difference_that_nothing_explains_is_told_by_the_exit_status(two: tuple[str, str], tmp_path: Path) -> None:
    twin = tmp_path / "twin.json"
    twin.write_bytes(to_json(case(ONE_THREAD, 2), "en"))
    assert run_command(["compare", two[0], str(twin), "--quiet"]) == 1


@pytest.mark.parametrize("content", [b"hello", b"{}", b"{"])
def test_what_is_no_case_is_refused(
    content: bytes, two: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    strange = tmp_path / "strange.json"
    strange.write_bytes(content)
    assert run_command(["compare", two[0], str(strange)]) == 2
    assert run_command(["compare", str(tmp_path / "gone.json"), two[1]]) == 2
    assert run_command(["check", "--compare", str(strange)]) == 2
    assert all(line.startswith("naosu: ") for line in capsys.readouterr().err.splitlines())


def test_a_report_among_the_evidence_is_kept_to_compare_with(two: tuple[str, str]) -> None:
    sent = sent_files("", (Given(Path(two[1]), Kind.REPORT),))
    (other,) = sent.others
    assert other.name == "there.json"
    assert other.measurements == case(ONE_THREAD, 1).facts.measurements
    (log,) = sent.logs
    assert (log.kind, log.examined, log.text) == ("report", True, None)


def test_a_report_that_cannot_be_opened_is_said_to_be_unread(tmp_path: Path) -> None:
    strange = tmp_path / "strange.pdf"
    strange.write_bytes(b"%PDF-1.7 nothing")
    sent = sent_files("", (Given(strange, Kind.REPORT), Given(tmp_path / "gone.json", Kind.REPORT)))
    assert sent.others == ()
    assert [bool(log.unread) for log in sent.logs] == [True, True]


def test_a_case_of_before_opens_without_other_machines() -> None:
    plain = msgspec.json.decode(to_json(case(HERE, 2), "en"))
    assert "others" not in plain["facts"]
    assert decode(msgspec.json.encode(plain)).facts.others == ()

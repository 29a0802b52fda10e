"""`naosu desk`: what it shows and writes of many tickets, a second run, and wrong usage."""

import csv
import io
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from checks.desk import parallel
from wizard.cli.command_line import run_command
from wizard.report.content.many import desk

ROOT = Path(__file__).parents[4]
CASES = ROOT / "tests" / "cases"
MEMORY = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {} GiB. GPU 0 has a total capacity of 23.64 GiB"
MISMATCH = "Failed to initialize NVML: Driver/library version mismatch"


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NAOSU_LANG", "en")


@pytest.fixture
def tickets(tmp_path: Path) -> Path:
    """Two Japanese and two English ones of one trouble, one of another, one that tells nothing, and a case."""
    folder = tmp_path / "tickets"
    folder.mkdir()
    told = [
        ("止まります", f"学習が途中で止まります。\n{MEMORY.format('2.00')}", "2026-11-01"),
        ("Stops", f"My training on host gpu7 of alice stops.\n{MEMORY.format('2.50')}", "2026-11-20"),
        ("Stops", f"Inference of bob ends quite suddenly.\n{MEMORY.format('1.00')}", "2026-11-21"),
        ("=cmd()", f"/home/carol/x.py shows no GPU\n{MISMATCH}", "2026-11-22"),
        ("Invoice", "Hello, could you send me an invoice?", "2026-11-22"),
    ]
    names = ("title", "body", "created_at")
    plain = [{"id": str(number), **dict(zip(names, row, strict=True))} for number, row in enumerate(told, start=1)]
    (folder / "export.json").write_text(json.dumps(plain), encoding="utf-8")
    shutil.copy(CASES / "driver-470-with-cuda-12.json", folder)
    return folder


def run(*arguments: object) -> int:
    return run_command(["desk", *map(str, arguments), "--as-of", "2026-11-23"])


def test_the_overview(tickets: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(tickets) == 0
    told = capfd.readouterr()
    lines = told.out.splitlines()
    assert lines[0] == "i Tickets: 6. With a likely cause: 5. For a human to look at: 1."
    assert re.search(r"\? +1 +not known +Invoice", told.out)
    assert re.search(r"^ +3 +\S.*CUDA out of memory", told.out, re.MULTILINE)
    assert "6 tickets judged" in told.err


def test_what_is_left_out_of_a_table_is_said(
    tickets: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run(tickets)
    assert "Only the first" not in capfd.readouterr().out
    monkeypatch.setattr(desk, "_MOST_GROUPS", 1)
    run(tickets)
    assert "Only the first 1 are shown here" in capfd.readouterr().out


def test_in_japanese_and_as_a_list(tickets: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(tickets, "--lang", "ja", "--list", "2", "--sort", "alike", "--language", "en") == 0
    told = capfd.readouterr().out
    assert "問い合わせ6件のうち、5件は原因の見当がつきました。" in told
    assert "最初の2件を載せています" in told


def test_what_is_written_for_others(tickets: Path, tmp_path: Path) -> None:
    paths = {kind: tmp_path / f"out.{kind}" for kind in ("csv", "json", "markdown")}
    options = [part for kind, path in paths.items() for part in (f"--{kind}", path)]
    assert run(tickets, "--quiet", *options) == 0
    data = paths["csv"].read_bytes()
    rows = {row["number"]: row for row in csv.DictReader(io.StringIO(data.decode("utf-8-sig")))}
    assert rows["4"]["title"] == "'=cmd()"  # no spreadsheet carries it out
    assert rows["2"]["cause"] == rows["3"]["cause"] == "gpu-out-of-memory"
    assert rows["2"]["group"] == rows["1"]["group"] != rows["4"]["group"]
    assert rows["1"]["language"] == "ja"
    assert rows["5"]["decided"] == "False"
    plain = json.loads(paths["json"].read_bytes())
    assert plain["overview"]["count"] == len(plain["tickets"]) == 6
    assert plain["needs_a_human"][0]["example"] == "export.json #5"
    assert [group["count"] for group in plain["groups"]] == [3]
    markdown = paths["markdown"].read_text(encoding="utf-8")
    assert "| CUDA out of memory" not in markdown.splitlines()[0]
    for text in (data.decode(), paths["json"].read_text(encoding="utf-8"), markdown):
        assert not re.search("alice|carol|bob", text)


def test_the_report_as_pdf(tickets: Path, tmp_path: Path) -> None:
    from pypdf import PdfReader

    path = tmp_path / "desk.pdf"
    assert run(tickets, "--quiet", "--pdf", path, "--lang", "ja") == 0
    pages = PdfReader(path)
    text = "".join("".join(page.extract_text().split()) for page in pages.pages)
    assert "まず人が見るべきもの" in text
    assert "原因の推移" in text
    assert not pages.attachments


def test_a_second_run_judges_only_what_is_new(tickets: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    store = tmp_path / "desk.store"
    run(tickets, "--store", store)
    assert "6 tickets judged in" in capfd.readouterr().err
    (tickets / "new.txt").write_text(f"again\n{MISMATCH}")
    run(tickets, "--store", store)
    told = capfd.readouterr()
    assert "1 of 7 tickets judged" in told.err
    assert "Tickets: 7. With a likely cause: 6." in told.out
    assert run("--store", store, "--list", "--cause", "driver-library-mismatch") == 0
    assert "new.txt" in capfd.readouterr().out


def test_answers_in_the_language_of_each(tickets: Path, tmp_path: Path) -> None:
    folder = tmp_path / "answers"
    assert run(tickets, "--quiet", "--answers", folder) == 0
    names = sorted(path.name for path in folder.iterdir())
    assert names == [
        "answers.csv",
        "group-0001-gpu-out-of-memory.en.md",
        "group-0001-gpu-out-of-memory.ja.md",
        *(f"ticket-0000{number}.en.md" for number in (1, 2, 3)),
    ]
    english, japanese = ((folder / name).read_text(encoding="utf-8") for name in names[1:3])
    assert "memory" in english
    assert "メモリ" in japanese
    for text in (english, japanese):  # what only one of the customers wrote is not sent to the others
        assert not re.search("alice|bob|gpu7|2\\.50|1\\.00", text)
        assert "CUDA out of memory. Tried to allocate … GiB." in text
    rows = list(csv.DictReader((folder / "answers.csv").read_text(encoding="utf-8").splitlines()))
    assert {row["number"]: row["answer"] for row in rows}["1"] == names[2]
    assert len(rows) == 6


def test_the_list_of_answers_holds_no_formula(tmp_path: Path) -> None:
    text = "RuntimeError: CUDA out of memory"
    (tmp_path / "a.csv").write_text(f"id,title\n=1+1,{text}\n+2,{text}\n", encoding="utf-8")
    assert run(tmp_path / "a.csv", "--quiet", "--answers", tmp_path / "answers") == 0
    with open(tmp_path / "answers" / "answers.csv", encoding="utf-8", newline="") as file:
        assert {row["number"] for row in csv.DictReader(file)} == {"'=1+1", "'+2"}


def test_many_are_judged_by_every_core(
    tickets: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(parallel, "FEW", 2)
    monkeypatch.setattr(parallel, "_AT_ONCE", 1)
    assert run(tickets) == 0
    assert "Tickets: 6. With a likely cause: 5." in capfd.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "name a folder or file of tickets"),
        (("--store", "missing"), "name a folder or file of tickets"),
        (("missing",), "missing"),
        ((".", "--store", "inside"), "lies among the tickets"),
        ((".", "--answers", "."), "is no empty folder"),
        (("empty",), "no ticket was found"),
        (("note.txt", "--store", "note.txt"), "is no store of naosu desk"),
        (("note.txt", "--csv", "--json"), "standard output"),
    ],
)
def test_wrong_usage(
    arguments: tuple[str, ...],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "note.txt").write_text("It fails\n" * 600)
    monkeypatch.chdir(tmp_path)
    assert run_command(["desk", *arguments]) == 2
    told = capfd.readouterr().err.strip()
    assert said in told
    assert len(told.splitlines()) == 1


def test_a_wrong_day(tickets: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run_command(["desk", str(tickets), "--as-of", "23.11.2026"]) == 2
    assert "is no day" in capfd.readouterr().err


def test_without_duckdb_the_other_commands_work() -> None:
    """What the desk needs beside our own is asked for by the desk alone."""
    lines = "import sys; import wizard.cli.command_line; print([m for m in ('duckdb', 'olefile') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", lines], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"

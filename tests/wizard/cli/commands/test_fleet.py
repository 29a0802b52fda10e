"""`naosu fleet`: the page, the JSON, the CSV, the PDF, in both languages."""

import csv
import json
import re
from pathlib import Path

import pytest
from pypdf import PdfReader
from support.fleet_answers import Made, answer

from wizard.cli.command_line import run_command


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five hosts, of which one computes differently, one had another torch before, and a file that is damaged."""
    made = tmp_path_factory.mktemp("fleet")
    hosts = {f"node{number}": Made() for number in range(4)} | {"odd": Made(odd=2)}
    hosts["node1-2026-11-01"] = Made(torch="2.12.0+cpu", created="2026-11-01T00:00:00+00:00")
    for host, machine in hosts.items():
        (made / f"{host}.json").write_bytes(answer(machine))
    (made / "=broken.json").write_bytes(b'{"naosu-probe": 1')
    return made


@pytest.mark.parametrize(
    ("language", "sentences"),
    [
        (
            "en",
            ("odd: other bits than 4 others, in 4 of", "Nothing that was recorded explains it: 4 machines", "2.12.0"),
        ),
        ("ja", ("odd: ほかの4台と、", "記録された違いでは説明できません", "2.12.0")),
    ],
)
def test_the_page(folder: Path, capsys: pytest.CaptureFixture[str], language: str, sentences: tuple[str, ...]) -> None:
    assert run_command(["fleet", str(folder), "--lang", language]) == 1
    shown = capsys.readouterr().out
    for sentence in (*sentences, "torch 2.12.0+cpu → 2.13.0+cpu"):
        assert sentence in shown


def test_json_csv_and_pdf(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = {kind: tmp_path / f"fleet.{kind}" for kind in ("json", "csv", "pdf")}
    options = [part for kind, path in files.items() for part in (f"--{kind}", str(path))]
    assert run_command(["fleet", str(folder), "--quiet", *options, "--lang", "en"]) == 1
    plain = json.loads(files["json"].read_bytes())
    assert plain["format"] == 1
    assert [(group["hosts"], group.get("suspect")) for group in plain["bits"]] == [
        (["node0", "node1", "node2", "node3"], None),
        (["odd"], True),
    ]
    with open(files["csv"], newline="") as file:
        rows = {row["host"]: row for row in csv.DictReader(file)}
    assert rows.keys() == {"node0", "node1", "node2", "node3", "odd", "'=broken"}  # no formula for a spreadsheet
    assert (rows["odd"]["bits"], rows["odd"]["suspect"], rows["node0"]["cpu"]) == ("2", "yes", "AMD EPYC")
    assert (rows["node1"]["changed"], rows["'=broken"]["problem"]) == ("1", "case-damaged")
    first_page = PdfReader(files["pdf"]).pages[0].extract_text()
    assert "UTC" in first_page  # the moment as people write it
    assert re.search(r"\dT\d\d:", first_page) is None
    assert capsys.readouterr().out == ""


def test_all_alike_is_fine(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for host in "ab":
        (tmp_path / f"{host}.json").write_bytes(answer())
    assert run_command(["fleet", str(tmp_path), "--lang", "en"]) == 0
    assert "All 2 machines that computed gave the same bits" in capsys.readouterr().out


def test_wrong_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["fleet", str(tmp_path / "none"), "--lang", "en"]) == 2
    (tmp_path / "store").write_bytes(b"x" * 5000)
    assert run_command(["fleet", str(tmp_path), "--store", str(tmp_path / "store"), "--lang", "en"]) == 2
    assert "the store cannot be opened" in capsys.readouterr().err


def test_a_folder_without_answers_is_said_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["fleet", str(tmp_path)]) == 2
    told = capsys.readouterr()
    assert "no answer of a machine lies here" in told.err
    assert told.out == ""

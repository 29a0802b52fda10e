"""`naosu inspect`: model files as a person at a terminal gives them, and what comes back."""

import json
import sys
import zipfile
from pathlib import Path

import pytest
import torch
from PySide6.QtWidgets import QApplication

from wizard.cli.command_line import run_command
from wizard.words import words

RECORDED = Path(__file__).parents[3] / "recordings" / "models"
ALEXNET = RECORDED / "onnx" / "light_bvlc_alexnet.onnx"
QUANTISED = RECORDED / "onnx" / "qlinearconv.onnx"
PAGE = b"<!DOCTYPE html><html><head><title>Sign in</title></head></html>"
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NAOSU_LANG", "en")


def facts_of(capfd: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, object]]:
    run_command(["inspect", *arguments, "--json", "-"])
    return list(json.loads(capfd.readouterr().out)["facts"]["models"])


def test_one_file_is_told_whole(capfd: pytest.CaptureFixture[str]) -> None:
    assert run_command(["inspect", str(ALEXNET)]) == 0
    shown = capfd.readouterr().out
    assert "light_bvlc_alexnet.onnx: ONNX" in shown
    assert "ai.onnx 9" in shown
    assert "Conv ×5" in shown
    assert "--target" in shown


UNREAD = "not looked at"


@pytest.mark.parametrize(
    ("name", "words_shown", "is_unread"),
    [
        pytest.param("onnx/made/function.onnx", "nothing stands against it", False, id="whole"),
        pytest.param("onnx/made/nan_weight.onnx", "holds weights that are NaN", False, id="nan"),
        pytest.param("torch-zip/made/kinds.pt", "nothing stands against it", True, id="not-all-tensors"),
        pytest.param("tflite/made/dynamic_range.tflite", "nothing stands against it", True, id="no-reader"),
        pytest.param("pt2/made/exported.pt2", "nothing stands against it", False, id="program-of-torch-export"),
    ],
)
def test_a_tick_says_where_the_weights_were_not_looked_at(
    name: str, words_shown: str, *, is_unread: bool, capfd: pytest.CaptureFixture[str]
) -> None:
    run_command(["inspect", str(RECORDED / name)])
    first = capfd.readouterr().out.splitlines()[0]
    assert words_shown in first
    assert (UNREAD in first) is is_unread


def test_of_several_files_it_says_in_how_many(capfd: pytest.CaptureFixture[str]) -> None:
    run_command(
        ["inspect", *(str(RECORDED / name) for name in ("tflite/made/beside.tflite", "onnx/made/function.onnx"))]
    )
    assert f"{UNREAD} in 1 of them" in capfd.readouterr().out.splitlines()[0]


def test_several_files_are_a_line_each(capfd: pytest.CaptureFixture[str]) -> None:
    run_command(["inspect", str(ALEXNET), str(QUANTISED)])
    lines = capfd.readouterr().out.splitlines()
    rows = [line for line in lines if line.endswith("Read") and "ONNX" in line]
    assert [path in row for path, row in zip(map(str, (ALEXNET, QUANTISED)), rows, strict=True)] == [True, True]


def test_the_contract_of_the_json(capfd: pytest.CaptureFixture[str]) -> None:
    (model,) = facts_of(capfd, str(ALEXNET))
    assert model["path"] == str(ALEXNET)
    assert (model["format"], model["version"], model["dependence"]) == ("onnx", "IR 3", "low")
    assert model["needs"]["opsets"] == {"": 9}  # type: ignore[index]
    assert model["verdicts"] == []


def test_a_folder_and_an_archive_hold_the_same(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with zipfile.ZipFile(tmp_path / "models.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for path in (ALEXNET, QUANTISED):
            archive.write(path, f"deep/{path.name}")
        archive.writestr("README.md", "two models")
    (tmp_path / "folder" / "deep").mkdir(parents=True)
    for path in (ALEXNET, QUANTISED):
        (tmp_path / "folder" / "deep" / path.name).write_bytes(path.read_bytes())
    (tmp_path / "folder" / "notes.txt").write_text("nothing")
    inside = facts_of(capfd, str(tmp_path / "models.zip"))
    beside = facts_of(capfd, str(tmp_path / "folder"))
    assert [each["name"] for each in inside] == [each["name"] for each in beside] == [ALEXNET.name, QUANTISED.name]
    assert [each["needs"] for each in inside] == [each["needs"] for each in beside]
    assert inside[0]["path"] == f"{tmp_path}/models.zip/deep/{ALEXNET.name}"


@pytest.mark.parametrize("name", ["model", "model.bin", "model.pt", "model.txt"])
def test_the_content_decides_and_not_the_ending(name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / name).write_bytes(ALEXNET.read_bytes())
    (model,) = facts_of(capfd, str(tmp_path / name))
    assert model["format"] == "onnx"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        pytest.param(b"", "empty", id="empty"),
        pytest.param(PAGE, "html-page", id="a-page"),
        pytest.param(b"\n <!-- x -->" + PAGE, "html-page", id="a-page-behind-a-comment"),
        pytest.param(POINTER, "lfs-pointer", id="a-pointer"),
        pytest.param(b"once upon a time", "unknown-format", id="a-text"),
    ],
)
def test_what_is_no_model(content: bytes, problem: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "model.onnx").write_bytes(content)
    (model,) = facts_of(capfd, str(tmp_path / "model.onnx"))
    assert (model.get("format"), model["problem"]) == (None, problem)
    for language in ("en", "ja"):
        run_command(["inspect", str(tmp_path / "model.onnx"), "--lang", language])
        sentence = words(f"models.problem-{problem}", language).rstrip(".。")
        assert f"\n    × {sentence}" in capfd.readouterr().out  # below the line that names the file


def test_nothing_there(capfd: pytest.CaptureFixture[str]) -> None:
    assert run_command(["inspect", "no/such.onnx"]) == 2
    assert capfd.readouterr().err.count("\n") == 1


def test_a_folder_without_models(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "notes.txt").write_text("nothing")
    (model,) = facts_of(capfd, str(tmp_path))
    assert model["problem"] == "no-model-in-folder"
    (tmp_path / "notes.txt").unlink()
    (model,) = facts_of(capfd, str(tmp_path))
    assert model["problem"] == "empty-folder"


def test_a_folder_that_leads_back_to_itself(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "again").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "model.onnx").write_bytes(ALEXNET.read_bytes())
    assert len(facts_of(capfd, str(tmp_path))) == 1


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_link_out_of_the_folder_is_named_and_not_followed(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], language: str
) -> None:
    given, elsewhere = tmp_path / "customer", tmp_path / "elsewhere"
    given.mkdir()
    elsewhere.mkdir()
    (elsewhere / "private.onnx").write_bytes(ALEXNET.read_bytes())
    (given / "model.onnx").write_bytes(ALEXNET.read_bytes())
    (given / "root").symlink_to("/")
    (given / "model-2.onnx").symlink_to(elsewhere / "private.onnx")
    assert run_command(["inspect", str(given), "--lang", language, "--no-redact"]) == 1
    printed = capfd.readouterr().out
    assert words("models.problem-linked-outside", language).rstrip(".。") in printed
    assert str(elsewhere / "private.onnx") in printed
    (model, *links) = facts_of(capfd, str(given))
    assert (model["name"], [link["problem"] for link in links]) == ("model.onnx", ["linked-outside"] * 2)


def test_every_print_in_both_languages(qapp: QApplication, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for language in ("en", "ja"):
        outputs = {kind: tmp_path / f"{language}.{kind}" for kind in ("json", "markdown", "pdf")}
        options = [part for kind, path in outputs.items() for part in (f"--{kind}", str(path))]
        run_command(["inspect", str(ALEXNET), str(tmp_path), *options, "--lang", language])
        assert outputs["pdf"].read_bytes().startswith(b"%PDF")
        assert "alexnet.onnx" in outputs["markdown"].read_text(encoding="utf-8")


def test_a_saved_case_is_judged_again(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    saved = tmp_path / "case.json"
    run_command(["inspect", str(ALEXNET), "--json", str(saved), "--no-redact", "--quiet"])
    capfd.readouterr()
    assert run_command(["show", str(saved)]) == 0
    assert "Conv ×5" in capfd.readouterr().out


def test_a_name_that_a_terminal_would_obey(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "\x1b[31mred\u202e.onnx"
    path.write_bytes(ALEXNET.read_bytes())
    run_command(["inspect", str(path)])
    shown = capfd.readouterr().out
    assert "\x1b" not in shown
    assert "\u202e" not in shown


# --- exports ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "words_of"),
    [
        pytest.param(("--export",), "export-needs-target", id="without-a-python"),
        pytest.param(("--inputs", str(ALEXNET)), "inputs-need-export", id="inputs-for-nothing"),
        pytest.param(("--repeat",), "repeat-needs-target", id="repetitions-without-a-python"),
        pytest.param(("--minimal", "out"), "minimal-needs-target", id="a-part-without-a-python"),
        pytest.param(("--beside", sys.executable), "beside-needs-minimal", id="two-pythons-for-nothing"),
    ],
)
def test_an_export_takes_a_python(arguments: tuple[str, ...], words_of: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run_command(["inspect", str(ALEXNET), *arguments]) == 2
    assert capfd.readouterr().err.strip() == words(f"commands.{words_of}", "en")


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_second_python_that_cannot_be_one_is_refused(
    language: str, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    arguments = ["--target", sys.executable, "--minimal", str(tmp_path / "out"), "--lang", language]
    assert run_command(["inspect", str(ALEXNET), *arguments, "--beside", str(tmp_path)]) == 2
    why = words("window.target-problem-not-python", language, path=tmp_path)
    assert capfd.readouterr().err.strip() == words("commands.wrong-beside", language, why=why)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_part_needs_a_folder_that_can_be_made(
    language: str, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("x")
    place = tmp_path / "file" / "out"
    arguments = ["--target", sys.executable, "--minimal", str(place), "--lang", language]
    assert run_command(["inspect", str(ALEXNET), *arguments]) == 2
    assert capfd.readouterr().err.strip() == words("commands.minimal-no-room", language, path=place)


def test_a_part_is_written_to_no_folder_that_holds_something(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("x")
    assert run_command(["inspect", str(ALEXNET), "--target", sys.executable, "--minimal", str(tmp_path)]) == 2
    assert capfd.readouterr().err.strip() == words("commands.minimal-not-empty", "en", path=tmp_path)


def test_an_exporter_that_nobody_knows(capfd: pytest.CaptureFixture[str]) -> None:
    assert run_command(["inspect", str(ALEXNET), "--target", sys.executable, "--export", "onnx2torch"]) == 2
    said = capfd.readouterr().err
    assert "onnx2torch" in said
    assert "torch-onnx-dynamo" in said


@pytest.mark.usefixtures("shared_probes")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_an_export_for_real(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """torch and nothing else is installed here, so that one exporter fits, and another fails for want of onnx."""
    torch.jit.trace(torch.nn.Linear(4, 2), torch.rand(1, 4)).save(tmp_path / "net.pt")
    (model,) = facts_of(
        capfd,
        str(tmp_path / "net.pt"),
        "--target",
        sys.executable,
        "--export",
        "torch-export",
        "torch-onnx-torchscript",
    )
    equal, failed = model["exports"]  # type: ignore[misc]
    assert (equal["exporter"], equal["fit"], equal["exported"]) == ("torch-export", "fits", True)
    assert equal["outputs"][0]["max_abs"] <= equal["outputs"][0]["bound"]
    assert (failed["exporter"], failed["fit"], failed["exported"]) == ("torch-onnx-torchscript", "misfit", False)
    assert failed["unmet"] == [{"needed": "onnx"}]


@pytest.mark.usefixtures("shared_probes")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_model_run_again_for_real(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A dropout that was left on is found at its node."""
    path = tmp_path / "net.pt"
    torch.jit.script(torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Dropout(0.5)).train()).save(path)
    arguments = ["inspect", str(path), "--target", sys.executable, "--effort", "quick", "--repeat"]
    assert run_command([*arguments, "--json"]) == 1
    report = json.loads(capfd.readouterr().out)
    assert "train-mode-at-inference" in [finding["cause"] for finding in report["findings"]]
    made = report["facts"]["measurements"]
    assert (made[0]["path"], made[0]["first_op"], made[0]["inputs"][0]["shape"]) == (str(path), "aten::dropout", [1, 4])


def test_inputs_for_a_check_need_a_model(capfd: pytest.CaptureFixture[str]) -> None:
    assert run_command(["check", "--inputs", str(ALEXNET)]) == 2
    assert capfd.readouterr().err.strip() == words("commands.inputs-need-model", "en")

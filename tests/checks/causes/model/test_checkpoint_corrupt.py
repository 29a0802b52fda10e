"""Which files are damaged, and which are only something else."""

from pathlib import Path

import pytest

from checks.causes.model.checkpoint_corrupt import checkpoint_corrupt
from checks.facts import Facts, ModelFacts, ModelFiles, ModelRun
from checks.facts.finding import Finding, NotInTable, Severity
from checks.judgement.one_check import judge_one
from checks.readers.models import read_models

RECORDED = Path(__file__).parents[3] / "recordings" / "models"
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 132335669\n"
FIRST = {"lfs-pointer": "pull-git-lfs-file", "html-page": "download-file-itself"}


def judged(*models: ModelFacts) -> list[Finding]:
    return list(checkpoint_corrupt(ModelFiles(files=models)))


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "empty"),
        (POINTER, "lfs-pointer"),
        (b"<!DOCTYPE html><title>404</title>", "html-page"),
        (b"PK\x03\x04" + bytes(100), "archive-damaged"),
        (b"\x80\x02}q\x00(X\x05\x00\x00\x00stateX\x10\x00\x00\x00", "truncated"),
    ],
)
def test_a_file_that_is_not_what_its_name_says(data: bytes, problem: str, tmp_path: Path) -> None:
    (tmp_path / "model.pt").write_bytes(data)
    (finding,) = judged(*read_models(tmp_path / "model.pt"))
    assert finding.severity is Severity.BLOCKING
    assert finding.placeholders()["model_problem"] == problem
    assert finding.values == {
        "model_path": str(tmp_path / "model.pt"),
        "model_folder": str(tmp_path),
        "runtime": "",
    }
    assert finding.remedies[0] == FIRST.get(problem, "download-model-file-again")


def test_what_a_pointer_and_a_page_tell(tmp_path: Path) -> None:
    (tmp_path / "model.pt").write_bytes(POINTER)
    (pointer,) = judged(*read_models(tmp_path / "model.pt"))
    assert (pointer.placeholders()["lfs_size"], pointer.placeholders()["file_size"]) == ("132335669", str(len(POINTER)))
    (tmp_path / "model.pt").write_bytes(b"<!DOCTYPE html><title>Sign in</title>")
    (page,) = judged(*read_models(tmp_path / "model.pt"))
    assert page.placeholders()["page_title"] == "Sign in"


def test_a_path_of_windows() -> None:
    (finding,) = judged(ModelFacts(path=r"C:\models\a.pt", problem="lfs-pointer"))
    assert finding.values["model_folder"] == r"C:\models"
    (finding,) = judged(ModelFacts(path="a.pt", problem="lfs-pointer"))
    assert finding.values["model_folder"] == "."


def test_an_unknown_file_is_not_called_damaged_nor_whole(tmp_path: Path) -> None:
    (tmp_path / "model.bin").write_bytes(b"who knows")
    with pytest.raises(NotInTable, match=r"model\.bin"):
        judged(*read_models(tmp_path / "model.bin"))


def test_an_unknown_file_hides_no_damaged_one() -> None:
    models = ModelFiles(files=(ModelFacts(path="a", problem="unknown-format"), ModelFacts(path="b", problem="empty")))
    outcome = judge_one(checkpoint_corrupt, Facts(models=models.files))
    assert [finding.subject for finding in outcome.findings] == ["b"]


@pytest.mark.parametrize(
    "problem", [None, "missing-part", "encrypted", "unreadable", "not-a-file", "reader-broke", "outside"]
)
def test_silent(problem: str | None) -> None:
    assert judged(ModelFacts(path="a", format="onnx", problem=problem)) == []


def test_a_file_that_was_loaded_is_not_damaged() -> None:
    assert judged(ModelFacts(path="a", problem="truncated", runs=(ModelRun(runtime="torch", loaded=True),))) == []


def test_whole_files() -> None:
    assert judged(*read_models(RECORDED / "torch-zip"), *read_models(RECORDED / "pickle")) == []

"""Which files would run something, and which hold only what weights need."""

import os
from pathlib import Path

import pytest
import torch

from checks.causes.model.pickle_runs_code import pickle_runs_code
from checks.causes.registry import all_checks
from checks.facts import Facts, InterpreterFacts, ModelFiles, Package
from checks.facts.finding import Finding, Severity, Status, Unread
from checks.judgement.one_check import judge_one
from checks.readers.models import read_models

RECORDED = Path(__file__).parents[3] / "recordings" / "models"


def judged(path: Path) -> list[Finding]:
    return list(pickle_runs_code(ModelFiles(files=read_models(path)), None))


def test_a_file_that_would_make_a_folder(tmp_path: Path) -> None:
    class Bomb:
        def __reduce__(self) -> tuple[object, ...]:
            return os.mkdir, (str(tmp_path / "made"),)

    torch.save({"w": torch.ones(1), "x": Bomb()}, tmp_path / "a.pt")
    (finding,) = judged(tmp_path / "a.pt")
    assert finding.severity is Severity.BLOCKING
    given = str(tmp_path / "made")
    assert finding.placeholders()["dangerous_names"] == (f"{os.mkdir.__module__}.mkdir({given!r})",)
    assert not (tmp_path / "made").exists()


def test_a_name_that_nobody_can_read(tmp_path: Path) -> None:
    (tmp_path / "a.pkl").write_bytes(b"\x80\x04K\x01K\x02\x93)R.")
    (finding,) = judged(tmp_path / "a.pkl")
    assert finding.severity is Severity.BLOCKING


def test_functions_of_its_own_may_be_meant_well() -> None:
    (finding,) = judged(RECORDED / "pickle" / "made" / "function.cpkl")
    assert finding.severity is Severity.WARNING


@pytest.mark.parametrize(
    ("name", "keras", "refused"),
    [
        ("keras-zip/made/lambda-3.15.keras", "3.15.1", True),
        ("keras-h5/made/lambda-3.15.h5", "3.15.1", True),
        ("keras-h5/made/lambda-2.4.h5", "3.10.0", False),
        ("keras-h5/made/lambda-2.4.h5", None, False),
    ],
)
def test_code_in_a_layer_of_keras(name: str, keras: str | None, refused: bool) -> None:
    files = ModelFiles(files=read_models(RECORDED / name))
    packages = (Package(name="keras", version=keras),) if keras else ()
    (finding,) = pickle_runs_code(files, InterpreterFacts(path="/p", packages=packages))
    said = finding.placeholders()
    assert (finding.severity, said["dangerous_names"]) == (Severity.WARNING, ("keras.layers.Lambda",))
    assert (said["code_in_layers"], "keras_refuses" in said) == ("1", refused)
    assert finding.remedies[0] == "load-lambda-of-trusted-source"


@pytest.mark.parametrize(
    "name", ["torch-zip/made/module.pt", "torch-legacy/made/module.pt", "pickle/made/pipeline.joblib"]
)
def test_what_could_not_be_read_whole_is_not_called_harmless(name: str, tmp_path: Path) -> None:
    data = (RECORDED / name).read_bytes()
    (tmp_path / "a.pt").write_bytes(data[: len(data) // 3])
    with pytest.raises(Unread, match="dangerous_names"):
        judged(tmp_path / "a.pt")


def test_a_damaged_file_without_pickles_hides_none(tmp_path: Path) -> None:
    data = (RECORDED / "onnx" / "light_bvlc_alexnet.onnx").read_bytes()
    (tmp_path / "a.onnx").write_bytes(data[: len(data) // 2])
    (tmp_path / "b.pt").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n")
    assert judged(tmp_path) == []


def test_a_damaged_file_beside_a_dangerous_one(tmp_path: Path) -> None:
    (tmp_path / "a.pkl").write_bytes(b"\x80\x04K\x01K\x02\x93)R.")
    (tmp_path / "b.pt").write_bytes((RECORDED / "torch-zip" / "made" / "module.pt").read_bytes()[:2000])
    outcome = judge_one(all_checks()["pickle-runs-code"], Facts(models=read_models(tmp_path)))
    assert (outcome.status, len(outcome.findings)) == (Status.FOUND, 1)


@pytest.mark.parametrize(
    "name",
    ["torch-zip", "torch-legacy", "torchscript", "pt2", "npy", "npz", "pickle/made/pipeline.joblib", "pickle/pnet.lz4"],
)
def test_silent(name: str) -> None:
    assert judged(RECORDED / name) == []

"""A file whose ending is that of another format; endings that fit, or say nothing, are no trouble."""

import shutil
from pathlib import Path

import pytest

from checks.causes.model.model_file_misnamed import model_file_misnamed
from checks.facts import Facts, MachineFacts, ModelFacts, ModelFiles, OsFacts
from checks.facts.finding import Finding, Severity
from checks.readers.models import read_model, read_models
from checks.remedies.plan import plan_remedies

RECORDED = Path(__file__).parents[3] / "recordings" / "models"


def judged(*models: ModelFacts) -> list[Finding]:
    return list(model_file_misnamed(ModelFiles(files=models)))


@pytest.mark.parametrize(
    ("recorded", "name", "fitting"),
    [
        ("onnx/abs.onnx", "model.tflite", "model.onnx"),
        ("onnx/abs.onnx", "my model.ORT", "my model.onnx"),
        ("tflite/made/float32.tflite", "model.onnx", "model.tflite"),
    ],
)
def test_the_ending_of_another_format(tmp_path: Path, recorded: str, name: str, fitting: str) -> None:
    shutil.copy(RECORDED / recorded, tmp_path / name)
    (found,) = judged(read_model(tmp_path / name))
    assert (found.severity, found.values["fitting_name"]) == (Severity.NOTE, fitting)
    assert found.values["fitting_file"] == str(tmp_path / fitting)
    assert f".{name.rpartition('.')[2].lower()}" == found.placeholders()["file_ending"]


@pytest.mark.parametrize("name", ["model.onnx", "model", "model.dat", "model.onnx.backup"])
def test_an_ending_that_fits_or_says_nothing(tmp_path: Path, name: str) -> None:
    shutil.copy(RECORDED / "onnx/abs.onnx", tmp_path / name)
    assert judged(read_model(tmp_path / name)) == []


def test_half_a_file_may_be_something_else(tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes((RECORDED / "tflite/made/float32.tflite").read_bytes()[:300])
    model = read_model(tmp_path / "model.onnx")
    assert model.problem is not None
    assert judged(model) == []


@pytest.mark.parametrize(
    ("path", "format_id", "fitting"),
    [
        pytest.param("C:\\m\\net.onnx", "tfjs", "C:\\m\\model.json", id="a-name-of-its-own"),
        pytest.param("/m/net.onnx", "tflite-edgetpu", "/m/net_edgetpu.tflite", id="more-than-an-ending"),
        pytest.param("zip/net.onnx", "gguf", "zip/net.gguf", id="in-a-folder"),
    ],
)
def test_what_it_is_to_be_called(path: str, format_id: str, fitting: str) -> None:
    (found,) = judged(ModelFacts(path=path, name="net.onnx", format=format_id))
    assert found.values["fitting_file"] == fitting


def test_every_recorded_model_is_named_well() -> None:
    assert judged(*read_models(RECORDED)) == []


@pytest.mark.parametrize(
    ("system", "command"),
    [
        ("Linux", "mv -i -- '/m/my net.onnx' '/m/my net.tflite'"),
        ("Windows", 'Rename-Item -LiteralPath "/m/my net.onnx" -NewName "my net.tflite"'),
    ],
)
def test_the_command_that_renames_it(system: str, command: str) -> None:
    (found,) = judged(ModelFacts(path="/m/my net.onnx", name="my net.onnx", format="tflite"))
    (plan,) = plan_remedies(found, Facts(machine=MachineFacts(os=OsFacts(system=system))), "en")
    assert [step.code for step in plan.steps] == [command]


@pytest.mark.parametrize("archive", ["models.zip", "m.tar.gz", "A.WHL"])
def test_no_command_renames_a_file_in_an_archive(archive: str) -> None:
    (found,) = judged(ModelFacts(path=f"/m/{archive}/en/net.onnx", name="net.onnx", format="tflite"))
    assert found.values["fitting_name"] == "net.tflite"
    assert plan_remedies(found, Facts(), "en") == ()

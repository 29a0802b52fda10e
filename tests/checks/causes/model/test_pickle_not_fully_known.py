"""Which files get a warning since nobody knows what all of their names do."""

from pathlib import Path

import pytest

from checks.causes.model.pickle_not_fully_known import pickle_not_fully_known
from checks.facts import ModelFacts, ModelFiles, ModelNeeds, NamedClass
from checks.facts.finding import Finding, NotHere, Severity
from checks.knowledge.phrases import words_of
from checks.readers.models import read_models

RECORDED = Path(__file__).parents[3] / "recordings" / "models"


def judged(*needed: NamedClass) -> list[Finding]:
    model = ModelFacts(path="/m/a.pt", name="a.pt", format="torch-zip", needs=ModelNeeds(classes=needed))
    return list(pickle_not_fully_known(ModelFiles(files=(model,))))


def test_a_class_of_a_program_of_its_own() -> None:
    (finding,) = judged(NamedClass(name="torch.Size", risk="known"), NamedClass(name="models.yolo.Model"))
    assert (finding.severity, finding.confidence) == (Severity.WARNING, 0.6)
    assert finding.placeholders()["unknown_names"] == ("models.yolo.Model",)


def test_a_pickle_that_could_not_be_read() -> None:
    (finding,) = judged(NamedClass(name="(unread pickle)"))
    assert words_of(finding, "en")["unknown_names"] == "another pickle in it that could not be read"


def test_a_recorded_module_of_its_own() -> None:
    models = ModelFiles(files=read_models(RECORDED / "torch-zip" / "made" / "module.pt"))
    (finding,) = pickle_not_fully_known(models)
    assert finding.placeholders()["unknown_names"] == ("__main__.Net",)


@pytest.mark.parametrize(
    "needed",
    [
        pytest.param((), id="no names"),
        pytest.param((NamedClass(name="torch.Size", risk="known"),), id="known"),
        pytest.param((NamedClass(name="a.B"), NamedClass(name="os.system", risk="dangerous")), id="dangerous as well"),
    ],
)
def test_silent(needed: tuple[NamedClass, ...]) -> None:
    assert judged(*needed) == []


def test_a_model_without_a_pickle_is_not_called_known() -> None:
    with pytest.raises(NotHere):
        list(pickle_not_fully_known(ModelFiles(files=(ModelFacts(path="/m/a.onnx", format="onnx"),))))

"""When the target lacks a module that a pickle names, and when it has it."""

from pathlib import Path

import msgspec
import pytest

from checks.causes.model.checkpoint_class_missing import checkpoint_class_missing
from checks.facts import InterpreterFacts, ModelFacts, ModelFiles, ModelNeeds, NamedClass, Package
from checks.facts.finding import Finding, Severity, Unread
from checks.readers.models import read_model

RECORDED = Path(__file__).parents[3] / "recordings" / "models"
PIPELINE = RECORDED / "pickle/made/pipeline.joblib"


def python(*packages: str) -> InterpreterFacts:
    return InterpreterFacts(path="/p", packages=tuple(Package(name=package, version="1") for package in packages))


def names(*classes: str, kind: str = "torch-zip") -> ModelFacts:
    needs = ModelNeeds(classes=tuple(NamedClass(name=each) for each in classes))
    return ModelFacts(path="a.pt", format=kind, needs=needs)


def judged(model: ModelFacts | str, interpreter: InterpreterFacts) -> list[Finding]:
    read = read_model(RECORDED / model) if isinstance(model, str) else model
    return list(checkpoint_class_missing(ModelFiles(files=(read,)), interpreter))


def test_a_package_that_is_not_installed() -> None:
    (finding,) = judged(names("ultralytics.nn.tasks.DetectionModel"), python("torch"))
    assert finding.severity is Severity.BLOCKING
    assert finding.values["requirement"] == "ultralytics"
    assert finding.remedies[0] == "install-package-of-class"
    assert finding.values["modules"] == "ultralytics"
    (finding,) = judged("pickle/made/pipeline.joblib", python("numpy", "joblib"))
    assert finding.values["requirement"] == f"scikit-learn=={read_model(PIPELINE).producer_version}"
    assert finding.values["modules"] == "sklearn"


@pytest.mark.parametrize("version", ["", "of somebody", "1" * 5000])
def test_a_release_that_is_none_is_not_asked_for(version: str) -> None:
    model = msgspec.structs.replace(read_model(PIPELINE), producer_version=version)
    (finding,) = judged(model, python("numpy", "joblib"))
    assert finding.values["requirement"] == "scikit-learn"


def test_code_of_a_program() -> None:
    for model in ("torch-zip/made/module.pt", names("models.yolo.Model")):
        (finding,) = judged(model, python("torch", "models"))
        assert finding.severity is Severity.WARNING
        assert finding.remedies[0] == "make-classes-importable"


def test_a_module_that_nobody_knows() -> None:
    (finding,) = judged(names("somebodys_net.Net"), python("torch"))
    assert (finding.severity, finding.placeholders()["packages_missing"]) == (Severity.WARNING, "somebodys-net")
    assert "requirement" not in finding.values


@pytest.mark.parametrize(
    ("model", "interpreter"),
    [
        pytest.param("torch-zip/made/state_dict.pt", python("torch"), id="weights"),
        pytest.param("pickle/made/pipeline.joblib", python("scikit-learn", "numpy", "joblib"), id="installed"),
        pytest.param(names("sklearn.svm.SVC", kind="pickle"), python("scikit-learn-intelex"), id="another name"),
        pytest.param(names("somebodys_net.Net"), python("somebodys-net"), id="its own name"),
        pytest.param(names("collections.OrderedDict", "argparse.Namespace"), python(), id="standard library"),
        pytest.param(names("torch.nn.modules.conv.Conv2d"), python(), id="torch is another cause"),
        pytest.param(names("(computed)"), python(), id="no module"),
    ],
)
def test_silent(model: ModelFacts | str, interpreter: InterpreterFacts) -> None:
    assert judged(model, interpreter) == []


def test_unread_packages() -> None:
    with pytest.raises(Unread, match="packages"):
        judged(names("ultralytics.nn.tasks.DetectionModel"), InterpreterFacts(path="/p"))
    assert judged("torch-zip/made/state_dict.pt", InterpreterFacts(path="/p")) == []

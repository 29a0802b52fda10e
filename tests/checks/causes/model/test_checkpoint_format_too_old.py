"""Formats of the past, and files that are older than the target reads."""

from pathlib import Path

import pytest

from checks.causes.model.checkpoint_format_too_old import checkpoint_format_too_old
from checks.facts import Frameworks, InterpreterFacts, ModelFacts, ModelFiles, ModelRun, Package, TorchFacts
from checks.facts.finding import Finding, NotHere, Severity
from checks.readers.models import read_model

RECORDED = Path(__file__).parents[3] / "recordings" / "models"


def judged(model: ModelFacts | str, frameworks: Frameworks | None = None, sklearn: str = "") -> list[Finding]:
    read = read_model(RECORDED / model) if isinstance(model, str) else model
    found = (Package(name="scikit-learn", version=sklearn),) if sklearn else ()
    return list(
        checkpoint_format_too_old(ModelFiles(files=(read,)), frameworks, InterpreterFacts(path="/p", packages=found))
    )


@pytest.mark.parametrize(
    ("name", "year"),
    [
        ("torch7/made/gmodule_with_linear_identity.t7", "2017"),
        ("chainer-npz/made/classifier.npz", "2022"),
        ("caffe/deploy.prototxt", "2017"),
    ],
)
def test_formats_of_the_past(name: str, year: str) -> None:
    (finding,) = judged(name)
    assert finding.placeholders()["retired"] == year
    assert finding.placeholders()["programs_left"]
    assert finding.remedies == ("convert-old-model-file",)
    assert finding.severity is Severity.WARNING


def test_a_schema_that_is_too_old() -> None:
    model = ModelFacts(path="a.pt2", format="pt2", version="schema 5.3")
    (finding,) = judged(model, Frameworks(torch=TorchFacts(version="2.13.0")))
    assert (finding.severity, finding.placeholders()["runtime_reads"]) == (Severity.BLOCKING, "8")
    assert judged(model, Frameworks(torch=TorchFacts(version="2.4.1"))) == []


def test_an_estimator_of_an_older_release() -> None:
    (finding,) = judged("pickle/made/pipeline.joblib", sklearn="1.10.0")
    assert finding.severity is Severity.WARNING
    assert judged("pickle/made/pipeline.joblib", sklearn="1.9.0") == []


@pytest.mark.parametrize("name", ["torch-zip/made/state_dict.pt", "npz/mel_filters.npz"])
def test_silent(name: str) -> None:
    assert judged(name, Frameworks(torch=TorchFacts(version="2.13.0"))) == []


def test_nothing_is_fine_where_nothing_could_read_it() -> None:
    with pytest.raises(NotHere) as raised:
        judged("torch-legacy/alex.pth", Frameworks(torch=TorchFacts(version="2.13.0")))  # what it needs is NumPy
    assert (raised.value.fact, raised.value.reason) == ("frameworks", "not-installed")


def test_what_was_loaded_is_not_too_old() -> None:
    runs = (ModelRun(runtime="opencv-python", loaded=True),)
    assert judged(ModelFacts(path="a", format="caffe", runs=runs)) == []

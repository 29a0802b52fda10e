"""When a file is newer than the target reads, and when it is read."""

from pathlib import Path

import pytest

from checks.causes.model.checkpoint_format_too_new import checkpoint_format_too_new
from checks.facts import (
    Frameworks,
    InterpreterFacts,
    ModelFacts,
    ModelFiles,
    ModelNeeds,
    Package,
    TensorFlowFacts,
    TorchFacts,
)
from checks.facts.finding import Finding, NotCollected, NotHere, Severity
from checks.readers.models import read_model

RECORDED = Path(__file__).parents[3] / "recordings" / "models"


def judged(model: ModelFacts | str, frameworks: Frameworks | None = None, **packages: str) -> list[Finding]:
    read = read_model(RECORDED / model) if isinstance(model, str) else model
    found = tuple(Package(name=name.replace("_", "-"), version=version) for name, version in packages.items())
    return list(
        checkpoint_format_too_new(ModelFiles(files=(read,)), frameworks, InterpreterFacts(path="/p", packages=found))
    )


def torch(version: str) -> Frameworks:
    return Frameworks(torch=TorchFacts(version=version))


def test_a_schema_that_is_too_new() -> None:
    causes = judged("pt2/made/exported.pt2", torch("2.5.1"))
    assert {cause.placeholders()["written_with"] for cause in causes} == {"schema 8.20", "torch>=2.8"}
    assert all(cause.severity is Severity.BLOCKING for cause in causes)
    assert {cause.placeholders().get("runtime_reads") for cause in causes} == {"7", None}


def test_a_layout_that_is_too_new() -> None:
    (finding,) = judged("pt2/made/exported.pt2", torch("2.7.1"))
    assert finding.placeholders()["written_with"] == "torch>=2.8"
    assert judged("pt2/made/before_2_8.pt2", torch("2.7.1")) == []


def test_torchscript() -> None:
    model = ModelFacts(path="a.pt", format="torchscript", version="7")
    (finding,) = judged(model, torch("1.10.2"))
    assert finding.placeholders()["runtime_reads"] == "1 – 6"
    assert judged(model, torch("1.11.0")) == [], "nobody knows"
    assert judged(model, torch("1.13.1")) == []


def test_estimators_and_arrays() -> None:
    (finding,) = judged("pickle/made/pipeline.joblib", scikit_learn="1.5.2", numpy="2.1.0")
    assert (finding.severity, finding.placeholders()["written_with"]) == (Severity.WARNING, "1.9.1")
    (finding,) = judged("pickle/made/pipeline.joblib", scikit_learn="1.9.0", numpy="1.25.2")
    assert finding.placeholders()["written_with"] == "numpy>=1.26.1"


def test_a_zip_and_an_old_torch() -> None:
    (finding,) = judged("torch-zip/made/state_dict.pt", torch("1.5.1"))
    assert finding.values["runtime"] == "torch"


def test_a_newer_savedmodel_is_a_note() -> None:
    model = ModelFacts(path="m", format="savedmodel", producer="tensorflow", producer_version="2.16.1")
    (finding,) = judged(model, Frameworks(tensorflow=TensorFlowFacts(version="2.10.0")))
    assert finding.severity is Severity.NOTE
    assert judged(model, Frameworks(tensorflow=TensorFlowFacts(version="2.16.2"))) == []


@pytest.mark.parametrize(
    ("model", "frameworks"),
    [
        ("pt2/made/exported.pt2", torch("2.13.0")),
        ("torch-zip/made/state_dict.pt", torch("2.13.0+cpu")),
        ("torchscript/made/traced.pt", torch("1.8.0")),
        (ModelFacts(path="a", format="pt2", needs=ModelNeeds(frameworks=("not a requirement!",))), torch("2.5.0")),
        (ModelFacts(path="a", format="pt2", version="?"), torch("nightly")),
    ],
)
def test_silent(model: ModelFacts | str, frameworks: Frameworks | None) -> None:
    assert judged(model, frameworks) == []


def test_nothing_is_fine_where_nothing_could_read_it() -> None:
    with pytest.raises(NotHere) as raised:
        judged("pt2/made/exported.pt2")
    assert (raised.value.fact, raised.value.reason) == ("frameworks", "not-installed")


def test_without_a_target_nothing_is_fine() -> None:
    files = ModelFiles(files=(read_model(RECORDED / "pt2/made/exported.pt2"),))
    with pytest.raises(NotCollected):
        list(checkpoint_format_too_new(files, None, None))

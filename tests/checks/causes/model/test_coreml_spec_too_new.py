"""When a Core ML model asks for a newer macOS."""

import msgspec
import pytest

from checks.causes.model.coreml_spec_too_new import coreml_spec_too_new
from checks.facts import AppleFacts, ModelFacts, ModelFiles, ModelNeeds, ModelRun, OsFacts
from checks.facts.finding import Finding, NotHere, NotInTable, Severity, Unread
from checks.knowledge.formats.coreml import specification


def model(version: int, format_id: str = "coreml-mlpackage") -> ModelFacts:
    row = specification(version)
    return ModelFacts(
        path="/m/x.mlpackage",
        name="x.mlpackage",
        format=format_id,
        version=f"specification {version}",
        needs=ModelNeeds(systems=row.systems if row else None),
        details={"coreml-opset": "CoreML7"},
    )


def findings(facts: ModelFacts, macos: str | None, system: str = "Darwin") -> list[Finding]:
    apple = AppleFacts(macos_version=macos, origin="sw_vers")
    return list(coreml_spec_too_new(ModelFiles(files=(facts,)), OsFacts(system=system), apple))


@pytest.mark.parametrize(
    ("version", "macos", "needed"),
    [
        pytest.param(8, "13.6.1", "macOS 14", id="one-release-behind"),
        pytest.param(10, "15.7", "macOS 26", id="before-the-new-numbers"),
        pytest.param(4, "10.14.6", "macOS 10.15", id="long-ago"),
        pytest.param(2, "10.13.1", "macOS 10.13.2", id="by-a-patch"),
    ],
)
def test_found(version: int, macos: str, needed: str) -> None:
    (found,) = findings(model(version), macos)
    assert (found.severity, found.subject) == (Severity.BLOCKING, "/m/x.mlpackage")
    values = {each.name: each.value for each in found.evidence}
    assert values == {
        "model": "x.mlpackage",
        "model_specification": f"specification {version}, CoreML7",
        "macos_version": macos,
        "needed": needed,
    }
    assert found.values == {"model_path": "/m/x.mlpackage", "runtime": "coreml"}


@pytest.mark.parametrize(
    ("facts", "macos"),
    [
        pytest.param(model(8), "14.0", id="the-first-that-reads-it"),
        pytest.param(model(10), "26.1", id="the-newest"),
        pytest.param(model(10), "16.0", id="the-newest-by-its-other-number"),
        pytest.param(model(1), "10.13", id="the-oldest"),
        pytest.param(
            msgspec.structs.replace(model(8), runs=(ModelRun(runtime="coremltools", loaded=True),)), "13.0", id="loaded"
        ),
    ],
)
def test_silent(facts: ModelFacts, macos: str) -> None:
    assert findings(facts, macos) == []


def test_a_system_that_hides_its_version_is_not_judged() -> None:
    with pytest.raises(Unread):
        findings(model(8), "10.16")
    with pytest.raises(Unread):
        findings(model(8), None)


def test_a_specification_of_the_future() -> None:
    with pytest.raises(NotInTable):
        findings(model(99), "15.0")


def test_on_another_system_the_model_may_be_meant_for_a_mac() -> None:
    with pytest.raises(NotHere):
        findings(model(8), None, system="Linux")

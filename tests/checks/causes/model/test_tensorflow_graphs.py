"""Graphs that the TensorFlow of the target does not import: operators of a package, and of a newer release."""

from pathlib import Path

import pytest

from checks.causes.model.checkpoint_format_too_new import checkpoint_format_too_new
from checks.causes.model.custom_op_not_registered import custom_op_not_registered
from checks.facts import Frameworks, InterpreterFacts, ModelFiles, Package, TensorFlowFacts
from checks.facts.finding import Finding, NotHere, Severity, Unread
from checks.readers.models import read_model

RECORDED = Path(__file__).parents[3] / "recordings" / "models"


def files(name: str) -> ModelFiles:
    return ModelFiles(files=(read_model(RECORDED / name),))


def python(**packages: str) -> InterpreterFacts:
    installed = tuple(Package(name=name.replace("_", "-"), version=version) for name, version in packages.items())
    return InterpreterFacts(path="/env/bin/python", packages=installed)


def custom(name: str, interpreter: InterpreterFacts | None, tensorflow: TensorFlowFacts | None) -> list[Finding]:
    return list(custom_op_not_registered(files(name), None, interpreter, None, tensorflow))


def too_new(name: str, **packages: str) -> list[Finding]:
    version = packages.get("tensorflow")
    frameworks = Frameworks(tensorflow=TensorFlowFacts(version=version)) if version else None
    return list(checkpoint_format_too_new(files(name), frameworks, python(**packages)))


HERE = TensorFlowFacts(version="2.15.1")
TEXT = "savedmodel/made/text-ops"


def test_an_operator_of_a_package_that_is_not_installed() -> None:
    (found,) = custom(TEXT, python(tensorflow="2.15.1"), HERE)
    assert (found.severity, found.values["runtime"]) == (Severity.BLOCKING, "tensorflow")
    evidence = {each.name: each.value for each in found.evidence}
    assert (evidence["operators"], evidence["library_wanted"]) == ("CaseFoldUTF8", "tensorflow-text")


@pytest.mark.parametrize(
    ("name", "interpreter", "tensorflow"),
    [
        pytest.param(TEXT, python(tensorflow_text="2.15.0"), HERE, id="the-package-is-there"),
        pytest.param("savedmodel/made/tf2.21", python(), HERE, id="operators-of-tensorflow-itself"),
    ],
)
def test_silent(name: str, interpreter: InterpreterFacts, tensorflow: TensorFlowFacts | None) -> None:
    assert custom(name, interpreter, tensorflow) == []


def test_nothing_is_fine_where_nothing_could_read_it() -> None:
    with pytest.raises(NotHere) as raised:
        custom(TEXT, python(torch="2.13.0"), None)
    assert (raised.value.fact, raised.value.reason) == ("tensorflow", "not-collected")


def test_unread_packages_are_not_called_missing() -> None:
    with pytest.raises(Unread):
        custom(TEXT, None, HERE)


def test_an_operator_of_a_newer_tensorflow() -> None:
    (found,) = too_new("savedmodel/made/tf2.21", tensorflow="2.9.3")
    assert found.severity is Severity.BLOCKING
    assert {each.name: each.value for each in found.evidence}["written_with"] == "tensorflow>=2.10"


def test_a_newer_number_alone_is_a_note() -> None:
    (found,) = too_new("savedmodel/made/tf2.21", tensorflow="2.15.1")
    assert found.severity is Severity.NOTE


@pytest.mark.parametrize("name", ["keras-h5/made/small-3.15.h5", "keras-zip/made/int8-3.15.keras"])
def test_a_file_of_a_newer_keras_3(name: str) -> None:
    (found,) = too_new(name, keras="3.14.1")
    assert (found.severity, found.values["runtime"]) == (Severity.BLOCKING, "keras")


@pytest.mark.parametrize(
    ("name", "keras"),
    [
        pytest.param("keras-h5/made/small-3.15.h5", "3.15.0", id="the-same-release"),
        pytest.param("keras-h5/made/small-3.15.h5", "2.15.0", id="keras-2-is-another-cause"),
        pytest.param("keras-zip/made/small-2.15.keras", "3.15.1", id="a-file-of-keras-2"),
        pytest.param("keras-zip/made/custom-3.15.keras", "3.4.1", id="nothing-new-in-it"),
    ],
)
def test_keras_that_is_new_enough(name: str, keras: str) -> None:
    assert too_new(name, keras=keras) == []

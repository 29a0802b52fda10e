"""When a file was saved by another Keras than the target's. Which Keras refuses what was tried (keras.toml)."""

from pathlib import Path

import pytest

from checks.causes.model.keras_version_mismatch import keras_version_mismatch
from checks.facts import (
    EnvironmentVariables,
    InterpreterFacts,
    ModelFacts,
    ModelFiles,
    ModelRun,
    Package,
    TensorFlowFacts,
)
from checks.facts.finding import Finding, NotHere, Severity, Unread
from checks.readers.models import read_model

RECORDED = Path(__file__).parents[3] / "recordings" / "models"
LEGACY = EnvironmentVariables(values={"TF_USE_LEGACY_KERAS": "1"})


def python(**packages: str) -> InterpreterFacts:
    installed = tuple(Package(name=name.replace("_", "-"), version=version) for name, version in packages.items())
    return InterpreterFacts(path="/env/bin/python", packages=installed)


def judged(
    name: str,
    interpreter: InterpreterFacts,
    tensorflow: TensorFlowFacts | None = None,
    environment: EnvironmentVariables | None = None,
) -> list[Finding]:
    model = read_model(RECORDED / name)
    return list(keras_version_mismatch(ModelFiles(files=(model,)), interpreter, tensorflow, environment))


@pytest.mark.parametrize(
    ("name", "keras", "refused"),
    [
        ("keras-h5/made/rnn-2.4.h5", "3.15.1", "a wrapped layer"),
        ("keras-h5/made/functional-2.15.h5", "3.9.2", "a model within a functional model"),
        ("keras-h5/made/mixed-2.15.h5", "3.4.1", "a dtype policy object of Keras 2"),
        ("keras-h5/made/small-2.4.keras", "3.15.1", "accessible `.keras` zip file"),
        ("keras-zip/made/small-2.15.keras", "3.3.3", "could not be deserialized properly"),
        ("keras-h5/made/small-3.15.h5", "2.15.0", "InputLayer(batch_shape)"),
        ("keras-zip/made/custom-3.15.keras", "2.15.0", "batch_shape"),
    ],
)
def test_refused(name: str, keras: str, refused: str) -> None:
    (found,) = judged(name, python(keras=keras))
    assert (found.severity, found.confidence) == (Severity.BLOCKING, 0.93)
    path = str(RECORDED / name)
    is_renamed = found.remedies[0] == "name-keras-file-h5"
    other = {"h5_file": path.replace(".keras", ".h5")} if is_renamed else {}
    assert found.values == {"model_path": path, "runtime": "keras", **other}
    evidence = {each.name: each.value for each in found.evidence}
    assert refused in evidence["keras_refuses"]
    assert evidence["framework"] == f"keras {keras}"


@pytest.mark.parametrize(
    ("name", "keras", "first"),
    [
        ("keras-h5/made/rnn-2.4.h5", "3.15.1", "use-keras-2"),
        ("keras-h5/made/small-2.4.keras", "3.15.1", "name-keras-file-h5"),
        ("keras-h5/made/small-3.15.h5", "2.15.0", "update-keras"),
    ],
)
def test_the_way_out(name: str, keras: str, first: str) -> None:
    (found,) = judged(name, python(keras=keras))
    assert found.remedies[0] == first


def test_keras_2_beside_it() -> None:
    (found,) = judged("keras-h5/made/rnn-2.4.h5", python(keras="3.15.1", tf_keras="2.21.0"))
    assert found.severity is Severity.WARNING
    assert {each.name: each.value for each in found.evidence}["keras_beside"] == "tf-keras 2.21.0"


def test_keras_within_an_old_tensorflow() -> None:
    tensorflow = TensorFlowFacts(version="2.4.4", keras_version="2.4.0")
    (found,) = judged("keras-h5/made/small-3.15.h5", python(tensorflow="2.4.4"), tensorflow)
    assert found.values["runtime"] == "tensorflow"


def test_a_savedmodel_of_keras_2_is_a_note() -> None:
    (found,) = judged("savedmodel/made/keras2.4", python(keras="3.15.1"))
    assert (found.severity, found.remedies[0]) == (Severity.NOTE, "resave-with-both-keras")


@pytest.mark.parametrize(
    ("name", "packages"),
    [
        pytest.param("keras-h5/made/small-2.4.h5", {"keras": "3.15.1"}, id="a-simple-h5-of-keras-2"),
        pytest.param("keras-h5/made/rnn-2.4.h5", {"keras": "2.15.0"}, id="the-same-generation"),
        pytest.param("keras-zip/made/custom-3.15.keras", {"keras": "3.12.0"}, id="an-older-keras-3"),
        pytest.param("keras-h5/made/small-2.4.weights.h5", {"keras": "3.15.1"}, id="weights-alone"),
        pytest.param("keras-zip/made/lambda-3.15.keras", {"keras": "3.15.1"}, id="code-is-another-cause"),
        pytest.param("savedmodel/made/tf2.21", {"keras": "3.15.1"}, id="a-savedmodel-without-keras"),
        pytest.param("savedmodel/made/keras2.4", {"keras": "2.15.0"}, id="a-savedmodel-in-keras-2"),
    ],
)
def test_silent(name: str, packages: dict[str, str]) -> None:
    assert judged(name, python(**packages)) == []


def test_nothing_is_fine_where_nothing_could_read_it() -> None:
    with pytest.raises(NotHere) as raised:
        judged("keras-h5/made/rnn-2.4.h5", python(torch="2.13.0"))
    assert (raised.value.fact, raised.value.reason) == ("keras", "not-installed")


def test_silent_where_the_program_uses_keras_2() -> None:
    both = python(keras="3.15.1", tf_keras="2.21.0")
    assert judged("keras-h5/made/rnn-2.4.h5", both, environment=LEGACY) == []


def test_silent_where_it_was_loaded() -> None:
    model = ModelFacts(
        format="keras-h5",
        producer_version="2.15.0",
        details={"keras-particular": "LSTM(time_major)"},
        runs=(ModelRun(runtime="keras", loaded=True),),
    )
    assert list(keras_version_mismatch(ModelFiles(files=(model,)), python(keras="3.15.1"), None, None)) == []


def test_packages_that_were_not_read() -> None:
    model = ModelFacts(format="keras-h5", producer_version="2.15.0")
    with pytest.raises(Unread):
        list(keras_version_mismatch(ModelFiles(files=(model,)), None, None, None))

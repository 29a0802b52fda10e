"""The tables of TensorFlow's operators, Keras and TensorFlow.js."""

import pytest

from checks.knowledge.formats.tensorflow_operators import (
    TensorFlowOperatorsTable,
    is_tensorflow_operator,
    library_of,
    tensorflow_of_operators,
)
from checks.knowledge.formats.tfjs import (
    TfJsTable,
    is_tfjs_layer,
    is_tfjs_operator,
    lacking_backends,
    tfjs_of_operators,
)
from checks.knowledge.frameworks.keras import (
    KerasTable,
    is_keras_class,
    least_keras_3,
    refusable,
    refused_by,
    refused_generation,
    refuses_code,
)
from checks.knowledge.frameworks.tensorflow import TensorFlowTable, tensorflow_of_graph


def test_no_operator_is_told_twice() -> None:
    for rows in (TensorFlowOperatorsTable.read().added, TfJsTable.read().added):
        names = [name for row in rows for name in row.operators.split()]
        assert len(names) == len(set(names))


def test_operators_of_tensorflow() -> None:
    assert is_tensorflow_operator("MatMul")
    assert is_tensorflow_operator("_FusedMatMul")
    assert not is_tensorflow_operator("CaseFoldUTF8")
    assert (library_of("CaseFoldUTF8"), library_of("SimpleMLInferenceOp"), library_of("Mine")) == (
        "tensorflow-text",
        "tensorflow-decision-forests",
        "",
    )
    assert tensorflow_of_operators(["MatMul", "DisableCopyOnRead"]) == "2.10"
    assert tensorflow_of_operators(["MatMul"]) == ""


@pytest.mark.parametrize(
    ("producer", "release"), [(2474, "2.21"), (134, "1.15"), (26, "1.6 – 1.10"), (1, None), (None, None)]
)
def test_the_producer_of_a_graph(producer: int | None, release: str | None) -> None:
    assert tensorflow_of_graph(producer) == release


def test_every_release_has_its_number() -> None:
    assert all(row.graph_version for row in TensorFlowTable.read().release)


def test_what_keras_refuses() -> None:
    assert [row.shown for row in refusable("LSTM", ("units", "time_major"))] == ["LSTM(time_major)"]
    assert [row.shown for row in refusable("TFOpLambda", ())] == ["TFOpLambda"]
    assert refusable("Dense", ("units",)) == ()
    assert refused_by("3.9.2", ["LSTM(time_major)", "nested-in-sequential", "Dense(units)"]) == ("LSTM(time_major)",)
    assert refused_by("2.15.0", ["LSTM(time_major)"]) == ()
    assert refused_by("no version", ["LSTM(time_major)"]) == ()


def test_generations_and_code() -> None:
    assert refused_generation("keras-zip", 2, "3.0.0") is not None
    assert refused_generation("keras-zip", 3, "3.0.0") is None
    assert refuses_code("keras-h5", "3.11.0")
    assert not refuses_code("keras-h5", "3.10.0")
    assert refuses_code("keras-zip", "2.13.1")


def test_the_least_keras_3() -> None:
    assert least_keras_3(()) == "3"
    assert (
        least_keras_3(("InputLayer(batch_shape)", "Dense(quantization_config)", "GlorotUniform(input_axes)")) == "3.15"
    )


def test_every_class_with_an_argument_is_known() -> None:
    initializers = {"Orthogonal", "VarianceScaling"}
    for row in KerasTable.read().argument:
        is_initializer = row.class_ in initializers or row.class_.endswith(("Normal", "Uniform"))
        assert is_keras_class(row.class_) or is_initializer, row.class_


def test_tfjs() -> None:
    assert is_tfjs_operator("_FusedConv2D")
    assert not is_tfjs_operator("CaseFoldUTF8")
    assert is_tfjs_layer("Functional")
    assert not is_tfjs_layer("Lambda")
    assert tfjs_of_operators(["Conv2D", "SparseReshape", "Unknown"]) == "3.5.0"
    assert lacking_backends(["Conv2D", "Unique"]) == {"webgpu": ("Unique",)}


def test_what_a_backend_lacks_is_an_operator() -> None:
    assert all(is_tfjs_operator(name) for row in TfJsTable.read().lacking for name in row.operators.split())

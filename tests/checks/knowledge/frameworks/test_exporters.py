"""Whether an exporter fits what is installed."""

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from checks.facts import InterpreterFacts, Package, UnmetNeed
from checks.knowledge.catalogue import cause_of
from checks.knowledge.formats.model_formats import model_format
from checks.knowledge.frameworks.exporters import Exporter, ExportersTable, Fit, exporter_of, exporters_for, fit_of

TORCH = {"torch": "2.13.0+cpu"}
ONNX = {"onnx": "1.23.2", "onnxscript": "0.7.2"}


def exporter(name: str) -> Exporter:
    found = exporter_of(name)
    assert found is not None
    return found


def fit(name: str, installed: dict[str, str], model_format: str = "torchscript", python: str = "3.11.7") -> Fit:
    packages = tuple(Package(name=each, version=version) for each, version in installed.items())
    target = InterpreterFacts(path="python", version=python, packages=packages)
    return fit_of(exporter(name), model_format, target)


@pytest.mark.parametrize(
    ("name", "installed", "model_format"),
    [
        pytest.param("torch-onnx-dynamo", TORCH | ONNX, "torchscript", id="newest"),
        pytest.param(
            "torch-onnx-dynamo", TORCH | {"onnx": "1.17.0", "onnxscript": "0.6.0"}, "pt2", id="oldest-that-fits"
        ),
        pytest.param(
            "torch-onnx-dynamo", {"torch": "2.7.1+cu128"} | {"onnx": "1.16.0", "onnxscript": "0.2.2"}, "pt2", id="2.7"
        ),
        pytest.param("torch-onnx-torchscript", TORCH | {"onnx": "1.10.0"}, "torchscript", id="any-onnx"),
        pytest.param("torch-export", TORCH, "torchscript", id="nothing-else"),
        pytest.param(
            "coremltools",
            {"torch": "2.7.0+cu128", "coremltools": "9.0", "numpy": "2.3", "protobuf": "6.0"},
            "pt2",
            id="the-last-tested",
        ),
        pytest.param(
            "coremltools",
            {"torch": "2.13.0", "tensorflow-cpu": "2.12.0", "coremltools": "9.0", "numpy": "2.3", "protobuf": "6.0"},
            "keras-h5",
            id="another-framework-is-too-new",
        ),
        pytest.param(
            "tflite-converter", {"tensorflow-macos": "2.15.0"}, "savedmodel", id="tensorflow-under-another-name"
        ),
    ],
)
def test_fits(name: str, installed: dict[str, str], model_format: str) -> None:
    found = fit(name, installed, model_format)
    assert (found.state, found.unmet) == ("fits", ())
    assert found.versions


@pytest.mark.parametrize(
    ("name", "installed", "unmet"),
    [
        pytest.param(
            "torch-onnx-dynamo", TORCH | {"onnx": "1.23.2"}, [UnmetNeed(needed="onnxscript>=0.6.0")], id="missing"
        ),
        pytest.param(
            "torch-onnx-dynamo",
            TORCH | {"onnx": "1.23.2", "onnxscript": "0.5.7"},
            [UnmetNeed(needed="onnxscript>=0.6.0", found="onnxscript 0.5.7")],
            id="too-old",
        ),
        pytest.param(
            "torch-onnx-dynamo",
            {"torch": "2.4.1"} | ONNX,
            [UnmetNeed(needed="torch>=2.5", found="torch 2.4.1")],
            id="old-torch",
        ),
        pytest.param("torch-onnx-torchscript", TORCH, [UnmetNeed(needed="onnx")], id="without-onnx"),
        pytest.param(
            "litert-torch",
            {
                "torch": "2.9.0",
                "ai-edge-torch": "0.6.0",
                "ai-edge-litert": "1.4.0",
                "ai-edge-quantizer": "0.3.0",
                "jax": "0.7",
            },
            [UnmetNeed(needed="torch>=2.4.0,<2.9.0", found="torch 2.9.0")],
            id="under-its-old-name",
        ),
    ],
)
def test_does_not_fit(name: str, installed: dict[str, str], unmet: list[UnmetNeed]) -> None:
    found = fit(name, installed)
    assert (found.state, list(found.unmet)) == ("misfit", unmet)


def test_numpy_2_removed_what_an_older_tf2onnx_calls() -> None:
    installed = {
        "tensorflow": "2.15.0",
        "tf2onnx": "1.16.1",
        "numpy": "2.0.0",
        "onnx": "1.17.0",
        "flatbuffers": "24.3",
        "protobuf": "3.20.3",
    }
    found = fit("tf2onnx", installed, "keras-h5")
    assert found.unmet == (UnmetNeed(needed="numpy>=1.14.1,<2", found="numpy 2.0.0"),)
    assert fit("tf2onnx", installed | {"numpy": "1.26.4"}, "keras-h5").state == "fits"


def test_a_python_that_is_too_old() -> None:
    installed = {
        "tensorflow": "2.13.0",
        "tf2onnx": "1.17.0",
        "numpy": "1.24",
        "onnx": "1.17",
        "flatbuffers": "24.3",
        "protobuf": "4.25",
    }
    found = fit("tf2onnx", installed, "keras-h5", python="3.9.2")
    assert found.unmet == (UnmetNeed(needed="Python>=3.10", found="3.9.2"),)


def test_beyond_what_its_makers_tried() -> None:
    found = fit("coremltools", {"torch": "2.7.1", "coremltools": "9.0", "numpy": "2.3", "protobuf": "6.0"})
    assert found.state == "untested"
    assert found.unmet == (UnmetNeed(needed="torch<=2.7.0", found="torch 2.7.1"),)


@pytest.mark.parametrize("installed", [{}, {"coremltools": "9.0"}, {"torch": "2.13.0"}])
def test_not_installed_is_the_exporter_or_its_framework(installed: dict[str, str]) -> None:
    assert fit("coremltools", installed).state == "not-installed"


def test_packages_that_were_not_read_are_unknown() -> None:
    assert fit_of(exporter("torch-export"), "torchscript", InterpreterFacts(path="python")).state == "unknown"


@pytest.mark.parametrize("version", ["2.13.0a0+git123", "not a version", "9" * 5000])
def test_odd_versions_break_nothing(version: str) -> None:
    assert fit("torch-onnx-dynamo", {"torch": version} | ONNX).state in ("fits", "misfit")


def test_every_row_can_be_read() -> None:
    table = ExportersTable.read()
    ids = [each.id for each in table.exporter]
    assert len(set(ids)) == len(ids)
    for row in table.release:
        assert row.exporter in ids
        assert row.package in exporter(row.exporter).packages
        assert row.source
        SpecifierSet(row.versions)
        SpecifierSet(row.python)
        for line in (*row.needs, *row.tested):
            Requirement(line)


def test_every_exporter_names_causes_and_formats_that_exist() -> None:
    for row in ExportersTable.read().exporter:
        for cause in filter(None, (row.unsupported, row.misfit)):
            cause_of(cause)
        for name in (*row.formats, row.writes):
            assert model_format(name) is not None, name
        assert exporters_for(row.formats[0])

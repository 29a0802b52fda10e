"""When a model leaves the Edge TPU idle, wholly or in part."""

import msgspec
import pytest
from support.tflite_files import compiled, evidence, files, named, plain

from checks.causes.model.edgetpu_model_not_mapped import edgetpu_model_not_mapped
from checks.facts import Accelerator, MachineFacts, ModelFacts
from checks.facts.finding import Severity

STICK = Accelerator(bus="usb", name="Coral USB Accelerator", kind="edge tpu", origin="/sys/bus/usb/devices")
WITH = MachineFacts(accelerators=(STICK,))
WITHOUT = MachineFacts(accelerators=(Accelerator(bus="pci", name="NPU", kind="npu"),))


@pytest.mark.parametrize(
    ("machine", "severity"), [(WITH, Severity.WARNING), (WITHOUT, Severity.NOTE), (None, Severity.NOTE)]
)
def test_layers_that_were_left_on_the_cpu(machine: MachineFacts | None, severity: Severity) -> None:
    (found,) = edgetpu_model_not_mapped(files(compiled("leaky_edgetpu")), machine)
    assert (found.severity, evidence(found)["operators_on_cpu"]) == (severity, "CONV_2D ×1")
    assert found.values == {"model_path": "/m/leaky_edgetpu.tflite", "runtime": "", "source_file": "/m/leaky.tflite"}
    assert found.remedies[0] == "read-edgetpu-compiler-log"


def test_a_file_that_only_has_the_name_of_a_compiled_one() -> None:
    (found,) = edgetpu_model_not_mapped(files(named(plain("float32"), "model_edgetpu.tflite")), None)
    assert (found.severity, evidence(found)["quantization"]) == (Severity.WARNING, "float32")
    assert found.remedies == ("quantize-tflite-fully",)


def test_a_plain_model_beside_an_edge_tpu() -> None:
    (found,) = edgetpu_model_not_mapped(files(plain("int8_leaky")), WITH)
    assert found.severity is Severity.NOTE
    assert evidence(found) == {
        "model": "int8_leaky.tflite",
        "edgetpu_mappable": "1 / 3",
        "operators_on_cpu": "LEAKY_RELU ×1",
        "accelerator": "Coral USB Accelerator",
    }
    assert found.remedies[0] == "read-edgetpu-compiler-log"


@pytest.mark.parametrize(
    ("model", "machine"),
    [
        pytest.param(compiled("whole_edgetpu"), WITH, id="all-of-it-is-mapped"),
        pytest.param(plain("int8_leaky"), WITHOUT, id="no-edge-tpu-here"),
        pytest.param(plain("float32"), None, id="machine-not-looked-at"),
        pytest.param(msgspec.structs.replace(plain("float32"), problem="truncated"), WITH, id="not-whole"),
    ],
)
def test_silent(model: ModelFacts, machine: MachineFacts | None) -> None:
    assert list(edgetpu_model_not_mapped(files(model), machine)) == []

"""Accelerators by id."""

from checks.knowledge.gpu.usb_pci_accelerators import accelerator_of, accelerator_of_sensor


def test_usb_and_pci():
    assert accelerator_of("usb", "18d1", "9302").kind == "edge tpu"
    assert accelerator_of("pci", "1e60", "2864").module == "hailo_pci"
    assert accelerator_of("pci", "18d1", "9302") is None


def test_revision_tells_chips_of_one_id_apart():
    assert accelerator_of("pci", "1022", "17f0", "11").chip == "npu5"


def test_unknown_revision_is_still_an_npu():
    assert accelerator_of("pci", "1022", "17f0", "77").kind == "npu"


def test_camera():
    assert accelerator_of_sensor("imx500").kind == "ai camera"
    assert accelerator_of_sensor("imx219") is None

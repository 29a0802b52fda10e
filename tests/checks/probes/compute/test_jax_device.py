"""On which device JAX makes what names none, and which devices a process opens at all."""

import importlib
import os
import sys
from types import ModuleType
from typing import Any

import numpy as np
import pytest


class Device:
    def __init__(self, platform: str, number: int) -> None:
        self.id = number
        self.device_kind = f"{platform} {number}"


class Config:
    """Of a version that knows a default device."""

    jax_default_device: Any = None

    def update(self, name: str, value: Any) -> None:
        setattr(self, name, value)


class Older:
    """Of one that does not."""

    def update(self, name: str, value: Any) -> None:
        raise AttributeError(name)


class FakeJax(ModuleType):
    """JAX with some devices; notes where something was put, and has no numpy: that computes on the default device."""

    __version__ = "0.10.2"

    def __init__(self, config: Any) -> None:
        super().__init__("jax")
        self.config = config
        self.put: list[Device] = []
        self._devices = {"cpu": [Device("cpu", 0)], "gpu": [Device("gpu", 0), Device("gpu", 1)]}

    def devices(self, platform: str) -> list[Device]:
        return self._devices[platform]

    def device_put(self, array: Any, device: Device) -> Any:
        assert isinstance(array, np.ndarray)
        self.put.append(device)
        return array


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("JAX_PLATFORMS", "XLA_PYTHON_CLIENT_PREALLOCATE", "XLA_FLAGS"):
        monkeypatch.setenv(name, "")  # what is set is undone after the test


@pytest.mark.usefixtures("environment")
@pytest.mark.parametrize(("device", "platforms"), [("gpu:1", ""), ("cpu:0", "cpu")])
@pytest.mark.parametrize("config", [Config, Older])
def test_everything_is_made_on_the_device_that_is_measured(
    monkeypatch: pytest.MonkeyPatch, device: str, platforms: str, config: type[Any]
) -> None:
    jax = FakeJax(config())
    monkeypatch.setitem(sys.modules, "jax", jax)
    probe = importlib.import_module("checks.probes.compute.jax.probe")
    told = probe.imported({"device": device})
    name = device.replace(":", " ")
    assert told == {"version": "0.10.2", "device": device, "device_name": name}
    assert [each.device_kind for each in jax.put] == [name]
    if config is Config:
        assert jax.config.jax_default_device.device_kind == name
    assert os.environ["JAX_PLATFORMS"] == platforms  # a process of the processor opens no GPU

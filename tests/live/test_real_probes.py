"""Probes that run for real, in the environment of the tests."""

import os
import sys

import pytest

from checks.engine.catalogues.probes import PROBES, read_answer
from checks.engine.processes.runner import ProbeTask, run_probe
from checks.facts import EnvironmentVariables, TorchFacts
from checks.knowledge.packages.environment_variables import EnvironmentVariableTable, allowed_names


def test_torch_of_the_tests() -> None:
    (spec,) = [probe for probe in PROBES if probe.id == "torch"]
    answer = run_probe(ProbeTask(spec.id, spec.script, sys.executable, spec.argument(), time_limit=300))
    assert answer.run.status == "ok", answer.run.stderr_tail
    assert [stage.name for stage in answer.run.stages if stage.error] == []
    fact = read_answer(spec, answer)
    assert isinstance(fact, TorchFacts)
    assert fact.unread == {}
    assert fact.imported is True
    assert (fact.version or "").startswith("2.13.0")
    assert fact.build in {"cpu", "cuda"}
    (cpu,) = [device for device in fact.devices or () if device.device == "cpu"]
    assert cpu.kernel is not None
    assert (cpu.kernel.ran, cpu.kernel.correct) == (True, True)
    assert fact.numpy_bridge is not None
    assert fact.numpy_bridge.correct is True
    assert fact.settings is not None
    assert fact.settings["torch.are_deterministic_algorithms_enabled"] is False
    assert fact.settings["torch.get_float32_matmul_precision"] == "highest"
    assert any("torch_cpu" in library.path for library in fact.loaded_libraries or ())


def test_environment_variables_by_the_allow_list(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    monkeypatch.setenv("HSA_OVERRIDE_GFX_VERSION", "10.3.0")
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    monkeypatch.delenv("PYTHONHASHSEED", raising=False)
    (spec,) = [probe for probe in PROBES if probe.id == "environment"]
    answer = run_probe(ProbeTask(spec.id, spec.script, sys.executable, spec.argument()))
    fact = read_answer(spec, answer)
    assert isinstance(fact, EnvironmentVariables)
    assert fact.values["CUDA_VISIBLE_DEVICES"] == ""  # set to nothing hides every GPU; that is not the same as unset
    assert fact.values["HSA_OVERRIDE_GFX_VERSION"] == "10.3.0"
    assert "PYTHONHASHSEED" not in fact.values
    assert fact.values.keys() <= set(allowed_names()) & os.environ.keys()


def test_the_allow_list_names_nothing_twice_and_no_secret() -> None:
    names = allowed_names()
    assert len(set(names)) == len(names)
    words = ("TOKEN", "KEY", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL", "AUTH", "COOKIE", "LICENSE", "PROXY")
    # The one with KEYS in its name selects debug switches of Intel's driver.
    assert [name for name in names if any(word in name.upper() for word in words)] == ["NEOReadDebugKeys"]
    assert all(group.source.startswith("https://") for group in EnvironmentVariableTable.read().group)

"""Random numbers of a seed: drawn from generators of their own, told as portraits of the default setting alone."""

import importlib
import types
from typing import Any

import numpy as np
import pytest
import torch
from support.recorded_computations import measurements

from checks.facts import Portrait
from checks.probes import host  # noqa: F401 - it offers the modules of the probes

FRAMEWORKS = {"torch": ("cpu", "torch-2.13.0-cpu-random"), "numpy": ("cpu", "numpy-2.4.6-random")}


def module(name: str) -> Any:
    return importlib.import_module(f"checks.probes.compute.{name}")


def told(framework: str, **argument: str) -> list[dict[str, Any]]:
    with module(f"{framework}.backend").Backend("cpu") as backend:
        backend.operations = ()
        stage = module("portrait").stage(backend, argument, module("kit").Clock(60))
        return [run for facts in stage for run in facts.get("measurements+", ())]


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_the_same_seed_gives_what_was_recorded(framework: str) -> None:
    known = [run for run in measurements(FRAMEWORKS[framework][1]) if isinstance(run, Portrait)]
    made = told(framework)
    assert (
        [run["operation"] for run in made]
        == [run.operation for run in known]
        == ["random-normal", "random-normal-large"]
    )
    for run, recorded in zip(made, known, strict=True):
        assert run["dtype"] == recorded.dtype
        first = np.array([int(each, 16) for each in run["samples"]], "u8")
        other = np.array([int(each, 16) for each in recorded.samples], "u8")
        kinds = ("u4", "f4") if recorded.dtype == "float32" else ("u8", "f8")
        numbers = (bits.astype(kinds[0]).view(kinds[1]) for bits in (first, other))
        assert np.allclose(*numbers, rtol=0, atol=1e-4)  # another processor has another logarithm


def test_the_generators_of_the_program_stay_as_they_are() -> None:
    torch.manual_seed(5)
    np.random.seed(5)
    before = torch.get_rng_state(), np.random.get_state()[1].tolist()  # type: ignore[index]
    told("torch")
    told("numpy")
    assert torch.equal(torch.get_rng_state(), before[0])
    assert np.random.get_state()[1].tolist() == before[1]  # type: ignore[index]


def test_another_setting_draws_none() -> None:
    assert told("torch", setting="deterministic") == []


def test_a_version_without_such_a_generator() -> None:
    backend = object.__new__(module("tensorflow.backend").Backend)
    backend._tf = types.SimpleNamespace(random=types.SimpleNamespace())
    with pytest.raises(module("runs").NotTried, match="not-in-version"):
        backend.stream(module("operations").STREAMS[0])

"""The tables of places and of AI packages."""

import re

from checks.interpreters.packages import normalised
from checks.knowledge.packages.ai_packages import (
    AiPackages,
    examined_names,
    framework_of_package,
    frameworks_among,
    is_examined,
)
from checks.knowledge.packages.interpreter_places import InterpreterPlaces

SYSTEMS = {"Linux", "Darwin", "Windows"}


def test_every_place_starts_with_a_variable_and_names_its_source() -> None:
    table = InterpreterPlaces.read()
    for row in (*table.place, *table.jupyter):
        assert row.systems
        assert set(row.systems) <= SYSTEMS
        assert all(re.fullmatch(r"\{\w+\}(/[^{}]+)*", path) for path in row.paths), row
        assert all(each.startswith("https://") for each in row.source.split(", "))


def test_names_are_normalised_and_stand_once() -> None:
    table = AiPackages.read()
    names = [name for row in (*table.framework, *table.companion) for name in row.packages]
    assert len(names) == len(set(names))
    assert all(name == normalised(name) for name in names)
    assert set(framework_of_package()) < examined_names()


def test_families_by_prefix() -> None:
    assert is_examined("nvidia-cudnn-cu12")
    assert is_examined("onnxruntime-gpu")
    assert not is_examined("requests")


def test_frameworks_among_packages() -> None:
    assert frameworks_among(["jaxlib", "numpy", "onnxruntime-gpu", "onnxruntime", "torch"]) == (
        "torch",
        "onnxruntime",
        "jax",
    )
    assert frameworks_among(["numpy"]) == ()

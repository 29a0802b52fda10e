"""What PyTorch's documentation promises, per release and device."""

import re

import pytest
import torch

from checks.facts.versions import release
from checks.knowledge.frameworks.computations import ComputationsTable, known_operations, operation_name
from checks.knowledge.frameworks.determinism import (
    DeterminismTable,
    Promise,
    promised,
    repeats_in_mode,
    wants_workspace,
)

REPEATS, THROWS, VARIES, NO_WORD = Promise.REPEATS, Promise.THROWS, Promise.VARIES, Promise.NO_WORD


@pytest.mark.parametrize(
    ("operation", "device", "version", "by_default", "in_mode"),
    [
        ("index-add", "cuda:0", "2.13.0+cu130", VARIES, REPEATS),
        ("index-add", "cuda:0", "1.8.1", VARIES, THROWS),
        ("index-add", "cpu", "2.13.0", NO_WORD, NO_WORD),
        ("index-copy", "cpu", "2.13.0", VARIES, REPEATS),
        ("cumsum", "cuda:1", "2.13.0", VARIES, THROWS),
        ("cumsum", "cuda:1", "2.14.0", VARIES, REPEATS),
        ("cumsum", "cuda:1", "1.12.1", NO_WORD, NO_WORD),
        ("kthvalue", "cuda:0", "2.9.1", VARIES, THROWS),
        ("kthvalue", "cuda:0", "2.10.0", NO_WORD, NO_WORD),
        ("scatter-reduce-mean", "cuda:0", "2.15.0", VARIES, REPEATS),
        ("scatter-reduce-prod", "cuda:0", "2.15.0", VARIES, THROWS),
        ("scatter-reduce-mean", "mps", "2.15.0", VARIES, THROWS),
        ("interpolate-bilinear-backward", "cuda:0", "2.0.1", VARIES, THROWS),
        ("interpolate-bilinear-backward", "cuda:0", "2.1.0", VARIES, REPEATS),
        ("interpolate-trilinear-backward", "cuda:0", "2.8.0", VARIES, THROWS),
        ("interpolate-trilinear-backward", "cuda:0", "2.9.0", VARIES, REPEATS),
        ("interpolate-bicubic-backward", "cuda:0", "2.13.0", VARIES, THROWS),
        ("interpolate-nearest-backward", "cuda:0", "2.13.0", NO_WORD, NO_WORD),
        ("lstm-backward", "cuda:0", "2.13.0", VARIES, VARIES),
        ("attention-math-backward", "cuda:0", "2.13.0", REPEATS, REPEATS),
        ("max-unpool2d", "cpu", "2.13.0", VARIES, THROWS),
        ("index-add", "cuda:0", None, VARIES, REPEATS),
    ],
)
def test_promise(operation: str, device: str, version: str | None, by_default: Promise, in_mode: Promise) -> None:
    found = promised(known_operations()[operation].documented, device, version)
    assert (found.by_default, found.in_mode) == (by_default, in_mode)


@pytest.mark.parametrize(
    ("version", "cuda", "wanted"),
    [
        ("2.7.1", "12.8", True),
        ("2.9.1+cu128", "12.8", True),
        ("2.10.0", "13.0", False),
        ("1.8.0", "10.1", False),
        ("2.7.1", "", False),
        ("2.7.1", None, None),
        (None, "12.8", None),
    ],
)
def test_the_variable_for_cublas(version: str | None, cuda: str | None, wanted: bool | None) -> None:
    assert wants_workspace(version, cuda) is wanted


def test_the_table_agrees_with_the_documentation_of_the_installed_release() -> None:
    said = " ".join(str(torch.use_deterministic_algorithms.__doc__).split())
    deterministic, _, throws = said.partition("operations will throw a")
    for line in DeterminismTable.read().promise:
        if line.source or not release(line.since) <= release(torch.__version__) <= release(line.until or "99"):
            continue
        part = throws if line.in_mode is Promise.THROWS else deterministic
        assert f"`{line.op}`" in part, f"{line.op} is not in the list ({line.in_mode})"


def test_the_table_names_all_that_the_documentation_of_the_installed_release_lists() -> None:
    listed = str(torch.use_deterministic_algorithms.__doc__).partition("operations will throw a")
    for part, mode in ((listed[0], REPEATS), (listed[2], THROWS)):
        named = set(re.findall(r"\* :(?:class|func|meth|attr):`([^`]+)`", part))
        assert len(named) > 20
        known = {
            line.op
            for line in DeterminismTable.read().promise
            if line.in_mode is mode and release(line.since) <= release(torch.__version__) <= release(line.until or "99")
        }
        assert named <= known


@pytest.mark.parametrize(
    ("framework", "operation", "device", "version", "wanted"),
    [
        ("torch", "softmax", "cuda:0", "2.13.0", "use_deterministic_algorithms"),  # of all operations
        ("torch", "index-add", "cuda:0", "2.13.0", "documentation text"),  # of this one
        ("torch", "interpolate-bilinear-backward", "cuda:0", "2.13.0", "pull/101115"),  # not in that text
        ("torch", "cumsum", "cuda:0", "2.13.0", ""),  # raises an error
        ("torch", "lstm-backward", "cuda:0", "2.13.0", ""),  # varies all the same
        ("torch", "softmax", "cuda:0", "1.7.1", ""),
        ("tensorflow", "softmax", "CPU:0", "2.21.0", "enable_op_determinism"),
        ("tensorflow", "softmax", "CPU:0", "2.7.0", ""),
        ("jax", "softmax", "gpu:0", "0.10.2", "openxla"),
        ("jax", "softmax", "cpu:0", "0.10.2", ""),
        ("numpy", "softmax", "cpu", "2.4.6", ""),
    ],
)
def test_what_repeats_in_deterministic_mode_by_a_document(
    framework: str, operation: str, device: str, version: str, wanted: str
) -> None:
    found = promised(known_operations()[operation].documented, device, version)
    source = repeats_in_mode(framework, found, device, version)
    assert wanted.lower() in source.lower()
    assert bool(source) == bool(wanted)


def test_what_the_suite_calls_documented_is_in_the_tables() -> None:
    table = DeterminismTable.read()
    names = {line.op for line in table.promise} | {row.op for row in table.other}
    conditions = {line.when for line in table.promise}
    for operation in ComputationsTable.read().operation:
        for named in operation.documented:
            assert named.op in names, operation.id
            assert set(named.when) <= conditions, operation.id


def test_words() -> None:
    assert operation_name("index-add", "en") != operation_name("index-add", "ja")
    assert operation_name("/layer/Conv_3", "ja") == "/layer/Conv_3"

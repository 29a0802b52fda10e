"""What is tried of TensorFlow and JAX on a GPU and on a processor: their plans alone, which need neither of them."""

import importlib
from types import ModuleType
from typing import Any

import pytest

from checks.knowledge.frameworks.computations import setting_name

DEVICES = {"tensorflow": ("CPU:0", "GPU:0"), "jax": ("cpu:0", "gpu:0")}
CASES = [(framework, device) for framework, devices in DEVICES.items() for device in devices]


def module(name: str) -> ModuleType:
    return importlib.import_module(f"checks.probes.compute.{name}")


def backend(framework: str, device: str) -> Any:
    """The real one, of a framework that is not installed here."""
    made = object.__new__(module(f"{framework}.backend").Backend)
    made.device, made.names = device, frozenset(operation.name for operation in module("operations").OPERATIONS)
    if framework == "tensorflow":
        made._tf = Release()
    return made


class Release:
    """What the plan asks of TensorFlow."""

    __version__ = "2.21.0"

    class config:  # noqa: N801 - as TensorFlow calls it
        class experimental:  # noqa: N801
            @staticmethod
            def enable_tensor_float_32_execution(enabled: bool) -> None: ...

        class threading:  # noqa: N801
            @staticmethod
            def get_intra_op_parallelism_threads() -> int:
                return 0


def settings(framework: str, device: str, operation: str, dtype: str = "float32") -> list[str]:
    wanted = next(each for each in module("operations").OPERATIONS if each.name == operation)
    return list(backend(framework, device).settings(wanted, dtype))


def pairs(framework: str, device: str) -> list[Any]:
    return list(backend(framework, device).pairs())


def suspects(framework: str, device: str, pair: Any) -> list[str]:
    operation, _, first, second = pair
    return [name for name, _ in backend(framework, device).suspects(operation, first, second)]


@pytest.mark.parametrize(("framework", "device"), CASES)
def test_every_setting_has_its_words(framework: str, device: str) -> None:
    tried = {
        setting
        for operation in module("operations").OPERATIONS
        for dtype in module("runs").DTYPES
        for setting in settings(framework, device, operation.name, dtype)
    }
    for pair in pairs(framework, device):
        tried.update(suspects(framework, device, pair))
        tried.update(part for name in pair[1] for part in name.split("+") if name.lower() not in ("cpu:0", "gpu:0"))
    assert tried
    for language in ("en", "ja"):
        assert [each for each in tried if setting_name(each, language) == each] == []


@pytest.mark.parametrize(
    ("framework", "full", "short"),
    [("tensorflow", "tf32-off", "mixed-float16"), ("jax", "jax-precision-float32", "jax-precision-bfloat16")],
)
def test_on_a_card_digits_are_asked_of_every_product(framework: str, full: str, short: str) -> None:
    card = DEVICES[framework][1]
    for operation in ("matmul", "linear", "attention", "network"):
        assert {full, short} <= set(settings(framework, card, operation))
    assert full not in settings(framework, card, "softmax")
    # What only a processor heeds.
    assert not any(
        setting.startswith(("threads-", "mkldnn", "older", "platform")) for setting in settings(framework, card, "sum")
    )
    assert not settings(framework, card, "exp")


@pytest.mark.parametrize("framework", DEVICES)
def test_other_processes_come_last_on_a_card_and_before_half_precision_on_a_processor(framework: str) -> None:
    precision = module("precision")
    processor, card = (backend(framework, device) for device in DEVICES[framework])
    assert precision.rank_of(processor, "threads-1") == precision.ELSEWHERE
    assert precision.rank_of(card, "deterministic") == precision.LAST
    assert precision.rank_of(card, "batch-1") == precision.TELLING
    card.telling = ()
    assert precision.rank_of(card, "batch-1") == precision.USUAL


@pytest.mark.parametrize(("framework", "full"), [("tensorflow", "tf32-off"), ("jax", "jax-precision-float32")])
def test_a_processor_and_a_card_are_compared_first(framework: str, full: str) -> None:
    processor, card = DEVICES[framework]
    first, *_ = pairs(framework, card)
    operation, names, one, other = first
    assert (operation.name, names) == ("matmul", (processor, card))
    assert (one.device, other.device) == (processor, card)
    assert suspects(framework, card, first) == [full, "float64"]
    # Nothing that needs a process of its own is tried there.
    known = backend(framework, card)
    assert not any(
        known.needs_process(run.settings) for *_, one, other in pairs(framework, card) for run in (one, other)
    )


@pytest.mark.parametrize("framework", DEVICES)
def test_on_a_processor_other_processes_come_after_this_one(framework: str) -> None:
    processor = DEVICES[framework][0]
    known = backend(framework, processor)
    elsewhere = [known.needs_process(second.settings) for *_, second in pairs(framework, processor)]
    assert elsewhere == sorted(elsewhere)
    assert any(elsewhere)
    for pair in pairs(framework, processor):
        assert suspects(framework, processor, pair)[-1] == "float64"
        assert ("threads-1" in suspects(framework, processor, pair)) == known.needs_process(pair[3].settings)


def test_a_suspect_makes_both_runs_alike() -> None:
    """In every pair, the suspect that the pair is named after leaves the same run on both sides."""
    for framework, (processor, _) in DEVICES.items():
        for operation, names, first, second in pairs(framework, processor):
            found = backend(framework, processor).suspects(operation, first, second)
            alike = [name for name, change in found if vars(change(first)) == vars(change(second))]
            assert alike or "+" in names[1], (framework, operation.name, names)


@pytest.mark.parametrize(
    ("framework", "setting", "variables"),
    [
        ("tensorflow", "threads-4", {"TF_NUM_INTRAOP_THREADS": "4"}),
        ("tensorflow", "mkldnn-off", {"TF_ENABLE_ONEDNN_OPTS": "0"}),
        ("tensorflow", "tf32-off", {}),
        ("jax", "threads-1", {"PJRT_NPROC": "1", "NPROC": "1"}),
        ("jax", "autotune-off", {"XLA_FLAGS": "--xla_gpu_autotune_level=0"}),
        ("jax", "op-by-op", {}),
    ],
)
def test_what_needs_variables(framework: str, setting: str, variables: dict[str, str]) -> None:
    assert backend(framework, DEVICES[framework][0]).variables(setting) == variables


def test_the_number_of_threads_is_the_one_that_a_variable_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module("arrays"), "processors", lambda: 6)
    for name in ("TF_NUM_INTRAOP_THREADS", "PJRT_NPROC", "NPROC"):
        monkeypatch.delenv(name, raising=False)
    assert backend("tensorflow", "CPU:0").threads == 6
    assert backend("jax", "cpu:0").threads == 6
    monkeypatch.setenv("TF_NUM_INTRAOP_THREADS", "0")  # as many as there are
    monkeypatch.setenv("NPROC", "3")
    assert backend("tensorflow", "CPU:0").threads == 6
    assert backend("jax", "cpu:0").threads == 3
    assert module("runs").thread_counts(6) == [1, 12]
    assert module("runs").thread_counts(1) == [2]

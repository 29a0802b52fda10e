"""What changes the order of rounding alone: threads, batches, compilers, devices, versions; found, and quiet."""

import struct

import msgspec
import pytest
from support.recorded_computations import measurements

from checks.analysis.numbers.digits import change_of
from checks.analysis.numbers.magnitude import Size
from checks.analysis.numbers.side_by_side import pairs_here, side_of
from checks.causes.reproducibility.batch_size_rounding import batch_size_rounding
from checks.causes.reproducibility.compiled_graph_rounding import compiled_graph_rounding
from checks.causes.reproducibility.cpu_gpu_rounding import cpu_gpu_rounding
from checks.causes.reproducibility.gpu_arch_rounding import gpu_arch_rounding
from checks.causes.reproducibility.library_version_numerics import library_version_numerics
from checks.causes.reproducibility.thread_count_rounding import thread_count_rounding
from checks.facts import (
    ArrayDifference,
    CpuFacts,
    Facts,
    FrameworkDevice,
    Frameworks,
    InterpreterFacts,
    MachineFacts,
    Measurements,
    OtherMachine,
    Package,
    Portrait,
    Precision,
    Repeat,
    Symptom,
    TorchFacts,
)
from checks.facts.finding import Finding, Inconclusive, NotHere, Severity
from checks.knowledge.phrases import in_language
from checks.remedies.plan import plan_remedies

DIGITS = "torch-2.13.0-cpu-digits"
PORTRAITS, ONE_THREAD = "torch-2.13.0-cpu-portraits", "torch-2.13.0-cpu-one-thread-portraits"
NEW_NUMPY, OLD_NUMPY = "numpy-2.4.6-portraits", "numpy-1.26.4-portraits"
BITS = Symptom(name="results-differ", exactness="bits")


def recorded(*names: str) -> Measurements:
    return Measurements(all=measurements(*names))


def evidence(finding: Finding) -> dict[str, str]:
    return {each.name: each.value for each in finding.evidence}


def only(setting: str) -> Measurements:
    return Measurements(
        all=tuple(
            measurement
            for measurement in measurements(DIGITS)
            if isinstance(measurement, Precision) and measurement.setting == setting
        )
    )


def unchanged(setting: str) -> Measurements:
    """The same measurements where nothing was changed."""
    made = []
    for each in only(setting).all:
        assert isinstance(each, Precision)
        assert each.beside is not None
        beside = ArrayDifference(elements=each.beside.elements, differing=0, max_abs=0.0, scale=each.beside.scale)
        made.append(msgspec.structs.replace(each, beside=beside))
    return Measurements(all=tuple(made))


def test_the_number_of_threads_changes_a_sum_on_a_real_processor() -> None:
    (finding,) = thread_count_rounding(recorded(DIGITS), None)
    told = evidence(finding)
    assert "sum" in told["operations_apart"].split(", ")
    assert told["settings_compared"] == "threads-1"
    assert float(told["measured_difference"]) < 1e-5
    assert told["restored_by"] == "matmul: threads-1, sum: threads-1"
    assert finding.severity is Severity.NOTE


def test_what_varies_by_itself_is_not_blamed_on_threads() -> None:
    """One run each was compared: where these differ anyway, the number of threads has not shown anything."""
    varying = Repeat(framework="torch", operation="sum", device="cpu", dtype="float32", repetitions=30, distinct=4)
    (finding,) = thread_count_rounding(Measurements(all=(*measurements(DIGITS), varying)), None)
    assert "sum" not in evidence(finding)["operations_apart"].split(", ")


def test_where_everything_varies_by_itself_the_number_of_threads_is_not_said_to_change_nothing() -> None:
    tried = only("threads-1").all
    varying = [
        Repeat(framework="torch", operation=each.operation, device=each.device, repetitions=30, distinct=4)
        for each in tried
    ]
    with pytest.raises(NotHere):
        list(thread_count_rounding(Measurements(all=(*tried, *varying)), None))


def test_what_is_farther_apart_than_rounding_is_not_said_to_be_the_same() -> None:
    """As on a card with TensorFloat-32, where another kernel is taken for one row."""
    apart = ArrayDifference(elements=8192, differing=8000, max_abs=0.02, scale=20.0)
    change = Precision(
        framework="torch", operation="matmul", device="cuda:0", dtype="float32", setting="batch-1", terms=1024,
        condition=260.0, beside=apart,
    )  # fmt: skip
    assert change_of(change).size is Size.HALF
    with pytest.raises(Inconclusive, match="farther-than-rounding"):
        list(batch_size_rounding(Measurements(all=(change,)), None))
    same = msgspec.structs.replace(change, beside=ArrayDifference(elements=8192, differing=0, max_abs=0.0, scale=20.0))
    assert not list(batch_size_rounding(Measurements(all=(same,)), None))


def test_nor_are_two_devices_that_are_farther_apart() -> None:
    here = next(
        measurement
        for measurement in measurements(PORTRAITS)
        if isinstance(measurement, Portrait) and measurement.operation == "matmul"
    )
    numbers = [struct.unpack(">f", bytes.fromhex(sample))[0] for sample in here.samples]
    shorter = tuple(struct.pack(">f", number * (1 + 2.0**-12)).hex() for number in numbers)
    card = msgspec.structs.replace(here, device="cuda:0", fingerprint="0" * 16, samples=shorter, block_sums=())
    (pair,) = pairs_here((here, card))
    assert pair.size.size is Size.HALF
    with pytest.raises(Inconclusive, match="farther-than-rounding"):
        list(cpu_gpu_rounding(Measurements(all=(here, card)), None))


def threads_on(*counts: int | None) -> Facts:
    first, *others = (Frameworks(torch=TorchFacts(threads=count)) for count in counts)
    return Facts(frameworks=first, others=tuple(OtherMachine(name="there.json", frameworks=other) for other in others))


@pytest.mark.parametrize(
    ("facts", "threads", "code"),
    [
        pytest.param(threads_on(2), "", "OMP_NUM_THREADS=2 ", id="as-many-as-here"),
        pytest.param(threads_on(8, 6), "8 / 6 (there.json)", "OMP_NUM_THREADS=6 ", id="as-many-as-both-have"),
        pytest.param(threads_on(8, None), "", "OMP_NUM_THREADS=8 ", id="not-known-there"),
        pytest.param(Facts(), "", "OMP_NUM_THREADS=4 ", id="not-known"),
    ],
)
def test_the_number_of_threads_to_set_is_one_that_the_machines_have(facts: Facts, threads: str, code: str) -> None:
    (finding,) = thread_count_rounding(recorded(DIGITS), None, facts)
    assert evidence(finding).get("threads_of_machines", "") == threads
    (plan, *_) = plan_remedies(finding, facts, "en")
    assert code in plan.steps[0].code


def test_a_row_alone_is_not_the_row_of_the_batch_on_a_real_processor() -> None:
    (finding,) = batch_size_rounding(recorded(DIGITS), None)
    (first, *_) = plan_remedies(finding, Facts(), "en")
    assert not any("vllm" in f"{step.text}{step.code}".lower() for step in first.steps)  # no server was measured
    told = evidence(finding)
    assert {"matmul", "linear"} <= set(told["operations_apart"].split(", "))
    assert {"softmax", "layer-norm"} <= set(told["operations_alike"].split(", "))


TENSORFLOW, JAX = "tensorflow-2.21.0-cpu-digits", "jax-0.10.2-cpu-digits"


@pytest.mark.parametrize(
    ("name", "settings", "apart"),
    [
        # One thread gave the bits of two, four gave others.
        pytest.param(TENSORFLOW, "threads-4", "sum", id="tensorflow"),
        pytest.param(JAX, "threads-1", "sum", id="jax"),
    ],
)
def test_threads_of_other_frameworks_on_a_real_processor(name: str, settings: str, apart: str) -> None:
    (finding,) = thread_count_rounding(recorded(name), None)
    told = evidence(finding)
    assert (told["settings_compared"], told["operations_apart"]) == (settings, apart)
    assert apart not in told["operations_alike"].split(", ")
    assert told["restored_by"] == "sum: threads-1"


@pytest.mark.parametrize(
    ("name", "code"), [(TENSORFLOW, 'intra_op_parallelism_threads(int("6"))'), (JAX, '"NPROC"] = "6"')]
)
def test_threads_are_set_as_their_framework_wants_it(name: str, code: str) -> None:
    here, there = (MachineFacts(cpu=CpuFacts(logical_cores=cores)) for cores in (8, 6))
    frameworks = Frameworks(torch=TorchFacts(threads=3))  # is of another framework
    facts = Facts(machine=here, frameworks=frameworks, others=(OtherMachine(name="there.json", machine=there),))
    (finding,) = thread_count_rounding(recorded(name), None, facts)
    assert evidence(finding)["threads_of_machines"] == "8 / 6 (there.json)"
    (plan, *_) = plan_remedies(finding, facts, "en")
    codes = "".join(step.code for step in plan.steps)
    assert code in codes
    assert "OMP_NUM_THREADS" not in codes
    assert "torch" not in codes + plan.verify.code


@pytest.mark.parametrize("name", [TENSORFLOW, JAX])
def test_what_takes_two_changes_is_no_proof_of_one(name: str) -> None:
    """With oneDNN off as well, the batch alone brings nothing back."""
    (finding,) = batch_size_rounding(recorded(name), None)
    assert evidence(finding)["restored_by"] == "matmul: batch-1, linear: batch-1, network: batch-1"


@pytest.mark.parametrize("name", [TENSORFLOW, JAX])
def test_a_row_alone_in_other_frameworks(name: str) -> None:
    (finding,) = batch_size_rounding(recorded(name), None)
    told = evidence(finding)
    assert told["operations_apart"] == "matmul, linear, network"
    assert {"conv2d", "softmax"} <= set(told["operations_alike"].split(", "))


@pytest.mark.parametrize(
    ("name", "settings", "apart", "remedy"),
    [
        pytest.param(TENSORFLOW, "compiled, graph", {"matmul", "sum", "layer-norm"}, "run_functions_eagerly", id="xla"),
        pytest.param(JAX, "op-by-op", {"attention", "softmax", "layer-norm"}, "jax_disable_jit", id="jit"),
    ],
)
def test_what_compilers_of_other_frameworks_change(name: str, settings: str, apart: set[str], remedy: str) -> None:
    (finding,) = compiled_graph_rounding(recorded(name), None)
    told = evidence(finding)
    assert told["settings_compared"] == settings
    assert apart <= set(told["operations_apart"].split(", "))
    codes = "".join(step.code for plan in plan_remedies(finding, Facts(), "en") for step in plan.steps)
    assert remedy in codes
    assert "torch" not in codes


def test_what_is_normal_is_loud_for_who_needs_the_same_bits() -> None:
    for check in (thread_count_rounding, batch_size_rounding):
        (finding,) = check(recorded(DIGITS), BITS)
        assert finding.severity is Severity.WARNING


def test_a_compiled_operation() -> None:
    """As torch.compile gave it for a softmax of 8 rows on a real processor: 7831 of 32768 elements."""
    beside = ArrayDifference(elements=32768, differing=7831, max_abs=4.656612873077393e-10, scale=0.00415)
    compiled = Precision(
        framework="torch", operation="softmax", device="cpu", dtype="float32", setting="compiled", other="default",
        terms=4096, condition=0.0041865, beside=beside,
    )  # fmt: skip
    (finding,) = compiled_graph_rounding(Measurements(all=(compiled,)), None)
    assert evidence(finding)["operations_apart"] == "softmax"


def test_silent_where_nothing_changes() -> None:
    assert list(thread_count_rounding(unchanged("threads-1"), BITS)) == []
    assert list(batch_size_rounding(unchanged("batch-1"), BITS)) == []


def test_what_is_more_than_rounding_is_another_cause() -> None:
    made = []
    for each in only("threads-1").all:
        assert isinstance(each, Precision)
        beside = ArrayDifference(elements=100, differing=1, max_abs=1e9, scale=1e9)
        made.append(msgspec.structs.replace(each, beside=beside))
    with pytest.raises(Inconclusive, match="farther-than-rounding"):
        list(thread_count_rounding(Measurements(all=tuple(made)), BITS))


def test_untried_is_not_stable() -> None:
    for check in (thread_count_rounding, batch_size_rounding, compiled_graph_rounding):
        with pytest.raises(NotHere):
            list(check(only("mkldnn-off"), None))


# --- between devices and machines ------------------------------------------------------------------------------------


def on_device(device: str, *names: str) -> tuple[Portrait, ...]:
    """Recorded portraits of a processor as if they were of another device."""
    found = [measurement for measurement in measurements(*names) if isinstance(measurement, Portrait)]
    return tuple(msgspec.structs.replace(each, device=device) for each in found)


def gpus(*names: str) -> Frameworks:
    devices = tuple(FrameworkDevice(device=f"cuda:{place}", name=name) for place, name in enumerate(names))
    return Frameworks(torch=TorchFacts(version="2.13.0", devices=devices))


def test_cpu_and_gpu() -> None:
    both = (*measurements(PORTRAITS), *on_device("cuda:0", ONE_THREAD))
    (finding,) = cpu_gpu_rounding(Measurements(all=both), None)
    assert {"sum", "matmul"} <= set(evidence(finding)["operations_apart"].split(", "))
    assert finding.severity is Severity.NOTE
    same = (*measurements(PORTRAITS), *on_device("cuda:0", PORTRAITS))
    assert list(cpu_gpu_rounding(Measurements(all=same), BITS)) == []
    with pytest.raises(NotHere) as alone:
        list(cpu_gpu_rounding(recorded(PORTRAITS, NEW_NUMPY), None))
    assert alone.value.reason == "one-device"  # and nothing is missing from the answer


def test_two_models_of_gpu() -> None:
    both = (*on_device("cuda:0", PORTRAITS), *on_device("cuda:1", ONE_THREAD))
    two = Facts(measurements=both, frameworks=gpus("NVIDIA A100", "NVIDIA H100"))
    (finding,) = gpu_arch_rounding(two)
    assert evidence(finding)["devices_compared"] == "torch cuda:0 / torch cuda:1"
    twins = Facts(measurements=both, frameworks=gpus("NVIDIA A100", "NVIDIA A100"))
    for few in (twins, Facts(measurements=measurements(PORTRAITS))):
        with pytest.raises(NotHere, match="one-device"):
            list(gpu_arch_rounding(few))
    late = msgspec.structs.replace(two, measurements=measurements(PORTRAITS))
    with pytest.raises(NotHere, match="not-measured"):
        list(gpu_arch_rounding(late))


def test_the_gpu_of_another_machine() -> None:
    other = OtherMachine(name="h100.pdf", frameworks=gpus("NVIDIA H100"), measurements=on_device("cuda:0", ONE_THREAD))
    here = Facts(measurements=on_device("cuda:0", PORTRAITS), frameworks=gpus("NVIDIA A100"), others=(other,))
    (finding,) = gpu_arch_rounding(here)
    assert evidence(finding)["devices_compared"].endswith("(h100.pdf)")
    same_card = msgspec.structs.replace(here, frameworks=gpus("NVIDIA H100"))
    with pytest.raises(NotHere):
        list(gpu_arch_rounding(same_card))


def machine(numpy: str, *names: str) -> Facts:
    target = InterpreterFacts(path="python", packages=(Package(name="numpy", version=numpy),))
    return Facts(interpreters=(target,), target="python", measurements=measurements(*names))


def test_two_versions_of_numpy_for_real() -> None:
    other = side_of(machine("1.26.4", OLD_NUMPY), "old.json")
    here = msgspec.structs.replace(machine("2.4.6", NEW_NUMPY), others=(other,))
    (finding,) = library_version_numerics(here)
    told = evidence(finding)
    assert told["versions_apart"] == "numpy 2.4.6 / numpy 1.26.4"
    assert told["other_machine"] == "old.json"
    assert "sum" in told["operations_apart"].split(", ")
    assert in_language(finding.values["machines"], "en") == "this machine and old.json"
    assert in_language(finding.values["differ"], "en").startswith("differ by up to ")
    named = msgspec.structs.replace(here, name="new.json")
    (finding,) = library_version_numerics(named)
    assert in_language(finding.values["machines"], "ja") == "new.jsonとold.json"


def test_where_something_else_may_explain_it_versions_are_not_ruled_out() -> None:
    older = machine("1.26.4", OLD_NUMPY)
    other = side_of(msgspec.structs.replace(older, machine=MachineFacts(cpu=CpuFacts(name="another"))), "old.json")
    here = machine("2.4.6", NEW_NUMPY)
    this = msgspec.structs.replace(here, machine=MachineFacts(cpu=CpuFacts(name="one")), others=(other,))
    with pytest.raises(Inconclusive, match="versions-or-other"):
        list(library_version_numerics(this))


def test_the_same_version_twice_explains_nothing() -> None:
    other = side_of(machine("2.4.6", NEW_NUMPY), "twin.json")
    here = msgspec.structs.replace(machine("2.4.6", NEW_NUMPY), others=(other,))
    assert list(library_version_numerics(here)) == []
    with pytest.raises(NotHere) as alone:
        list(library_version_numerics(machine("2.4.6", NEW_NUMPY)))
    assert alone.value.reason == "none-given"

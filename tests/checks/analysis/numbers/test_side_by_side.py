"""Two machines side by side: real recordings, what differs between them, and what is proven to explain it."""

import msgspec
import pytest
from support.recorded_computations import measurements

from checks.analysis.numbers.magnitude import Size
from checks.analysis.numbers.side_by_side import (
    Agreement,
    Comparison,
    agreement,
    compare,
    other_machine,
    pairs_here,
    side_of,
)
from checks.facts import (
    CpuFacts,
    EnvironmentVariables,
    Experiment,
    Facts,
    Frameworks,
    InterpreterFacts,
    MachineFacts,
    OsFacts,
    OtherMachine,
    Package,
    Portrait,
    TorchFacts,
)
from checks.facts.case import Answers, Case
from checks.judgement.judge import judged

HERE, ONE_THREAD = "torch-2.13.0-cpu-portraits", "torch-2.13.0-cpu-one-thread-portraits"
NUMPY, OLD_NUMPY = "numpy-2.4.6-portraits", "numpy-1.26.4-portraits"


def machine(*names: str, threads: int = 2, cpu: str = "Intel Xeon", numpy: str = "2.4.6") -> Facts:
    sets = ("amx_bf16", "avx2", "avx512f")
    packages = (Package(name="numpy", version=numpy), Package(name="requests", version="2.0"))
    return Facts(
        machine=MachineFacts(
            cpu=CpuFacts(name=cpu, instruction_sets=sets if "Intel" in cpu else sets[1:2]),
            os=OsFacts(name="Ubuntu 24.04", architecture="x86_64"),
        ),
        interpreters=(InterpreterFacts(path="python", version="3.11.7", packages=packages),),
        target="python",
        frameworks=Frameworks(torch=TorchFacts(version="2.13.0", threads=threads, settings={"torch.a": 1})),
        environment=EnvironmentVariables(values={"OMP_NUM_THREADS": "1"} if threads == 1 else {}),
        measurements=measurements(*names),
    )


def compared(first: Facts, second: Facts) -> Comparison:
    return compare(side_of(first), side_of(second, "other.json"))


def parts(found: Comparison) -> dict[str, tuple[str, str]]:
    return {each.part: (each.first, each.second) for each in found.environment}


def test_the_number_of_threads_is_proven_to_explain_two_real_machines() -> None:
    found = compared(machine(HERE), machine(ONE_THREAD, threads=1))
    assert parts(found) == {"threads": ("2", "1"), "thread-variables": ("-", "OMP_NUM_THREADS=1")}
    apart = {each.pair.operation: each for each in found.apart}
    assert {"sum", "matmul"} <= apart.keys()
    for each in apart.values():
        assert each.pair.size.size is Size.ROUNDING
        assert each.explained_by == ("threads",)
        assert each.proven_by == ("threads-1",)
    assert "softmax" in {pair.operation for pair in found.same}
    assert agreement([found]) is Agreement.PROVEN


def with_cpu(name: str, cpu: CpuFacts) -> Facts:
    return Facts(machine=MachineFacts(cpu=cpu), measurements=measurements(name))


def test_the_number_of_cores_is_proven_to_explain_jax_on_two_real_machines() -> None:
    """The same machine, of which one run was given a single core."""
    found = compared(
        with_cpu("jax-0.10.2-cpu-portraits-by-setting", CpuFacts(name="Intel Xeon", logical_cores=2)),
        with_cpu("jax-0.10.2-cpu-one-core-portraits", CpuFacts(name="Intel Xeon", logical_cores=1)),
    )
    assert parts(found) == {"processors": ("2", "1")}
    (each,) = found.apart
    assert each.pair.operation == "sum"
    assert (each.explained_by, each.proven_by) == (("processors",), ("threads-1",))
    assert agreement([found]) is Agreement.PROVEN


def test_instructions_are_proven_to_explain_tensorflow_on_two_real_machines() -> None:
    """The same machine, of which one run was given the instructions of an older processor (ONEDNN_MAX_CPU_ISA)."""
    new, old = (CpuFacts(logical_cores=2, instruction_sets=sets) for sets in (("avx2", "avx512f"), ("avx2",)))
    found = compared(
        with_cpu("tensorflow-2.21.0-cpu-portraits-by-setting", new),
        with_cpu("tensorflow-2.21.0-cpu-avx2-portraits", old),
    )
    apart = {each.pair.operation: each for each in found.apart}
    assert {each.explained_by for each in apart.values()} == {("cpu-instructions",)}
    # Without oneDNN, too, small products go by the instructions there are.
    proven = {"matmul": ("mkldnn-off",), "softmax": ("mkldnn-off",), "linear": ()}
    assert {name: each.proven_by for name, each in apart.items()} == proven
    assert "sum" in {pair.operation for pair in found.same}


def test_two_versions_of_numpy() -> None:
    found = compared(machine(NUMPY), machine(OLD_NUMPY, numpy="1.26.4"))
    assert parts(found) == {"framework-version": ("numpy 2.4.6", "numpy 1.26.4")}
    assert [(each.pair.operation, each.explained_by) for each in found.apart] == [("sum", ("framework-version",))]


def test_numpy_beside_torch() -> None:
    """Another framework comes first of what may explain it; that is likely, and not proven."""
    found = compared(machine(HERE), machine(NUMPY))
    assert len(found.apart) == 11
    assert all(each.explained_by[0] == "framework" for each in found.apart)
    assert agreement([found]) is Agreement.CANDIDATE


def test_what_only_one_machine_has_is_not_compared_with_something_else() -> None:
    found = compared(machine(HERE, "jax-0.10.2-cpu-portraits"), machine(ONE_THREAD, threads=1))
    assert {pair.first.framework for pair in found.pairs} == {"torch"}


def test_the_threads_of_pytorch_do_not_explain_numpy_but_those_of_all_libraries_do() -> None:
    found = compared(machine(NUMPY), machine(OLD_NUMPY, threads=1))
    assert [each.explained_by for each in found.apart] == [("thread-variables",)]
    second = msgspec.structs.replace(machine(OLD_NUMPY, threads=1), environment=EnvironmentVariables(values={}))
    assert [each.explained_by for each in compared(machine(NUMPY), second).apart] == [()]
    second = msgspec.structs.replace(second, environment=EnvironmentVariables(values={"MKL_CBWR": "COMPATIBLE"}))
    assert [each.explained_by for each in compared(machine(NUMPY), second).apart] == [("variables",)]


@pytest.mark.parametrize(
    ("here", "there", "variables", "explained"),
    [
        # Read by cuBLAS: a card's results may heed it, those of processors never.
        pytest.param(HERE, ONE_THREAD, {"CUBLAS_WORKSPACE_CONFIG": ":4096:8"}, (), id="of-cards"),
        pytest.param(NUMPY, OLD_NUMPY, {"CUBLAS_WORKSPACE_CONFIG": ":4096:8"}, (), id="of-cards-in-numpy"),
        pytest.param(HERE, ONE_THREAD, {"TF_ENABLE_ONEDNN_OPTS": "0"}, (), id="of-another-framework"),
        pytest.param(NUMPY, OLD_NUMPY, {"ATEN_CPU_CAPABILITY": "default"}, (), id="of-pytorch-in-numpy"),
        pytest.param(HERE, ONE_THREAD, {"ATEN_CPU_CAPABILITY": "default"}, ("variables",), id="of-its-own"),
    ],
)
def test_a_variable_is_a_candidate_only_for_who_reads_it(
    here: str, there: str, variables: dict[str, str], explained: tuple[str, ...]
) -> None:
    second = msgspec.structs.replace(machine(there), environment=EnvironmentVariables(values=variables))
    found = compared(machine(here), msgspec.structs.replace(second, measurements=_only_default(second)))
    assert found.apart
    assert {each.explained_by for each in found.apart} == {explained}
    assert agreement([found]) is (Agreement.CANDIDATE if explained else Agreement.UNEXPLAINED)


def test_of_variables_only_those_are_named_that_may_matter() -> None:
    values = {"CUBLAS_WORKSPACE_CONFIG": ":4096:8", "ATEN_CPU_CAPABILITY": "default"}
    second = msgspec.structs.replace(machine(ONE_THREAD), environment=EnvironmentVariables(values=values))
    assert compared(machine(HERE), second).values("variables") == ("-", "ATEN_CPU_CAPABILITY=default")


@pytest.mark.parametrize(
    ("setting", "explained"),
    [
        ("torch.backends.cudnn.benchmark", ()),
        ("torch.backends.mkldnn.enabled", ("settings",)),
        ("torch.a", ("settings",)),
    ],
)
def test_a_setting_of_cards_explains_nothing_on_a_processor(setting: str, explained: tuple[str, ...]) -> None:
    first, second = machine(HERE), machine(ONE_THREAD)
    torch = TorchFacts(version="2.13.0", threads=2, settings={"torch.a": 1} | {setting: 2})
    second = msgspec.structs.replace(second, frameworks=Frameworks(torch=torch), measurements=_only_default(second))
    assert {each.explained_by for each in compared(first, second).apart} == {explained}


def test_what_had_no_time_is_not_called_the_same() -> None:
    """Quick: few operations were compared, and machines that differ looked the same."""
    whole = machine(HERE)
    few = tuple(each for each in _only_default(whole) if each.operation in ("matmul", "softmax"))
    late = tuple(
        Portrait(framework="torch", operation=name, device="cpu", dtype="float32", reason="no-time")
        for name in ("sum", "row-sum")
    )
    found = compared(whole, msgspec.structs.replace(whole, measurements=(*few, *late)))
    assert {pair.operation for pair in found.same} == {"matmul", "softmax"}
    assert {"sum", "row-sum"} <= set(found.one_sided)
    assert agreement([found]) is Agreement.PARTIAL
    none = msgspec.structs.replace(whole, measurements=(experiment(("4114585755556083", 333333.5)),))
    assert agreement([compared(none, none)]) is Agreement.PARTIAL


def test_another_processor_comes_before_its_threads() -> None:
    second = machine(ONE_THREAD, threads=1, cpu="AMD EPYC")
    (one, *_) = compared(machine(HERE), msgspec.structs.replace(second, measurements=_only_default(second))).apart
    assert one.explained_by[:2] == ("cpu", "cpu-instructions")
    assert one.proven_by == ()
    assert "threads" in one.explained_by


def _only_default(facts: Facts) -> tuple[Portrait, ...]:
    return tuple(
        measurement
        for measurement in facts.measurements
        if isinstance(measurement, Portrait) and measurement.setting == "default"
    )


def test_the_same_machine_twice() -> None:
    found = compared(machine(HERE), machine(HERE))
    assert found.environment == ()
    assert found.apart == ()
    assert agreement([found]) is Agreement.SAME


def test_nothing_in_common_is_not_the_same() -> None:
    found = compared(machine(HERE), machine())
    assert found.is_empty
    assert agreement([found]) is Agreement.NOTHING
    assert agreement([]) is Agreement.NOTHING


def test_a_wrong_result_is_explained_by_nothing_of_rounding() -> None:
    wrong = []
    for each in _only_default(machine(HERE)):
        samples = ("7f7fffff", *each.samples[1:])
        wrong.append(msgspec.structs.replace(each, fingerprint="0" * 16, samples=samples))
    second = msgspec.structs.replace(machine(threads=1), measurements=tuple(wrong))
    found = compared(machine(HERE), second)
    assert all(each.pair.size.size is Size.BEYOND for each in found.apart)
    assert all("threads" not in each.explained_by for each in found.apart)
    assert agreement([found]) is Agreement.BEYOND


def test_a_difference_without_any_of_the_environment_is_unexplained() -> None:
    assert agreement([compared(machine(HERE), machine(ONE_THREAD))]) is Agreement.UNEXPLAINED


def experiment(*runs: tuple[str, float | None], steps: tuple[int, ...] = ()) -> Experiment:
    return Experiment(
        framework="torch", operation="sum-of-squares", device="cpu", dtype="float64", steps=steps,
        values=tuple((value,) for _, value in runs), exact=tuple((bits,) for bits, _ in runs),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("theirs", "steps", "sizes"),
    [
        (("7ff8000000000000", None), (1000,), [Size.BEYOND]),
        (("4114585755556084", 333333.8333335), (), []),
        (("4114585755556083", 333333.83333349996), (), [Size.ROUNDING]),
        (("4114585755556083", 400000.0), (), [Size.BEYOND]),
        (("4114585755556083", 0.2), (1000,), [Size.ROUNDING]),  # a training grows any difference
        (("7ff8000000000000", None), (), [Size.BEYOND]),
    ],
)
def test_experiments_are_compared_by_what_they_print(
    theirs: tuple[str, float | None], steps: tuple[int, ...], sizes: list[Size]
) -> None:
    mine = experiment(("4114585755556084", 333333.8333335), steps=steps)
    found = compare(OtherMachine(measurements=(mine,)), OtherMachine(measurements=(experiment(theirs, steps=steps),)))
    assert [each.pair.size.size for each in found.apart] == sizes


def test_a_sum_that_is_added_up_term_by_term_is_no_fault() -> None:
    first, second = (
        msgspec.structs.replace(experiment(run), operation="sum-of-squares-reversed", dtype="float32")
        for run in (("48a2c2bb", 333333.84375), ("48a29304", 332952.125))
    )
    found = compare(OtherMachine(measurements=(first,)), OtherMachine(measurements=(second,)))
    assert [each.pair.size.size for each in found.apart] == [Size.ROUNDING]


def test_every_two_places_of_a_machine() -> None:
    pairs = pairs_here(machine(HERE, NUMPY).measurements)
    assert len(pairs) == 11
    assert all(pair.size.sizes == (Size.ROUNDING,) for pair in pairs)


def test_four_frameworks_agree_but_for_rounding() -> None:
    """PyTorch, NumPy, JAX and TensorFlow on one real processor, on the same inputs."""
    pairs = pairs_here(machine(HERE, NUMPY, "jax-0.10.2-cpu-portraits", "tensorflow-2.21.0-cpu-portraits").measurements)
    assert len(pairs) == 69
    assert {pair.size.sizes for pair in pairs} == {(Size.ROUNDING,), (Size.IDENTICAL,)}
    assert {pair.first.kind for pair in pairs} | {pair.second.kind for pair in pairs} == {"cpu"}


def test_a_case_is_carried_without_what_bears_on_no_number() -> None:
    case: Case = judged(machine(HERE), Answers())
    other = other_machine(case, "other.pdf")
    assert other.interpreter is not None
    assert [package.name for package in other.interpreter.packages or ()] == ["numpy"]
    assert len(other.measurements) == 29
    assert msgspec.json.decode(msgspec.json.encode(other), type=OtherMachine) == other

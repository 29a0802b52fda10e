"""Which settings are advised, on which machine, to whom."""

import msgspec
import pytest
from support.recorded_computations import measurements

from checks.analysis.numbers.settings_effect import Became, Changed
from checks.facts import (
    ArrayDifference,
    CpuFacts,
    ErrorText,
    Experiment,
    Facts,
    Flip,
    FrameworkDevice,
    Frameworks,
    InterpreterFacts,
    JaxFacts,
    KernelLaunch,
    MachineFacts,
    Measurement,
    ModelMeasured,
    OnnxRuntimeFacts,
    OtherMachine,
    Package,
    Precision,
    ProviderStart,
    Repeat,
    SentFile,
    TensorFlowFacts,
    TorchFacts,
)
from checks.facts.scripts import ScriptFacts
from checks.facts.versions import release
from checks.knowledge.frameworks.determinism import DeterminismTable
from checks.knowledge.frameworks.settings_advice import Need, Part, SettingsAdviceTable
from checks.remedies.settings import SEED, Advice, Answer, Block, advise

RAN = KernelLaunch(ran=True)
CPU = FrameworkDevice(device="cpu", kernel=RAN)
AMPERE = FrameworkDevice(device="cuda:0", compute_capability="8.6", kernel=RAN)
VOLTA = FrameworkDevice(device="cuda:0", compute_capability="7.0", kernel=RAN)
RADEON = FrameworkDevice(device="cuda:0", gfx_target="gfx1100", kernel=RAN)
BROKEN = FrameworkDevice(device="cuda:0", compute_capability="8.6", kernel=KernelLaunch(ran=False))
PYTHON = "/home/a/venv/bin/python"


def torch(*devices: FrameworkDevice, version: str = "2.13.0", build: str = "cuda") -> TorchFacts:
    return TorchFacts(version=version, build=build, devices=devices, threads=8)


def facts(framework: TorchFacts, *measured: Measurement, numpy: bool = True, reported: bool = False) -> Facts:
    packages = (Package(name="numpy", version="2.1.0"),) if numpy else ()
    return Facts(
        interpreters=(InterpreterFacts(path=PYTHON, packages=packages),),
        target=PYTHON,
        frameworks=Frameworks(torch=framework),
        measurements=measured,
        reported=reported,
    )


def repeat(operation: str = "matmul", distinct: int = 1, setting: str = "default", **more: object) -> Repeat:
    fields = {"device": "cpu", "repetitions": 20, **more}
    return Repeat(framework="torch", operation=operation, setting=setting, distinct=distinct, **fields)  # type: ignore[arg-type]


def many(count: int = 40) -> tuple[Repeat, ...]:
    return tuple(repeat(f"operation-{number}") for number in range(count))


def advice(known: Facts, symptom: str = "results-change", exactness: str = "bits") -> Advice:
    found = advise(known, symptom, exactness)
    assert found is not None
    return found


def only(known: Facts, symptom: str = "results-change", exactness: str = "bits") -> Block:
    (block,) = advice(known, symptom, exactness).blocks
    return block


def ids(block: Block) -> list[str]:
    return [line.line.id for line in block.lines]


SEEDS = ["python-seed", "numpy-seed", "torch-seed"]


def test_on_a_card_all_that_it_needs() -> None:
    block = only(facts(torch(CPU, AMPERE), repeat(distinct=3, device="cuda:0")))
    assert ids(block) == [*SEEDS, "torch-deterministic", "torch-autotune", "torch-loader-numpy"]


@pytest.mark.parametrize(("version", "expected"), [("2.9.1", True), ("2.10.0", False), ("2.13.0", False)])
def test_the_workspace_only_where_pytorch_wants_it(version: str, expected: bool) -> None:
    block = only(facts(torch(AMPERE, version=version), repeat(device="cuda:0")))
    assert ("cublas-workspace" in ids(block)) is expected
    assert not expected or block.lines[0].line.part is Part.ENVIRONMENT


def test_the_table_agrees_with_what_the_documentation_promises() -> None:
    (line,) = (each for each in SettingsAdviceTable.read().line if each.id == "cublas-workspace")
    assert release(DeterminismTable.read().workspace.until) < release(line.before)
    assert any(value in line.code for value in DeterminismTable.read().workspace.values)


@pytest.mark.parametrize(
    ("device", "version", "symptom", "expected"),
    [
        pytest.param(AMPERE, "2.13.0", "results-differ", "torch-tf32", id="newer"),
        pytest.param(AMPERE, "2.8.0", "results-differ", "torch-tf32", id="older"),
        pytest.param(AMPERE, "1.6.0", "results-differ", None, id="without-the-flags"),
        pytest.param(AMPERE, "2.13.0", "results-change", None, id="it-repeats"),
        pytest.param(VOLTA, "2.13.0", "results-differ", None, id="card-without"),
        pytest.param(BROKEN, "2.13.0", "results-differ", None, id="card-that-does-not-work"),
    ],
)
def test_tf32(device: FrameworkDevice, version: str, symptom: str, expected: str | None) -> None:
    block = only(facts(torch(CPU, device, version=version), repeat(distinct=2)), symptom)
    assert [each for each in ids(block) if "tf32" in each] == ([expected] if expected else [])


def test_a_card_of_amd_is_called_cuda_and_needs_nothing_of_nvidias() -> None:
    block = only(facts(torch(RADEON, version="2.6.0", build="rocm"), repeat(distinct=2, device="cuda:0")))
    assert ids(block) == [*SEEDS, "torch-deterministic", "torch-loader-numpy"]


def test_without_numpy() -> None:
    block = only(facts(torch(CPU), *many(), numpy=False))
    assert ids(block) == ["python-seed", "torch-seed", "torch-loader"]


def test_on_a_processor_that_repeats_everything_the_mode_is_left_out() -> None:
    block = only(facts(torch(CPU, build="cpu"), *many()))
    assert "torch-deterministic" not in ids(block)
    assert block.untouched == 40
    few = only(facts(torch(CPU, build="cpu"), *many(5)))
    assert "torch-deterministic" in ids(few)  # five operations are no proof
    assert few.untouched == 0


SPREAD = ArrayDifference(elements=9, differing=2, max_abs=1e-7)
SAME = ArrayDifference(elements=9, differing=0)


@pytest.mark.parametrize(
    ("measured", "expected"),
    [
        pytest.param(
            Precision(framework="torch", device="cpu", setting="threads-1", beside=SPREAD), True, id="other-bits"
        ),
        pytest.param(
            Precision(framework="torch", device="cpu", setting="threads-1", beside=SAME), False, id="same-bits"
        ),
        pytest.param(
            Flip(framework="torch", device="cpu", setting="threads-1", before=SPREAD, after=SAME), True, id="mends"
        ),
        pytest.param(
            Flip(framework="torch", device="cpu", setting="threads-1", before=SPREAD, after=SPREAD), False, id="no-help"
        ),
        pytest.param(
            Precision(framework="torch", device="cpu", setting="batch-1", beside=SPREAD), False, id="something-else"
        ),
    ],
)
def test_threads_only_where_they_change_bits(measured: Measurement, expected: bool) -> None:
    block = only(facts(torch(CPU), *many(), measured))
    assert ("torch-threads" in ids(block)) is expected
    assert not expected or "torch.set_num_threads(8)" in [line.code for line in block.lines]


def test_what_shows_nothing_of_threads_hides_nothing_that_does() -> None:
    """Of two runs with and without oneDNN, one thread brings nothing back; of two numbers of threads it does."""
    flip = Flip(framework="torch", device="cpu", setting="threads-1", before=SPREAD, after=SPREAD)
    other = Flip(framework="torch", device="cpu", setting="threads-1", before=SPREAD, after=SAME)
    assert "torch-threads" in ids(only(facts(torch(CPU), *many(), flip, other)))
    model = ModelMeasured(framework="torch", device="cpu", aspect="threads", path="a", difference=SAME)
    second = msgspec.structs.replace(model, path="b", difference=SPREAD)
    assert "torch-threads" in ids(only(facts(torch(CPU), *many(), model, second)))


def test_beside_another_machine_both_are_told_the_number_of_threads_that_both_can_have() -> None:
    measured = Precision(framework="torch", device="cpu", setting="threads-1", beside=SPREAD)
    known = facts(torch(CPU), *many(), measured)
    for theirs, told in ((2, 2), (32, 8), (None, 8)):
        other = OtherMachine(frameworks=Frameworks(torch=TorchFacts(threads=theirs)))
        block = only(msgspec.structs.replace(known, others=(other,)))
        assert f"torch.set_num_threads({told})" in [line.code for line in block.lines]


@pytest.mark.parametrize(
    ("exactness", "decisions", "answer", "has_block"),
    [
        ("bits", 1.0, Answer.BITS, True),
        ("decisions", 1.0, Answer.SAME_DECISIONS, False),
        ("decisions", 0.99, Answer.DECISIONS_CHANGE, True),
        ("decisions", None, Answer.DECISIONS_UNKNOWN, True),
        ("close", 1.0, Answer.CLOSE, True),
        ("", 1.0, Answer.UNDECIDED, True),
    ],
)
def test_the_plain_question_comes_first(
    exactness: str, decisions: float | None, answer: Answer, has_block: bool
) -> None:
    model = ModelMeasured(framework="torch", operation="output", device="cpu", decisions=decisions)
    found = advice(facts(torch(AMPERE), repeat(distinct=2), model), exactness=exactness)
    assert found.answer is answer
    assert bool(found.blocks) is has_block
    for block in found.blocks:
        assert ("torch-deterministic" in ids(block)) is (exactness != "close")


@pytest.mark.parametrize("decisions", [1.0, 0.5])
@pytest.mark.parametrize(
    "more",
    [
        pytest.param({"inputs_from": "drawn"}, id="made-up-inputs"),
        pytest.param({"aspect": "repeat", "distinct": 9, "first_op": "If > RandomNormal"}, id="random-by-design"),
    ],
)
def test_what_decides_nothing_says_nothing_of_decisions(decisions: float, more: dict[str, object]) -> None:
    made = msgspec.structs.replace(ModelMeasured(framework="torch", device="cpu", decisions=decisions), **more)
    found = advice(facts(torch(CPU), made), exactness="decisions")
    assert found is not None
    assert found.answer is Answer.DECISIONS_UNKNOWN


def test_training_mode_decides_otherwise_and_says_nothing_of_the_machine() -> None:
    same = ModelMeasured(framework="torch", device="cpu", aspect="repeat", decisions=1.0)
    mode = ModelMeasured(framework="torch", device="cpu", aspect="mode", decisions=0.5)
    assert advice(facts(torch(CPU), same, mode), exactness="decisions").answer is Answer.SAME_DECISIONS


def test_silent_where_nobody_asked_and_nothing_changed() -> None:
    assert advise(facts(torch(CPU), *many()), "everything", "") is None
    assert advise(facts(torch(CPU), repeat(distinct=2)), "everything", "") is not None
    assert advise(facts(torch(CPU)), "results-change", "bits") is None  # nothing was measured
    assert advise(facts(torch(CPU), repeat(reason="no-time")), "results-change", "bits") is None
    assert advise(facts(torch(CPU), repeat(distinct=2), reported=True), "results-change", "bits") is None
    numpy = Repeat(framework="numpy", operation="matmul", device="cpu", distinct=2)
    assert advise(facts(torch(CPU), numpy), "results-change", "bits") is None  # torch did not compute


def test_a_cost_of_operations_that_do_not_change_is_told_apart() -> None:
    steady = [
        repeat(name, device="cuda:0", seconds=0.01, setting=setting)
        for name in ("matmul", "histc")
        for setting in ("default", "deterministic")
    ]
    varying = repeat("index-add", 3, device="cuda:0", seconds=0.01)
    block = only(facts(torch(AMPERE), *steady, varying))
    (line,) = (each for each in block.lines if each.line.id == "torch-deterministic")
    assert line.cost is not None
    assert line.cost.is_of_others


def test_costs_are_those_that_were_measured() -> None:
    block = only(
        facts(
            torch(AMPERE),
            repeat("matmul", device="cuda:0", seconds=0.01),
            repeat("matmul", device="cuda:0", seconds=0.01, setting="deterministic"),
            repeat("index-add", 3, device="cuda:0", seconds=0.01),
            repeat("index-add", device="cuda:0", seconds=0.04, setting="deterministic"),
            repeat("sort", device="cuda:0", seconds=0.01, setting="deterministic"),  # nothing to compare with
            repeat("scatter", device="cuda:0", seconds=0.01, repetitions=3),
            repeat("scatter", device="cuda:0", seconds=1.79, repetitions=3, setting="deterministic"),  # too few
            repeat("histc", device="cuda:0", seconds=0.01),
            repeat("histc", device="cuda:0", seconds=0.2, setting="deterministic", repetitions=5),  # a second in all
            repeat("cumsum", device="cuda:0", seconds=0.01),
            repeat("cumsum", device="cuda:0", seconds=9.0, setting="deterministic", shrunk=1),  # another size
        )
    )
    (line,) = (each for each in block.lines if each.line.id == "torch-deterministic")
    assert line.cost is not None
    assert (line.cost.times, line.cost.worst, line.cost.operation) == (pytest.approx(4.0), 20.0, "histc")
    assert (line.cost.devices, line.cost.operations) == (("cuda:0",), 3)
    assert (line.cost.fewest, line.cost.most) == (5, 20)
    assert not line.cost.is_of_others
    assert [each.cost for each in block.lines if each.line.id == "torch-autotune"] == [None]


def experiment(setting: str, seconds: float, runs: int = 5, steps: tuple[int, ...] = (0, 1000)) -> Experiment:
    bits = tuple((str(run),) for run in range(runs))
    where = {"framework": "torch", "operation": "digits", "device": "cuda:0", "setting": setting}
    return Experiment(exact=bits, steps=steps, seconds=seconds, **where)  # type: ignore[arg-type]


def precision(setting: str, seconds: float, timed: int, operation: str = "matmul") -> Precision:
    where = {"framework": "torch", "operation": operation, "device": "cuda:0", "dtype": "float32", "setting": setting}
    return Precision(seconds=seconds, timed=timed, **where)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("line", "measured", "times"),
    [
        ("torch-deterministic", (experiment("default", 2.0), experiment("deterministic", 3.0)), 1.5),
        (
            "torch-tf32",
            (
                *(precision("default", 0.001, 20), precision("tf32-off", 0.004, 20)),
                *(precision("default", 0.001, 20, "conv2d"), precision("tf32-off", 0.004, 20, "conv2d")),
            ),
            4.0,
        ),
    ],
)
def test_a_cost_of_other_measurements(line: str, measured: tuple[Measurement, ...], times: float) -> None:
    block = only(facts(torch(AMPERE), repeat("index-add", 3, device="cuda:0"), *measured), symptom="results-differ")
    assert [each.cost and each.cost.times for each in block.lines if each.line.id == line] == [times]


@pytest.mark.parametrize(
    ("line", "measured"),
    [
        pytest.param(
            "torch-deterministic",
            (experiment("default", 2.0, runs=3), experiment("deterministic", 3.0, runs=3)),
            id="three-runs",
        ),
        pytest.param(
            "torch-deterministic",
            (experiment("default", 2.0), experiment("deterministic", 0.3, steps=(0, 100))),
            id="fewer-steps",
        ),
        pytest.param(
            "torch-deterministic",
            (
                repeat("sort", device="cuda:0", seconds=0.01, scale=1.0),
                repeat("sort", device="cuda:0", seconds=0.09, scale=8.0, setting="deterministic"),
            ),
            id="another-size",
        ),
        pytest.param("torch-tf32", (precision("default", 0.001, 20), precision("tf32-off", 0.004, 20)), id="one-alone"),
        pytest.param("torch-tf32", (precision("default", 0.001, 3), precision("tf32-off", 0.004, 3)), id="three-calls"),
        pytest.param(
            "torch-tf32", (precision("default", 0.001, 20), precision("tf32-off", 0.004, 3)), id="three-calls-of-one"
        ),
        pytest.param("torch-tf32", (precision("default", 0.001, 0), precision("tf32-off", 0.004, 0)), id="not-told"),
    ],
)
def test_no_cost_of_what_was_measured_too_seldom_or_otherwise(line: str, measured: tuple[Measurement, ...]) -> None:
    block = only(facts(torch(AMPERE), repeat("index-add", 3, device="cuda:0"), *measured), symptom="results-differ")
    assert [each.cost for each in block.lines if each.line.id == line] == [None]


def test_what_it_mends_and_what_it_refuses() -> None:
    error = ErrorText(type="RuntimeError", message="histc_cuda does not have a deterministic implementation")
    block = only(
        facts(
            torch(AMPERE),
            repeat("index-add", 3, counts=(8, 7, 5)),
            repeat("index-add", 1, "deterministic"),
            repeat("scatter", 2),
            repeat("scatter", 2, "deterministic"),
            repeat("sort", 1),
            Experiment(framework="torch", operation="network", device="cpu", exact=(("a",), ("b",))),
            repeat("histc", 1, "deterministic", reason="failed", error=error),
            repeat("other", 1, "deterministic", reason="failed", error=ErrorText(type="RuntimeError", message="x")),
        )
    )
    assert block.operations == (
        Changed("index-add", Became.MENDED),
        Changed("scatter", Became.STILL),
        Changed("network", Became.UNTRIED),
    )
    assert block.refused == ("histc",)


def test_equal_results_that_are_too_few_are_not_called_mended() -> None:
    """One of a hundred was another: three equal ones show nothing, and one that is not tried shows less."""
    block = only(
        facts(
            torch(CPU),
            repeat("index-add", 2, repetitions=100, counts=(99, 1)),
            repeat("index-add", 1, "deterministic", repetitions=3),
            repeat("scatter", 2),
            repeat("scatter", 1, "deterministic", repetitions=0, reason="no-time"),
            repeat("histc", 2),
            repeat("histc", 1, "deterministic", repetitions=0, reason="no-deterministic-form"),
        )
    )
    assert [operation.became for operation in block.operations] == [Became.SELDOM, Became.UNTRIED, Became.REFUSED]


def test_real_operations_of_a_processor() -> None:
    found = Facts(frameworks=Frameworks(torch=torch(CPU)), measurements=measurements("torch-2.13.0-cpu-repeat"))
    block = only(found)
    assert {operation.name for operation in block.operations} >= {"index-copy", "index-put-accumulate"}
    assert {operation.became for operation in block.operations} == {Became.MENDED, Became.SELDOM}


@pytest.mark.parametrize("name", ["dropout", "traced-dropout"])
def test_a_seed_mends_a_model_that_draws_numbers_and_no_mode_is_advised_for_it(name: str) -> None:
    found = Facts(frameworks=Frameworks(torch=torch(CPU)), measurements=measurements(f"model-torch-2.13.0-{name}"))
    block = only(found)
    (model,) = block.models
    assert model.became is Became.MENDED
    assert "torch-seed" in ids(block)
    assert block.operations == ()


def test_a_seed_that_mends_nothing_tells_nothing_of_the_mode() -> None:
    varies = ModelMeasured(
        framework="torch", device="cpu", path="put.pt", operation="output 0", aspect="repeat", setting="default",
        repetitions=30, distinct=16, first_op="aten::index_put",
    )  # fmt: skip
    seeded = msgspec.structs.replace(varies, aspect="mode", setting="seeded")
    (model,) = only(facts(torch(CPU), varies, seeded)).models
    assert (model.name, model.became) == ("put.pt", Became.UNTRIED)
    mode = msgspec.structs.replace(seeded, setting="deterministic")
    (model,) = only(facts(torch(CPU), varies, seeded, mode)).models
    assert model.became is Became.STILL


@pytest.mark.parametrize("symptom", ["results-change", "models", "everything"])
def test_of_a_finished_model_with_noise_the_seed_that_was_measured_to_help_is_advised(symptom: str) -> None:
    known = Facts(
        frameworks=Frameworks(onnxruntime=OnnxRuntimeFacts(version="1.31.1")),
        measurements=measurements("model-onnxruntime-1.31.1-seeded-noise"),
    )
    block = only(known, symptom, "")
    assert ids(block) == ["onnxruntime-seed"]
    assert [model.became for model in block.models] == [Became.MENDED]


def test_no_line_is_advised_for_a_finished_model_with_noise_that_none_was_seen_to_help() -> None:
    known = Facts(
        frameworks=Frameworks(onnxruntime=OnnxRuntimeFacts(version="1.31.1")),
        measurements=measurements("model-onnxruntime-1.31.1-random"),
    )
    assert advise(known, "results-change", "bits") is None


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("2.5.0", ["tensorflow-deterministic-variable", "python-seed", "tensorflow-seed-old"]),
        ("2.20.0", ["python-seed", "tensorflow-seed", "tensorflow-deterministic"]),
    ],
)
def test_tensorflow(version: str, expected: list[str]) -> None:
    gpu = FrameworkDevice(device="GPU:0", kernel=RAN)
    known = Frameworks(tensorflow=TensorFlowFacts(version=version, is_cuda_build=True, devices=(gpu,)))
    measured = Repeat(framework="tensorflow", operation="matmul", device="GPU:0", distinct=2)
    assert ids(only(Facts(frameworks=known, measurements=(measured,)))) == expected


def test_jax() -> None:
    card = FrameworkDevice(device="cuda:0", compute_capability="9.0", kernel=RAN)
    known = Frameworks(jax=JaxFacts(version="0.10.0", devices=(card,)))
    measured = Repeat(framework="jax", operation="matmul", device="cuda:0", distinct=2)
    block = only(Facts(frameworks=known, measurements=(measured,)), "results-differ")
    assert ids(block) == ["xla-deterministic", "python-seed", "jax-seed", "jax-tf32"]


TENSORFLOW = Frameworks(
    tensorflow=TensorFlowFacts(version="2.21.0", devices=(FrameworkDevice(device="CPU:0", kernel=RAN),))
)
JAX = Frameworks(jax=JaxFacts(version="0.10.2", devices=(FrameworkDevice(device="cpu:0", kernel=RAN),)))
MACHINE = MachineFacts(cpu=CpuFacts(logical_cores=2))


@pytest.mark.parametrize(
    ("known", "name", "symptom", "exactness", "expected"),
    [
        pytest.param(
            TENSORFLOW, "tensorflow-2.21.0-cpu-digits", "results-differ", "bits",
            {"tensorflow-onednn", "tensorflow-threads"}, id="tensorflow",
        ),
        pytest.param(
            TENSORFLOW, "tensorflow-2.21.0-cpu-digits", "results-change", "bits", {"tensorflow-threads"},
            id="tensorflow-on-this-machine-alone",
        ),
        pytest.param(TENSORFLOW, "tensorflow-2.21.0-cpu-digits", "results-differ", "close", set(), id="close-enough"),
        pytest.param(
            JAX, "jax-0.10.2-cpu-digits", "results-differ", "bits", {"jax-platform-math", "jax-threads"}, id="jax"
        ),
    ],
)  # fmt: skip
def test_what_was_seen_to_change_bits_is_fixed(
    known: Frameworks, name: str, symptom: str, exactness: str, expected: set[str]
) -> None:
    told = Facts(machine=MACHINE, frameworks=known, measurements=measurements(name))
    found = set(ids(only(told, symptom, exactness)))
    assert {each for each in found if each.endswith(("-onednn", "-threads", "-math"))} == expected


def test_the_cost_of_a_line_of_tensorflow_is_the_measured_one() -> None:
    told = Facts(machine=MACHINE, frameworks=TENSORFLOW, measurements=measurements("tensorflow-2.21.0-cpu-digits"))
    (line,) = (each for each in only(told, "results-differ").lines if each.line.id == "tensorflow-onednn")
    assert line.cost is not None
    assert line.cost.devices == ("CPU:0",)


def of_a_model(**more: object) -> ModelMeasured:
    named = ModelMeasured(framework="onnxruntime", operation="output", device="CPUExecutionProvider")
    return msgspec.structs.replace(named, **more)


@pytest.mark.parametrize(
    ("measured", "provider", "expected"),
    [
        pytest.param((of_a_model(repetitions=20, distinct=2),), "", ["onnxruntime-deterministic"], id="it-changed"),
        pytest.param((of_a_model(repetitions=20, distinct=1),), "", [], id="it-repeats-on-this-processor"),
        pytest.param((of_a_model(repetitions=2, distinct=1),), "", ["onnxruntime-deterministic"], id="too-few"),
        pytest.param(
            (of_a_model(repetitions=20, distinct=1),),
            "CUDAExecutionProvider",
            ["onnxruntime-deterministic"],
            id="a-card-may-change",
        ),
        pytest.param(
            (of_a_model(repetitions=20, distinct=1), of_a_model(aspect="threads", difference=SPREAD)),
            "",
            ["onnxruntime-threads-alone"],
            id="threads",
        ),
        pytest.param(
            (of_a_model(repetitions=20, distinct=2), of_a_model(aspect="threads", difference=SPREAD)),
            "",
            ["onnxruntime-deterministic", "onnxruntime-threads"],
            id="both",
        ),
    ],
)
def test_onnx_runtime(measured: tuple[ModelMeasured, ...], provider: str, expected: list[str]) -> None:
    started = (ProviderStart(name=provider, started=True),) if provider else ()
    known = Facts(
        machine=MachineFacts(cpu=CpuFacts(logical_cores=8)),
        frameworks=Frameworks(onnxruntime=OnnxRuntimeFacts(version="1.31.1", providers=started)),
        measurements=measured,
    )
    advice = advise(known, "results-change", "bits")
    lines = [line for block in advice.blocks for line in block.lines] if advice else []
    assert [each.line.id for each in lines] == expected  # and nothing for a program of Python
    assert "threads" not in " ".join(expected) or any("num_threads = 8" in each.code for each in lines)


def test_an_unknown_version_gets_the_present_lines() -> None:
    block = only(facts(TorchFacts(devices=(AMPERE,), build="cuda"), repeat(distinct=2)), "results-differ")
    assert "torch-deterministic" in ids(block)
    assert "cublas-workspace" not in ids(block)


def test_every_need_is_told_by_some_line_and_filled() -> None:
    lines = SettingsAdviceTable.read().line
    assert {need for line in lines for need in (*line.needs, *line.without)} == set(Need)
    assert len({line.id for line in lines}) == len(lines)
    for line in lines:
        compile(line.code.replace("{seed}", str(SEED)).replace("{threads}", "8"), line.id, "exec")


def _script(imports: dict[str, str], *, loads_data: bool = False) -> SentFile:
    read = ScriptFacts(file="train.py", imports=imports, loads_data=loads_data)
    return SentFile(name="train.py", kind="script", read=read)


@pytest.mark.parametrize(
    ("script", "ids"),
    [
        (_script({"torch": "torch"}), {"torch-seed"}),
        (_script({"torch": "torch", "random": "random"}), {"torch-seed", "python-seed"}),
        (_script({"torch": "torch", "numpy": "np"}), {"torch-seed", "numpy-seed"}),
        (_script({"torch": "torch"}, loads_data=True), {"torch-seed", "torch-loader"}),
        (_script({"pandas": "pd"}), {"torch-seed"}),
    ],
)
def test_the_block_has_what_the_script_uses(script, ids):
    known = msgspec.structs.replace(facts(torch(CPU), *many()), scripts=(script,))
    (block,) = advice(known, exactness="close").blocks
    assert {line.line.id for line in block.lines if line.line.part in (Part.SEED, Part.USE)} == ids


def test_the_block_speaks_in_the_names_of_the_script():
    script = _script({"torch": "th", "numpy": "np"})
    known = msgspec.structs.replace(facts(torch(CPU), *many()), scripts=(script,))
    (block,) = advice(known, exactness="close").blocks
    lines = {line.line.id: (line.line.imports, line.code) for line in block.lines}
    assert lines["numpy-seed"] == (("import numpy as np",), f"np.random.seed({SEED})")
    assert lines["torch-seed"] == (("import torch as th",), f"th.manual_seed({SEED})")
    assert block.scripts == ("train.py",)


def test_of_two_frameworks_the_one_that_the_script_imports():
    known = facts(torch(CPU), *many(), msgspec.structs.replace(repeat(), framework="jax"))
    known = msgspec.structs.replace(
        known,
        frameworks=Frameworks(torch=torch(CPU), jax=JaxFacts(version="0.10.2")),
        scripts=(_script({"torch": "torch"}),),
    )
    assert [block.framework for block in advice(known, exactness="close").blocks] == ["torch"]

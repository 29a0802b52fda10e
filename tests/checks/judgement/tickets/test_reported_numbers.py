# ruff: noqa: E501 - what programs printed stays as it is
"""What the numbers of a ticket say against its words, and what it leaves open."""

from collections.abc import Callable

import pytest

from checks.facts.case import Answers
from checks.facts.finding import Finding
from checks.facts.phrase import Phrase
from checks.judgement.judge import judged
from checks.judgement.tickets.odds import _doubted as as_far_as_told
from checks.judgement.tickets.reported_numbers import DIFFERENCE, NUMBERS
from checks.judgement.tickets.vetoes import Doubts, doubts
from checks.knowledge.catalogue import cause_files
from checks.knowledge.errors.vetoes import Vetoes
from checks.knowledge.phrases import in_language
from checks.readers.tickets.read import TICKET, pasted, read_ticket
from wizard.report.content.report import Report, build
from wizard.report.content.verdict import verdict_of
from wizard.report.prints.markdown import to_markdown
from wizard.report.prints.reply import to_reply
from wizard.report.prints.terminal import to_terminal


def findings(text: str) -> tuple[Finding, ...]:
    return judged(read_ticket(pasted(text)), Answers(symptom=TICKET)).findings


def first(text: str) -> Finding:
    return findings(text)[0]


def sure_of(cause: str, text: str) -> float:
    return next((finding.confidence for finding in findings(text) if finding.cause == cause), 0.0)


def test_every_cause_of_a_doubt_is_known() -> None:
    known = set(cause_files())
    assert {cause for row in Vetoes.read().numbers for cause in (*row.of, *row.heirs)} <= known
    assert {row.of for row in Vetoes.read().unproven} <= known


@pytest.mark.parametrize(
    "text",
    [
        "I compared PyTorch with numpy matmul in float32 and get wrong values:\ntensor([0.12345678, -1.2345678, 3.4567890])\narray([0.12345677, -1.2345679, 3.4567888], dtype=float32)\nA bug in torch?",
        "Output of torch.matmul differs between CPU and CUDA. max abs diff 1.2e-7. Is this incorrect?",
        "torch.mean() is not consistent across CPU and GPU:\ntensor(5000.9077)\ntensor(5000.8501, device='cuda:0')\nIs that a bug?",
    ],
)
def test_differences_of_rounding_are_called_no_bug(text: str) -> None:
    assert sure_of("framework-numeric-bug", text) < 0.5
    assert first(text).cause != "framework-numeric-bug"


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        pytest.param(
            "The exported ONNX does not match PyTorch (model.eval() is called).\nnp.testing.assert_allclose(torch_out, ort_out, rtol=1e-07)\nMismatched elements: 871 / 1000 (87.1%)\nMax absolute difference: 3.8146973e-06\nMax relative difference: 2.1340472e-05\n x: array([[ 2.513409, -0.170221,  4.110382]], dtype=float32)\n y: array([[ 2.51341 , -0.170222,  4.110384]], dtype=float32)\nCPU only.",
            "cpu-gpu-rounding",
            id="no-exporter-is-at-fault-for-last-digits",
        ),
        pytest.param(
            "trtexec --onnx=m.onnx --fp16, compared in polygraphy:\n[I]     Minimum Required Tolerance: elemwise error | [abs=0.0061345] OR [rel=1.2208]\n[I]     Absolute Difference | Stats: mean=0.00098, min=0 at (0, 12), max=0.0061345 at (0, 402)\n[E]     FAILED | Output: 'y' | Difference exceeds tolerance (rel=1e-05, abs=1e-05)\n[I]     trt-runner-N0: y | Stats: mean=0.01, min=-5.1 at (0, 33), max=6.9 at (0, 7)",
            "reduced-precision",
            id="half-precision-of-tensorrt",
        ),
        pytest.param(
            "ORT CUDA EP vs CPU EP don't agree: max absolute difference: 0.0031, values are around -4 .. 4. A10, float32 model. On a T4 it is 4.1e-06.",
            "tf32-enabled",
            id="11-digits-on-ampere",
        ),
        pytest.param(
            "torch.compile off by factor 2 with def f(a, b): return (a[:, None] - b[None, :]).sum()\neager:    -351.2257\ninductor: -702.4515\naot_eager: -351.2257",
            "framework-numeric-bug",
            id="no-compiler-rounds-by-a-factor",
        ),
    ],
)
def test_the_numbers_of_threads(text: str, cause: str) -> None:
    assert first(text).cause == cause


def test_equal_versions_are_no_other_version() -> None:
    text = "KMeans inertia on two laptops: A 1843.2019433921, B 1843.2019433927. sklearn 1.4.2 numpy 1.26.4 on both."
    assert sure_of("library-version-numerics", text) < 0.5


def test_results_behind_a_version_are_no_other_version() -> None:
    text = "torch 2.3.1 on both machines, cpu only. Results: 0.123456 vs 0.123459. Same docker image. One has Intel, the other AMD."
    assert sure_of("library-version-numerics", text) < 0.5


def test_only_a_card_that_has_tensorfloat_32_is_asked_for_it() -> None:
    text = "{}: matmul on gpu vs cpu max abs diff: 0.004, outputs are around 5"
    assert sure_of("cpu-gpu-rounding", text.format("GTX 1080")) > 0.5
    assert sure_of("cpu-gpu-rounding", text.format("RTX 3090")) < 0.1


def test_what_is_more_than_rounding_is_not_called_normal() -> None:
    text = "Two servers give different results for our recommender. Max diff 0.02. One has 2x L4, the other 2x T4."
    report = build(judged(read_ticket(pasted(text)), Answers(symptom=TICKET)), "en")
    assert report.findings[0].cause == "gpu-arch-rounding"
    assert report.verdict.symbol == "?"


def test_differences_beyond_rounding_are_called_no_rounding() -> None:
    text = "The sum of an array with torch.sum is {} on cpu and {} on cuda. Is it rounding?"
    assert first(text.format("12.5000001", "12.5000004")).cause == "cpu-gpu-rounding"
    assert first(text.format("12.5", "25.0")).cause == "framework-numeric-bug"
    assert sure_of("cpu-gpu-rounding", text.format("12.5", "25.0")) < 0.2


def test_what_is_ruled_out_is_not_named_for_want_of_another() -> None:
    text = "I run the model on the GPU with onnxruntime, the output differs from the CPU:\nCPU: array([{}], dtype=float32)\nCUDA: array([{}], dtype=float32)"
    near = first(text.format("0.40727073, -0.82996595", "0.40727076, -0.82996590"))
    far = first(text.format("0.40727073, -0.82996595", "-0.5039474, 1.3122077"))
    assert near.cause == "cpu-gpu-rounding"
    assert far.cause != "cpu-gpu-rounding"
    assert sure_of("cpu-gpu-rounding", text.format("0.40727073, -0.82996595", "-0.5039474, 1.3122077")) <= 0.1


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("tf.reduce_sum is wrong on GPU only: CPU 1234.5678, GPU 1234.5679. silently incorrect", "cpu-gpu-rounding"),
        (
            "A regression: torch.mean returned 0.50000000 with 2.1, now 0.49999997 with torch 2.2. wrong values",
            "library-version-numerics",
        ),
    ],
)
def test_what_is_left_when_numbers_rule_a_bug_out_is_named_and_called_likely(text: str, cause: str) -> None:
    found = first(text)
    assert found.cause == cause
    assert 0.5 < found.confidence <= 0.7
    assert sure_of("framework-numeric-bug", text) <= 0.1


def test_where_nothing_is_left_the_text_does_not_tell() -> None:
    text = "torch.matmul gives a wrong result on the GPU: expected [0.12345678, 1.5], got [0.12345686, 1.5]."
    assert first(text).cause == "unknown"
    assert NUMBERS in first(text).values


def test_over_many_operations_small_differences_grow_and_nothing_is_ruled_out() -> None:
    one = read_ticket(pasted("The sum is 12.5 on cpu and 25.0 on cuda."))
    trained = read_ticket(pasted("The loss after training is 12.5 on cpu and 25.0 on cuda."))
    assert "cpu-gpu-rounding" in doubts(one, ()).odds
    assert "cpu-gpu-rounding" not in doubts(trained, ()).odds


@pytest.mark.parametrize(
    ("text", "most"),
    [
        ("float32 matmul on GPU differs from CPU by 1e-3", 0.7),
        ("The outputs differ by 1e-3 on the GPU and on the CPU", 0.6),
    ],
)
def test_a_bare_difference_makes_candidates_with_a_question(text: str, most: float) -> None:
    found = first(text)
    assert found.cause in ("tf32-enabled", "cpu-gpu-rounding")
    assert found.confidence <= most


def test_tensorfloat_takes_a_card_that_has_it() -> None:
    text = "conv2d in float32 on {}: the difference to the CPU is 1e-3"
    assert sure_of("tf32-enabled", text.format("a GTX 1080")) < 0.1
    assert sure_of("tf32-enabled", text.format("an RTX 3090")) > 0.7


def test_numpy_in_workers_is_seeded_since_torch_1_9() -> None:
    text = "All workers of the DataLoader return identical np.random numbers with torch {}"
    assert first(text.format("2.3.1")).cause == "rng-dataloader-workers"
    assert first(text.format("2.3.1")).confidence <= 0.75
    assert first(text.format("1.7.1")).confidence > 0.9


def test_two_gpus_do_not_tell_that_apples_is_at_fault() -> None:
    assert first("The same model gives different output on MPS and on CUDA.").confidence <= 0.75
    assert first("The output on mps is wrong, the CPU is right. torch").confidence > 0.75


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize(
    "text",
    [
        "0.12345678 on the CPU and 0.12345677 on the GPU",
        "The results of CPU and GPU differ, max abs diff 1e-3",
        "The float16 results differ slightly between CPU and GPU: tensor([0.7798], dtype=torch.float16) tensor([0.7793], device='cuda:0', dtype=torch.float16)",
        "The sum is 12.5 on cpu and 25.0 on cuda. Is it rounding?",
        "matmul on CPU and GPU differs, max abs diff 2e-5 for values around 3, 1e-2",
    ],
)
def test_what_the_numbers_say_stands_in_words_and_among_the_evidence(text: str, language: str) -> None:
    found = first(text)
    said = found.values[NUMBERS]
    assert isinstance(said, Phrase)
    assert len(in_language(said, language)) > 40
    assert [shown.name for shown in found.evidence].count(DIFFERENCE) == 1


@pytest.mark.parametrize("write", [to_reply, to_terminal, to_markdown])
@pytest.mark.parametrize(
    "text",
    ["0.12345678 on the CPU and 0.12345677 on the GPU, why?", "I expected 2.0 but got 1.9999999 on the GPU, why?"],
)
def test_every_print_says_what_the_numbers_can_be(text: str, write: Callable[[Report], str]) -> None:
    """Also where the cause is not known: the second text does not tell what computed it."""
    case = judged(read_ticket(pasted(text)), Answers(symptom=TICKET))
    assert "Rounding in another order makes as much." in write(build(case, "en"))


def test_without_numbers_nothing_is_said_of_them() -> None:
    found = first("CPU and GPU give slightly different results for the same model")
    assert NUMBERS not in found.values
    assert all(shown.name != DIFFERENCE for shown in found.evidence)
    assert NUMBERS not in first("RuntimeError: CUDA out of memory. 0.1234567 and 0.1234568 on the CPU").values


@pytest.mark.parametrize(
    "text",
    [
        "On the GPU it is 0.12345678, on the CPU 0.12345671. Is this a bug?",
        "GPUでは0.12345678、CPUでは0.12345671です。これはバグですか",
        "CPUでの値は0.12345678、GPUでの値は0.12345671です。",
    ],
)
def test_the_question_is_answered_in_both_languages(text: str) -> None:
    """Japanese was told as half as likely, and whether it is a bug was answered in neither."""
    case = judged(read_ticket(pasted(text)), Answers())
    assert case.findings[0].cause == "cpu-gpu-rounding"
    assert case.findings[0].confidence >= 0.85
    assert verdict_of(case, ["T"], "en").sentence.startswith("No bug is needed to explain this. ")
    assert verdict_of(case, ["T"], "ja").sentence.startswith("不具合がなくても")
    far = judged(read_ticket(pasted(text.replace("0.12345671", "0.52345671"))), Answers())
    assert "No bug" not in verdict_of(far, ["T"] * len(far.findings), "en").sentence


@pytest.mark.parametrize(
    "text",
    [
        "The loss value is different after upgrading",
        "アップグレード後に損失の値が違う",
        "バージョンアップしたら出力が変わりました",
    ],
)
def test_an_upgrade_is_known_in_both_languages(text: str) -> None:
    assert judged(read_ticket(pasted(text)), Answers()).findings[0].cause == "library-version-numerics"


@pytest.mark.parametrize(
    "text",
    [
        "We compare our model on an A100 and on the CPU. We already set torch.backends.cuda.matmul.allow_tf32 = False and the outputs still differ by 1e-3 relative.",
        "A100でのmatmulの結果がCPUと1e-3くらい違います。allow_tf32はFalseにしています。",
        "float32 matmul on the RTX 3090 differs from the CPU, relative max diff 1.1e-3, TF32 is off.",
    ],
)
def test_what_is_switched_off_is_not_accused(text: str) -> None:
    assert sure_of("tf32-enabled", text) <= 0.2
    assert first(text).cause != "tf32-enabled"


@pytest.mark.parametrize(
    "text",
    [
        "The matmul result on my A100 differs from the CPU in the third digit; with allow_tf32 = False it is exact.",
        "float32 matmul on the RTX 3090 differs from the CPU, relative max diff 1.1e-3. Setting allow_tf32 = False fixes it.",
    ],
)
def test_what_mended_it_when_switched_off_is_the_cause(text: str) -> None:
    assert first(text).cause == "tf32-enabled"
    assert first(text).confidence > 0.5


def test_what_is_ruled_out_itself_inherits_nothing() -> None:
    shares = {"tf32-enabled": 0.8, "cpu-gpu-rounding": 0.1, "unknown": 0.1}
    open_heir = as_far_as_told(shares, Doubts(at_most={"tf32-enabled": 0.1}, heirs=("cpu-gpu-rounding",)))
    assert open_heir == pytest.approx({"tf32-enabled": 0.1, "cpu-gpu-rounding": 0.7, "unknown": 0.2})
    doubted = Doubts(at_most={"tf32-enabled": 0.1, "cpu-gpu-rounding": 0.3}, heirs=("cpu-gpu-rounding",))
    none = as_far_as_told(shares, doubted)
    assert none == pytest.approx({"tf32-enabled": 0.1, "cpu-gpu-rounding": 0.1, "unknown": 0.8})

# ruff: noqa: E501 - what programs printed stays as it is
"""How far results are apart, as a text tells it."""

import random

import numpy as np
import pytest

from checks.facts import ReportedDifference, ReportedNumbers
from checks.readers.tickets.found.differences import _STATED, _stated_in
from checks.readers.tickets.lines import lines_of
from checks.readers.tickets.reported import reported_in


def read(text: str) -> ReportedNumbers:
    return reported_in(lines_of(text)).facts.numbers or ReportedNumbers()


def pairs(text: str) -> list[tuple[str, str]]:
    return [(one.first, one.second) for one in read(text).differences if one.first]


def stated(text: str) -> list[tuple[float | None, float | None, float | None]]:
    """(absolute, relative, size of the values) of the differences that are stated in words."""
    return [(one.most, one.relative, one.scale) for one in read(text).differences if not one.first]


def asserted(actual: object, desired: object, **tolerance: float) -> str:
    """What NumPy of today says of two arrays."""
    with pytest.raises(AssertionError) as caught:
        np.testing.assert_allclose(actual, desired, **tolerance)
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("0.12345678 on the CPU and 0.12345677 on the GPU", ("0.12345678", "0.12345677")),
        ("GPUで計算した結果が0.12345677、CPUでは0.12345678になります。", ("0.12345677", "0.12345678")),
        ("The sum is 12.5 on cpu and 25.0 on cuda.", ("12.5", "25.0")),
        ("Element #0: CPU value - 1.55481, GPU value - 1.55469, abs diff", ("1.55481", "1.55469")),
        ("GPU says 8.999586 vs CPU says 8.999575", ("8.999586", "8.999575")),
        (
            "val1 and val2 differ, such as 14.554329872131348 vs 14.554328918457031",
            ("14.554329872131348", "14.554328918457031"),
        ),
        (
            "Scalars are not close!\n\nExpected 0.10010000318288803 but got 0.10000000149011612.",
            ("0.10010000318288803", "0.10000000149011612"),
        ),
        ("AssertionError: 0.1234567 != 0.123459 within 7 places", ("0.1234567", "0.123459")),
        ("It prints `24552025.0` without and `24552024.0` with jit.", ("24552025.0", "24552024.0")),
        (
            ">>> a.mean()\ntensor(5000.9077)\n>>> a.cuda().mean()\ntensor(5000.8501, device='cuda:0')",
            ("5000.9077", "5000.8501"),
        ),
        ("tensor([0.5000, 1.2345])\ntensor([0.5000, 1.2346], device='cuda:0')", ("1.2345", "1.2346")),
        (
            "out_cpu = tensor([[[[11.]]]])\nout_gpu = tensor([[[[5.]]]], device='cuda:0', dtype=torch.float16)",
            ("11.", "5."),
        ),
    ],
)
def test_two_numbers_of_one_result(text: str, wanted: tuple[str, str]) -> None:
    assert wanted in pairs(text)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("max abs diff 1.2e-7", (1.2e-7, None, None)),
        ("The results are different by 1e-3", (1e-3, None, None)),
        ("max_diff=7.45e-8", (7.45e-8, None, None)),
        ("The maximum absolute difference between the outputs is 2.384e-07", (2.384e-7, None, None)),
        ("the max difference is 3e-6 for values around 30", (3e-6, None, 30.0)),
        ("max abs diff 3066.0, max abs output 1.0401e7, relative max diff 2.9477e-4", (3066.0, 2.9477e-4, 1.0401e7)),
        ("MaxAbsErr : 1.189858e-04, MaxRelErr : 9.591902e+02", (1.189858e-4, 959.1902, None)),
        ("最大誤差は1e-5です", (1e-5, None, None)),
        ("1e-7程度の差があります", (1e-7, None, None)),
        (
            "Mismatched elements: 37 / 1048576 (0.0%)\nGreatest absolute difference: 1.9073e-05 at index (13, 511) (up to 1e-05 allowed)\nGreatest relative difference: 0.000122 at index (7, 12) (up to 1.3e-06 allowed)",
            (1.9073e-5, 0.000122, None),
        ),
    ],
)
def test_a_difference_in_words(text: str, wanted: tuple[float, float | None, float | None]) -> None:
    ((absolute, relative, scale),) = stated(text)
    assert absolute == pytest.approx(wanted[0])
    assert relative == (None if wanted[1] is None else pytest.approx(wanted[1]))
    assert scale == (None if wanted[2] is None else pytest.approx(wanted[2]))


def test_what_numpy_says_is_one_comparison_with_the_size_of_its_values() -> None:
    first = np.array([0.12345678, 1.5, 3.25], np.float32)
    text = asserted(first, first + np.float32([0, 2.4e-7, 0]))
    assert "ACTUAL" in text
    told = read(text).differences
    words = next(one for one in told if not one.first)
    assert words.most == pytest.approx(2.3841858e-07)
    assert words.relative == pytest.approx(1.589457e-07, rel=1e-3)
    assert words.scale == 3.25
    assert words.elements == 3


def test_what_older_numpy_says_is_read_too() -> None:
    text = (
        "E       Mismatched elements: 19 / 6471936 (0.000294%)\nE       Max absolute difference: 4.7683716e-07\n"
        "E       Max relative difference: 0.6666667\nE        x: array([[[[-1.168259e-02,  8.122145e-02, ...,\n"
        "E        y: array([[[[-1.168260e-02,  8.122144e-02, ...,"
    )
    words = next(one for one in read(text).differences if not one.first)
    assert (words.most, words.scale, words.elements) == (4.7683716e-07, 0.08122145, 6471936)


def test_printed_digits_leave_a_doubt_and_whole_numbers_none() -> None:
    (shown,) = read("tensor([0.1235])\ntensor([0.1234], device='cuda:0')").differences
    assert shown.least == pytest.approx(0, abs=1e-9)
    assert shown.most == pytest.approx(2e-4)
    (whole,) = read("I expected 2.0 but got 1.5 on the GPU").differences
    assert (whole.least, whole.most) == (pytest.approx(0.45), pytest.approx(0.55))


def test_beside_0_a_number_is_a_difference_of_unknown_size() -> None:
    """The printed error of a sum in float64, where 0 was expected."""
    (shown,) = read(
        "cuda: tensor(6.6426e-09, dtype=torch.float64)\nexpected: tensor(0., dtype=torch.float64)"
    ).differences
    assert shown.scale is None
    assert shown.most == pytest.approx(6.6426e-09, rel=1e-3)
    (shown,) = read("out_cpu = tensor([0., 4.])\nout_gpu = tensor([2., 4.], device='cuda:0')").differences
    assert shown.scale == 4.0


def test_a_zero_that_is_not_printed_is_one() -> None:
    """NumPy leaves zeros out at the end: 3.5 beside 3.500001 has as many decimals."""
    (shown,) = read(
        "array([3.5     , 3.500001], dtype=float32)\narray([3.5     , 3.500003], dtype=float32)"
    ).differences
    assert shown.most == pytest.approx(3e-6)
    assert shown.dtype == "float32"


@pytest.mark.parametrize(
    ("text", "dtype"),
    [
        ("tensor([0.123456])\ntensor([0.123457])", "float32"),
        ("array([0.123456])\narray([0.123457])", "float64"),
        ("tensor([0.5], dtype=torch.float16)\ntensor([0.5005], dtype=torch.float16)", "float16"),
        ("[0.123456, 1.5]\n[0.123457, 1.5]", ""),
    ],
)
def test_an_array_names_its_format_or_has_that_of_its_kind(text: str, dtype: str) -> None:
    (shown,) = read(text).differences
    assert shown.dtype == dtype


def test_formats_and_many_operations_are_of_the_text() -> None:
    told = read("The loss in fp16 is 0.693147 on the CPU and 0.693149 on the GPU")
    assert told.formats == ("float16",)
    assert told.about == "training"
    assert read("The logits are 0.693147 on the CPU and 0.693149 on the GPU").about == "model"
    assert not read("matmul: 0.693147 on the CPU and 0.693149 on the GPU").about


@pytest.mark.parametrize(
    "text",
    [
        "torch 2.1.0 on the CPU, torch 2.1.1 on the GPU",
        "CUDA 12.1 and CPU only 2.3",
        "It takes 1.234 s on the CPU and 0.456 s on the GPU",
        "GPU memory 79.25 GiB of 79.15 GiB, CPU 12.5%",
        "[    1.234567] NVRM: loading\n[    1.234568] nvidia: module",
        "2024-01-02 10:00:00.123456 start\n2024-01-02 10:00:00.123466 end",
        "assert_allclose(a, b, rtol=1e-5, atol=1e-8) fails",
        "x = torch.tensor([1.5, 2.5])\ny = torch.tensor([1.6, 2.4])",
        "RuntimeError: error code 1.5",
        "[11:41:33.534863] Epoch: [8]\n[11:41:59.064379] stopping",
        "PyTorch 1.8 and 1.9 on the GPU, Windows 10.\nCPU too",
        "CPU: it works\n- PyTorch Version (e.g., 1.0): '1.9.0+cu111'\n- GPU: 3090",
        "with a large input: -0.06907586\nwithout it: -0.05493345\nwith a small input: -0.05493343",
        "The mean difference is 1e-5",
        "tensor([nan, 0.1])\ntensor([0.2, 0.1])",
        "Shapes: [1, 3, 224, 224] and [1, 3, 224, 225]",
    ],
)
def test_what_is_no_difference_of_results(text: str) -> None:
    assert read(text).differences == ()


def test_no_more_than_some_differences_are_kept_and_hostile_text_is_read_in_time() -> None:
    many = "\n".join(f"CPU: {n}.123456 GPU: {n}.123457" for n in range(1, 200))
    assert len(read(many).differences) <= 40
    for hostile in ("[" * 50_000, "tensor(" * 20_000, "diff " * 30_000 + "1e-3", "0.1 " * 40_000, "max " * 40_000):
        assert isinstance(read(hostile), ReportedNumbers)


def test_a_difference_is_a_fact_that_a_case_keeps() -> None:
    told = read("max abs diff 1.2e-7").differences[0]
    assert isinstance(told, ReportedDifference)
    assert told.lines == (1,)


def test_what_is_stated_is_found_without_a_look_at_the_rest() -> None:
    parts = (
        *("max", "maximum", "MaxAbs", "Abs", "rel", "relative", "mean", "Diff", "differences", "dif", "err", "error"),
        *("deviation", "discrepancy", "mismatch", "differs", "differed only by", " by", " off by", "a", "ſ", "İ", "\n"),
        *(
            "最大",
            "の絶対",
            "相対",
            "誤差",
            "差分",
            "ずれ",
            "误差",
            " ",
            "_",
            ".",
            "-",
            ": ",
            "=",
            "1e-3",
            "0.5",
            "12%",
            "3",
        ),
        *(" is ", "of up to ", "about ", "~", "(", ")", "max diff 1e-3", "誤差は0.01"),
    )
    disorder = random.Random(11)
    for _ in range(3000):
        text = "".join(disorder.choices(parts, k=disorder.randrange(1, 14)))
        found, wanted = (
            [(one.span(), one.groupdict()) for one in which(text)] for which in (_stated_in, _STATED.finditer)
        )
        assert found == wanted, text

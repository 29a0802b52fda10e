"""The portable inputs: known answers, the same bits from every maker, and numbers that behave like drawn ones."""

import contextlib
import functools
import importlib
import math
from typing import Any

import numpy as np
import pytest
import torch
from support.portable_inputs import KNOWN, PhiloxAnswer, StreamWords, UniformBits, WholeNumbers

from checks.probes import host  # noqa: F401 - it offers the modules of the probes

inputs: Any = importlib.import_module("checks.probes.compute.bits.inputs")

IN_NUMPY = ("float64", "float32", "float16")


def bits_of(values: torch.Tensor) -> tuple[str, ...]:
    rows = values.contiguous().view(torch.uint8).reshape(values.numel(), -1).tolist()
    return tuple(bytes(row)[::-1].hex() for row in rows)


@pytest.mark.parametrize("row", KNOWN.philox, ids=lambda row: hex(row.counter[0]))
def test_the_authors_known_answers(row: PhiloxAnswer) -> None:
    assert inputs.philox(row.counter, row.key) == row.words


@pytest.mark.parametrize("row", KNOWN.stream, ids=lambda row: f"{row.stream}-{row.first}")
def test_words_of_a_stream_by_every_maker(row: StreamWords) -> None:
    count, begin = len(row.words), row.first // 4 * 4
    assert tuple(inputs.integers(count, row.stream, row.first)) == row.words
    every = (
        inputs.numpy_words(np, begin, count + 4, row.stream).tolist(),
        inputs.torch_words(torch, begin, count + 4, row.stream).tolist(),
    )
    for words in every:
        assert tuple(words[row.first - begin :][:count]) == row.words


@pytest.mark.parametrize("row", KNOWN.uniform, ids=lambda row: row.dtype)
def test_numbers_of_every_type(row: UniformBits) -> None:
    made = inputs.torch_uniform(torch, (len(row.bits),), row.dtype, row.stream)
    assert made.dtype == getattr(torch, row.dtype)
    assert bits_of(made) == row.bits
    if row.dtype in IN_NUMPY:
        assert bits_of(torch.from_numpy(inputs.numpy_uniform(np, (len(row.bits),), row.dtype, row.stream))) == row.bits


@pytest.mark.parametrize("row", KNOWN.whole, ids=lambda row: str(row.limit))
def test_whole_numbers(row: WholeNumbers) -> None:
    count = len(row.numbers)
    assert tuple(inputs.numpy_integers(np, (count,), row.limit, row.stream).tolist()) == row.numbers
    assert tuple(inputs.torch_integers(torch, (count,), row.limit, row.stream).tolist()) == row.numbers


@pytest.mark.parametrize("dtype", [*IN_NUMPY, "complex64", "complex128"])
@pytest.mark.parametrize("shape", [(), (0, 3), (5,), (3, 7, 11), (40_003,)], ids=str)
def test_numpy_and_torch_make_the_same(dtype: str, shape: tuple[int, ...]) -> None:
    ours, theirs = inputs.numpy_uniform(np, shape, dtype, 9), inputs.torch_uniform(torch, shape, dtype, 9)
    assert ours.dtype == np.dtype(dtype)
    assert tuple(theirs.shape) == ours.shape == shape
    assert ours.tobytes() == theirs.numpy().tobytes()


def test_the_size_of_the_parts_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = inputs.numpy_uniform(np, (30_001,), "float64", 2)
    monkeypatch.setattr(inputs, "_make", functools.partial(inputs._make, most=1 << 8))
    assert inputs.numpy_uniform(np, (30_001,), "float64", 2).tobytes() == whole.tobytes()


def test_an_element_depends_on_its_index_alone() -> None:
    long, short = (inputs.numpy_uniform(np, (count,), "float32", 4) for count in (50_000, 37))
    assert short.tobytes() == long[:37].tobytes()


def test_truth_values_and_other_whole_types() -> None:
    drawn = inputs.numpy_integers(np, (1000,), 2, 1, "bool")
    assert drawn.dtype == np.bool_
    assert 400 < drawn.sum() < 600
    assert inputs.torch_integers(torch, (4,), 100, 1, dtype=torch.int8).dtype == torch.int8


class Framework:
    """A framework whose arrays are NumPy's, as TensorFlow's and JAX's are made here."""

    def __init__(self, keeps_64_bits: bool = False) -> None:
        self.config = self
        self.jax_enable_x64 = keeps_64_bits
        self.constant = self.device_put = lambda array, *_: array

    def device(self, _: str) -> Any:
        return contextlib.nullcontext()


def test_tensorflow_and_jax_get_numpys_numbers() -> None:
    wanted = inputs.numpy_uniform(np, (3, 4), "float32", 6).tobytes()
    assert inputs.tensorflow_uniform(Framework(), (3, 4), "float32", 6).tobytes() == wanted
    assert inputs.jax_uniform(Framework(), (3, 4), "float32", 6).tobytes() == wanted
    assert inputs.tensorflow_integers(Framework(), (9,), 5, 6).max() < 5
    assert inputs.jax_integers(Framework(), (9,), 5, 6).max() < 5


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_jax_does_not_halve_numbers_in_silence(dtype: str) -> None:
    with pytest.raises(TypeError, match="jax_enable_x64"):
        inputs.jax_uniform(Framework(), (3,), dtype, 6)
    assert inputs.jax_uniform(Framework(keeps_64_bits=True), (3,), dtype, 6).dtype == np.dtype(dtype)


@pytest.mark.parametrize("dtype", inputs.FORMATS)
def test_numbers_are_exact_and_none_is_subnormal(dtype: str) -> None:
    significant, bits = inputs.FORMATS[dtype]
    made = inputs.torch_uniform(torch, (20_000,), dtype, 8)
    exact = made.to(torch.float64)
    fractions, _ = torch.frexp(exact)
    assert (torch.ldexp(fractions, torch.tensor(significant)) % 1 == 0).all()
    sizes = exact.abs()[exact != 0]
    assert sizes.max() < 1
    assert sizes.min() >= max(2.0**-bits, torch.finfo(made.dtype).tiny)
    assert not (exact.eq(0) & exact.signbit()).any()  # no negative zero


def test_small_numbers_have_all_bits() -> None:
    small = inputs.numpy_uniform(np, (200_000,), "float32", 8)
    small = small[(np.abs(small) >= 2.0**-7) & (np.abs(small) < 2.0**-5)]
    assert (small.view(np.int32) & 1).mean() == pytest.approx(0.5, abs=0.03)


# --- numbers that behave like drawn ones: bounds of five standard deviations, of fixed streams ------------------------

COUNT = 1 << 17


@functools.cache
def drawn(stream: int) -> np.ndarray[Any, Any]:
    return inputs.numpy_uniform(np, (COUNT,), "float64", stream)


@pytest.mark.parametrize("stream", [0, 1, 2, 1 << 32, (1 << 63) - 1])
def test_mean_and_variance(stream: int) -> None:
    numbers = drawn(stream)
    assert abs(numbers.mean()) < 5 * math.sqrt(1 / 3 / COUNT)
    assert abs((numbers**2).mean() - 1 / 3) < 5 * math.sqrt(4 / 45 / COUNT)


@pytest.mark.parametrize("stream", [0, 1])
def test_every_bit_is_set_half_of_the_time(stream: int) -> None:
    words = inputs.numpy_words(np, 0, COUNT, stream)
    for bit in range(32):
        assert abs(((words >> bit) & 1).mean() - 0.5) < 5 * 0.5 / math.sqrt(COUNT)


@pytest.mark.parametrize("lag", [1, 2, 3, 4, 5, 8, 1024, 4096, 1 << 16])
def test_no_serial_correlation_and_no_short_period(lag: int) -> None:
    numbers = drawn(1)
    product = numbers[lag:] * numbers[:-lag]
    assert abs(product.mean()) < 5 / 3 / math.sqrt(len(product))
    assert (numbers[lag:] == numbers[:-lag]).sum() == 0


def test_words_repeat_as_often_as_chance_would_have_it() -> None:
    words = inputs.numpy_words(np, 0, COUNT, 3)
    expected = COUNT * (COUNT - 1) / 2 / 2**32  # pairs, about 2
    assert abs(COUNT - len(np.unique(words)) - expected) < 5 * math.sqrt(expected)


def test_chi_squared_of_256_bins() -> None:
    counts = np.bincount(inputs.numpy_integers(np, (COUNT,), 256, 2), minlength=256)
    statistic = float(((counts - COUNT / 256) ** 2 / (COUNT / 256)).sum())
    assert abs(statistic - 255) < 5 * math.sqrt(2 * 255)


@pytest.mark.parametrize(("first", "second"), [(0, 1), (1, 2), (2, 1 << 33), (0, 1 << 32)])
def test_streams_have_nothing_in_common(first: int, second: int) -> None:
    one, other = drawn(first), drawn(second)
    assert abs((one * other).mean()) < 5 / 3 / math.sqrt(COUNT)
    assert not set(one.tolist()) & set(other.tolist())

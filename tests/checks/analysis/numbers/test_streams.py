"""Random numbers from one seed: the same, the same but for rounding, or others; never an error of a computation."""

import msgspec
import numpy as np
import pytest
from support.cuda_streams import normal, portraits
from support.recorded_computations import measurements

from checks.analysis.numbers.magnitude import Size
from checks.analysis.numbers.side_by_side import Agreement, agreement, compare, odd_ones_out, pairs_here
from checks.analysis.numbers.streams import is_stream, stream_magnitude
from checks.facts import (
    EnvironmentVariables,
    FrameworkDevice,
    Frameworks,
    JaxFacts,
    Measurement,
    OtherMachine,
    Portrait,
    TorchFacts,
)

TORCH, NO_AVX = "torch-2.13.0-cpu-random", "torch-2.13.0-cpu-random-no-avx"
JAX, OLD_KEYS, OLD_JAX = "jax-0.10.2-cpu-random", "jax-0.10.2-cpu-random-not-partitionable", "jax-0.4.38-cpu-random"
NUMPY, OLD_NUMPY = "numpy-2.4.6-random", "numpy-1.26.4-random"


def drawn(name: str) -> list[Portrait]:
    return [run for run in measurements(name) if isinstance(run, Portrait)]


def sizes(first: str, second: str) -> list[Size]:
    pairs = zip(drawn(first), drawn(second), strict=True)
    return [found[1].size for found in (stream_magnitude(*pair) for pair in pairs) if found]


@pytest.mark.parametrize(
    ("first", "second", "size"),
    [
        pytest.param(NUMPY, OLD_NUMPY, Size.IDENTICAL, id="numpy-keeps-its-streams"),
        pytest.param(TORCH, NO_AVX, Size.ROUNDING, id="another-logarithm"),
        pytest.param(OLD_KEYS, OLD_JAX, Size.ROUNDING, id="the-default-of-old-jax"),
        pytest.param(JAX, OLD_KEYS, Size.STREAM, id="threefry-partitionable"),
        pytest.param(JAX, OLD_JAX, Size.STREAM, id="jax-0.5.0"),
    ],
)
def test_what_real_frameworks_drew(first: str, second: str, size: Size) -> None:
    assert sizes(first, second) == [size, size]


def test_frameworks_have_generators_of_their_own() -> None:
    assert stream_magnitude(drawn(TORCH)[0], drawn(JAX)[0]) is None
    everything = measurements(TORCH, JAX, NUMPY, "tensorflow-2.21.0-cpu-random")
    assert [pair for pair in pairs_here(everything) if is_stream(pair.operation)] == []


def test_what_cannot_be_read_is_not_compared() -> None:
    known = drawn(TORCH)[0]
    assert stream_magnitude(known, msgspec.structs.replace(known, fingerprint="")) is None
    assert stream_magnitude(known, msgspec.structs.replace(known, shape=(7,))) is None


def test_one_number_that_is_none_makes_it_another_stream() -> None:
    known = drawn(TORCH)[0]
    broken = msgspec.structs.replace(known, fingerprint="0", nan=1, samples=("7fc00000", *known.samples[1:]))
    found = stream_magnitude(known, broken)
    assert found is not None
    assert found[1].size is Size.STREAM


def test_two_real_cards_drew_these_numbers() -> None:
    """github.com/pytorch/pytorch/issues/143086 shows them: seed 1, torch 2.5.1."""
    count = 49 * 12 * 112 * 144
    places = np.array([0, 1, 2, count - 3, count - 2, count - 1])
    h100, a100 = (normal(places, count, 1, card).tolist() for card in ("H100", "A100"))
    assert h100 == pytest.approx([-0.2963, 2.6764, -0.1408, -0.6970, -0.7780, 0.3267], abs=6e-5)
    assert a100 == pytest.approx([-0.2963, 2.6764, -0.1408, 0.1549, -0.6797, -0.1656], abs=6e-5)


def test_few_numbers_agree_on_two_cards_and_many_do_not() -> None:
    small, large = (stream_magnitude(*pair) for pair in zip(portraits("T4"), portraits("L4"), strict=True))
    assert small is not None
    assert large is not None
    assert (small[1].size, large[1].size) == (Size.IDENTICAL, Size.STREAM)


def side(runs: tuple[Measurement, ...], gpu: str = "", jax: str = "", **variables: str) -> OtherMachine:
    devices = (FrameworkDevice(device="cuda:0", name=gpu),) if gpu else ()
    return OtherMachine(
        name="other.json",
        frameworks=Frameworks(
            torch=TorchFacts(version="2.13.0", devices=devices), jax=JaxFacts(version=jax) if jax else None
        ),
        environment=EnvironmentVariables(values=variables),
        measurements=runs,
    )


def test_two_cards_are_a_candidate_and_nothing_is_beyond() -> None:
    found = compare(side(portraits("T4"), "Tesla T4"), side(portraits("L4"), "NVIDIA L4", MKL_CBWR="AVX2"))
    assert [pair.operation for pair in found.same] == ["random-normal"]
    assert [difference.explained_by for difference in found.apart] == [("gpu",)]
    assert agreement([found]) is Agreement.CANDIDATE


def test_a_variable_of_jax_is_a_candidate_for_its_numbers_alone() -> None:
    other = side(measurements(OLD_KEYS), jax="0.10.2", JAX_THREEFRY_PARTITIONABLE="0")
    found = compare(side(measurements(JAX), jax="0.10.2"), other)
    assert [difference.explained_by for difference in found.apart] == [("random-variables",)] * 2
    unexplained = compare(side(measurements(JAX), jax="0.10.2"), side(measurements(OLD_KEYS), jax="0.10.2"))
    assert agreement([unexplained]) is Agreement.UNEXPLAINED


def test_other_versions_are_a_candidate() -> None:
    found = compare(side(measurements(JAX), jax="0.10.2"), side(measurements(OLD_JAX), jax="0.4.38"))
    assert [difference.explained_by for difference in found.apart] == [("framework-version",)] * 2


def test_a_case_without_random_numbers_has_no_pair_of_them() -> None:
    found = compare(
        side(measurements(TORCH, "torch-2.13.0-cpu-portraits")), side(measurements("torch-2.13.0-cpu-portraits"))
    )
    assert not [pair for pair in found.pairs if is_stream(pair.operation)]
    assert agreement([found]) is Agreement.SAME


def test_no_place_is_odd_for_its_random_numbers() -> None:
    others = (msgspec.structs.replace(run, device=f"cuda:{number}") for number in (1, 2) for run in portraits("T4"))
    pairs = pairs_here((*measurements(TORCH), *others))
    assert {pair.size.size for pair in pairs} == {Size.STREAM, Size.IDENTICAL}
    assert odd_ones_out(pairs) == {}

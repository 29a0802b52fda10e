"""What made an error is told by how it lies and what was tried: planted causes are named, and real orders never are."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import json
from collections.abc import Iterator
from typing import Any

import msgspec
import numpy as np
import pytest
from tools.audit_numbers import (
    CAUSES,
    NONE,
    ORDERS,
    RUN,
    SHORT,
    Cause,
    Floats,
    Planted,
    Reduce,
    matmul,
    operations,
    said,
)

from checks.analysis.numbers.digits import error_of, shorter_format
from checks.analysis.numbers.magnitude import Form, Size
from checks.analysis.numbers.mechanism import form_of, limits, recognised
from checks.analysis.numbers.side_by_side import pairs_here
from checks.causes.reproducibility.framework_numeric_bug import SURE, framework_numeric_bug
from checks.causes.reproducibility.reduced_precision import reduced_precision
from checks.causes.reproducibility.tf32_enabled import tf32_enabled
from checks.facts import ArrayDifference, Emulated, ErrorShape, Measurements, Portrait, Precision, Reordered
from checks.facts.finding import Finding, Inconclusive, NotHere
from checks.probes.compute import kit, portrait, precision
from checks.probes.compute.operations import IN_BOTH, OPERATIONS, Operation

U = 2.0**-24
MATMUL = next(operation for operation in OPERATIONS if operation.name == "matmul")
FEW_TERMS = [operation for operation in operations() if operation.terms <= 1024 and operation.terms != 16]
PLANTED = {cause.name: cause for cause in CAUSES}


def digits(operation: Operation, cause: Cause, order: str = "numpy", seed: int = 3) -> Precision:
    stage = precision.stage(Planted(operation, ORDERS[order], cause, seed), {}, kit.Clock(60))
    with np.errstate(all="ignore"):
        (found,) = [fact for facts in stage for fact in facts.get("measurements+", ())]
    return msgspec.convert(found, Precision)


def two_machines(operation: Operation, cause: Cause, order: str, other: str) -> list[Portrait]:
    found = []
    for name, planted, device in ((other, NONE, "cpu"), (order, cause, "cuda:0")):
        stage = portrait.stage(Planted(operation, ORDERS[name], planted, 3), {}, kit.Clock(60))
        (fact,) = [fact for facts in stage for fact in facts.get("measurements+", ())]
        found.append(msgspec.structs.replace(msgspec.convert(fact, Portrait), device=device))
    return found


def findings(*measured: Precision) -> Iterator[Finding]:
    all_ = Measurements(all=measured)
    for of_format in (reduced_precision, tf32_enabled):
        with contextlib.suppress(NotHere):  # what is wrong altogether tells nothing of digits
            yield from of_format(all_, None, None)
    yield from framework_numeric_bug(all_, None)


# --- no order is accused ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("operation", FEW_TERMS, ids=lambda operation: f"{operation.name}-{operation.terms}")
def test_no_order_of_the_terms_is_accused(operation: Operation) -> None:
    for order in ORDERS:
        assert error_of(digits(operation, NONE, order)).size in (Size.IDENTICAL, Size.ROUNDING, Size.UNUSUAL), order


def test_two_machines_with_other_orders_are_not_accused() -> None:
    small = [operation for operation in FEW_TERMS if operation.terms < 1000]
    for operation, (order, other) in itertools.product(small, itertools.pairwise(ORDERS)):
        for pair in pairs_here(two_machines(operation, NONE, order, other)):
            assert pair.size.size in (Size.IDENTICAL, Size.ROUNDING, Size.UNUSUAL), (operation.name, order, other)


# --- what is planted is named -----------------------------------------------------------------------------------------


# A low bit of an element that happens to be small is less than rounding makes of it: the tool counts these.
@pytest.mark.parametrize("name", [cause.name for cause in CAUSES if cause.name not in ("bit 12", "bit 14")])
def test_what_is_planted_is_called_what_it_is(name: str) -> None:
    for operation in FEW_TERMS:
        if operation.name != "sum":  # one number is like any other
            word = said(error_of(digits(operation, PLANTED[name])))
            assert word in PLANTED[name].right, (operation.name, operation.terms)


@pytest.mark.parametrize("name", [cause.name for cause in CAUSES if cause.right[0] in SHORT])
def test_a_shorter_format_is_recognised_between_two_machines(name: str) -> None:
    for operation in FEW_TERMS:
        if operation.name != "sum":
            (pair,) = pairs_here(two_machines(operation, PLANTED[name], "8 lanes", "numpy"))
            assert said(pair.size) in PLANTED[name].right, (operation.name, operation.terms)


def test_a_wrong_bit_in_one_of_8192_results_is_one_wrong_element() -> None:
    """Of the sizes of TensorFloat-32 and bfloat16, and neither."""
    for bit in (14, 16, 18):
        measured = digits(MATMUL, PLANTED[f"bit {bit}"])
        assert measured.against is not None
        assert measured.against.elements == 8192
        assert error_of(measured).form is Form.ELEMENTS
        assert shorter_format(measured) is None
        (finding,) = findings(measured)
        assert finding.values["how_far"].key == "how-far-elements-once"
        assert finding.confidence < 0.5
        (place,) = [part.value for part in finding.evidence if part.name == "wrong_places"]
        assert place.count("[") == 4


def test_a_factor_is_no_format_in_any_operation() -> None:
    of_linear_size = Operation("matmul", ((8, 1024), (1024, 256)), 1024, products=True, orders=IN_BOTH)
    for operation in (MATMUL, of_linear_size):
        measured = digits(operation, PLANTED["times 1.001"])
        assert error_of(measured).form is Form.SCALED
        (finding,) = findings(measured)
        (factor,) = [part.value for part in finding.evidence if part.name == "off_by_factor"]
        assert factor == "1.001"


def test_two_results_at_each_others_places_are_no_rounding() -> None:
    measured = digits(MATMUL, PLANTED["two swapped"])
    assert error_of(measured).form is Form.MOVED
    (finding,) = findings(measured)
    assert finding.values["how_far"].key == "how-far-moved-once"


def test_what_comes_again_is_the_frameworks() -> None:
    wrong = dataclasses.replace(PLANTED["bit 22"], lasting=True)
    (finding,) = findings(digits(MATMUL, wrong))
    assert finding.values["how_far"].key == "how-far-elements"
    assert finding.confidence == SURE


def test_an_element_that_no_sample_shows_stands_out_in_its_block() -> None:
    small = Operation("matmul", ((64, 128), (128, 64)), 128, products=True, orders=IN_BOTH)
    (pair,) = pairs_here(two_machines(small, PLANTED["exponent, bit 23"], "numpy", "numpy"))
    assert (pair.size.size, pair.size.form) == (Size.BEYOND, Form.ELEMENTS)


# --- between ----------------------------------------------------------------------------------------------------------


def test_an_unusual_error_is_neither_blamed_nor_called_rounding() -> None:
    """A sum off by more than other orders make, and by less than an analysis of any order allows."""
    total = next(operation for operation in operations() if operation.name == "sum" and operation.terms == 65536)
    measured = next(
        found
        for seed in range(9)
        if error_of(found := digits(total, PLANTED["bit 18"], seed=seed)).size is Size.UNUSUAL
    )
    with pytest.raises(Inconclusive, match="farther-than-orders"):
        list(findings(measured))


def test_the_limits() -> None:
    theory = limits(1024, U, 8192, None, centred=True)
    assert theory.rounding == theory.surely == theory.usual < theory.possible
    tried = limits(1024, U, 8192, Reordered(farthest=0.0, moved=0.0, runs=2), centred=False)
    assert tried.surely == tried.seen == 16 * U < tried.usual
    assert limits(8, U, 1, Reordered(farthest=1e-8, moved=1e-8, runs=0), centred=False).seen is None


def test_of_few_elements_no_form_is_told() -> None:
    shape = ErrorShape(ladder=(1.0, 0.0, 0.0), off_slope=0.0, off_order=0.0)
    assert form_of(shape, 4, 1e-6) is None
    assert form_of(shape, 64, 1e-6) is Form.ELEMENTS
    assert recognised(Precision()) is None


def test_what_an_older_case_holds_is_told_by_size_as_before() -> None:
    measured = msgspec.structs.replace(digits(MATMUL, NONE), farthest=None, reordered=None)
    assert error_of(measured).size is Size.ROUNDING
    assert np.isfinite(error_of(measured).times or 0.0)


# --- fast mathematics, and what is damaged ----------------------------------------------------------------------------


def test_a_softmax_of_fast_exponentials_is_rounding(monkeypatch: pytest.MonkeyPatch) -> None:
    """As Metal's are by default: 3 + 2 |x| ulp, whatever the order of the sum."""

    def fast(inputs: list[Floats], reduce: Reduce) -> Floats:
        scaled = inputs[0] * np.float32(8)
        shifted = (scaled - scaled.max(-1, keepdims=True)).astype(np.float64)
        off = np.sin(1e4 * shifted) * (3 + 2 * abs(shifted)) * 2.0**-23
        result = (np.exp(shifted) * (1 + off)).astype(np.float32)
        return np.asarray(result / reduce(np.ascontiguousarray(result.T))[:, None])

    monkeypatch.setitem(RUN, "softmax", fast)
    softmax = next(operation for operation in OPERATIONS if operation.name == "softmax")
    measured = digits(softmax, NONE)
    assert measured.farthest is not None
    assert measured.farthest > 40 * U
    assert error_of(measured).size is Size.ROUNDING
    assert not list(findings(measured))


def test_a_device_that_gives_no_numbers_still_has_a_portrait(monkeypatch: pytest.MonkeyPatch) -> None:
    """JSON has no NaN: with one in it, nothing of the stage would be read."""
    lost = itertools.cycle((np.nan, np.inf, -np.inf))

    def planted(inputs: list[Floats], reduce: Reduce) -> Floats:
        result = matmul(inputs, reduce)
        result[0, 0] = next(lost)
        return result

    monkeypatch.setitem(RUN, "matmul", planted)
    small = Operation("matmul", ((8, 16), (16, 8)), 16, products=True, batch=8, orders=IN_BOTH)
    stage = portrait.stage(Planted(small, ORDERS["numpy"], NONE, 3), {}, kit.Clock(60))
    (found,) = [fact for facts in stage for fact in facts.get("measurements+", ())]
    measured = msgspec.json.decode(json.dumps(found), type=Portrait)
    assert measured.reordered is not None
    assert measured.nan + measured.infinite == 1
    assert measured.reordered.moved < 16 * U


_DAMAGED = (
    {"terms": -1, "rms": 1e300},
    {
        "terms": 2**63 - 1,
        "rms": 1e-3,
        "against": ArrayDifference(elements=-5, differing=7, max_abs=1e308, scale=1e-320),
    },
    {"reordered": Reordered(moved=-1.0, runs=2**62, farthest=1e308)},
    {"reordered": Reordered(moved=1e308, runs=-3)},
    {"emulated": {"odd": Emulated(max_abs=1e-3, rms=1e-3, likeness=1.0)}, "shape": ErrorShape(stored_in="odd")},
    {"emulated": {"tf32": Emulated(max_abs=1e308, rms=1e308, likeness=-1e308)}, "rms": 1e308},
    {"shape": ErrorShape(ladder=(1e308,), off_slope=-1.0, off_order=5e-324, places=((-1,),))},
    {"condition": -1.0},
    {"condition": 5e-324},
)


@pytest.mark.parametrize("damage", _DAMAGED, ids=str)
def test_a_damaged_case_is_judged_all_the_same(damage: dict[str, Any]) -> None:
    measured = Precision(
        framework="torch",
        operation="matmul",
        device="cpu",
        dtype="float32",
        against=ArrayDifference(elements=64, differing=64, max_abs=0.5, scale=1.0),
        terms=16,
        rms=0.1,
        condition=1.0,
        farthest=0.5,
    )
    with contextlib.suppress(Inconclusive):
        list(findings(msgspec.structs.replace(measured, **damage)))


@pytest.mark.parametrize(
    "damage",
    [
        {"condition": -1.0},
        {"condition": 5e-324},
        {"terms": -4},
        {"block_sums": ((1.7e308).hex(), (1.7e308).hex())},
        {"reordered": Reordered(moved=1e308, runs=-1)},
        {"reordered": Reordered(moved=-1.0, runs=2**63 - 1)},
        {"shorter": {"odd": (1.0,) * 64, "tf32": (1e300, -1e300) * 32, "bfloat16": ()}},
    ],
    ids=str,
)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_damaged_portraits_are_compared_all_the_same(damage: dict[str, Any], dtype: str) -> None:
    one, huge = ("3f800000", "7f7fffff") if dtype == "float32" else ("3ff0000000000000", "7feffffffffffff0")
    whole = Portrait(
        framework="torch",
        operation="matmul",
        dtype=dtype,
        shape=(64,),
        samples=(one,) * 64,
        block_sums=((1.0).hex(),) * 64,
        scale=1.0,
        terms=16,
        condition=1.0,
        reordered=Reordered(moved=1e-7, runs=2),
    )
    first = msgspec.structs.replace(whole, device="cpu", fingerprint="a", **damage)
    second = msgspec.structs.replace(whole, device="cuda:0", fingerprint="b", samples=(huge,) * 64, **damage)
    (pair,) = pairs_here([first, second])
    assert pair.size.size is not Size.ROUNDING

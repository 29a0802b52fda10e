"""Which layer loses most, what is at fault and what mends it: only what a flip of it showed."""

from typing import Any

import pytest

from checks.analysis.models.quantisation import Why, best_remedy, judged, losses, worst_layer
from checks.facts import ArrayDifference, LayerLoss, Measurements, QuantisationLoss, TriedRemedy, WeightLoss

APART = ArrayDifference(elements=10, differing=10)


def loss(*layers: LayerLoss, **more: Any) -> QuantisationLoss:
    fields = {"path": "q.onnx", "first": "f.onnx", "sqnr": 12.0, "difference": APART, "inputs_from": "file", **more}
    return QuantisationLoss(layers=layers, **fields)


def layer(name: str, without: float | None = None, **more: Any) -> LayerLoss:
    return LayerLoss(name=name, without=without, **{"is_tried": True, **more})


@pytest.mark.parametrize(
    ("layers", "name"),
    [
        pytest.param((layer("a", 13.0), layer("b", 30.0)), "b", id="the-better-without"),
        pytest.param((layer("a", 13.0), layer("b", 14.9)), None, id="less-than-half-of-the-noise"),
        pytest.param((layer("a", 30.0), layer("b", None)), "b", id="nothing-left-to-lose"),
        pytest.param((layer("a", 30.0, is_tried=False), layer("b", 20.0)), "b", id="not-tried"),
        pytest.param((), None, id="none"),
    ],
)
def test_the_layer_that_loses_most(layers: tuple[LayerLoss, ...], name: str | None) -> None:
    worst = worst_layer(loss(*layers))
    assert (worst.name if worst is not None else None) == name


def tried(what: str, after: float | None, *nodes: str, **more: Any) -> TriedRemedy:
    return TriedRemedy(what=what, nodes=nodes, after=after, **{"before": 12.0, **more})


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        pytest.param(
            (tried("exclude", 36.0, "a"), tried("per-channel", 35.0)), "per-channel", id="as-good-and-cheaper"
        ),
        pytest.param((tried("exclude", 40.0, "a"), tried("per-channel", 25.0)), "exclude", id="the-better"),
        pytest.param((tried("exclude", 17.0, "a"),), None, id="too-little"),
        pytest.param((tried("exclude", None, "a", error="ValueError"),), None, id="failed"),
        pytest.param((tried("exclude", -300.0, "a"),), None, id="not-finite"),
        pytest.param((tried("exclude", None, "a"),), "exclude", id="nothing-left-to-lose"),
    ],
)
def test_what_mends_it(changes: tuple[TriedRemedy, ...], what: str | None) -> None:
    best = best_remedy(loss(tried=changes))
    assert (best.what if best is not None else None) == what


def test_infinities_come_before_all_else() -> None:
    found = judged(loss(layer("a", 40.0), layer("b", -300.0, lost=3), sqnr=30.0))
    assert (found.why, found.layer is not None and found.layer.name, found.is_poor) == (Why.OVERFLOW, "b", True)


def test_a_model_with_other_weights_was_not_made_of_this_one() -> None:
    def of(*ratios: float) -> tuple[QuantisationLoss, ...]:
        weights = tuple(WeightLoss(name=f"w{place}", sqnr=ratio) for place, ratio in enumerate(ratios))
        return losses(Measurements(all=(loss(weights=weights),)))

    assert len(of(40.0, 35.0, 0.2)) == 1
    assert of(0.1, -2.0, 40.0) == ()
    assert len(of()) == 1


def test_made_up_inputs_decide_nothing() -> None:
    assert not judged(loss(decisions=0.5, inputs_from="drawn", sqnr=35.0)).is_poor
    assert judged(loss(decisions=0.5, sqnr=35.0)).is_poor

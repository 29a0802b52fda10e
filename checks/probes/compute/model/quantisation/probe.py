"""What a quantised ONNX model loses against the float model that it was made of, layer by layer.

Argument: ``path`` of the quantised model, ``first`` of the float one (null: there is none), ``inputs`` as for the probe
of repetitions, ``seconds``, ``search_seconds``.
"""

import contextlib
import os

from .... import kit
from ....export import compare
from ....model import kit as model_kit
from ... import kit as compute
from .. import drawing, onnx_cut, runs
from .. import onnxruntime as runtime
from ..minimal.worker import imported
from ..ways import Model, is_of_model
from . import again, alone, pairs, saturation
from .layers import Loss

ESSENTIAL = ("imported",)


def quantisation(argument):
    """The loss, as the fact QuantisationLoss."""
    named = {
        "kind": "quantisation",
        "framework": runtime.FRAMEWORK,
        "device": runtime.CPU,
        "path": argument["path"],
        "first": argument.get("first") or "",
    }
    clock = compute.Clock(argument["seconds"])
    yield compute.measuring(named)
    try:
        with kit.Warned():
            figures = _with_float(argument, clock) if argument.get("first") else _alone(argument, clock)
            yield compute.facts_of(dict(named, **figures))
    except onnx_cut.TooLarge:
        yield compute.facts_of(dict(named, reason="model-too-large"))
    except onnx_cut.NotRead as error:
        yield compute.facts_of(dict(named, reason="model-unreadable", detail=str(error)[:300]))
    except Exception as error:
        yield compute.facts_of(dict(named, **runs.failure(error)))


def _with_float(argument, clock):
    import numpy as np
    import onnxruntime

    with contextlib.ExitStack() as opened:
        parts = [opened.enter_context(onnx_cut.Parts(argument[side])) for side in ("first", "path")]
        figures = {"form": pairs.form_of(parts[1].graph), "version": str(onnxruntime.__version__)}
        both = [runtime.Runtime(dict(argument, path=argument[side])) for side in ("first", "path")]
        if any(one.sequences for one in both):
            return dict(figures, reason="inputs-of-lists")
        arrays, origin = both[0].inputs()
        model = Model(np, {}, arrays, both[0].nodes(), compare.UNITS["float32"], parts[0].graph.weights)
        if origin["inputs_from"] == "drawn":
            drawing.more_telling(model, both[0].way().run, clock.part(8))
        arrays = model.arrays
        if set(arrays) != {spec["name"] for spec in both[1].specs}:
            return dict(figures, reason="other-inputs")
        rows = max((array.shape[0] for array in arrays.values() if array.ndim > 1), default=1)
        figures.update(origin, inputs=model_kit.as_facts(arrays), rows=rows)
        ways = [one.way() for one in both]
        try:
            ways[1].results(arrays)
        except Exception as error:
            if not is_of_model(error) or model_kit.is_not_the_input(error):
                raise
            return dict(figures, reason="other-inputs")
        found = pairs.pairs(parts[0].graph, parts[1].graph)
        loss = Loss(model, parts, ways, found, arrays, compute.Clock(clock.left * 0.6), os.path.abspath("."))
        measured = loss.layers()
        if measured is None:
            return dict(figures, reason="other-model")
        figures.update(loss.whole(), layers=measured[0], unmatched=measured[1])
        figures.update(saturation.seen(argument["path"], model, ways, arrays))
        figures.update(again.quantised(argument, parts, figures, arrays, both[0], clock))
        return figures


def _alone(argument, clock):
    import numpy as np
    import onnxruntime

    with onnx_cut.Parts(argument["path"]) as parts:
        figures = {"form": pairs.form_of(parts.graph), "version": str(onnxruntime.__version__)}
        whole = runtime.Runtime(argument)
        if whole.sequences:
            return dict(figures, reason="inputs-of-lists")
        arrays, origin = whole.inputs()
        figures.update(origin, inputs=model_kit.as_facts(arrays))
        figures["layers"] = alone.activations(np, parts, whole, arrays, clock)
        return figures


STAGES = (imported, quantisation)

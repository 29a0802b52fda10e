"""The smallest part of an ONNX model that still shows a difference, and a folder with it for a bug report.

Argument: ``path``, ``format``, ``inputs`` as for the probe of repetitions; ``first`` and ``second``: {"device",
"setting", "python"} of the reference and the candidate, ``second`` null where numbers get lost under one setting;
``node``: where they do; ``folder``: where the files are to be written (null: none are); ``seconds``;
``search_seconds``.
"""

import os
import platform
import subprocess

from .... import kit
from ....model import kit as model_kit
from ... import kit as compute
from .. import drawing, onnx_cut, runs
from .. import onnxruntime as runtime
from ..ways import Model
from . import folder, found, sides
from .shown import LOST
from .worker import imported

ESSENTIAL = ("imported",)
SCRIPT_SECONDS = 60.0
MOST_NODES = 50  # that are told
LONGEST = 1500  # characters of what the script prints


def minimal(argument):
    """The part, as the fact MinimalGraph."""
    named = {
        "kind": "minimal",
        "framework": runtime.FRAMEWORK,
        "path": argument["path"],
        "device": argument["first"]["device"],
        "setting": argument["first"]["setting"],
    }
    second = argument.get("second")
    if second:
        named.update(other_device=second["device"], other=second["setting"])
    clock = compute.Clock(argument["seconds"])
    yield compute.measuring(named)
    both = []
    try:
        with kit.Warned():
            yield compute.facts_of(dict(named, **_found(argument, clock, both)))
    except onnx_cut.TooLarge:
        yield compute.facts_of(dict(named, reason="model-too-large"))
    except onnx_cut.NotRead as error:
        yield compute.facts_of(dict(named, reason="model-unreadable", detail=str(error)[:300]))
    except Exception as error:
        yield compute.facts_of(dict(named, **runs.failure(error)))
    finally:
        for side in both:
            side.end()


def _found(argument, clock, both):
    import numpy as np

    place = os.path.abspath(".")
    both += [
        sides.Side(np, each["device"], each["setting"], each.get("python"), place)
        for each in (argument["first"], argument.get("second"))
        if each
    ]
    first, second = both[0], both[-1]
    whole = runtime.Runtime(argument, first.device, first.setting)
    if whole.sequences:
        return {"reason": "inputs-of-lists"}
    arrays, origin = whole.inputs()
    with onnx_cut.Parts(argument["path"]) as parts:
        named = {"framework": runtime.FRAMEWORK, "path": argument["path"]}
        model = Model(np, named, arrays, whole.nodes(), whole.unit(), parts.graph.weights)
        if origin["inputs_from"] == "drawn" and first is not second:
            drawing.more_telling(model, whole.way(first.device, first.setting).run, clock.part(8))
        figures = dict(origin, inputs=model_kit.as_facts(model.arrays), nodes_before=len(parts.steps))
        finder = found.Finder(parts, model, (first, second), clock, argument.get("node") or "", place)
        shown = finder.look()
        figures.update(version=first.version, other_version=second.version)
        if shown is None:
            return dict(figures, reason="no-difference")
        figures.update(shows=shown.kind, **_size(shown, "before"))
        cut, is_least = finder.smallest()
        figures["tried"] = finder.tried
        if cut is None:
            return dict(figures, reason="not-shown-again" if clock.left > 0 else "no-time")
        return dict(figures, **_told(np, argument, finder, parts, cut, (first, second), is_least))


def _told(numpy, argument, finder, parts, cut, both, is_least):
    """The part, and how often it showed the same when it was run again."""
    again, last = finder.checked(cut)
    # A constant that is computed is a part of it, too; one that only stands there is a weight by another name.
    places = [
        place
        for place in parts.with_constants(cut.places)
        if place in cut.places or parts.nodes[place].op not in ("Constant", "Identity")
    ]
    nodes = [parts.told(place) for place in places]
    taken = [dict(spec, shape=list(spec["shape"])) for spec in model_kit.as_facts(cut.inputs)]
    figures = {
        "nodes": nodes[:MOST_NODES],
        "nodes_after": len(nodes),
        "is_least": is_least,
        "again": again,
        "checks": found.CHECKS,
        "model_bytes": os.path.getsize(cut.path),
        "part_inputs": taken,
        "weights": len(parts.weights_of(cut.places)),
        **(_size(last, "after") if last else {}),
    }
    if argument.get("folder") and again:
        kind = finder.whole.kind
        names = ", ".join(dict.fromkeys(node["op"] for node in nodes))
        told = {
            "title": _title(kind, *both),
            "versions": " and ".join(dict.fromkeys(side.version for side in both)),
            "numpy": numpy.__version__,
            "python": platform.python_version(),
            "system": "%s %s" % (platform.system(), platform.machine()),
            "after": len(nodes),
            "before": len(parts.steps),
            "operators": names[:200],
        }
        folder.written(numpy, argument["folder"], cut, folder.script(kind, both, cut.inputs, told))
        figures["printed"] = _printed(argument["folder"], both)
    return figures


def _title(kind, first, second):
    places = ["%s, %s" % (side.device, side.setting) for side in (first, second)]
    if kind == LOST:
        return "finite numbers become NaN or infinite (%s)" % places[0]
    if first.python != second.python:
        return "%s with %s and with %s" % (kind, first.version, second.version)
    return "%s between %s and %s" % (kind, *places)


def _size(shown, when):
    """How large a difference is, of the whole model (``when``: "before") or of the part."""
    figures = {}
    if shown.figures.get("difference"):
        figures["difference_" + when] = shown.figures["difference"]
    if shown.figures.get("bound") is not None:
        figures["bound_" + when] = shown.figures["bound"]
    if shown.figures.get("lost"):
        figures["lost_" + when] = shown.figures["lost"]["nan"] + shown.figures["lost"]["infinite"]
    if shown.failed is not None:
        figures["error"] = shown.failed.error or {"type": shown.failed.kind, "message": str(shown.failed)}
    return figures


def _printed(place, both):
    """What the script prints when it is run as the reader will run it: in one Python, or in both."""
    texts = []
    for python in dict.fromkeys(side.python for side in both):
        try:
            ended = subprocess.run(
                [python, "-B", folder.SCRIPT],
                cwd=place,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=SCRIPT_SECONDS,
                check=False,
            )
            texts.append(ended.stdout.decode("utf-8", "replace")[-LONGEST:])
            if ended.returncode:
                texts.append("exit status %d" % ended.returncode)
        except subprocess.TimeoutExpired:
            texts.append("no end within %d seconds" % SCRIPT_SECONDS)
    return "\n".join(texts)


STAGES = (imported, minimal)

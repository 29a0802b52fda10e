"""Runs ONNX models in a process of its own, on request, until its standard input ends.

A model under test may end the process, hang, or need another Python with another ONNX Runtime. A request is a line of
JSON: ``key`` (the session of the request before is kept where it is the same), ``model`` (a path), ``device``,
``setting``, ``feeds`` (an .npz with the inputs in the order of ``names``), ``wanted`` (names of outputs; None: all),
``answer`` (the path of the .npz to write). The reply: ``names`` of the outputs that were written, or ``error``.
"""

import json
import os
import sys

from .... import kit
from .. import onnxruntime as runtime

STOP = "stop"


def imported(argument):
    """Import the runtime for real."""
    import onnxruntime

    return {"version": str(onnxruntime.__version__)}


def serve(argument):
    """Answer requests. What libraries print on standard output goes elsewhere."""
    replies = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(2, 1)
    held = {}
    import onnxruntime

    _say(replies, {"version": str(onnxruntime.__version__)})
    for line in sys.stdin:
        try:
            reply = _run(json.loads(line), held)
        except Exception as error:
            reply = {"error": kit.describe(error)}
        _say(replies, reply)
    return {}


def _say(replies, reply):
    replies.write(json.dumps(reply, default=str) + "\n")
    replies.flush()


def _run(request, held):
    import numpy as np

    if held.get("key") != request["key"]:
        held.clear()
        held["session"] = runtime.session_of(request["model"], request["device"], request["setting"])
        held["key"] = request["key"]
    session = held["session"]
    if request["device"] not in session.get_providers():
        raise ValueError("%s was dropped" % request["device"])
    with np.load(request["feeds"], allow_pickle=False) as file:
        feeds = {name: as_given(file["arr_%d" % place]) for place, name in enumerate(request["names"])}
    names = [output.name for output in session.get_outputs()]
    names = [name for name in names if request["wanted"] is None or name in request["wanted"]]
    results = session.run(names, feeds)
    found = [(name, as_stored(value)) for name, value in zip(names, results) if hasattr(value, "dtype")]
    np.savez(request["answer"], *(value for _, value in found))
    return {"names": [name for name, _ in found]}


def as_stored(array):
    """An array without objects: texts as such."""
    return array.astype("U") if array.dtype == object else array


def as_given(array):
    """The same as a session takes it."""
    return array.astype(object) if array.dtype.kind == "U" else array


STAGES = (imported, serve)
ESSENTIAL = ("imported",)

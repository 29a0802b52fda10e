"""Whether sums of products of 8 bits saturate on this processor.

On x86 without VNNI, AVX2 and AVX-512 add two products of an unsigned and a signed byte in 16 bits, and what does not
fit becomes the largest number (oneDNN, "Nuances of int8 computations"). With the entry below ONNX Runtime computes with
wider numbers instead (microsoft/onnxruntime, pull request 12088). Where that changes results, they did saturate.
"""

from .. import onnxruntime as runtime
from ..outputs import code_of, flattened
from .layers import sqnr

ENTRY = "session.x64quantprecision"


def seen(path, model, ways, arrays):
    """The SQNR of the output with wider numbers, as ``saturates``, where these give other results; {} else."""
    numpy = model.numpy
    try:
        session = runtime.session_of(path, runtime.CPU, runtime.DEFAULT, {ENTRY: "1"})
        names = [output.name for output in session.get_outputs()]
        found = dict(zip(names, session.run(names, arrays)))
    except Exception:  # this version does not know it, or has no room for a second session
        return {}
    wanted, plain = (way.results(arrays) for way in ways)
    names = [name for name in wanted if name in found and wanted[name].dtype.kind == "f"]
    kept = {name: found[name] for name in plain if name in found}
    if not names or code_of(numpy, flattened(kept)) == code_of(numpy, flattened(plain)):
        return {}
    sides = [numpy.concatenate([side[name].ravel() for name in names]) for side in (wanted, found)]
    value = sqnr(numpy, *sides)
    return {} if value is None else {"saturates": value}

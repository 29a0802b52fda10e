"""What is handed over: the part as a model, its inputs, and a script that runs it in both settings."""

import os

from . import shown
from .worker import as_stored

MODEL, INPUTS, SCRIPT = "minimal.onnx", "inputs.npz", "reproduce.py"

_HEAD = '''"""ONNX Runtime: {title}

Seen with onnxruntime {versions}, NumPy {numpy}, Python {python}, {system}.
The part has {after} of {before} nodes of the model: {operators}.
"""

import os

import numpy as np
import onnxruntime as ort

os.chdir(os.path.dirname(os.path.abspath(__file__)))  # the files lie beside this script


def outputs({parameters}):
    options = ort.SessionOptions()
    {options}
    session = ort.InferenceSession("minimal.onnx", options, providers=providers)
    stored = np.load("inputs.npz", allow_pickle=False)
    feeds = {{each.name: stored["arr_%d" % place]{texts} for place, each in enumerate(session.get_inputs())}}
    return dict(zip([each.name for each in session.get_outputs()], session.run(None, feeds)))


'''
_DISTANCE = """def differ(name, first, second):
    first, second = (np.asarray(each, dtype=np.float64) for each in (first, second))
    apart = np.nanmax(np.abs(first - second), initial=0.0)
    bits = int((first != second).sum() - (np.isnan(first) & np.isnan(second)).sum())
    print("%s: %d of %d differ, by %g at the most, where the largest is %g" % (name, bits, first.size, apart, np.nanmax(np.abs(first))))


"""  # noqa: E501 - a line of the script
_TWO = """print("onnxruntime", ort.__version__)
first = outputs({first})
second = outputs({second}){raises}
for name in first:
    differ(name, first[name], second[name])
"""
_ONE = """print("onnxruntime", ort.__version__)
for name, value in outputs({first}).items():
    print("%s: %d NaN, %d infinite of %d" % (name, np.isnan(value).sum(), np.isinf(value).sum(), value.size))
"""
_VERSIONS = """import glob

print("onnxruntime", ort.__version__, "- run this in both Pythons")
mine = outputs({first})
own = "outputs-%s.npz" % ort.__version__
np.savez(own, *mine.values())
for path in set(glob.glob("outputs-*.npz")) - {{own}}:
    print(path)
    for place, name in enumerate(mine):
        differ(name, np.load(path)["arr_%d" % place], mine[name])
"""


def written(numpy, folder, cut, content):
    """Write the three files. ``content``: the text of the script."""
    os.makedirs(folder, exist_ok=True)
    with open(cut.path, "rb") as source, open(os.path.join(folder, MODEL), "wb") as file:
        file.write(source.read())
    numpy.savez(os.path.join(folder, INPUTS), *map(as_stored, cut.inputs.values()))
    with open(os.path.join(folder, SCRIPT), "w", encoding="utf-8") as file:
        file.write(content)


def script(kind, sides, arrays, told):
    """The text of the script. ``told``: what its first lines name."""
    first, second = sides
    texts = ".astype(object)" if any(array.dtype.kind in "OSU" for array in arrays.values()) else ""
    names, options = _options(first, second)
    head = _HEAD.format(parameters=", ".join([*names, "providers"]), options=options, texts=texts, **told)
    if first.python != second.python:
        return head + _DISTANCE + _VERSIONS.format(first=_call(first, names))
    if kind == shown.LOST:
        return head + _ONE.format(first=_call(first, names))
    raises = "  # fails" if kind in ("error", "crash", "timed-out") else ""
    return head + _DISTANCE + _TWO.format(first=_call(first, names), second=_call(second, names), raises=raises)


def _options(first, second):
    """(The parameters of the script's function, its lines that set the options)."""
    settings = (first.setting, second.setting)
    names, lines = [], []
    if any(setting.startswith("ORT_") for setting in settings):
        names.append("level")
        lines.append("options.graph_optimization_level = getattr(ort.GraphOptimizationLevel, level)")
    if any(setting.startswith("threads-") for setting in settings):
        names.append("threads")
        lines.append("options.intra_op_num_threads = threads  # 0: as many as there are cores")
    if "deterministic" in settings:
        names.append("deterministic")
        lines.append("options.use_deterministic_compute = deterministic")
    return names, "\n    ".join(lines) or "options.log_severity_level = 3"


def _call(side, names):
    setting = side.setting
    values = {
        "level": repr(setting if setting.startswith("ORT_") else "ORT_ENABLE_ALL"),
        "threads": setting.partition("-")[2] if setting.startswith("threads-") else "0",
        "deterministic": repr(setting == "deterministic"),
    }
    providers = [side.device] if side.device.startswith("CPU") else [side.device, "CPUExecutionProvider"]
    return ", ".join([*(values[name] for name in names), "providers=%r" % providers])

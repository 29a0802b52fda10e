"""Weights or a TorchScript archive in PyTorch: whether it loads, with nothing from the file executed.

Argument: ``path``; ``format``, an id of model_formats.toml: "torch-zip", "torch-legacy", "torchscript", "safetensors".

Loading is not harmless by itself, so that of each format only the harmless way is gone, or none:

* ``torch.load`` unpickles with ``weights_only=True`` alone, which came with 1.13. Before 2.6 it passed a TorchScript
  archive on to ``torch.jit.load`` and unpacked tar files all the same; these are not loaded there.
* ``torch.jit.load`` runs the archive's ``__setstate__``, whose TorchScript may write files. An archive that has one is
  not loaded. Nothing that it loads is called.
* ``torch.export.load`` unpickles without limits and evaluates expressions from the file: there is no such format here.
"""

import tarfile
import zipfile

from . import kit as model_kit

DISPATCHES_UNTIL = (2, 6)
RESTORES = b"__setstate__"

RUNS = model_kit.Runs("torch")


def imported(argument):
    """Import torch for real; safetensors files need it as little as their own library does."""
    if argument["format"] == "safetensors":
        import safetensors

        return {"version": str(safetensors.__version__)}
    import torch

    return {"version": str(torch.__version__)}


def loading(argument):
    """Load the file onto the processor."""
    load = {"torchscript": load_script, "safetensors": _load_safetensors}.get(argument["format"], _load_weights)
    if load is _load_safetensors:
        RUNS.runtime = "safetensors"
    fact = RUNS.begin("cpu")
    yield RUNS.answer
    model_kit.add_to_log(fact, model_kit.tried(fact, lambda: load(argument["path"])))
    if "error" not in fact and "reason" not in fact:
        fact["loaded"] = True
    yield RUNS.answer


def _load_weights(path):
    import inspect

    import torch

    parameters = inspect.signature(torch.load).parameters
    if "weights_only" not in parameters:
        raise model_kit.NotDrawn("loading-runs-code")
    if version(torch) < DISPATCHES_UNTIL and (_is_script(torch, path) or tarfile.is_tarfile(path)):
        raise model_kit.NotDrawn("loading-runs-code")
    options = {"map_location": "cpu", "weights_only": True}
    if "mmap" in parameters and zipfile.is_zipfile(path):
        options["mmap"] = True  # the weights stay on the disk
    torch.load(path, **options)


def version(torch):
    """The first two numbers of PyTorch's version."""
    return tuple(int(part) for part in str(torch.__version__).split("+")[0].split(".")[:2])


def _records(torch, path):
    """The names of the archive's members, by the reader that loads them, and that reader; (), None: no archive."""
    try:
        reader = torch._C.PyTorchFileReader(path)
        return reader.get_all_records(), reader
    except RuntimeError:
        return (), None


def _is_script(torch, path):
    return "constants.pkl" in _records(torch, path)[0]


def load_script(path):
    """The module of a TorchScript archive that runs nothing while it is loaded."""
    import torch

    if not hasattr(torch._C.PyTorchFileReader, "get_all_records"):
        raise model_kit.NotDrawn("loading-runs-code")
    names, reader = _records(torch, path)
    # The archive finds its code whatever the case of the letters: "code/__torch__.PY" is code, too.
    if any(RESTORES in reader.get_record(name) for name in names if name.lower().endswith(".py")):
        raise model_kit.NotDrawn("loading-runs-code")
    return torch.jit.load(path, map_location="cpu")


def _load_safetensors(path):
    """Open it, and load the smallest tensor of each type of numbers: not every version of torch knows every type."""
    from safetensors import safe_open

    try:
        import torch  # noqa: F401 - only whether it is there

        framework, foreign = "pt", ()
    except ImportError:
        framework, foreign = "np", ("BF16", "F8_", "F4", "F6_")  # types that NumPy has no name for
    with safe_open(path, framework=framework) as file:
        smallest = {}
        for name in file.keys():  # noqa: SIM118 - not a dict
            part = file.get_slice(name)
            count = 1
            for axis in part.get_shape():
                count *= axis
            kind = part.get_dtype()
            if foreign and kind.startswith(foreign):
                continue
            if kind not in smallest or count < smallest[kind][0]:
                smallest[kind] = (count, name)
        for _, name in smallest.values():
            file.get_tensor(name)


STAGES = (imported, loading)
ESSENTIAL = ("imported",)

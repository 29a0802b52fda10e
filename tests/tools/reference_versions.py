"""What a format's own library says of model files. Runs in an interpreter that has such libraries, and needs no other.

Reads a JSON list of [path, format] from standard input and writes JSON to standard output: ``libraries`` (format ->
library and version, of those that this interpreter has) and ``files`` (path -> what the library says: some of version,
producer, producer_version, opsets, operators, inputs, outputs, parameters; or ``error``). A file whose format has no
library here is left out. Nothing in a model is executed: pickles are read with PyTorch's restricted unpickler alone.

    some-venv/bin/python reference_versions.py < files.json
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.metadata
import json
import re
import sys
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

Said = dict[str, Any]
_OF_ADAM = re.compile(r"/Adam(?:_1)?$|^beta[12]_power$")


def onnx_model(path: str) -> Said:
    """IR version, opsets, producer, and the nodes of every graph, also of those within If, Loop and functions."""
    onnx = importlib.import_module("onnx")
    model = onnx.load(path, load_external_data=False)
    weights = {each.name for each in model.graph.initializer}
    opsets = {("" if each.domain == "ai.onnx" else each.domain): each.version for each in model.opset_import}
    return {
        "version": str(model.ir_version),
        "producer": model.producer_name,
        "producer_version": model.producer_version,
        "opsets": opsets,
        "operators": Counter(_onnx_nodes([model.graph.node, *(function.node for function in model.functions)])),
        "inputs": [each.name for each in model.graph.input if each.name not in weights],
        "outputs": [each.name for each in model.graph.output],
    }


def _onnx_nodes(lists: Iterable[Any]) -> Iterable[str]:
    waiting = [node for nodes in lists for node in nodes]
    while waiting:
        node = waiting.pop()
        domain = "" if node.domain == "ai.onnx" else node.domain
        yield f"{domain}::{node.op_type}"
        for attribute in node.attribute:
            waiting.extend(attribute.g.node)
            waiting.extend(inner for graph in attribute.graphs for inner in graph.node)


def safetensors_file(path: str) -> Said:
    """How many numbers the tensors have."""
    safetensors = importlib.import_module("safetensors")
    with safetensors.safe_open(path, framework="numpy") as file:
        return {"parameters": sum(_product(file.get_slice(name).get_shape()) for name in file.keys())}  # noqa: SIM118


def gguf_file(path: str) -> Said:
    """Version and how many numbers the tensors have."""
    gguf = importlib.import_module("gguf")
    reader = gguf.GGUFReader(path)
    return {
        "version": str(int(reader.fields["GGUF.version"].parts[-1][0])),
        "parameters": sum(int(tensor.n_elements) for tensor in reader.tensors),
    }


def tflite_file(path: str) -> Said:
    """Schema version, and the operators of every subgraph; a custom one has its own name."""
    tflite = importlib.import_module("tflite")
    model = tflite.Model.GetRootAsModel(Path(path).read_bytes(), 0)
    names = {value: name for name, value in vars(tflite.BuiltinOperator).items() if isinstance(value, int)}
    codes = []
    for index in range(model.OperatorCodesLength()):
        code = model.OperatorCodes(index)
        number = max(code.BuiltinCode(), code.DeprecatedBuiltinCode())  # the old field holds no more than 127
        custom = code.CustomCode()
        codes.append(custom.decode() if names[number] == "CUSTOM" and custom else names[number])
    graphs = [model.Subgraphs(index) for index in range(model.SubgraphsLength())]
    used = [codes[graph.Operators(i).OpcodeIndex()] for graph in graphs for i in range(graph.OperatorsLength())]
    return {
        "version": str(model.Version()),
        "operators": Counter(f"::{each}" for each in used),
        "inputs": _tflite_names(graphs[0], graphs[0].InputsAsNumpy()),
        "outputs": _tflite_names(graphs[0], graphs[0].OutputsAsNumpy()),
    }


def _tflite_names(graph: Any, indices: Any) -> list[str]:
    return [] if isinstance(indices, int) else [graph.Tensors(index).Name().decode() for index in indices]


def coreml_model(path: str) -> Said:
    """Specification version, inputs and outputs."""
    coremltools = importlib.import_module("coremltools")
    spec = coremltools.utils.load_spec(path)
    return {
        "version": str(spec.specificationVersion),
        "inputs": [each.name for each in spec.description.input],
        "outputs": [each.name for each in spec.description.output],
    }


def keras_h5(path: str) -> Said:
    """The version of Keras, and how many numbers the weights have."""
    h5py = importlib.import_module("h5py")
    with h5py.File(path, "r") as file:
        version = file.attrs.get("keras_version")
        said: Said = {"parameters": _hdf5_numbers(file.get("model_weights", file))}
        if version is not None:
            said["producer_version"] = version.decode() if isinstance(version, bytes) else str(version)
        return said


def keras_zip(path: str) -> Said:
    """The version of Keras, and how many numbers the weights have."""
    h5py = importlib.import_module("h5py")
    with zipfile.ZipFile(path) as archive, archive.open("model.weights.h5") as inner, h5py.File(inner, "r") as file:
        version = json.loads(archive.read("metadata.json"))["keras_version"]
        return {"producer_version": version, "parameters": _hdf5_numbers(file)}


def _hdf5_numbers(group: Any) -> int:
    """How many numbers the data sets have, without those of the optimizer, which are no part of the model."""
    sizes: list[int] = []
    group.visititems(
        lambda name, each: sizes.append(each.size) if hasattr(each, "size") and "optimizer" not in name else None
    )
    return sum(sizes)


def saved_model(path: str) -> Said:
    """The version of TensorFlow that wrote it."""
    protocol = importlib.import_module("tensorflow.core.protobuf.saved_model_pb2")
    model = protocol.SavedModel.FromString(Path(path, "saved_model.pb").read_bytes())
    return {"producer_version": model.meta_graphs[0].meta_info_def.tensorflow_version}


def tensorflow_checkpoint(path: str) -> Said:
    """How many numbers the variables have, without Adam's own, which are no part of the model."""
    tensorflow = importlib.import_module("tensorflow")
    reader = tensorflow.compat.v1.train.NewCheckpointReader(path.removesuffix(".index"))  # takes the name "" as well
    shapes = reader.get_variable_to_shape_map()
    return {"parameters": sum(_product(shape) for name, shape in shapes.items() if not _OF_ADAM.search(name))}


def tensorflow_graph(path: str) -> Said:
    """The operators of a graph."""
    protocol = importlib.import_module("tensorflow.core.framework.graph_pb2")
    graph = protocol.GraphDef.FromString(Path(path).read_bytes())
    nodes = [*graph.node, *(node for each in graph.library.function for node in each.node_def)]
    return {"operators": Counter(f"::{each.op}" for each in nodes)}


def torch_archive(path: str) -> Said:
    """The version of the file format."""
    torch = importlib.import_module("torch")
    return {"version": torch._C.PyTorchFileReader(path).get_record("version").decode().strip()}


def torch_checkpoint(path: str) -> Said:
    """The version, and how many numbers the tensors have, where PyTorch's restricted unpickler takes the file."""
    torch = importlib.import_module("torch")
    said = torch_archive(path) if zipfile.is_zipfile(path) else {}
    with contextlib.suppress(Exception):  # it refuses classes that it does not know
        loaded = torch.load(path, map_location="meta", weights_only=True)
        storages = {tensor.untyped_storage()._cdata: tensor for tensor in _tensors(loaded)}
        said["parameters"] = sum(storage.numel() for storage in storages.values())
    return said


def _tensors(value: Any) -> Iterable[Any]:
    """The weights of a checkpoint; the optimizer's state is of the same shapes, and is no part of the model."""
    torch = importlib.import_module("torch")
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, torch.Tensor):
            yield each
        elif isinstance(each, dict):
            waiting.extend(inner for key, inner in each.items() if not str(key).startswith("optimizer"))
        elif isinstance(each, list | tuple):
            waiting.extend(each)


def numpy_archive(path: str) -> Said:
    """How many numbers the arrays have."""
    numpy = importlib.import_module("numpy")
    with numpy.load(path, allow_pickle=False) as arrays:
        return {"parameters": sum(arrays[name].size for name in arrays.files)}


def _product(shape: Iterable[int]) -> int:
    result = 1
    for each in shape:
        result *= int(each)
    return result


# format -> the distribution whose code is asked, and how.
ASKED: dict[str, tuple[str, Callable[[str], Said]]] = {
    "onnx": ("onnx", onnx_model),
    "safetensors": ("safetensors", safetensors_file),
    "gguf": ("gguf", gguf_file),
    "tflite": ("tflite", tflite_file),
    "tflite-edgetpu": ("tflite", tflite_file),
    "coreml-mlmodel": ("coremltools", coreml_model),
    "coreml-mlpackage": ("coremltools", coreml_model),
    "keras-h5": ("h5py", keras_h5),
    "keras-zip": ("h5py", keras_zip),
    "savedmodel": ("tensorflow", saved_model),
    "tf-checkpoint": ("tensorflow", tensorflow_checkpoint),
    "tf-frozen": ("tensorflow", tensorflow_graph),
    "torchscript": ("torch", torch_archive),
    "torch-zip": ("torch", torch_checkpoint),
    "torch-legacy": ("torch", torch_checkpoint),
    "npz": ("numpy", numpy_archive),
    "chainer-npz": ("numpy", numpy_archive),
}


def _installed(distribution: str) -> str | None:
    for name in (distribution, f"{distribution}-cpu"):
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            return f"{name} {importlib.metadata.version(name)}"
    return None


def main() -> int:
    """Answer for every file whose format's library is here."""
    libraries = {kind: known for kind, (name, _) in ASKED.items() if (known := _installed(name))}
    files: dict[str, Said] = {}
    with contextlib.redirect_stdout(sys.stderr):  # libraries talk
        for path, kind in json.load(sys.stdin):
            if kind not in libraries:
                continue
            try:
                files[path] = ASKED[kind][1](path)
            except Exception as error:  # noqa: BLE001 the answer of a library that refuses is an answer
                files[path] = {"error": f"{type(error).__name__}: {error}"}
    json.dump({"libraries": libraries, "files": files}, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())

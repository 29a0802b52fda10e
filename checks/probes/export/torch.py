"""A model of PyTorch as the original of an export, and the exporters that start from it."""

import os

from . import compare
from . import program as exported_program
from .tensors import arrays_of, as_array, in_float64, place_of, rounding_of, tensors_of
from .torchscript import Script

SPLIT_FROM = 1_500_000_000  # bytes of weights from which on they lie beside the ONNX file


def load(argument):
    """The original that the argument names."""
    return (_Program if argument["format"] == "pt2" else Script)(argument)


class _Program:
    def __init__(self, argument):
        self._program = exported_program.load(argument["path"], argument["safety"])
        self.module = self._program.module()

    @property
    def specs(self):
        """The inputs to draw."""
        nodes = [node for node in self._program.graph.nodes if node.op == "placeholder"]
        given = dict(zip((node.name for node in nodes), nodes))
        return [
            {
                "name": name,
                "dtype": str(given[name].meta["val"].dtype).replace("torch.", ""),
                "shape": [length if isinstance(length, int) else -1 for length in given[name].meta["val"].shape],
            }
            for name in self._program.graph_signature.user_inputs
            if name in given
        ]

    def arguments(self, arrays):
        """The arrays as tensors, in types that NumPy lacks where the program takes such."""
        import torch

        kinds = {spec["name"]: spec["dtype"] for spec in self.specs}
        narrow = {"bfloat16": torch.bfloat16}
        return tuple(
            tensor.to(narrow.get(kinds.get(name), tensor.dtype)) for name, tensor in zip(arrays, tensors_of(arrays))
        )

    def example(self):
        """The inputs that the file itself holds."""
        args, kwargs = self._program.example_inputs or ((), {})
        flat = [*args, *kwargs.values()]
        names = [spec["name"] for spec in self.specs]
        if len(flat) != len(names) or not all(hasattr(value, "detach") for value in flat):
            return None
        return {name: as_array(tensor) for name, tensor in zip(names, flat)}

    def run(self, arrays):
        """The outputs by name."""
        return run_program(self._program, arrays)

    def rounding_of(self):
        """(Unit, terms, layers), as for compare.Rounding."""
        return rounding_of(list(self._program.state_dict.values()))

    def in_float64(self, arrays):
        """The outputs computed in float64."""
        return arrays_of(interpreted(self._program, tensors_of(arrays), float64=True)[0])

    def steps_and_values(self, arrays, float64=False):
        """Its operations in order, and what each gave."""
        return steps_and_values(self._program, arrays, float64)

    def program(self, _):
        """Itself."""
        return self._program


def steps_of(program):
    """The operations of an exported program in order."""
    steps = []
    for node in program.graph.nodes:
        if node.op == "call_function":
            source = node.args[0] if _is_part(node) else node
            taken = [source_node.name for source_node in node.all_input_nodes]
            place = place_of(node.meta.get("stack_trace"))
            steps.append(compare.Step(node.name, str(source.target), taken, [node.name], place))
    return steps


def steps_and_values(program, arrays, float64=False):
    """The operations of an exported program in order, and what each gave."""
    return steps_of(program), interpreted(program, tensors_of(arrays), float64)[1]


def run_program(program, arrays):
    """The outputs of an exported program by name."""
    import torch

    with torch.no_grad():
        return arrays_of(interpreted(program, tensors_of(arrays))[0])


def _is_part(node):
    """Whether a node only takes one of several results of another."""
    return getattr(node.target, "__name__", "") == "getitem" and hasattr(node.args[0], "target")


def interpreted(program, tensors, float64=False, names=None):
    """(The outputs, what each node gave) of a run node by node, whatever the guards of the program say.

    ``names``: of the nodes whose values are kept; None: all, as far as the memory allows.
    """
    import torch

    class Keeping(torch.fx.Interpreter):
        """Keeps the tensors that the nodes give, as far as the memory allows."""

        def __init__(self, module):
            super().__init__(module)
            self.kept = {}
            self.size = 0

        def run_node(self, node):
            """One node."""
            value = super().run_node(node)
            is_wanted = node.op == "call_function" and (names is None or node.name in names)
            if is_wanted and torch.is_tensor(value):
                array = as_array(value)
                self.size += array.nbytes
                if self.size < compare.MOST_BYTES:
                    self.kept[node.name] = array
            return value

        def call_function(self, target, args, kwargs):
            """Numbers that are package, or turned into float32, become float64 as all others."""
            if float64 and kwargs.get("dtype") in (torch.float32, torch.float16, torch.bfloat16):
                kwargs = dict(kwargs, dtype=torch.float64)
            return super().call_function(target, args, kwargs)

    waiting = list(tensors)
    values = []
    for spec in program.graph_signature.input_specs:
        if spec.kind.name == "USER_INPUT":
            constant = getattr(spec.arg, "value", None)
            values.append(constant if hasattr(spec.arg, "value") else waiting.pop(0))
        else:
            held = program.state_dict if spec.target in program.state_dict else program.constants
            # What a network keeps between two runs is changed in place.
            values.append(held[spec.target].clone() if spec.kind.name == "BUFFER" else held[spec.target])
    runner = Keeping(program.graph_module)
    with torch.no_grad():
        result = runner.run(*(in_float64(values) if float64 else values), enable_io_processing=False)
    return _user_outputs(program, result), runner.kept


def _user_outputs(program, result):
    """Without what a program gives back only to change its own state."""
    specs = program.graph_signature.output_specs
    return [value for spec, value in zip(specs, result) if spec.kind.name == "USER_OUTPUT"]


def to_onnx_dynamo(original, arrays, folder):
    """torch.onnx with dynamo=True: by torch.export."""
    import torch

    path = os.path.join(folder, "model.onnx")
    program = original.program(arrays)
    exported = torch.onnx.export(program, (), dynamo=True, verbose=False)
    weights = sum(tensor.numel() * tensor.element_size() for tensor in program.state_dict.values())
    exported.save(path, external_data=weights > SPLIT_FROM)
    # Its nodes bear the names of those in the program as it was taken apart for ONNX.
    return path, lambda arrays, float64=False: steps_and_values(exported.exported_program, arrays, float64)


def to_onnx_script(original, arrays, folder):
    """torch.onnx with dynamo=False: by TorchScript."""
    import inspect

    import torch

    path = os.path.join(folder, "model.onnx")
    options = {"dynamo": False} if "dynamo" in inspect.signature(torch.onnx.export).parameters else {}
    torch.onnx.export(original.module, original.arguments(arrays), path, input_names=list(arrays), **options)
    return path, None


def to_program(original, arrays, folder):
    """torch.export, from TorchScript."""
    import torch

    path = os.path.join(folder, "model.pt2")
    program = original.program(arrays)
    torch.export.save(program, path)
    return path, program


def to_litert(original, arrays, folder):
    """LiteRT Torch, once AI Edge Torch."""
    try:
        import litert_torch as converter
    except ImportError:
        import ai_edge_torch as converter

    path = os.path.join(folder, "model.tflite")
    module = original.program(arrays).module()
    converter.convert(module, original.arguments(arrays)).export(path)
    return path, None


def to_coreml(original, arrays, folder):
    """coremltools, as it is called without options."""
    import coremltools as ct

    path = os.path.join(folder, "model.mlpackage")
    kinds = {name: ct.TensorType(name=name, shape=array.shape, dtype=array.dtype) for name, array in arrays.items()}
    module = original.module
    if hasattr(module, "forward") and not hasattr(module, "_c"):  # an exported program: it is taken as such
        package = ct.convert(original.program(arrays).run_decompositions({}))
    else:
        package = ct.convert(module, inputs=list(kinds.values()))
    package.save(path)
    return path, package


EXPORTERS = {
    "torch-onnx-dynamo": to_onnx_dynamo,
    "torch-onnx-torchscript": to_onnx_script,
    "torch-export": to_program,
    "litert-torch": to_litert,
    "coremltools": to_coreml,
}

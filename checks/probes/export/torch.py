"""A model of PyTorch as the original of an export, and the exporters that start from it.

Standard library only, Python 3.8 and later; PyTorch is imported where it is needed. The module ``export.torch``.

A TorchScript archive is a program, and it is run here: only where all of it merely computes (model_safety.toml).
"""

import os
import re

from ..model import kit as model_kit
from ..model import torch as torch_probe
from . import compare
from . import program as exported_program

AT_ONCE = 128  # values that one run of a TorchScript gives out
SPLIT_FROM = 1_500_000_000  # bytes of weights from which on they lie beside the ONNX file
_PLACE = re.compile(r'File "(?P<file>[^"]+)", line (?P<line>\d+)|# (?P<place>\S+\.py:\d+)')
_LIBRARY = re.compile(r"[/\\](?:site|dist)-packages[/\\]|__torch__|^<")  # "<eval_with_key>.17": no file at all


def load(argument):
    """The original that the argument names."""
    return (_Program if argument["format"] == "pt2" else _Script)(argument)


def arrays_of(result):
    """The tensors of a result, in order, as arrays by name."""
    from torch.utils import _pytree

    tensors = [each for each in _pytree.tree_flatten(result)[0] if hasattr(each, "detach")]
    return {"output %d" % place: as_array(each) for place, each in enumerate(tensors)}


def as_array(tensor):
    """A tensor as an array; NumPy has no bfloat16, of which float32 holds every number."""
    tensor = tensor.detach()
    if tensor.is_quantized:
        tensor = tensor.dequantize()
    if tensor.dtype.is_floating_point and str(tensor.dtype) not in ("torch.float16", "torch.float32", "torch.float64"):
        tensor = tensor.float()
    return tensor.resolve_conj().resolve_neg().cpu().numpy().copy()


def tensors_of(arrays):
    """Arrays by name as tensors in their order."""
    import torch

    return tuple(torch.from_numpy(array.copy()) for array in arrays.values())


def _rounding_of(tensors):
    """(The unit roundoff of the weights, the terms of the longest sum of products, the number of such layers)."""
    kinds = {str(tensor.dtype).replace("torch.", "") for tensor in tensors}
    unit = max((compare.UNITS[kind] for kind in kinds if kind in compare.UNITS), default=compare.UNITS["float32"])
    terms = [tensor.numel() // tensor.shape[0] for tensor in tensors if tensor.dim() > 1 and tensor.shape[0]]
    return unit, max(terms, default=1), max(len(terms), 1)


def _in_float64(values):
    """The same with every float tensor in float64."""
    import torch

    return [value.double() if torch.is_tensor(value) and value.is_floating_point() else value for value in values]


def place_of(text):
    """The last line of the user's own Python that a trace names ("net.py:11"), "" where it names only a library's."""
    found = [each.group("place") or "%(file)s:%(line)s" % each.groupdict() for each in _PLACE.finditer(text or "")]
    return ([each for each in found if not _LIBRARY.search(each)] or [""])[-1]


# --- TorchScript ------------------------------------------------------------------------------------------------------


class _Script:
    """A TorchScript archive."""

    def __init__(self, argument):
        self._argument = argument
        self.module = self._loaded()
        outside = reaching(self.module, argument["safety"])
        if outside:
            raise model_kit.Reaching(", ".join(outside))

    def _loaded(self):
        return torch_probe.load_script(self._argument["path"]).eval()

    @property
    def specs(self):
        """The inputs to draw. An archive tells no shapes: those that its first layers take."""
        needed = self._needed()
        if any(str(each.type) not in _SCALARS and str(each.type) != "Tensor" for each in needed):
            raise model_kit.NotDrawn("input-type", ", ".join("%s: %s" % (each.name, each.type) for each in needed))
        guessed = _shapes(self.module)
        plain = {kind: {"dtype": dtype, "shape": []} for kind, (dtype, _) in _SCALARS.items()}
        return [dict(plain.get(str(each.type)) or guessed.get(each.name, _ANY), name=each.name) for each in needed]

    def _needed(self):
        return [argument for argument in self.module.forward.schema.arguments[1:] if not argument.has_default_value()]

    def arguments(self, arrays):
        """The arrays as forward takes them: tensors, or plain numbers."""
        kinds = {each.name: _SCALARS[str(each.type)][1] for each in self._needed() if str(each.type) in _SCALARS}
        tensors = zip(arrays.items(), self._narrowed(tensors_of(arrays)))
        return tuple(kinds[name](array) if name in kinds else tensor for (name, array), tensor in tensors)

    def _narrowed(self, tensors):
        """NumPy has no bfloat16: where all weights are of it, the inputs are, too."""
        import torch

        kinds = {each.dtype for each in self.module.state_dict().values() if each.is_floating_point()}
        if kinds != {torch.bfloat16}:
            return tensors
        return [tensor.bfloat16() if tensor.dtype == torch.float32 else tensor for tensor in tensors]

    def example(self):
        """Inputs that the file itself holds: none."""

    def run(self, arrays):
        """The outputs by name."""
        import torch

        with torch.no_grad():
            kept = [(buffer, buffer.clone()) for buffer in self.module.buffers()]  # a network may change them in place
            try:
                return arrays_of(self.module(*self.arguments(arrays)))
            finally:
                for each, before in kept:
                    each.copy_(before)

    def rounding_of(self):
        """(Unit, terms, layers), as for :class:`export.compare.Rounding`."""
        return _rounding_of(list(self.module.state_dict().values()))

    def in_float64(self, arrays):
        """The outputs computed in float64."""
        import torch

        module = self._loaded().double()
        with torch.no_grad():
            return arrays_of(module(*_in_float64(self.arguments(arrays))))

    def steps_and_values(self, arrays, float64=False):
        """Its operations in order, and what each gave: by functions made of its graph that give out more."""
        import torch

        module = self._loaded().double() if float64 else self.module
        graph = _flat_graph(module)
        nodes = [
            node
            for node in graph.nodes()
            if node.kind() != "prim::Constant" and any(_is_tensor(value) for value in node.outputs())
        ]
        steps = [_step(node) for node in nodes]
        inputs = _in_float64(self.arguments(arrays)) if float64 else self.arguments(arrays)
        names = [name for step in steps for name in step.outputs]
        values, size = {}, 0
        for start in range(0, len(names), AT_ONCE):
            part = names[start : start + AT_ONCE]
            with torch.no_grad():
                for name, tensor in zip(part, giving(_flat_graph(module), part)(*inputs)):
                    array = as_array(tensor)
                    size += array.nbytes
                    if size < compare.MOST_BYTES:
                        values[name] = array
        return steps, values

    def program(self, arrays):
        """The same as an exported program.

        Where PyTorch cannot make one of an archive, it may of the Python that the archive was made from.
        """
        from torch._export.converter import TS2EPConverter

        try:
            return TS2EPConverter(self.module, self.arguments(arrays), {}).convert()
        except Exception as error:
            why = "; ".join(str(each).strip()[:300] for each in (error, error.__cause__) if each is not None)
            raise model_kit.NotDrawn("no-program", why) from error


_ANY = {"dtype": "float32", "shape": None}
_SCALARS = {"int": ("int64", int), "float": ("float64", float), "bool": ("bool", bool)}


def _step(node):
    inputs = [value.debugName() for value in node.inputs()]
    outputs = [value.debugName() for value in node.outputs() if _is_tensor(value)]
    return compare.Step(outputs[0], node.kind(), inputs, outputs, place_of(str(node)))


def _is_tensor(value):
    return value.type().kind() == "TensorType"


def _flat_graph(module):
    """The graph of forward with everything that it calls and all weights in it, and without a self."""
    import torch

    graph = torch.jit.freeze(module, optimize_numerics=False).graph.copy()
    if next(graph.inputs()).type().kind() in ("ClassType", "InterfaceType"):
        graph.eraseInput(0)
    remove = getattr(torch._C, "_jit_pass_remove_mutation", None)
    if remove is not None:  # what is changed in place afterwards would be seen changed
        remove(graph)
    return graph


def giving(graph, names):
    """The graph as a function that gives the values of these names instead of its outputs."""
    import torch

    wanted = {value.debugName(): value for node in graph.nodes() for value in node.outputs()}
    for _ in list(graph.outputs()):
        graph.eraseOutput(0)
    values = [wanted[name] for name in names]
    pack = graph.create("prim::TupleConstruct", values, 1)
    graph.appendNode(pack)
    pack.output().setType(torch._C.TupleType([value.type() for value in values]))
    graph.registerOutput(pack.output())
    return torch._C._create_function_from_graph("naosu_values", graph)


def reaching(module, safety):
    """The operations in a TorchScript that may reach outside the process, or that nobody knows; sorted."""
    import torch

    found = set()
    for part in module.modules():
        for name in part._c._method_names():
            graph = part._c._get_method(name).graph.copy()
            torch._C._jit_pass_inline(graph)
            found |= set(_kinds(graph))
    return sorted(
        kind
        for kind in found
        if kind.split("::")[0] not in safety["script_namespaces"]
        or any(word in kind for word in safety["script_reaching"])
    )


def _kinds(block):
    for node in block.nodes():
        yield node.kind()
        for inner in node.blocks():
            yield from _kinds(inner)
        for name in node.attributeNames():
            if node.kindOf(name) == "g":
                yield from _kinds(node.g(name))


def _shapes(module):
    """The shape of each input, by the weights of the first layer that takes it: name -> {"dtype", "shape"}."""
    try:
        graph = _flat_graph(module)
    except Exception:  # not every graph can be flattened; then shapes are tried
        return {}
    names = [value.debugName() for value in graph.inputs()]
    known, found = {}, {}
    inputs = {name: name for name in names}  # alias -> input
    for node in graph.nodes():
        if node.kind() == "prim::Constant":
            if _is_tensor(node.output()) and node.hasAttribute("value"):
                known[node.output().debugName()] = node.t("value")
            elif str(node.output().type()) == "List[Tensor]" and node.output().toIValue():  # of a recurrent layer
                known[node.output().debugName()] = node.output().toIValue()[0]
            continue
        taken = [value.debugName() for value in node.inputs()]
        if node.kind() == "prim::ListConstruct" and taken and taken[0] in known:
            known[node.output().debugName()] = known[taken[0]]
            continue
        source = next((inputs[name] for name in taken if name in inputs), None)
        if source is None:
            continue
        spec = next(filter(None, (_taken_by(node.kind(), known[name]) for name in taken if name in known)), None)
        if spec is not None:
            found.setdefault(_argument_name(module, source, names), spec)
        elif node.outputsSize() == 1 and _is_tensor(node.output()):
            inputs.setdefault(node.output().debugName(), source)
    return found


def _argument_name(module, name, names):
    return module.forward.schema.arguments[1 + names.index(name)].name


def _taken_by(kind, weight):
    """What a layer with this weight takes: a picture, a sequence, rows of numbers, or indices."""
    dtype = str(weight.dtype).replace("torch.", "")
    dtype = dtype if dtype in ("float16", "float64") else "float32"
    if kind in ("aten::lstm", "aten::gru", "aten::rnn_tanh", "aten::rnn_relu") and weight.dim() == 2:
        return {"dtype": dtype, "shape": [-1, 1, weight.shape[1]]}
    if "conv" in kind and weight.dim() in (3, 4, 5):
        # The first layers of networks are not grouped; free axes are guessed as for any other model.
        return {"dtype": dtype, "shape": [1, weight.shape[1], *[-1] * (weight.dim() - 2)]}
    if kind in ("aten::linear", "aten::addmm", "aten::matmul", "aten::mm") and weight.dim() == 2:
        return {"dtype": dtype, "shape": [1, weight.shape[1]]}
    if kind == "aten::embedding":
        return {"dtype": "int64", "shape": [1, -1]}
    return None


# --- an exported program ----------------------------------------------------------------------------------------------


class _Program:
    """What torch.export.save wrote."""

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
                "shape": [each if isinstance(each, int) else -1 for each in given[name].meta["val"].shape],
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
        if len(flat) != len(names) or not all(hasattr(each, "detach") for each in flat):
            return None
        return {name: as_array(tensor) for name, tensor in zip(names, flat)}

    def run(self, arrays):
        """The outputs by name."""
        return run_program(self._program, arrays)

    def rounding_of(self):
        """(Unit, terms, layers), as for :class:`export.compare.Rounding`."""
        return _rounding_of(list(self._program.state_dict.values()))

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
            taken = [each.name for each in node.all_input_nodes]
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
            """Numbers that are made, or turned into float32, become float64 as all others."""
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
        result = runner.run(*(_in_float64(values) if float64 else values), enable_io_processing=False)
    return _user_outputs(program, result), runner.kept


def _user_outputs(program, result):
    """Without what a program gives back only to change its own state."""
    specs = program.graph_signature.output_specs
    return [value for spec, value in zip(specs, result) if spec.kind.name == "USER_OUTPUT"]


# --- the exporters ----------------------------------------------------------------------------------------------------


def to_onnx_dynamo(original, arrays, folder):
    """torch.onnx with dynamo=True: by torch.export."""
    import torch

    path = os.path.join(folder, "model.onnx")
    program = original.program(arrays)
    made = torch.onnx.export(program, (), dynamo=True, verbose=False)
    weights = sum(each.numel() * each.element_size() for each in program.state_dict.values())
    made.save(path, external_data=weights > SPLIT_FROM)
    # Its nodes bear the names of those in the program as it was taken apart for ONNX.
    return path, lambda arrays, float64=False: steps_and_values(made.exported_program, arrays, float64)


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
    source = original.module
    if hasattr(source, "forward") and not hasattr(source, "_c"):  # an exported program: it is taken as such
        source = original.program(arrays).run_decompositions({})
        made = ct.convert(source)
    else:
        made = ct.convert(source, inputs=list(kinds.values()))
    made.save(path)
    return path, made


EXPORTERS = {
    "torch-onnx-dynamo": to_onnx_dynamo,
    "torch-onnx-torchscript": to_onnx_script,
    "torch-export": to_program,
    "litert-torch": to_litert,
    "coremltools": to_coreml,
}

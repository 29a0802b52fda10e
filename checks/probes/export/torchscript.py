"""A TorchScript archive as the original of an export.

Such an archive is a program, and it is run here: only where all of it merely computes (model_safety.toml).
"""

from ..model import kit as model_kit
from ..model import torch as torch_probe
from . import compare
from .tensors import arrays_of, as_array, in_float64, place_of, rounding_of, tensors_of

AT_ONCE = 128  # values that one run of a TorchScript gives out


class Script:
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
        """The inputs to draw. An archive has no shapes: those that its first layers take."""
        needed = self._needed()
        if any(str(taken.type) not in _SCALARS and str(taken.type) != "Tensor" for taken in needed):
            raise model_kit.NotDrawn("input-type", ", ".join("%s: %s" % (taken.name, taken.type) for taken in needed))
        guessed = _shapes(self.module)
        plain = {kind: {"dtype": dtype, "shape": []} for kind, (dtype, _) in _SCALARS.items()}
        return [dict(plain.get(str(taken.type)) or guessed.get(taken.name, _ANY), name=taken.name) for taken in needed]

    def _needed(self):
        return [taken for taken in self.module.forward.schema.arguments[1:] if not taken.has_default_value()]

    def arguments(self, arrays):
        """The arrays as forward takes them: tensors, or plain numbers."""
        kinds = {taken.name: _SCALARS[str(taken.type)][1] for taken in self._needed() if str(taken.type) in _SCALARS}
        tensors = zip(arrays.items(), self._narrowed(tensors_of(arrays)))
        return tuple(kinds[name](array) if name in kinds else tensor for (name, array), tensor in tensors)

    def _narrowed(self, tensors):
        """NumPy has no bfloat16: where all weights are of it, the inputs are, too."""
        import torch

        kinds = {tensor.dtype for tensor in self.module.state_dict().values() if tensor.is_floating_point()}
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
                for held, before in kept:
                    held.copy_(before)

    def rounding_of(self):
        """(Unit, terms, layers), as for compare.Rounding."""
        return rounding_of(list(self.module.state_dict().values()))

    def in_float64(self, arrays):
        """The outputs computed in float64."""
        import torch

        module = self._loaded().double()
        with torch.no_grad():
            return arrays_of(module(*in_float64(self.arguments(arrays))))

    def steps_and_values(self, arrays, float64=False):
        """Its operations in order, and what each gave: by functions made of its graph that give out more."""
        import torch

        module = self._loaded().double() if float64 else self.module
        graph = _flat_graph(module)
        nodes = [
            node
            for node in graph.nodes()
            if node.kind() != "prim::Constant" and any(is_tensor(value) for value in node.outputs())
        ]
        steps = [_step(node) for node in nodes]
        inputs = in_float64(self.arguments(arrays)) if float64 else self.arguments(arrays)
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
            why = "; ".join(str(cause).strip()[:300] for cause in (error, error.__cause__) if cause is not None)
            raise model_kit.NotDrawn("no-program", why) from error


_OF_MODULES = ("ClassType", "InterfaceType")
_ANY = {"dtype": "float32", "shape": None}
_SCALARS = {"int": ("int64", int), "float": ("float64", float), "bool": ("bool", bool)}


def _step(node):
    inputs = [value.debugName() for value in node.inputs()]
    outputs = [value.debugName() for value in node.outputs() if is_tensor(value)]
    return compare.Step(outputs[0], node.kind(), inputs, outputs, place_of(str(node)))


def names_taken(node):
    """The names of what a node takes, also within its branches."""
    made = {value.debugName() for block in node.blocks() for inner in block.nodes() for value in inner.outputs()}
    made |= {value.debugName() for block in node.blocks() for value in block.inputs()}
    names = [value.debugName() for value in node.inputs()]
    for block in node.blocks():
        names += [name for inner in block.nodes() for name in names_taken(inner)]
        names += [value.debugName() for value in block.outputs()]
    return [name for name in dict.fromkeys(names) if name not in made]


def is_tensor(value):
    """Whether a value of a graph is a tensor."""
    return value.type().kind() == "TensorType"


def _flat_graph(module):
    """The graph of forward with everything that it calls and all weights in it, and without a self."""
    import torch

    graph = torch.jit.freeze(module, optimize_numerics=False).graph.copy()
    if next(graph.inputs()).type().kind() in _OF_MODULES:
        graph.eraseInput(0)
    remove = getattr(torch._C, "_jit_pass_remove_mutation", None)
    if remove is not None:  # what is changed in place afterwards would be seen changed
        remove(graph)
    return graph


def _inlined_graph(module):
    """The graph of forward with everything that it calls."""
    import torch

    graph = module.forward.graph.copy()
    torch._C._jit_pass_inline(graph)
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
    except Exception:  # a network that changes what it holds
        graph = _inlined_graph(module)
    values = list(graph.inputs())
    is_held = bool(values) and not is_tensor(values[0]) and values[0].type().kind() in _OF_MODULES
    names = [value.debugName() for value in values[is_held:]]
    held = {values[0].debugName(): module} if is_held else {}  # parts of the module
    known, found = {}, {}
    inputs = {name: name for name in names}  # alias -> input
    for node in graph.nodes():
        if node.kind() == "prim::Constant":
            if is_tensor(node.output()) and node.hasAttribute("value"):
                known[node.output().debugName()] = node.t("value")
            elif str(node.output().type()) == "List[Tensor]" and node.output().toIValue():  # of a recurrent layer
                known[node.output().debugName()] = node.output().toIValue()[0]
            continue
        taken = names_taken(node)
        if node.kind() == "prim::GetAttr" and taken[0] in held:
            part = getattr(held[taken[0]], node.s("name"), None)
            (known if hasattr(part, "dim") else held)[node.output().debugName()] = part
            continue
        if node.kind() == "prim::ListConstruct" and taken and taken[0] in known:
            known[node.output().debugName()] = known[taken[0]]
            continue
        source = next((inputs[name] for name in taken if name in inputs), None)
        if source is None:
            continue
        spec = next(filter(None, (_taken_by(node.kind(), known[name]) for name in taken if name in known)), None)
        if spec is not None:
            found.setdefault(_argument_name(module, source, names), spec)
        elif node.outputsSize() == 1 and is_tensor(node.output()):
            inputs.setdefault(node.output().debugName(), source)
    return found


def _argument_name(module, name, names):
    return module.forward.schema.arguments[1 + names.index(name)].name


def _taken_by(kind, weight):
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

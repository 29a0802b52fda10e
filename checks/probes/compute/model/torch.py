"""The user's own model in PyTorch, under all that may change its numbers.

A TorchScript archive or an exported program, loaded as export.torch loads them: nothing of the file is executed but
what merely computes. A TorchScript archive is run in the mode in which it was saved, as a program that loads it does;
where that makes it vary, also in evaluation mode.
"""

import contextlib
import copy
import functools
import time

from ...export import compare, torchscript
from ...export import torch as export_torch
from ...export.tensors import arrays_of, as_array, place_of
from ...model import inputs as model_inputs
from ...model import kit as model_kit
from ...model import torch as torch_probe
from .. import kit as compute
from . import drawing, lost, runs
from .ways import Later, Model, Rows, Way, of_model

FRAMEWORK, CPU, DEFAULT = "torch", "cpu", "default"
EVALUATION, DETERMINISTIC, FULL = "eval", "deterministic", "tf32-off"
SEEDED, ONCE = "seeded", "seeded-once"
LONGEST = 300  # characters of a name that are kept
CALLS_BEFORE = 3  # after which the executor of TorchScript has compiled what it will


class Node:
    """One operation: its name, kind, what it takes and gives. ``numbers``: those that stand in the program itself."""

    def __init__(self, label, op, inputs, outputs, numbers=()):
        self.label, self.op, self.inputs, self.outputs, self.numbers = label, op, inputs, outputs, numbers


class _Archive:
    """A TorchScript archive, as it was saved."""

    has_modes = True  # it can be run in evaluation mode
    calls_before = CALLS_BEFORE

    def __init__(self, argument, original):
        self._path, self._original = argument["path"], original
        module = self._loaded(DEFAULT)
        self.is_training = module.training

    def _loaded(self, setting):
        module = torch_probe.load_script(self._path)
        return module.eval() if setting == EVALUATION else module

    def way(self, device, setting):
        """The model on a device under a setting."""
        module = self._loaded(setting).to(device)
        kept = [(part, name, getattr(part, name)) for part, name in _kept(module)]
        run = self._runs(module, kept, module, device, setting)
        return Way(
            run, lambda names: self._giving(module, kept, names, device, setting), device, setting, self.calls_before
        )

    def state(self, arrays):
        """The names of what it keeps from one run to the next."""
        import torch

        module = self._loaded(DEFAULT)
        before = {name: buffer.clone() for name, buffer in module.named_buffers()}
        with torch.no_grad(), of_model():
            module(*self._original.arguments(arrays))
        changed = [name for name, buffer in module.named_buffers() if not torch.equal(buffer, before[name])]
        return [*(name for _, name in _kept(module)), *changed]

    def _runs(self, module, held, call, device, setting, names=None):
        def run(arrays):
            import torch

            given = [
                argument.to(device) if torch.is_tensor(argument) else argument
                for argument in self._original.arguments(arrays)
            ]
            for part, name, value in held:  # each run begins with what the file holds
                setattr(part, name, copy.deepcopy(value))
            kept = [(buffer, buffer.clone()) for buffer in module.buffers()]  # a network may change them in place
            try:
                with torch.no_grad(), _under(torch, setting):
                    results = call(*given)
            finally:
                with torch.no_grad():
                    for held_buffer, before in kept:
                        held_buffer.copy_(before)
            if names is None:
                return arrays_of(results)
            return {name: as_array(tensor) for name, tensor in zip(names, results)}

        return run

    def _giving(self, module, held, names, device, setting):
        import torch

        function = torchscript.giving(_graph(torch, module), names)
        return self._runs(module, held, lambda *given: function(module, *given), device, setting, names)

    def nodes(self):
        """(The operations in order, the weights by name)."""
        import torch

        module = self._loaded(DEFAULT)
        graph = _graph(torch, module)
        held = [node for node in graph.nodes() if node.kind() == "prim::GetAttr" and _gives_tensor(node)]
        names = [node.output().debugName() for node in held]
        with torch.no_grad():
            tensors = _attributes(torch, module, graph, names)
        weights = {name: tensor for name, tensor in zip(names, tensors) if tensor is not None}
        nodes = [
            Node(
                _label(node),
                node.kind(),
                torchscript.names_taken(node),
                [value.debugName() for value in node.outputs() if torchscript.is_tensor(value)],
                _numbers(node),
            )
            for node in graph.nodes()
            if node.kind() not in ("prim::Constant", "prim::GetAttr") and _gives_tensor(node)
        ]
        return nodes, weights

    def ends(self):
        """The names of what comes out."""
        import torch

        graph = _graph(torch, self._loaded(DEFAULT))
        parts = _lists(graph)
        waiting, found = [value.debugName() for value in graph.outputs()], []
        while waiting:
            name = waiting.pop(0)
            waiting = [*parts.get(name, ()), *waiting]
            found += [name] if name not in parts else []
        return found

    def titles(self):
        """The path in the module of each value that is one of its weights."""
        import torch

        graph, found = _graph(torch, self._loaded(DEFAULT)), {}
        for node in graph.nodes():
            if node.kind() == "prim::GetAttr":
                owner = found.get(next(node.inputs()).debugName(), "")
                found[node.output().debugName()] = (owner + "." if owner else "") + node.s("name")
        return found

    def parts(self):
        """Of each value that is a list or a tuple of tensors: those of which it is made; of an input its name."""
        import torch

        module = self._loaded(DEFAULT)
        graph = _graph(torch, module)
        taken = [argument.name for argument in module.forward.schema.arguments]
        inputs = zip((value.debugName() for value in graph.inputs()), taken)
        return {**_lists(graph), **{value: [name] for value, name in inputs if value != name}}

    def tensors(self):
        """The weights."""
        return list(self._original.module.state_dict().values())

    def rows(self, arrays):
        """The inputs that may take more rows; an archive does not state it."""
        return Rows({name: 0 for name, array in arrays.items() if array.ndim > 1})


def _lists(graph):
    return {
        value.debugName(): torchscript.names_taken(node)
        for node in graph.nodes()
        if node.kind() not in ("prim::Constant", "prim::GetAttr") and not _gives_tensor(node)
        for value in node.outputs()
    }


def _numbers(node):
    """The second operand of a node, where it is a number that stands in the program."""
    constants = [value for value in list(node.inputs())[1:2] if value.node().kind() == "prim::Constant"]
    return [value.toIValue() for value in constants if str(value.type()) in ("float", "int")]


def _gives_tensor(node):
    return any(torchscript.is_tensor(value) for value in node.outputs())


def _label(node):
    """The name of a value of a graph says little: the line of the user's Python beside it, where the file has it."""
    name = next(value.debugName() for value in node.outputs() if torchscript.is_tensor(value))
    return _placed(name, place_of(str(node)))


def _placed(name, place):
    return ("%s (%s)" % (name, place) if place else name)[:LONGEST]


def _graph(torch, module):
    """The graph of forward with everything that it calls, and nothing changed in place."""
    graph = module.forward.graph.copy()
    torch._C._jit_pass_inline(graph)
    remove = getattr(torch._C, "_jit_pass_remove_mutation", None)
    if remove is not None:  # what is changed in place afterwards would be seen changed
        remove(graph)
    return graph


def _kept(module):
    """(The part of the module, the name) of each attribute that forward sets: what it keeps for its next run."""
    import torch

    graph = module.forward.graph.copy()
    torch._C._jit_pass_inline(graph)
    found = {}
    _follow(graph, {next(graph.inputs()).debugName(): ("", module)}, found)
    return [found[place] for place in sorted(found)]


def _follow(block, parts, found):
    for node in block.nodes():
        if node.kind() in ("prim::GetAttr", "prim::SetAttr"):
            place, owner = parts.get(next(node.inputs()).debugName(), ("", None))
            name = node.s("name")
            if owner is not None and node.kind() == "prim::SetAttr":
                found[place + name] = (owner, name)
            elif isinstance(getattr(owner, name, None), type(owner)):
                parts[node.output().debugName()] = (place + name + ".", getattr(owner, name))
        for inner in node.blocks():
            _follow(inner, parts, found)


def _attributes(torch, module, graph, names):
    """The tensors that the graph takes from the module, by following its own steps."""
    values = {next(graph.inputs()).debugName(): module}
    for node in graph.nodes():
        if node.kind() == "prim::GetAttr":
            owner = values.get(next(node.inputs()).debugName())
            values[node.output().debugName()] = getattr(owner, node.s("name"), None)
    return [values[name] if torch.is_tensor(values.get(name)) else None for name in names]


class _Program:
    """An exported program. It is run node by node."""

    is_training = has_modes = False
    calls_before = 1

    def __init__(self, original):
        self._original = original

    def state(self, _):
        """The names of what it keeps from one run to the next."""
        program = self._original.program(None)
        signature = program.graph_signature
        given_back = [str(spec.target) for spec in signature.output_specs if spec.kind.name == "BUFFER_MUTATION"]
        held = {spec.arg.name: str(spec.target) for spec in signature.input_specs if spec.kind.name == "BUFFER"}
        in_place = [
            held[node.args[0].name]
            for node in program.graph.nodes
            if node.op == "call_function"
            and getattr(getattr(node.target, "_schema", None), "is_mutable", False)
            and getattr(node.args[0] if node.args else None, "name", None) in held
        ]
        return sorted({*given_back, *in_place})

    def way(self, device, setting):
        """The model on a device under a setting."""
        program = self._original.program(None)
        if device != CPU:
            program = _moved(program, device)

        def results(arrays, names):
            import torch

            tensors = [argument.to(device) for argument in self._original.arguments(arrays)]
            with torch.no_grad(), _under(torch, setting):
                return export_torch.interpreted(program, tensors, names=names)

        def giving(names):
            return lambda arrays: results(arrays, frozenset(names))[1]

        return Way(lambda arrays: arrays_of(results(arrays, frozenset())[0]), giving, device, setting)

    def nodes(self):
        """(The operations in order, the weights by name)."""
        program = self._original.program(None)
        everything = {**program.constants, **program.state_dict}
        held = {
            spec.arg.name: everything[spec.target]
            for spec in program.graph_signature.input_specs
            if hasattr(everything.get(spec.target), "detach")
        }
        numbers = {
            node.name: [
                part for part in node.args[1:2] if isinstance(part, (int, float)) and not isinstance(part, bool)
            ]
            for node in program.graph.nodes
        }
        nodes = [
            Node(_placed(step.name, step.place), step.op, step.inputs, step.outputs, numbers.get(step.name, ()))
            for step in export_torch.steps_of(program)
        ]
        return nodes, held

    def ends(self):
        """The names of what comes out."""
        return [name for name in self._original.program(None).graph_signature.user_outputs if isinstance(name, str)]

    def titles(self):
        """What the weights are called outside of the program."""
        specs = self._original.program(None).graph_signature.input_specs
        return {spec.arg.name: str(spec.target) for spec in specs if spec.target}

    def parts(self):
        """None: what a node gives that is no tensor is followed by its inputs."""
        return {}

    def tensors(self):
        """The weights."""
        return list(self._original.program(None).state_dict.values())

    def rows(self, arrays):
        """The inputs whose first axis the program leaves open."""
        return Rows({
            spec["name"]: 0
            for spec in self._original.specs
            if spec["shape"] and 0 in model_kit.free_axes(spec["shape"]) and spec["name"] in arrays
        })  # fmt: skip


def _moved(program, device):
    """A copy of the program on another device; PyTorch would move the one with which it is compared.

    Raises:
        NotDrawn: this version of PyTorch cannot move one.
    """
    try:
        from torch.export.passes import move_to_device_pass
    except ImportError as error:
        raise model_kit.NotDrawn("not-in-version", "torch.export.passes.move_to_device_pass") from error
    return move_to_device_pass(copy.deepcopy(program), device)


@contextlib.contextmanager
def _under(torch, setting):
    """A setting for the length of one run."""
    threads = torch.get_num_threads()
    if setting.startswith("threads-"):
        torch.set_num_threads(int(setting.partition("-")[2]))
    elif setting == DETERMINISTIC:
        torch.use_deterministic_algorithms(True)
    elif setting == SEEDED:
        torch.manual_seed(0)
    elif setting == FULL:
        before = torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    try:
        yield
    finally:
        if setting.startswith("threads-"):
            torch.set_num_threads(threads)
        elif setting == DETERMINISTIC:
            torch.use_deterministic_algorithms(False)
        elif setting == FULL:
            torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32 = before


def measured(argument, clock):
    """All comparisons, the most telling first, as facts."""
    import numpy as np

    named = {"framework": FRAMEWORK, "path": argument["path"]}
    yield compute.measuring(dict(named, kind="model", device=CPU))
    try:
        with of_model():
            original = export_torch.load(argument)
        form = _Program(original) if argument["format"] == "pt2" else _Archive(argument, original)
        arrays, origin = _inputs(np, original, form, argument)
        nodes, weights = form.nodes()
        axes = form.rows(arrays)
        default = form.way(CPU, DEFAULT)
        state = form.state(arrays)
        named.update(origin, inputs=model_kit.as_facts(arrays))
        shapes = {name: ("", list(tensor.shape)) for name, tensor in weights.items()}
        model = Model(np, named, arrays, nodes, _unit(form.tensors()), shapes)
        model.ends, model.parts = form.ends(), form.parts()
        model.titles = form.titles()
        model.held = lambda names: {name: as_array(weights[name]) for name in names if name in weights}
        if origin["inputs_from"] == "drawn":
            drawing.more_telling(model, default.run, clock.part(4))
    except Exception as error:
        yield compute.facts_of(dict(named, kind="model", device=CPU, **runs.failure(error)))
        return
    if state and not argument.get("done"):
        yield model.facts(default, "state", reason="keeps-state", detail=", ".join(dict.fromkeys(state))[:300])
    yield from runs.plan(model, _comparisons(model, form, default, axes, argument, clock), clock, axes)


def _unit(tensors):
    kinds = {str(tensor.dtype).replace("torch.", "") for tensor in tensors if tensor.dim() > 1}
    return max((compare.UNITS[kind] for kind in kinds if kind in compare.UNITS), default=compare.UNITS["float32"])


def _inputs(numpy, original, form, argument):
    """(The inputs by name, what is known of them): the user's, those in the file, or the first drawn ones it takes."""
    if argument.get("inputs"):
        is_typed = argument["format"] == "pt2"  # an archive has no types
        run = form.way(CPU, DEFAULT).run
        return model_inputs.taken(numpy, original.specs, argument["inputs"], run, is_typed=is_typed)
    held = original.example()
    if held is not None:
        return held, {"inputs_from": "model"}
    specs = original.specs
    deadline = time.monotonic() + argument.get("search_seconds", 30.0)
    run = form.way(CPU, DEFAULT).run
    arrays, error = model_kit.first_that_runs(numpy, specs, run, deadline)
    if error is not None and form.is_training:  # a batch normalisation that learns takes no row alone
        several = [dict(spec, shape=[2, *spec["shape"][1:]]) if spec["shape"] else spec for spec in specs]
        arrays, _ = model_kit.first_that_runs(numpy, several, run, deadline)
        error = error if arrays is None else None
    if error is not None:
        raise model_inputs.none_fits(specs, error) from error
    return arrays, {"inputs_from": "drawn"}


def _comparisons(model, form, default, axes, argument, clock):
    import torch

    most = runs.MOST[argument["effort"]]

    def devices():
        for device in _devices(torch, argument):
            full = _later(form, device, FULL) if device.startswith("cuda") else None
            make = functools.partial(form.way, device, DEFAULT)
            yield device, functools.partial(runs.on_device, model, default, device, make, full, most=most)

    steps = _on_processor(torch, model, form, default, axes, most)
    return runs.comparisons(model, default, steps, devices, argument, clock)


def _on_processor(torch, model, form, default, axes, most):
    yield "repeat", lambda clock: runs.varies(model, default, clock, most)
    yield "lost", lambda clock: lost.facts(model, default, clock)
    if default.failed or not default.shows:
        return
    if form.is_training or default.varies:
        for setting in (EVALUATION, SEEDED) if form.has_modes else (SEEDED,):
            way = _later(form, CPU, setting)
            yield "mode", lambda clock, way=way: runs.varies(model, way, clock, most, "mode")
        if default.varies:
            once = runs.in_sequence(default, lambda: torch.manual_seed(0), ONCE)
            yield "mode", lambda clock: runs.varies(model, once, clock, runs.ROWS, "mode")
    if default.varies:
        return
    yield "batch", lambda clock: runs.in_batch(model, default, clock, axes)
    for setting in ("threads-1", "threads-2"):
        if setting != "threads-%d" % torch.get_num_threads():  # that is the default
            way = _later(form, CPU, setting)
            yield setting, lambda clock, way=way: runs.against(model, default, way, "threads", clock)
    way = _later(form, CPU, DETERMINISTIC)
    yield DETERMINISTIC, lambda clock: runs.against(model, default, way, DETERMINISTIC, clock)


def _later(form, device, setting):
    return Later(lambda: form.way(device, setting), device, setting, form.calls_before)


def _devices(torch, argument):
    """The accelerators on which something was computed before; alone, all that there are."""
    given = argument.get("devices")
    if given is None:
        return ["cuda:%d" % index for index in range(torch.cuda.device_count())]
    return [device for device in given if device != CPU]

"""The user's own model in ONNX Runtime, under all that may change its numbers (``naosu_compute_model_onnxruntime``).

Standard library only, Python 3.8 and later; written for ONNX Runtime 1.10 to 1.31. A model that a provider has compiled
before (EPContext) is given to the processor alone, as in onnxruntime_model_probe.py.
"""

import contextlib
import os
import tempfile
import time

import naosu_compute_kit as compute
import naosu_compute_model as models
import naosu_compute_onnx_graph as onnx_graph
import naosu_export_compare as compare
import naosu_model_inputs as model_inputs
import naosu_model_kit as model_kit
import naosu_onnxruntime_model_probe as model_probe

CPU = model_probe.CPU
FRAMEWORK = "onnxruntime"
PLAIN, LEVELS = "ORT_DISABLE_ALL", ("ORT_ENABLE_BASIC", "ORT_ENABLE_EXTENDED", "ORT_ENABLE_ALL")
DETERMINISTIC, DEFAULT = "deterministic", "default"
_WEIGHTS = ("float16", "bfloat16", "float32", "float64")
# Providers that compute float32 with fewer digits unless they are told otherwise: the option that forbids it.
_FEWER_DIGITS = {"CUDAExecutionProvider": {"use_tf32": "0"}}


class Runtime:
    """The model file, its sessions, and its nodes where it is an .onnx."""

    def __init__(self, argument):
        import numpy as np

        self.numpy, self.argument, self.path = np, argument, argument["path"]
        self.graph = None
        if argument.get("format") == "onnx":
            with contextlib.suppress(onnx_graph.NotRead, OSError):  # what the runtime reads runs all the same
                self.graph = onnx_graph.read(self.path)
        self._copy = None
        session = self._session(self.path, CPU, DEFAULT)
        self.specs, self.sequences = model_probe.inputs_of(session)
        self.image = model_probe.image_size(session)

    def way(self, device=CPU, setting=DEFAULT):
        """The model on a provider under a setting."""
        session = self._session(self.path, device, setting)
        if device not in session.get_providers():
            raise model_kit.NotDrawn("provider-dropped")
        names = [each.name for each in session.get_outputs()]
        return models.Way(
            self._runs(session, names), lambda names: self._giving(names, device, setting), device, setting
        )

    def _giving(self, names, device, setting):
        if self._copy is None:
            folder = tempfile.mkdtemp(prefix="with-outputs-", dir=".")
            self._copy = onnx_graph.Copy(self.path, folder, self.graph.external)
        own = set(self.graph.outputs)
        path = self._copy.giving([name for name in names if name not in own])
        session = self._session(path, device, setting)
        given = {each.name for each in session.get_outputs()}
        return self._runs(session, [name for name in names if name in given])

    def _runs(self, session, names):
        def run(arrays):
            feeds = {name: [each] if name in self.sequences else each for name, each in arrays.items()}
            return dict(zip(names, session.run(names, feeds)))

        return run

    def _session(self, path, device, setting):
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        own = {}
        if setting.startswith("ORT_"):
            options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, setting)
        elif setting.startswith("threads-"):
            options.intra_op_num_threads = int(setting.partition("-")[2])
        elif setting == DETERMINISTIC:
            options.use_deterministic_compute = True
        elif setting == "tf32-off":
            own = _FEWER_DIGITS[device]
        providers = [(device, own) if own else device] + ([CPU] if device != CPU else [])
        return model_probe.session_of(path, options, providers)

    def inputs(self):
        """(The inputs by name, where they come from): the user's, or the first drawn ones that the model takes."""
        given = self.argument.get("inputs")
        run = self.way().run
        if given:
            arrays, source = model_inputs.given(self.numpy, self.specs, given)
            return arrays, source
        deadline = time.monotonic() + self.argument.get("search_seconds", 30.0)
        arrays, error = model_kit.first_that_runs(self.numpy, self.specs, run, deadline, self.image)
        if error is not None:
            raise model_inputs.none_fits(self.specs, error) from error
        return arrays, "drawn"

    def free(self, arrays):
        """The inputs whose first axis the model leaves open and that have one."""
        return [
            spec["name"]
            for spec in self.specs
            if spec["shape"] and 0 in model_kit.free_axes(spec["shape"]) and arrays[spec["name"]].ndim
        ]

    def unit(self):
        """The unit roundoff of the coarsest type of its weights."""
        weights = self.graph.weights.values() if self.graph else ()
        kinds = {kind for kind, shape in weights if kind in _WEIGHTS and len(shape) > 1}
        return max((compare.UNITS[kind] for kind in kinds), default=compare.UNITS["float32"])

    def nodes(self):
        """The nodes whose values can be given out."""
        return self.graph.steps() if self.graph else []

    def providers(self):
        """The other providers that are to be tried, the slow ones last."""
        import onnxruntime

        wanted = self.argument.get("providers")
        names = [
            name
            for name in onnxruntime.get_available_providers()
            if name != CPU and name not in model_probe.NO_DEVICE and (wanted is None or name in wanted)
        ]
        if names and model_kit.mentions(self.path, model_probe.COMPILED):
            return []
        if self.argument["effort"] == "quick":
            names = [name for name in names if name not in model_probe.SLOW]
        return sorted(names, key=lambda name: name in model_probe.SLOW)


def measured(argument, clock):
    """All comparisons, the most telling first, as facts."""
    named = {"framework": FRAMEWORK, "path": argument["path"]}
    yield compute.measuring(dict(named, kind="model", device=CPU))
    try:
        runtime = Runtime(argument)
        arrays, source = runtime.inputs()
    except Exception as error:
        yield compute.told(dict(named, kind="model", device=CPU, **models.failure(error)))
        return
    free = runtime.free(arrays)
    named.update(inputs=model_kit.as_facts(arrays), inputs_from=source)
    model = models.Model(
        runtime.numpy, named, arrays, runtime.nodes(), runtime.unit(), runtime.graph.weights if runtime.graph else {}
    )
    yield from models.plan(model, _comparisons(runtime, model, free, argument), clock, free)


def _comparisons(runtime, model, free, argument):
    """Functions of a clock that yield facts, in the order in which they are worth the time.

    The processor's come first, as other providers may end the process; those that did (``done``) are left out.
    """
    most, done = models.MOST[argument["effort"]], argument.get("done") or ()
    usual = runtime.way()
    if done:
        usual.outputs = models.flattened(usual.run(model.arrays))
    else:
        yield lambda clock: models.varies(model, usual, clock, most)
        yield from _on_processor(runtime, model, usual, free, most)
    for name in runtime.providers():
        if name not in done:
            yield lambda clock, name=name: _on_provider(runtime, model, usual, name, clock, most)


def _on_processor(runtime, model, usual, free, most):
    if usual.varies:  # then nobody can tell what a setting adds
        yield lambda clock: _deterministic(runtime, model, lambda way: models.varies(model, way, clock, most, "mode"))
        return
    yield lambda clock: _levels(runtime, model, clock)
    yield lambda clock: models.in_batch(model, usual, clock, free)
    for count in (1, 2) if (os.cpu_count() or 1) > 2 else (1,):
        setting = "threads-%d" % count
        yield lambda clock, setting=setting: models.against(
            model, usual, runtime.way(setting=setting), "threads", clock
        )
    yield lambda clock: _deterministic(
        runtime, model, lambda way: models.against(model, usual, way, DETERMINISTIC, clock)
    )


def _levels(runtime, model, clock):
    """Each level of optimisation against none. Only the first that differs is searched through."""
    plain = runtime.way(setting=PLAIN)
    plain.outputs = models.flattened(plain.run(model.arrays))
    search = True
    for place, level in enumerate(LEVELS):
        part = clock.part(len(LEVELS) - place)
        for fact in models.against(model, plain, runtime.way(setting=level), "level", part, search=search):
            search = search and not any(each.get("first_node") for each in fact.get("measurements+", ()))
            yield fact


def _deterministic(runtime, model, compare_with):
    """The model with use_deterministic_compute, where this version has it."""
    import onnxruntime

    if hasattr(onnxruntime.SessionOptions(), "use_deterministic_compute"):
        yield from compare_with(runtime.way(setting=DETERMINISTIC))
    else:
        way = models.Way(None, None, CPU, DETERMINISTIC)
        yield model.told(way, DETERMINISTIC, DEFAULT, reason="not-in-version", detail=str(onnxruntime.__version__))


def _on_provider(runtime, model, usual, name, clock, most):
    """A provider: whether it repeats, and how far it is from the processor, also with all digits."""
    yield compute.measuring(model.fact(models.Way(None, None, name), "device", CPU))
    try:
        way = runtime.way(name)
    except Exception as error:
        yield model.told(models.Way(None, None, name), "device", CPU, **models.failure(error))
        return
    yield from models.varies(model, way, clock.part(3), most)
    if usual.varies:
        return
    yield from models.against(model, usual, way, "device", clock.part(2))
    if name in _FEWER_DIGITS:
        try:
            full = runtime.way(name, "tf32-off")
        except Exception as error:
            yield model.told(models.Way(None, None, name, "tf32-off"), "device", CPU, **models.failure(error))
            return
        yield from models.against(model, usual, full, "device", clock)

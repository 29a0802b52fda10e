"""The user's own model in ONNX Runtime, under all that may change its numbers.

Standard library only, Python 3.8 and later; written for ONNX Runtime 1.10 to 1.31. A model that a provider has compiled
before (EPContext) is given to the processor alone, as in model/onnxruntime.py.
"""

import contextlib
import functools
import re
import tempfile
import time

from ...export import compare
from ...model import inputs as model_inputs
from ...model import kit as model_kit
from ...model import onnxruntime as model_probe
from .. import kit as compute
from . import drawing, lost, onnx_graph, runs
from .ways import Later, Model, Rows, Way, of_model

CPU = model_probe.CPU
FRAMEWORK = "onnxruntime"
PLAIN, LEVELS = "ORT_DISABLE_ALL", ("ORT_ENABLE_BASIC", "ORT_ENABLE_EXTENDED", "ORT_ENABLE_ALL")
DETERMINISTIC, DEFAULT = "deterministic", "default"
SEEDED, ONCE, NEW_SESSION = "seeded", "seeded-once", "new-session"
SEED = 1
# Types of which NumPy has none, so that ONNX Runtime's Python cannot hand such a value over.
_NOT_GIVEN = re.compile(r"\((?:bfloat16|float8\w*|float4\w*|u?int[24]\w*)\)")
# What exporters and authors call an axis that counts no rows: steps of time, tokens, points, things found.
_NO_ROWS = re.compile(r"seq|time|len|frame|token|step|point|box|detection|edge|node|height|width", re.IGNORECASE)
# Providers that compute float32 with fewer digits unless they are told otherwise: the option that forbids it.
FEWER_DIGITS = {"CUDAExecutionProvider": {"use_tf32": "0"}}


class Runtime:
    """The model file, its sessions, and its nodes where it is an .onnx.

    ``device``, ``setting``: those under which it is first opened, and its inputs are found.
    """

    def __init__(self, argument, device=CPU, setting=DEFAULT):
        import numpy as np

        self.numpy, self.argument, self.path = np, argument, argument["path"]
        self._first = device, setting
        self.graph = None
        if argument.get("format") == "onnx":
            with contextlib.suppress(onnx_graph.NotRead, OSError):  # what the runtime reads runs all the same
                self.graph = onnx_graph.read(self.path)
        self._copy = self._refused = None
        session = session_of(self.path, device, setting)
        self.specs, self.sequences = model_probe.inputs_of(session)
        self.image = model_probe.image_size(session)
        self._outputs = [get_output for get_output in session.get_outputs() if not _NOT_GIVEN.search(get_output.type)]
        if not self._outputs:
            types = ", ".join("%s: %s" % (get_output.name, get_output.type) for get_output in session.get_outputs())
            raise model_kit.NotDrawn("output-type", types[:300])
        self.left_out = len(session.get_outputs()) - len(self._outputs)

    def way(self, device=CPU, setting=DEFAULT):
        """The model on a provider under a setting."""
        session = session_of(self.path, device, setting)
        if device not in session.get_providers():
            raise model_kit.NotDrawn("provider-dropped")
        names = [output.name for output in self._outputs]
        return Way(self._runs(session, names), lambda names: self._giving(names, device, setting), device, setting)

    def seeded(self, device=CPU, setting=SEEDED):
        """The model with a new session for each run and a seed before it, which counts for sessions made after it.

        ``setting``: NEW_SESSION is without the seed.
        """

        def anew(run):
            if setting == SEEDED:
                _seed()
            return run()

        def run(arrays):
            return anew(lambda: self.way(device).run(arrays))

        def giving(names):
            return lambda arrays: anew(lambda: self._giving(names, device, DEFAULT)(arrays))

        return Way(run, giving, device, setting)

    def seeded_once(self, device=CPU):
        """Some runs of one session with a seed before it."""
        sessions = []

        def begin():
            _seed()
            sessions[:] = [self.way(device)]

        def run(arrays):
            return sessions[0].run(arrays)

        way = Way(run, lambda names: self._giving(names, device, DEFAULT), device)
        return runs.in_sequence(way, begin, ONCE)

    def later(self, device=CPU, setting=DEFAULT):
        """The same, made when it is first run."""
        return Later(lambda: self.way(device, setting), device, setting)

    def _giving(self, names, device, setting):
        if self._refused is not None:  # it would only fail again, for each node
            raise self._refused
        if self._copy is None:
            folder = tempfile.mkdtemp(prefix="with-outputs-", dir=".")
            try:
                self._copy = onnx_graph.Copy(self.path, folder, self.graph.external)
            except Exception as error:
                self._refused = error
                raise
        own = set(self.graph.outputs)
        path = self._copy.giving([name for name in names if name not in own])
        session = session_of(path, device, setting)
        given = {get_output.name for get_output in session.get_outputs() if not _NOT_GIVEN.search(get_output.type)}
        return self._runs(session, [name for name in names if name in given])

    def _runs(self, session, names):
        def run(arrays):
            feeds = {name: [array] if name in self.sequences else array for name, array in arrays.items()}
            return dict(zip(names, session.run(names, feeds)))

        return run

    def inputs(self):
        """(The inputs by name, what is known of them): the user's, or the first drawn ones that the model takes."""
        given = self.argument.get("inputs")
        run = self.way(*self._first).run
        if given:
            return model_inputs.taken(self.numpy, self.specs, given, run, is_typed=True)
        deadline = time.monotonic() + self.argument.get("search_seconds", 30.0)
        arrays, error = model_kit.first_that_runs(self.numpy, self.specs, run, deadline, self.image)
        if error is not None:
            raise model_inputs.none_fits(self.specs, error) from error
        return arrays, {"inputs_from": "drawn"}

    def rows(self, arrays):
        """Which axis counts the rows, by the names that the file gives to open axes: those with the name of a batch.

        Where no axis has one, it is the first that is open. An input for a state has the same name at another place.
        """
        shapes = {spec["name"]: spec["shape"] or [] for spec in self.specs}
        first = [shape[0] for name, shape in shapes.items() if shape and _is_open(shape[0]) and arrays[name].ndim]
        every = [axis for shape in shapes.values() for axis in shape if isinstance(axis, str)]
        names = [axis for axis in every if model_kit.is_batch(axis)] or [
            axis for axis in first if not (isinstance(axis, str) and _NO_ROWS.search(axis))
        ]
        if not names:
            named = ", ".join(dict.fromkeys(axis for axis in first if isinstance(axis, str)))
            return Rows({}, reason="no-row-axis" if named else "batch-fixed", detail=named[:100])
        wanted = names[0]
        if not isinstance(wanted, str):
            return Rows({
                name: 0 for name, shape in shapes.items() if shape and shape[0] == wanted and arrays[name].ndim
            })  # fmt: skip
        outputs = {output.name: list(output.shape or ()) for output in self._outputs}
        return Rows(
            *(
                {name: shape.index(wanted) for name, shape in of_side.items() if wanted in shape}
                for of_side in (shapes, outputs)
            )
        )

    def unit(self):
        """The unit roundoff of the coarsest type in which it computes; it may be half precision where nobody knows."""
        kinds = self.graph.kinds if self.graph else ("float16",)
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


def session_of(path, device, setting, entries=None):
    """A session on a provider, with the processor behind it, under a setting. ``entries``: of its configuration."""
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
        own = FEWER_DIGITS[device]
    for key, value in (entries or {}).items():
        options.add_session_config_entry(key, value)
    providers = [(device, own) if own else device] + ([CPU] if device != CPU else [])
    with of_model():
        return model_probe.session_of(path, options, providers)


def _seed():
    import onnxruntime

    onnxruntime.set_seed(SEED)


def _is_open(axis):
    return not isinstance(axis, int) or axis < 0


def measured(argument, clock):
    """All comparisons, the most telling first, as facts."""
    named = {"framework": FRAMEWORK, "path": argument["path"]}
    yield compute.measuring(dict(named, kind="model", device=CPU))
    try:
        runtime = Runtime(argument)
        arrays, origin = runtime.inputs()
        axes = runtime.rows(arrays)
        weights = runtime.graph.weights if runtime.graph else {}
        model = Model(runtime.numpy, named, arrays, runtime.nodes(), runtime.unit(), weights)
        default = runtime.later()
        if runtime.graph:
            model.ends, model.held = runtime.graph.outputs, lambda names: default.giving(names)(model.arrays)
        if origin["inputs_from"] == "drawn":
            drawing.more_telling(model, default.run, clock.part(4))
    except Exception as error:
        yield compute.facts_of(dict(named, kind="model", device=CPU, **runs.failure(error)))
        return
    named.update(origin, inputs=model_kit.as_facts(arrays))
    if runtime.left_out:
        named["outputs_left_out"] = runtime.left_out
    yield from runs.plan(model, _comparisons(runtime, model, default, axes, argument, clock), clock, axes)


def _comparisons(runtime, model, default, axes, argument, clock):
    most = runs.MOST[argument["effort"]]

    def devices():
        for name in runtime.providers():
            full = runtime.later(name, "tf32-off") if name in FEWER_DIGITS else None
            make = functools.partial(runtime.way, name)
            yield name, functools.partial(runs.on_device, model, default, name, make, full, most=most)

    steps = _on_processor(runtime, model, default, axes, most)
    return runs.comparisons(model, default, steps, devices, argument, clock)


def _on_processor(runtime, model, default, axes, most):
    yield "repeat", lambda clock: runs.varies(model, default, clock, most)
    yield "lost", lambda clock: lost.facts(model, default, clock)
    if default.failed or not default.shows:
        return
    if default.varies:  # then what a setting adds cannot be known
        if runtime.graph and runtime.graph.is_seeded:  # before a seed of ours, which counts for all later sessions
            anew = runtime.seeded(setting=NEW_SESSION)
            yield "mode", lambda clock: runs.varies(model, anew, clock, runs.ROWS, "mode")
        yield "mode", lambda clock: runs.varies(model, runtime.seeded(), clock, most, "mode")
        yield "mode", lambda clock: runs.varies(model, runtime.seeded_once(), clock, runs.ROWS, "mode")
        yield (
            "mode",
            lambda clock: _deterministic(runtime, model, lambda way: runs.varies(model, way, clock, most, "mode")),
        )
        return
    yield "level", lambda clock: _levels(runtime, model, clock, most)
    yield "batch", lambda clock: runs.in_batch(model, default, clock, axes)
    for setting in ("threads-1", "threads-2"):  # the default may be either
        way = runtime.later(setting=setting)
        yield setting, lambda clock, way=way: runs.against(model, default, way, "threads", clock)
    yield (
        DETERMINISTIC,
        lambda clock: _deterministic(
            runtime, model, lambda way: runs.against(model, default, way, DETERMINISTIC, clock)
        ),
    )


def _levels(runtime, model, clock, most):
    """Each level of optimisation against none. Only the first that differs is searched through."""
    plain = runtime.later(setting=PLAIN)
    if runs.is_varying(model, plain, clock):  # what draws random numbers may be taken out by the optimiser
        yield from runs.varies(model, plain, clock, most, "mode")
        return
    search = True
    for place, level in enumerate(LEVELS):
        part = clock.part(len(LEVELS) - place)
        for fact in runs.against(model, plain, runtime.later(setting=level), "level", part, search=search):
            search = search and not any(measurement.get("first_node") for measurement in fact.get("measurements+", ()))
            yield fact


def _deterministic(runtime, model, compare_with):
    """The model with use_deterministic_compute, where this version has it."""
    import onnxruntime

    if hasattr(onnxruntime.SessionOptions(), "use_deterministic_compute"):
        yield from compare_with(runtime.later(setting=DETERMINISTIC))
    else:
        way = Way(None, None, CPU, DETERMINISTIC)
        yield model.facts(way, DETERMINISTIC, DEFAULT, reason="not-in-version", detail=str(onnxruntime.__version__))

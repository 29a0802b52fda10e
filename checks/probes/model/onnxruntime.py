"""One model in ONNX Runtime: whether it loads and runs, and which operators which execution provider took.

Argument: ``path``; ``providers``, those to try besides the CPU (None: all that are listed); ``seconds`` to spend on
finding inputs. Each provider has a session of its own, made as a user makes it, with the runtime's own profile on.

A model may hold what a provider has compiled before, machine code among it (the operator EPContext): it is given to the
CPU's provider alone, which does not know the operator.
"""

import ast
import json
import os
import re

from . import kit as model_kit

CPU = "CPUExecutionProvider"
NO_DEVICE = ("AzureExecutionProvider",)  # a service in the cloud
# Builds an engine first, which takes minutes, and leaves what it cannot take to the one behind it.
SLOW = ("TensorrtExecutionProvider", "NvTensorRTRTXExecutionProvider")
BEHIND = dict.fromkeys(SLOW, ("CUDAExecutionProvider",))

TYPES = {
    "float": "float32", "double": "float64", "float16": "float16", "bfloat16": "bfloat16", "string": "string",
    "bool": "bool", "complex64": "complex64", "complex128": "complex128",
}  # fmt: skip
COMPILED = b"EPContext"
LARGEST_PROFILE = 200_000_000  # bytes; a model that loops a million times writes more
INFO = 1  # severity of the log lines about placements

# What the log reports about nodes that were not given to the wanted provider, besides warnings and errors.
_TELLING = re.compile(
    rb"\[[EWF]:onnxruntime|not found in registries|[Ff]allback to|Memcpy nodes|subgraphs running on|"
    rb"number of (?:nodes|partitions)|not supported|EP Error"
)
# Our own profile reports nothing where the model did not load.
_NOISE = re.compile(r"^\d{4}-\d\d-\d\d [\d:.]+ |^.*EndProfiling\].*$\n?", re.MULTILINE)
_OP_TYPE = re.compile(r"(?:Op ?type|[Oo]perator type): ?\[?(?P<op>\w+)")
_NODE = re.compile(r"CPU execution for node: (?P<node>\S+)")

RUNS = model_kit.Runs("onnxruntime")
GOOD = {}  # the inputs that the CPU took


def imported(argument):
    """Import ONNX Runtime for real."""
    import onnxruntime

    return {"version": str(onnxruntime.__version__)}


def on_cpu(argument):
    """Load it for the processor and run it there: what every installation has, and the measure for the others."""
    yield from _tried(argument, CPU)


def on_providers(argument):
    """The same on each other provider, one by one."""
    import onnxruntime

    listed = onnxruntime.get_available_providers()
    wanted = argument.get("providers")
    names = [name for name in listed if name != CPU and name not in NO_DEVICE and (wanted is None or name in wanted)]
    if names and model_kit.mentions(argument["path"], COMPILED):
        names = []
    for name in sorted(names, key=lambda name: name in SLOW):
        yield from _tried(argument, name)


def _tried(argument, provider):
    fact = RUNS.begin(provider)
    yield RUNS.answer
    printed = model_kit.tried(fact, lambda: _try(fact, argument, provider), keep=_TELLING)
    printed = _NOISE.sub("", printed).strip()
    model_kit.add_to_log(fact, printed)
    if fact.get("shares"):
        _add_reasons(fact["shares"], printed, fact.pop("node_types"))
    yield RUNS.answer


def _try(fact, argument, provider):
    import numpy as np
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.enable_profiling = True
    options.profile_file_prefix = "profile-" + provider
    options.log_severity_level = 2 if provider == CPU else INFO
    if hasattr(onnxruntime.InferenceSession, "get_provider_graph_assignment_info"):  # since 1.24
        options.add_session_config_entry("session.record_ep_graph_assignment_info", "1")
    listed = onnxruntime.get_available_providers()
    names = [provider, *(name for name in BEHIND.get(provider, ()) if name in listed)]
    session = session_of(argument["path"], options, names if provider == CPU else [*names, CPU])
    fact["loaded"] = True
    if provider not in session.get_providers():
        fact["reason"] = "provider-dropped"
    specs, sequences = inputs_of(session)

    def run(inputs):
        session.run(None, {name: [value] if name in sequences else value for name, value in inputs.items()})

    inputs = model_kit.infer(fact, np, specs, run, argument, image_size(session), GOOD)
    if inputs is None:
        return
    if provider == CPU:
        GOOD.update(inputs)
    fact["shares"], fact["node_types"] = _shares(session)


def session_of(path, options, providers):
    """A session as a user makes it, and without what takes another provider by itself."""
    import onnxruntime

    try:
        return onnxruntime.InferenceSession(path, options, providers=providers, enable_fallback=0)
    except TypeError:  # before 1.9 there is no such option, and no fallback
        return onnxruntime.InferenceSession(path, options, providers=providers)


def inputs_of(session):
    """The inputs that must be given, and the names of those that take a list of tensors."""
    specs, sequences = [], set()
    for get_input in session.get_inputs():
        if get_input.type.startswith("optional("):
            continue
        match = re.match(r"(seq\()?tensor\((\w+)\)\)?$", get_input.type)
        if match is None:
            raise model_kit.NotDrawn("input-type", "%s: %s" % (get_input.name, get_input.type))
        if match.group(1):
            sequences.add(get_input.name)
        shape = None if match.group(1) or get_input.shape is None else list(get_input.shape)
        specs.append({"name": get_input.name, "dtype": TYPES.get(match.group(2), match.group(2)), "shape": shape})
    return specs, sequences


def image_size(session):
    """The size of the images that the model's own words name, as Ultralytics' exporter writes it ("[640, 640]")."""
    try:
        size = ast.literal_eval(session.get_modelmeta().custom_metadata_map["imgsz"])
        return int(size[0])
    except (AttributeError, KeyError, ValueError, SyntaxError, TypeError, IndexError, RecursionError):
        return None


def _shares(session):
    path = session.end_profiling()
    if not path or os.path.getsize(path) > LARGEST_PROFILE:
        return None, {}
    with open(path, encoding="utf-8", errors="replace") as file:
        events = json.load(file)
    os.remove(path)
    runs = [event for event in events if event.get("name") == "model_run"]
    if not runs:
        return None, {}
    start, length = runs[-1]["ts"], runs[-1]["dur"]
    nodes = [
        event
        for event in events
        if event.get("cat") == "Node" and event["name"].endswith("_kernel_time") and event["ts"] >= start
    ]
    seconds = _own_seconds(nodes)
    took, types = {}, {}
    for event, own in zip(nodes, seconds):
        arguments = event["args"]
        share = took.setdefault(arguments["provider"], {"seconds": 0.0, "nodes": set(), "times": {}})
        share["seconds"] += own
        share["times"][arguments["op_name"]] = share["times"].get(arguments["op_name"], 0.0) + own
        share["nodes"].add((event["name"], arguments.get("node_index"), arguments["op_name"]))
        types[event["name"][: -len("_kernel_time")]] = arguments["op_name"]
    _give_rest(took, length / 1e6)
    counts = {name: model_kit.counted(op for _, _, op in share["nodes"]) for name, share in took.items()}
    shares = [{"provider": name, "operators": counts[name], "seconds": took[name]["seconds"]} for name in took]
    _unfold(shares, session)
    if len(shares) > 1 and CPU in took:
        next(share for share in shares if share["provider"] == CPU)["operator_seconds"] = took[CPU]["times"]
    return shares, types


def _own_seconds(nodes):
    """The time of each node without that of the nodes within it, as If and Loop have them."""
    own = [event["dur"] for event in nodes]
    around = []  # indices of the nodes that are open
    for index in sorted(range(len(nodes)), key=lambda index: (nodes[index]["ts"], -nodes[index]["dur"])):
        event = nodes[index]
        while around and nodes[around[-1]]["ts"] + nodes[around[-1]]["dur"] < event["ts"] + event["dur"]:
            around.pop()
        if around:
            own[around[-1]] -= event["dur"]
        around.append(index)
    return [max(microseconds, 0) / 1e6 for microseconds in own]


def _give_rest(took, seconds):
    """A device works on while its nodes have returned: what the processor did not use of the run is the device's."""
    others = {name: share for name, share in took.items() if name != CPU}
    rest = seconds - sum(share["seconds"] for share in took.values())
    launched = sum(share["seconds"] for share in others.values())
    if rest > 0:
        for share in others.values():
            share["seconds"] += rest * (share["seconds"] / launched if launched else 1 / len(others))


def _unfold(shares, session):
    """A provider that compiles makes one node of many: newer versions list the operators that went into it."""
    try:
        parts = session.get_provider_graph_assignment_info()
    except Exception:  # not in this version, or not for this model
        return
    for share in shares:
        mine = [part for part in parts if part.ep_name == share["provider"]]
        if any(len(part.get_nodes()) > 1 for part in mine):
            share["operators"] = model_kit.counted(node.op_type for part in mine for node in part.get_nodes())


def _add_reasons(shares, log, types):
    for share in shares:
        if share["provider"] != CPU:
            continue
        reasons = {}
        for line in log.splitlines():
            named, node = _OP_TYPE.search(line), _NODE.search(line)
            operator = named.group("op") if named else types.get(node.group("node")) if node else None
            if operator in share["operators"]:
                reasons.setdefault(operator, line)
        if reasons:
            share["reasons"] = reasons


STAGES = (imported, on_cpu, on_providers)
ESSENTIAL = ("imported",)

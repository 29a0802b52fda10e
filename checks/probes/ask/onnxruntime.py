"""ONNX Runtime in this interpreter: which execution providers it lists, and which really start.

A provider counts as started when a model of one node ran in a session that has it. A session is also made, silently
or not, when the wanted provider cannot start: then it has fallen back to the CPU.
"""

from .. import kit

# It sends to a service in the cloud, and only what a model marks for it: here is nothing to start.
NO_DEVICE = ("AzureExecutionProvider",)


def _field(number, value):
    """A field of a protobuf message: bytes with their length, or a whole number below 128."""
    if isinstance(value, int):
        return bytes([number << 3, value])
    return bytes([number << 3 | 2, len(value)]) + value


def _model():
    """The ONNX model y = x + x for two floats, as bytes (onnx.proto); opset 11 and IR 6 suit every reader."""
    dimension = _field(1, 2)
    tensor = _field(1, 1) + _field(2, _field(1, dimension))  # element type float; shape

    def value(name):
        return _field(1, name) + _field(2, _field(1, tensor))

    node = _field(1, b"x") + _field(1, b"x") + _field(2, b"y") + _field(4, b"Add")
    graph = _field(1, node) + _field(2, b"naosu") + _field(11, value(b"x")) + _field(12, value(b"y"))
    return _field(1, 6) + _field(7, graph) + _field(8, _field(1, b"") + _field(2, 11))


def imported(argument):
    """Import ONNX Runtime for real."""
    with kit.Warned() as warned:
        import onnxruntime
    return kit.import_facts(onnxruntime, warned.facts)


def listed(argument):
    """What it lists: providers, device, build."""
    import onnxruntime

    facts = {"providers_listed": list(onnxruntime.get_available_providers()), "device": str(onnxruntime.get_device())}
    # Both names came with 1.16 and 1.21; a wheel without CUDA has an empty version.
    for field, module, name in (
        ("build_info", onnxruntime, "get_build_info"),
        ("cuda_version", _build_constants(onnxruntime), "cuda_version"),
        ("cudnn_version", _build_constants(onnxruntime), "cudnn_version"),
    ):
        value = getattr(module, name, None)
        if value is not None:
            facts[field] = str(value() if callable(value) else value)
    if "cuda_version" not in facts and not _may_use_cuda(facts["providers_listed"]):
        facts["cuda_version"] = ""
    return facts


def _build_constants(onnxruntime):
    """The module that the build writes: cuda_version stands in it for the CUDA wheels."""
    try:
        from onnxruntime.capi import build_and_package_info
    except ImportError:
        return onnxruntime
    return build_and_package_info


def _may_use_cuda(providers):
    return any(name.startswith(("CUDA", "Tensorrt", "NvTensorRT")) for name in providers)


def providers(argument):
    """Start each provider with a model of one node, the CPU first, reported one by one."""
    import onnxruntime

    names = sorted(onnxruntime.get_available_providers(), key=lambda name: name != "CPUExecutionProvider")
    facts = [{"name": name} for name in names]
    yield {"providers": facts}
    for fact in facts:
        if fact["name"] in NO_DEVICE:
            continue
        with kit.Warned() as warned:
            fact.update(_start(onnxruntime, fact["name"]))
        yield {"providers": facts, "warnings": warned.facts}


def _start(onnxruntime, name):
    with kit.Captured() as captured:
        try:
            started, fell_back = _run(onnxruntime, name)
        except Exception as raised:
            started, fell_back, error = False, False, str(raised)
        else:
            error = None
    fact = {"started": started, "fell_back": fell_back}
    if not started:
        # The reason of a silent fallback is only printed.
        fact["error"] = "\n".join(text for text in (error, captured.text) if text)
    return fact


def _run(onnxruntime, name):
    """(whether it ran there, whether the session was made without the provider)."""
    import numpy as np

    options = {"providers": [name]}
    try:
        session = onnxruntime.InferenceSession(_model(), enable_fallback=0, **options)
    except TypeError:  # versions before 1.9 do not know the option, and have no fallback
        session = onnxruntime.InferenceSession(_model(), **options)
    if name not in session.get_providers():
        return False, True
    (result,) = session.run(None, {"x": np.array([1.5, -2.0], dtype=np.float32)})
    if result.tolist() != [3.0, -4.0]:
        raise ArithmeticError("1.5 + 1.5 and -2 - 2 gave %s" % result.tolist())
    return True, False


STAGES = (imported, listed, providers, kit.libraries)
ESSENTIAL = ("imported",)

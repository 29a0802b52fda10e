"""Conditions on the machine that a text describes, as the signatures of the causes state them.

A condition reads "<name> <operator> <value>", as in "compute_capability >= 8.0", "system == windows",
"package:numpy >= 2" or "gpu_and_build == newer-gpu". It holds, does not hold, or is not known; versions are
compared as numbers. A name that lists several values (the compute capabilities of all GPUs) holds where one does.
"""

from __future__ import annotations

import functools
import operator
import re
from collections.abc import Callable, Sequence

from checks.facts import Facts, FrameworkFacts, LocalProgram, NvidiaFacts, TorchFacts
from checks.facts.versions import release

_CONDITION = re.compile(r"(?P<name>[a-z_]+(?::[a-z0-9._-]+)?) (?P<operator>==|!=|<=|>=|<|>) (?P<value>[\w.+-]+)")
_COMPARE: dict[str, Callable[[tuple[int, ...], tuple[int, ...]], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class BadCondition(ValueError):  # noqa: N818 - named for what it is about
    """A condition that is not written as one, or asks for something that is not known here."""


def holds(condition: str, facts: Facts) -> bool | None:
    """Whether the condition holds on these facts; None where they are not known.

    Raises:
        BadCondition: it is not a condition.
    """
    pick, compare, value = _parsed(condition)
    values = pick(facts)
    if not values:
        return None
    if compare in ("==", "!="):
        return (value in values) == (compare == "==")
    wanted = release(value)
    return any(_COMPARE[compare](release(item), wanted) for item in values if release(item))


def is_known(name: str, facts: Facts) -> bool:
    """Whether the facts have what a condition can ask for under this name.

    Raises:
        BadCondition: there is no such name.
    """
    return bool(_picker(name)(facts))


@functools.cache
def _parsed(condition: str) -> tuple[Callable[[Facts], Sequence[str]], str, str]:
    found = _CONDITION.fullmatch(condition)
    if found is None:
        raise BadCondition(condition)
    return _picker(found["name"]), found["operator"], found["value"]


def _picker(name: str) -> Callable[[Facts], Sequence[str]]:
    kind, _, of = name.partition(":")
    if kind == "package" and of:
        return functools.partial(_package, name=of)
    if name not in _PICKERS:
        raise BadCondition(name)
    return _PICKERS[name]


# --- what can be asked for: each gives the known values, as text; none where nothing is known ------------------------


def _system(facts: Facts) -> Sequence[str]:
    os = facts.machine.os if facts.machine else None
    system = os.system if os else None
    if os is None or system is None:
        return ("linux", *_jetson(facts)) if _jetson(facts) else ()
    name = {"Darwin": "macos"}.get(system, system.lower())
    return (name, *(("wsl",) if os.wsl else ()), *(("container",) if os.container else ()), *_jetson(facts))


def _jetson(facts: Facts) -> Sequence[str]:
    return ("jetson",) if facts.machine and facts.machine.jetson is not None else ()


def _gpu_vendors(facts: Facts) -> Sequence[str]:
    machine = facts.machine
    vendors = {"10de": "nvidia", "1002": "amd", "8086": "intel"}
    listed = machine.gpus.devices if machine and machine.gpus else ()
    found = [vendors.get(gpu.vendor_id or "", "other") for gpu in listed]
    found += ["nvidia"] if machine and machine.nvidia and machine.nvidia.devices else []
    found += ["apple"] if machine and machine.apple else []
    return found


def _capabilities(facts: Facts) -> Sequence[str]:
    machine = facts.machine
    listed = machine.gpus.devices if machine and machine.gpus else ()
    found = [gpu.compute_capability for gpu in listed if gpu.compute_capability]
    found += [gpu.compute_capability for gpu in _nvidia(facts).devices or () if gpu.compute_capability]
    found += [
        device.compute_capability
        for _, framework in (facts.frameworks.each() if facts.frameworks else ())
        for device in getattr(framework, "devices", None) or ()
        if device.compute_capability
    ]
    jetson = machine.jetson if machine else None
    return [*found, *([jetson.compute_capability] if jetson and jetson.compute_capability else [])]


_MOST_DIGITS = 6  # of an architecture; a case may hold any text there


def _gpu_and_build(facts: Facts) -> Sequence[str]:
    """Whether the GPU is beyond every architecture that torch was built for, before all of them, or served."""
    built = [_number(arch) for arch in _torch(facts).arch_list or () if arch.startswith(("sm_", "comp"))]
    capabilities = [release(capability) for capability in _capabilities(facts)]
    here = [
        (capability[0] * 10 + (capability[1] if len(capability) > 1 else 0))
        for capability in capabilities
        if capability
    ]
    if not built or not here:
        return ()
    if max(here) > max(built) and max(here) // 10 > max(built) // 10:
        return ("newer-gpu",)
    return ("older-gpu",) if min(here) < min(built) else ("served",)


def _number(arch: str) -> int:
    digits = re.sub(r"\D", "", arch)[:_MOST_DIGITS]
    return int(digits) if digits else 0


def _nvidia(facts: Facts) -> NvidiaFacts:
    return (facts.machine.nvidia if facts.machine else None) or NvidiaFacts()


def _one(value: str | None) -> Sequence[str]:
    return (value,) if value else ()


def _framework(facts: Facts, name: str) -> Sequence[str]:
    framework = getattr(facts.frameworks, name) if facts.frameworks else None
    version = framework.version if isinstance(framework, FrameworkFacts) else None
    return _one(version) or _package(facts, name)


def _package(facts: Facts, name: str) -> Sequence[str]:
    interpreter = facts.target_interpreter
    package = interpreter.package(name) if interpreter else None
    return (package.version,) if package else ()


def _layers(program: LocalProgram) -> Sequence[str]:
    """How much of its model a program was seen to put on a GPU."""
    if program.layers is None:
        return ()
    return ("some",) if program.is_partly_on_gpu else ("all",) if program.is_whole_on_gpu else ("none",)


def _sized_differences(facts: Facts) -> Sequence[str]:
    """The differences of results that stand with the size of these, or are relative."""
    told = facts.numbers.differences if facts.numbers else ()
    return [str(one.relative or one.most) for one in told if one.scale or one.relative is not None]


def _torch(facts: Facts) -> TorchFacts:
    return (facts.frameworks.torch if facts.frameworks else None) or TorchFacts()


_PICKERS: dict[str, Callable[[Facts], Sequence[str]]] = {
    "system": _system,
    "gpu": _gpu_vendors,
    "compute_capability": _capabilities,
    "gpu_and_build": _gpu_and_build,
    "driver": lambda facts: _one(_nvidia(facts).driver_version),
    "nvidia_smi": lambda facts: _one(_nvidia(facts).nvml),  # that it works, or why it does not
    "gpu_memory": lambda facts: [
        str(gpu.memory_used) for gpu in _nvidia(facts).devices or () if gpu.memory_used is not None
    ],
    "local_layers": lambda facts: [layers for program in facts.local_programs or () for layers in _layers(program)],
    "toolkit": lambda facts: _one(facts.environment.nvcc_version if facts.environment else None),
    "python": lambda facts: _one(facts.target_interpreter.version if facts.target_interpreter else None),
    "cuda": lambda facts: [version for _, _, version in facts.frameworks.cuda_builds()] if facts.frameworks else (),
    "build": lambda facts: _one(_torch(facts).build),
    "difference": _sized_differences,
    "cuda_available": lambda facts: (
        () if _torch(facts).cuda_available is None else (str(_torch(facts).cuda_available).lower(),)
    ),
    **{
        name: functools.partial(_framework, name=name)
        for name in ("torch", "tensorflow", "jax", "onnxruntime", "tensorrt", "openvino", "coremltools")
    },
}

"""The checks, one cause, module and function each: how one is declared, and how all of them are found.

A check lives in checks/causes/<family>/<cause_id_with_underscores>.py as one function of the same name, decorated with
``@check("cause-id")``, under which its findings are filed. Its parameters, by their type annotations, are the facts
that it needs; ``X | None`` is taken as None where that fact was not collected. Nothing is registered anywhere else.
"""

import functools
import importlib
import pkgutil
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping

import msgspec

from checks import facts
from checks.causes import driver, environment, hardware, model, other, reproducibility
from checks.facts.finding import Finding

FAMILIES = (hardware, driver, environment, model, reproducibility, other)

CheckFunction = Callable[..., Iterable[Finding]]


class Check:
    """One check: its cause, its function, and the facts that it needs (parameter -> type, optional).

    ``from_whole``: it concludes from what is not there, so that only facts of a whole machine will do, and none that
    somebody pasted.
    """

    def __init__(self, cause: str, function: CheckFunction, *, from_whole: bool = False) -> None:
        self.cause = cause
        self.from_whole = from_whole
        self.function = function
        functools.update_wrapper(self, function)

    @functools.cached_property
    def wanted(self) -> dict[str, tuple[type, bool]]:
        """Parameter -> (type of fact, whether it may be missing)."""
        hints = typing.get_type_hints(self.function)
        hints.pop("return", None)
        return {name: _kind(hint) for name, hint in hints.items()}

    def __call__(self, *args: object, **kwargs: object) -> Iterator[Finding]:
        """The findings of the function, under this cause."""
        for finding in self.function(*args, **kwargs):
            yield msgspec.structs.replace(finding, cause=self.cause)


def check(cause: str, *, from_whole: bool = False) -> Callable[[CheckFunction], Check]:
    """Declare a check for one cause id."""
    return functools.partial(Check, cause, from_whole=from_whole)


@functools.cache
def all_checks() -> Mapping[str, Check]:
    """Every check of every family, by cause id, in the order of the families and then of the names.

    Raises:
        ValueError: two modules claim the same cause.
    """
    found: dict[str, Check] = {}
    for family in FAMILIES:
        for module in sorted(pkgutil.iter_modules(family.__path__), key=lambda module: module.name):
            loaded = importlib.import_module(f"{family.__name__}.{module.name}")
            for value in vars(loaded).values():
                if not isinstance(value, Check) or value.__module__ != loaded.__name__:
                    continue
                if value.cause in found:
                    raise ValueError(f"two checks for {value.cause}")
                found[value.cause] = value
    return found


def _kind(hint: object) -> tuple[type, bool]:
    if isinstance(hint, type):
        return hint, False
    if isinstance(hint, types.UnionType) or typing.get_origin(hint) is typing.Union:
        kinds = [get_arg for get_arg in typing.get_args(hint) if get_arg is not type(None)]
        if len(kinds) == 1 and isinstance(kinds[0], type):
            return kinds[0], True
    raise TypeError(f"a check's parameter must be one type of fact, or one or None: {hint}")


# Where each type of fact lies within Facts. The name is also its label's id and the key in ``Facts.missing``.
KINDS: dict[type, tuple[str, Callable[[facts.Facts], object | None]]] = {
    facts.Facts: ("facts", lambda all_: all_),
    facts.MachineFacts: ("machine", lambda all_: all_.machine),
    facts.OsFacts: ("os", lambda all_: all_.machine and all_.machine.os),
    facts.CpuFacts: ("cpu", lambda all_: all_.machine and all_.machine.cpu),
    facts.MemoryFacts: ("memory", lambda all_: all_.machine and all_.machine.memory),
    facts.Gpus: ("gpus", lambda all_: all_.machine and all_.machine.gpus),
    facts.NvidiaFacts: ("nvidia", lambda all_: all_.machine and all_.machine.nvidia),
    facts.AmdFacts: ("amd", lambda all_: all_.machine and all_.machine.amd),
    facts.IntelFacts: ("intel", lambda all_: all_.machine and all_.machine.intel),
    facts.AppleFacts: ("apple", lambda all_: all_.machine and all_.machine.apple),
    facts.SystemLog: ("log", lambda all_: all_.machine and all_.machine.log),
    facts.JetsonFacts: ("jetson", lambda all_: all_.machine and all_.machine.jetson),
    facts.InterpreterFacts: ("interpreter", lambda all_: all_.target_interpreter),
    facts.InstalledFiles: ("installed", lambda all_: all_.installed),
    facts.SearchedFacts: ("searched", lambda all_: all_.searched),
    facts.Frameworks: ("frameworks", lambda all_: all_.frameworks),
    facts.TorchFacts: ("torch", lambda all_: all_.frameworks and all_.frameworks.torch),
    facts.OnnxRuntimeFacts: ("onnxruntime", lambda all_: all_.frameworks and all_.frameworks.onnxruntime),
    facts.TensorFlowFacts: ("tensorflow", lambda all_: all_.frameworks and all_.frameworks.tensorflow),
    facts.JaxFacts: ("jax", lambda all_: all_.frameworks and all_.frameworks.jax),
    facts.TensorRtFacts: ("tensorrt", lambda all_: all_.frameworks and all_.frameworks.tensorrt),
    facts.LiteRtFacts: ("litert", lambda all_: all_.frameworks and all_.frameworks.litert),
    facts.OpenVinoFacts: ("openvino", lambda all_: all_.frameworks and all_.frameworks.openvino),
    facts.CoreMlToolsFacts: ("coremltools", lambda all_: all_.frameworks and all_.frameworks.coremltools),
    facts.EnvironmentVariables: ("environment", lambda all_: all_.environment),
    facts.ProbeRuns: ("probes", lambda all_: all_.probes),
    facts.ProgramRuns: ("runs", lambda all_: all_.program_runs),
    facts.ModelFiles: ("models", lambda all_: facts.ModelFiles(files=all_.models) if all_.models else None),
    facts.Measurements: (
        "measurements",
        lambda all_: facts.Measurements(all=all_.measurements) if all_.measurements else None,
    ),
    facts.ServedFacts: ("served", lambda all_: all_.served),
    facts.ServedPair: ("served_pair", lambda all_: all_.served_pair),
    facts.History: ("history", lambda all_: all_.history),
    facts.Symptom: ("symptom", lambda all_: all_.symptom),
}

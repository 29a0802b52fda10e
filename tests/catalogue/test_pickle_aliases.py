"""No name that a pickle may use without a word leads, by way of an import, to something that is not known itself."""

import importlib
import pkgutil
import warnings
from collections.abc import Iterator
from types import ModuleType

import pytest
from support.extent import some

from checks.knowledge.formats.pickle_globals import KNOWN, PickleGlobalsTable, risk

# Where what is imported can do no harm, whatever it is given: numbers, arrays, notes on types, errors.
HARMLESS = (
    *("abc", "builtins", "collections", "itertools", "math", "numbers", "numpy", "scipy", "sklearn", "typing"),
    *("typing_extensions", "_propack", "_cyutility", "functools"),
)
HARMLESS_OF_TORCH = (
    *("torch.Size", "torch.Tensor", "torch._opaque_base", "torch.ao", "torch.autograd.grad_mode", "torch.backends"),
    *("torch.utils._pytree", "torch.optim._multi_tensor", "torch.nn.modules"),
)


KNOWN_ROWS = PickleGlobalsTable.read().known
FOLDERS = tuple(f"{module}." for row in KNOWN_ROWS for module in (*row.classes, *row.functions))
NAMED = frozenset(name for row in KNOWN_ROWS for name in row.names)
WITHOUT = frozenset(module for row in KNOWN_ROWS for module in row.without)
INSTALLED = sorted({folder[:-1] for folder in FOLDERS if folder.partition(".")[0] in ("torch", "scipy", "sklearn")})


def modules_below(name: str) -> Iterator[ModuleType]:
    try:
        module = importlib.import_module(name)
    except (ImportError, OSError, RuntimeError, AttributeError):  # what it asks for is not installed
        return
    yield module
    for found in pkgutil.iter_modules(getattr(module, "__path__", ())):
        if found.name not in ("tests", "conftest") and f"{name}.{found.name}" not in WITHOUT:
            yield from modules_below(f"{name}.{found.name}")


def leads_to(module: ModuleType, name: str, value: object) -> str:
    """The real path of what a file may call by this name without a word; "" where nothing stands against it."""
    home = getattr(value, "__module__", None) or ""
    path = f"{home}.{getattr(value, '__qualname__', name)}"
    if not callable(value) or isinstance(value, ModuleType) or not home or f"{module.__name__}.{name}" in NAMED:
        return ""
    if risk(module.__name__, name) != KNOWN or f"{home}.".startswith(FOLDERS):
        return ""
    return "" if home.partition(".")[0] in HARMLESS or path.startswith(HARMLESS_OF_TORCH) else path


@pytest.mark.parametrize("folder", some(INSTALLED, 6))
def test_an_alias_is_not_known(folder: str) -> None:
    importlib.import_module(folder.partition(".")[0])  # each is installed with the tests: a missing one is a fault
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        modules = list(modules_below(folder))
        reached = [
            f"{module.__name__}.{name} is {path}"
            for module in modules
            for name, value in list(vars(module).items())
            if (path := leads_to(module, name, value))
        ]
    assert reached == []

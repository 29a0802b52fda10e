"""Names that a pickle can import: which are known from weights, which run commands or code, which torch.load takes."""

import functools
import re

import msgspec

from checks.knowledge import Row, Table

DANGEROUS, KNOWN, UNKNOWN = "dangerous", "known", "unknown"


class Dangerous(Row):
    """Names that can do harm. ``does``: what they do; an id of resources/words/models.toml ("does-commands").

    ``modules`` cover all below them; ``attributes`` are parts of dotted names, whatever they belong to.
    """

    does: str
    modules: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()


class Known(Row):
    """Names that weights and usual checkpoints need.

    ``classes``: modules whose classes are all known; ``functions``: those whose functions are, where none is called;
    ``without``: modules below them of which only what is named is known, since they import other things as well;
    ``foreign``: what any of them only imports. No pickler names it there, but who looks for an alias does.
    """

    why: str
    names: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    functions: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    foreign: tuple[str, ...] = ()


class WeightsOnly(Row):
    """What torch.load(weights_only=True) takes. ``opcodes``: one character each."""

    default_since: str
    names: tuple[str, ...]
    opcodes: str


class PickleGlobalsTable(Table):
    dangerous: tuple[Dangerous, ...]
    known: tuple[Known, ...]
    weights_only: WeightsOnly


def risk(module: str, name: str, *, is_called: bool = False) -> str:
    """How far a name can be trusted: "dangerous", "unknown" or "known".

    ``is_called``: as a function is. A class that is only known with all others of its module is then not known: what it
    does with arguments of the file's choice, nobody has looked at.
    """
    if what_it_does(module, name):
        return DANGEROUS
    name = name.removesuffix(".__new__")  # which makes an object, as a pickle of a class does
    is_known = _is_known(module, name, is_called=is_called) or is_taken_by_weights_only(module, name)
    return KNOWN if is_known else UNKNOWN


def what_it_does(module: str, name: str) -> str:
    """What a dangerous name does ("commands", "code", "network", ...); "" for any other."""
    deeds = _deeds()
    parts = name.split(".")
    # A dotted name goes from attribute to attribute, and may come out anywhere: torch._utils + "os.system".
    # ... and modules import others under names of their own: random + "_os.system".
    suffixes = (".".join(parts[start:]).lstrip("_") for start in range(len(parts) if len(parts) > 1 else 0))
    found = (_covering(deeds.covered, path) for path in (f"{module}.{name}", *suffixes))
    reached = (deeds.attributes.get(part, "") for part in parts)
    return next(filter(None, (*found, *reached)), "")


def is_taken_by_weights_only(module: str, name: str) -> bool:
    """Whether torch.load takes the name by default since 2.6."""
    return _weights_only_names().fullmatch(f"{module}.{name}") is not None


@functools.cache
def weights_only_opcodes() -> frozenset[int]:
    """The opcodes that torch.load follows by default since 2.6."""
    return frozenset(map(ord, PickleGlobalsTable.read().weights_only.opcodes))


class _Deeds(msgspec.Struct, frozen=True):
    """What the rows of dangerous names cover: module or name -> what it does; attribute -> what it does."""

    covered: dict[str, str]
    attributes: dict[str, str]


@functools.cache
def _deeds() -> _Deeds:
    rows = PickleGlobalsTable.read().dangerous
    return _Deeds(
        covered={module: row.does for row in rows for module in (*row.modules, *row.names)},
        attributes={attribute: row.does for row in rows for attribute in row.attributes},
    )


def _covering(covered: dict[str, str], path: str) -> str:
    """What the row does that names the path or something above it."""
    end = len(path)
    while end > 0:
        if found := covered.get(path[:end]):
            return found
        end = path.rfind(".", 0, end)
    return ""


class _Known(msgspec.Struct, frozen=True):
    """What the rows of known names cover."""

    names: frozenset[str]
    classes: frozenset[str]
    functions: frozenset[str]
    without: frozenset[str]
    foreign: frozenset[str]


@functools.cache
def _known() -> _Known:
    rows = PickleGlobalsTable.read().known
    return _Known(
        names=frozenset(name for row in rows for name in row.names),
        classes=frozenset(module for row in rows for module in row.classes),
        functions=frozenset(module for row in rows for module in row.functions),
        without=frozenset(module for row in rows for module in row.without),
        foreign=frozenset(name for row in rows for name in row.foreign),
    )


def _is_known(module: str, name: str, *, is_called: bool) -> bool:
    if f"{module}.{name}" in _known().names:
        return True
    if is_called or "." in name or name in _known().foreign:
        return False
    is_class = name.lstrip("_")[:1].isupper()
    parts = module.split(".")
    above = {".".join(parts[:end]) for end in range(1, len(parts) + 1)}
    modules = _known().classes if is_class else _known().functions
    return bool(above & modules) and not above & _known().without


@functools.cache
def _weights_only_names() -> re.Pattern[str]:
    names = PickleGlobalsTable.read().weights_only.names
    return re.compile("|".join(re.escape(name).replace(r"\*", r"\w*") for name in names))

"""The notes that are made about a pickle's values in the place of the values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from checks.readers.containers.source import Damaged

COMPUTED = ("", "(computed)")  # what would be imported is not written in the stream
UNREAD = ("", "(unread pickle)")  # what another unpickler would be given is not written in one piece
COMPUTED_PICKLE = ("", "(computed pickle)")  # ... but made by calls, so that nobody sees it beforehand
RESULT_CALLED = ("", "(call of a result)")  # something is called that the stream made, under no name of its own
CHANGED = ("", "(change of what is imported)")  # a module, class or function is changed for the whole process
# How joblib keeps arrays: their bytes follow in the stream once such an object is built.
JOBLIB_ARRAYS = {
    "joblib.numpy_pickle.NumpyArrayWrapper",
    "sklearn.externals.joblib.numpy_pickle.NumpyArrayWrapper",
}


class Unknown:
    """A value that was not kept or cannot be known. There is one: UNKNOWN."""

    __slots__ = ()


UNKNOWN: Final = Unknown()


@dataclass(frozen=True, slots=True)
class Blob:
    """Bytes that were stepped over; ``short`` are the bytes themselves where there are few. ``is_text``: UTF-8."""

    start: int
    size: int
    short: bytes | None = None
    is_text: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Global:
    """A class or function by its name. ``resolved``: from getattr() with known arguments, not from an import."""

    module: str
    name: str
    resolved: bool = False

    @property
    def path(self) -> str:
        """Its dotted name."""
        return f"{self.module}.{self.name}"

    @property
    def is_class(self) -> bool:
        """Whether it is written as a class is; what is not counts as called in any case."""
        return self.name.lstrip("_")[:1].isupper()


@dataclass(frozen=True, slots=True, eq=False)
class Persistent:
    """What the loading program would supply by an id: the storage of a tensor."""

    id: Value


class Node:
    """A container, or what a class or function would make. Only what the stream adds to it is known.

    ``maker``: None for a plain dict, list or set (then ``kind`` tells which). ``count``: entries and elements
    together, also those that were not kept.
    """

    __slots__ = ("args", "count", "elements", "entries", "kind", "maker", "state")

    def __init__(self, kind: str, maker: Value = None, args: tuple[Value, ...] = ()) -> None:
        self.kind = kind  # "dict", "list", "set", "made"
        self.maker = maker
        self.args = args
        self.entries: dict[str | int, Value] = {}
        self.elements: list[Value] = []
        self.state: Value = None
        self.count = 0

    @property
    def held(self) -> tuple[Value, ...]:
        """All that it holds and was made of."""
        return (*self.args, *self.entries.values(), *self.elements, self.state)

    @property
    def made_by(self) -> str:
        """The dotted name of what would make it; "" for a plain container or where it is not known."""
        return self.maker.path if isinstance(self.maker, Global) else ""


Value = None | bool | int | float | str | Blob | Global | Persistent | Node | Unknown | tuple["Value", ...]


@dataclass(slots=True)
class Pickle:
    """What one stream says. ``problem`` is set where it could not be followed to its end."""

    protocol: int = 0
    root: Value = None
    start: int = 0
    end: int = 0  # of the stream: where the next thing in the file begins
    # (module, name) that would be imported -> whether it would also be called, as a function is or with its __init__
    names: dict[tuple[str, str], bool] = field(default_factory=dict)
    calls: dict[tuple[str, str], str] = field(default_factory=dict)  # of what is called: what it is first given
    opcodes: set[int] = field(default_factory=set)
    persistent: list[Persistent] = field(default_factory=list)
    inner: list[Blob | str] = field(default_factory=list)  # what is handed to another unpickler; str: one per byte
    steps: int = 0
    is_whole: bool = True  # nothing had to be left out of ``root``
    problem: Damaged | None = None


_MOST_DESCRIBED = 200  # characters


def described(values: tuple[Value, ...]) -> str:
    """What a call is given, in the words of Python as far as it is plain, and not long."""
    text = ""
    for value in values:
        text += (", " if text else "") + _described(value, 2)
        if len(text) > _MOST_DESCRIBED:
            return text[: _MOST_DESCRIBED - 1] + "…"
    return text


def _described(value: Value, depth: int) -> str:
    if isinstance(value, str):
        return repr(value[:_MOST_DESCRIBED])
    if isinstance(value, Global):
        return value.path[:_MOST_DESCRIBED]
    if isinstance(value, Blob):
        return f"<{value.size} bytes>"
    if isinstance(value, int | float | None):
        return repr(value) if not isinstance(value, int) or abs(value) < 1 << 64 else "…"
    parts = value if isinstance(value, tuple) else value.elements if isinstance(value, Node) else ()
    if parts and depth:
        return "[" + ", ".join(_described(part, depth - 1) for part in parts[:4]) + ("…]" if len(parts) > 4 else "]")
    return f"{value.made_by}(…)" if isinstance(value, Node) and value.made_by else "…"

"""Model file formats: how far each is bound to its environment, what reads it, whether loading it can run code."""

import functools

from checks.facts import Binding
from checks.knowledge import Row, Table
from checks.knowledge.packages.ai_packages import AiPackages
from checks.languages import translated

SETTINGS = "loader-settings"  # what lies beside weights and has none


class ModelFormat(Row):
    """One format. ``bound_to``, ``runs_code`` and ``group`` are ids of resources/words/models.toml.

    ``also``: endings that its files bear beside its own ``extensions``. ``group``: "free" (moves between machines),
    "bound" (made for one environment). ``readers``: programs that load it, by the names of the fields of Frameworks
    where they are one, else by package or program. ``retired``: the year of the last release of the framework that
    wrote it, for formats of the past.
    """

    id: str
    name: str
    name_ja: str = ""
    extensions: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    group: str
    dependence: str
    bound_to: tuple[str, ...] = ()
    runs_code: str  # "no", "yes", "device", "unless-safe"
    readers: tuple[str, ...] = ()
    retired: int | None = None
    source: str = ""

    def named(self, language: str) -> str:
        """The name in a language."""
        return self.name_ja if language == "ja" and self.name_ja else translated(self.name, language)

    @property
    def bindings(self) -> tuple[Binding, ...]:
        """What every file of the format is bound to, as facts without a value."""
        return tuple(Binding(kind=environment) for environment in self.bound_to)


class Reader(Row):
    """A program among the ``readers`` of the formats that comes as a Python distribution, and under which names."""

    id: str
    packages: tuple[str, ...]


class ModelFormatsTable(Table):
    format: tuple[ModelFormat, ...]
    reader: tuple[Reader, ...]


@functools.cache
def _by_id() -> dict[str, ModelFormat]:
    return {row.id: row for row in ModelFormatsTable.read().format}


def model_format(format_id: str) -> ModelFormat | None:
    """The row of a format; None where the table has none."""
    return _by_id().get(format_id)


def wrong_ending(path: str, format_id: str) -> str:
    """The ending of a file's name where it is that of other formats alone; "" where it fits, or says nothing."""
    row, name = model_format(format_id), path.lower()
    if (
        row is None
        or not row.extensions
        or name.endswith(tuple(extension.lower() for extension in (*row.extensions, *row.also)))
    ):
        return ""
    return max(
        (ending for ending in _endings() if ending.startswith(".") and name.endswith(ending)), key=len, default=""
    )


def fitting_path(path: str, format_id: str) -> str:
    """The path with the ending that files of a format have: "/m/net.onnx" -> "/m/net.tflite"."""
    row, ending = model_format(format_id), wrong_ending(path, format_id)
    own = row.extensions[0].partition(" ")[0] if row and row.extensions else ""
    if own.startswith((".", "_", "-")):
        return path[: len(path) - len(ending)] + own
    return path[: max(path.rfind("/"), path.rfind("\\")) + 1] + own


def format_named(name: str, language: str) -> str:
    """The name of a format, as a finding tells it, in "en" or "ja"."""
    return next((row.named(language) for row in ModelFormatsTable.read().format if row.name == name), name)


def is_named_as_model(name: str) -> bool:
    """Whether a name ends as the files of a format do."""
    return name.lower().endswith(_endings())


@functools.cache
def _endings() -> tuple[str, ...]:
    return tuple({extension.lower() for row in ModelFormatsTable.read().format for extension in row.extensions})


@functools.cache
def distributions_of(reader: str) -> tuple[str, ...]:
    """The distributions (normalised names) that bring a reader; () where it is no Python package."""
    rows = ((row.id, row.packages) for row in ModelFormatsTable.read().reader)
    frameworks = ((row.name, row.packages) for row in AiPackages.read().framework)
    return next((packages for name, packages in (*rows, *frameworks) if name == reader), ())

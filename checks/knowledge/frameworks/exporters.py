"""The exporters of models, and whether one fits what is installed in an interpreter."""

from collections.abc import Iterator
from dataclasses import dataclass

from packaging.requirements import Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from checks.facts import InterpreterFacts, Package, UnmetNeed
from checks.knowledge import Row, Table
from checks.knowledge.formats.model_formats import distributions_of

# What a requirement's name stands for: the same program under other names.
FAMILIES = ("tensorflow", "onnxruntime")
TORCH, TENSORFLOW = "torch", "tensorflow"
_FRAMEWORKS = {"torchscript": TORCH, "pt2": TORCH, "onnx": ""}


class Exporter(Row):
    """One exporter. ``unsupported`` and ``misfit`` are ids of causes; "" where there is none for it."""

    id: str
    name: str
    packages: tuple[str, ...]
    formats: tuple[str, ...]
    writes: str
    runner: str = ""
    tried: bool = True
    unsupported: str = ""
    misfit: str


class ExporterRelease(Row):
    """What a release of an exporter's package works with."""

    exporter: str
    package: str
    versions: str
    needs: tuple[str, ...] = ()
    tested: tuple[str, ...] = ()
    python: str = ""
    source: str


class ExportersTable(Table):
    choices: tuple[str, ...]
    exporter: tuple[Exporter, ...]
    release: tuple[ExporterRelease, ...]


@dataclass(frozen=True)
class Fit:
    """Whether an exporter fits an interpreter. ``state``: "fits", "untested", "misfit", "not-installed", "unknown".

    ``versions``: the packages that matter to it, as they are installed. "unknown": the packages were not read.
    """

    exporter: Exporter
    state: str
    versions: dict[str, str]
    unmet: tuple[UnmetNeed, ...] = ()
    release: ExporterRelease | None = None


def exporter_of(exporter_id: str) -> Exporter | None:
    """The exporter of an id; None where a newer version wrote it."""
    return next((row for row in ExportersTable.read().exporter if row.id == exporter_id), None)


def exporters_for(model_format: str) -> tuple[Exporter, ...]:
    """Those that take a model of this format."""
    return tuple(row for row in ExportersTable.read().exporter if model_format in row.formats)


def framework_of(model_format: str) -> str:
    """The framework that a model of this format is loaded by before it is exported; "" for none."""
    return _FRAMEWORKS.get(model_format, TENSORFLOW)


def fit_of(exporter: Exporter, model_format: str, target: InterpreterFacts) -> Fit:
    """Whether it fits what is installed, for models of a format."""
    if target.packages is None:
        return Fit(exporter, "unknown", {})
    framework = framework_of(model_format)
    package = next((found for name in exporter.packages if (found := _installed(name, target))), None)
    if package is None or (framework and _installed(framework, target) is None):
        return Fit(exporter, "not-installed", {})
    row = _row(exporter, package)
    versions = _versions(exporter, package, row, framework, target)
    if row is None:
        return Fit(exporter, "fits", versions)
    missing = tuple(_unmet(row.needs, target, missing_counts=True))
    if row.python and _is_in(row.python, target.version) is False:
        missing = (*missing, UnmetNeed(needed=f"Python{row.python}", found=target.version or ""))
    if missing:
        return Fit(exporter, "misfit", versions, missing, row)
    untested = tuple(_unmet(_about(framework, row.tested), target, missing_counts=False))
    return Fit(exporter, "untested" if untested else "fits", versions, untested, row)


def _about(framework: str, lines: tuple[str, ...]) -> tuple[str, ...]:
    """Without what concerns another framework than the one that the model is of."""
    others = {TORCH, TENSORFLOW} - {framework}
    return tuple(line for line in lines if canonicalize_name(Requirement(line).name) not in others)


def _installed(name: str, target: InterpreterFacts) -> Package | None:
    names = distributions_of(name) if name in FAMILIES else (name,)
    return target.package(*names)


def _row(exporter: Exporter, package: Package) -> ExporterRelease | None:
    rows = [row for row in ExportersTable.read().release if row.exporter == exporter.id]
    return next(
        (
            row
            for row in rows
            if package.name in _names_of(row.package) and _is_in(row.versions, package.version) is True
        ),
        None,
    )


def _names_of(name: str) -> tuple[str, ...]:
    return distributions_of(name) if name in FAMILIES else (name,)


def _unmet(lines: tuple[str, ...], target: InterpreterFacts, *, missing_counts: bool) -> Iterator[UnmetNeed]:
    """The requirements that are not met; what is not installed only where it must be."""
    for line in lines:
        wish = Requirement(line)
        package = _installed(canonicalize_name(wish.name), target)
        if package is None:
            if missing_counts:
                yield UnmetNeed(needed=line)
        elif _is_in(str(wish.specifier), package.version) is False:
            yield UnmetNeed(needed=line, found=f"{package.name} {package.version}")


def _is_in(specifier: str, version: str | None) -> bool | None:
    """Whether a version is meant; a build of one ("2.7.0+cu128") is that version. None where it cannot be read."""
    try:
        return SpecifierSet(specifier).contains(Version(Version(version or "").public), prereleases=True)
    except (InvalidVersion, InvalidSpecifier, ValueError):  # or a number longer than Python converts
        return None


def _versions(
    exporter: Exporter, package: Package, row: ExporterRelease | None, framework: str, target: InterpreterFacts
) -> dict[str, str]:
    """The packages that an export depends on, as they are installed."""
    lines = (*_about(framework, (*row.needs, *row.tested) if row else ()), exporter.runner, framework)
    names = dict.fromkeys(canonicalize_name(Requirement(line).name) for line in lines if line)
    found = [package, *filter(None, (_installed(name, target) for name in names))]
    return {package.name: package.version for package in found}

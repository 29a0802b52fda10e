"""Whether a value may stand in a command: every placeholder has a kind, and each kind its grammar.

A value can come out of a stranger's report, text, model file or metadata, and quoting alone does not help: a sender who
chooses the package chooses what is installed. So a name must be one that our tables know, or that is installed on this
machine and was read here; and no program or file lies on another computer. What is refused is shown, never pasted.
"""

import functools
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from checks.facts import Facts, Package
from checks.knowledge.commands.placeholders import Kind, device_groups, kinds
from checks.knowledge.errors.import_errors import fits
from checks.knowledge.frameworks.torch import INDEX
from checks.knowledge.packages.environment_variables import allowed_names
from checks.knowledge.packages.import_packages import distributions_of, is_named, is_standard
from checks.knowledge.packages.known_packages import is_known_package
from checks.knowledge.packages.python_parts import packages_of_parts
from checks.knowledge.packages.system_libraries import names_of_libraries, packages_of_libraries
from checks.knowledge.packages.variable_values import is_accepted_word

_LONGEST = 1000  # characters of one value
_LONGEST_SHOWN = 80
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?")
_SPECIFIER = re.compile(r"(?:(?:[<>]=?|[=!~]=)[A-Za-z0-9.+!_-]{1,40}(?:\.\*)?)?")
# Another computer's file, or an address: \\server, //server, \??\UNC, file:, PowerShell's provider::.
_ELSEWHERE = re.compile(r"\s*(?:[\\/]\s*[\\/?]|[A-Za-z][\w+.-]+:|.*::)", re.DOTALL)
# Where a program of this computer does not lie: what is mounted from another one on use, and what is no file.
_NO_PROGRAM = re.compile(r"/(?:net|Network|afs|proc|dev|sys)/|.*/gvfs/", re.IGNORECASE)
_FROM_ROOT = re.compile(r"(?:/|~[/\\]|[A-Za-z]:[\\/]).*", re.DOTALL)
_PYTHON = re.compile(
    r"(?:(?:i|b|maya|graal|micro)?py(?:thon|py)?|hython)w?[\d.]*t?(?:[-_][\w.]+)?(?:\.exe)?", re.IGNORECASE | re.ASCII
)
_LIBRARY_FOLDER = r"/(?:usr/)?(?:local/)?lib(?:32|64)?/(?:\w[\w.+-]{0,60}/){0,8}"
_MODULE = r"[A-Za-z_]\w{0,60}(?:\.\w{1,60}){0,9}"
_NODE = r"/?[\w.@-]{1,120}(?:/[\w.@-]{1,120}){0,20}"  # as exporters name nodes: "/layers.0/Conv"
_VARIABLE = r"[A-Za-z_][A-Za-z0-9_]{0,99}"
_PATTERNS = {
    Kind.SYSTEM_RELEASE: r"[a-z0-9][a-z0-9+.-]{1,80}(?::[a-z0-9]{1,10})?=[0-9][0-9A-Za-z.+:~-]{0,80}",
    Kind.DATA_NAME: r"[A-Za-z]\w{0,60}",
    Kind.VERSION: r"\d{1,6}(?:\.\d{1,6}){0,3}(?:[a-z]{1,4}\d{0,4})?",
    Kind.NUMBER: r"\d{1,6}",
    Kind.DEVICE: r"(?:cuda|xpu|mps|cpu|hpu|npu)(?::\d{1,3})?",
    Kind.LIBRARY: rf"(?:{_LIBRARY_FOLDER})?[A-Za-z_][\w.+-]{{0,99}}\.(?:so(?:\.\d{{1,6}}){{0,4}}|dll|dylib)",
    Kind.SETTINGS_FILE: r"/(?:etc|run|lib|usr/lib|usr/local/lib)/modprobe\.d/[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}\.conf",
    Kind.INSTALLED_MODULES: rf"{_MODULE}(?:, {_MODULE}){{0,9}}",
    Kind.NODES: rf"{_NODE}(?:, {_NODE}){{0,19}}",
    Kind.MODULES: rf"{_MODULE}(?:, {_MODULE}){{0,19}}",
    Kind.STATEMENT: rf"(?:from {_MODULE} )?import {_MODULE}",
    Kind.URL: re.escape(INDEX) + r"(?:nightly/)?(?:cpu|xpu|cu\d{2,3}|rocm\d{1,2}(?:\.\d{1,2}){1,2})",
}


@dataclass(frozen=True)
class Origin:
    """Where the facts of a case come from. By default a stranger says all of it."""

    is_here: bool = False  # this process read them on this machine
    packages: tuple[Package, ...] = ()  # that are installed here
    models: tuple[str, ...] = ()  # the paths that were given here
    variables: frozenset[str] = frozenset()  # that programs quoted here: names of this process's own environment

    @classmethod
    def of(cls, facts: Facts) -> "Origin":
        """Of the facts of a case."""
        if not facts.here:
            return cls()
        target = facts.target_interpreter
        return cls(
            is_here=True,
            packages=(target.packages or ()) if target else (),
            models=tuple(model.path for model in facts.models),
            variables=frozenset(name for run in facts.runs for name in run.quoted_variables),
        )

    def refusal(self, placeholder: str, value: str) -> str:
        """Why a value may not stand in a command: a key of resources/words/phrases.toml, "" where it may.

        Raises:
            KeyError: the placeholder has no kind.
        """
        kind = kinds()[placeholder]
        if len(value) > _LONGEST:
            return "value-unfit"
        return "" if self._fits(kind, value) else _REFUSALS.get(kind, "value-unfit")

    def _fits(self, kind: Kind, value: str) -> bool:
        if kind is Kind.LIBRARY and value in names_of_libraries():
            return True
        if kind in _PATTERNS and not re.fullmatch(_PATTERNS[kind], value, re.ASCII):
            return False
        match kind:
            case Kind.PACKAGE | Kind.CONDA_PACKAGE:
                return self._knows(value, of_conda=kind is Kind.CONDA_PACKAGE)
            case Kind.REQUIREMENTS:
                return bool(value.split()) and all(map(self._is_requirement, value.split()))
            case Kind.STATEMENT:
                return self._is_known_module(value.split()[1])
            case Kind.INSTALLED_MODULES:
                return self.is_here or all(map(is_named, value.split(", ")))
            case Kind.PATH:
                return bool(value) and (not _ELSEWHERE.match(value) or value in self.models)
            case Kind.PROGRAM:
                return self._is_program(value)
            case Kind.SYSTEM_RELEASE:
                return self.is_here or re.split("[:=]", value)[0] in packages_of_libraries()
            case Kind.VARIABLE:
                return value in allowed_names() or (
                    value in self.variables and re.fullmatch(_VARIABLE, value, re.ASCII) is not None
                )
            case _:
                return kind not in _IN_TABLES or _IN_TABLES[kind](value)

    def _knows(self, name: str, *, of_conda: bool = False) -> bool:
        if not _NAME.fullmatch(name):
            return False
        return is_known_package(name, of_conda=of_conda) or self._has(canonicalize_name(name))

    def _has(self, name: str) -> bool:
        """Whether a package is installed here, or one that is asks for it."""
        return any(
            package.name == name or any(_name_in(wish) == name for wish in package.requires or ())
            for package in self.packages
        )

    def _is_known_module(self, module: str) -> bool:
        """Whether importing it runs what a table knows, what comes with Python, or what is installed here."""
        names = distributions_of(module)
        return is_named(module) or is_standard(module) or any(self._knows(name) for name in names)

    def _is_requirement(self, word: str) -> bool:
        wish = _parsed(word)
        if wish is None or wish.url or wish.marker or not all(map(_NAME.fullmatch, wish.extras)):
            return False
        plain = all(_SPECIFIER.fullmatch(str(specifier)) for specifier in wish.specifier)
        return plain and all(each.operator != "===" for each in wish.specifier) and self._knows(wish.name)

    def _is_program(self, path: str) -> bool:
        """A Python on this computer; one that was read here may have another name and lie on a mounted disk."""
        name = path.replace("\\", "/").rpartition("/")[2]
        if path != name and (not _FROM_ROOT.fullmatch(path) or _ELSEWHERE.match(path)):
            return False
        is_python = _PYTHON.fullmatch(name) is not None
        return (is_python and not _NO_PROGRAM.match(path)) or (self.is_here and bool(name) and path != name)


# Kinds whose values are those that a table of ours names.
_IN_TABLES: Mapping[Kind, Callable[[str], bool]] = {
    Kind.SYSTEM_PACKAGE: lambda name: name in packages_of_parts() | packages_of_libraries(),
    Kind.MODULES: lambda names: all(map(is_named, names.split(", "))),
    Kind.SETTING: lambda value: is_accepted_word(value) or value in fits(),
    Kind.GROUP: lambda name: name in device_groups(),
}

_REFUSALS: Mapping[Kind, str] = {
    Kind.PACKAGE: "value-unknown-package",
    Kind.CONDA_PACKAGE: "value-unknown-package",
    Kind.REQUIREMENTS: "value-unknown-package",
    Kind.PROGRAM: "value-no-program",
}


def quoted(value: str) -> str:
    """A refused value as a sentence shows it: in quotation marks, on one line and not for long."""
    line = " ".join(value.replace('"', "'").split())
    return f"“{line[:_LONGEST_SHOWN]}{'…' if len(line) > _LONGEST_SHOWN else ''}”"


@functools.lru_cache(maxsize=1024)  # each is asked about for every command that it stands in
def _parsed(line: str) -> Requirement | None:
    try:
        return Requirement(line)
    except InvalidRequirement:
        return None


def _name_in(wish: str) -> str:
    """The normalised name that a line of "Requires-Dist" begins with; "" where it does not ask for a release."""
    found = _NAME.match(wish)
    return canonicalize_name(found[0]) if found and "@" not in wish else ""

"""What an exception says is not there: a module, a name of a module, or a package that another asks for in words.

Of which distribution it is, who asked for it, and whether it is a package's own part: the causes that speak of missing
and unfitting packages share this reading, so that each exception belongs to one of them.
"""

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from checks.analysis.failures.at_import import Trouble, troubles
from checks.analysis.failures.owners import asked_by, module_of_file, owner_of_module
from checks.analysis.failures.tracebacks import raised_in
from checks.facts import Facts, Frameworks, InterpreterFacts, Package, ProbeRuns, ProgramRuns, Raised
from checks.facts.quotation import quotation
from checks.facts.search import OwnModule
from checks.knowledge.errors.import_errors import recognise
from checks.knowledge.errors.soft_requirements import wishes_in
from checks.knowledge.packages.import_packages import distributions_of, is_named, is_own_code, is_standard
from checks.knowledge.packages.known_packages import is_known_package
from checks.knowledge.packages.misspelt_imports import Meant, known_names, meant_by, nearest
from checks.knowledge.packages.names import PYTHON, releases_with
from checks.knowledge.packages.python_parts import part_of

# Rows of the table of texts that only say that something is missing; every other row knows more than this reading.
GENERAL_ROWS = frozenset({"module-missing", "name-not-importable", "numpy-name-removed"})
# Where these end a program, what was tried before them and handled is not the reason.
_OWN_REASON = frozenset(
    {"KeyError", "IndexError", "TypeError", "ValueError", "AssertionError", "FileNotFoundError", "ZeroDivisionError",
     "UnboundLocalError", "NameError", "KeyboardInterrupt", "PermissionError", "MemoryError", "SystemExit"}
)  # fmt: skip
_ASKS_IN_WORDS = frozenset(
    {"ImportError", "ModuleNotFoundError", "RuntimeError", "ValueError", "OSError", "PackageNotFoundError", "Exception",
     "DistributionNotFound", "AssertionError", "NotImplementedError", "EnvironmentError",
     "OptionalDependencyNotAvailable", "DependencyNotInstalled", "MissingDependencyException", "NameError"}
)  # fmt: skip

_NO_MODULE = re.compile(r"No module named ['\"]?(?P<module>[A-Za-z_][\w.]{0,200})['\"]?(?P<rest>.{0,80})")
_NO_NAME = re.compile(
    r"cannot import name ['\"](?P<name>\w{1,120})['\"] from ['\"](?P<module>[\w.]{1,200})['\"]"
    r"(?: \((?P<file>[^)]{1,1000})\))?"
)
_NO_NAME_BARE = re.compile(r"cannot import name ['\"]?(?P<name>\w{1,120})['\"]?\s*(?:\((?P<file>[^)]{1,1000})\))?$")
_NO_ATTRIBUTE = re.compile(r"module ['\"](?P<module>[\w.]{1,200})['\"] has no attribute ['\"](?P<name>\w{1,120})['\"]")
_SUGGESTED = re.compile(r"Did you mean: '(\w{1,120})'")
_NUMPY_GONE = re.compile(r"(?:`(?:np|numpy)\.(?P<name>\w{1,40})`? was (?:removed in the NumPy|a deprecated alias))")


# The remedies of a misspelt import: of what is installed, and of what is not.
WRITE_RIGHT, INSTALL_MEANT = "write-the-right-import", "install-what-the-import-means"


_BARE = re.compile(r"^[ \t>]*(ModuleNotFoundError|ImportError): (.{1,500})$", re.MULTILINE)  # without a traceback
_MOST_TEXT = 1 << 20  # characters of a text


class Kind(StrEnum):
    """What is not there."""

    MODULE = "module"
    NAME = "name"  # of a module: "cannot import name", "has no attribute"
    PACKAGE = "package"  # that a message asks for


@dataclass(frozen=True)
class Absent:
    """One thing that is not there. ``owner``: the installed distribution that should bring it; None: none does."""

    kind: Kind
    module: str  # that is missing, or lacks the name: "scipy.linalg"; of a package its own name
    name: str  # "tril"
    asker: Package | None  # the distribution whose code asked; None: the user's own program, or one that was not read
    asker_module: str  # the first part of its import; "": the user's own program
    owner: Package | None
    interpreter: InterpreterFacts | None
    trouble: Trouble
    line: str
    wish: Requirement | None = None  # of a package
    is_shell: bool = False  # the module has no file: a folder that something left behind
    meant: Meant | None = None  # the module that the user's own program means; ``owner`` is that one's
    near: tuple[str, ...] = ()  # names that the module has and the user's own program may mean, the likeliest first

    @property
    def statement(self) -> str:
        """The import that failed, in small; of a misspelt one that which was meant."""
        if self.meant is not None:
            return f"import {self.meant.module}"
        if self.kind is Kind.NAME:
            return f"from {self.module} import {self.name}"
        return f"import {self.module}" if self.kind is Kind.MODULE else ""

    @property
    def is_standard(self) -> bool:
        """Whether it is of Python's own library, of this or of an older release."""
        return self.kind is not Kind.PACKAGE and is_of_python(self.module)

    @property
    def is_own_part(self) -> bool:
        """Whether a distribution that is installed lacks a module or name of its own: its files are not all right.

        So it is where it asks for it itself, where its whole module is not there although its metadata is, and where
        its folder is an empty shell.
        """
        if self.owner is None or self.is_standard or self.kind is Kind.PACKAGE or self.meant is not None:
            return False
        is_whole = self.kind is Kind.MODULE and "." not in self.module and not _is_dropped(self.module, self.owner)
        return self.is_shell or is_whole or (self.asker is not None and self.asker.name == self.owner.name)

    @property
    def is_extra(self) -> bool:
        """Whether an installed package asks for what comes with one of its extras: "httpx[http2]"."""
        return self.wish is not None and bool(self.wish.extras) and self.owner is not None

    @property
    def is_own_code(self) -> bool:
        """Whether it may well be a file of the user's own: no table knows it, and nothing installed brings it."""
        known = is_named(self.module) or self.owner is not None or self.is_standard
        return self.kind is not Kind.PACKAGE and not known and (is_own_code(self.module) or not self.asker_module)

    @property
    def distributions(self) -> tuple[str, ...]:
        """The distributions of which any brings it, what to install first."""
        if self.wish is not None:
            return (self.wish.name,)
        return distributions_of(self.meant.module if self.meant else self.module)

    @property
    def asker_label(self) -> str:
        """Who asked, as a sentence names it: "peft 0.17.0", "train.py"."""
        if self.asker is not None:
            return f"{self.asker.name} {self.asker.version}"
        return self.asker_module if self.trouble.run and self.asker_module else self.trouble.label


def absences(
    interpreter: InterpreterFacts | None,
    frameworks: Frameworks | None = None,
    probes: ProbeRuns | None = None,
    runs: ProgramRuns | None = None,
) -> Iterator[Absent]:
    """What is not there, by every failure that says so, each thing once; those of the user's own program first."""
    seen = set()
    for trouble in troubles(frameworks, probes, runs):
        if trouble.is_warning:
            continue
        found = _read(trouble, trouble.interpreter or interpreter)
        if found is not None and (found.kind, found.module, found.name) not in seen:
            seen.add((found.kind, found.module, found.name))
            yield found


def own_module_of(absent: Absent, facts: Facts | None) -> OwnModule | None:
    """The module of the user's own that was seen near the program and that his own code asked for."""
    if facts is None or facts.searched is None or absent.kind is not Kind.MODULE or absent.owner or absent.asker_module:
        return None
    first = absent.module.partition(".")[0]
    return next((own for own in facts.searched.own_modules if own.module == first), None)


def absent_in_text(text: str, name: str, interpreter: InterpreterFacts | None) -> Absent | None:
    """What the last exception of a text that was sent says is not there. ``name``: of the text."""
    raised = raised_in(text) or tuple(
        Raised(type=line[1], message=line[2]) for line in list(_BARE.finditer(text[-_MOST_TEXT:]))[-1:]
    )
    trouble = Trouble(framework="", package="", version="", text="", origin=name, is_fatal=True, raised=raised)
    return _read(trouble, interpreter)


def _read(trouble: Trouble, interpreter: InterpreterFacts | None) -> Absent | None:
    for at, raised in enumerate(reversed(trouble.raised)):
        row = recognise(f"{raised.type}: {raised.message}")
        if row is not None and row.row.id not in GENERAL_ROWS:
            return None
        found = _absent(raised, trouble, interpreter)
        if found is not None:
            return _first_choice(found, trouble, interpreter)
        if at == 0 and raised.type in _OWN_REASON:
            return None
    return None


def _first_choice(found: Absent, trouble: Trouble, interpreter: InterpreterFacts | None) -> Absent:
    """Of "try: import audioop / except ImportError: import pyaudioop" the first, where only that one is known."""
    if found.kind is not Kind.MODULE or found.is_standard or found.owner or is_named(found.module):
        return found
    for raised in trouble.raised:
        first = _absent(raised, trouble, interpreter)
        is_same = first is not None and first.kind is Kind.MODULE and first.asker_module == found.asker_module
        if first is not None and is_same and (first.is_standard or is_named(first.module)):
            return first
    return found


def _absent(raised: Raised, trouble: Trouble, interpreter: InterpreterFacts | None) -> Absent | None:
    message = raised.message
    make = functools.partial(_made, raised, trouble, interpreter)
    if "partially initialized module" in message or "is not a package" in message:  # a file of the same name
        return None
    gone = _NUMPY_GONE.search(message)
    if gone:
        return make(Kind.NAME, "numpy", gone["name"], message.strip().partition("\n")[0])
    lacks = _NO_NAME.search(message) or _NO_ATTRIBUTE.search(message)
    if lacks:
        named = lacks.groupdict()
        if named.get("file") == "unknown location" and _is_no_package(named["module"], interpreter):
            return make(Kind.MODULE, named["module"], "", _line(lacks))
        return make(
            Kind.NAME, named["module"], named["name"], _line(lacks), is_shell=named.get("file") == "unknown location"
        )
    bare = _NO_NAME_BARE.search(message)
    if bare and raised.name:  # Python before 3.7 tells the module beside the words
        return make(Kind.NAME, raised.name, bare["name"], _line(bare))
    missing = _NO_MODULE.search(message)
    if missing and (raised.type in ("ModuleNotFoundError", "ImportError") or "Error" in message or trouble.run):
        return make(Kind.MODULE, missing["module"], "", _line(missing))
    wish = _unmet(message, interpreter) if raised.type.rpartition(".")[2] in _ASKS_IN_WORDS else None
    if wish is not None:
        line = next((line for line in message.splitlines() if line.strip()), message)
        return make(Kind.PACKAGE, wish.name, "", line.strip(), wish=wish)
    return None


def _is_no_package(module: str, interpreter: InterpreterFacts | None) -> bool:
    """Whether a package that is not installed is asked for, and a folder of that name was found in its place."""
    is_read = interpreter is not None and interpreter.packages is not None
    return is_read and is_named(module) and owner_of_module(module, interpreter) is None


def _line(found: re.Match[str]) -> str:
    """The whole line in which the words stand."""
    begin, end = found.string.rfind("\n", 0, found.start()) + 1, found.string.find("\n", found.start())
    return found.string[begin : end if end >= 0 else None].strip()


def _made(
    raised: Raised,
    trouble: Trouble,
    interpreter: InterpreterFacts | None,
    kind: Kind,
    module: str,
    name: str,
    line: str,
    *,
    wish: Requirement | None = None,
    is_shell: bool = False,
) -> Absent:
    asker_module = _asker(raised, trouble, interpreter)
    is_own_import = kind is Kind.NAME and not asker_module and "cannot import" in line
    meant = _meant(module, interpreter) if kind is Kind.MODULE and not asker_module else None
    brought = meant.module if meant else module
    owner = interpreter.package(wish.name) if wish and interpreter else owner_of_module(brought, interpreter)
    return Absent(
        kind=kind,
        module=module,
        name=name,
        asker=owner_of_module(asker_module, interpreter),
        asker_module=asker_module,
        owner=owner,
        interpreter=interpreter,
        trouble=trouble,
        line=quotation(f"{raised.type}: {line}"),
        wish=wish,
        is_shell=is_shell,
        meant=meant,
        near=_near(raised, module, name, is_sent=not trouble.run) if is_own_import else (),
    )


def _near(raised: Raised, module: str, name: str, *, is_sent: bool) -> tuple[str, ...]:
    """By the module itself; of a text that was sent by Python's own words, else by the table of what is known."""
    if releases_with(canonicalize_name(module.partition(".")[0]), module, name) is not None:  # it came or went
        return ()
    suggested = _SUGGESTED.search(raised.message)
    known = (suggested[1],) if suggested else known_names(module)
    return nearest(name, known if is_sent else raised.near)


def _meant(module: str, interpreter: InterpreterFacts | None) -> Meant | None:
    """What a misspelt import means; where a package of exactly that name is installed, no slip is guessed."""
    meant = meant_by(module)
    return meant if meant is None or meant.is_sure or owner_of_module(module, interpreter) is None else None


def _asker(raised: Raised, trouble: Trouble, interpreter: InterpreterFacts | None) -> str:
    """Who asked: the innermost code, but for what only answers for a module (its ``__getattr__``)."""
    frames = tuple(frame for frame in raised.frames if frame.function not in ("__getattr__", "_get_module"))
    if not raised.frames:  # an exception of compiled code: whoever is blamed for the whole
        return "" if trouble.run else trouble.package
    if not any(module_of_file(frame.file) for frame in frames):
        return "" if trouble.run else trouble.package
    return asked_by(Raised(type=raised.type, frames=frames), interpreter, frozenset())


def _unmet(message: str, interpreter: InterpreterFacts | None) -> Requirement | None:
    """The first package that a message asks for and that is not there; else one of which it wants an extra."""
    wishes = tuple(wishes_in(message))
    unmet = [wish for wish in wishes if interpreter is None or not _is_met(wish, interpreter)]
    choices = (*filter(_is_known, unmet), *(wish for wish in wishes if wish.extras and _is_known(wish)), *unmet)
    return next(iter(choices), None)


def _is_known(wish: Requirement) -> bool:
    return is_known_package(wish.name)


def _is_met(wish: Requirement, interpreter: InterpreterFacts) -> bool:
    found = interpreter.package(wish.name)
    if found is None:
        return interpreter.packages is None
    try:
        return not wish.specifier or wish.specifier.contains(found.version, prereleases=True)
    except ValueError:
        return True


def is_of_python(module: str) -> bool:
    """Whether a module is, or was in some release, of the standard library; ours may be a newer or older one."""
    return is_standard(module) or part_of(module) is not None or releases_with(PYTHON, module) is not None


def _is_dropped(module: str, owner: Package) -> bool:
    """Whether the distribution no longer brings this module, by the table: setuptools without pkg_resources."""
    wanted = releases_with(owner.name, module)
    return wanted is not None and wanted.lacks(owner.version)

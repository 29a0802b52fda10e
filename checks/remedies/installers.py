"""The installer that an environment was made with says the same in its own words.

Where a lock file or a manifest is the master, what pip installs is undone by the next ``uv run`` or ``poetry install``.
So a remedy changes the requirement there. The same release put in place again is no such change: pip may do that.
Sources: docs.astral.sh/uv/reference/cli, python-poetry.org/docs/cli, pdm-project.org/latest/reference/cli,
pixi.sh/latest/reference/cli, pipx.pypa.io, docs.conda.io/projects/conda/en/stable/commands/install.html.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from checks.facts import InterpreterFacts
from checks.knowledge.packages.shared_modules import family_of_package
from checks.remedies.shell import Shell, Unquotable

_WITH_VALUE = ("--index-url", "-i", "--extra-index-url", "--find-links", "-f", "--only-binary", "--no-binary")
_INDEX = ("--index-url", "-i", "--extra-index-url")
_NAME = re.compile(r"[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?")
_OPTION = re.compile(r"--?[A-Za-z-]+")
_SOURCE = "naosu"  # Poetry wants a name for an index
# A project, the hash of its path, the name of the environment.
_OF_HATCH = re.compile(
    r".*[\\/]env[\\/]virtual[\\/][^\\/]+[\\/][\w-]{8}[\\/][^\\/]+", re.DOTALL
)  # a project, the hash of its path
_WORD = re.compile(r'"([^"]*)"|(\S+)')  # as checks.remedies.shell quotes for PowerShell


@dataclass(frozen=True)
class Installer:
    """What installs into an environment. ``project``: the folder whose manifest is the master; "" where none is.

    ``conda``: the packages that conda installed. ``keeper``: "uv-tool" or "hatch", which install by a list of their own
    when they next have a reason to; no command changes that list alone.
    """

    manager: str = ""
    project: str = ""
    prefix: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)
    conda: frozenset[str] = frozenset()
    keeper: str = ""

    @classmethod
    def of(cls, interpreter: InterpreterFacts | None) -> Installer:
        """Of an examined Python."""
        if interpreter is None:
            return cls()
        packages = interpreter.packages or ()
        return cls(
            interpreter.package_manager or "",
            interpreter.project or "",
            interpreter.prefix or "",
            {package.name: package.version for package in reversed(packages)},
            frozenset(package.name for package in packages if package.build is not None),
            _keeper(interpreter),
        )

    def here(self, requirement: str) -> str:
        """A requirement by the name of the distribution that is really here: "tensorflow-cpu" for "tensorflow"."""
        found = _NAME.match(requirement)
        family = family_of_package(_key(found[0])) if found and "[" not in requirement else None
        if found is None or family is None or _key(found[0]) in self.versions:
            return requirement
        present = [name for name in family.packages if name in self.versions]
        return present[0] + requirement[found.end() :] if len(present) == 1 else requirement

    def in_its_words(self, code: str, commands: Mapping[str, str], shell: Shell) -> str:
        """A text to be pasted, with this installer's commands in the place of pip's."""
        return "\n".join(self._line(line, commands, shell) for line in code.split("\n"))

    def with_prefix(self, code: str, shell: Shell) -> str:
        """A command of conda's own with the environment in it: pasted elsewhere, it would change another one."""
        start = "conda install "
        if not (code.startswith(start) and self.manager == "conda" and self.prefix) or "\n" in code:
            return code
        words = _words(code.removeprefix(start), shell)
        is_told = not {"-p", "--prefix", "-n", "--name"}.isdisjoint(words)
        return code if is_told else _written(("conda", "install", "--prefix", self.prefix, *words), shell)

    def _line(self, line: str, commands: Mapping[str, str], shell: Shell) -> str:
        for verb in ("install", "uninstall"):
            start = f"{commands[f'pip_{verb}']} "
            if line.startswith(start):
                words = _words(line.removeprefix(start), shell)
                try:
                    own = self._command(verb, words)
                    return "\n".join(_written(command, shell) for command in own) or line
                except Unquotable:
                    return line
        return line

    def _command(self, verb: str, words: Sequence[str]) -> tuple[tuple[str, ...], ...]:
        """The command, or several of them; none where pip's own is right."""
        options, wanted = _parted(words)
        names = tuple(_key(_NAME.match(word)[0]) for word in wanted if _NAME.match(word))  # type: ignore[index]
        index = next((value for name, value in options if name in _INDEX), "")
        flags = {name for name, _ in options}
        is_again = "--force-reinstall" in flags and all(name in self.versions for name in names)
        if not names or "--no-binary" in flags:
            return ()
        if not flags.isdisjoint(("-U", "--upgrade")):
            wanted = tuple(self._newer(word) for word in wanted)
        if self.manager == "conda":
            return self._by_conda(verb, names, wanted, is_again=is_again, index=index)
        if self.manager == "pipx":
            venv = re.split(r"[\\/]", self.prefix.rstrip("\\/"))[-1]
            if verb == "uninstall" or is_again or not venv:
                return (("pipx", "runpip", venv, verb, *words),) if venv else ()
            return (("pipx", "inject", "--force", *(("--index-url", index) if index else ()), venv, *wanted),)
        return self._by_project(verb, names, wanted, is_again=is_again, index=index)

    def _by_conda(
        self, verb: str, names: Sequence[str], wanted: Sequence[str], *, is_again: bool, index: str
    ) -> tuple[tuple[str, ...], ...]:
        """Conda's own packages stay conda's: pip would overwrite files that conda still has on its list."""
        if index or not self.prefix or not self.conda.issuperset(names) or any("[" in word for word in wanted):
            return ()
        if verb == "uninstall":
            return (("conda", "remove", "--force", "--prefix", self.prefix, *names),)
        again = ("--force-reinstall",) if is_again else ()
        return (("conda", "install", "--prefix", self.prefix, *again, *wanted),)

    def _by_project(
        self, verb: str, names: Sequence[str], wanted: Sequence[str], *, is_again: bool, index: str
    ) -> tuple[tuple[str, ...], ...]:
        """Where a manifest is the master."""
        start: tuple[str, ...]
        folder: tuple[str, ...]
        if self.manager == "uv":
            start, folder = ("uv",), ("--project", self.project)
        elif self.manager == "poetry":
            start, folder = ("poetry", *(("-C", self.project) if self.project else ())), ()
        elif self.manager == "pdm":
            start, folder = ("pdm",), ("-p", self.project)
        elif self.manager == "pixi":
            start, folder = ("pixi",), ("--manifest-path", self.project)
        else:
            return ()
        if not self.project and self.manager != "poetry":
            return ()
        pypi = ("--pypi",) if self.manager == "pixi" and not self.conda.issuperset(names) else ()
        if is_again:
            return (("pixi", "reinstall", *folder, *names),) if self.manager == "pixi" else ()
        if verb == "uninstall":
            return ((*start, "remove", *folder, *pypi, *names),)
        if index and self.manager == "poetry":
            source = (*start, "source", "add", "--priority", "explicit", _SOURCE, index)
            return (source, (*start, "add", "--source", _SOURCE, *wanted))
        if index and self.manager != "uv":
            return ()
        return ((*start, "add", *folder, *pypi, *(("--index", index) if index else ()), *wanted),)

    def _newer(self, word: str) -> str:
        """A bare name as the wish for a newer release: these installers keep what is there if it meets the wish."""
        version = self.versions.get(_key(word), "").partition("+")[0]
        return f"{word}>{version}" if version and _NAME.fullmatch(word) else word


def _keeper(interpreter: InterpreterFacts) -> str:
    """Of an environment of "uv tool" (one that uv itself marks; its Pythons are no environments), or of Hatch.

    Sources: docs.astral.sh/uv/concepts/tools; hatch.pypa.io/latest/plugins/environment/virtual; both were tried.
    """
    prefix = interpreter.prefix or ""
    if interpreter.kind == "uv" and interpreter.base_prefix not in (None, prefix):
        return "uv-tool"
    return "hatch" if _OF_HATCH.fullmatch(prefix.rstrip("\\/")) else ""


def _written(command: Sequence[str], shell: Shell) -> str:
    return " ".join(word if _OPTION.fullmatch(word) else shell.quote(word) for word in command)


def _parted(words: Sequence[str]) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
    """The options with their values, and what is to be installed."""
    options, wanted = [], []
    rest = iter(words)
    for word in rest:
        name, _, value = word.partition("=")
        if word in _WITH_VALUE:
            options.append((word, next(rest, "")))
        elif word.startswith("-"):
            options.append((name, value))
        else:
            wanted.append(word)
    return tuple(options), tuple(wanted)


def _words(text: str, shell: Shell) -> list[str]:
    if shell is Shell.POWERSHELL:
        return [found[1] or found[2] for found in _WORD.finditer(text)]
    return shlex.split(text)


def _key(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()

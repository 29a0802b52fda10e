"""Ask an installer what it would do, and let it do nothing: for this Python, its platform, its index, what is there.

uv resolves, also what pip shall install: its dry run downloads metadata instead of packages, which pip's does only
since 23.3. It is given pip's own settings then, and pip's way to choose among several indexes. Only wheels count:
nothing that came from the index is built or run.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import tomli
from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from checks.engine.processes.tree import Place, ProcessTree
from checks.facts import InterpreterFacts, ResolutionResult
from checks.facts.versions import release
from checks.knowledge.commands.trials import TrialWords
from checks.paths import BUNDLE
from checks.proof.changes import Installed, Managed
from checks.proof.copies.environment_copy import Cancelled
from checks.proof.resolving.conda import conda_command, read_answer
from checks.proof.resolving.download_size import download_sizes
from checks.proof.resolving.dry_run import NotResolved, Resolved
from checks.proof.resolving.pip_settings import elsewhere, for_uv, pip_settings

_POLL = 0.05
_MOST_PRINTED = 1 << 22
_SAID = 700  # characters
_DRY_PIP = (23, 3)  # since then "pip install --dry-run" reads metadata, and does not download whole packages
# How lines begin that do not say why.
_ASIDE = ("Using Python", "Resolved", "warning:", "hint:", "WARNING", "ERROR: Ignored")
_CHANGE = re.compile(r"^ ([-+~]) ([A-Za-z0-9][\w.-]*)==(\S+)", re.MULTILINE)
_QUIET = {
    "NO_COLOR": "1",
    "UV_NO_PROGRESS": "1",
    "UV_PYTHON_DOWNLOADS": "never",
    "UV_HTTP_TIMEOUT": "8",
    "UV_HTTP_RETRIES": "1",
    "PIP_NO_INPUT": "1",
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "PIP_DEFAULT_TIMEOUT": "8",
    "PIP_RETRIES": "1",
}
_BEST = ("--index-strategy", "unsafe-best-match")  # pip takes the best release of all indexes
_DROPPED = frozenset((
    "--no-cache-dir", "--no-cache", "--prefer-binary", "--no-build-isolation", "--break-system-packages", "-y", "--yes",
))  # fmt: skip
_UV_NAMES = {
    "--force-reinstall": "--reinstall",
    "-i": "--default-index",
    "--index-url": "--default-index",
    "--extra-index-url": "--index",
    "-f": "--find-links",
}


@dataclass(frozen=True)
class Resolver:
    """For one Python. ``folder``: a temporary one; ``project``: whose settings uv reads, "": nobody's."""

    target: InterpreterFacts
    folder: Path
    variables: Mapping[str, str]
    cancelled: Callable[[], bool]
    seconds: float
    project: str = ""

    @property
    def tool(self) -> str:
        """The program that resolves; "" where there is none."""
        return "uv" if self._uv else "pip" if self._has_dry_pip else ""

    @staticmethod
    def name_of(requirement: str) -> str:
        """The distribution that a word of an installer's call names."""
        return canonicalize_name(re.split(r"[\[<>=!~;@ ]", requirement, maxsplit=1)[0])

    @property
    def _uv(self) -> str:
        return uv_program(self.variables)

    @property
    def _has_dry_pip(self) -> bool:
        pip = self.target.package("pip")
        return pip is not None and release(pip.version)[:2] >= _DRY_PIP

    def resolved(self, change: Installed, gone: Sequence[str] = (), *, fresh: bool = False) -> Resolved:
        """What one installation would do.

        ``gone``: what an earlier command has removed then. ``fresh``: the environment is new, and nothing is there.

        Raises:
            NotResolved: it does not resolve, or nobody can tell.
            Cancelled: somebody asked to end.
        """
        if any(word.split("=")[0] == "--no-binary" for word in change.arguments):
            raise NotResolved(ResolutionResult.SOURCE_ONLY, reason="compiled")
        if self._uv:
            return self._by_uv(change, gone, fresh=fresh)
        if self._has_dry_pip and change.installer == "pip" and not fresh:
            return self._by_pip(change, gone)
        raise NotResolved(ResolutionResult.NOT_RESOLVED, reason="no-resolver")

    def resolved_by_conda(self, change: Managed) -> Resolved:
        """What a call of conda would do.

        Raises:
            NotResolved: it does not resolve, or nobody can tell.
            Cancelled: somebody asked to end.
        """
        _, printed, errors = self._ended(conda_command(change, self.variables), {**self.variables, **_QUIET})
        return read_answer(printed or errors)

    def _by_uv(self, change: Installed, gone: Sequence[str], *, fresh: bool) -> Resolved:
        options, variables = self._settings(change)
        place = ("--target", str(self.folder / "nothing")) if fresh else ("--break-system-packages",)
        asked = (*_as_uv(change), *(word for name in gone for word in ("--reinstall-package", name)))
        python = ("--python", self._python(), "--no-build", *options)
        start = (self._uv, "pip", "install", "--dry-run", *python, *place)
        try:
            printed = self._printed((*start, *asked), variables)
        except NotResolved as why:
            if why.result is ResolutionResult.NO_SOLUTION and _BEST[1] in start:
                # Asked that way, uv keeps to itself that an index wants a password.
                self._printed((*(word for word in start if word not in _BEST), *asked), variables)
            others = _without_index(asked, variables) if why.result is ResolutionResult.UNREACHABLE else ()
            if not others:
                raise
            asked = others  # pip warns of an index that does not answer, and goes on with the others
            printed = self._printed((*start, *asked), variables)
        there: dict[str, str | None] = {}
        for sign, name, version in _CHANGE.findall(printed):
            key = canonicalize_name(name)
            if sign != "-":
                there[key] = version
            else:
                there.setdefault(key, None)
        wanted = [f"{name}=={version}" for name, version in there.items() if version is not None]
        return Resolved(there, *self._sizes(wanted, python, asked, variables))

    def _python(self) -> str:
        """A Python of our own that sees the packages of the environment.

        uv leaves a file (".lock") in a virtual environment that it only looks at, and the user's stays as it is.

        Raises:
            NotResolved: it cannot be made.
        """
        prefix = Path(self.target.prefix or "/nowhere")
        if sys.platform == "win32" or not (prefix / "pyvenv.cfg").is_file():
            return self.target.path
        place = self.folder / "environment"
        python = place / "bin" / "python"
        try:
            if not place.exists():
                python.parent.mkdir(parents=True)
                python.symlink_to(os.path.realpath(self.target.path))
                shutil.copyfile(prefix / "pyvenv.cfg", place / "pyvenv.cfg")
                for name in ("lib", "lib64"):
                    if (prefix / name).is_dir():
                        (place / name).symlink_to(prefix / name)
        except OSError as error:
            raise NotResolved(ResolutionResult.NOT_RESOLVED, str(error), "not-started") from error
        return str(python)

    def _sizes(
        self, wanted: Sequence[str], python: Sequence[str], asked: Sequence[str], variables: Mapping[str, str]
    ) -> tuple[int | None, int]:
        """Bytes to download, and of how many packages the index does not tell; None: of none of them."""
        if not wanted:
            return 0, 0
        listed = self.folder / "wanted.txt"
        listed.write_text("\n".join(wanted), "utf-8")
        kept = (*_with_values(asked, ("--default-index", "--index", "--find-links")), *_flags(asked, ("--no-index",)))
        command = (self._uv, "pip", "compile", str(listed), "--no-deps", "--format", "pylock.toml", "--quiet")
        try:
            lock = tomli.loads(self._printed((*command, *python, *kept), variables))
        except (NotResolved, tomli.TOMLDecodeError):
            return None, len(wanted)
        sizes = download_sizes(lock.get("packages", ()), variables.get("SSL_CERT_FILE", ""))
        known = [size for size in sizes if size is not None]
        return (sum(known) if known else None), len(wanted) - len(known)

    def _settings(self, change: Installed) -> tuple[tuple[str, ...], dict[str, str]]:
        """The options and the variables by which uv looks where the installer of the command looks."""
        cache = {"UV_CACHE_DIR": str(self.folder / "cache")}
        if change.installer == "uv":
            return (), {**self.variables, **_QUIET, **cache}
        settings = pip_settings(self.target.prefix, self.variables)
        if place := elsewhere(settings):
            raise NotResolved(ResolutionResult.NOT_RESOLVED, reason="pip-setting", setting=place)
        plain = {name: value for name, value in self.variables.items() if not name.startswith("UV_")}
        options, named = for_uv(settings)
        best = _BEST if "UV_INDEX" in named or "--extra-index-url" in change.arguments else ()
        return ("--no-config", *best, *options), {**plain, **_QUIET, **named, **cache}

    def _by_pip(self, change: Installed, gone: Sequence[str]) -> Resolved:
        again = ("--force-reinstall",) if gone else ()
        command = (self.target.path, "-m", "pip", "install", "--dry-run", "--quiet", "--report", "-")
        asked = (*change.arguments, *again, "--only-binary", ":all:")
        printed = self._printed((*command, *asked), {**self.variables, **_QUIET})
        try:
            installed = json.loads(printed[printed.index("{") :])["install"]
            found: dict[str, str | None] = {
                canonicalize_name(one["metadata"]["name"]): one["metadata"]["version"] for one in installed
            }
            wheels = [{"wheels": [{"url": one["download_info"]["url"]}]} for one in installed]
        except (ValueError, LookupError, TypeError) as error:
            raise NotResolved(ResolutionResult.NOT_RESOLVED, reason="unreadable", said=str(error)) from error
        sizes = download_sizes(wheels, self.variables.get("PIP_CERT", ""))
        known = [size for size in sizes if size is not None]
        return Resolved(found, sum(known) if known else None, len(sizes) - len(known))

    def _printed(self, command: Sequence[str], variables: Mapping[str, str]) -> str:
        code, printed, errors = self._ended(command, variables)
        if code != 0:
            raise _failure(errors or printed)
        return printed + errors if "--dry-run" in command and "--report" not in command else printed

    def _ended(self, command: Sequence[str], variables: Mapping[str, str]) -> tuple[int, str, str]:
        """Its exit code, and what it printed.

        Raises:
            NotResolved: it takes too long, or does not start.
            Cancelled: somebody asked to end.
        """
        deadline = time.monotonic() + self.seconds
        with open(self.folder / "out", "w+b") as out, open(self.folder / "err", "w+b") as err:
            try:
                place = Place(stdout=out.fileno(), stderr=err.fileno())
                temporary = {**variables, "TMPDIR": str(self.folder)}
                folder = Path(self.project) if self.project and Path(self.project).is_dir() else self.folder
                tree = ProcessTree(command, environment=temporary, folder=folder, place=place)
            except (OSError, ValueError) as error:
                raise NotResolved(ResolutionResult.NOT_RESOLVED, str(error), "not-started") from error
            try:
                while tree.process.poll() is None:
                    if self.cancelled():
                        raise Cancelled
                    if time.monotonic() > deadline:
                        raise NotResolved(ResolutionResult.UNREACHABLE, reason="slow", seconds=f"{self.seconds:.0f}")
                    with contextlib.suppress(subprocess.TimeoutExpired):
                        tree.process.wait(_POLL)
            finally:
                tree.end()
            return tree.process.returncode, _read(out), _read(err)


def _read(file: object) -> str:
    file.seek(0)  # type: ignore[attr-defined]
    return file.read(_MOST_PRINTED).decode("utf-8", "replace")  # type: ignore[attr-defined,no-any-return]


_FINDING = threading.Lock()


def uv_program(variables: Mapping[str, str]) -> str:
    """Our own uv, else the user's; "" where there is none."""
    if BUNDLE is not None:
        return str(BUNDLE / "bin" / ("uv.exe" if sys.platform == "win32" else "uv"))
    if importlib.util.find_spec("uv") is not None:
        from uv import find_uv_bin

        # What it asks sysconfig is filled in by the first who asks, while other threads see it half filled.
        with _FINDING, contextlib.suppress(FileNotFoundError):
            return str(find_uv_bin())
    return shutil.which("uv", path=variables.get("PATH")) or ""


def _as_uv(change: Installed) -> tuple[str, ...]:
    """The arguments of an installation, as uv takes them. ``--upgrade`` of pip leaves what is required alone."""
    if change.installer == "uv":
        return tuple(word for word in change.arguments if word not in {"-y", "--yes"})
    return tuple(_words_of_uv(change.arguments))


def _words_of_uv(arguments: Sequence[str]) -> Iterator[str]:
    is_upgrade = not {"-U", "--upgrade"}.isdisjoint(arguments)
    words = iter(arguments)
    for word in words:
        name, equals, value = word.partition("=")
        if word in _DROPPED or word in {"-U", "--upgrade"}:
            continue
        if name == "--only-binary":
            _ = value or next(words, "")
        elif word.startswith("-"):
            yield _UV_NAMES.get(name, name) + (equals + value if equals else "")
        else:
            yield word
            with contextlib.suppress(InvalidRequirement):
                if is_upgrade:
                    yield from ("--upgrade-package", Requirement(word).name)


def _without_index(words: Sequence[str], variables: Mapping[str, str]) -> tuple[str, ...]:
    """The same without the index that the command names, where there are others; () where there are none."""
    if "--default-index" not in words:
        return ()
    place = words.index("--default-index")
    kept = (*words[:place], *words[place + 2 :])
    further = variables.get("UV_INDEX", "").split()
    if further:
        return (*kept, "--default-index", further[0])
    return (*kept, "--no-index") if variables.get("UV_FIND_LINKS") else ()


def _with_values(words: Sequence[str], options: Sequence[str]) -> Iterator[str]:
    for place, word in enumerate(words):
        if word.partition("=")[0] in options:
            yield word
            if "=" not in word:
                yield words[place + 1]


def _flags(words: Sequence[str], flags: Sequence[str]) -> tuple[str, ...]:
    return tuple(word for word in words if word in flags)


def _failure(said: str) -> NotResolved:
    """What kind of failure it is, by what the installer printed."""
    short = _reason(said)
    if "no usable wheels" in said or "building from source is disabled" in said:
        return NotResolved(ResolutionResult.SOURCE_ONLY, short, "compiled")
    known = TrialWords.read()
    if any(words in said for words in known.hindered):
        return NotResolved(ResolutionResult.UNREACHABLE, short, "hindered")
    if any(words in said for words in known.unsolved):
        return NotResolved(ResolutionResult.NO_SOLUTION, short)
    return NotResolved(ResolutionResult.NOT_RESOLVED, short, "said")


def _reason(said: str) -> str:
    """The sentences by which the installer says why, in one line."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    causes = [line for line in lines if not line.startswith(_ASIDE)]
    text = " ".join(causes).replace("error: No solution found when resolving dependencies cause:", "")
    return text.strip()[:_SAID]

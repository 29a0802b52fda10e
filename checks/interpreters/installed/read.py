"""The installed files of one interpreter, compared with what their installers wrote down.

By size, so that thousands of files take a second; the content of packages that take part in a failure is compared too.
Nothing here judges: an edited file is a fact, not damage.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Collection, Iterator
from pathlib import Path

import msgspec

from checks.facts import InterpreterFacts
from checks.facts.installed import (
    DAMAGED,
    ChangedFile,
    FileState,
    InstalledFiles,
    InstalledPackage,
    InstalledTwice,
    Leftover,
    SharedModule,
)
from checks.interpreters.disk import exists, is_folder, names_in, text_of
from checks.interpreters.finding.places import Places
from checks.interpreters.installed.compare import Disk, changed_files
from checks.interpreters.installed.extension import Loader, foreign_modules
from checks.interpreters.installed.leftovers import leftovers
from checks.interpreters.installed.names import unmet_names
from checks.interpreters.installed.record import (
    CODE,
    Distribution,
    conda_distribution,
    listed_in_record,
    modules_of,
    project_of,
)
from checks.interpreters.kind import is_conda
from checks.interpreters.layout import Layout, layout_of
from checks.interpreters.packages import linked_folders, read_package
from checks.interpreters.search_path import search_path
from checks.knowledge.packages.ai_packages import is_examined

SECONDS = 4.0
SECONDS_BY_CONTENT = 60.0
_MOST_FILES = 300_000
_MOST_SHOWN = 20
_MOST_PACKAGES = 50  # that are listed
_MOST_DISTRIBUTIONS = 5_000


def read_installed(
    interpreter: InterpreterFacts,
    places: Places | None = None,
    by_content: Collection[str] = (),
    *,
    thorough: bool = False,
    seconds: float | None = None,
) -> InstalledFiles:
    """Compare the files of every distribution of this interpreter; of those in ``by_content`` the content, too.

    Never raises for what lies on disk. Bounded in time and number; ``is_complete`` tells whether all was seen.
    """
    if interpreter.problem not in (None, "base-missing") or not interpreter.path:
        return InstalledFiles(origin=interpreter.path, unread={"installed": interpreter.problem or ""})
    layout = layout_of(Path(interpreter.path))
    return _Reading(layout, places or Places.of_this_machine(), frozenset(by_content), thorough, seconds).read()


class _Reading:
    """One reading; the budget of ``disk`` is for all of it."""

    def __init__(
        self, layout: Layout, places: Places, by_content: frozenset[str], thorough: bool, seconds: float | None
    ) -> None:
        self._layout = layout
        self._path = search_path(layout, places)
        self._by_content = by_content
        self._thorough = thorough
        budget = seconds or (SECONDS_BY_CONTENT if thorough or by_content else SECONDS)
        self._disk = Disk(budget, _MOST_FILES)
        self._loader = Loader.of(layout)
        self._unlisted = 0
        self._bare: list[Distribution] = []  # of the folder at hand: metadata without a list of files
        self._hashed: list[str] = []

    def read(self) -> InstalledFiles:
        """All of it."""
        packages: list[InstalledPackage] = []
        shared: list[SharedModule] = []
        twice: list[InstalledTwice] = []
        left: list[Leftover] = []
        examined = 0
        for folder in self._folders():
            names = names_in(folder)
            before = self._unlisted
            self._bare = []
            found = [*self._distributions(folder, names)]
            examined += len(found)
            is_every_listed = self._unlisted == before
            owned = {module for one in found for module in modules_of(listed.path for listed in one.listed)}
            for one in found:  # what is listed beyond the needed files owns its folder, too
                owned.add(one.name.replace("-", "_"))
            left += leftovers(folder, names, owned if found and is_every_listed else None)
            doubled, kept = self._twice(found)
            twice += doubled
            overlaps = _overlaps(kept)
            shared += self._shared(kept, overlaps)
            contested = {path for paths in overlaps.values() for path in paths}
            for one in sorted(kept, key=lambda one: not is_examined(one.name)):
                seen = self._compared(one, contested)
                packages += [seen] if seen is not None else []
        return InstalledFiles(
            packages=tuple(packages[:_MOST_PACKAGES]),
            shared=tuple(shared[:_MOST_SHOWN]),
            twice=tuple(twice[:_MOST_SHOWN]),
            leftovers=tuple(left[:_MOST_SHOWN]),
            examined=examined,
            unlisted=self._unlisted,
            files=self._disk.looked_at,
            hashed=tuple(self._hashed),
            is_complete=not self._disk.is_spent and len(packages) <= _MOST_PACKAGES,
            origin=str(self._layout.prefix),
        )

    def _folders(self) -> Iterator[Path]:
        seen = set()
        for folder in (*self._path.plain, *self._path.sites):
            linked = linked_folders(folder) if folder in self._path.sites else ()
            for place in (folder, *linked):
                real = os.path.realpath(place)
                if real not in seen:
                    seen.add(real)
                    yield place

    def _distributions(self, folder: Path, names: list[str]) -> Iterator[Distribution]:
        of_conda = self._of_conda(folder)
        yield from of_conda.values()
        for name in names[:_MOST_DISTRIBUTIONS]:
            if not name.endswith((".dist-info", ".egg-info")) or name.startswith("~"):
                continue
            package = read_package(folder, name)
            if package is None:
                continue
            if name.endswith(".dist-info") and not exists(folder / name / "METADATA"):
                continue  # a leftover
            if package.name in of_conda and package.installer in (None, "conda"):
                continue
            of_conda.pop(package.name, None)
            listed = listed_in_record(f"{folder}{os.sep}{name}")
            if listed is None:
                self._unlisted += 1
                self._bare.append(Distribution(package.name, package.version, folder, entry=name))
            else:
                project = project_of(f"{folder}{os.sep}{name}")
                top = (text_of(folder / name / "top_level.txt") or package.name.replace("-", "_")).split()
                yield Distribution(
                    package.name, package.version, folder, package.installer, listed, project, tuple(top), name
                )

    def _of_conda(self, folder: Path) -> dict[str, Distribution]:
        """What conda lists for this folder, without what pip replaced or removed since: its metadata tells."""
        prefix = self._layout.prefix
        if not is_conda(prefix) or not folder.is_relative_to(prefix):
            return {}
        found = {}
        start = folder.relative_to(prefix).as_posix() + "/"
        installers = _installers(folder)
        for name in names_in(prefix / "conda-meta"):
            made = conda_distribution(prefix / "conda-meta" / name, prefix) if name.endswith(".json") else None
            if made is None or installers.get(_plain(made.name)) != "conda":
                continue
            made.listed = [listed for listed in made.listed if listed.path.startswith(start)]
            if made.listed:
                found[_plain(made.name)] = made
        return found

    def _compared(self, one: Distribution, contested: set[str]) -> InstalledPackage | None:
        """What is wrong with one distribution; None where nothing is."""
        if one.project and not is_folder(one.project):
            return InstalledPackage(
                name=_plain(one.name),
                version=one.version,
                location=str(one.folder),
                installer=one.installer,
                modules=one.top[:_MOST_SHOWN],
                project=one.project,
            )
        by_content = self._thorough or one.name in self._by_content
        files = [*changed_files(one.folder, one.listed, self._disk, by_content=by_content)]
        files = [file for file in files if file.state in DAMAGED or file.path not in contested]
        if by_content and not self._disk.is_spent:
            self._hashed.append(one.name)
        missing = {file.path for file in files if file.state == FileState.MISSING}
        present = (listed.path for listed in one.listed if listed.path not in missing)
        foreign = foreign_modules(one.folder, present, self._loader)
        if not files and not foreign:
            return None
        damaged = [file for file in files if file.state in DAMAGED]
        changed = [file for file in files if file.state not in DAMAGED]
        affected = modules_of((*(file.path for file in files), *(module.path for module in foreign)))
        affected = affected or modules_of(listed.path for listed in one.listed)  # libraries beside the package
        unmet = unmet_names(one.folder, [file.path for file in changed], (listed.path for listed in one.listed))
        return InstalledPackage(
            name=_plain(one.name),
            version=one.version,
            location=str(one.folder),
            installer=one.installer,
            modules=affected[:_MOST_SHOWN],
            gone=_gone(one, missing)[:_MOST_SHOWN],
            listed=len(one.listed),
            damaged=len(damaged),
            changed=len(changed),
            files=tuple(sorted((*damaged, *changed), key=_weight)[:_MOST_SHOWN]),
            foreign=tuple(foreign[:_MOST_SHOWN]),
            on_pythonpath=one.folder in self._path.plain,
            unmet=unmet,
        )

    def _twice(self, found: list[Distribution]) -> tuple[list[InstalledTwice], list[Distribution]]:
        """Names that several releases have, and all distributions with the fitting release of each."""
        by_name: dict[str, list[Distribution]] = defaultdict(list)
        for one in found:
            by_name[one.name].append(one)
        doubled, kept = [], []
        for name, releases in by_name.items():
            bare = [one for one in self._bare if one.name == name]  # nobody can say which files it means
            if len({one.version for one in (*releases, *bare)}) < 2:
                kept.append(max(releases, key=lambda one: len(one.listed)))
                continue
            apart = {id(one): len([*changed_files(one.folder, one.listed, self._disk)]) for one in releases}
            best = min(releases, key=lambda one: apart[id(one)])
            is_whole = not apart[id(best)]
            others = [one for one in (*releases, *bare) if one.version != best.version]
            doubled.append(
                InstalledTwice(
                    name=_plain(name),
                    location=str(best.folder),
                    versions=tuple(one.version for one in (*releases, *bare)),
                    version_of_files=best.version if is_whole else "",
                    stale=tuple(str(one.folder / one.entry) for one in others if one.entry) if is_whole else (),
                )
            )
            kept.append(best)
        return doubled, kept

    def _shared(self, kept: list[Distribution], overlaps: dict[tuple[str, ...], list[str]]) -> Iterator[SharedModule]:
        by_name = {one.name: one for one in kept}
        for names, paths in overlaps.items():
            owners = [by_name[name] for name in names]
            fitting = {one.name: self._fitting(one, paths) for one in owners}
            owners.sort(key=lambda one: -fitting[one.name])
            yield SharedModule(
                module=next(iter(modules_of(paths)), ""),
                location=str(owners[0].folder),
                packages=tuple(f"{_plain(one.name)} {one.version}" for one in owners),
                overwritten=len(paths),
            )

    def _fitting(self, one: Distribution, paths: list[str]) -> int:
        """How many of these files are there as this distribution lists them."""
        wanted = set(paths)
        listed = [file for file in one.listed if file.path in wanted]
        return len(listed) - len([*changed_files(one.folder, listed, self._disk)])


def _overlaps(found: list[Distribution]) -> dict[tuple[str, ...], list[str]]:
    """Code that several distributions list, each with another content: their names -> the files."""
    owners: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for one in found:
        for listed in one.listed:
            if CODE.search(listed.path) and "/" in listed.path:  # a file beside the packages is nobody's main module
                owners[listed.path].append((one.name, listed.digest or str(listed.size)))
    shared: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for path, listings in owners.items():
        if len(listings) > 1 and len({content for _, content in listings}) > 1:
            shared[tuple(sorted({name for name, _ in listings}))].append(path)
    return {names: paths for names, paths in shared.items() if len(names) > 1}


def _gone(one: Distribution, missing: set[str]) -> tuple[str, ...]:
    """The modules of which all code is missing."""
    left = set(modules_of(file.path for file in one.listed if CODE.search(file.path) and file.path not in missing))
    lost = modules_of(path for path in sorted(missing) if CODE.search(path))
    return tuple(module for module in lost if module not in left)


def _weight(file: ChangedFile) -> tuple[bool, bool, int, str]:
    """Damaged code first, the outermost before the inner."""
    return (file.state not in DAMAGED, not CODE.search(file.path), file.path.count("/"), file.path)


def _installers(folder: Path) -> dict[str, str]:
    """Who installed each distribution of a folder, as its INSTALLER says; without one, conda did."""
    found = {}
    for name in names_in(folder):
        if name.endswith((".dist-info", ".egg-info")) and not name.startswith("~"):
            plain = _plain(re.split(r"-(?=\d)", name.rpartition(".")[0], maxsplit=1)[0])
            found[plain] = (text_of(folder / name / "INSTALLER") or "conda").strip()
    return found


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def merged_content(before: InstalledFiles, after: InstalledFiles) -> InstalledFiles:
    """A first reading, with the packages that a second one read by content in their place."""
    again = {package.name: package for package in after.packages}
    kept = [package for package in before.packages if package.name not in after.hashed]
    found = tuple(package for name, package in again.items() if name in after.hashed)
    return msgspec.structs.replace(before, packages=(*found, *kept), hashed=after.hashed)

"""Real programs: the examples and training scripts of source distributions, and of repositories at one commit.

    python -m tests.tools.real_scripts_download FOLDER

Downloads what real_scripts.toml names into FOLDER, where what is already there is kept; nothing is installed, and
nothing of a package runs. Prints how many programs each has. Exit status 1 if one is not to be had, or is another than
the list says.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import tomli

from tests.tools.real_packages_download import Archive, unpacked

LIST = Path(__file__).with_name("real_scripts.toml")
SUFFIXES = (".py", ".ipynb")


class Scripts(Archive, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A source distribution or repository. ``folders``: where its programs lie, below its own folder; "." all."""

    source: bool = True
    folders: tuple[str, ...]

    def root(self, scratch: Path) -> Path:
        """Its own folder; downloaded and unpacked if it is not there yet."""
        (inside,) = unpacked(self, scratch).iterdir()
        return inside

    def programs(self, scratch: Path) -> Iterator[tuple[Path, list[Path]]]:
        """Each folder of programs, and the programs in it."""
        root = self.root(scratch)
        for name in self.folders:
            folder = root / name
            yield folder, sorted(path for path in folder.rglob("*") if path.suffix in SUFFIXES and path.is_file())


class _List(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    package: tuple[Scripts, ...]


def distributions() -> tuple[Scripts, ...]:
    """The list."""
    with LIST.open("rb") as file:
        return msgspec.convert(tomli.load(file), _List).package


def main() -> int:
    """Download and count."""
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    scratch = Path(sys.argv[1])
    scratch.mkdir(parents=True, exist_ok=True)
    total, failed = 0, 0
    for package in distributions():
        try:
            count = sum(len(programs) for _, programs in package.programs(scratch))
        except (OSError, ValueError) as error:
            print(f"{package}: {error}", file=sys.stderr)
            failed = 1
            continue
        print(f"{count:5} {package}")
        total += count
    print(f"{total:5} in all")
    return failed


if __name__ == "__main__":
    sys.exit(main())

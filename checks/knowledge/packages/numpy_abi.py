"""Which release of a package is the first that runs with NumPy 2."""

from __future__ import annotations

import functools

import msgspec

from checks.knowledge import Table, load


class NumpyAbiRow(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The first release of a package built for NumPy 2. ``first`` is "" where there is none; else per system."""

    package: str
    first: str | None = None
    linux: str | None = None
    macos: str | None = None
    windows: str | None = None
    source: str

    def first_on(self, system: str | None) -> str | None:
        """The first release on a system ("Linux", "Windows", "Darwin"); "" none yet; None: the table does not say."""
        own = {"Linux": self.linux, "Darwin": self.macos, "Windows": self.windows}.get(system or "")
        return own if own is not None else self.first


class NumpyAbi(Table, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """resources/knowledge/numpy_abi.toml."""

    row: tuple[NumpyAbiRow, ...]


@functools.cache
def numpy_abi() -> NumpyAbi:
    """The first releases for NumPy 2."""
    return load("numpy_abi", NumpyAbi)

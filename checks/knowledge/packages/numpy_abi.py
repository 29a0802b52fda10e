"""Which release of a package is the first that runs with NumPy 2."""

from checks.knowledge import Row, Table


class NumpyAbiRow(Row):
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


class NumpyAbi(Table):
    row: tuple[NumpyAbiRow, ...]

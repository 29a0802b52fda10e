"""Programs that only start the user's program as another Python."""

from checks.knowledge import Row, Table


class Launcher(Row):
    """One by the name of its command, and the modules that do the same as `python -m`."""

    script: str
    modules: tuple[str, ...]


class Launchers(Table):
    """resources/knowledge/packages/launchers.toml."""

    launcher: tuple[Launcher, ...]


def launcher_names() -> tuple[str, ...]:
    """The commands as they are called, and "-m:" before a module."""
    rows = Launchers.read().launcher
    return tuple(name for row in rows for name in (row.script, *(f"-m:{module}" for module in row.modules)))

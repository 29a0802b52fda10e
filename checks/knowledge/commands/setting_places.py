"""In which files of a user's own a variable is usually set."""

from checks.knowledge import Row, Table


class SettingFile(Row):
    """A file; ``path``, ``syntax`` and ``anew`` are explained in the table."""

    path: str
    syntax: str
    anew: str


class SettingPlaces(Table):
    """resources/knowledge/commands/setting_places.toml."""

    file: tuple[SettingFile, ...]

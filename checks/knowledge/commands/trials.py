"""Which words of a remedy's commands can be tried in a throw-away copy."""

from checks.knowledge import Table


class TrialWords(Table):
    """resources/knowledge/commands/trials.toml; the lists are explained there."""

    flags: tuple[str, ...]
    with_value: tuple[str, ...]
    administration: tuple[str, ...]
    hindered: tuple[str, ...]
    unsolved: tuple[str, ...]

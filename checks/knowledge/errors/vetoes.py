"""Causes that a measured fact rules out, whatever a text suggests."""

from checks.knowledge import Row, Table


class Veto(Row):
    """``fact``: its name in checks/judgement/vetoes.py. ``instead``: the cause of what their wordings tell."""

    fact: str
    of: tuple[str, ...]
    instead: str


class Cleared(Row):
    """Causes of one kind of failure, each with a check that looks at the very thing that it speaks of."""

    of: tuple[str, ...]


class Vetoes(Table):
    veto: tuple[Veto, ...]
    cleared: tuple[Cleared, ...]

"""Causes that a measured fact rules out, whatever a text suggests."""

from checks.knowledge import Row, Table


class Veto(Row):
    """``fact``: its name in checks/judgement/tickets/vetoes.py. ``instead``: the cause of what their wordings tell."""

    fact: str
    of: tuple[str, ...]
    instead: str


class Cleared(Row):
    """Causes of one kind of failure, each with a check that looks at the very thing that it speaks of."""

    of: tuple[str, ...]


class NumbersVeto(Row):
    """Causes for or against which the differences speak that a ticket tells.

    ``shows``: a name in checks/judgement/tickets/vetoes.py. ``odds``: what multiplies theirs. ``at_most``: how sure
    they can be. ``unsized``: the same where the text does not tell how large the values are. ``heirs``: what the
    difference is then; the likeliest of them gets what ``at_most`` takes. ``named``, ``unless_named``: RE2 that the
    text must hold, and must not; "" = any text.
    """

    shows: str
    of: tuple[str, ...]
    odds: float = 1.0
    odds_unsized: float = 1.0
    at_most: float = 1.0
    at_most_unsized: float = 1.0
    heirs: tuple[str, ...] = ()
    named: str = ""
    unless_named: str = ""


class Unproven(Row):
    """A cause that takes something that a text leaves open, and how sure it can be then.

    ``named``: RE2, as in signatures, that the text must hold; "" = any text. ``unless``: a condition of signatures that
    is known to hold; ``unless_named``: RE2 that tells it in words. ``refuted``: what multiplies its odds where the
    condition is known not to hold; ``odds``: where it is merely open.
    """

    of: str
    unless_named: str
    at_most: float
    named: str = ""
    unless: str = ""
    refuted: float = 1.0
    odds: float = 1.0


class Vetoes(Table):
    veto: tuple[Veto, ...]
    numbers: tuple[NumbersVeto, ...]
    unproven: tuple[Unproven, ...]
    cleared: tuple[Cleared, ...]

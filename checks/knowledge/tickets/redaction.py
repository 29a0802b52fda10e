"""Names that identify nobody, which a report may therefore show."""

from checks.knowledge import Table


class KnownWords(Table):
    """All in lower case."""

    groups: frozenset[str]
    words: frozenset[str]
    no_people: frozenset[str]

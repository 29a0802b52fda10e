"""Of many tickets those that a store does not know yet."""

from __future__ import annotations

from collections.abc import Iterator

from checks.desk.store import Store
from checks.desk.tickets import Ticket

_ASKED_AT_ONCE = 200  # tickets of which the store is asked together whether it knows them


class Unknown:
    """Goes through tickets once, and hands on what this version has not judged. ``count``: of all that were read."""

    def __init__(self, store: Store, tickets: Iterator[Ticket]) -> None:
        self.count = 0
        self._store, self._tickets = store, tickets

    def __iter__(self) -> Iterator[Ticket]:
        waiting: list[Ticket] = []
        for ticket in self._tickets:
            waiting.append(ticket)
            if len(waiting) >= _ASKED_AT_ONCE:
                yield from self._unknown(waiting)
                waiting = []
        yield from self._unknown(waiting)

    def _unknown(self, tickets: list[Ticket]) -> Iterator[Ticket]:
        self.count += len(tickets)
        known = self._store.known([ticket.mark for ticket in tickets]) if tickets else {}
        for ticket in tickets:
            if known.get(ticket.mark) != ticket.digest:
                yield ticket

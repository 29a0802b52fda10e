"""What is not as it was on a host: between its last answer and the one before."""

from __future__ import annotations

from checks.analysis.history.state import differences
from checks.fleet.store import STATE, Store
from checks.fleet.survey import Drift

MOST = 200  # hosts whose drift is listed
_CHANGES = 40  # of one host
_PAIRS = """
SELECT now.host, past.created, now.created, past.state, now.state, past.vector, now.vector
FROM latest AS now JOIN before AS past USING (host)
WHERE now.id != past.id AND (now.state != past.state
    OR (now.vector != past.vector AND now.vector != '' AND past.vector != ''))
ORDER BY now.host
"""
_BITS = """
SELECT now.question, now.value != past.value FROM bit AS now JOIN bit AS past USING (question)
WHERE now.vector = ? AND past.vector = ? ORDER BY 1
"""


def drifted(store: Store) -> tuple[tuple[Drift, ...], int]:
    """(What changed on the first hosts, of how many hosts something did)."""
    found: list[Drift] = []
    count = 0
    for host, before, after, past, now, past_vector, vector in store.stream(_PAIRS):
        changes = differences(store.profile(STATE, past), store.profile(STATE, now)) if past != now else ()
        bits = store.rows(_BITS, [vector, past_vector]) if vector != past_vector else []
        otherwise = tuple(str(question) for question, is_other in bits if is_other)
        if not changes and not otherwise:
            continue
        count += 1
        if len(found) < MOST:
            listed = tuple((one.kind, one.name, one.before, one.after) for one in changes[:_CHANGES])
            drift = Drift(
                host=str(host),
                before=str(before),
                after=str(after),
                changes=listed,
                more=len(changes) - len(listed),
                bits=otherwise,
                compared=len(bits),
            )
            found.append(drift)
    return tuple(sorted(found, key=lambda drift: (not drift.bits, drift.host))), count


def gone(store: Store) -> tuple[tuple[str, ...], int]:
    """(The first hosts that an earlier collection had and this one has not, how many there are)."""
    query = "SELECT DISTINCT host FROM answer ANTI JOIN present USING (host) ORDER BY 1"
    hosts = [str(host) for (host,) in store.rows(query)]
    return tuple(hosts[:MOST]), len(hosts)

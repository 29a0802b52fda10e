"""What the error of a model's run or export says: the likeliest cause that its words name.

The runtime's or exporter's own words decide between the causes, by the same signatures as for a pasted text.
"""

import msgspec

from checks.analysis.models.runs import plain, words_of
from checks.facts import ExportRun, Facts, ModelRun
from checks.knowledge.catalogue import UNKNOWN, family_of
from checks.readers.tickets.lines import lines_of
from checks.readers.tickets.wording.signatures import Hit, hits

GENERAL = frozenset({UNKNOWN, "user-code-error"})  # what any error can be
NOT_FAILING = "reproducibility"  # the family of causes for which a model runs
OF_MODELS = "model"  # the family of causes that lie in the file and what reads it
LIKELY = 0.5  # a wording that is right this often names the cause of the program's own error
_LAST = 300  # characters at the end of a traceback, where the full name of the exception stands


def cause_in_error(run: ModelRun | ExportRun, facts: Facts) -> Hit | None:
    """The likeliest cause that the words of an error name; what it says is over others goes before these."""
    if run.error is None:
        return None
    traceback = run.error.traceback[-_LAST:]
    found = _likely(f"{words_of(run)}\n{traceback}", run, facts)
    if isinstance(run, ExportRun) and run.log and any(family_of(hit.cause) != OF_MODELS for hit in found):
        # An exporter prints what else it noticed on its way: versions, parts that are not there.
        alone = msgspec.structs.replace(run, log=None)
        own = {hit.cause for hit in _likely(f"{words_of(alone)}\n{traceback}", run, facts)}
        found = [hit for hit in found if hit.cause in own or family_of(hit.cause) == OF_MODELS]
    under = {cause for hit in found for cause in hit.signature.over if cause != hit.cause}
    roots = [hit for hit in found if hit.cause not in under] or found
    return max(roots, key=lambda root: root.signature.certainty, default=None)


def _likely(words: str, run: ModelRun | ExportRun, facts: Facts) -> list[Hit]:
    return [
        hit
        for hit in hits(lines_of(words), (facts,), run.origin)
        if hit.signature.certainty >= LIKELY and hit.cause not in GENERAL and family_of(hit.cause) != NOT_FAILING
    ]


def line_of(hit: Hit, run: ModelRun | ExportRun) -> str:
    """The line that the signature stands in: whole, since a quoted one begins within the names of the source."""
    quoted = hit.clue.strip("…")
    return plain(next((line for line in words_of(run).splitlines() if quoted in line), hit.clue))

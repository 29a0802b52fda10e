"""A model file holds a pickle of which Naosu cannot tell what all of it does when it is loaded.

Detects:      names in any pickle of a file that are neither known to be harmless nor to run commands or code; pickles
              within it that cannot be read, since the stream computes them or they lie beyond a bound. Names in
              settings that their loader calls, and code that it loads beside the weights.
Why it bites: Python imports and may call these names while the file is loaded. What they do, nobody here has looked at.
Blind spots:  nothing is said against these names: most are the classes of a program of its own.
Knowledge:    resources/knowledge/formats/loader_settings.toml, pickle_globals.toml
"""

from __future__ import annotations

from collections.abc import Iterator

from checks.analysis.models.selected import some, values_of
from checks.analysis.models.torch import file_of, in_words, listed
from checks.causes.registry import check
from checks.facts import ModelFiles
from checks.facts.finding import Evidence, Finding, Severity
from checks.knowledge.formats.pickle_globals import DANGEROUS, UNKNOWN, PickleGlobalsTable

CAUSE = "pickle-not-fully-known"


@check(CAUSE)
def pickle_not_fully_known(models: ModelFiles) -> Iterator[Finding]:
    """One finding per file, but for those of which something is known to be dangerous."""
    table = PickleGlobalsTable.read()
    with_names = (model for model in models.files if model.needs.classes is not None)
    for model in some(with_names, "pickled_models"):
        found = model.needs.classes or ()
        names = [needed.name for needed in found if needed.risk == UNKNOWN]
        if not names or any(needed.risk == DANGEROUS for needed in found):
            continue
        yield Finding(
            severity=Severity.WARNING,
            confidence=0.6,
            subject=model.path,
            evidence=(file_of(model), Evidence("unknown_names", listed(names), model.path, table.source)),
            values={**values_of(model, ""), "unknown_names": in_words(names)},
            remedies=("leave-untrusted-pickle-unloaded",),
        )

"""A model file holds a pickle that would run commands or code when it is loaded.

Detects:      names in any pickle of a file (also under other names within an archive, after its end, in arrays of
              objects) that start programs, run code, open files or connections, or reach any attribute; and names that
              the stream computes, so that nobody can read them beforehand.
Why it bites: Python imports and calls them while the file is loaded, before the program sees a value of it.
Blind spots:  a list of what is dangerous is never complete: names that it does not know are listed as unknown, and not
              called safe. Files of cloudpickle and torch.fx hold functions of their own, which may be meant well.
Knowledge:    resources/knowledge/pickle_globals.toml
"""

from __future__ import annotations

from collections.abc import Iterator

from checks.facts import ModelFiles
from checks.finding import Evidence, Finding, Severity
from checks.knowledge.pickle_globals import DANGEROUS, pickle_globals_table, what_it_does
from checks.registry import check
from checks.torch_models import file_of, listed

CAUSE = "pickle-runs-code"
MEANT_WELL = "holds-code"


@check(CAUSE)
def pickle_runs_code(models: ModelFiles) -> Iterator[Finding]:
    """One finding per file."""
    table = pickle_globals_table()
    for model in models.files:
        names = [each.name for each in model.needs.classes or () if each.risk == DANGEROUS]
        if not names:
            continue
        is_usual = all(_deed(name) == MEANT_WELL for name in names)
        yield Finding(
            cause=CAUSE,
            severity=Severity.WARNING if is_usual else Severity.BLOCKING,
            confidence=0.7 if is_usual else 0.9,
            subject=model.path,
            evidence=(
                file_of(model),
                Evidence("dangerous_names", listed(names), model.path, table.source),
            ),
            values={"model_path": model.path, "runtime": ""},
        )


def _deed(path: str) -> str:
    module, _, name = path.rpartition(".")
    return what_it_does(module, name)

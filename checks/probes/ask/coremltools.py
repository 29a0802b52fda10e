"""Coremltools in this interpreter, and the newest torch that it says it was tested with."""

from .. import kit


def imported(argument):
    """Import it for real; it also looks at the frameworks beside it, and warns of those that it does not know."""
    with kit.Warned() as warned, kit.Captured() as captured:
        import coremltools
    printed = list(dict.fromkeys(line for line in captured.text.splitlines() if line.strip()))
    return kit.import_facts(coremltools, warned.facts + printed)


def tested(argument):
    """The newest torch that this version was tested with."""
    from coremltools import _deps

    newest = getattr(_deps, "_TORCH_MAX_VERSION", None)
    if newest is None:
        return {"unread": {"torch_tested": "this version does not tell"}}
    return {"torch_tested": str(newest)}


STAGES = (imported, tested, kit.libraries)
ESSENTIAL = ("imported",)

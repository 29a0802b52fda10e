"""Of something that is not there: which release of which package has it, and who asks for that release."""

from dataclasses import dataclass, replace

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from checks.analysis.failures.absent import Absent, Kind
from checks.analysis.packages.requirements import parsed
from checks.knowledge.packages.names import Wanted, releases_with


@dataclass(frozen=True)
class Fit:
    """What would do. ``requirement``: "" where nobody knows a release. ``source``: who says so."""

    needed: str  # as a sentence names it: "scipy<1.13 (scipy.linalg.tril)"
    found: str  # "scipy 1.14.1"; "" where it is not installed
    requirement: str
    source: str
    confidence: float
    instead: str = ""  # its new place


def fit_of(absent: Absent) -> Fit:
    """Which release would do: by the asking package's own metadata, by what packages ask in words, by the table."""
    owner = absent.owner
    found = f"{owner.name} {owner.version}" if owner else ""
    what = ".".join(part for part in (absent.module, absent.name) if part)
    wanted = wanted_of(absent)
    if absent.wish is not None:
        return Fit(str(absent.wish), found, str(absent.wish), absent.trouble.origin, 0.9)
    wish = asked_for(absent)
    if wish is not None and (owner is None or not _is_met(wish, owner.version)):
        needed = f"{wish.name}{wish.specifier}"
        return Fit(needed, found, needed, "", 0.93)
    if wanted is not None:
        return Fit(f"{wanted.requirement} ({what})", found, wanted.requirement, wanted.source, 0.92, wanted.instead)
    return Fit(what, found, "", "", 0.75 if absent.asker_module else 0.45)


def wanted_of(absent: Absent) -> Wanted | None:
    """Between which releases it is there, where the one that is installed lacks it by the table."""
    owner = absent.owner
    for name in (*((owner.name,) if owner else ()), *absent.distributions):
        wanted = releases_with(name, absent.module, absent.name)
        if wanted is not None and (owner is None or wanted.lacks(owner.version)):
            # tensorflow-cpu and opencv-python-headless have what the tables say of their usual builds.
            return replace(wanted, package=owner.name) if owner else wanted
    return None


def asked_for(absent: Absent) -> Requirement | None:
    """What the metadata of the package that asked say of the package that should bring it."""
    names = (absent.owner.name,) if absent.owner else absent.distributions
    for line in (absent.asker.requires if absent.asker else None) or ():
        wish = parsed(line)
        if wish is not None and canonicalize_name(wish.name) in names and "extra" not in str(wish.marker or ""):
            return wish
    return None


def is_asked_for(absent: Absent) -> bool:
    """Whether the package that asked says in its metadata that it needs what is not there."""
    return asked_for(absent) is not None


def is_conflict(absent: Absent) -> bool:
    """Whether two packages meet that do not fit: what is not there is of an installed one, or of a known release."""
    if absent.is_standard or absent.is_own_part or absent.is_extra or absent.meant is not None or absent.near:
        return False
    if absent.owner is not None:
        # What the user's own program looks for and no table knows may as well be misspelt.
        return bool(absent.asker_module or "cannot import" in absent.line or wanted_of(absent) or absent.wish)
    if absent.kind is Kind.NAME:  # of a module that nothing installed brings, unless nobody knows what is
        return (absent.interpreter is None or absent.interpreter.packages is None) and bool(absent.distributions)
    wanted = wanted_of(absent)
    return is_asked_for(absent) or (wanted is not None and bool(wanted.gone))


def _is_met(wish: Requirement, version: str) -> bool:
    try:
        return wish.specifier.contains(version, prereleases=True)
    except ValueError:
        return True

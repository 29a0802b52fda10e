"""How packages ask in their own words for a package that is not installed."""

import functools
import re
from collections.abc import Iterator

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from checks.knowledge import Row, Table
from checks.knowledge.packages.import_packages import distributions_of, is_named, is_standard

MESSAGE_LIMIT = 4000  # characters of a message that are searched


class SoftRequirement(Row):
    """One wording; its group ``wish`` is what to install, ``least`` (where it has one) the oldest release."""

    id: str
    pattern: str
    sources: tuple[str, ...]


class Without(Row):
    """What to do about packages that a program does without, or that pip cannot simply install."""

    packages: tuple[str, ...]
    remedies: tuple[str, ...]
    source: str


class SoftRequirements(Table):
    """resources/knowledge/errors/soft_requirements.toml."""

    row: tuple[SoftRequirement, ...]
    names: dict[str, str]
    without: tuple[Without, ...]


def remedies_for(package: str) -> tuple[str, ...]:
    """What to do about this package that is missing, the best first; () where installing it is as good as anything."""
    return next((row.remedies for row in SoftRequirements.read().without if package in row.packages), ())


def wishes_in(message: str) -> Iterator[Requirement]:
    """The packages that a message asks for, as requirements with their normalised names, by the order of the table."""
    text = " ".join(message[:MESSAGE_LIMIT].split())
    for pattern in _compiled():
        for found in pattern.finditer(text):
            least = found.groupdict().get("least")
            wish = _requirement(found["wish"] + (f">={least}" if least else ""))
            if wish is not None:
                yield wish


def _requirement(words: str) -> Requirement | None:
    name = SoftRequirements.read().names.get(words.strip(), words.strip().rstrip(".,"))
    try:
        wish = Requirement(name)
    except InvalidRequirement:
        return None
    if is_standard(wish.name) or wish.name.lower() in _NO_NAMES:
        return None
    # Some write the module's name: "sklearn", "cv2".
    wish.name = distributions_of(wish.name)[0] if is_named(wish.name) else canonicalize_name(wish.name)
    return wish


_NO_NAMES = frozenset(
    ("it", "them", "the", "this", "that", "a", "an", "package", "library", "module", "version", "one", "you", "and",
     "dependencies", "requirements", "which", "git-lfs", "git")  # the last one is no package of Python
)  # fmt: skip


@functools.cache
def _compiled() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(row.pattern) for row in SoftRequirements.read().row)

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
    """One wording; its group ``wish`` is what to install."""

    id: str
    pattern: str
    sources: tuple[str, ...]


class SoftRequirements(Table):
    """resources/knowledge/errors/soft_requirements.toml."""

    row: tuple[SoftRequirement, ...]
    names: dict[str, str]


def wishes_in(message: str) -> Iterator[Requirement]:
    """The packages that a message asks for, as requirements with their normalised names, by the order of the table."""
    text = " ".join(message[:MESSAGE_LIMIT].split())
    for pattern in _compiled():
        for found in pattern.finditer(text):
            wish = _requirement(found["wish"])
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
     "dependencies", "requirements")
)  # fmt: skip


@functools.cache
def _compiled() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(row.pattern) for row in SoftRequirements.read().row)

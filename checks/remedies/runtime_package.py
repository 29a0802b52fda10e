"""Which package brings a program that reads a model file, as pip takes it: "llama-cpp-python>=0.1.79".

What a file asks for can come out of a stranger's case. So a wish is parsed, and what is handed on is the name of a
package of our own tables and the releases that fit: never an address, a marker, an extra, or a release in words of
somebody's own.
"""

from collections.abc import Sequence

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from checks.analysis.packages.requirements import parsed
from checks.facts import ModelFacts
from checks.knowledge.formats.model_formats import distributions_of

_LONGEST = 60  # characters of the releases that fit


def package_for(model: ModelFacts, runtimes: Sequence[str]) -> str:
    """The package of one of these runtimes, the one that the file names if it names one; "" where none is a package."""
    packages = tuple(dict.fromkeys(name for runtime in runtimes for name in distributions_of(runtime)))
    wishes = (parsed(line) for line in model.needs.frameworks)
    asked = next((wish for wish in wishes if wish and canonicalize_name(wish.name) in packages), None)
    if asked is not None:
        return f"{canonicalize_name(asked.name)}{_releases(asked)}"
    return next(iter(packages), "")


def _releases(wish: Requirement) -> str:
    """The releases that fit (">=2.1,<3"); "" where that is more than such a wish is, or an address instead of one."""
    text = ",".join(sorted(map(str, wish.specifier)))
    is_plain = not wish.url and all(specifier.operator != "===" for specifier in wish.specifier)
    return text if is_plain and len(text) <= _LONGEST else ""

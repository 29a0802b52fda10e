"""PyTorch's files and other pickles of a case, as the checks that compare them with a target want them."""

from collections.abc import Iterable, Iterator, Sequence

from checks.facts import Frameworks, InterpreterFacts, ModelFacts, ModelFiles
from checks.facts.finding import Evidence, NotCollected, NotHere
from checks.facts.phrase import Phrase
from checks.knowledge.formats.format_readers import rules_of
from checks.knowledge.formats.model_formats import distributions_of
from checks.knowledge.phrases import phrase
from checks.readers.containers.pickles import values as pickles

SHOWN = 8  # names that a finding lists
# What stands for a name that the stream does not tell -> what is said of it.
_WITHOUT_NAME = {
    pickles.COMPUTED[1]: "pickle-computed-name",
    pickles.COMPUTED_PICKLE[1]: "pickle-computed",
    pickles.UNREAD[1]: "pickle-unread",
    pickles.RESULT_CALLED[1]: "pickle-result-called",
    pickles.CHANGED[1]: "pickle-changes-imports",
}


def unloaded(models: ModelFiles, *formats: str) -> Iterator[ModelFacts]:
    """The models of these formats that no runtime has in fact loaded."""
    for model in models.of(*formats):
        if not any(run.loaded for run in model.runs):
            yield model


def listed(names: Iterable[str]) -> str:
    """Some of the names, and how many more there are."""
    known = list(dict.fromkeys(names))
    more = len(known) - SHOWN
    return ", ".join(known[:SHOWN]) + (f" (+{more})" if more > 0 else "")


def name_in_words(name: str) -> str | Phrase:
    """A name that a pickle would import, or what stands for one."""
    return phrase(_WITHOUT_NAME[name]) if name in _WITHOUT_NAME else name


def in_words(names: Iterable[str]) -> tuple[str | Phrase, ...]:
    """Some of the names that a pickle would import; for what it does under no name, what that is."""
    known = list(dict.fromkeys(names))
    shown = map(name_in_words, known[:SHOWN])
    return (*shown, *((f"(+{len(known) - SHOWN})",) if len(known) > SHOWN else ()))


def file_of(model: ModelFacts) -> Evidence:
    """Which file a finding is about."""
    return Evidence("model", model.name or model.path, model.path)


def need_a_reader(
    models: Sequence[ModelFacts], frameworks: Frameworks | None, interpreter: InterpreterFacts | None
) -> None:
    """Let pass where something is installed that a rule about one of the models is about, or there is no model.

    Raises:
        NotHere: nothing is.
    """
    wanted = {rule.runtime for model in models for rule in rules_of(model)}
    if not wanted or any(installed_version(runtime, frameworks, interpreter)[0] for runtime in wanted):
        return
    raise NotCollected("frameworks") if interpreter is None else NotHere("frameworks", "not-installed")


def installed_version(
    runtime: str, frameworks: Frameworks | None, interpreter: InterpreterFacts | None
) -> tuple[str, str]:
    """The version of a framework or distribution in the target and where that was read; "" where it has none."""
    known = dict(frameworks.each()).get(runtime) if frameworks else None
    if known is not None and known.version:
        return known.version, known.origin
    package = interpreter.package(*(distributions_of(runtime) or (runtime,))) if interpreter else None
    return (package.version, package.location or "") if package else ("", "")

"""PyTorch's files and other pickles of a case, as the checks that compare them with a target want them."""

from collections.abc import Iterable, Iterator, Sequence

from checks.facts import Frameworks, InterpreterFacts, ModelFacts, ModelFiles
from checks.facts.finding import Evidence, NotCollected, NotHere
from checks.knowledge.formats.format_readers import rules_of
from checks.knowledge.formats.model_formats import distributions_of

SHOWN = 8  # names that a finding lists


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

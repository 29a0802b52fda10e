"""The programs that read model files, as they are in the target: which there are, installed, and broken."""

from checks.facts import Facts, InterpreterFacts, ModelFacts
from checks.facts.runs import RunStatus
from checks.knowledge.formats.model_formats import distributions_of, model_format


def runtimes_of(model: ModelFacts) -> tuple[str, ...]:
    """The programs that read a model's format, by their names in model_formats.toml."""
    row = model_format(model.format) if model.format else None
    return row.readers if row else ()


def is_installed(runtime: str, target: InterpreterFacts) -> bool:
    """Whether a runtime is a package of this interpreter."""
    return target.package(*distributions_of(runtime)) is not None


def is_broken(runtime: str, facts: Facts) -> bool:
    """Whether the runtime's own probe found that it cannot be imported, or died of it: then no model is tried in it."""
    known = dict(facts.frameworks.each()).get(runtime) if facts.frameworks else None
    if known is not None and known.imported is not None:
        return not known.imported
    run = facts.probes.of(runtime) if facts.probes else None
    return run is not None and run.status in (RunStatus.CRASHED, RunStatus.TIMED_OUT, RunStatus.FAILED)

"""What a runtime makes of a model file, as types; checks/judgement/models/outcomes.py says which it is."""

from enum import StrEnum

import msgspec

from checks.facts import ProviderShare


class Outcome(StrEnum):
    """What a runtime makes of a model file."""

    RUNS = "runs"  # it really ran
    RUNS_WITH_FALLBACK = "runs-with-fallback"  # it ran, in part elsewhere than asked for
    LOADS = "loads"  # it was really loaded
    DOES_NOT_RUN = "does-not-run"
    SHOULD_RUN = "should-run"  # by the tables; not tried
    UNKNOWN = "unknown"
    NOT_INSTALLED = "not-installed"  # it reads the format, but is not in the target


class ModelVerdict(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One model file and one runtime. ``model`` is the path, ``runtime`` a field of Frameworks or a package's name.

    ``cause``: the id of the finding that says why not; ``reason``: an id [reason-...] of models.toml where no finding
    does; ``error``: the runtime's own line. ``setting``, ``shares`` and ``memory_limit``: of the run that decided.
    """

    model: str
    runtime: str
    version: str = ""
    outcome: Outcome
    setting: str = ""
    cause: str = ""
    reason: str = ""
    memory_limit: int | None = None
    error: str = ""
    shares: tuple[ProviderShare, ...] = ()

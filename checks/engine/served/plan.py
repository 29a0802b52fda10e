"""What a served model is asked: which prompts, how often, how many at once, and within which time."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from checks.engine.answers import fields_of
from checks.engine.job import Job, Limit
from checks.engine.processes.runner import Answer
from checks.engine.scripts import script_of
from checks.engine.served.address import RequestError, host_of
from checks.facts import ServedFacts, ServedTrial
from checks.knowledge.frameworks.served import ServedTable
from checks.knowledge.frameworks.served_prompts import ServedPromptsTable
from checks.prepared import prepared

JOB = "served"
SCRIPT = script_of("served/probe")
_ABOUT = 6  # short questions about the server itself: its models, and one for each sign by which servers are known
_PREPARING = 4  # ways of asking that are tried until one works
_GROUP = 3  # answers of a group of the cache
_SHARED = 4  # and of one with another prompt before them
_LONGEST_PROMPT = 100_000  # bytes
_GRACE = 15.0  # seconds beyond the last request


@dataclass(frozen=True)
class Amount:
    """How much is asked by effort. ``times``: of each prompt alone; ``rounds``: of each in company."""

    times: int
    rounds: int
    at_once: int
    groups: int
    seeds: int
    other_seeds: int
    max_tokens: int
    seconds: float


AMOUNTS = {
    "quick": Amount(6, 5, 4, 3, 4, 2, 64, 90.0),
    "standard": Amount(20, 20, 8, 8, 10, 3, 128, 400.0),
    "thorough": Amount(60, 60, 16, 20, 30, 5, 256, 1800.0),
}
REQUEST_SECONDS = 120.0  # for one answer


@dataclass(frozen=True)
class ServedRequest:
    """Which server is asked what. ``base``: as checks/engine/served/address.py gives it.

    ``model``: "" takes the first that the server names. ``prompts``: files of the user's; () takes our own.
    ``times``: of each prompt alone and in company, 0 leaves it to the effort. ``key_variable``: the name of the
    environment variable that holds the key, "" sends none. ``is_claimed``: the server is said to run in its
    deterministic mode.
    """

    base: str
    model: str = ""
    prompts: tuple[Path, ...] = ()
    times: int = 0
    effort: str = "standard"
    key_variable: str = ""
    is_claimed: bool = False

    @cached_property
    def amount(self) -> Amount:
        """How much is asked."""
        amount = AMOUNTS[self.effort]
        if not self.times:
            return amount
        return replace(amount, times=self.times, rounds=self.times)

    def check(self) -> None:
        """Look at what was named before anything is sent.

        Raises:
            RequestError: a prompt cannot be read, is empty or too long; the variable of the key is not set, or holds
                what no header can.
        """
        for path in self.prompts:
            _check_prompt(path)
        if self.key_variable:
            key = os.environ.get(self.key_variable, "")
            if not key:
                raise RequestError("no-variable", variable=self.key_variable)
            if not key.isascii() or not key.isprintable():
                raise RequestError("odd-key", variable=self.key_variable)


def _check_prompt(path: Path) -> None:
    try:
        with path.open("rb") as file:
            data = file.read(_LONGEST_PROMPT + 1)
        text = data[:_LONGEST_PROMPT].decode()
    except OSError as error:
        raise RequestError("prompt-file", path=str(path), detail=error.strerror or str(error)) from error
    except UnicodeDecodeError as error:
        raise RequestError("prompt-file", path=str(path), detail=error.reason) from error
    if len(data) > _LONGEST_PROMPT:
        raise RequestError("prompt-long", path=str(path), most=str(_LONGEST_PROMPT))
    if not text.strip():
        raise RequestError("prompt-empty", path=str(path))


@dataclass(frozen=True)
class Announcement:
    """What is about to be sent, at the most. ``longest``: characters of a prompt; ``prompts``: their number."""

    host: str
    requests: int
    prompts: int
    longest: int
    at_once: int
    max_tokens: int
    seconds: float


def announced(request: ServedRequest) -> Announcement:
    """How many requests of which size go where, at the most."""
    amount, table = request.amount, ServedPromptsTable.read()
    count = len(request.prompts) or len(table.prompt)
    alone = count * (amount.times + 1)
    company = count * amount.rounds * amount.at_once
    cache = amount.groups * (3 * _GROUP + _SHARED)
    sizes = [path.stat().st_size for path in request.prompts] or [len(prompt.text) for prompt in table.prompt]
    return Announcement(
        host=host_of(request.base),
        requests=_ABOUT + _PREPARING + alone + company + cache + amount.seeds + amount.other_seeds,
        prompts=count,
        longest=len(table.prefix) + max(sizes),
        at_once=amount.at_once,
        max_tokens=amount.max_tokens,
        seconds=amount.seconds,
    )


@dataclass(frozen=True)
class ServedProbe:
    """The one process that asks."""

    request: ServedRequest

    @property
    def script(self) -> Path:
        """The file that runs."""
        return SCRIPT


ServedJob = Job[ServedProbe, ServedFacts]


def served_job(request: ServedRequest) -> ServedJob:
    """The job that asks the server, in our own interpreter."""
    seconds = request.amount.seconds
    return ServedJob(
        id=JOB,
        spec=ServedProbe(request),
        interpreter=sys.executable,
        argument=_argument(request),
        limit=Limit(seconds + REQUEST_SECONDS + _GRACE),
        read=_read,
        expected_seconds=seconds,
        seconds={JOB: seconds},
        is_isolated=True,
    )


def _argument(request: ServedRequest) -> dict[str, Any]:
    amount, table = request.amount, ServedPromptsTable.read()
    own = [{"name": f"{prompt.id}-{table.version}", "text": prompt.text} for prompt in table.prompt]
    given = [{"name": name, "path": str(path.absolute())} for name, path in _named(request.prompts)]
    return {
        "base": request.base,
        "key_variable": request.key_variable,
        "model": request.model,
        "signs": [msgspec.to_builtins(row) for row in ServedTable.read().server],
        "prompts": given or own,
        "companions": [{"name": "", "text": text} for text in table.companions],
        "prefix": table.prefix.strip(),
        "request_seconds": REQUEST_SECONDS,
        **asdict(amount),
    }


def _named(paths: Sequence[Path]) -> list[tuple[str, Path]]:
    """Each file with a name that no other has."""
    names = [path.name for path in paths]
    return [
        (path.name if names.count(path.name) == 1 else f"{path.name} ({place})", path)
        for place, path in enumerate(paths, start=1)
    ]


def _read(job: ServedJob, answers: Sequence[Answer]) -> ServedFacts:
    """What the process told; what it told of a trial last counts."""
    request = job.spec.request
    facts: Mapping[str, Any] = answers[-1].facts if answers else {}
    values, unread = fields_of(ServedFacts, facts)
    values |= {
        "trials": _trials(facts.get("trials")),
        "url": request.base,
        "is_claimed": request.is_claimed,
        "max_tokens": request.amount.max_tokens,
        "requests": announced(request).requests if not values.get("problem") else 0,
    }
    return ServedFacts(**{**values, "origin": job.origin, "unread": unread})


def _trials(told: object) -> tuple[ServedTrial, ...]:
    found: dict[tuple[str, str], ServedTrial] = {}
    for raw in told if isinstance(told, list) else ():
        try:
            trial = msgspec.convert(raw, prepared(ServedTrial))
        except (msgspec.ValidationError, RecursionError):
            continue
        found[trial.aspect, trial.prompt] = trial
    return tuple(found.values())

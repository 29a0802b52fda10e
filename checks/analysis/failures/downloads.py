"""A program that ended because something could not be fetched: what, from where, and why."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from checks.analysis.failures.of_runs import Failure
from checks.facts import ProgramRun, Raised
from checks.knowledge.errors.downloads import (
    Downloads,
    Of,
    Refusal,
    is_data_file,
    is_elsewhere,
    is_fetcher,
    printed_lines,
    refusal_in,
    wrapper_in,
)

UNREACHED, UNREACHED_CERTAINTY = "unreached", 0.8  # the program says only that nobody was reached
WORDS_CERTAINTY = 0.75  # at most, where no exception but what was printed tells it
LINES_READ = 30  # last lines of what was printed, where no exception is known
PRINTED_SHOWN = 20_000  # characters of an output that are searched

_URL = re.compile(r"https?://[^\s'\"<>()\\]{1,500}")
_HOST = re.compile(r"\b(?:host=|host )'([\w.:-]{1,200})'(?:, port=\d{1,5}\).{0,80}? with url: (/[^\s()]{1,500}))?")
_OF_HUB = re.compile(r"/(?:api/(?:models|datasets)/)?([\w.-]{1,96}(?:/[\w.-]{1,96})?)/(?:resolve|revision)/")
# The name that the program itself gives: from_pretrained("org/model").
_NAMED = re.compile(
    r"(?:from_pretrained|load_dataset|hf_hub_download|snapshot_download|SentenceTransformer|create_model|hub\.load|download)"
    r"\((?:\s*\w+\s*=)?\s*['\"]([\w.-]{1,96}(?:/[\w.-]{1,96})?)['\"]"
)
_FETCHES = re.compile(r"download|fetch|retrieve|load_state_dict_from_url|get_file|cached_", re.IGNORECASE)
_LOCAL_NAMES = ("localhost", "ip6-localhost", "host.docker.internal")


@dataclass(frozen=True)
class Refused:
    """What kept a download from being made. ``reason``: the id of a row of downloads.toml, or ``UNREACHED``."""

    reason: str
    certainty: float
    clue: str
    source: str = ""
    address: str = ""  # a host, or a URL
    wanted: str = ""  # the model or the data set

    @property
    def host(self) -> str:
        """The computer that was asked."""
        return host_of(self.address)


def refused(failure: Failure) -> Refused | None:
    """Why the failed program got nothing; None where it did not fail for that."""
    if failure.run.signal:
        return None
    return _of_errors(failure) if failure.raised else _of_words(failure)


def has_handled_refusal(run: ProgramRun) -> bool:
    """Whether nothing could be fetched, and the program took that, went on, and ended by an error of its own."""
    python = run.failing_python
    if python is None or python.raised is None or not any(refusal_in(_words(raised)) for raised in python.led_there):
        return False
    return _of_errors(Failure(run, None, (*python.led_there, python.raised))) is None and not is_elsewhere(
        _words(python.raised)
    )


def host_of(address: str) -> str:
    """The host of a URL; of a host, itself."""
    try:
        return urlsplit(address).hostname or "" if "://" in address else address
    except ValueError:
        return ""


def is_this_computer(host: str) -> bool:
    """Whether a host is this computer, or one of its containers: a service that does not run is no download."""
    try:
        return host.lower() in _LOCAL_NAMES or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _of_errors(failure: Failure) -> Refused | None:
    """What the exceptions tell, the last of which ended the program."""
    last, words = failure.raised[-1], _words(failure.raised[-1])
    if is_elsewhere(words):
        return None
    wrapper = wrapper_in(words)
    own = refusal_in(words)
    if wrapper is None and own is None and not _passed_on(failure.raised):
        return None  # something else ended it; a refusal before it was handled
    texts = [words, *(_words(raised) for raised in reversed(failure.raised[:-1]))]
    if any(map(is_elsewhere, texts)):
        return None
    told: dict[str, str] = dict(wrapper[1]) if wrapper else {}
    if wrapper and wrapper[0].printed:
        texts = [printed_lines(wrapper[0], (failure.run.errors + "\n" + failure.run.output)[-PRINTED_SHOWN:])]
    best = _best(texts)
    if best is not None:
        row, groups, clue = best
        told = {**groups, **told}
    elif wrapper is not None and wrapper[0].is_offline:
        row, clue = None, _line_with(words, last.type)
    else:
        return None
    address = told.get("address") or _address([*texts, *(frame.code for frame in last.frames)])
    if row is not None and wrapper is None and not _is_download(row, address, failure.raised):
        return None
    return Refused(
        reason=row.id if row else UNREACHED,
        certainty=row.certainty if row else UNREACHED_CERTAINTY,
        clue=clue,
        source=row.source if row else wrapper[0].source if wrapper else "",
        address=address,
        wanted=told.get("wanted") or _wanted([*texts, address], failure.raised),
    )


def _of_words(failure: Failure) -> Refused | None:
    """What a program printed that ended with an exit code of its own: the last lines count."""
    text = failure.run.errors or failure.run.output
    lines = [line.strip() for line in text[-PRINTED_SHOWN:].splitlines() if line.strip()][-LINES_READ:]
    if any(map(is_elsewhere, lines)):
        return None
    best = _best(lines)
    if best is None:
        return None
    row, groups, clue = best
    address = groups.get("address") or _address([clue]) or _address(lines)
    names_download = row.of is Of.HUB or any(map(_FETCHES.search, lines)) or is_data_file(address)
    if not names_download or (row.of is not Of.HUB and is_this_computer(host_of(address))):
        return None
    certainty = min(row.certainty, WORDS_CERTAINTY)
    return Refused(row.id, certainty, clue, row.source, address, groups.get("wanted") or _wanted(lines, ()))


def _best(texts: Sequence[str]) -> tuple[Refusal, dict[str, str], str] | None:
    """The most exact reason that any of these tells, and the line with it."""
    found = [(row, groups, text) for text in texts for row, groups in filter(None, (refusal_in(text),))]
    if not found:
        return None
    rows = Downloads.read().refusal
    row, groups, text = min(found, key=lambda hit: rows.index(hit[0]))
    clue = next((line.strip() for line in text.splitlines() if refusal_in(line) is not None), text.strip())
    return row, groups, clue


def _is_download(row: Refusal, address: str, raised: Sequence[Raised]) -> bool:
    """Whether such an error is about something to compute with."""
    if row.of is Of.HUB:
        return True
    frames = [frame for error in raised for frame in error.frames]
    fetches = any(is_fetcher(frame.file) or _FETCHES.search(frame.function) for frame in frames)
    if fetches or is_data_file(address):
        return True
    return row.of is Of.NETWORK and bool(address) and not is_this_computer(host_of(address))


def _passed_on(raised: Sequence[Raised]) -> bool:
    """Whether the last exception was raised on purpose while the one before it was handled."""
    if len(raised) < 2 or not raised[-1].frames:
        return False
    return raised[-1].frames[-1].code.startswith("raise") and refusal_in(_words(raised[-2])) is not None


def _address(texts: Sequence[str]) -> str:
    """The address that was asked for: the first that is named, rather a file's than a page's about errors."""
    urls = [found[0].rstrip(".,;:") for text in texts for found in _URL.finditer(text)]
    asked = [url for url in urls if not _is_about_errors(url)]
    named = next((url for url in asked if is_data_file(url) or _OF_HUB.search(url)), "")
    hosts = (
        f"https://{found[1]}{found[2]}" if found[2] else found[1] for text in texts for found in _HOST.finditer(text)
    )
    return named or next(hosts, "") or next(iter(asked), "")


def _is_about_errors(url: str) -> bool:
    return "/docs/" in url or "developer.mozilla.org" in url or url.endswith("huggingface.co/models")


def _wanted(texts: Sequence[str], raised: Sequence[Raised]) -> str:
    """The name of the model or data set: in the hub's address, else as the program gives it."""
    for text in texts:
        for found in _URL.finditer(text):
            name = _OF_HUB.search(found[0].partition("://")[2])
            if name is not None:
                return name[1]
    frames = raised[-1].frames if raised else ()
    return next((found[1] for frame in frames for found in filter(None, [_NAMED.search(frame.code)])), "")


def _line_with(text: str, start: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), start)


def _words(raised: Raised) -> str:
    return f"{raised.type}: {raised.message}"

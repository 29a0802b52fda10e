"""The catalogue of causes and remedies: the words, in every language, under the id of the cause.

resources/causes/<family>/<cause-id>.toml and resources/remedies/<remedy-id>.toml, one file each. A remedy is a file
of its own since several causes share one. Both are read when asked for, and refuse unknown keys.
"""

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Generic, TypeVar, cast

import msgspec
import tomli

from checks.knowledge.templates import placeholders
from checks.languages import translated
from checks.paths import ROOT
from checks.prepared import prepared

UNKNOWN = "unknown"  # the cause of what fails and nothing explains
USER_CODE = "user-code-error"

_T = TypeVar("_T")


class InLanguages(msgspec.Struct, Generic[_T], frozen=True, forbid_unknown_fields=True):
    """The same in each language."""

    en: _T
    ja: _T

    def of(self, language: str) -> _T:
        """What is for a language."""
        return self.ja if language == "ja" else _translated(self.en, language)


@functools.cache
def _translated(english: _T, language: str) -> _T:
    """A sentence, or all sentences of a text."""
    if isinstance(english, str):
        return cast(_T, translated(english, language))
    if isinstance(english, msgspec.Struct):
        told = {name: _translated(text, language) for name, text in msgspec.structs.asdict(english).items()}
        return msgspec.structs.replace(english, **told)
    return english


class Words(InLanguages[str], frozen=True, forbid_unknown_fields=True):
    """The same sentence in each language."""


class Question(Words, frozen=True, forbid_unknown_fields=True):
    """What to ask where the evidence of a cause is thin.

    ``answered_by``: what must all be known of a ticket (names as in the conditions of signatures, "driver") to make the
    question needless; empty = it is always asked.
    """

    answered_by: tuple[str, ...] = ()


class CauseText(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A cause in one language. ``why`` is one sentence with the values seen; all may name {placeholders}."""

    title: str
    why: str
    explanation: str


class ReportedText(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A cause in one language as a pasted text tells it: no {placeholders}, since most values are not known.

    ``explanation``: where the usual one does not fit a text; "" takes the usual one.
    """

    title: str
    why: str
    explanation: str = ""


class Signature(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a cause looks in a pasted text.

    ``any``: patterns of which one must stand in the text; ``all``: each of these too; ``none``: none of these.
    Patterns are RE2 (linear in time; no look-around, no back-references), case does not matter, ``.`` ends at a line's
    end, ``^`` and ``$`` are a line's; {name} stands for a row of resources/knowledge/tickets/phrases.toml. They are
    searched line by line and in the text without its line breaks. Named groups become values of the finding.
    ``when``: conditions on what the text tells of the machine, all of which must be known to hold
    ("compute_capability >= 8.0"); ``unless``: none of which may be known to hold (see checks/readers/tickets/
    conditions.py). ``certainty``: the share of the tickets with this signature whose root cause this is.
    ``over``: causes that are mere consequences, or a more general reading, where this signature stands.
    ``remedies``: ids, the best first, where this wording asks for others than the cause's own, or in another order.
    ``phrases``: value of the finding -> key of words/phrases.toml, where a cause has several faces and this is one.
    ``matches``: texts as programs print them, which it must match; ``non_matches``: near ones, which it must not.
    """

    any: tuple[str, ...]
    certainty: float
    matches: tuple[str, ...]
    all: tuple[str, ...] = ()
    none: tuple[str, ...] = ()
    when: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    over: tuple[str, ...] = ()
    remedies: tuple[str, ...] = ()
    phrases: dict[str, str] = {}
    non_matches: tuple[str, ...] = ()


class Cause(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One cause of the catalogue.

    ``explains``: ids of causes that are its consequences, shown behind it. ``is_warned_first``: where it blocks, it
    stands before every other finding: whoever acts on those first may come to harm. ``is_usual``: a note of it tells
    what is as it should be, and stands behind those on which one may act. ``remedies``: ids, the best first.
    ``clear``: what a clear outcome proves, in a few words ("The driver is new enough"); a cause without a check has
    none. ``reported``: title and reason for a finding that a text alone gave, where ``text`` has placeholders.
    ``severity``: that of such a finding. ``questions``: what to ask where the evidence is thin, the most telling first.
    ``phrases``: how people describe it who do not know the cause, in our own words (see
    checks/readers/tickets/wording/resemblance.py). ``ruled_out``: ids of the phrases (tickets/phrases.toml) by which
    a text says that it is not this.
    """

    cause: str
    text: InLanguages[CauseText]
    remedies: tuple[str, ...]
    sources: tuple[str, ...]
    clear: Words | None = None
    reported: InLanguages[ReportedText] | None = None
    severity: str = "blocking"
    explains: tuple[str, ...] = ()
    is_warned_first: bool = False
    is_usual: bool = False
    questions: tuple[Question, ...] = ()
    phrases: tuple[str, ...] = ()
    ruled_out: tuple[str, ...] = ()
    signature: tuple[Signature, ...] = ()

    def text_with(self, values: Mapping[str, object], language: str) -> CauseText:
        """The texts for a finding with these values: the plain ones where a value is missing."""
        text = self.text.of(language)
        if self.reported is None or placeholders(text.title + text.why) <= values.keys():
            return text
        reported = self.reported.of(language)
        return CauseText(title=reported.title, why=reported.why, explanation=reported.explanation or text.explanation)


class Step(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One step of a remedy. ``kind``: "command", "setting", "code" or "manual"; ``code`` is what is pasted.

    ``platforms`` (of "linux", "windows", "macos", "wsl", "container", "jetson") and ``managers`` (package managers
    of the system or of the interpreter: "apt", "dnf", "pip", "conda", "uv", ...) say where the step applies;
    empty = everywhere. "linux" is every Linux, but not a container, WSL or a Jetson where a step of the same remedy
    names that. Steps for different package managers are alternatives (see checks/remedies/plan.py). ``frameworks``
    (fields of Frameworks, or a server that only texts tell of, as "vllm"): whose step it is; empty = of all.
    ``programs``: the same for AI programs that bring their own runtime, by their names ("Ollama").
    """

    kind: str
    code: str = ""
    text: Words | None = None
    platforms: tuple[str, ...] = ()
    managers: tuple[str, ...] = ()
    frameworks: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()


class Verify(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How to see that the remedy worked: what to run (with one of ``frameworks``; empty = any), what it must show."""

    expect: Words
    code: str = ""
    frameworks: tuple[str, ...] = ()


class Remedy(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What to do about a cause. Shown, never run. ``tested`` says how and when the steps were tried.

    ``needs``: placeholders that must be known, else the remedy is not offered. ``instead_of``: the remedy that this
    one stands in for where such a value is not known, as in a ticket; it is left out where that one is offered.
    ``default``: what stands for a placeholder that the finding does not know ("model.onnx").
    ``vendors``: makers of the GPUs that it is for ("nvidia", "amd", "intel", "apple"); empty = of any.
    ``of_maker``: only who has what a model was made from can do it.
    """

    remedy: str
    title: Words
    step: tuple[Step, ...]
    verify: Verify
    tested: str
    risk: Words | None = None
    needs: tuple[str, ...] = ()
    instead_of: str = ""
    default: dict[str, str | Words] = {}
    of_maker: bool = False
    vendors: tuple[str, ...] = ()


@functools.cache
def cause_of(cause: str) -> Cause:
    """The catalogue's file of one cause id.

    Raises:
        KeyError: there is no such cause.
        msgspec.ValidationError: the file does not follow the schema.
    """
    path = cause_files().get(cause)
    if path is None:
        raise KeyError(cause)
    return _read(path, Cause)


@functools.cache
def remedy_of(remedy: str) -> Remedy:
    """The file of one remedy id.

    Raises:
        KeyError: there is no such remedy.
        msgspec.ValidationError: the file does not follow the schema.
    """
    path = ROOT / "remedies" / f"{remedy}.toml"
    if not path.is_file():
        raise KeyError(remedy)
    return _read(path, Remedy)


@functools.cache
def cause_files() -> dict[str, Path]:
    """Cause id -> file, of the whole catalogue. The family is the name of the folder."""
    return {path.stem: path for path in sorted((ROOT / "causes").glob("*/*.toml"))}


def family_of(cause: str) -> str:
    """The family of a cause ("driver").

    Raises:
        KeyError: there is no such cause.
    """
    return cause_files()[cause].parent.name


def _read(path: Path, kind: type[_T]) -> _T:
    return msgspec.convert(tomli.loads(path.read_text(encoding="utf-8")), prepared(kind))

"""What the user says and sends."""

from checks.facts.base import Fact
from checks.facts.question import SymptomName


class Symptom(Fact, frozen=True, kw_only=True, omit_defaults=True):
    """What the user says: facts that no probe can read.

    ``name`` and ``exactness`` as in checks/facts/question.py; ``exactness`` is "" where the user did not say.
    """

    name: str = SymptomName.EVERYTHING.value
    exactness: str = ""
    program: str = ""  # that brings its own runtime and is asked about: "Ollama"


class SentFile(Fact, frozen=True, kw_only=True, omit_defaults=True):
    """A log or script that the user gave. ``text`` only for logs; ``examined`` says whether a reader knew it."""

    name: str
    kind: str  # "log", "script"
    size: int | None = None
    text: str | None = None
    examined: bool = False

"""What the user says and sends."""

from checks.facts.base import Fact
from checks.facts.question import SymptomName
from checks.facts.scripts import ScriptFacts


class Symptom(Fact, frozen=True, kw_only=True, omit_defaults=True):
    """What the user says: facts that no probe can read.

    ``name`` and ``exactness`` as in checks/facts/question.py; ``exactness`` is "" where the user did not say.
    """

    name: str = SymptomName.EVERYTHING.value
    exactness: str = ""
    program: str = ""  # that brings its own runtime and is asked about: "Ollama"


class SentFile(Fact, frozen=True, kw_only=True, omit_defaults=True):
    """A log or script that the user gave. ``text``: of a script the code that was read.

    ``examined`` says whether a reader knew it. ``read``: of a script what its text tells.
    """

    name: str
    kind: str  # "log", "script"
    size: int | None = None
    text: str | None = None
    examined: bool = False
    read: ScriptFacts | None = None


class AskedQuestion(Fact, frozen=True, kw_only=True, omit_defaults=True):
    """A question of resources/knowledge/tickets/questions.toml that was asked, in the order of asking.

    ``choice``: the id of the answer. ``is_pasted``: what was asked for stands among the logs, with the kind "answer"
    and the question as its origin. Neither: nobody knows the answer.
    """

    question: str
    choice: str = ""
    is_pasted: bool = False


class ReportedDifference(Fact, frozen=True, kw_only=True, omit_defaults=True):
    """How far two results are apart, as a text states it, or as two numbers show that it prints beside each other.

    ``first``, ``second``: these as printed; "" where the text states a difference alone. ``least``, ``most``: the
    absolute difference, as far as the printed digits tell; None where only a relative one is stated. ``scale``: the
    largest magnitude that is printed or stated with it. ``relative``: the largest relative difference of any element,
    as stated. ``elements``: how many were compared. ``dtype``: of the printed arrays, "" where nothing tells it.
    ``lines``: of the text, counted from 1.
    """

    first: str = ""
    second: str = ""
    least: float | None = None
    most: float | None = None
    scale: float | None = None
    relative: float | None = None
    elements: int | None = None
    dtype: str = ""
    lines: tuple[int, ...] = ()


class ReportedNumbers(Fact, frozen=True, kw_only=True, omit_defaults=True):
    """All differences of results that a text tells, and the floating-point formats that it names ("float16").

    ``about``: "training" (or a generated text, or random numbers: small differences grow without end), "model" (over
    its layers they grow a thousandfold at most); "" where neither is named. ``lost``: "nan" or "inf", where an
    assertion says that one side has it and the other does not.
    """

    differences: tuple[ReportedDifference, ...] = ()
    formats: tuple[str, ...] = ()
    about: str = ""
    lost: str = ""

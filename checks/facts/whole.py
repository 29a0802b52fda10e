"""Everything together: the facts of one case."""

import msgspec

from checks.facts.base import Fact
from checks.facts.frameworks import Frameworks
from checks.facts.history import History
from checks.facts.installed import InstalledFiles
from checks.facts.machine import MachineFacts
from checks.facts.measurements import Measurement
from checks.facts.models.files import ModelComparison, ModelFacts, NamedModel
from checks.facts.programs.local import LocalProgram
from checks.facts.programs.served import ServedFacts, ServedPair
from checks.facts.programs.watched import ProgramRun, ProgramRuns
from checks.facts.python import EnvironmentVariables, InterpreterFacts
from checks.facts.remedies.mendings import Mending, SettingPlace
from checks.facts.remedies.proofs import Proof
from checks.facts.remedies.resolutions import Resolution
from checks.facts.runs import ProbeRuns
from checks.facts.search import SearchedFacts
from checks.facts.texts import AskedQuestion, ReportedNumbers, SentFile, Symptom


class OtherMachine(Fact, frozen=True, kw_only=True, omit_defaults=True):
    """What the report of another examination tells that results are compared with: only what bears on numbers."""

    name: str = ""  # of the file
    created: str = ""
    machine: MachineFacts | None = None
    interpreter: InterpreterFacts | None = None  # that was examined, without its packages
    frameworks: Frameworks | None = None
    environment: EnvironmentVariables | None = None
    measurements: tuple[Measurement, ...] = ()
    served: ServedFacts | None = None


class Facts(Fact, frozen=True, kw_only=True, omit_defaults=True):
    """All facts of one case. ``missing`` tells why a kind was not collected: kind -> reason id (see reasons.toml).

    ``reported``: read from what somebody pasted, so what is not named may be there all the same. ``here``: this process
    read them on this machine, so a stranger chose none of the names; never saved, and no file can claim it.
    """

    machine: MachineFacts | None = None
    interpreters: tuple[InterpreterFacts, ...] | None = None
    target: str | None = None  # path of the interpreter that was examined
    installed: InstalledFiles | None = None  # the files of the target's packages
    searched: SearchedFacts | None = None  # where its modules come from
    frameworks: Frameworks | None = None
    environment: EnvironmentVariables | None = None
    probes: ProbeRuns | None = None
    runs: tuple[ProgramRun, ...] = ()  # of the user's own program
    proofs: tuple[Proof, ...] = ()  # remedies that were tried in a throw-away copy
    resolutions: tuple[Resolution, ...] = ()  # what the package index says about remedies that install
    mendings: tuple[Mending, ...] = ()  # proven remedies that were carried out, or were not
    settings: tuple[SettingPlace, ...] = ()  # where the variables are set that remedies change
    history: History | None = None  # what changed since it worked
    local_programs: tuple[LocalProgram, ...] | None = None  # that bring their own runtime
    symptom: Symptom | None = None
    logs: tuple[SentFile, ...] = ()
    asked: tuple[AskedQuestion, ...] = ()  # of whoever sent a ticket
    numbers: ReportedNumbers | None = None  # how far results are apart, as a sent text tells it
    scripts: tuple[SentFile, ...] = ()
    models: tuple[ModelFacts, ...] = ()
    named_models: tuple[NamedModel, ...] = ()  # that the user's program names
    comparisons: tuple[ModelComparison, ...] = ()
    measurements: tuple[Measurement, ...] = ()
    served: ServedFacts | None = None  # a served model that was asked again and again
    others: tuple[OtherMachine, ...] = ()  # examinations to compare this one with
    name: str = ""  # of the file, where two saved examinations are compared; "": it is this machine's own
    missing: dict[str, str] = {}
    here: bool = False
    reported: bool = msgspec.field(default=False, name="told")  # in cases since format 1

    @property
    def target_interpreter(self) -> InterpreterFacts | None:
        """The interpreter that was examined."""
        return next((interpreter for interpreter in self.interpreters or () if interpreter.path == self.target), None)

    @property
    def program_runs(self) -> ProgramRuns | None:
        """The runs with the interpreters, the examined one first; None: nothing was run."""
        if not self.runs:
            return None
        target = self.target_interpreter
        others = (interpreter for interpreter in self.interpreters or () if interpreter is not target)
        return ProgramRuns(runs=self.runs, interpreters=(*((target,) if target else ()), *others))

    @property
    def served_pair(self) -> ServedPair | None:
        """The served model beside that of another examination; None where not both were asked."""
        other = next((other for other in self.others if other.served is not None), None)
        if self.served is None or other is None or other.served is None:
            return None
        return ServedPair(first=self.served, second=other.served, names=(self.name, other.name))

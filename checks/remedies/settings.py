"""Which lines of a program make its results repeat here, or agree with another device's, and what each costs.

From the facts and the measurements alone, and only what this machine and interpreter need. Whether any of it is needed
is asked first: who needs the same decisions, and has them, needs nothing. The words and the code are put together in
wizard/report/content/advice.py; the lines come from resources/knowledge/frameworks/settings_advice.toml.
"""

import re
import statistics
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

import msgspec

from checks.analysis.models.repeats import says_of_decisions
from checks.analysis.numbers.repeats import DETERMINISTIC, NO_FORM, is_processor, is_well_timed, timed_calls
from checks.analysis.numbers.settings_effect import (
    Changed,
    is_any_random,
    is_mended_by_seed,
    is_model_unsteady,
    models_changed,
    operations_changed,
)
from checks.facts import (
    Experiment,
    Facts,
    Flip,
    FrameworkDevice,
    FrameworkFacts,
    Measured,
    Measurement,
    ModelMeasured,
    OnnxRuntimeFacts,
    Precision,
    Repeat,
    SentFile,
)
from checks.facts.question import ABOUT_RESULTS, Exactness, SymptomName
from checks.facts.versions import release
from checks.knowledge.frameworks.settings_advice import Need, SettingLine, SettingsAdviceTable

SEED = 1
_ADVISED = ("torch", "tensorflow", "jax", "onnxruntime")  # frameworks of which the table has lines
_RUNTIMES = ("onnxruntime",)  # run finished models: the random numbers of Python and NumPy do not enter these
_TF32_SINCE = (8, 0)  # compute capability of NVIDIA's first cards with TF32
_ENOUGH = 30  # operations of which none changed, to leave deterministic mode out
_FEWEST = 2  # operations whose times show a cost
_OFTEN = 10  # repetitions of a model in which a change would have shown
_NVIDIA_PROVIDERS = ("CUDAExecutionProvider", "TensorrtExecutionProvider")
_SHORTEST, _LONGEST = 1e-9, 1e7  # seconds of one repetition that can be believed


# What chooses its way by the processor, and the setting under which it was seen to give other bits.
_OF_PROCESSORS = {Need.ONEDNN: "mkldnn-off", Need.PLATFORM_MATH: "platform-math-off"}


class Answer(StrEnum):
    """The plain question first: whether any setting is needed at all."""

    SAME_DECISIONS = "same-decisions"  # asked for, measured, and so: nothing is needed
    NOTHING_VARIED = "nothing-varied"  # the question was not about results, and nothing changed
    CLOSE = "close"  # rounding is allowed: the seeds alone
    BITS = "bits"
    DECISIONS_CHANGE = "decisions-change"
    DECISIONS_UNKNOWN = "decisions-unknown"  # asked for, but no model was measured
    UNDECIDED = "undecided"  # the user has not said what is needed


@dataclass(frozen=True)
class Cost:
    """How many times as long it takes: the median over the operations, and the one that suffers most.

    ``fewest``, ``most``: the repetitions of one operation that were timed, on either side. ``is_of_others``: what
    changed from run to run, which the setting is for, is not among the operations.
    """

    times: float
    worst: float
    operation: str
    devices: tuple[str, ...]
    operations: int
    fewest: int
    most: int
    is_of_others: bool = False


@dataclass(frozen=True)
class AdvisedLine:
    """A line of the block. ``cost`` None: it was not measured, or there is none to measure."""

    line: SettingLine
    code: str
    cost: Cost | None = None


@dataclass(frozen=True)
class Block:
    """What one framework needs. ``refused``: operations that raise an error in deterministic mode.

    ``operations``, ``models``: what changed from run to run, and what became of it. ``untouched``: deterministic mode
    was left out, since on this processor none of so many operations changed. ``scripts``: the given ones, by which it
    was made.
    """

    framework: str
    lines: tuple[AdvisedLine, ...]
    operations: tuple[Changed, ...] = ()
    models: tuple[Changed, ...] = ()
    refused: tuple[str, ...] = ()
    untouched: int = 0
    scripts: tuple[str, ...] = ()

    @property
    def has_mode(self) -> bool:
        """Whether deterministic mode is among its lines."""
        return any(line.line.cost == DETERMINISTIC for line in self.lines)


@dataclass(frozen=True)
class Advice:
    """The answer, and a block per framework; no block where nothing is needed."""

    answer: Answer
    blocks: tuple[Block, ...] = ()


def advise(facts: Facts, symptom: str, exactness: str) -> Advice | None:
    """The advice; None where nothing was measured or is needed, and for a machine known from a text alone."""
    measured = [run for run in facts.measurements if run.reason in ("", "failed", NO_FORM)]
    if facts.reported or not measured:
        return None
    answer = _answer(measured, symptom, exactness)
    if answer in (Answer.SAME_DECISIONS, Answer.NOTHING_VARIED):
        return None if answer is Answer.NOTHING_VARIED else Advice(answer)
    wanted = _Wanted(facts, tuple(measured), symptom, exactness)
    blocks = (wanted.block(name, found) for name, found in wanted.frameworks())
    needed = tuple(block for block in blocks if block.lines)
    return Advice(answer, needed) if needed else None


def _answer(measured: Sequence[Measurement], symptom: str, exactness: str) -> Answer:
    own = [run for run in measured if isinstance(run, ModelMeasured) and says_of_decisions(run)]
    decisions = [run.decisions for run in own if run.decisions is not None]
    if exactness == Exactness.DECISIONS:
        if decisions:
            return Answer.SAME_DECISIONS if min(decisions) >= 1 else Answer.DECISIONS_CHANGE
        return Answer.DECISIONS_UNKNOWN
    if symptom not in ABOUT_RESULTS and not _vary(measured) and not is_mended_by_seed(measured):
        return Answer.NOTHING_VARIED
    return {Exactness.BITS.value: Answer.BITS, Exactness.CLOSE.value: Answer.CLOSE}.get(exactness, Answer.UNDECIDED)


def _vary(measured: Sequence[Measurement]) -> bool:
    """Whether the same computation was seen to give different results, other than by random numbers."""
    return any(map(_varied, measured)) or is_model_unsteady(measured)


def _varied(measured: Measured) -> bool:
    if isinstance(measured, Repeat):
        return measured.varies
    return isinstance(measured, Experiment) and len(set(measured.exact)) > 1


@dataclass(frozen=True)
class _Wanted:
    """What is known of the machine, and what its user wants."""

    facts: Facts
    measured: tuple[Measurement, ...]
    symptom: str
    exactness: str

    def frameworks(self) -> Iterator[tuple[str, FrameworkFacts]]:
        """The frameworks that computed something here and of which the table has lines."""
        computed = {run.framework for run in self.measured}
        computed = computed & self._imports.keys() or computed  # a script that is given says which it is about
        for name, found in self.facts.frameworks.each() if self.facts.frameworks else ():
            if name in _ADVISED and name in computed:
                yield name, found

    def block(self, framework: str, found: FrameworkFacts) -> Block:
        """The lines of one framework."""
        mine = [run for run in self.measured if run.framework == framework]
        holds = set(self._needs(framework, found, mine))
        changed = operations_changed(mine, {framework: found.version})
        names = frozenset(change.name for change in changed)
        lines = tuple(
            AdvisedLine(
                line, _filled(line.code, self._threads(found)), _cost(line.cost, mine, names) if line.cost else None
            )
            for line in map(self._in_names_of_script, SettingsAdviceTable.read().line)
            if line.framework in ("", framework)
            and holds.issuperset(line.needs)
            and not holds.intersection(line.without)
            and _is_of(line, found.version)
        )
        refused = _named(run for run in mine if _is_deterministic(run) and _is_refused(run))
        return Block(
            framework,
            lines,
            changed,
            models_changed(mine),
            refused,
            untouched=len(_repeated(mine)) if self._wants_bits and Need.BITS not in holds else 0,
            scripts=tuple(sent.name for sent in self._scripts if framework in (sent.read.imports if sent.read else ())),
        )

    @property
    def _scripts(self) -> tuple[SentFile, ...]:
        """The given scripts that were read."""
        return tuple(sent for sent in self.facts.scripts if sent.read is not None and sent.read.kind != "config")

    @property
    def _imports(self) -> dict[str, str]:
        """The packages that the given scripts import, and their names there; {}: none was given."""
        return {name: alias for sent in self._scripts if sent.read for name, alias in sent.read.imports.items()}

    def _in_names_of_script(self, line: SettingLine) -> SettingLine:
        """A line with the names that the script has for its packages: ``np`` for ``numpy``."""
        code, imports = line.code, line.imports
        for package, alias in self._imports.items():
            if alias != package and f"import {package}" in imports:
                code = re.sub(rf"\b{package}\.(?=\w)", f"{alias}.", code)
                imports = tuple(f"{each} as {alias}" if each == f"import {package}" else each for each in imports)
        return msgspec.structs.replace(line, code=code, imports=imports)

    @property
    def _wants_bits(self) -> bool:
        return self.exactness != Exactness.CLOSE

    def _needs(self, framework: str, found: FrameworkFacts, mine: Sequence[Measurement]) -> Iterator[Need]:
        devices: tuple[FrameworkDevice, ...] = getattr(found, "devices", None) or ()
        cards = [device for device in devices if _is_accelerator(device)]
        has_nvidia = any(_is_nvidia(card, found) for card in cards) or _runs_on_nvidia(found)
        target = self.facts.target_interpreter
        if framework not in _RUNTIMES:
            imports = self._imports
            if not imports or "random" in imports:
                yield Need.PYTHON
            if "numpy" in imports or (not imports and target is not None and target.package("numpy") is not None):
                yield Need.NUMPY
            if not imports or any(sent.read and sent.read.loads_data for sent in self._scripts):
                yield Need.LOADER
        # On a processor alone next to nothing varies: there the mode is for those who have seen it, or seen little.
        if self._wants_bits and (cards or has_nvidia or _vary(mine) or not (_is_seen(mine) or is_any_random(mine))):
            yield Need.BITS
        if is_mended_by_seed(mine):
            yield Need.SEED
        if has_nvidia:
            yield Need.CUDA
        if self.symptom == SymptomName.RESULTS_DIFFER and any(_has_tf32(card) for card in cards):
            yield Need.TF32
        if self._wants_bits and self._threads(found) and _threads_matter(mine):
            yield Need.THREADS
        if self._wants_bits and self.symptom == SymptomName.RESULTS_DIFFER:
            yield from (need for need, setting in _OF_PROCESSORS.items() if _changes_bits(setting, mine))

    def _threads(self, found: FrameworkFacts) -> int:
        """The number of threads to fix: the present one, or that of the processor's cores; 0 where it is not known.

        Beside another machine the smaller one, which both can have.
        """
        cpu = self.facts.machine.cpu if self.facts.machine else None
        here = getattr(found, "threads", None) or (cpu.logical_cores if cpu and cpu.logical_cores else 0)
        others = (fact for other in self.facts.others if other.frameworks for _, fact in other.frameworks.each())
        theirs = (getattr(other, "threads", None) for other in others if type(other) is type(found))
        return min([here, *filter(None, theirs)]) if here else 0


def _threads_matter(mine: Sequence[Measurement]) -> bool:
    """Whether another number of threads was seen to give other bits: of the user's models, where these were asked."""
    models = [run for run in mine if isinstance(run, ModelMeasured) and run.aspect == "threads"]
    asked = [model.difference for model in models if model.difference is not None]
    return any(run.differing for run in asked) if asked else any(map(_shows_threads, mine))


def _shows_threads(measured: Measurement) -> bool:
    """Whether an operation has other bits with another number of threads, or the same again with the same number."""
    if not measured.setting.startswith("threads-") or not is_processor(measured.device):
        return False
    if isinstance(measured, Precision):
        return measured.beside is not None and bool(measured.beside.differing)
    if not isinstance(measured, Flip) or measured.before is None or measured.after is None:
        return False
    return bool(measured.before.differing) and not measured.after.differing


def _changes_bits(setting: str, mine: Iterable[Measurement]) -> bool:
    """Whether a setting was seen to give other bits than the default does."""
    return any(
        isinstance(run, Precision) and run.setting == setting and run.beside is not None and run.beside.differing
        for run in mine
    )


def _is_accelerator(device: FrameworkDevice) -> bool:
    ran = device.kernel is not None and bool(device.kernel.ran)
    return ran and not device.device.lower().startswith(("cpu", "xla_"))


def _is_nvidia(device: FrameworkDevice, found: FrameworkFacts) -> bool:
    """ROCm names its devices "cuda:0" as well."""
    is_rocm = device.gfx_target or getattr(found, "build", None) == "rocm" or getattr(found, "is_rocm_build", False)
    return not is_rocm and device.device.lower().startswith(("cuda", "gpu"))


def _runs_on_nvidia(found: FrameworkFacts) -> bool:
    """ONNX Runtime has providers instead of devices."""
    providers = (found.providers or ()) if isinstance(found, OnnxRuntimeFacts) else ()
    return any(
        provider.name in _NVIDIA_PROVIDERS and provider.started and not provider.fell_back for provider in providers
    )


def _has_tf32(device: FrameworkDevice) -> bool:
    return bool(device.compute_capability) and release(device.compute_capability or "") >= _TF32_SINCE


def _is_of(line: SettingLine, version: str | None) -> bool:
    """Whether this release has the line; one that is not known is taken for a present one."""
    if not line.framework or version is None:
        return not line.before
    has = not line.since or release(version) >= release(line.since)
    return has and (not line.before or release(version) < release(line.before))


def _filled(code: str, threads: int) -> str:
    return code.replace("{seed}", str(SEED)).replace("{threads}", str(threads))


def _is_deterministic(measured: Measured) -> bool:
    return measured.setting.startswith("deterministic")


def _is_refused(measured: Measured) -> bool:
    """PyTorch has no deterministic form of the operation and says so."""
    return measured.error is not None and "deterministic" in measured.error.message


def _repeated(mine: Iterable[Measurement]) -> set[str]:
    """The operations that were repeated by default."""
    return {run.operation for run in mine if isinstance(run, Repeat) and run.distinct and run.setting == "default"}


def _is_seen(mine: Iterable[Measurement]) -> bool:
    """Whether enough was repeated to say that this processor repeats: many operations, or the user's own model."""
    own = any(isinstance(run, ModelMeasured) and run.repetitions >= _OFTEN and run.distinct == 1 for run in mine)
    return own or len(_repeated(mine)) >= _ENOUGH


def _size(measured: Measured) -> str:
    """How much one repetition was: times of other sizes are not comparable."""
    if isinstance(measured, Experiment):
        return str(measured.steps[-1:])
    return str(measured.scale) if isinstance(measured, Repeat) else ""


def _named(measured: Iterable[Measured]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(run.operation for run in measured))


def _cost(setting: str, mine: Sequence[Measurement], changed: Collection[str]) -> Cost | None:
    """The times under a setting beside those by default, of the same operations on the same devices.

    ``changed``: the operations whose results changed from run to run.

    None where it was not measured well enough on both sides: a cost that does not come out again frightens for nothing.
    """
    usual: dict[tuple[str, ...], Measured] = {}
    under: dict[tuple[str, ...], Measured] = {}
    for run in mine:
        if run.reason or run.seconds is None or not _SHORTEST < run.seconds < _LONGEST:
            continue
        # Of three calls the time is chance; and what was made smaller has another's.
        if not is_well_timed(run) or (isinstance(run, Repeat) and run.shrunk):
            continue
        key = (str(type(run)), run.operation, run.device, run.dtype, _size(run))
        where = usual if run.setting == "default" else under if run.setting == setting else None
        if where is not None:
            where.setdefault(key, run)
    both = [key for key in under if key in usual]
    # One operation is no sample of what a program computes; a whole training is.
    if len(both) < _FEWEST and not any(key[0] == str(Experiment) for key in both):
        return None
    ratios = {key: (under[key].seconds or 0.0) / (usual[key].seconds or 1.0) for key in both}
    counts = [timed_calls(side[key]) for side in (usual, under) for key in both]
    worst = max(both, key=lambda key: ratios[key])
    # Each operation counts alike, and none that was disturbed decides.
    return Cost(
        statistics.median(ratios.values()),
        ratios[worst],
        worst[1],
        tuple(dict.fromkeys(key[2] for key in both)),
        len(both),
        min(counts),
        max(counts),
        is_of_others=bool(changed) and not any(key[1] in changed for key in both),
    )

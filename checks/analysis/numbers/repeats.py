"""What repeated computations show: which operations vary, whether a document says so, and what the variation is.

Promise and observation are kept apart. An operation that varies although no document says so is asked further: with
whole numbers as inputs no order of adding can change its result, and a difference that is larger than rounding can make
was not made by another order.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from checks.analysis.numbers.magnitude import Work, magnitude
from checks.analysis.numbers.power import CONFIDENCE, chance_without_effect
from checks.facts import Experiment, Frameworks, Measured, Measurement, Precision, Repeat, TorchFacts
from checks.facts.phrase import Phrase
from checks.knowledge.frameworks.computations import known_operations
from checks.knowledge.frameworks.determinism import Promise, Promised, promised
from checks.knowledge.phrases import operation_phrase, phrase

DEFAULT, DETERMINISTIC, WORKSPACE = "default", "deterministic", "deterministic-workspace"
EXACT, AUTOTUNE, FRESH = "exact-inputs", "autotune", "fresh-process"
NO_FORM, NO_WORKSPACE = "no-deterministic-form", "workspace-not-set"
_PREFIXES = (("tf.", "tensorflow"), ("xla.", "jax"))  # of the names in determinism.toml; the others are PyTorch's
_TORCH = "torch"
_NO_REMEDY = (DEFAULT, EXACT, FRESH)  # settings that ask what varies, and mend nothing
_DOCUMENTED = (_TORCH, "tensorflow", "jax")  # the frameworks whose documents are in determinism.toml
_NAMED = 5  # operations in a sentence
_FEW = 3  # operations of a device that compute wrongly, from which on it is the device
_HALF_A_UNIT = 0.5  # two whole numbers that are not the same are farther apart
_TIMED = 20  # repetitions whose time can be compared with another
_TIMED_LONG, _LONG = 5, 1.0  # so many are enough where they took so many seconds in all
_ON_A_PROCESSOR = ("repeat-operations-on-the-cpu", "compare-with-tolerance")
_ON_A_CARD = ("use-deterministic-operations", "turn-off-cudnn-benchmark", "compare-with-tolerance")


class Variation(StrEnum):
    """What repeated results of an operation are."""

    UNTESTED = "untested"
    STABLE = "stable"  # the same bits each time
    FIRST_CALL = "first-call"  # only the very first was another one
    DOCUMENTED = "documented"  # they vary, as a document says
    ORDER = "order"  # they vary as far as the order of adding, or the choice between equals, can make them
    WRONG = "wrong"  # they vary where no order can change the result, or farther than any order


@dataclass(frozen=True)
class Repeated:
    """One operation on one device: what is promised, and what came of it under each setting.

    ``among``: the operations that were repeated there, of each of which as much may be said.
    """

    framework: str
    operation: str
    dtype: str
    device: str
    promised: Promised
    under: Mapping[str, Repeat] = field(default_factory=dict)
    among: int = 1

    @property
    def is_documented(self) -> bool:
        """Whether this framework has documents that name what varies."""
        return self.framework in _DOCUMENTED

    @property
    def default(self) -> Repeat | None:
        """As the framework does it by default, where it was measured."""
        return self.measured(DEFAULT)

    def measured(self, setting: str) -> Repeat | None:
        """Under a setting; None where that was not measured."""
        found = self.under.get(setting)
        return found if found is not None and not found.reason and found.repetitions else None

    @property
    def raises(self) -> Repeat | None:
        """The deterministic mode that has no form of this operation."""
        found = self.under.get(DETERMINISTIC)
        return found if found is not None and found.reason == NO_FORM else None

    @property
    def tried(self) -> Mapping[str, Repeat]:
        """What was measured under other settings, where it varies by default: what might have mended it."""
        if self.default is None or not self.default.varies:
            return {}
        measured = {setting: self.measured(setting) for setting in self.under if setting not in _NO_REMEDY}
        return {setting: found for setting, found in measured.items() if found is not None}

    @property
    def mended_by(self) -> tuple[str, ...]:
        """The settings under which it repeats so often that what varies by default would have been seen again.

        Each of all settings and operations has its part of the chance that one is named here that does nothing.
        """
        if self.default is None:
            return ()
        level = (1 - CONFIDENCE) / (max(1, self.among) * max(1, len(self.tried)))
        return tuple(setting for setting, run in self.tried.items() if is_kept_away(self.default, run, level))

    @property
    def is_open(self) -> bool:
        """Whether it gave the same bits under a setting, but too seldom to say that this setting mends it."""
        return not self.mended_by and any(not run.varies for run in self.tried.values())

    @property
    def cost(self) -> float | None:
        """How many times longer it takes in deterministic mode, with as many numbers."""
        other = self.measured(DETERMINISTIC) or self.measured(WORKSPACE)
        if self.default is None or other is None or self.default.scale != other.scale:
            return None
        if not (is_well_timed(self.default) and is_well_timed(other)):
            return None
        return other.seconds / self.default.seconds if self.default.seconds and other.seconds else None

    @property
    def variation(self) -> Variation:
        """What its results by default are."""
        if self.default is None:
            return Variation.UNTESTED
        if not self.default.varies:
            return Variation.FIRST_CALL if self.default.first_differs else Variation.STABLE
        is_documented = self.promised.by_default is Promise.VARIES
        if is_choice(self.operation):  # among whole numbers many are equal: what to choose from
            return Variation.DOCUMENTED if is_documented else Variation.ORDER
        if is_control(self.operation) or self._is_wrong_for_any_order(is_documented=is_documented):
            return Variation.WRONG
        if is_documented:
            return Variation.DOCUMENTED
        return Variation.WRONG if self._is_beyond(self.default) else Variation.ORDER

    def _is_wrong_for_any_order(self, *, is_documented: bool) -> bool:
        """Whether it gave what no order of adding makes: a NaN among numbers, other sums of whole numbers.

        Of an operation that is documented to vary, only sums that are apart by whole numbers: it may change between
        algorithms, of which some compute with fractions.
        """
        exact, spread = self.measured(EXACT), self.default.spread if self.default else None
        if spread is not None and spread.nan:
            return True
        if exact is None or not exact.varies:
            return False
        if not is_documented:
            return True
        apart = exact.spread.max_abs if exact.spread else None
        return apart is not None and apart >= _HALF_A_UNIT

    def _is_beyond(self, run: Repeat) -> bool:
        """Whether its results are farther apart than the order of adding can make them."""
        if run.spread is None:  # a run of an experiment, or results of several shapes
            return False
        work = Work(dtype=self.dtype, terms=run.terms)
        return magnitude(run.spread, work).is_more_than_rounding


def repeated(measurements: Iterable[Measurement], versions: Mapping[str, str | None]) -> tuple[Repeated, ...]:
    """The repeated operations in the order in which they were measured. ``versions``: of the frameworks, by name."""
    found: dict[tuple[str, str, str, str], dict[str, Repeat]] = {}
    for run in measurements:
        if isinstance(run, Repeat):
            key = (run.framework, run.operation, run.dtype, run.device)
            found.setdefault(key, {}).setdefault(run.setting, run)
    among = Counter((framework, device) for framework, _, _, device in found)
    return tuple(
        Repeated(
            framework,
            operation,
            dtype,
            device,
            _promised(framework, operation, device, versions),
            under,
            among[framework, device],
        )
        for (framework, operation, dtype, device), under in found.items()
    )


def runs(measurements: Iterable[Measurement]) -> Iterator[Repeat]:
    """The articles' experiments as repeated operations: a run is a repetition."""
    for run in measurements:
        if isinstance(run, Experiment) and run.exact:
            yield Repeat(
                origin=run.origin,
                framework=run.framework,
                operation=run.operation,
                device=run.device,
                dtype=run.dtype,
                setting=run.setting,
                seconds=run.seconds,
                repetitions=len(run.exact),
                distinct=run.distinct,
                counts=run.counts,
                scale=run.steps[-1] if run.steps else None,
            )


def trainings(measurements: Iterable[Measurement]) -> tuple[Experiment, ...]:
    """The small networks that were trained more than once, as the framework does it by default."""
    return tuple(
        run
        for run in measurements
        if isinstance(run, Experiment) and run.steps and run.setting == DEFAULT and len(run.exact) > 1
    )


def versions_of(frameworks: Frameworks | None) -> dict[str, str | None]:
    """The versions of the frameworks by the names that measurements give them."""
    return {name: fact.version for name, fact in frameworks.each()} if frameworks else {}


def by_device(operations: Iterable[Repeated]) -> Iterator[tuple[str, str, tuple[Repeated, ...]]]:
    """(framework, device, its operations), in their order."""
    found: dict[tuple[str, str], list[Repeated]] = {}
    for operation in operations:
        found.setdefault((operation.framework, operation.device), []).append(operation)
    for (framework, device), mine in found.items():
        yield framework, device, tuple(mine)


def of_torch(measurements: Iterable[Measurement], torch: TorchFacts | None) -> tuple[Repeated, ...]:
    """The repeated operations of PyTorch alone."""
    found = repeated(measurements, {_TORCH: torch.version if torch else None})
    return tuple(operation for operation in found if operation.framework == _TORCH)


def in_words(operations: Sequence[Repeated]) -> Phrase:
    """Some operations, the first of them by name."""
    first = tuple(operation_phrase(repeated.operation) for repeated in operations[:_NAMED])
    if len(operations) <= _NAMED:
        return phrase("operations", operations=first)
    return phrase("operations-and-more", operations=first, count=str(len(operations) - _NAMED))


def is_device(operations: Iterable[Repeated]) -> bool:
    """Whether it is the device that computes wrongly, rather than one operation of the framework.

    Adding whole numbers and computing element by element have one result in any order; and one fault in the framework
    is in one operation, not in several. Each must have computed wrongly again in a new process: once may be chance.
    """
    wrong = [operation for operation in operations if wrong_again(operation)]
    return len(wrong) >= _FEW or any(is_control(run.operation) for run in wrong)


def wrong_again(operation: Repeated) -> bool:
    """Whether it varies as no order explains, and did so again in a new process."""
    again = operation.measured(FRESH)
    return operation.variation is Variation.WRONG and again is not None and again.varies


def results_of(run: Repeat) -> tuple[int, int]:
    """How many different results of how many calls; the first call of all counts where only that was another one."""
    return (2, run.repetitions + 1) if run.first_differs else (run.distinct or 0, run.repetitions)


def is_kept_away(varying: Repeat, alike: Repeat, level: float = 1 - CONFIDENCE) -> bool:
    """Whether what makes ``varying`` vary is away in ``alike``: that both are of one kind has less than this chance."""
    if alike.varies:
        return False
    return chance_without_effect(varying.others, varying.repetitions, alike.repetitions) <= level


def is_well_timed(run: Measured) -> bool:
    """Whether so much was repeated that its time would come out alike again, also on a busy machine."""
    calls = timed_calls(run)
    return calls >= _TIMED or (calls >= _TIMED_LONG and calls * (run.seconds or 0.0) >= _LONG)


def timed_calls(run: Measured) -> int:
    """The calls of which its time is the median."""
    if isinstance(run, Repeat):
        return run.repetitions
    if isinstance(run, Experiment):
        return len(run.exact)
    return run.timed if isinstance(run, Precision) else 0


def is_processor(device: str) -> bool:
    """Whether it is the processor, also under the name of a provider of ONNX Runtime."""
    return device.lower().startswith("cpu")


def remedies_on(device: str) -> tuple[str, ...]:
    """What makes results repeat on this kind of device, the best first."""
    return _ON_A_PROCESSOR if is_processor(device) else _ON_A_CARD


def is_control(operation: str) -> bool:
    """Whether it has one result in whatever order it is computed."""
    known = known_operations().get(operation)
    return known is not None and known.control


def is_choice(operation: str) -> bool:
    """Whether it takes one of several values, so that another one may be as far away as they are apart."""
    known = known_operations().get(operation)
    return known is not None and known.choice


def _promised(framework: str, operation: str, device: str, versions: Mapping[str, str | None]) -> Promised:
    """What the documents of this framework say; those of others are about other programs."""
    known = known_operations().get(operation)
    named = known.documented if known else ()
    mine = tuple(line for line in named if _framework_of(line.op) == framework)
    return promised(mine, device, versions.get(framework))


def _framework_of(documented: str) -> str:
    return next((framework for prefix, framework in _PREFIXES if documented.startswith(prefix)), _TORCH)

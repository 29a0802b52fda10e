"""Results side by side: of every two devices here, and of this machine and another whose case was given.

Two machines are compared in two steps: what differs in their environments, as far as it can change a number
(resources/knowledge/frameworks/numeric_environment.toml), and what differs in their numbers. A difference of the
environment explains one of the numbers where it is of a kind and size that it can make; it is proven where a result
that was computed with that part taken out (one thread, no oneDNN) is the same on both.
"""

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations

import msgspec

from checks.analysis.numbers.digits import DEFAULT, work_of
from checks.analysis.numbers.magnitude import Magnitude, Size, magnitude, unit_roundoff, worst_bound
from checks.analysis.numbers.portrait_size import portrait_magnitude
from checks.analysis.numbers.streams import is_stream, stream_magnitude
from checks.facts import (
    ArrayDifference,
    Experiment,
    Facts,
    FrameworkDevice,
    Frameworks,
    InterpreterFacts,
    Measured,
    Measurement,
    OtherMachine,
    Portrait,
)
from checks.facts.case import Case
from checks.knowledge.frameworks.numeric_environment import (
    NumericEnvironmentTable,
    Part,
    is_read,
    numeric_parts,
    parts_shown_by,
)

CPU, GPU = "cpu", "gpu"
PACKAGES = ("torch", "numpy", "tensorflow", "tensorflow-cpu", "jax", "jaxlib", "onnxruntime", "onnxruntime-gpu", "mkl")
VERSIONS = ("framework-version", "cuda", "cudnn")
SEPARATOR = ", "
_LISTS = (
    "framework-version",
    "cpu-instructions",
    "settings",
    "thread-variables",
    "variables",
    "random-variables",
)  # parts of which only the differences are shown
_TERMS_OF_SUM = 10**6
_COMPARED = (Portrait, Experiment)  # kinds that two machines can be compared by


@dataclass(frozen=True)
class Place:
    """Where something was computed."""

    framework: str
    device: str

    @property
    def kind(self) -> str:
        """The processor, or something faster."""
        return CPU if self.device.lower().partition(":")[0] == CPU else GPU

    def __str__(self) -> str:
        return f"{self.framework} {self.device}"


@dataclass(frozen=True)
class Pair:
    """One computation in two places, and how far its results are apart. ``setting``: in both."""

    operation: str
    dtype: str
    setting: str
    first: Place
    second: Place
    difference: ArrayDifference
    size: Magnitude


@dataclass(frozen=True)
class EnvironmentDifference:
    """A part of the environment that is not the same. ``changes``: whether it can change a number at all."""

    part: str
    first: str
    second: str

    @property
    def changes_numbers(self) -> bool:
        """Whether the table knows that it can."""
        return self.part in numeric_parts()


@dataclass(frozen=True)
class NumberDifference:
    """A pair that is not the same, and the parts of the environment that explain it, the likeliest first.

    ``proven_by``: the settings under which both machines agree, which proves the first part.
    """

    pair: Pair
    explained_by: tuple[str, ...] = ()
    proven_by: tuple[str, ...] = ()


@dataclass(frozen=True)
class Comparison:
    """Two machines side by side. The first is this one, unless it has a name."""

    here: OtherMachine
    other: OtherMachine
    environment: tuple[EnvironmentDifference, ...]
    same: tuple[Pair, ...]
    apart: tuple[NumberDifference, ...]

    @property
    def is_empty(self) -> bool:
        """Whether nothing was computed on both."""
        return not self.same and not self.apart

    @property
    def is_itself(self) -> bool:
        """Whether both are one examination: not even two runs on one machine take the same time to the last digit."""
        mine = self.here.measurements
        return mine == self.other.measurements and any(run.seconds is not None for run in mine)

    @property
    def one_sided(self) -> tuple[str, ...]:
        """The operations that only one of them computed by default, or none for want of time, or not comparably."""
        paired = {pair.operation for pair in self.pairs}
        mine, theirs = self.here.measurements, self.other.measurements
        usual = [their.operation for their in (*mine, *theirs) if their.setting == DEFAULT]
        return tuple(setting for setting in dict.fromkeys(usual) if setting not in paired)

    @property
    def is_partial(self) -> bool:
        """Whether operations, of which each gives another chance to differ, were computed on one side alone."""
        compared = {run.operation for run in self.here.measurements if isinstance(run, Portrait) and not run.reason}
        return self.lacked_time or compared.isdisjoint(pair.operation for pair in self.pairs)

    @property
    def lacked_time(self) -> bool:
        """Whether what one has computed was left out on the other for want of time."""
        left_out = {run.operation for run in (*self.here.measurements, *self.other.measurements) if run.is_left_out}
        return bool(left_out.intersection(self.one_sided))

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """Everything that was computed on both."""
        return (*self.same, *(difference.pair for difference in self.apart))

    def values(self, part: str) -> tuple[str, str]:
        """What each has of a part that differs; of variables and settings those that a differing result may heed."""
        row = next((difference for difference in self.environment if difference.part == part), None)
        if row is None:
            return "", ""
        first, second = (
            SEPARATOR.join(
                entry
                for entry in side.split(SEPARATOR)
                if any(is_read(part, entry, one.pair.first.framework, one.pair.first.kind) for one in self.apart)
            )
            for side in (row.first, row.second)
        )
        return first or "-", second or "-"

    def has_other(self, part: str) -> bool:
        """Whether a part of the environment is not the same."""
        return any(difference.part == part for difference in self.environment)


def side_of(facts: Facts, name: str = "", created: str = "") -> OtherMachine:
    """What of an examination bears on numbers."""
    target = facts.target_interpreter
    return OtherMachine(
        name=name,
        created=created,
        machine=facts.machine,
        interpreter=_without_packages(target) if target else None,
        frameworks=facts.frameworks,
        environment=facts.environment,
        measurements=tuple(
            run for run in facts.measurements if isinstance(run, _COMPARED) and (run.is_left_out or not run.reason)
        ),
        served=facts.served,
    )


def other_machine(case: Case, name: str) -> OtherMachine:
    """A case that was given to compare with."""
    return side_of(case.facts, name, case.created)


def _without_packages(interpreter: InterpreterFacts) -> InterpreterFacts:
    kept = tuple(package for package in interpreter.packages or () if package.name.lower() in PACKAGES)
    return msgspec.structs.replace(interpreter, packages=kept)


class Agreement(StrEnum):
    """What a comparison comes to. The graver come last.

    A difference of the environment proves nothing before it was taken out and the results agreed.
    """

    NOTHING = "nothing"  # nothing was computed on both
    SAME = "same"
    PARTIAL = "partial"  # the same, as far as the time of both allowed to compare
    PROVEN = "proven"  # with one part of the environment taken out, what differs is the same
    CANDIDATE = "candidate"  # every difference is of a size that a part of the environment makes
    UNEXPLAINED = "unexplained"
    BEYOND = "beyond"  # more than any rounding


def agreement(found: Sequence[Comparison]) -> Agreement:
    """What the comparisons come to in all."""
    apart = [pair for comparison in found for pair in comparison.apart]
    if any(difference.pair.size.size is Size.BEYOND for difference in apart):
        return Agreement.BEYOND
    if apart:
        if all(difference.proven_by for difference in apart):
            return Agreement.PROVEN
        return Agreement.CANDIDATE if all(difference.explained_by for difference in apart) else Agreement.UNEXPLAINED
    if not any(comparison.same for comparison in found):
        return Agreement.NOTHING
    return Agreement.PARTIAL if any(comparison.is_partial for comparison in found) else Agreement.SAME


# --- the devices of one machine --------------------------------------------------------------------------------------


def pairs_here(measurements: Sequence[Measurement]) -> tuple[Pair, ...]:
    """Every two places of one machine that computed the same, by default."""
    found: dict[tuple[str, str], list[Portrait]] = {}
    for portrait in _portraits(measurements):
        if portrait.setting == DEFAULT:
            found.setdefault((portrait.operation, portrait.dtype), []).append(portrait)
    return tuple(pair for group in found.values() for pair in _pairs(combinations(group, 2)))


def odd_ones_out(pairs: Sequence[Pair]) -> Mapping[Place, list[Pair]]:
    """The places whose result no rounding explains beside any other, where two others or more agree with each other."""
    questions: dict[tuple[str, str], list[Pair]] = {}
    for pair in pairs:
        questions.setdefault((pair.operation, pair.dtype), []).append(pair)
    found: dict[Place, list[Pair]] = {}
    for here in questions.values():
        places = {place for pair in here for place in (pair.first, pair.second)}
        far = [pair for pair in here if pair.size.size is Size.BEYOND]
        odd = {place for place in places if all(pair in far for pair in here if place in (pair.first, pair.second))}
        if not odd or len(places - odd) < 2 or any(odd.isdisjoint((pair.first, pair.second)) for pair in far):
            continue
        for place in odd:
            found.setdefault(place, []).extend(pair for pair in far if place in (pair.first, pair.second))
    return found


def _portraits(measurements: Sequence[Measurement]) -> list[Portrait]:
    return [run for run in measurements if isinstance(run, Portrait) and not run.reason]


def _pairs(groups: Iterable[tuple[Portrait, Portrait]]) -> Iterator[Pair]:
    for first, second in groups:
        pair = _portrait_pair(first, second)
        if pair is not None:
            yield pair


def _portrait_pair(first: Portrait, second: Portrait) -> Pair | None:
    if is_stream(first.operation):
        drawn = stream_magnitude(first, second)
        return _pair(first, second, *drawn) if drawn else None
    condition = first.condition or second.condition  # the same inputs: NumPy does not compute it
    found = portrait_magnitude(first, second, work_of(first, terms=first.terms, condition=condition))
    return _pair(first, second, *found) if found else None


def _pair(first: Measured, second: Measured, difference: ArrayDifference, size: Magnitude) -> Pair:
    return Pair(
        operation=first.operation,
        dtype=first.dtype,
        setting=first.setting,
        first=_place(first),
        second=_place(second),
        difference=difference,
        size=size,
    )


def _place(measured: Measured) -> Place:
    return Place(measured.framework, measured.device)


# --- two machines ----------------------------------------------------------------------------------------------------


def compare(here: OtherMachine, other: OtherMachine) -> Comparison:
    """Two machines side by side."""
    environment = tuple(_environment(here, other))
    pairs = tuple(_between(here, other))
    usual = [pair for pair in pairs if pair.setting == DEFAULT]
    apart = [pair for pair in usual if pair.size.size not in (Size.IDENTICAL, Size.NOTHING)]
    return Comparison(
        here=here,
        other=other,
        environment=environment,
        same=tuple(pair for pair in usual if pair.size.size is Size.IDENTICAL),
        apart=tuple(_explained(pair, pairs, environment) for pair in apart),
    )


def comparisons(facts: Facts) -> tuple[Comparison, ...]:
    """Each machine that was given, beside this one."""
    here = side_of(facts, facts.name)
    return tuple(compare(here, other) for other in facts.others)


def _between(here: OtherMachine, other: OtherMachine) -> Iterator[Pair]:
    """What both computed: with the same framework where both have one, else on the processors of any two."""
    theirs: dict[tuple[str, str, str, str], list[Measurement]] = {}
    for run in other.measurements:
        if not run.reason:
            theirs.setdefault(_question(run), []).append(run)
    is_any = not {run.framework for run in here.measurements} & {run.framework for run in other.measurements}
    for mine in (run for run in here.measurements if not run.reason):
        for match in _matches(mine, theirs.get(_question(mine), []), is_any=is_any):
            if isinstance(mine, Portrait) and isinstance(match, Portrait):
                yield from _pairs([(mine, match)])
            elif isinstance(mine, Experiment) and isinstance(match, Experiment):
                yield from _experiments(mine, match)


def _question(measured: Measured) -> tuple[str, str, str, str]:
    kind = "portrait" if isinstance(measured, Portrait) else "experiment"
    return kind, measured.operation, measured.dtype, measured.setting


def _matches(mine: Measured, candidates: Sequence[Measurement], *, is_any: bool) -> list[Measurement]:
    of_kind = [candidate for candidate in candidates if _place(candidate).kind == _place(mine).kind]
    same = [run for run in of_kind if run.framework == mine.framework]
    exactly = [run for run in same if run.device == mine.device]
    others = of_kind[:1] if is_any and _place(mine).kind == CPU and mine.setting == DEFAULT else []
    return exactly or same[:1] or others


def _experiments(mine: Experiment, theirs: Experiment) -> Iterator[Pair]:
    """The first run of each: what it printed, and its bits."""
    if not (mine.exact and theirs.exact and mine.values and theirs.values) or mine.steps != theirs.steps:
        return
    pairs = list(zip(mine.values[0], theirs.values[0], strict=False))
    bits = list(zip(mine.exact[0], theirs.exact[0], strict=False))
    both = [(a, b) for a, b in pairs if a is not None and b is not None]
    if not bits:
        return
    difference = ArrayDifference(
        elements=len(bits),
        differing=sum(a != b for a, b in bits),
        max_abs=max((abs(b - a) for a, b in both), default=None),
        scale=max((abs(a) for a, _ in both), default=None),
        nan=sum((a is None) != (b is None) for a, b in pairs),
    )
    size = magnitude(difference, work_of(mine, terms=None, condition=None))
    if size.size is Size.BEYOND and not difference.nan and (mine.steps or _is_of_sequence(difference, mine.dtype)):
        # Of a training: differences grow with every step, and no bound tells where from.
        size = dataclasses.replace(size, sizes=(Size.ROUNDING,))
    yield _pair(mine, theirs, difference, size)


def _is_of_sequence(difference: ArrayDifference, dtype: str) -> bool:
    """Whether two sums of the first experiment may be so far apart where one adds term by term.

    Its terms are all positive: the small ones are lost in the large sum again and again, in the same direction, so that
    nothing less than the worst case is a bound (in float32, from the largest term on: 332952 instead of 333334).
    """
    roundoff = unit_roundoff(dtype)
    if roundoff is None or difference.max_abs is None or not difference.scale:
        return False
    return difference.max_abs <= 2 * worst_bound(_TERMS_OF_SUM, roundoff) * difference.scale


def _explained(pair: Pair, pairs: Sequence[Pair], environment: Sequence[EnvironmentDifference]) -> NumberDifference:
    """The parts that can make such a difference; what one setting removes on both machines is proven."""
    agree = tuple(
        one.setting
        for one in pairs
        if one.setting != DEFAULT
        and (one.operation, one.dtype, one.first, one.second) == (pair.operation, pair.dtype, pair.first, pair.second)
        and one.size.size is Size.IDENTICAL
    )
    parts = numeric_parts()
    possible = [
        difference.part
        for difference in environment
        if difference.part in parts and _can_make(parts[difference.part], difference, pair)
    ]
    stands_for = parts_shown_by()
    proven = [part for setting in agree for part in stands_for.get(setting, ())]
    possible.sort(key=lambda part: (part not in proven, parts[part].rank))
    if pair.first.framework != pair.second.framework:
        possible.insert(0, "framework")
    shown = tuple(setting for setting in agree if set(possible[:1]) & set(stands_for.get(setting, ())))
    return NumberDifference(pair=pair, explained_by=tuple(possible), proven_by=shown)


def _can_make(part: Part, difference: EnvironmentDifference, pair: Pair) -> bool:
    """Whether a part that differs can make such a difference there."""
    framework = pair.first.framework
    if part.frameworks and framework not in part.frameworks:
        return False
    entries = f"{difference.first}{SEPARATOR}{difference.second}".split(SEPARATOR)
    if not any(is_read(part.part, entry, framework, pair.first.kind) for entry in entries):
        return False
    versions = f"{difference.first}{SEPARATOR}{difference.second}".split(SEPARATOR)
    if part.part == "framework-version" and not any(version.startswith(f"{framework} ") for version in versions):
        return False
    return pair.first.kind in part.devices and any(size.value in part.sizes for size in pair.size.sizes)


# --- their environments ----------------------------------------------------------------------------------------------


def _environment(here: OtherMachine, other: OtherMachine) -> Iterator[EnvironmentDifference]:
    first, second = environment_parts(here), environment_parts(other)
    for part in first:
        mine, theirs = first[part], second.get(part, "")
        if part in _LISTS:
            mine, theirs = _only(mine, theirs), _only(theirs, mine)
        if mine != theirs and (mine or theirs) and (part in second):
            yield EnvironmentDifference(part, mine or "-", theirs or "-")


def _only(first: str, second: str) -> str:
    """What only the first has, in its order."""
    there = set(second.split(SEPARATOR))
    return SEPARATOR.join(part for part in first.split(SEPARATOR) if part not in there)


def environment_parts(side: OtherMachine) -> Mapping[str, str]:
    """The parts of an environment that may change numbers, and what beside them is known, in words."""
    machine, torch = side.machine, side.frameworks.torch if side.frameworks else None
    found: dict[str, str | None] = {}
    if machine is not None:
        if machine.os is not None:
            found |= {"os": machine.os.name, "architecture": machine.os.architecture}
        if machine.cpu is not None:
            sets = machine.cpu.instruction_sets
            found |= {
                "cpu": machine.cpu.name,
                "cpu-instructions": None if sets is None else SEPARATOR.join(sorted(sets)),
                "processors": None if machine.cpu.logical_cores is None else str(machine.cpu.logical_cores),
            }
        if machine.nvidia is not None:
            found["driver"] = machine.nvidia.driver_version
    if side.interpreter is not None:
        found["python"] = side.interpreter.version
    found["framework-version"] = _versions(side)
    found["gpu"] = SEPARATOR.join(dict.fromkeys(gpu_names(side.frameworks).values()))
    if torch is not None:
        found |= {"threads": None if torch.threads is None else str(torch.threads)}
        found |= {"cuda": torch.cuda_version, "cudnn": torch.cudnn_version}
        found["settings"] = _settings(torch.settings)
    if side.environment is not None:
        known = NumericEnvironmentTable.read()
        for part in ("thread-variables", "variables", "random-variables"):
            found[part] = _variables(side.environment.values, known.names(part))
    return {part: text for part, text in found.items() if text is not None}


def _versions(side: OtherMachine) -> str:
    known = {name: fact.version for name, fact in side.frameworks.each() if fact.version} if side.frameworks else {}
    for package in (side.interpreter.packages if side.interpreter else None) or ():
        if package.name.lower() in PACKAGES:
            known.setdefault(package.name.lower(), package.version)
    return SEPARATOR.join(f"{name} {version}" for name, version in sorted(known.items()))


def gpu_names(frameworks: Frameworks | None) -> dict[tuple[str, str], str]:
    """(framework, device) -> the name of the GPU."""
    found = {}
    for name, fact in frameworks.each() if frameworks else ():
        devices: tuple[FrameworkDevice, ...] = getattr(fact, "devices", None) or ()
        for device in devices:
            if device.name and Place(name, device.device).kind == GPU:
                found[name, device.device] = device.name
    return found


def _settings(settings: Mapping[str, object] | None) -> str | None:
    if settings is None:
        return None
    left_out = NumericEnvironmentTable.read().unnumeric_settings
    return SEPARATOR.join(f"{name}={value}" for name, value in sorted(settings.items()) if name not in left_out)


def _variables(values: Mapping[str, str], known: Sequence[str]) -> str:
    return SEPARATOR.join(f"{name}={values[name]}" for name in known if name in values)

"""What a reader gathers of one model until its facts are complete.

A reader sets what it finds and lets go of what it does not: of a damaged file the facts are those that were read before
the damage, with the first damage as the problem.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import TypeVar

from checks.facts import Binding, ModelFacts, ModelNeeds, NamedClass, NeededFile, OperatorUse, TensorSpec
from checks.readers.containers.folder import Folder, inside
from checks.readers.containers.source import Damaged

_MOST_COUNTED = 1 << 62  # JSON has 64 bits for a number; a product of axes may have any number of digits


_Item = TypeVar("_Item")


@dataclass
class Reading:
    """One model, field by field: those of ModelFacts and of its ModelNeeds, whose docstrings say what they hold.

    ``parameters`` is the sum of ``dtypes`` where those are known. Of ``details`` the empty ones are left out.
    """

    format: str | None = None
    _: KW_ONLY
    version: str | None = None
    producer: str | None = None
    producer_version: str | None = None
    size: int | None = None
    problem: Damaged | None = None
    frameworks: Sequence[str] = ()
    opsets: dict[str, int] | None = None
    operators: Sequence[OperatorUse] | None = None
    classes: Sequence[NamedClass] | None = None
    devices: Sequence[str] | None = None
    systems: dict[str, str] | None = None
    files: Sequence[NeededFile] | None = None
    memory: int | None = None
    dependence: str | None = None
    bound_to: tuple[Binding, ...] = ()
    inputs: Sequence[TensorSpec] | None = None
    outputs: Sequence[TensorSpec] | None = None
    parameters: int | None = None
    dtypes: Mapping[str, int] | None = None
    quantization: str | None = None
    details: dict[str, str] = field(default_factory=dict)

    @contextlib.contextmanager
    def part(self) -> Iterator[None]:
        """One part of the file: if it is damaged, the reader goes on behind it."""
        try:
            yield
        except Damaged as damage:
            self.fail(damage)

    def fail(self, damage: Damaged | None) -> None:
        """Take damage as the problem, if it is the first; None is none."""
        self.problem = self.problem or damage

    def count(self, dtype: str, numbers: int) -> None:
        """Add weights of one dtype."""
        if not isinstance(self.dtypes, Counter):
            self.dtypes = Counter(self.dtypes or {})
        self.dtypes[dtype] += numbers

    def add_details(self, details: Mapping[str, str], most: int | None = None) -> None:
        """Take in details. ``most``: characters of each that are kept."""
        self.details.update((key, value[:most]) for key, value in details.items() if value)

    def bind(self, kind: str, value: str | None = "") -> None:
        """Say what the file is bound to."""
        self.bound_to += (Binding(kind=kind, value=value or ""),)

    def facts(self) -> ModelFacts:
        """All of it, without the sums that no file holds."""
        dtypes = self.dtypes
        parameters = self.parameters if dtypes is None else sum(dtypes.values())
        is_countable = dtypes is None or max(dtypes.values(), default=0) <= _MOST_COUNTED
        return ModelFacts(
            format=self.format,
            version=self.version,
            producer=self.producer or None,
            producer_version=self.producer_version or None,
            size=self.size,
            problem=self.problem.reason if self.problem else None,
            problem_detail=self.problem.detail if self.problem else "",
            needs=ModelNeeds(
                frameworks=tuple(self.frameworks),
                opsets=self.opsets,
                operators=_tuple(self.operators),
                classes=_tuple(self.classes),
                devices=_tuple(self.devices),
                systems=self.systems,
                files=_tuple(self.files),
                memory=_countable(self.memory),
            ),
            dependence=self.dependence,
            bound_to=self.bound_to,
            inputs=_tuple(self.inputs),
            outputs=_tuple(self.outputs),
            parameters=_countable(parameters),
            dtypes=most_common(dtypes) if dtypes is not None and is_countable else None,
            quantization=self.quantization,
            details={key: value for key, value in self.details.items() if value},
        )


def most_common(counts: Mapping[str, int]) -> dict[str, int]:
    """Counts, the highest first."""
    return dict(sorted(counts.items(), key=lambda item: -item[1]))


def operator_uses(
    counts: Mapping[str, int], *, is_custom: Callable[[str], bool] | None = None
) -> tuple[OperatorUse, ...]:
    """Counted operators of one set, the most used first and then by name."""
    return tuple(
        OperatorUse(name=name, count=count, is_custom=is_custom is not None and is_custom(name))
        for name, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    )


def needed_file(beside: Folder, name: str, size: int | None = None) -> NeededFile:
    """A file that a model asks for, looked for beside it. ``size``: bytes that it needs."""
    if not inside(name):
        return NeededFile(name=name, size=size)
    present_size = beside.size_of(name)
    return NeededFile(name=name, size=size, present=present_size is not None, present_size=present_size)


def weights_beside(beside: Folder, stem: str, ending: str, of_network: str) -> NeededFile:
    """The weights of the same name, else the only ones that are there and of no other network."""
    if beside.size_of(stem + ending) is None:
        others = [name for name in beside.names if name.endswith(ending) and "/" not in name]
        if len(others) == 1 and beside.size_of(others[0].removesuffix(ending) + of_network) is None:
            return NeededFile(name=others[0], present=True, present_size=beside.size_of(others[0]))
    return needed_file(beside, stem + ending)


def missing_file(files: Iterable[NeededFile] | None) -> Damaged | None:
    """The first file that is not there, as a problem."""
    name = next((file.name for file in files or () if not file.present), None)
    return None if name is None else Damaged("missing-part", name)


def incomplete_file(files: Iterable[NeededFile] | None) -> Damaged | None:
    """The first file that is not there or too short, as a problem."""
    for file in files or ():
        if not file.present:
            return Damaged("missing-part", file.name)
        if file.size is not None and file.present_size is not None and file.present_size < file.size:
            return Damaged("truncated", f"{file.name}: {file.present_size} of {file.size} bytes")
    return None


def _tuple(items: Sequence[_Item] | None) -> tuple[_Item, ...] | None:
    return None if items is None else tuple(items)


def _countable(number: int | None) -> int | None:
    return number if (number or 0) <= _MOST_COUNTED else None

"""Puts the statements of a text together: the first about a fact counts, and what contradicts it is noted.

Programs come before people (see reported.py for the order). A version that continues another ("2.1" and
"2.1.0+cu121") is the same version, stated more exactly.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import Any

import msgspec

from checks.facts import Facts, Gpu, NvidiaGpu, Package
from checks.facts.machine import canonical_pci_address
from checks.facts.versions import release
from checks.knowledge.packages.ai_packages import framework_of_package
from checks.machine.gpu_names import jetson_capability
from checks.prepared import prepared
from checks.readers.tickets.found.gpus import MOST, GpuStatement
from checks.readers.tickets.text import Statement, goes_on

Tree = dict[str, Any]
Beginning = tuple[int, str]  # the number of the first line of one of several texts, and its name

_LOCAL = re.compile(r"\+(?:[\w.]{0,20}?)(cpu|xpu|cu(?P<cuda>\d{2,4})|rocm(?P<rocm>\d(?:\.\d{1,2}){0,2}))")
_SEES_ITS_LIBC = (3, 8)  # before, platform.libc_ver() returned what the interpreter was built with (bpo-35389)
_CONDA_CUDA = re.compile(r"cuda(\d{1,2}\.?\d{0,2})(?:\.\d{1,4})?[_-]")
_CONDA_CUDNN = re.compile(r"cudnn(\d(?:\.\d{1,2}){1,3})")


class Contradiction(msgspec.Struct, frozen=True):
    """Two lines state one fact differently. ``kept`` counts; ``other`` is what the other line states."""

    fact: str
    kept: str
    other: str
    lines: tuple[int, ...]


class Statements:
    """The statements so far, by what they are about."""

    def __init__(self, texts: Sequence[Beginning] = ()) -> None:
        self.texts = texts
        self.values: dict[str, Statement] = {}
        self.contradictions: list[Contradiction] = []
        self.packages: dict[str, Statement] = {}
        self.gpus: list[Statement] = []
        self.xids: list[Statement] = []
        self.log_events: list[Statement] = []
        self.numbers: list[Statement] = []
        self.variables: dict[str, Statement] = {}
        self.local_programs: dict[str, Statement] = {}
        self.mentions: dict[str, list[str]] = {}
        self.places: dict[str, tuple[int, ...]] = {}

    def add(self, statement: Statement) -> None:
        """Take in one statement."""
        if statement.fact == "package" and statement.value.name == "python":  # conda lists it with the others
            self.add(Statement("interpreter.version", statement.value.version, statement.lines, statement.program))
        elif statement.fact == "package":
            package = statement.value
            self._first(self.packages, package.name, statement, f"package {package.name}", package.version)
        elif statement.fact == "gpu":
            self._gpu(statement)
        elif statement.fact == "xid":
            self.xids.append(statement)
        elif statement.fact == "log-event":
            self.log_events.append(statement)
        elif statement.fact.startswith("numbers."):
            self.numbers.append(statement)
        elif statement.fact == "variable":
            name, value = statement.value
            self._first(self.variables, name, statement, f"environment.values.{name}", value)
        elif statement.fact == "local-program":
            self.local_programs[statement.value.name] = statement
        elif statement.fact == "machine.os":
            self._system(statement)
        elif statement.fact.startswith("mention."):
            self.mentions.setdefault(statement.fact.removeprefix("mention."), []).append(str(statement.value))
            self.places.setdefault(statement.fact, statement.lines)
        else:
            self._first(self.values, statement.fact, statement, statement.fact, statement.value)

    def _first(self, where: dict[str, Statement], key: str, statement: Statement, fact: str, value: object) -> None:
        known = where.get(key)
        if known is None:
            where[key] = statement
            self.places[fact] = statement.lines
            return
        old = known.value.version if isinstance(known.value, Package) else known.value
        old = old[1] if isinstance(old, tuple) and fact.startswith("environment.values.") else old
        if old == value or not isinstance(value, str) or not isinstance(old, str):
            return
        if goes_on(old, value):
            where[key] = statement
            if isinstance(statement.value, Package):
                whole = msgspec.structs.replace(known.value, version=value)
                where[key] = Statement(statement.fact, whole, statement.lines, statement.program)
            self.places[fact] = (*known.lines, *statement.lines)
        elif not goes_on(value, old) and fact.rpartition(".")[2] not in ("name", "origin", "nvml_message"):
            self.contradictions.append(Contradiction(fact, old, value, statement.lines))

    def _system(self, statement: Statement) -> None:
        """An operating system goes in as a whole: the version of one system is none of another's."""
        for decisive in ("system", "distribution", "name"):
            known, value = self.values.get(f"machine.os.{decisive}"), statement.value.get(decisive)
            if known is not None and value is not None and known.value != value:
                if decisive != "name" or not goes_on(value, known.value):
                    note = Contradiction(f"machine.os.{decisive}", str(known.value), str(value), statement.lines)
                    self.contradictions.append(note)
                return
        for name, value in statement.value.items():
            fact = f"machine.os.{name}"
            if fact not in self.values:
                self.values[fact] = Statement(fact, value, statement.lines, statement.program)
                self.places[fact] = statement.lines

    def _gpu(self, statement: Statement) -> None:
        """A GPU of a list by its number; a mention only where no program has listed GPUs of that maker."""
        gpu: GpuStatement = statement.value
        if gpu.by != "mention":  # who lists them knows better than who mentions them
            self.gpus = [
                known for known in self.gpus if known.value.by != "mention" or not _same_maker(known.value, gpu)
            ]
        for place, known in enumerate(self.gpus):
            other: GpuStatement = known.value
            if other.by != "mention" and gpu.by == "mention" and _same_maker(other, gpu):
                return
            is_same = {other.by, gpu.by} == {"bus", "driver"} and _is_same_card(other, gpu)
            if not is_same and other.by == gpu.by != "mention" and gpu.index is not None and other.index == gpu.index:
                if other.named and gpu.named and other.named != gpu.named:  # of another machine
                    note = Contradiction("machine.gpus", other.label, gpu.label, statement.lines)
                    self.contradictions.append(note)
                    return
                is_same = True
            if is_same:
                lines = (*known.lines, *statement.lines)
                self.gpus[place] = Statement("gpu", _merged(other, gpu), lines, known.program)
                return
            if gpu.by == other.by == "mention" and (gpu.named == other.named or _within(gpu, other)):
                return
        if len(self.gpus) < MOST:
            self.gpus.append(statement)


def facts_of(statements: Statements) -> Facts:
    """The facts, each part with the lines and programs that it came from."""
    tree: Tree = {}
    origins: dict[str, list[Statement]] = {}
    for fact, statement in statements.values.items():
        if not fact.startswith(("machine.", "frameworks.", "interpreter.", "environment.")):
            continue
        part, _, name = fact.rpartition(".")
        _at(tree, part)[name] = statement.value
        origins.setdefault(part, []).append(statement)
    _gpus(tree, origins, statements)
    _packages(tree, origins, statements)
    _frameworks(tree)
    for part, name, listed in (
        ("machine.nvidia", "xids", statements.xids),
        ("machine.log", "events", statements.log_events),
    ):
        if listed:
            _at(tree, part)[name] = tuple(statement.value for statement in listed)
            origins.setdefault(part, []).extend(listed)
            statements.places[f"{part}.{name}"] = _lines_of(listed)
    if statements.variables:
        _at(tree, "environment")["values"] = {
            name: statement.value[1] for name, statement in statements.variables.items()
        }
        origins.setdefault("environment", []).extend(statements.variables.values())
    if statements.local_programs:
        tree["local_programs"] = tuple(
            msgspec.structs.replace(statement.value, origin=origin_of([statement], statements.texts))
            for statement in statements.local_programs.values()
        )
    if statements.numbers:
        _at(tree, "numbers").update(_numbers(statements.numbers))
        origins.setdefault("numbers", []).extend(statements.numbers)
    for part, part_statements in origins.items():
        _at(tree, part)["origin"] = origin_of(part_statements, statements.texts)
    _system(tree)
    interpreter = tree.pop("interpreter", None)
    if interpreter is not None:
        interpreter.setdefault("path", "")
        tree |= {"interpreters": [interpreter], "target": interpreter["path"]}
    return msgspec.convert(tree | {"told": True}, prepared(Facts))


def origin_of(statements: Iterable[Statement], texts: Sequence[Beginning] = ()) -> str:
    """Where something came from: "nvidia-smi, lines 3-20; line 40"; of several ``texts`` "line 7 of error.log"."""
    lines: dict[tuple[str, str], list[int]] = {}
    for statement in statements:
        for number in statement.lines:
            first, name = texts[bisect.bisect_right(texts, number, key=itemgetter(0)) - 1] if texts else (1, "")
            lines.setdefault((statement.program, name), []).append(number - first + 1)
    parts = []
    for (program, name), numbers in lines.items():
        first, last = min(numbers), max(numbers)
        where = f"line {first}" if first == last else f"lines {first}-{last}"
        parts.append(f"{program}, {where}" if program else where)
        parts[-1] += f" of {name}" if name else ""
    return "; ".join(parts)


def _numbers(statements: Sequence[Statement]) -> Tree:
    """How far results are apart, and what the text tells of that."""
    told = {
        name: tuple(statement.value for statement in statements if statement.fact == f"numbers.{name}")
        for name in ("differences", "formats", "about", "lost")
    }
    return told | {name: next(iter(told[name]), "") for name in ("about", "lost")}


def _lines_of(statements: Iterable[Statement]) -> tuple[int, ...]:
    return tuple(line for statement in statements for line in statement.lines)


def _at(tree: Tree, part: str) -> Tree:
    for name in part.split("."):
        tree = tree.setdefault(name, {})
    return tree


def _same_maker(one: GpuStatement, other: GpuStatement) -> bool:
    return one.named is not None and other.named is not None and one.named.vendor_id == other.named.vendor_id


def _within(one: GpuStatement, other: GpuStatement) -> bool:
    """Whether one mention is a shorter name of the other ("3090" of "RTX 3090")."""
    return one.label.lower() in other.label.lower() or other.label.lower() in one.label.lower()


def _is_same_card(one: GpuStatement, other: GpuStatement) -> bool:
    """Whether the bus and the driver list one card: by its place on the bus, else by its name."""
    places = [canonical_pci_address(gpu.bus.get("address") or gpu.nvidia.get("pci_address")) for gpu in (one, other)]
    if all(places):
        return places[0].partition(".")[0] == places[1].partition(".")[0]
    return (
        _same_maker(one, other)
        and one.named is not None
        and other.named is not None
        and (one.named.compute_capability == other.named.compute_capability)
    )


def _merged(known: GpuStatement, new: GpuStatement) -> GpuStatement:
    names = (known.name, new.name)
    return GpuStatement(
        known.named if known.named and (known.named.device_id or not new.named) else new.named,
        min(names, key=lambda name: (not name, name.rstrip().endswith("..."))),
        known.index if known.index is not None else new.index,
        "driver" if "driver" in (known.by, new.by) else known.by,
        new.nvidia | known.nvidia,
        new.bus | known.bus,
    )


def _gpus(tree: Tree, origins: dict[str, list[Statement]], statements: Statements) -> None:
    """The GPUs on the bus, and those that NVIDIA's driver lists."""
    listed = []
    devices: list[NvidiaGpu] = []
    for statement in statements.gpus:
        gpu: GpuStatement = statement.value
        origin = origin_of([statement], statements.texts)
        is_nvidia = gpu.named.vendor_id == "10de" if gpu.named else gpu.by == "driver"
        if gpu.named is not None:
            shown = gpu.named.as_gpu(gpu.label, origin)
        else:
            shown = Gpu(origin=origin, vendor_id="10de" if is_nvidia else None, product=gpu.label)
        by_driver = {"address": gpu.nvidia["pci_address"]} if "pci_address" in gpu.nvidia else {}
        shown = msgspec.structs.replace(shown, **(by_driver | gpu.bus))
        if gpu.nvidia.get("compute_capability"):
            shown = msgspec.structs.replace(shown, compute_capability=gpu.nvidia["compute_capability"])
        listed.append(shown)
        if is_nvidia and gpu.by == "driver":
            capability = gpu.nvidia.get("compute_capability") or (gpu.named.compute_capability if gpu.named else None)
            rest = {name: value for name, value in gpu.nvidia.items() if name != "compute_capability"}
            index = len(devices) if gpu.index is None else gpu.index
            devices.append(
                NvidiaGpu(origin=origin, index=index, name=gpu.label, compute_capability=capability or None, **rest)
            )
    if listed:
        _at(tree, "machine")["gpus"] = {
            "devices": tuple(listed),
            "origin": origin_of(statements.gpus, statements.texts),
        }
        statements.places["machine.gpus"] = _lines_of(statements.gpus)
    if devices:
        _at(tree, "machine.nvidia")["devices"] = tuple(devices)
        of_driver = [statement for statement in statements.gpus if statement.value.by == "driver"]
        origins.setdefault("machine.nvidia", []).extend(of_driver)
        statements.places["machine.nvidia.devices"] = _lines_of(of_driver)
    elif "no-nvidia-devices" in statements.values:
        _at(tree, "machine.nvidia")["devices"] = ()


def _packages(tree: Tree, origins: dict[str, list[Statement]], statements: Statements) -> None:
    """The packages, and from them the frameworks that no other line names."""
    if not statements.packages:
        return
    packages = tuple(statement.value for statement in statements.packages.values())
    _at(tree, "interpreter")["packages"] = packages
    origins.setdefault("interpreter", []).extend(statements.packages.values())
    plugins = [package for package in packages if package.name.startswith("jax-cuda")]
    if plugins:
        _at(tree, "frameworks.jax")["plugins"] = tuple(f"{plugin.name} {plugin.version}" for plugin in plugins)
    for package, statement in zip(packages, statements.packages.values(), strict=True):
        framework = framework_of_package().get(package.name)
        if framework is None:
            continue
        facts = _at(tree, f"frameworks.{framework}")
        part = "jaxlib_version" if package.name == "jaxlib" else "version"
        known = facts.get(part)
        if known is None or goes_on(known, package.version):
            facts[part] = package.version
            origins.setdefault(f"frameworks.{framework}", []).append(statement)
            statements.places.setdefault(f"frameworks.{framework}.{part}", statement.lines)
        if package.build and framework == "torch":
            cuda, cudnn = _CONDA_CUDA.search(package.build), _CONDA_CUDNN.search(package.build)
            if cuda:
                facts.setdefault("cuda_version", _dotted(cuda[1]))
            elif "cpu" in package.build:
                facts.setdefault("cuda_version", "")
            if cudnn:
                facts.setdefault("cudnn_version", cudnn[1])


def _frameworks(tree: Tree) -> None:
    """What the version of torch shows of its build: "2.7.1+cu128", "2.1.0+cpu", "2.5.1+rocm6.2"."""
    torch = tree.get("frameworks", {}).get("torch")
    if torch is None:
        return
    found = _LOCAL.search(torch.get("version") or "")
    if found is not None:
        if found["cuda"]:
            torch.setdefault("cuda_version", _dotted(found["cuda"]))
        elif found["rocm"]:
            torch.setdefault("hip_version", found["rocm"])
            torch["cuda_version"] = ""
        else:
            torch.setdefault("cuda_version", "")
            torch.setdefault("build", found[1])
    if torch.get("cuda_version"):
        torch.setdefault("build", "cuda")
    elif torch.get("hip_version"):
        torch.setdefault("build", "rocm")
    elif torch.get("cuda_version") == "" and torch.get("hip_version", "") == "":
        system = tree.get("machine", {}).get("os", {}).get("system") or ""
        if "darwin" not in str(system).lower():
            torch.setdefault("build", "cpu")


def _system(tree: Tree) -> None:
    """What follows from one fact of the machine for another."""
    machine = tree.get("machine")
    if machine is None:
        return
    jetson, os, apple = machine.get("jetson"), machine.get("os"), machine.get("apple")
    if jetson is not None and jetson.get("model"):
        jetson.setdefault("compute_capability", jetson_capability(jetson["model"]))
    if os is not None and release(tree.get("interpreter", {}).get("version") or "9") < _SEES_ITS_LIBC:
        os.pop("libc_version", None)
    if os is not None and os.get("libc_version"):
        os.setdefault("libc", "glibc")
    if os is not None and os.get("system") == "Darwin":
        is_arm = os.get("architecture") == "arm64" or bool(apple and apple.get("is_apple_silicon"))
        apple = machine.setdefault("apple", {})
        if not apple.get("origin"):
            apple["origin"] = os.get("origin", "")
        if os.get("version"):
            apple.setdefault("macos_version", os["version"])
        if is_arm:
            apple.setdefault("is_apple_silicon", True)


def _dotted(digits: str) -> str:
    """A CUDA version as wheels write it: "128" -> "12.8", "92" -> "9.2", "11.7" as it is."""
    if "." in digits or len(digits) < 2:
        return digits
    return f"{digits[:-1]}.{digits[-1]}" if len(digits) < 4 else f"{digits[:2]}.{digits[2]}"

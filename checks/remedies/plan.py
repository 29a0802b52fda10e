"""From a finding to what its user can paste: the remedies of the catalogue, for this machine and this interpreter.

Values come from a machine that is not trusted: a folder may be called ``$(reboot)``. So every value that enters a
command is quoted for the shell that reads it, and a remedy whose value cannot be quoted safely is not offered.
"""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import msgspec

from checks.facts import Facts, OsFacts
from checks.facts.finding import FRAMEWORK, Finding
from checks.knowledge.catalogue import Remedy, Step, cause_of, remedy_of
from checks.knowledge.frameworks.torch import index_of_build
from checks.knowledge.packages.package_managers import managers_of
from checks.knowledge.phrases import words_of
from checks.knowledge.templates import fill_sentence
from checks.remedies.shell import Shell, Unquotable

log = logging.getLogger(__name__)

PYTHON_MANAGERS = ("pip", "conda", "mamba", "pixi", "uv", "poetry", "pipx")
# Placeholders that every remedy may use. The last two are about the package that the finding names: the same release
# again ("torch==2.6.0"), and the index that its build came from.
CONTEXT = ("python", "pip_install", "pip_uninstall", "same_release", "index_option")

_VENV_FIRST = "make-virtual-environment"  # goes before an installation into a Python that belongs to the system


class PlannedStep(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One step, filled in. ``kind`` as in the catalogue; ``code`` is to be pasted, ``text`` to be read.

    ``language`` of the code: "sh", "powershell", "python", or "" where it is neither (a setting). ``platforms`` and
    ``managers`` are only set where the facts do not tell whether the step applies: show them as a label.
    """

    kind: str
    code: str = ""
    text: str = ""
    language: str = ""
    platforms: tuple[str, ...] = ()
    managers: tuple[str, ...] = ()


class PlannedVerify(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How to see that it worked."""

    expect: str
    code: str = ""
    language: str = ""


class RemedyPlan(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One remedy for one finding on one machine, in one language."""

    id: str
    title: str
    steps: tuple[PlannedStep, ...]
    verify: PlannedVerify
    risk: str = ""
    tested: str = ""


def plan_remedies(finding: Finding, facts: Facts, language: str) -> tuple[RemedyPlan, ...]:
    """The remedies of a finding that can be carried out on this machine, the best first, in "en" or "ja".

    A remedy with a mistake of ours in it (no file, a value that nobody gives) is logged and left out: one broken
    remedy must not hide the report.

    Raises:
        KeyError: the cause is not in the catalogue.
    """
    machine = _Machine.of(facts)
    plans = []
    for remedy in finding.remedies or cause_of(finding.cause).remedies:
        try:
            plan = _plan(remedy_of(remedy), words_of(finding, language), machine, language)
        except KeyError:
            log.exception("remedy %s of %s", remedy, finding.cause)
        else:
            plans += [plan] if plan is not None else []
    offered = {plan.id for plan in plans}
    return tuple(plan for plan in plans if remedy_of(plan.id).instead_of not in offered)


def installing(package: str, facts: Facts) -> tuple[str, ...]:
    """The lines that install a package into the target; () where there is none, or they cannot be written safely."""
    if not facts.target:
        return ()
    step = Step(kind="command", code="{pip_install} {package}")
    try:
        first, steps, machine = _where_allowed((step,), _Machine.of(facts), "en")
        filled = (_step(step, {"package": package}, machine, "en") for step in steps)
        return tuple(option.code for option in (*first, *filled) if option.managers[:1] in ((), ("pip",)))
    except Unquotable:
        return ()


def platforms_of(facts: Facts) -> tuple[str, ...]:
    """The platform tags of a machine, the most special one first; empty where the facts do not tell."""
    os = facts.machine.os if facts.machine else None
    base = {"Linux": "linux", "Windows": "windows", "Darwin": "macos"}.get(os.system or "") if os else None
    if os is None or base is None:
        return ()
    jetson = facts.machine.jetson if facts.machine else None
    special = (
        ("container", bool(os.container)),
        ("wsl", bool(os.wsl)),
        ("jetson", jetson is not None and bool(jetson.model or jetson.l4t_release)),
    )
    return (*(tag for tag, holds in special if holds), base)


@dataclass(frozen=True)
class _Machine:
    """What decides which steps apply, and how they are written."""

    platforms: tuple[str, ...]  # most special first, empty = unknown
    system_managers: tuple[str, ...]
    python_managers: tuple[str, ...]  # preferred first
    python: str
    is_managed_by_system: bool  # PEP 668: pip refuses to install into it
    versions: Mapping[str, str]  # of the installed packages
    removes_from_system: bool = False
    same_release: str = ""  # of the package that a remedy is about
    index_option: str = ""  # of the same

    @classmethod
    def of(cls, facts: Facts) -> _Machine:
        interpreter = facts.target_interpreter
        manager = interpreter.package_manager if interpreter else None
        os = facts.machine.os if facts.machine else None
        return cls(
            platforms=platforms_of(facts),
            system_managers=_system_managers(os) if os else (),
            python_managers=(manager, "pip") if manager else (),
            python=facts.target or "python",
            is_managed_by_system=bool(interpreter and interpreter.externally_managed),
            versions={package.name: package.version for package in (interpreter and interpreter.packages) or ()},
        )

    @property
    def shell(self) -> Shell:
        return Shell.POWERSHELL if self.platforms[:1] == ("windows",) else Shell.SH

    def commands(self, shell: Shell) -> dict[str, str]:
        """The context placeholders, and ``python_call``: {python} as the first word of a line."""
        python, call = shell.quote(self.python), shell.call(self.python)
        if self.python_managers[:1] == ("uv",):
            install, uninstall = f"uv pip install --python {python}", f"uv pip uninstall --python {python}"
        else:
            override = " --break-system-packages" if self.removes_from_system else ""
            install, uninstall = f"{call} -m pip install", f"{call} -m pip uninstall -y{override}"
        return {
            "python": python,
            "python_call": call,
            "pip_install": install,
            "pip_uninstall": uninstall,
            "same_release": shell.quote(self.same_release),
            "index_option": self.index_option,
        }

    def about(self, package: str) -> _Machine:
        """The same with the release of this package that is installed, and the index that its build came from.

        Without them another release or another build would be installed.
        """
        version = self.versions.get(package, "")
        index = index_of_build(version)
        return dataclasses.replace(
            self,
            same_release=f"{package}=={version}" if version else package,
            index_option=f" --index-url {index}" if index else "",
        )


def _system_managers(os: OsFacts) -> tuple[str, ...]:
    """The system's package managers; on Ubuntu and its kin also the tool that picks the NVIDIA driver's package.

    Ubuntu has no package "nvidia-driver" as Debian has; ubuntu-drivers-common is part of its standard installation.
    """
    like = os.distribution_like or ()
    managers = os.package_managers
    if managers is None:  # a ticket: nothing could be looked up
        managers = managers_of(os.distribution or "", os.version or "", like)
    is_ubuntu = "ubuntu" in (os.distribution, *like)
    return (*managers, "ubuntu-drivers") if is_ubuntu and "apt" in managers else managers


def _plan(remedy: Remedy, values: Mapping[str, str], machine: _Machine, language: str) -> RemedyPlan | None:
    """One remedy, or None where it does not apply: a value is unknown or unfit, or no step is for this machine."""
    machine = machine.about(values.get("package_name", ""))
    values = {
        **{name: value if isinstance(value, str) else value.of(language) for name, value in remedy.default.items()},
        **{name: value for name, value in values.items() if value or name not in remedy.default},
    }
    framework = values.get(FRAMEWORK, "")
    steps = _applicable(remedy, machine, framework)
    verify = remedy.verify.code if _is_of(remedy.verify.frameworks, framework) else ""
    if not steps or not all(values.get(name) or name in CONTEXT for name in remedy.needs):
        return None
    try:
        first, steps, machine = _where_allowed(steps, machine, language)
        known = {**values, **machine.commands(machine.shell)}
        return RemedyPlan(
            id=remedy.remedy,
            title=fill_sentence(remedy.title.of(language), known),
            steps=(*first, *(_step(step, values, machine, language) for step in steps)),
            verify=PlannedVerify(
                expect=fill_sentence(remedy.verify.expect.of(language), known),
                code=machine.shell.fill(verify, values, machine.commands(machine.shell)),
                language=machine.shell.value if verify else "",
            ),
            risk=fill_sentence(remedy.risk.of(language), known) if remedy.risk else "",
            tested=remedy.tested,
        )
    except Unquotable:
        return None


def _step(step: Step, values: Mapping[str, str], machine: _Machine, language: str) -> PlannedStep:
    shell = Shell.POWERSHELL if step.platforms == ("windows",) else machine.shell
    reader = Shell.PYTHON if step.kind == "code" else shell
    commands = machine.commands(shell)
    return PlannedStep(
        kind=step.kind,
        code=reader.fill(step.code, values, commands),
        text=fill_sentence(step.text.of(language), {**values, **commands}) if step.text else "",
        language=reader.value if step.code and step.kind in {"command", "code"} else "",
        platforms=step.platforms,
        managers=step.managers,
    )


def _applicable(remedy: Remedy, machine: _Machine, framework: str = "") -> tuple[Step, ...]:
    steps = tuple(step for step in remedy.step if _is_of(step.frameworks, framework))
    return _for_managers(tuple(_for_platform(steps, machine)), machine)


def _is_of(frameworks: tuple[str, ...], framework: str) -> bool:
    """Whether something is of a framework; where that is not known, everything is shown."""
    return not framework or not frameworks or framework in frameworks


def _for_platform(steps: tuple[Step, ...], machine: _Machine) -> Iterator[Step]:
    """The steps for this platform; all of them where it is unknown.

    "linux" means every Linux unless the same remedy names the special one (a container, WSL, a Jetson) anywhere.
    """
    if not machine.platforms:
        yield from steps
        return
    named = {tag for step in steps for tag in step.platforms}
    tag = next((tag for tag in machine.platforms if tag in named), machine.platforms[-1])
    for step in steps:
        if not step.platforms or tag in step.platforms:
            yield msgspec.structs.replace(step, platforms=())


def _for_managers(steps: tuple[Step, ...], machine: _Machine) -> tuple[Step, ...]:
    """Steps for different package managers are alternatives: keep those for the best manager that is here.

    Of the system's managers the best is the one that the remedy names first; of Python's, the interpreter's own.
    Where none of those named is here, or that is unknown, all are kept with their label.
    """
    named = [name for step in steps for name in step.managers]
    system = next((name for name in named if name in machine.system_managers), None)
    python = next((name for name in machine.python_managers if name in named), None)
    kept = []
    for step in steps:
        best = python if any(name in PYTHON_MANAGERS for name in step.managers) else system
        if not step.managers or best is None:
            kept.append(step)
        elif best in step.managers:
            kept.append(msgspec.structs.replace(step, managers=()))
    return tuple(kept)


def _where_allowed(
    steps: tuple[Step, ...], machine: _Machine, language: str
) -> tuple[tuple[PlannedStep, ...], tuple[Step, ...], _Machine]:
    """The steps, what goes before them, and the Python that they are for.

    PEP 668: pip refuses to touch the system's Python, so what is installed goes into a new venv. There is nothing to
    remove from a new venv. A remedy that only removes must say that it means the system.
    """
    if not machine.is_managed_by_system:
        return (), steps, machine
    if not any("{pip_install}" in step.code for step in steps):
        return (), steps, dataclasses.replace(machine, removes_from_system=True)
    making = tuple(_step(step, {}, machine, language) for step in _applicable(remedy_of(_VENV_FIRST), machine))
    kept = tuple(step for step in steps if "{pip_uninstall}" not in step.code or "{pip_install}" in step.code)
    inside = r".venv\Scripts\python.exe" if machine.shell is Shell.POWERSHELL else ".venv/bin/python"
    return making, kept, dataclasses.replace(machine, python=inside)

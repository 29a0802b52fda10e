"""From a finding to what its user can paste: the remedies of the catalogue, for this machine and this interpreter.

Values come from a machine that is not trusted: a folder may be called ``$(reboot)``, and a package be an address. So
every value that enters a command meets the grammar of its kind (checks/remedies/values.py) and is quoted for the shell
that reads it. A step whose value does neither is a sentence that shows it, without a command.
"""

from __future__ import annotations

import contextlib
import dataclasses
import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import msgspec

from checks.analysis.failures.owners import module_of_file
from checks.facts import Facts, Mending, OsFacts, Proof, Resolution, SettingPlace
from checks.facts.finding import FAILED_RUN, FRAMEWORK, LOCAL_PROGRAM, Finding
from checks.facts.phrase import Phrase
from checks.facts.remedies.mendings import mending_of
from checks.facts.remedies.proofs import ProofResult, proof_of
from checks.facts.remedies.resolutions import resolution_of
from checks.knowledge.catalogue import Remedy, Step, remedy_of
from checks.knowledge.commands.placeholders import kinds
from checks.knowledge.frameworks.torch import index_of_build
from checks.knowledge.packages.package_managers import managers_of
from checks.knowledge.phrases import in_language, phrase, words_of
from checks.knowledge.templates import fill_sentence, placeholders
from checks.readers.tickets.named_frameworks import named_frameworks
from checks.remedies.installers import Installer
from checks.remedies.shell import Shell, Unquotable
from checks.remedies.values import Origin, quoted
from checks.remedies.vendors import fitting_remedies

log = logging.getLogger(__name__)

PYTHON_MANAGERS = ("pip", "conda", "mamba", "pixi", "uv", "poetry", "pdm", "pipx")
# Placeholders that every remedy may use. same_release and index_option are about the package that the finding names:
# the same release again ("torch==2.6.0"), and the index of its build; the last two: what is there ("tensorflow-cpu").
_INSTALLED = ("installed_tensorflow", "installed_onnxruntime")
CONTEXT = ("python", "pip_install", "pip_uninstall", "same_release", "index_option", *_INSTALLED)

OWN_SCRIPT = "own_script"  # what stands for the file that starts the user's program

_PIP = frozenset({"pip_install", "pip_uninstall"})
_OURS = _PIP | {"index_option", *_INSTALLED}  # what no stranger has a say in
_OF_PACKAGES = ("package_name", "requirement")  # values by the name of a distribution that a sibling may stand for
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
    proof: Proof | None = None  # what came of trying it here
    resolution: Resolution | None = None  # what the package index says about it
    mending: Mending | None = None  # what came of carrying it out in the user's own environment
    settings: tuple[SettingPlace, ...] = ()  # where the variables are set that it changes


def plan_remedies(finding: Finding, facts: Facts, language: str) -> tuple[RemedyPlan, ...]:
    """The remedies of a finding that can be carried out on this machine, the best first, in "en" or "ja".

    What was seen to mend it here comes before what nobody tried, and that before what does not resolve or was seen not
    to mend it.

    A remedy with a mistake of ours in it (no file, a value that nobody gives) is logged and left out: one broken
    remedy must not hide the report.

    Raises:
        KeyError: the cause is not in the catalogue.
    """
    machine = _Machine.of(facts)
    plans = []
    for remedy in fitting_remedies(finding, facts):
        try:
            values = {LOCAL_PROGRAM: machine.program, OWN_SCRIPT: machine.script, **words_of(finding, language)}
            plan = _plan(remedy_of(remedy), values, machine, language)
        except KeyError:
            log.exception("remedy %s of %s", remedy, finding.cause)
        else:
            plans += [_repeating(plan, finding, facts)] if plan is not None else []
    offered = {plan.id for plan in plans}
    kept = [plan for plan in plans if remedy_of(plan.id).instead_of not in offered]
    known = tuple(_with_proof(plan, finding, facts) for plan in kept)
    has_better = any(plan.resolution and plan.resolution.is_clean for plan in known)
    return tuple(
        sorted(known, key=lambda plan: (_rank(plan, has_better=has_better), _is_for_other_environments(plan, machine)))
    )


def _repeating(plan: RemedyPlan, finding: Finding, facts: Facts) -> RemedyPlan:
    """The plan with what failed as its check, where it has no command of its own: only what failed tells."""
    wanted = finding.values.get(FAILED_RUN)
    run = next((run for run in facts.runs if run.failed and wanted and run.label == wanted), None)
    if run is None or plan.verify.code or not facts.here or not facts.target:  # a stranger chooses no command
        return plan
    shell = _Machine.of(facts).shell
    words = (facts.target, "-c", run.statement) if run.statement and not run.started else run.started or run.command
    with contextlib.suppress(Unquotable, ValueError):
        first, *rest = words
        code = " ".join((shell.call(first), *map(shell.quote, rest)))
        verify = msgspec.structs.replace(plan.verify, code=code, language=shell.value)
        return msgspec.structs.replace(plan, verify=verify)
    return plan


def _with_proof(plan: RemedyPlan, finding: Finding, facts: Facts) -> RemedyPlan:
    settings = tuple(place for place in facts.settings if place.remedy == plan.id)
    if settings and facts.here:  # a stranger's report chooses no line that is written
        plan = msgspec.structs.replace(plan, settings=settings)
    mending = mending_of(facts.mendings, finding.cause, finding.subject, plan.id)
    if mending is not None and not facts.here:  # there is nothing to undo on this machine
        mending = msgspec.structs.replace(mending, id="", commands=())
    if mending is not None:
        plan = msgspec.structs.replace(plan, mending=mending)
    proof = proof_of(facts.proofs, finding.cause, finding.subject, plan.id)
    if proof is not None and not facts.here:  # a stranger's report chooses no command that is pasted
        proof = msgspec.structs.replace(proof, commands=(), releases=())
    resolution = resolution_of(facts.resolutions, finding.cause, finding.subject, plan.id)
    return msgspec.structs.replace(plan, proof=proof, resolution=resolution)


def _rank(plan: RemedyPlan, *, has_better: bool) -> int:
    """``has_better``: another remedy resolves and lets every package keep what it requires."""
    proof, resolution = plan.proof, plan.resolution
    if proof is not None and (proof.helped or proof.refuted):
        return 0 if proof.mended else 1 if proof.helped else 6
    if proof is not None and proof.result == ProofResult.OTHER_FAILURE and not proof.of_gpu:
        return 2
    if resolution is not None and resolution.failed:
        return 5
    return 4 if has_better and resolution is not None and resolution.conflicts else 3


def _is_for_other_environments(plan: RemedyPlan, machine: _Machine) -> bool:
    """Whether all of its commands are for installers of Python that did not make this environment."""
    commands = [step for step in plan.steps if step.kind == "command"]
    others = (step.managers and set(step.managers) <= set(PYTHON_MANAGERS) for step in commands)
    return bool(machine.python_managers and commands) and all(others)


def installing(package: str, facts: Facts) -> tuple[str, ...]:
    """The lines that install a package into the target; () where there is none, or they cannot be written safely."""
    if not facts.target:
        return ()
    step = Step(kind="command", code="{pip_install} {requirement}")
    first, steps, machine = _where_allowed((step,), _Machine.of(facts), "en")
    filled = (*first, *(_step(step, {"requirement": package}, machine, "en") for step in steps))
    codes = tuple(option.code for option in filled if option.managers[:1] in ((), ("pip",)))
    return codes if all(codes) else ()


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
    origin: Origin
    installer: Installer
    is_new: bool = False  # the Python is of an environment that an earlier step makes
    removes_from_system: bool = False
    same_release: str = ""  # of the package that a remedy is about
    index_option: str = ""  # of the same
    program: str = ""  # with a runtime of its own that a text is about
    named: frozenset[str] = frozenset()  # the frameworks that a text is about; none = any
    script: str = ""  # the file with which the user's program that failed here starts

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
            origin=Origin.of(facts),
            installer=Installer.of(interpreter),
            program=told[0].name if facts.reported and len(told := facts.local_programs or ()) == 1 else "",
            script=_script(facts),
            named=named_frameworks(facts) if facts.reported else frozenset(),
        )

    @property
    def shell(self) -> Shell:
        return Shell.POWERSHELL if self.platforms[:1] == ("windows",) else Shell.SH

    def commands(self, shell: Shell) -> dict[str, str]:
        """The context placeholders, and ``python_call``: {python} as the first word of a line.

        Raises:
            Unquotable: the interpreter or the release cannot be quoted.
        """
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
            "installed_tensorflow": self.installer.here("tensorflow"),
            "installed_onnxruntime": self.installer.here("onnxruntime"),
        }

    def shown(self, values: Mapping[str, str], shell: Shell) -> dict[str, str]:
        """All values as sentences show them: in quotation marks where they may not stand in a command."""
        is_fit = not any(self.origin.refusal(name, value) for name, value in self.own.items())
        try:
            commands = self.commands(shell) if is_fit else {}
        except Unquotable:
            commands = {}
        if not commands:
            commands = dataclasses.replace(self, python="python", same_release="").commands(shell)
        named = {
            name: quoted(value) if name in kinds() and value and self.origin.refusal(name, value) else value
            for name, value in values.items()
        }
        return {**named, **commands}

    @property
    def own(self) -> dict[str, str]:
        """The typed placeholders that the machine gives."""
        python = "python" if self.is_new else self.python
        return {"python": python, **({"same_release": self.same_release} if self.same_release else {})}

    def asked(self, template: str, values: Mapping[str, str]) -> dict[str, str]:
        """The typed placeholders of a template and their values; a call of pip names the interpreter.

        Raises:
            KeyError: it names something that is not there.
        """
        names = placeholders(template)
        calls = {"python"} if names & _PIP else set()
        given = {**values, **self.own}
        return {name: given[name] for name in sorted((names | calls) - _OURS)}

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


def _script(facts: Facts) -> str:
    """The file that a Python of this machine was seen to start with before it failed; never one of a stranger's report.

    What was started as ``python -m name`` has none: it does not begin in a file of its own.
    """
    for run in facts.runs if facts.here else ():
        frames = run.raised.frames if run.raised is not None and not run.statement else ()
        if frames and frames[0].function == "<module>" and frames[0].file.endswith(".py"):
            return "" if module_of_file(frames[0].file) else frames[0].file
    return ""


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
    values = {
        name: " ".join(map(machine.installer.here, value.split())) if name in _OF_PACKAGES else value
        for name, value in values.items()
    }
    machine = machine.about(values.get("package_name", ""))
    values = {
        **{name: value if isinstance(value, str) else value.of(language) for name, value in remedy.default.items()},
        **{name: value for name, value in values.items() if value or name not in remedy.default},
    }
    framework = values.get(FRAMEWORK, "")
    steps = _applicable(remedy, machine, framework, values.get(LOCAL_PROGRAM, ""))
    is_verified = _is_of(remedy.verify.frameworks, framework) and (
        framework or _is_of_these(remedy.verify.frameworks, machine.named)
    )
    verify = remedy.verify.code if is_verified else ""
    if not steps or not all(values.get(name) or name in CONTEXT for name in remedy.needs):
        return None
    first, steps, machine = _where_allowed(steps, machine, language)
    shell = machine.shell
    code = _code(verify, shell, values, machine)
    known = machine.shown(values, shell)
    risk = fill_sentence(remedy.risk.of(language), known) if remedy.risk else ""
    return RemedyPlan(
        id=remedy.remedy,
        title=fill_sentence(remedy.title.of(language), known),
        steps=tuple(dict.fromkeys((*first, *(_step(step, values, machine, language) for step in steps)))),
        verify=PlannedVerify(
            expect=fill_sentence(remedy.verify.expect.of(language), known),
            code=code,
            language=shell.value if code else "",
        ),
        risk=" ".join(filter(None, (risk, _not_lasting(steps, machine, language)))),
        tested=remedy.tested,
    )


def _not_lasting(steps: tuple[Step, ...], machine: _Machine, language: str) -> str:
    """What will undo a change of the packages, and how it lasts; "" where it lasts by itself."""
    keeper = machine.installer.keeper
    is_change = not machine.is_new and any(_PIP.intersection(placeholders(step.code)) for step in steps)
    return in_language(phrase(f"undone-by-{keeper}"), language) if keeper and is_change else ""


def _step(step: Step, values: Mapping[str, str], machine: _Machine, language: str) -> PlannedStep:
    shell = Shell.POWERSHELL if step.platforms == ("windows",) else machine.shell
    reader = Shell.PYTHON if step.kind == "code" else shell
    code = _code(step.code, reader, values, machine)
    text = step.text.of(language) if step.text else ""
    text = fill_sentence(text, machine.shown(values, shell))
    if step.code and not code:
        refused = in_language(_refused(step.code, values, machine), language)
        text = " ".join(filter(None, (refused, text)))
    return PlannedStep(
        kind=step.kind if code or not step.code else "manual",
        code=code,
        text=text,
        language=reader.value if code and step.kind in {"command", "code"} else "",
        platforms=step.platforms,
        managers=step.managers,
    )


def _code(template: str, reader: Shell, values: Mapping[str, str], machine: _Machine) -> str:
    """What is to be pasted; "" where one of its values may not stand in it."""
    if any(machine.origin.refusal(name, value) for name, value in machine.asked(template, values).items()):
        return ""
    try:
        has_own = placeholders(template).intersection(CONTEXT)
        commands = machine.commands(reader) if has_own else {}
        code = reader.fill(template, values, commands)
        if _PIP.intersection(placeholders(template)) and not machine.is_new:
            return machine.installer.in_its_words(code, commands, reader)
        return machine.installer.with_prefix(code, reader)
    except Unquotable:
        return ""


def _refused(template: str, values: Mapping[str, str], machine: _Machine) -> Phrase:
    """Why there is no command."""
    asked = machine.asked(template, values)
    why = {name: machine.origin.refusal(name, value) for name, value in asked.items()}
    name = min(why, key=lambda name: not why[name])
    return phrase(why[name] or "value-unfit", value=quoted(asked[name]))


def _applicable(remedy: Remedy, machine: _Machine, framework: str = "", program: str = "") -> tuple[Step, ...]:
    fits = (step for step in remedy.step if _is_of(step.programs, program))
    steps = tuple(step for step in fits if _is_of(step.frameworks, framework))
    named = steps if framework else tuple(step for step in steps if _is_of_these(step.frameworks, machine.named))
    steps = named if any(step.kind != "manual" or step.frameworks for step in named) else steps
    return _for_managers(tuple(_for_platform(steps, machine)), machine)


def _is_of(frameworks: tuple[str, ...], framework: str) -> bool:
    """Whether something is of a framework or program; where that is not known, everything is shown."""
    return not framework or not frameworks or framework in frameworks


def _is_of_these(frameworks: tuple[str, ...], named: frozenset[str]) -> bool:
    """Whether something is of one of the frameworks that a text names; where it names none, everything is shown."""
    return not frameworks or not named or bool(named.intersection(frameworks))


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
    return making, kept, dataclasses.replace(machine, python=inside, is_new=True)

"""A variable has a value that its reader refuses or passes over, or asks for what is not there.

Detects:      values against the table of what each release accepts; what frameworks, Python, the loader and the OpenMP
              runtime say of a value that they refuse; the same in Keras's settings file; a variable whose whole value
              stands in the exception that ended the user's program.
Why it bites: the variable is set somewhere else and forgotten; the program itself did not change.
Blind spots:  a variable that the program sets itself, or that only a service or a scheduler sets; a valid value that
              is not what the user wants; variables without a row. PYTHONPATH is library-path-conflict's.
Knowledge:    resources/knowledge/packages/variable_values.toml, resources/knowledge/errors/import_errors.toml
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import msgspec

from checks.analysis.failures.absent import absences, own_module_of
from checks.analysis.failures.texts import all_texts
from checks.causes.registry import check
from checks.facts import (
    EnvironmentVariables,
    Facts,
    Frameworks,
    InterpreterFacts,
    Package,
    ProbeRuns,
    ProgramRun,
    ProgramRuns,
)
from checks.facts.finding import FAILED_RUN, Evidence, Finding, Severity, Unread
from checks.facts.phrase import Phrase
from checks.facts.quotation import quotation
from checks.knowledge.errors.import_errors import Recognised, recognise
from checks.knowledge.packages.ai_packages import framework_of_package
from checks.knowledge.packages.variable_values import KERAS_FILE, Variable, VariableValues, row_of, rows_of
from checks.knowledge.phrases import phrase

CAUSE = "environment-variable-invalid"
QUOTED = 0.75  # the value stands in the error; that it came from the variable is likely, and quickly tried
SEEN, LIKELY, UNSEEN = 0.97, 0.85, 0.7  # its reader said so; nothing was tried; it is read later than what was tried
VALUE_SHOWN = 200
SAFE_PATH = "PYTHONSAFEPATH"
_LOCALE = ("LC_ALL", "LC_CTYPE", "LANG")  # the first that is set decides (POSIX.1-2017, 8.2)
_ALWAYS_THERE = ("C", "POSIX")
_NAMES_LOCALE = re.compile(r"""setlocale\([^)]*,\s*\w?["'][^"']""")


@dataclass(frozen=True)
class _Told:
    """What a program said of a variable."""

    found: Recognised
    origin: str
    is_fatal: bool = True


@check(CAUSE)
def environment_variable_invalid(
    environment: EnvironmentVariables | None,
    interpreter: InterpreterFacts | None,
    frameworks: Frameworks | None,
    probes: ProbeRuns | None,
    runs: ProgramRuns | None,
    facts: Facts | None = None,
) -> Iterator[Finding]:
    """One finding per variable."""
    if environment is None and frameworks is None and probes is None and runs is None:
        raise Unread("variable")
    values = _values(environment)
    installed = (interpreter.packages or ()) if interpreter else ()
    told = _told(values, frameworks, probes, runs)
    failed = tuple(runs.failed()) if runs else ()
    for name, words in told.items():
        finding = _of_words(name, values, words, installed)
        ended = next((run for run in failed if words.found.line in run.errors), None)
        yield msgspec.structs.replace(finding, values={**finding.values, FAILED_RUN: ended.label}) if ended else finding
    quoted = {name: (value, run) for run in failed for name, value in run.quoted_variables.items()}
    for name, (value, run) in quoted.items():
        if name not in told:
            yield _of_quoted(name, value, run, installed)
    yield from _of_own_modules(environment, frameworks, probes, runs, facts)
    yield from _of_locale(values, failed, installed)
    for name, value in values.items():
        if name not in told and name not in quoted:
            yield from _of_table(name, value, installed, frameworks, probes)


def keeps_own_modules(environment: EnvironmentVariables | None) -> bool:
    """Whether Python does not look into the folder of the program."""
    return environment is not None and bool(environment.values.get(SAFE_PATH))


def _of_own_modules(
    environment: EnvironmentVariables | None,
    frameworks: Frameworks | None,
    probes: ProbeRuns | None,
    runs: ProgramRuns | None,
    facts: Facts | None,
) -> Iterator[Finding]:
    """PYTHONSAFEPATH, where the program lacks a module that lies in its own folder."""
    if environment is None or not keeps_own_modules(environment):
        return
    for absent in absences(None, frameworks, probes, runs):
        own = own_module_of(absent, facts)
        if own is not None and own.is_beside_program:
            clue = Evidence("clue", absent.line, absent.trouble.origin)
            value = environment.values[SAFE_PATH]
            finding = _finding(SAFE_PATH, value, None, None, Severity.BLOCKING, SEEN, clue, state="keeps-own")
            yield msgspec.structs.replace(finding, values={**finding.values, **absent.trouble.failed_run})
            return


def _of_locale(
    values: Mapping[str, str], failed: tuple[ProgramRun, ...], installed: tuple[Package, ...]
) -> Iterator[Finding]:
    """The variable that names a locale that this system does not have; not one that the program itself names."""
    name = next((name for name in _LOCALE if values.get(name)), "")
    if not name or values[name].partition(".")[0] in _ALWAYS_THERE:
        return
    for run in failed:
        raised = run.raised
        if raised is None or not raised.type.endswith("locale.Error"):
            continue
        if not any(_NAMES_LOCALE.search(frame.code) for frame in raised.frames):
            yield _of_quoted(name, values[name], run, installed, state="locale")
            return


def is_refused_in(text: str, environment: EnvironmentVariables | None) -> bool:
    """Whether the words with which a process ended say that it refuses a variable of this environment."""
    words = recognise(text)
    return words is not None and words.row.cause == CAUSE and bool(_named(words, _values(environment)))


def is_quoted(finding: Finding) -> bool:
    """Whether all that speaks for it is that an error names the variable's value."""
    state = finding.values.get("state")
    return finding.cause == CAUSE and isinstance(state, Phrase) and state.key == "variable-quoted"


def _values(environment: EnvironmentVariables | None) -> dict[str, str]:
    """The variables, and what Keras's settings file says."""
    if environment is None:
        return {}
    file = {KERAS_FILE + name: value for name, value in (environment.keras or {}).items()}
    if environment.values.get("KERAS_BACKEND"):  # goes before the file
        file.pop(f"{KERAS_FILE}backend", None)
    return {**environment.values, **file}


# --- what somebody said of it ------------------------------------------------------------------------------------


def _told(
    values: Mapping[str, str], frameworks: Frameworks | None, probes: ProbeRuns | None, runs: ProgramRuns | None
) -> dict[str, _Told]:
    """Variable -> the words that name it. Where the variables are known, it must be set, and to that value."""
    found: dict[str, _Told] = {}
    for text, origin, is_fatal in all_texts(frameworks, probes, runs):
        words = recognise(text)
        if words is None or words.row.cause != CAUSE:
            continue
        name = _named(words, values)
        if name and name not in found:
            found[name] = _Told(words, origin, is_fatal)
    return found


def _named(words: Recognised, values: Mapping[str, str]) -> str:
    """The variable that the words are about; "" where it is another one, or not the reason."""
    group = words.groups.get("variable", "")
    names = (group.upper() if group.islower() else group,) if group else words.row.variables
    said = words.groups.get("variable_value", "").strip().lower()
    if not values:
        return names[0] if len(names) == 1 else ""
    return next((name for name in names if name in values and said in values[name].lower()), "")


def _of_words(name: str, values: Mapping[str, str], told: _Told, installed: tuple[Package, ...]) -> Finding:
    row, reader = row_of(name, installed) or (next(iter(rows_of(name)), None), None)
    value = values.get(name, told.found.groups.get("variable_value", ""))
    severity = Severity.NOTE if row and not row.is_refused else Severity.BLOCKING if told.is_fatal else Severity.WARNING
    clue = Evidence("clue", quotation(told.found.line), told.origin, told.found.row.sources[0])
    return _finding(name, value, row, reader, severity, SEEN, clue, fit=told.found.row.fit)


def _of_quoted(
    name: str, value: str, run: ProgramRun, installed: tuple[Package, ...], state: str = "quoted"
) -> Finding:
    row, reader = row_of(name, installed) or (None, None)
    severity = Severity.WARNING if run.is_unasked else Severity.BLOCKING
    words = f"{run.raised.type}: {run.raised.message}" if run.raised else ""
    finding = _finding(
        name, value, row, reader, severity, QUOTED, Evidence("clue", quotation(words), run.origin), state=state
    )
    return msgspec.structs.replace(finding, values={**finding.values, FAILED_RUN: run.label})


# --- what the table says of it -----------------------------------------------------------------------------------


def _of_table(
    name: str,
    value: str,
    installed: tuple[Package, ...],
    frameworks: Frameworks | None,
    probes: ProbeRuns | None,
) -> Iterator[Finding]:
    found = row_of(name, installed)
    if found is None:
        return
    row, reader = found
    need = row.missing(value, (package.name for package in installed), reader.version if reader else "")
    if need is None and row.accepts(value):
        return
    if need is not None and name.startswith(KERAS_FILE) and row.lacks_all(package.name for package in installed):
        return  # Keras writes the file itself: with no backend at all, its value is not what is wrong
    if not row.is_refused:
        yield _finding(name, value, row, reader, Severity.NOTE, SEEN)
        return
    worked = _worked(row, reader, frameworks, probes)
    if worked and row.when != "use":  # its reader went past the place where it would have refused it
        return
    broke = worked is False
    severity = (
        Severity.BLOCKING if broke or (worked is None and (need is None or row.when != "use")) else Severity.WARNING
    )
    confidence = SEEN if broke else UNSEEN if row.when == "use" or worked else LIKELY
    lack = need.requirement if need else ""
    yield _finding(name, value, row, reader, severity, confidence, requirement=lack, is_lack=need is not None)


def _worked(
    row: Variable, reader: Package | None, frameworks: Frameworks | None, probes: ProbeRuns | None
) -> bool | None:
    """Whether what reads it was seen to start, or seen to fail; None: it was not tried."""
    if row.when == "start":
        asked = [run for run in (probes.runs if probes else ()) if run.probe not in ("machine", "nvidia")]
        return any(run.stages for run in asked) if asked else None
    framework = framework_of_package().get(reader.name) if reader else None
    facts = dict(frameworks.each()).get(framework or "") if frameworks else None
    if facts is None:
        return None
    if row.when == "use" and facts.imported:
        return False if "devices" in facts.unread else None
    return facts.imported


def _finding(
    name: str,
    value: str,
    row: Variable | None,
    reader: Package | None,
    severity: Severity,
    confidence: float,
    *clues: Evidence,
    requirement: str = "",
    is_lack: bool = False,
    state: str = "",
    fit: str = "",
) -> Finding:
    in_file = name.startswith(KERAS_FILE)
    nearest = fit or (row.nearest(value) if row and not is_lack else "")
    kind = state or "lacks" if is_lack or state else "ignored" if row and not row.is_refused else "refused"
    by = f"{reader.name} {reader.version}" if reader else ""
    return Finding(
        severity=severity,
        confidence=confidence,
        subject=name,
        evidence=(
            Evidence("variable", name, "environment"),
            Evidence("variable_value", f'"{value[:VALUE_SHOWN]}"', "environment"),
            *((Evidence("package", by, reader.location or ""),) if reader else ()),
            *((Evidence("accepted_values", row.shown, VariableValues.read().title, row.source),) if row else ()),
            *clues,
        ),
        values={
            "state": phrase(f"variable-{kind}"),
            **({"requirement": requirement} if requirement else {}),
            **({"variable_fit": nearest} if nearest else {}),
        },
        remedies=_remedies(in_file=in_file, is_near=bool(nearest), is_lack=bool(requirement)),
    )


def _remedies(*, in_file: bool, is_near: bool, is_lack: bool) -> tuple[str, ...]:
    if in_file:
        return ("edit-keras-settings", *(("install-required-version",) if is_lack else ()))
    set_it = ("set-environment-variable",) if is_near else ()
    return (*set_it, "unset-environment-variable", *(("install-required-version",) if is_lack else ()))

"""Model files in words: one line for the table, and a page per file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from checks.analysis.models.refused_inputs import in_a_line
from checks.analysis.models.torch import name_in_words
from checks.facts import Binding, Facts, ModelFacts, ModelRun, NeededFile, OperatorUse, ProviderShare
from checks.facts.case import Case
from checks.facts.finding import Finding
from checks.facts.models.verdicts import ModelVerdict, Outcome
from checks.judgement.models.standing import PerModel, Standing
from checks.knowledge.formats.model_formats import model_format
from checks.knowledge.phrases import in_language, title_of
from checks.remedies.plan import installing
from checks.remedies.runtime_package import package_for
from wizard.report.content.blocks import SYMBOLS, FactRow, Row
from wizard.report.content.fact_sheet import FactSection, label, size
from wizard.report.content.measured.words import percent
from wizard.report.content.models.exports import export_sections
from wizard.report.content.models.reasons import reason_of
from wizard.report.content.models.words import detail_in_words, format_in_words, version_in_words
from wizard.words import known, words

_MOST = 12  # operators, inputs, classes, files that are named; the JSON holds all of them
_STATES = {
    Outcome.RUNS: "clear",
    Outcome.LOADS: "clear",
    Outcome.SHOULD_RUN: "clear",
    Outcome.RUNS_WITH_FALLBACK: "warning",
    Outcome.DOES_NOT_RUN: "blocking",
    Outcome.UNKNOWN: "open",
    Outcome.NOT_INSTALLED: "absent",
}
_LONGEST_LOG = 2000  # characters
_TENTH = 0.1  # of a millisecond
STATES = {
    Standing.RUNS_CODE: "blocking",
    Standing.UNREADABLE: "blocking",
    Standing.DOES_NOT_RUN: "blocking",
    Standing.ATTENTION: "warning",
    Standing.NO_PROGRAM: "open",
    Standing.UNKNOWN: "open",
    Standing.READ: "note",
    Standing.SHOULD_RUN: "clear",
    Standing.RUNS: "clear",
}


@dataclass(frozen=True)
class ModelView:
    """One model file in words. ``state``: "blocking", "warning", "clear" or "note", as ``word`` says."""

    path: str
    name: str
    format: str
    version: str
    writer: str
    size: str
    dependence: str
    state: str
    symbol: str
    word: str
    problem: str
    runs_code: bool  # loading it runs code that it may hold
    install: str  # how to get a program that reads it, where none is there
    verdicts: tuple[Row, ...]  # a runtime, whether it can run the file, and why
    sections: tuple[FactSection, ...]


def model_views(case: Case, language: str) -> tuple[ModelView, ...]:
    """All model files of a case, the worst first; equally good ones in the order in which they were given."""
    names = names_of(case.facts.models)
    per_model = PerModel.of(case.findings, case.verdicts)
    standings = [(per_model.standing(given), given) for given in case.facts.models]
    ordered = sorted(standings, key=lambda pair: list(Standing).index(pair[0]))
    return tuple(
        _view(model, names[model.path], standing, per_model, case.facts, language) for standing, model in ordered
    )


def table_notes(models: Sequence[ModelView], language: str) -> Iterator[str]:
    """The notes under the table of several files: what a column means, and what the page of a file warns of."""
    yield words("models.note-bound", language)
    risky = [model.name for model in models if model.runs_code]
    if risky:
        yield words("models.note-runs-code", language, files=_listed(_most(risky, language), language))
    to_install: dict[str, list[str]] = {}
    for model in models:
        if model.install:
            to_install.setdefault(model.install, []).append(model.name)
    for how, names in to_install.items():
        yield words("models.note-install", language, files=_listed(_most(names, language), language), how=how)


def names_of(models: Sequence[ModelFacts]) -> dict[str, str]:
    """Path -> the name to show: of several files with one name as much of the path as tells them apart."""
    shown: dict[str, str] = {}
    waiting = {model.path: model.path.replace("\\", "/").rstrip("/").split("/") for model in models}
    depth = 1
    while waiting and depth <= max(map(len, waiting.values())):
        tails = {path: "/".join(parts[-depth:]) for path, parts in waiting.items()}
        times = Counter(tails.values())
        shown |= {path: tail for path, tail in tails.items() if times[tail] == 1}
        waiting = {path: parts for path, parts in waiting.items() if times[tails[path]] > 1}
        depth += 1
    return {model.path: shown.get(model.path, model.path) for model in models}


def _view(
    model: ModelFacts, name: str, standing: Standing, per_model: PerModel, facts: Facts, language: str
) -> ModelView:
    verdicts = _verdicts(per_model, model, facts, language)
    state = STATES[standing]
    row = model_format(model.format) if model.format else None
    dependence = known(f"models.dependence-{model.dependence}", model.dependence or "", language)
    return ModelView(
        path=model.path,
        name=name,
        format=format_in_words(model.format, language),
        version=version_in_words(model.version or "", language),
        writer=" ".join(filter(None, (model.producer, model.producer_version))),
        size="" if model.size is None else size(model.size, language),
        dependence=dependence,
        state=state,
        symbol=SYMBOLS[state],
        word=_word(standing, verdicts, language),
        problem=_problem(model, language),
        runs_code=row is not None and row.runs_code == "yes",
        install="".join(verdict.cells[2] for verdict in verdicts) if standing is Standing.NO_PROGRAM else "",
        verdicts=verdicts,
        sections=tuple(part for part in _sections(model, dependence, language) if part.rows),
    )


def _problem(model: ModelFacts, language: str) -> str:
    if not model.problem:
        return ""
    text = known(f"models.problem-{model.problem}", model.problem, language)
    detail = model.problem_detail
    return words("report.with-detail", language, text=text.rstrip(".。"), detail=detail) if detail else text


def _word(standing: Standing, verdicts: Sequence[Row], language: str) -> str:
    """The verdict in the table: what the best program makes of it, else what can be said without one."""
    decided = [verdict for verdict in verdicts if verdict.state != "absent"]
    wanted = ("clear", "warning", "blocking", "open")
    best = next((verdict for state in wanted for verdict in decided if verdict.state == state), None)
    if best is None or standing in (Standing.RUNS_CODE, Standing.UNREADABLE):
        return words(f"models.standing-{standing.value}", language)
    key = "word-runtime-but" if standing is Standing.ATTENTION and best.state == "clear" else "word-runtime"
    return words(f"models.{key}", language, runtime=best.cells[0], word=best.cells[1])


def _install(model: ModelFacts, absent: Sequence[str], facts: Facts, language: str) -> str:
    """The command by which the target gets a program that reads the file; "" where none is a Python package."""
    package = package_for(model, absent)
    lines = installing(package, facts) if package else ()
    command = words("models.install-then", language).join(lines)
    return words("models.install", language, command=command) if lines else ""


def _verdicts(per_model: PerModel, model: ModelFacts, facts: Facts, language: str) -> tuple[Row, ...]:
    """A row per program; those that are not there share one."""
    verdicts, findings = per_model.verdicts.get(model.path, ()), per_model.findings.get(model.path, ())
    there = [
        _verdict(verdict, findings, language) for verdict in verdicts if verdict.outcome is not Outcome.NOT_INSTALLED
    ]
    missing = [verdict.runtime for verdict in verdicts if verdict.outcome is Outcome.NOT_INSTALLED]
    absent = [label(runtime, language) for runtime in missing]
    if absent:
        word = words(f"models.outcome-{Outcome.NOT_INSTALLED.value}", language)
        how = "" if there else _install(model, missing, facts, language)
        there.append(Row((_listed(absent, language), word, how), "absent"))
    return tuple(there)


def _verdict(verdict: ModelVerdict, findings: Sequence[Finding], language: str) -> Row:
    name = " ".join(filter(None, (label(verdict.runtime, language), verdict.version)))
    word = words(f"models.outcome-{verdict.outcome.value}", language)
    return Row((name, word, _because(verdict, findings, language)), _STATES[verdict.outcome])


def _because(verdict: ModelVerdict, findings: Sequence[Finding], language: str) -> str:
    """Why: the cause by its title, the runtime's own error, or which provider took how much."""
    parts = []
    if verdict.cause:
        finding = next((finding for finding in findings if finding.cause == verdict.cause), None)
        parts.append(title_of(finding or verdict.cause, language))
    if verdict.reason:
        parts.append(reason_of(verdict, language))
    total = sum(share.seconds or 0.0 for share in verdict.shares)
    parts += [_share(share, total, language) for share in verdict.shares]
    if verdict.error:
        parts.append(verdict.error)
    return words("report.list-separator", language).join(parts)


def _share(share: ProviderShare, total: float, language: str) -> str:
    nodes = words("models.nodes", language, count=sum(share.operators.values()))
    part = f" {_percent(share.seconds / total)}" if share.seconds is not None and total else ""
    return words("models.share", language, provider=share.provider, part=part, nodes=nodes)


# --- the page of one file --------------------------------------------------------------------------------------------


def _sections(model: ModelFacts, dependence: str, language: str) -> Iterator[FactSection]:
    def section(key: str, rows: Iterator[FactRow]) -> FactSection:
        return FactSection(words(f"models.section-{key}", language), tuple(rows))

    yield section("file", _file_rows(model, language))
    yield section("needs", _need_rows(model, dependence, language))
    yield section("interface", _interface_rows(model, language))
    yield section("inside", _inside_rows(model, language))
    yield section("details", (_detail(key, text, language) for key, text in model.details.items()))
    for run in model.runs:
        yield FactSection(
            words("models.section-run", language, runtime=_runtime(run, language)), tuple(_run_rows(run, language))
        )
    yield from export_sections(model, language)


def _detail(key: str, value: str, language: str) -> FactRow:
    return FactRow(known(f"models.detail-{key}", key, language), detail_in_words(value, language))


def _file_rows(model: ModelFacts, language: str) -> Iterator[FactRow]:
    yield _row("path", model.path, language)
    number = version_in_words(model.version or "", language)
    version = words("models.version", language, version=number) if number else ""
    yield _row("format", " · ".join(filter(None, (format_in_words(model.format, language), version))), language)
    writer = " ".join(filter(None, (model.producer, model.producer_version)))
    if writer:
        yield _row("writer", writer, language)
    if model.package is not None:
        yield _row("package", f"{model.package.name} {model.package.version}", language)
    if model.size is not None:
        yield _row("size", size(model.size, language), language)


def _need_rows(model: ModelFacts, dependence: str, language: str) -> Iterator[FactRow]:
    needs = model.needs
    row = model_format(model.format) if model.format else None
    if dependence:
        bound = _listed((_bound(binding, language) for binding in model.bound_to), language)
        is_copied_in_vain = row is not None and row.group == "free" and model.dependence == "high"
        kind = "copied" if is_copied_in_vain else row.group if row else ""
        group = words(f"models.group-{kind}", language) if kind else ""
        word = words("report.list-separator", language).join(filter(None, (dependence, group)))
        key = "models.dependence-on" if bound else "models.dependence-none"
        yield _row("dependence", words(key, language, word=word, bound=bound), language)
    if needs.frameworks:
        yield _row("frameworks", _listed(needs.frameworks, language), language)
    if needs.opsets:
        opsets = (f"{domain or 'ai.onnx'} {version}" for domain, version in needs.opsets.items())
        yield _row("opsets", _listed(opsets, language), language)
    if needs.devices:
        yield _row("devices", _listed(needs.devices, language), language)
    if needs.systems:
        yield _row("systems", _listed((f"{name} {least}" for name, least in needs.systems.items()), language), language)
    if needs.files:
        yield _row("files", _listed(_files(needs.files, language), language), language)
    if needs.memory is not None:
        yield _row("memory", size(needs.memory, language), language)
    is_dangerous = any(found.risk == "dangerous" for found in needs.classes or ())
    if row is not None and not (row.runs_code == "no" and is_dangerous):  # of which the names below tell
        yield _row("runs-code", words(f"models.runs-code-{row.runs_code}", language), language)
    for risk in ("dangerous", "unknown"):
        classes = [
            in_language(name_in_words(found.name), language) for found in needs.classes or () if found.risk == risk
        ]
        if classes:
            yield _row(f"classes-{risk}", _listed(_most(classes, language), language), language)


def _interface_rows(model: ModelFacts, language: str) -> Iterator[FactRow]:
    for key, tensors in (("inputs", model.inputs), ("outputs", model.outputs)):
        if tensors:
            yield _row(key, "\n".join(_most([*map(in_a_line, tensors)], language)), language)


def _inside_rows(model: ModelFacts, language: str) -> Iterator[FactRow]:
    if model.parameters is not None:
        yield _row("parameters", f"{model.parameters:,}", language)
    if model.dtypes:
        total = sum(model.dtypes.values()) or 1
        kinds = sorted(model.dtypes.items(), key=lambda pair: -pair[1])
        yield _row(
            "dtypes", _listed((f"{name} {_percent(count / total)}" for name, count in kinds), language), language
        )
    if model.quantization:
        yield _row("quantization", model.quantization, language)
    operators = model.needs.operators
    if operators:
        custom = [_operator(operator) for operator in operators if operator.is_custom]
        count = sum(operator.count for operator in operators)
        text = _listed(_most([_operator(operator) for operator in operators], language), language)
        yield _row(
            "operators", words("models.operators", language, count=count, kinds=len(operators), listed=text), language
        )
        if custom:
            yield _row("custom-operators", _listed(_most(custom, language), language), language)


def _run_rows(run: ModelRun, language: str) -> Iterator[FactRow]:
    state = "ran" if run.ran else "loaded" if run.loaded else "failed" if run.loaded is False else "not-tried"
    why = reason_of(run, language)
    outcome = " ".join(filter(None, (words(f"models.run-{state}", language), why)))
    yield _row(
        "run",
        words("report.with-detail", language, text=outcome, detail=run.detail) if run.detail else outcome,
        language,
    )
    if run.inputs:
        yield _row("run-inputs", "\n".join(_most([*map(in_a_line, run.inputs)], language)), language)
    total = sum(part.seconds or 0.0 for part in run.shares or ())
    for share in run.shares or ():
        part = _percent(share.seconds / total) if share.seconds is not None and total else ""
        names = [f"{name} ×{count}" for name, count in sorted(share.operators.items(), key=lambda pair: -pair[1])]
        nodes = words("models.nodes", language, count=sum(share.operators.values()))
        yield FactRow(share.provider, _listed([*filter(None, (part, nodes)), *_most(names, language)], language))
        for operator, line in list(share.reasons.items())[:_MOST]:
            yield FactRow(words("models.row-why-here", language, operator=operator), line)
    if run.seconds is not None:
        milliseconds = run.seconds * 1000
        figure = f"{milliseconds:.1f}" if milliseconds >= _TENTH else f"{milliseconds:.1g}"
        yield _row("seconds", words("models.milliseconds", language, milliseconds=figure), language)
    if run.error is not None:
        yield _row("run-error", f"{run.error.type}: {run.error.message}", language)
    if run.log and not run.ran:  # where it ran in the end, the log is of inputs that did not fit
        yield _row("run-log", run.log[:_LONGEST_LOG], language)


# --- words -----------------------------------------------------------------------------------------------------------


def _row(key: str, value: str, language: str) -> FactRow:
    return FactRow(words(f"models.row-{key}", language), value)


def _bound(binding: Binding, language: str) -> str:
    name = known(f"models.bound-{binding.kind}", binding.kind, language)
    return words("models.bound-value", language, name=name, value=binding.value) if binding.value else name


def _listed(parts: Sequence[str] | Iterator[str], language: str) -> str:
    return words("report.list-separator", language).join(parts)


def _most(names: Sequence[str], language: str) -> list[str]:
    more = len(names) - _MOST
    return [*names[:_MOST], *([words("models.more", language, count=more)] if more > 0 else [])]


def _files(files: Sequence[NeededFile], language: str) -> list[str]:
    """The missing and short ones first: they are why one reads this."""

    def state(file: NeededFile) -> str:
        if file.present is False:
            return "missing"
        if file.present is None:
            return "outside"
        is_short = file.size is not None and file.present_size is not None and file.present_size < file.size
        if is_short:
            return "short"
        return "linked" if file.linked_to and not file.beside_real_model else "there"

    ordered = sorted(files, key=lambda file: state(file) == "there")
    return _most([words(f"models.file-{state(file)}", language, name=file.name) for file in ordered], language)


def _operator(operator: OperatorUse) -> str:
    name = f"{operator.domain}.{operator.name}" if operator.domain else operator.name
    version = f" v{operator.version}" if operator.version is not None else ""
    return f"{name}{version} ×{operator.count}"


def _percent(share: float) -> str:
    return percent(share) if share >= 0.01 or share == 0 else "<1 %"


def _runtime(run: ModelRun, language: str) -> str:
    return " · ".join(filter(None, (label(run.runtime, language), run.setting)))

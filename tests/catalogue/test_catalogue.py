"""Everything that belongs together is there: checks, causes, remedies, words, labels, tables and tests.

Each test walks all of them, so that a newcomer's omission is named here and not by a user.
"""

import ast
import functools
import importlib
import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.walk import for_each

from checks.causes.registry import FAMILIES, Check, all_checks
from checks.facts import Facts
from checks.facts.finding import Severity
from checks.knowledge import Table
from checks.knowledge.catalogue import (
    Cause,
    Remedy,
    Signature,
    Step,
    Words,
    cause_files,
    cause_of,
    family_of,
    remedy_of,
)
from checks.knowledge.templates import placeholders
from checks.paths import ROOT
from checks.readers.tickets.conditions import holds, is_known
from checks.readers.tickets.lines import lines_of
from checks.readers.tickets.reported import reported_in
from checks.readers.tickets.wording.signatures import hits
from checks.remedies.plan import CONTEXT, PYTHON_MANAGERS
from checks.remedies.shell import Shell
from wizard.words import area

TESTS = Path(__file__).parents[1]
CODE = TESTS.parent / "checks"
CHECKS = tuple(all_checks().values())
CAUSES = tuple(cause_files())
REMEDIES = tuple(sorted(path.stem for path in (ROOT / "remedies").glob("*.toml")))
TABLES = tuple(sorted(f"{path.parent.name}.{path.stem}" for path in (ROOT / "knowledge").glob("*/*.toml")))

HEADINGS = ("Detects:", "Why it bites:", "Blind spots:", "Knowledge:")
KINDS = ("command", "setting", "code", "manual")
PLATFORMS = ("linux", "windows", "macos", "wsl", "container", "jetson")
SYSTEM_MANAGERS = ("apt", "dnf", "pacman", "zypper", "apk", "brew", "winget", "ubuntu-drivers")
JAPANESE = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")
ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")

# What stands for a value while a command is parsed: a word for the shell, a package for pip, a module for Python.
SOMETHING = "torch"


def name_of(check: Check) -> str:
    return check.cause


def module_of(check: Check) -> str:
    return check.function.__module__


def tree_of(check: Check) -> ast.Module:
    source = importlib.import_module(module_of(check)).__file__
    assert source is not None
    return ast.parse(Path(source).read_text(encoding="utf-8"))


# --- checks ----------------------------------------------------------------------------------------------------------


def test_every_module_of_a_family_holds_a_check() -> None:
    claimed = {module_of(check) for check in CHECKS}
    for family in FAMILIES:
        for path in Path(family.__path__[0]).glob("[!_]*.py"):
            module = f"{family.__name__}.{path.stem}"
            assert module in claimed, f"{module} declares no check; what checks share lies in checks/analysis"


@for_each(CHECKS, name_of)
def test_file_function_and_cause_have_one_name(check: Check) -> None:
    expected = check.cause.replace("-", "_")
    assert check.function.__name__ == expected
    assert module_of(check) == f"checks.causes.{family_of(check.cause)}.{expected}"


@for_each(CHECKS, name_of)
def test_the_docstring_of_a_check_has_its_headings_and_names_its_tables(check: Check) -> None:
    text = importlib.import_module(module_of(check)).__doc__ or ""
    missing = [heading for heading in HEADINGS if f"\n{heading} " not in text]
    assert not missing, f"{module_of(check)}: its docstring lacks {missing}"
    knowledge = text.partition("\nKnowledge:")[2]
    named = re.findall(r"[\w-]+\.toml", knowledge)
    there = {*(table.partition(".")[2] for table in TABLES), *(path.stem for path in (ROOT / "words").glob("*.toml"))}
    unknown = [name for name in named if name.removesuffix(".toml") not in there]
    unknown += [
        name for name in re.findall(r"resources(/[\w/-]+\.toml)", knowledge) if not Path(f"{ROOT}{name}").is_file()
    ]
    assert not unknown, f"{module_of(check)} names {unknown}, which is not in resources"


@for_each(CHECKS, name_of)
def test_a_check_has_a_test_in_its_family(check: Check) -> None:
    *_, family, name = module_of(check).split(".")
    texts = (path.read_text(encoding="utf-8") for path in (TESTS / "checks" / "causes" / family).glob("test_*.py"))
    assert any(f"checks.causes.{family}.{name} import" in text for text in texts), (
        f"no module in tests/checks/causes/{family}/ imports {name}: write test_{name}.py"
    )


@for_each(CHECKS, name_of)
def test_what_a_check_says_has_a_label(check: Check) -> None:
    labels, reasons = area("fields"), area("reasons")
    for node in ast.walk(tree_of(check)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or not node.args:
            continue
        first = node.args[-1] if node.func.id == "some" else node.args[0]
        if not isinstance(first, ast.Constant) or not isinstance(first.value, str):
            continue
        if node.func.id in ("Evidence", "Unread", "NotHere", "some"):
            assert first.value in labels, f"{check.cause}: no label [{first.value}] in words/fields.toml"
        if node.func.id == "only_on":  # its fact is the system
            assert first.value.lower() in labels, f"{check.cause}: no label [{first.value.lower()}] in fields.toml"
        if node.func.id == "Inconclusive":
            assert first.value in reasons, f"{check.cause}: no reason [{first.value}] in words/reasons.toml"


# --- causes ----------------------------------------------------------------------------------------------------------


def texts_of(words: Cause) -> Iterator[tuple[str, str, str]]:
    """(what it is, English, Japanese)."""
    for part in ("title", "why", "explanation"):
        yield part, getattr(words.text.en, part), getattr(words.text.ja, part)
    if words.clear:
        yield "clear", words.clear.en, words.clear.ja
    if words.reported:
        yield "told title", words.reported.en.title, words.reported.ja.title
        yield "told why", words.reported.en.why, words.reported.ja.why
    for question in words.questions:
        yield "question", question.en, question.ja


def assert_both_languages(where: str, en: str, ja: str) -> None:
    assert en.strip(), f"{where}: no English"
    assert ja.strip(), f"{where}: no Japanese"
    assert_same_placeholders(where, en, ja)
    if not re.search(r"[^\W\d_]", re.sub(r"\{.*?\}", "", ja)) and placeholders(ja):
        return  # values and punctuation alone speak every language
    assert en != ja, f"{where}: the same words in both languages"
    assert JAPANESE.search(ja), f"{where}: {ja!r} is not Japanese"
    assert not JAPANESE.search(en), f"{where}: {en!r} is not English"


def assert_same_placeholders(where: str, en: str, ja: str) -> None:
    in_english, in_japanese = placeholders(en), placeholders(ja)
    assert in_english == in_japanese, f"{where}: placeholders differ, {sorted(in_english ^ in_japanese)}"


@for_each(CHECKS, name_of)
def test_a_check_has_a_cause(check: Check) -> None:
    assert check.cause in CAUSES, f"no resources/causes/*/{check.cause}.toml"


@for_each(CAUSES)
def test_a_cause_can_be_found(cause: str) -> None:
    has_check, has_signature = cause in all_checks(), bool(cause_of(cause).signature)
    assert has_check or has_signature, (
        f"{cause}: no check in checks/causes/{family_of(cause)}/ and no signature in its file"
    )
    assert not has_check or cause_of(cause).clear, f"{cause} has a check, but does not say what a clear outcome proves"


@for_each(CAUSES)
def test_a_cause_is_written_in_both_languages(cause: str) -> None:
    assert cause_of(cause).cause == cause
    for part, en, ja in texts_of(cause_of(cause)):
        assert_both_languages(f"{cause}, {part}", en, ja)


@for_each(CAUSES)
def test_a_cause_names_remedies_sources_and_consequences(cause: str) -> None:
    known = cause_of(cause)
    assert known.remedies, f"{cause} offers no remedy"
    unknown = [remedy for remedy in known.remedies if remedy not in REMEDIES]
    assert not unknown, f"{cause} names {unknown}, which is not in resources/remedies"
    assert all(source.strip() for source in known.sources)
    assert all(ID.fullmatch(consequence) for consequence in known.explains), f"{cause}: {known.explains}"
    assert cause not in known.explains


# --- signatures ------------------------------------------------------------------------------------------------------

SIGNATURES = [(cause, signature) for cause in CAUSES for signature in cause_of(cause).signature]
SEVERITIES = [each.value for each in Severity]


@for_each(CAUSES)
def test_a_cause_that_a_text_can_show_has_its_words(cause: str) -> None:
    known = cause_of(cause)
    assert known.severity in SEVERITIES
    assert not placeholders(known.text.en.explanation), f"{cause}: values belong into title and why"
    if known.signature:
        asked = placeholders(known.text.en.title + known.text.en.why)
        assert known.reported or not asked, (
            f"{cause}: a text seldom tells {sorted(asked)}: add [reported.en] and [reported.ja]"
        )
        assert known.questions, f"{cause}: what is asked where the text is thin?"
    if known.reported:
        told = (known.reported.en, known.reported.ja)
        assert not any(placeholders(each.title + each.why) for each in told), f"{cause}: told texts hold no values"


@for_each(SIGNATURES, lambda item: item[0])
def test_a_signature_speaks_and_keeps_silent(cause: str, signature: Signature) -> None:
    assert signature.matches, f"{cause}: no text that it must match"
    assert 0 < signature.certainty < 1
    unknown = [each for each in signature.over if each not in CAUSES]
    assert not unknown, f"{cause} is over {unknown}, which is no cause"
    missing = [remedy for remedy in signature.remedies if remedy not in REMEDIES]
    assert not missing, f"{cause} names {missing}, which is not in resources/remedies"
    for text, wanted in [
        *((speak, True) for speak in signature.matches),
        *((each, False) for each in signature.non_matches),
    ]:
        lines = lines_of(text)
        found = any(hit.signature is signature for hit in hits(lines, (reported_in(lines).facts,)))
        assert found is wanted, f"{cause}: {'does not match' if wanted else 'matches'} {text!r}"


@for_each(SIGNATURES, lambda item: item[0])
def test_the_conditions_of_a_signature_are_understood(cause: str, signature: Signature) -> None:
    for condition in (*signature.when, *signature.unless):
        assert holds(condition, Facts()) is None, f"{cause}: {condition}"


@for_each(CAUSES)
def test_what_answers_a_question_is_understood(cause: str) -> None:
    for question in cause_of(cause).questions:
        known = [name for name in question.answered_by if is_known(name, Facts())]
        assert not known, f"{cause}: {known} is known of nothing"


# --- remedies --------------------------------------------------------------------------------------------------------


def words_of(remedy: Remedy) -> Iterator[tuple[str, Words]]:
    yield "title", remedy.title
    yield "verify", remedy.verify.expect
    if remedy.risk:
        yield "risk", remedy.risk
    for step in remedy.step:
        if step.text:
            yield "step", step.text


@functools.cache
def code() -> str:
    """The text of all modules but the causes, which must not decide on remedies."""
    paths = (path for path in sorted(CODE.rglob("*.py")) if "causes" not in path.relative_to(CODE).parts)
    return "\n".join(path.read_text(encoding="utf-8") for path in paths)


@for_each(REMEDIES)
def test_a_remedy_is_used(remedy: str) -> None:
    offers = [offered for cause in map(cause_of, CAUSES) for offered in (cause, *cause.signature)]
    named = any(remedy in offer.remedies for offer in offers)
    assert named or f'"{remedy}"' in code(), f"no cause offers {remedy}"


@for_each(REMEDIES)
def test_a_remedy_that_stands_in_for_another_needs_less(remedy: str) -> None:
    known = remedy_of(remedy)
    if known.instead_of:
        assert known.instead_of in REMEDIES, f"{remedy} stands in for {known.instead_of}, which is not there"
        assert set(known.needs) < set(remedy_of(known.instead_of).needs), f"{remedy} asks for as much"


@for_each(REMEDIES)
def test_a_remedy_is_written_in_both_languages(remedy: str) -> None:
    known = remedy_of(remedy)
    assert known.remedy == remedy
    assert known.tested.strip(), f"{remedy} does not say how it was tried"
    for part, words in words_of(known):
        assert_both_languages(f"{remedy}, {part}", words.en, words.ja)


@for_each(REMEDIES)
def test_a_remedy_names_only_values_that_it_will_have(remedy: str) -> None:
    known = remedy_of(remedy)
    asked = {name for _, words in words_of(known) for text in (words.en, words.ja) for name in placeholders(text)}
    asked |= {name for step in known.step for name in placeholders(step.code)} | placeholders(known.verify.code)
    missing = asked - {*CONTEXT, *known.needs, *known.default}
    assert not missing, f"{remedy} names {sorted(missing)}, which is neither context nor in its needs"
    unused = known.default.keys() - asked | known.default.keys() & set(known.needs)
    assert not unused, f"{remedy} has a default for {sorted(unused)}, which is never used"


@for_each(REMEDIES)
def test_the_steps_of_a_remedy_are_whole(remedy: str) -> None:
    known = remedy_of(remedy)
    assert known.step, f"{remedy} has no step"
    for step in known.step:
        assert step.kind in KINDS, f"{remedy}: {step.kind}"
        assert step.code or step.text, f"{remedy}: an empty step"
        assert bool(step.code) == (step.kind != "manual"), f"{remedy}: a manual step is told, every other one is pasted"
        assert set(step.platforms) <= set(PLATFORMS), f"{remedy}: {step.platforms}"
        assert set(step.managers) <= {*SYSTEM_MANAGERS, *PYTHON_MANAGERS}, f"{remedy}: {step.managers}"


def filled(code: str, shell: Shell) -> str:
    """The code with something in the place of every value."""
    commands = {
        "python": "python",
        "python_call": "python",
        "pip_install": "python -m pip install",
        "pip_uninstall": "python -m pip uninstall -y",
    }
    return shell.fill(code, dict.fromkeys(placeholders(code), SOMETHING), commands)


def is_for_a_shell(step: Step) -> bool:
    return step.kind == "command" and step.platforms != ("windows",)


def shell_lines(remedy: str, *, without: tuple[str, ...] = ()) -> Iterator[str]:
    """What a POSIX shell is to read: the commands but those for Windows alone, and the verification.

    ``without``: package managers whose own steps are left out.
    """
    known = remedy_of(remedy)
    steps = [step for step in known.step if not step.managers or not set(step.managers) <= set(without)]
    yield from (filled(step.code, Shell.SH) for step in steps if is_for_a_shell(step))
    if known.verify.code and any(step.platforms != ("windows",) for step in known.step):
        yield filled(known.verify.code, Shell.SH)


@pytest.mark.skipif(sys.platform == "win32", reason="bash is no part of Windows")
@for_each(REMEDIES)
def test_a_remedy_for_a_mac_is_not_verified_by_cuda(remedy: str) -> None:
    """There torch.cuda.is_available() is never True."""
    text = remedy_of(remedy)
    if any("macos" in step.platforms for step in text.step) and "cuda.is_available" in text.verify.code:
        assert "mps.is_available" in text.verify.code


@for_each(REMEDIES)
def test_commands_are_shell_syntax(remedy: str) -> None:
    for code in shell_lines(remedy):
        parsed = subprocess.run(["bash", "-n", "-c", code], capture_output=True, text=True, check=False)
        assert parsed.returncode == 0, f"{remedy}: {code!r}: {parsed.stderr}"


@for_each(REMEDIES)
def test_python_code_compiles(remedy: str) -> None:
    for step in remedy_of(remedy).step:
        if step.kind == "code":
            compile(filled(step.code, Shell.PYTHON), remedy, "exec")
    for code in shell_lines(remedy):
        for line in code.splitlines():
            words = shlex.split(line, comments=True)
            if "-c" in words and words[0] in ("python", ".venv/bin/python"):
                compile(words[words.index("-c") + 1], remedy, "exec")


def test_pip_commands_are_understood_by_pip() -> None:
    """By pip's own parser, in a process of its own: pip is no library, and warns when it is taken for one."""
    asked = [
        [remedy, *shlex.split(line)]
        for remedy in REMEDIES
        for code in shell_lines(remedy, without=("uv",))  # whose pip has options of its own
        for line in code.splitlines()
        if line.startswith("python -m pip ")
    ]
    assert asked
    script = (
        "import json, sys\n"
        "from pip._internal.commands import create_command\n"
        "for remedy, _, _, _, command, *rest in json.load(sys.stdin):\n"
        "    print(remedy, flush=True)\n"
        "    options, packages = create_command(command).parse_args(rest)\n"
        "    named = [packages, *map(options.__dict__.get, ('requirements', 'editables'))]\n"
        "    assert any(named) or command == 'check', 'names no package'\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", script], input=json.dumps(asked), capture_output=True, text=True, check=False
    )
    last = run.stdout.split()[-1:]
    assert run.returncode == 0, f"{last}: {run.stderr[-500:]}"


# --- words and tables ------------------------------------------------------------------------------------------------


@for_each(sorted(path.stem for path in (ROOT / "words").glob("*.toml")))
def test_translations_are_whole(file: str) -> None:
    for key, words in area(file).items():
        if key.endswith("-separator"):  # Japanese sentences stand side by side without a space
            continue
        assert words.en.strip(), f"{file}.{key}: no English"
        assert words.ja.strip(), f"{file}.{key}: no Japanese"
        assert_same_placeholders(f"{file}.{key}", words.en, words.ja)


@for_each(TABLES)
def test_a_table_has_a_loader_a_source_and_a_day(table: str) -> None:
    module = importlib.import_module(f"checks.knowledge.{table}")
    kinds = [
        value
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Table) and value.__module__ == module.__name__
    ]
    assert len(kinds) == 1, f"{module.__name__} declares {len(kinds)} tables, not one"
    loaded = kinds[0].read()
    assert loaded.title.strip(), f"{table}: no title"
    assert loaded.source.strip(), f"{table}: no source"
    assert loaded.checked.year >= 2026, f"{table}: nobody has looked at its source since {loaded.checked}"

"""No value of a stranger's stands in a command that a remedy writes, in any shell: every remedy, every placeholder."""

import functools
import importlib
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import tree_sitter
from _pytest.mark import ParameterSet
from support.extent import some
from support.placeholder_values import HOSTILE, REMOTE, usual

from checks.facts import Facts, InterpreterFacts, MachineFacts, OsFacts, Package
from checks.facts.finding import Finding, Severity
from checks.knowledge.catalogue import Remedy, remedy_of
from checks.knowledge.commands.placeholders import Kind, kinds
from checks.knowledge.templates import placeholders
from checks.languages import LANGUAGES
from checks.paths import ROOT
from checks.remedies.plan import CONTEXT, RemedyPlan, plan_remedies
from checks.remedies.shell import Shell

REMEDIES = [remedy_of(path.stem) for path in sorted((ROOT / "remedies").glob("*.toml"))]
SYSTEMS = ("Linux", "Windows", "Darwin")
OF_MACHINE = ("python", "same_release")  # what the machine gives, not the finding


def facts(system: str, python: str = "", package: Package | None = None) -> Facts:
    python = python or (r"C:\venv\Scripts\python.exe" if system == "Windows" else "/opt/venv/bin/python")
    interpreter = InterpreterFacts(path=python, version="3.12.3", packages=(package,) if package else ())
    return Facts(
        machine=MachineFacts(os=OsFacts(system=system, package_managers=("apt",), distribution="debian")),
        interpreters=(interpreter,),
        target=python,
    )


def templates(remedy: Remedy) -> list[str]:
    return [*(step.code for step in remedy.step), remedy.verify.code]


def typed(remedy: Remedy) -> set[str]:
    """The placeholders of a remedy's commands."""
    return {name for template in templates(remedy) for name in placeholders(template)} - set(CONTEXT)


def planned(remedy: Remedy, known: Facts, language: str = "en", **values: str) -> RemedyPlan:
    given = {name: usual(name) if name in kinds() else "1.2" for name in (*remedy.needs, *typed(remedy))} | values
    finding = Finding(
        cause="driver-too-old-for-cuda",
        severity=Severity.NOTE,
        confidence=1,
        values={name: value for name, value in given.items() if name not in CONTEXT},
        remedies=(remedy.remedy,),
    )
    plans = plan_remedies(finding, known, language)
    return plans[0] if plans else RemedyPlan(id=remedy.remedy, title="", steps=(), verify=None)  # type: ignore[arg-type]


def codes(plan: RemedyPlan) -> list[tuple[str, str]]:
    steps = [(step.code, step.language) for step in plan.steps if step.code]
    return steps + ([(plan.verify.code, plan.verify.language)] if plan.verify and plan.verify.code else [])


def test_every_placeholder_of_a_command_has_one_kind() -> None:
    used = {name for remedy in REMEDIES for name in typed(remedy)} | {"python", "same_release"}
    assert used == kinds().keys()
    names = [name for remedy in REMEDIES for name in remedy.default if name in typed(remedy)]
    assert set(names) <= kinds().keys()


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_fitting_value_stands_in_every_command(system: str) -> None:
    for remedy in REMEDIES:
        plan = planned(remedy, facts(system))
        lost = [step.text for step in plan.steps if "There is no command here" in step.text]
        assert not lost, remedy.remedy


def hostile(kind: Kind) -> tuple[str, ...]:
    """What is refused for a kind. The name of a node is data in a text of Python: what is a plain name is one."""
    if kind is Kind.NODES:
        return tuple(value for value in HOSTILE if not re.fullmatch(r"[\w.-]+(?:/[\w.-]+)*", value, re.ASCII))
    return REMOTE if kind is Kind.PATH else HOSTILE


@pytest.mark.parametrize(("system", "language"), [("Linux", "en"), ("Windows", "ja"), ("Darwin", "en")])
def test_no_hostile_value_stands_in_a_command(system: str, language: str) -> None:
    known, place = facts(system), SYSTEMS.index(system)
    for remedy in REMEDIES:
        fine = planned(remedy, known, language)
        for name in typed(remedy):
            values = hostile(kinds()[name])
            for value in some(values, -(-len(values) // len(SYSTEMS)), first=place):  # each on one system, or on all
                plan = planned(remedy, known, language, **{name: value})
                assert set(codes(plan)) <= set(codes(fine)) | _of_default(remedy, known, language, name), (name, value)


def _of_default(remedy: Remedy, known: Facts, language: str, name: str) -> set[tuple[str, str]]:
    default = remedy.default.get(name)
    if default is None:
        return set()
    value = default if isinstance(default, str) else default.of(language)
    return set(codes(planned(remedy, known, language, **{name: value})))


INTERPRETERS = [python for python in (*HOSTILE, *REMOTE, "/usr/bin/curl", "/net/host/python") if python]


@pytest.mark.parametrize(
    ("system", "python", "place"),
    [
        (system, python, place)
        for place, python in enumerate(INTERPRETERS)
        for system in some(SYSTEMS, 1, first=place)  # each on one system, or on all
    ],
)
def test_no_hostile_interpreter_stands_in_a_command(system: str, python: str, place: int) -> None:
    for remedy in some(REMEDIES, len(REMEDIES) // 3, first=place):  # each with a third of them, or with all
        if any(placeholders(template) & {"python", "pip_install", "pip_uninstall"} for template in templates(remedy)):
            plan = planned(remedy, facts(system, python))
            words = (f"'{python}'", f'"{python}"', f"{python} -", " -m pip", " -m venv")
            assert not [code for code, _ in codes(plan) for word in words if word in code], remedy.remedy


@pytest.mark.parametrize("version", [each for each in HOSTILE if each])
def test_no_hostile_release_of_an_installed_package_stands_in_a_command(version: str) -> None:
    remedy = remedy_of("reinstall-framework")
    known = facts("Linux", package=Package(name="torch", version=version))
    assert not [code for code, _ in codes(planned(remedy, known, package_name="torch")) if version in code]


def test_what_is_refused_is_shown_in_quotation_marks_in_both_languages() -> None:
    remedy = remedy_of("install-required-version")
    for language, word in zip(LANGUAGES, ("no command", "コマンドはありません"), strict=True):
        plan = planned(remedy, facts("Linux"), language, requirement="evil-pkg>=2")
        assert plan.title.count("“evil-pkg>=2”") == 1
        assert [word in step.text and "“evil-pkg>=2”" in step.text for step in plan.steps] == [True]


# --- real shells -----------------------------------------------------------------------------------------------------

NOWHERE = {"PATH": "/nowhere", "HOME": "/h"}
PATHS = [
    *(value for value in HOSTILE if value.isprintable() and value and value not in REMOTE),
    "/with space/it's/$(touch CANARY)/`touch CANARY`",
    "~/my $(touch CANARY) models",
    "日本語/模型 (1).onnx",
    "[a-z]*?.onnx",
    "#comment",
    "a\\",
]


def shells(*names: str) -> list[ParameterSet]:
    """Shells to try; of one that is missing the summary of the run says so."""
    return [
        pytest.param(name, marks=pytest.mark.skipif(not shutil.which(name), reason=f"no {name} is installed here"))
        for name in names
    ]


@pytest.mark.parametrize("shell", shells("bash", "zsh", "dash"))
@pytest.mark.parametrize("path", PATHS)
def test_a_real_shell_reads_one_word_and_runs_nothing_else(shell: str, path: str, tmp_path: Path) -> None:
    """Paths and local names are data: whatever they are, a real shell hands them over as they are."""
    for option in ("", " --onnx="):
        command = Shell.SH.fill(f"printf '%s\\n' --{option or ' '}{{x}}", {"x": path}, {})
        done = subprocess.run(
            [shutil.which(shell) or "", "-c", command],
            capture_output=True,
            cwd=tmp_path,
            encoding="utf-8",
            env={"HOME": "/h"},
        )
        assert done.returncode == 0, done.stderr
        meant = path.replace("~", "/h", 1) if path.startswith("~/") else path
        assert done.stdout.splitlines()[-1] == f"{option.strip()}{meant}"
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("shell", shells("bash", "zsh"))
def test_no_remedy_with_hostile_values_makes_a_canary_in_a_real_shell(shell: str, tmp_path: Path) -> None:
    """Every command with every path that is local, and every hostile word: programs are stubs that do nothing."""
    stub = 'touch() { : > "$1"; }; command_not_found_handle() { :; }; command_not_found_handler() { :; }\n'
    lines = {
        code
        for code in _commands_of_paths("Linux", "sh", tuple(PATHS))
        if not code.startswith(("export LD_LIBRARY_PATH=$(", "sudo"))
    }
    script = stub + "\n".join(f"( {line}\n) </dev/null >/dev/null 2>&1" for line in sorted(lines))
    work = tmp_path / "work"
    work.mkdir()
    program = shutil.which(shell) or ""
    done = subprocess.run([program, "-c", f"{script}\n$(touch CONTROL)"], cwd=work, env=NOWHERE, check=False)
    assert done.returncode == 0
    assert [path.name for path in work.iterdir()] == ["CONTROL"]


@pytest.mark.skipif(not shutil.which("wine"), reason="no Wine, which has a cmd")
def test_no_remedy_with_hostile_values_makes_a_canary_in_cmd(tmp_path: Path) -> None:
    """What is meant for PowerShell and pasted into cmd fails, or does the same; it runs nothing of the value's."""
    evil = [value.replace("touch CANARY", "echo x>CANARY") for value in PATHS if value.isascii()]
    evil += [r"C:\a & echo x>CANARY & \m.onnx", r"C:\a|echo x>CANARY", r"C:\a^&echo x>CANARY", r"C:\a'&echo x>CANARY"]
    lines = sorted(set(_commands_of_paths("Windows", "powershell", tuple(evil))))
    assert len(lines) > 100
    script = "@echo off\r\n" + "".join(f"{line.replace(chr(10), chr(13) + chr(10))}\r\n" for line in lines)
    work = tmp_path / "work"
    work.mkdir()
    (tmp_path / "all.bat").write_bytes(f"{script}echo control>CONTROL\r\n".encode())
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "WINEDEBUG": "-all",
        **_windows(tmp_path / "wine"),
    }
    command = [shutil.which("wine") or "", "cmd", "/c", r"..\all.bat"]
    subprocess.run(command, cwd=work, env=environment, capture_output=True, check=False)
    assert [path.name for path in work.iterdir()] == ["CONTROL"]


def _windows(folder: Path) -> dict[str, str]:
    """A Windows for Wine: its own programs, without the registry and the copy of them all that it makes at first."""
    programs = [*Path("/usr").glob("lib*/wine/x86_64-windows"), *Path("/usr/lib").glob("*/wine/x86_64-windows")]
    if programs:
        for made in ("dosdevices", "drive_c/windows"):
            (folder / made).mkdir(parents=True)
        (folder / "dosdevices" / "c:").symlink_to("../drive_c")
        (folder / "dosdevices" / "z:").symlink_to("/")
        (folder / "drive_c" / "windows" / "system32").symlink_to(programs[0])
    return {"WINEPREFIX": str(folder), **({"WINEDLLOVERRIDES": "wineboot.exe=d"} if programs else {})}


@functools.cache
def _commands_of_paths(system: str, shell: str, paths: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(_each_command_of_paths(system, shell, paths))


def _each_command_of_paths(system: str, shell: str, paths: tuple[str, ...]) -> Iterator[str]:
    for remedy in REMEDIES:
        for name in typed(remedy):
            if kinds()[name] is Kind.PATH:
                for value in paths:
                    planned_codes = codes(planned(remedy, facts(system), **{name: value}))
                    yield from (code for code, language in planned_codes if language == shell)


# --- grammars --------------------------------------------------------------------------------------------------------


def parsed(grammar: str, text: str) -> list[tuple[str, str]]:
    """Every node of a command line, as its type and text."""
    module = importlib.import_module(f"tree_sitter_{grammar}")
    parser = tree_sitter.Parser(tree_sitter.Language(module.language()))
    found, waiting = [], [parser.parse(text.encode()).root_node]
    while waiting:
        node = waiting.pop()
        found.append((node.type, node.text.decode()))
        waiting += reversed(node.children)
    return found


EXECUTES = {
    "bash": {
        "command_substitution",
        "process_substitution",
        "expansion",
        "simple_expansion",
        "pipeline",
        "list",
        "file_redirect",
    },
    "powershell": {"sub_expression", ",", "variable", "pipeline_chain_tail", "redirection", "script_block"},
    "batch": {"variable_reference", "pipe", "redirect", "redirection", "cond_exec", "command_sep"},
}
WORDS = [  # what meets a grammar or is a local path, in every shape that quoting must bear
    "torch>=2,<3",
    "jax[cuda12]!=0.4.1,>=0.4",
    "torch==2.6.0+cu124",
    r"C:\Program Files (x86)\my & your\python.exe",
    r"C:\a;b|c<d>e^f\{g}\@h\#i\python.exe",
    r"C:\O'Neil\O’Neil\python.exe",
    r"C:\日本語 環境\python.exe",
    "a,b",
]


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize(
    ("grammar", "shell"), [("bash", Shell.SH), ("powershell", Shell.POWERSHELL), ("batch", Shell.POWERSHELL)]
)
def test_the_grammar_of_each_shell_reads_one_command_with_one_word(grammar: str, shell: Shell, word: str) -> None:
    nodes = parsed(grammar, shell.fill("python -m pip install {x}\n", {"x": word}, {}))
    types = {kind for kind, _ in nodes}
    assert not types & EXECUTES[grammar] - {"command_sep"}
    assert not types & {"ERROR"}
    commands = [text for kind, text in nodes if kind in {"command", "cmd"}]
    assert len(commands) == 1


def test_the_grammars_see_what_an_unquoted_value_would_do() -> None:
    assert "command_substitution" in {kind for kind, _ in parsed("bash", "pip install $(x)\n")}
    assert {",", "sub_expression"} <= {kind for kind, _ in parsed("powershell", "pip install 'a','b' $(b)\n")}
    assert len([kind for kind, _ in parsed("batch", "pip install a & calc\n") if kind == "cmd"]) == 2

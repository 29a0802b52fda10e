"""No text of the window is missing in a language, none is unused, and none is asked for that is not there."""

import ast
import importlib
import re
import string
from pathlib import Path

import pytest
from support.walk import for_each

import checks.probes
import wizard
from wizard import words
from wizard.words import area

SOURCES = sorted(Path(wizard.__file__).parent.rglob("*.py"))
PROBES = Path(checks.probes.__file__).parent
SCRIPTS = sorted(
    path
    for path in PROBES.rglob("*.py")
    if path.name != "worker.py" and "\nSTAGES = " in path.read_text(encoding="utf-8")
)
ASKS = {"say", "_say", "bind", "_heading", "_add_list", "_add_open", "set_busy", "Notice"}
# Where a page names its texts by a table, or by what it was called with.
NAMED = re.compile(r"^[a-z]+(-[a-z_]+)+$")


def asked_for() -> tuple[set[str], set[str]]:
    """Every key that the window's modules ask for, and the patterns of those into which an f-string fills something."""
    plain, patterns = set(), set()
    for source in SOURCES:
        if source.parent.name == "report" or source.parent.name == "cli":
            continue
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                plain.add(node.value)
            elif isinstance(node, ast.JoinedStr):
                parts = (re.escape(part.value) if isinstance(part, ast.Constant) else ".+" for part in node.values)
                pattern = "".join(parts)
                if re.match(r"[a-z\\.+]+\\?-", pattern):
                    patterns.add(pattern)
    return plain, patterns


def test_no_text_is_unused() -> None:
    plain, patterns = asked_for()
    unused = [
        key for key in area("window") if key not in plain and not any(re.fullmatch(form, key) for form in patterns)
    ]
    assert not unused


def test_no_text_is_missing() -> None:
    asked = set()
    for source in SOURCES:
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name not in ASKS or {"report", "cli"}.intersection(source.parts):
                continue
            asked |= {
                arg.value
                for arg in node.args
                if isinstance(arg, ast.Constant) and isinstance(arg.value, str) and NAMED.match(arg.value)
                if not arg.value.startswith("state-")  # an icon
            }
    assert asked
    missing = asked - set(area("window"))
    assert not missing


@for_each(area("window"))
def test_both_languages_name_the_same_values(key: str) -> None:
    def values(text: str) -> set[str]:
        return {name for _, name, _, _ in string.Formatter().parse(text) if name}

    text = area("window")[key]
    assert text.en.strip()
    assert text.ja.strip()
    assert values(text.en) == values(text.ja)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_no_letter_opens_two_things_at_once(language: str) -> None:
    """The letters (Alt) of one page, of the buttons below it, and of the menus."""
    always = ["menu-file", "menu-help", "language", "back", "next"]
    pages = {
        "evidence": ["evidence-add-log", "evidence-add-script", "evidence-add-model", "evidence-add-report"],
        "target": ["target-choose-file", "target-choose-folder", "target-search-again", "next-run"],
        "run": ["cancel", "next-report"],
        "report": ["report-export", "report-save", "report-markdown", "report-again", "report-redact", "report-own"],
    }
    for page, keys in pages.items():
        texts = [area("window")[key].of(language) for key in always + keys]
        letters = [text[text.index("&") + 1].lower() for text in texts]
        assert len(letters) == len(set(letters)), (page, sorted(letters))


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.relative_to(PROBES).as_posix())
def test_every_stage_of_a_probe_can_be_said(path: Path) -> None:
    """A slow probe names what it is at; a stage per GPU ("gpu_0") is said by its name."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    (stages,) = (
        node.value for node in tree.body if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "STAGES"
    )
    if isinstance(stages, ast.Call) and ast.unparse(stages.func) not in functions:  # a probe that computes
        module = ".".join(("checks.probes", *path.relative_to(PROBES).with_suffix("").parts))
        names = [stage.__name__ for stage in importlib.import_module(module).STAGES]
    elif isinstance(stages, ast.Call):  # a generator of stages
        yielded = (node.value for node in ast.walk(functions[ast.unparse(stages.func)]) if isinstance(node, ast.Yield))
        names = [ast.unparse(node) for node in yielded if isinstance(node, ast.Name)]
    else:
        names = [ast.unparse(elt).rpartition(".")[2] for elt in stages.elts if not isinstance(elt, ast.Starred)]
    assert names
    assert not [name for name in names if f"run-stage-{name}" not in area("window")]


@pytest.mark.parametrize("text", ['en = "one"', 'en = "one"\nja = "一つ"\nfr = "un"', 'en = "one"\nja = 1'])
def test_a_text_that_lacks_a_language_or_has_another_key_is_named(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "words").mkdir()
    (tmp_path / "words" / "part.toml").write_text(f"[a-key]\n{text}\n", encoding="utf-8")
    monkeypatch.setattr(words, "ROOT", tmp_path)
    with pytest.raises(ValueError, match=r"words/part\.toml: a-key"):
        area("part")

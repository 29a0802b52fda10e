"""Every rule: its bad example is marked, its good one is not, its fix applies once, and it has words and a cause."""

import importlib
import pkgutil

import pytest

from checks.analysis.scripts import rules
from checks.analysis.scripts.diff import fixed
from checks.analysis.scripts.registry import module_rules, run_rules
from checks.analysis.scripts.scan import scan
from checks.analysis.scripts.words import text_of
from checks.facts.finding import Severity
from checks.knowledge.catalogue import cause_files
from checks.knowledge.scripts.rules import rule_ids, rule_of
from checks.knowledge.templates import placeholders
from checks.readers.scripts.sources import read_source


def _written(folder, name, text):
    path = folder / name
    path.write_text(text.lstrip("\n"), encoding="utf-8")
    return path


def _marks(path, rule):
    return [mark for mark in scan([path]).marks if mark.rule == rule]


def test_every_rule_has_words_and_every_word_a_rule():
    for module in pkgutil.walk_packages(rules.__path__, f"{rules.__name__}."):
        importlib.import_module(module.name)
    assert sorted({*run_rules(), *module_rules()}) == list(rule_ids())


@pytest.mark.parametrize("name", rule_ids())
def test_rule(name, tmp_path):
    rule = rule_of(name)
    assert rule.rule == name
    assert rule.cause in cause_files()
    assert rule.severity in (Severity.WARNING, Severity.NOTE)
    assert rule.sources
    assert all(source.startswith("https://") for source in rule.sources)
    bad = _written(tmp_path, "train.py", rule.bad)
    marks = _marks(bad, name)
    assert marks, "the bad example is not marked"
    assert not _marks(_written(tmp_path, "good.py", rule.good), name), "the good example is marked"

    for mark in marks:
        for language in ("en", "ja"):
            text = text_of(mark, language)
            told = (text.title, text.explanation, text.device, text.advice)
            assert all(told)
            assert not any(placeholders(part) for part in told), told
    edits = [edit for mark in marks for edit in mark.edits]
    if edits:
        again = _written(tmp_path, "train.py", fixed(read_source(bad), edits))
        assert not any(mark.edits for mark in _marks(again, name)), "the fixed program is offered a change again"


@pytest.mark.parametrize("name", rule_ids())
def test_a_comment_keeps_it_silent(name, tmp_path):
    rule = rule_of(name)
    path = _written(tmp_path, "train.py", rule.bad)
    rows = path.read_text(encoding="utf-8").split("\n")
    for mark in _marks(path, name):
        rows[mark.line - 1] += f"  # naosu: ignore[{name}]"
    path.write_text("\n".join(rows), encoding="utf-8")
    assert not _marks(path, name)

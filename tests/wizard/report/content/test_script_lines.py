"""A script that was given stands in the report with the lines of which a rule speaks, and what to write instead."""

import json

import pytest

from checks.engine.sent_scripts import with_scripts_read
from checks.facts import Facts, Repeat, SentFile
from checks.facts.case import Answers
from checks.judgement.judge import judged
from wizard.report.content.blocks import Pairs, SentText
from wizard.report.content.document import document_of
from wizard.report.content.report import build

BAD = "import torch\n\ntorch.backends.cudnn.benchmark = True\n"


def _sections(path, language="en"):
    (sent,) = with_scripts_read((SentFile(origin=str(path), name=path.name, kind="script"),))
    case = judged(Facts(scripts=(sent,)), Answers(), outcomes=())
    return [section for section in document_of(build(case, language)).sections if section.id.startswith("text/")]


@pytest.mark.parametrize(("language", "label"), [("en", "Line 3"), ("ja", "3行目")])
def test_a_script_with_its_marked_lines(tmp_path, language, label):
    path = tmp_path / "train.py"
    path.write_text(BAD, encoding="utf-8")
    (section,) = _sections(path, language)
    pairs, text = section.blocks
    assert isinstance(pairs, Pairs)
    assert isinstance(text, SentText)
    assert (text.text, text.marked) == (BAD, (3,))
    assert pairs.rows[0].label == label
    assert "torch.backends.cudnn.benchmark" in pairs.rows[0].value


def test_the_code_of_a_notebook(tmp_path):
    path = tmp_path / "book.ipynb"
    cells = [
        {"cell_type": "code", "source": source} for source in (["import torch"], BAD.splitlines(keepends=True)[2:])
    ]
    path.write_text(json.dumps({"cells": cells}), encoding="utf-8")
    ((pairs, text),) = (section.blocks for section in _sections(path))
    assert (text.marked, pairs.rows[0].label) == ((2,), "Cell 2, line 1")


def test_a_script_without_such_lines(tmp_path):
    path = tmp_path / "fine.py"
    path.write_text("print(1)\n", encoding="utf-8")
    (section,) = _sections(path)
    assert [type(block) for block in section.blocks] == [SentText]
    assert section.blocks[0].marked == ()


def test_what_was_measured_stands_beside_the_line_that_uses_it(tmp_path):
    path = tmp_path / "train.py"
    path.write_text("import torch\n\nx = torch.ones(3, device='cuda')\nprint(x.index_add(0, x, x))\n", encoding="utf-8")
    (sent,) = with_scripts_read((SentFile(origin=str(path), name=path.name, kind="script"),))
    run = Repeat(
        framework="torch", operation="index-add", device="cuda:0", repetitions=30, distinct=3, counts=(18, 11, 1)
    )
    case = judged(Facts(scripts=(sent,), measurements=(run,)), Answers(), outcomes=())
    sections = [one for one in document_of(build(case, "en")).sections if one.id.startswith("text/")]
    told = "\n".join(row.value for row in sections[0].blocks[0].rows)
    assert "Measured here: torch.index_add gave another result in 12 of 30 runs on cuda:0." in told
    assert sent.read.imports == {"torch": "torch"}

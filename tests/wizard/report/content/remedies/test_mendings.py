"""What came of carrying out a remedy, in words and in the report."""

import re
from pathlib import Path

import msgspec
import pytest

from checks.facts import Mending, MendingResult, PackageChange, ProgramRun
from checks.facts.remedies.mendings import fixed_by
from checks.mending import make, mend, permission, proposal, undo
from checks.mending.journal import Journal, Stage
from checks.mending.permission import NotMended
from checks.mending.proposal import Proposal
from checks.proof.changes import Filtered, Installed, Variable
from checks.proof.witness import Witness
from checks.remedies.plan import PlannedVerify, RemedyPlan
from wizard.report.content.blocks import Items, Step
from wizard.report.content.findings.sections import remedy_blocks
from wizard.report.content.remedies.mendings import (
    half_done_words,
    journal_words,
    mending_details,
    mending_lines,
    mending_words,
    mendings_in_short,
    plan_words,
    refusal_words,
)
from wizard.words import area

FAILED = ProgramRun(command=("python", "prog.py"), exit_code=1, errors="ImportError: no", seconds=1.0)
WORKED = msgspec.structs.replace(FAILED, exit_code=0, errors="")
CHANGES = (PackageChange(name="six", version_before="1.0", version_after="2.0"),)


def mending(result: str, **more: object) -> Mending:
    values = {"before": FAILED, "after": WORKED, "id": "20261123-000000-abcd", "changes": CHANGES, **more}
    return Mending(cause="a", remedy="b", result=result, **values)  # type: ignore[arg-type]


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("result", [*MendingResult, "of-a-newer-version"])
def test_every_result_has_its_sentence(result: str, language: str) -> None:
    usual = mending(result, reason="stopped", said="ERROR: no")
    for told in (usual, mending(result, is_undone=True), msgspec.structs.replace(usual, of_gpu=True, before=WORKED)):
        said = "\n".join(mending_lines(told, language))
        assert said
        assert "{" not in said


@pytest.mark.parametrize("language", ["en", "ja"])
def test_where_the_users_own_files_are_now_is_said(language: str) -> None:
    put_back = mending("not-applied", id="", said="ERROR: no", moved_to="/env/.naosu/1-moved-aside")
    undone = mending("fixed", is_undone=True, moved_to="/env/.naosu/1-moved-aside", lost=("lib/a.py", "lib/b.py"))
    for told in (put_back, undone):
        assert "/env/.naosu/1-moved-aside" in "\n".join(mending_lines(told, language))
        details = mending_details(told, None, language)
        assert details is not None
        assert "/env/.naosu/1-moved-aside" in details.items[-1].text
    assert "lib/a.py, lib/b.py" in mending_words(undone, language)


def test_every_reason_that_is_raised_has_its_words() -> None:
    known = {key.removeprefix("reason-") for room in ("mendings", "proofs") for key in area(room)}
    for module in (make, mend, permission, proposal, undo):
        raised = re.findall(r'NotMended\(\s*"([\w-]+)"|reason="([\w-]+)"', Path(module.__file__).read_text("utf-8"))
        assert {reason for pair in raised for reason in pair if reason} <= known
    for reason in (key.removeprefix("reason-") for key in area("mendings") if key.startswith("reason-")):
        values = dict.fromkeys(("path", "owner", "id", "detail", "paths", "commands", "names"), "x")
        for language in ("en", "ja"):
            assert "{" not in refusal_words(NotMended(reason, **values), language)


def test_before_after_and_the_way_back_stand_in_the_report() -> None:
    plan = RemedyPlan(
        id="b", title="", steps=(), verify=PlannedVerify(expect=""), mending=mending("fixed", saved_files=3)
    )
    blocks = list(remedy_blocks(plan, "en"))
    assert isinstance(blocks[0], Step)
    assert blocks[0].mark == "✓"
    items = next(block for block in blocks if isinstance(block, Items))
    said = "\n".join(item.text for item in items.items)
    assert "Before: the program failed: ImportError: no" in said
    assert "After: the program came to its end" in said
    assert "six 1.0 → 2.0" in said
    assert "undo 20261123-000000-abcd" in said


def test_only_what_was_seen_to_work_and_stands_is_said_to_work() -> None:
    assert fixed_by((mending("fixed"),))
    assert not fixed_by((mending("fixed", after=FAILED),)), "a claim needs its observation"
    assert not fixed_by((mending("fixed", is_undone=True),))
    assert "works" not in next(mendings_in_short((mending("runs-longer"),), "en"))
    assert "not seen to work" in next(mendings_in_short((mending("did-not-help"),), "en"))
    assert list(mendings_in_short((mending("fixed", is_undone=True),), "en")) == []
    assert list(mendings_in_short((mending("not-applied", id=""),), "en")) == []
    assert "undone again" in mending_words(mending("fixed", is_undone=True), "en")


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_question_names_every_command_what_is_kept_and_what_is_left_to_do(language: str) -> None:
    lines = ("/e/bin/python -m pip install six==2.0", "/e/bin/python -m pip install wrapt")
    proposed = Proposal(
        proof=None,  # type: ignore[arg-type]
        title="Install six",
        prefix=Path("/e"),
        commands=lines,
        packages=CHANGES,
        changes=tuple(Installed(line, "pip", "install", ()) for line in lines),
        settings=(Variable("", "A", None), Variable("", "B", "1"), Filtered("export C=...", "C", "cuda")),
        witness=Witness(("python", "prog.py"), "/p"),
    )
    said = "\n".join(plan_words(proposed, language))
    for named in (*lines, "/e", "six 1.0 → 2.0", "undo", "python prog.py", "A", "B", "export C=..."):
        assert named in said


@pytest.mark.parametrize("language", ["en", "ja"])
def test_what_is_half_done_is_told_with_the_way_back(language: str) -> None:
    left = Journal(
        id="20261123-000000-abcd", stage=Stage.CHANGING, prefix="/e", python="/e/bin/python", title="Install six",
        created="2026-11-23T00:00:00+00:00", process=0,
    )  # fmt: skip
    assert left.is_half_done
    for said in (half_done_words(left, language), journal_words(left, language)):
        assert "Install six" in said
        assert left.id in said

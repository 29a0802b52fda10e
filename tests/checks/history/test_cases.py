"""Cases save themselves: found again, in their versions, readable by their owner alone, deleted and brought back."""

import os
import sys
from pathlib import Path

import msgspec
import pytest
from support.played_engine import TOO_OLD
from support.played_engine import case as played

from checks.facts import SentFile
from checks.facts.case import Answers, Case
from checks.history.cases import Cases, Verdicts, cases_folder
from checks.judgement.judge import judged
from checks.readers.tickets.read import read_ticket
from checks.sharing.case import CaseError

VERDICTS = Verdicts({"en": "The driver is too old.", "ja": "ドライバーが古すぎます。"}, "blocking")
TEXT = "RuntimeError: CUDA error: no kernel image is available for execution on the device\nAKIAIOSFODNN7EXAMPLE"


@pytest.fixture
def cases(tmp_path: Path) -> Cases:
    return Cases(tmp_path / "cases")


def ticket(text: str = TEXT) -> Case:
    return judged(read_ticket(SentFile(origin="pasted", name="", kind="log", text=text)), Answers(symptom="ticket"))


def at(case: Case, minute: int) -> Case:
    return msgspec.structs.replace(case, created=f"2026-11-23T10:{minute:02}:00+00:00")


def test_of_no_folder_there_are_no_cases(cases: Cases) -> None:
    assert cases.headings() == ()


def test_a_case_is_found_again_as_it_was_judged(cases: Cases) -> None:
    sent = ticket()
    heading = cases.add(sent, VERDICTS)
    assert cases.headings() == (heading,)
    assert (heading.named("en"), heading.named("ja")) == ("The driver is too old.", "ドライバーが古すぎます。")
    assert heading.is_ticket
    again = cases.read(heading.id)
    assert [found.cause for found in again.findings] == [found.cause for found in sent.findings]


def test_the_last_changed_comes_first(cases: Cases) -> None:
    first, second = cases.add(at(played(), 1), VERDICTS), cases.add(at(played(), 2), VERDICTS)
    assert [heading.id for heading in cases.headings()] == [second.id, first.id]
    cases.add_version(first.id, at(played(TOO_OLD), 3), VERDICTS)
    assert [heading.id for heading in cases.headings()] == [first.id, second.id]


def test_no_secret_is_written(cases: Cases) -> None:
    heading = cases.add(ticket(), VERDICTS)
    kept = b"".join(path.read_bytes() for path in (cases.folder / heading.id).iterdir())
    assert b"AKIA" not in kept
    assert "AKIA" not in str(cases.read(heading.id).facts.logs)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps what lies in a user's folder from others")
def test_nobody_else_may_read_it(cases: Cases) -> None:
    heading = cases.add(ticket(), VERDICTS)
    places = (cases.folder, cases.folder / heading.id, *(cases.folder / heading.id).iterdir())
    assert all(not place.stat().st_mode & 0o077 for place in places)


def test_a_search_looks_for_every_word(cases: Cases) -> None:
    heading = cases.add(ticket(), VERDICTS)
    assert heading.has("driver KERNEL")
    assert heading.has("古すぎ")
    assert heading.has("")
    assert not heading.has("driver onnx")


def test_what_is_broken_off_never_takes_the_place_of_a_whole_report(cases: Cases) -> None:
    heading = cases.add(played(TOO_OLD), VERDICTS)
    after = cases.add_version(heading.id, played(complete=False), Verdicts({"en": "Cancelled."}, "unknown"))
    assert after == heading
    assert cases.versions(heading.id) == (1, 2)
    assert cases.read(heading.id).complete
    assert not cases.read(heading.id, 2).complete
    whole = cases.add_version(heading.id, at(played(), 5), Verdicts({"en": "In order."}, "clear"))
    assert (whole.shown, whole.named("en"), whole.created) == (3, "In order.", heading.created)


def test_of_many_versions_the_last_stay(cases: Cases) -> None:
    heading = cases.add(played(), VERDICTS)
    for minute in range(25):
        heading = cases.add_version(heading.id, at(played(), minute), VERDICTS)
    assert cases.versions(heading.id) == tuple(range(7, 27))


def test_a_name_and_an_answer_are_kept(cases: Cases) -> None:
    heading = cases.add(played(), VERDICTS)
    assert cases.rename(heading.id, " Customer\n4711 ").named("en") == "Customer 4711"
    assert cases.mark(heading.id, answered=True).is_answered
    assert cases.headings()[0].is_answered
    assert cases.rename(heading.id, "").named("en") == "The driver is too old."


def test_what_was_deleted_comes_back(cases: Cases) -> None:
    heading = cases.add(played(), VERDICTS)
    cases.delete(heading.id)
    assert cases.headings() == ()
    with pytest.raises(KeyError):
        cases.read(heading.id)
    assert cases.restore(heading.id) == heading
    assert cases.headings() == (heading,)


def test_after_thirty_days_it_is_gone(cases: Cases) -> None:
    old, new = cases.add(played(), VERDICTS), cases.add(played(), VERDICTS)
    cases.delete(old.id)
    cases.delete(new.id)
    os.utime(cases.folder / "deleted" / old.id, (1, 1))
    cases.empty()
    with pytest.raises(KeyError):
        cases.restore(old.id)
    assert cases.restore(new.id) == new


def test_all_of_them_are_deleted_for_good(cases: Cases) -> None:
    cases.delete(cases.add(played(), VERDICTS).id)
    cases.add(played(), VERDICTS)
    assert cases.delete_all() == 1
    assert list(cases.folder.iterdir()) == []


def test_of_too_many_the_oldest_go(cases: Cases, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("checks.history.cases._MOST", 2)
    first, second, third = (cases.add(at(played(), minute), VERDICTS) for minute in range(3))
    assert [heading.id for heading in cases.headings()] == [third.id, second.id]
    assert cases.restore(first.id) == first


@pytest.mark.parametrize("data", [b"", b"{", b'{"format": 9, "created": "", "changed": ""}', b"[" * 70_000])
def test_a_damaged_heading_is_passed_over(cases: Cases, data: bytes) -> None:
    heading = cases.add(played(), VERDICTS)
    (cases.folder / heading.id / "heading.json").write_bytes(data)
    assert cases.headings() == ()
    assert (cases.folder / heading.id / "001.case").exists()


@pytest.mark.parametrize("data", [b"", b"no zlib", b"x\x9c\x03\x00"])
def test_a_damaged_version_says_so(cases: Cases, data: bytes) -> None:
    heading = cases.add(played(), VERDICTS)
    (cases.folder / heading.id / "001.case").write_bytes(data)
    with pytest.raises(CaseError):
        cases.read(heading.id)


def test_where_the_newest_is_damaged_the_one_before_opens(cases: Cases) -> None:
    heading = cases.add(ticket(), VERDICTS)
    cases.add_version(heading.id, ticket(f"{TEXT}\nmore"), VERDICTS)
    (cases.folder / heading.id / "002.case").write_bytes(b"cut")
    assert "more" not in str(cases.read(heading.id).facts.logs)
    with pytest.raises(CaseError):
        cases.read(heading.id, 2)


@pytest.mark.parametrize("name", ["..", "../x", "deleted", "", "20260101-000000-abcdef"])
def test_no_name_leads_out_of_the_folder(cases: Cases, name: str) -> None:
    cases.add(played(), VERDICTS)
    for act in (cases.read, cases.delete, cases.restore):
        with pytest.raises(KeyError):
            act(name)


def test_a_disk_that_is_full_leaves_nothing_behind(cases: Cases, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("checks.history.cases.write_whole", full)
    with pytest.raises(OSError, match="No space"):
        cases.add(played(), VERDICTS)
    assert list(cases.folder.iterdir()) == []


def test_who_wants_nothing_remembered_has_no_cases(tmp_path: Path) -> None:
    assert cases_folder({"NAOSU_HISTORY": "off"}) is None
    assert cases_folder({"NAOSU_HISTORY": str(tmp_path)}) == tmp_path / "cases"
    (tmp_path / "off").touch()
    assert cases_folder({"NAOSU_HISTORY": str(tmp_path)}) is None


def test_a_broken_off_check_takes_no_place_by_its_remedies(cases: Cases) -> None:
    heading = cases.add(at(played(TOO_OLD), 1), VERDICTS)
    broken = at(played(TOO_OLD, complete=False), 2)
    cases.add_version(heading.id, broken, VERDICTS)
    cases.replace(heading.id, broken, VERDICTS)  # a remedy of what was found until then was tried
    assert cases.read(heading.id).created == at(played(), 1).created
    assert cases.read(heading.id).complete


def test_what_another_window_checked_meanwhile_stays(cases: Cases) -> None:
    heading = cases.add(at(played(TOO_OLD), 1), VERDICTS)
    cases.add_version(heading.id, at(played(), 2), VERDICTS)
    cases.replace(heading.id, at(played(TOO_OLD), 1), VERDICTS)
    assert cases.read(heading.id, 2).created == at(played(), 2).created
    assert cases.versions(heading.id) == (1, 2, 3)


def test_of_many_that_were_broken_off_the_last_stay(cases: Cases, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("checks.history.cases._MOST_VERSIONS", 3)
    heading = cases.add(played(), VERDICTS)
    for minute in range(5):
        cases.add_version(heading.id, at(played(complete=False), minute), VERDICTS)
    assert cases.versions(heading.id) == (1, 5, 6)
    assert cases.read(heading.id).complete


def test_a_new_one_stays_though_the_clock_was_set_back(cases: Cases, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("checks.history.cases._MOST", 2)
    for minute in (10, 11):
        cases.add(at(played(), minute), VERDICTS)
    new = cases.add(at(played(), 1), VERDICTS)
    assert new in cases.headings()
    assert len(cases.headings()) == 2


def test_a_long_verdict_does_not_hide_the_case(cases: Cases) -> None:
    heading = cases.add(played(), Verdicts({"en": "long " * 20_000, "ja": "長い" * 40_000}, "clear"))
    assert cases.headings() == (heading,)


def test_no_secret_is_in_the_list(cases: Cases) -> None:
    heading = cases.add(played(), Verdicts({"en": "No module AKIAIOSFODNN7EXAMPLE"}, "blocking"))
    assert "AKIA" not in heading.named("en")
    assert "AKIA" not in cases.rename(heading.id, "key AKIAIOSFODNN7EXAMPLE of a customer").title


def test_also_what_cannot_be_read_is_deleted_for_good(cases: Cases, tmp_path: Path) -> None:
    heading, newer = cases.add(played(), VERDICTS), cases.add(played(), VERDICTS)
    (cases.folder / newer.id / "heading.json").write_text('{"format": 2, "created": "", "changed": ""}')
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "of-somebody").touch()
    (cases.folder / "20000101-000000-ffffff").symlink_to(elsewhere)
    assert cases.headings() == (heading,)
    assert cases.delete_all() == 1
    assert list(cases.folder.iterdir()) == []
    assert (elsewhere / "of-somebody").exists()  # a link is not followed


@pytest.mark.skipif(sys.platform == "win32", reason="has no such rights")
def test_the_folder_around_is_private_too(tmp_path: Path) -> None:
    Cases(tmp_path / "naosu" / "history" / "cases").add(played(), VERDICTS)
    assert (tmp_path / "naosu" / "history").stat().st_mode & 0o077 == 0


def test_what_was_deleted_is_listed_the_last_first(cases: Cases) -> None:
    first, second = cases.add(at(played(), 1), VERDICTS), cases.add(at(played(), 2), VERDICTS)
    assert cases.deleted() == ()
    for minute, heading in enumerate((second, first)):
        cases.delete(heading.id)
        os.utime(cases.folder / "deleted" / heading.id, (minute, minute))
    assert cases.deleted() == (first, second)
    cases.restore(first.id)
    assert cases.deleted() == (second,)


def test_what_is_removed_for_good_cannot_be_brought_back(cases: Cases) -> None:
    heading, other = cases.add(played(), VERDICTS), cases.add(played(), VERDICTS)
    cases.remove(heading.id)
    assert {one.id for one in cases.headings()} == {other.id}
    assert cases.deleted() == ()
    cases.remove(heading.id)  # it is gone already
    cases.remove("../..")


def test_each_version_has_its_time_and_opens(cases: Cases) -> None:
    heading = cases.add(at(played(), 1), VERDICTS)
    cases.add_version(heading.id, at(played(TOO_OLD), 2), VERDICTS)
    saved = cases.saved_at(heading.id)
    assert list(saved) == [1, 2]
    assert saved[1] <= saved[2]
    assert [cases.read(heading.id, number).created[14:16] for number in saved] == ["01", "02"]
    assert cases.saved_at("../..") == {}


def test_an_answer_is_that_to_one_version(cases: Cases) -> None:
    first, second = at(ticket(), 1), at(ticket(), 2)
    heading = cases.add(first, VERDICTS)
    assert cases.reply(heading.id, "en", first.created) == ""
    cases.keep_reply(heading.id, "en", "Dear Ms Sato, password=hunter2hunter2", first.created)
    assert cases.reply(heading.id, "en", first.created).startswith("Dear Ms Sato")
    assert "hunter2" not in cases.reply(heading.id, "en", first.created)
    assert cases.reply(heading.id, "ja", first.created) == ""
    cases.mark(heading.id, answered=True)
    cases.add_version(heading.id, second, VERDICTS)
    assert cases.reply(heading.id, "en", second.created) == ""
    cases.keep_reply(heading.id, "en", "Now it is known.", second.created)
    assert cases.reply(heading.id, "en", first.created).startswith("Dear Ms Sato")


def test_an_earlier_result_is_saved_anew_in_its_place(cases: Cases) -> None:
    heading = cases.add(at(played(), 1), VERDICTS)
    latest = cases.add_version(heading.id, at(played(TOO_OLD), 2), VERDICTS)
    tried = at(played(TOO_OLD), 1)
    assert cases.replace(heading.id, tried, VERDICTS, 1) == latest
    assert cases.headings() == (latest,)
    assert cases.versions(heading.id) == (1, 2)
    assert cases.read(heading.id, 1).findings
    assert cases.read(heading.id).created == latest.changed


def test_what_was_not_deleted_is_brought_back_as_it_is(cases: Cases) -> None:
    heading = cases.add(played(), VERDICTS)
    assert cases.restore(heading.id) == heading


def test_an_emptied_answer_is_none(cases: Cases) -> None:
    heading = cases.add(ticket(), VERDICTS)
    cases.keep_reply(heading.id, "en", "Mine.", heading.changed)
    cases.keep_reply(heading.id, "en", "  \n", heading.changed)
    assert cases.reply(heading.id, "en", heading.changed) == ""
    with pytest.raises(KeyError):
        cases.keep_reply("20260101-000000-abcdef", "en", "Mine.", heading.changed)


def test_a_damaged_answer_is_none(cases: Cases) -> None:
    heading = cases.add(ticket(), VERDICTS)
    cases.keep_reply(heading.id, "en", "Mine.", heading.changed)
    (path,) = (cases.folder / heading.id).glob("reply-*")
    assert path.stat().st_mode & 0o077 == 0
    for data in (b"", b"{", b"[1]", b"\xff"):
        path.write_bytes(data)
        assert cases.reply(heading.id, "en", heading.changed) == ""

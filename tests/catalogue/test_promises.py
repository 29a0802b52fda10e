"""The threat model of CONTRIBUTING.md: each promise names tests that there are, and each hole of the attack is in one.

``HOLES``: what the first attack saw, each with the tests that it would break.
"""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TRUST = (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("\n## Trust\n")[2].partition("\n## ")[0]
PROMISES = dict(re.findall(r"^\| ([^|]+) \| (`tests/[^|]+) \|$", TRUST, re.MULTILINE))

RUNNER = "tests/checks/engine/processes/test_runner.py"
HOLES = {
    "the current folder runs code": (
        "tests/wizard/cli/test_target.py::test_without_a_terminal_what_was_only_found_is_not_started",
        "tests/wizard/cli/test_target.py::test_what_belongs_to_another_user_is_never_started_unnamed",
        "tests/checks/interpreters/test_choice.py::test_what_another_user_owns_is_neither_named_nor_offered",
    ),
    "green on pickles that execute": (
        "tests/live/test_hostile_proof.py::test_they_run_something",
        "tests/checks/readers/models/test_hostile_pickles.py::test_what_runs_something_is_said_first",
        "tests/checks/readers/models/test_hostile_pickles.py::test_harmless_ones_are_not_disturbed",
    ),
    "the sender chooses what is installed": (
        "tests/catalogue/test_hostile_values.py::test_no_hostile_value_stands_in_a_command",
        "tests/catalogue/test_hostile_values.py::test_no_hostile_interpreter_stands_in_a_command",
        "tests/catalogue/test_sent_cases.py::test_nothing_of_a_sender_stands_in_a_command",
    ),
    "secrets go out": (
        "tests/checks/sharing/test_planted_secrets.py::test_each_alone",
        "tests/checks/sharing/test_planted_secrets.py::test_all_together_in_what_is_written",
        "tests/checks/sharing/test_planted_secrets.py::test_all_together_in_a_pdf",
    ),
    "true things are hidden": (
        "tests/checks/sharing/test_planted_secrets.py::test_what_is_harmless_stays_byte_for_byte",
        "tests/checks/sharing/test_redact.py::test_a_home_named_like_a_fact_hides_no_fact",
        "tests/checks/sharing/test_redact.py::test_a_case_that_was_hidden_and_opened_again_has_the_same_verdict",
    ),
    "memory and time": (
        "tests/wizard/report/pdf/test_attached_case.py::test_what_is_packed_as_ours_never_is",
        "tests/checks/sharing/test_case.py::test_of_twenty_thousand_packages_the_first_are_read_and_the_case_says_so",
        "tests/checks/sharing/test_redact.py::test_of_many_homes_each_is_hidden_and_none_is_searched_for_alone",
        "tests/wizard/report/content/test_bounds.py::test_many_damaged_models",
        "tests/wizard/report/content/test_bounds.py::test_probes_and_texts_without_end",
    ),
    "hang and read": (f"{RUNNER}::test_what_lies_in_the_place_of_our_files_is_neither_waited_for_nor_read",),
    "imports from the folder": ("tests/live/test_isolated_start.py::test_nothing_of_the_current_folder_is_imported",),
    "terminal": (
        "tests/live/test_on_a_terminal.py::test_environments_near",
        "tests/live/test_on_a_terminal.py::test_a_ticket_in_every_form",
        "tests/live/test_on_a_terminal.py::test_an_error_is_one_line",
    ),
    "small": (
        "tests/checks/sharing/test_case.py::test_a_measurement_of_no_kind_is_passed_over",
        "tests/checks/readers/containers/test_folder.py::test_links_that_lead_out_are_named_and_not_followed",
        "tests/wizard/report/pdf/test_document.py::test_no_font_is_said",
        "tests/live/test_saving.py::test_killed_at_any_moment",
    ),
}

FLEET = "tests/checks/fleet/test_sources.py"
HOLES |= {  # of the second attack
    "a number of 400 digits ends an examination": (
        "tests/checks/engine/processes/test_transcript.py::test_a_number_that_no_file_can_hold_is_nearly_that",
    ),
    "a kilobyte of a fleet's answers takes gigabytes": (
        f"{FLEET}::test_of_a_packed_member_no_more_is_unpacked_than_is_read",
        f"{FLEET}::test_a_name_without_end_in_a_tar_is_not_read",
        f"{FLEET}::test_what_a_small_tar_unpacks_to_has_an_end",
    ),
    "a store that was sent reads files": (
        "tests/checks/desk/test_store.py::test_a_file_that_was_sent_reaches_nothing_else",
        "tests/checks/fleet/test_survey.py::test_a_store_that_was_sent_reaches_nothing_else",
    ),
    "a mail takes minutes, or ends the desk": (
        "tests/checks/readers/test_html_text.py::test_what_never_ends_is_gone_through_once",
        "tests/checks/readers/mails/test_mails.py::test_a_header_that_the_standard_library_breaks_at",
        "tests/checks/readers/tickets/test_threads.py::test_parts_within_parts_have_an_end",
        "tests/checks/readers/tickets/test_threads.py::test_marks_that_never_end_are_gone_through_once",
    ),
    "a script waits for ever, or names another file in its diff": (
        "tests/checks/readers/scripts/test_sources.py::test_a_pipe_that_is_imported_is_not_waited_for",
        "tests/checks/analysis/scripts/test_changes.py::test_a_name_is_no_line_of_a_diff",
        "tests/live/test_on_a_terminal.py::test_the_changes_of_a_script",
    ),
    "a broken Python takes the probe's answer with it": (
        "tests/checks/engine/portable/test_archive.py::test_whatever_a_python_tells_the_answer_is_written",
    ),
    "a version is a command in the way back": ("tests/checks/mending/test_later_work.py::test_the_way_back_is_quoted",),
}


@cache
def names_in(path: Path) -> frozenset[str]:
    tree = ast.parse(path.read_text("utf-8"))
    names = (node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
    return frozenset(name for name in names if name.startswith("test_"))


def named(promise: str) -> list[Path]:
    """The files that a promise names; one without a folder lies beside the one before it, or below that folder."""
    paths: list[Path] = []
    for name in re.findall(r"`([^`]+)`", PROMISES[promise]):
        near = [ROOT / name, *(parent / name for path in paths[-1:] for parent in path.parents)]
        paths.append(next((path for path in near if path.exists()), ROOT / name))
    return paths


def test_there_are_promises() -> None:
    assert len(PROMISES) >= 15
    assert len(PROMISES) == TRUST.count("| `tests/")


@pytest.mark.parametrize("promise", PROMISES)
def test_a_promise_has_tests(promise: str) -> None:
    paths = named(promise)
    assert paths
    for path in paths:
        files = sorted(path.rglob("test_*.py")) if path.is_dir() else [path]
        assert files, path
        assert any(names_in(file) for file in files if file.is_file()), f"{promise}: no test in {path}"


@pytest.mark.parametrize("hole", HOLES)
def test_a_hole_is_in_a_test(hole: str) -> None:
    for place in HOLES[hole]:
        file, _, name = place.partition("::")
        assert name in names_in(ROOT / file), place

"""The line in which a variable is set is found in the user's own files, and shown as it would be."""

from pathlib import Path

import msgspec
import pytest

from checks.facts import EnvironmentVariables, Facts, MachineFacts, OsFacts, ProgramRun
from checks.facts.case import Answers, Case
from checks.facts.finding import Finding, Severity
from checks.knowledge.commands.setting_places import SettingPlaces
from checks.mending import settings
from checks.mending.settings import Surroundings, placed
from checks.proof.changes import Filtered, Variable
from checks.remedies.plan import plan_remedies
from wizard.report.content.remedies.mendings import setting_items
from wizard.words import area


def case(value: str = "verbose", *, here: bool = True) -> Case:
    finding = Finding(
        cause="environment-variable-invalid",
        severity=Severity.BLOCKING,
        confidence=0.9,
        values={"variable": "TORCH_LOGS"},
        remedies=("unset-environment-variable",),
    )
    facts = Facts(
        machine=MachineFacts(os=OsFacts(system="Linux")),
        target="/e/bin/python",
        environment=EnvironmentVariables(values={"TORCH_LOGS": value}),
        runs=(ProgramRun(command=("python",), exit_code=1),),
        here=here,
    )
    return Case(created="", answers=Answers(symptom="does-not-start"), facts=facts, outcomes=(), findings=(finding,))


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("~/.bashrc", "export TORCH_LOGS=verbose  # to see more"),
        ("~/.bashrc", "export TORCH_LOGS='verbose'"),
        ("~/.profile", 'TORCH_LOGS="verbose"'),
        ("~/.zshrc", "typeset -x TORCH_LOGS=$LEVEL"),
        ("~/.config/fish/config.fish", "set -gx TORCH_LOGS verbose"),
        ("~/.config/fish/fish_variables", "SETUVAR --export TORCH_LOGS:verbose"),
        ("~/.config/environment.d/10-ai.conf", "TORCH_LOGS=verbose"),
        ("~/.config/systemd/user/ai.service", 'Environment="TORCH_LOGS=verbose"'),
        ("./.env", "TORCH_LOGS=verbose"),
        ("./.vscode/launch.json", '        "TORCH_LOGS": "verbose",'),
        ("@/bin/activate", "export TORCH_LOGS=verbose"),
    ],
)
def test_the_line_is_found(tmp_path: Path, path: str, line: str) -> None:
    home = tmp_path / "home"
    around = Surroundings(home, home / "project" / "src", home / "env", {"TORCH_LOGS": "verbose"})
    assert around.folder is not None
    around.folder.mkdir(parents=True)
    root = {"~": home, ".": home / "project", "@": home / "env"}[path[0]]
    file = root / path[2:]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"# TORCH_LOGS=verbose\nexport OTHER_TORCH_LOGS=verbose\n{line}\n")
    (place,) = placed(case(), around).facts.settings
    assert (place.path, place.line, place.text, place.changed) == (str(file), 3, line.strip(), None)
    assert place.anew


@pytest.mark.parametrize(
    ("syntax", "line", "changed"),
    [
        ("shell", "export A=old  # why", "export A='new value'  # why"),
        ("fish", "set -gx A old", "set -gx A 'new value'"),
        ("assignment", "A=old", "A=new value"),
        ("json", '  "A": "old",', '"A": "new value",'),
        ("unit", "Environment=A=old", "Environment=A=new value"),
    ],
)
def test_another_value_is_written_as_the_file_wants_it(tmp_path: Path, syntax: str, line: str, changed: str) -> None:
    row = msgspec.structs.replace(SettingPlaces.read().file[0], syntax=syntax)
    (tmp_path / "file").write_text(line)
    found = settings._lines("remedy", Variable("", "A", "new value"), tmp_path / "file", row, Surroundings(tmp_path))
    assert [place.changed for place in found] == [changed]


@pytest.mark.parametrize(
    ("line", "changed"),
    [
        ("export L=/old/cuda/lib:/usr/lib", "export L=/usr/lib"),
        ('export L="/old/cuda/lib:$L"', 'export L="$L"'),
        ("export L=/old/cuda/lib", None),
    ],
)
def test_a_list_loses_the_members_that_are_wrong(tmp_path: Path, line: str, changed: str | None) -> None:
    (tmp_path / "file").write_text(f"export L=/opt/lib:$L\n{line}\n")
    row = SettingPlaces.read().file[0]
    wrong = Filtered("", "L", "cuda")
    (place,) = settings._lines("remedy", wrong, tmp_path / "file", row, Surroundings(tmp_path))
    assert (place.line, place.changed) == (2, changed)


def test_a_line_with_another_value_is_not_accused(tmp_path: Path) -> None:
    (tmp_path / ".bashrc").write_text("export TORCH_LOGS=dynamo\n")
    around = Surroundings(tmp_path, values={"TORCH_LOGS": "verbose"})
    assert placed(case(), around).facts.settings == ()


def test_windows_shows_the_users_variables(tmp_path: Path) -> None:
    around = Surroundings(tmp_path, registry=lambda: {"TORCH_LOGS": "verbose"})
    shown = placed(case(), around)
    (place,) = shown.facts.settings
    assert (place.path, place.line, place.text) == ("HKEY_CURRENT_USER\\Environment", 0, "TORCH_LOGS=verbose")
    (plan,) = plan_remedies(shown.findings[0], shown.facts, "en")
    for language in ("en", "ja"):
        items = setting_items(plan.settings, language)
        assert items is not None
        assert "TORCH_LOGS=verbose" in items.items[0].text


def test_a_report_from_elsewhere_chooses_no_line(tmp_path: Path) -> None:
    (tmp_path / ".bashrc").write_text("export TORCH_LOGS=verbose\n")
    assert placed(case(here=False), Surroundings(tmp_path)).facts.settings == ()
    shown = placed(case(), Surroundings(tmp_path))
    sent = msgspec.structs.replace(shown.facts, here=False)
    (plan,) = plan_remedies(shown.findings[0], sent, "en")
    assert plan.settings == ()


def test_every_kind_of_start_has_its_words() -> None:
    assert {f"anew-{row.anew}" for row in SettingPlaces.read().file} <= area("mendings").keys()
    assert {row.syntax for row in SettingPlaces.read().file} <= settings._SYNTAX.keys()


def test_what_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    import os

    os.mkfifo(tmp_path / ".bashrc")
    (tmp_path / ".zshrc").symlink_to(tmp_path / "nowhere")
    assert placed(case(), Surroundings(tmp_path)).facts.settings == ()

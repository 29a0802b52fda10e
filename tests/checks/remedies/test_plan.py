"""The remedy for this machine: its platform, its package manager, its interpreter; nothing that does not apply."""

import string
import unittest

import msgspec
import pytest
from support.placeholder_values import usual

from checks.facts import (
    Facts,
    Frame,
    InterpreterFacts,
    JetsonFacts,
    MachineFacts,
    OsFacts,
    Package,
    ProgramRun,
    PythonProcess,
    Raised,
)
from checks.facts.finding import FAILED_RUN, Evidence, Finding, Severity
from checks.knowledge.catalogue import Remedy, Step, Verify, Words, remedy_of
from checks.knowledge.commands.placeholders import Kind, kinds
from checks.languages import LANGUAGES
from checks.paths import ROOT
from checks.remedies.plan import RemedyPlan, plan_remedies, platforms_of

SAME = Words(en="x", ja="x")


def facts(
    system: str = "Linux",
    manager: str | None = "pip",
    python: str = "/venv/bin/python",
    managed: bool = False,
    **os: object,
) -> Facts:
    interpreter = InterpreterFacts(path=python, package_manager=manager, externally_managed=managed)
    machine = MachineFacts(os=OsFacts(system=system, **os))  # type: ignore[arg-type]
    return Facts(machine=machine, interpreters=(interpreter,), target=python)


def finding(**values: str) -> Finding:
    return Finding(cause="driver-too-old-for-cuda", severity=Severity.BLOCKING, confidence=1, values=values)


@pytest.fixture
def plan(monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    """Plan one remedy that is made of these steps."""

    def of(
        steps: tuple[Step, ...], known: Facts, *, needs: tuple[str, ...] = (), verify: str = "", **values: str
    ) -> RemedyPlan | None:
        made = Remedy(
            remedy="made", title=SAME, step=steps, verify=Verify(expect=SAME, code=verify), tested="", needs=needs
        )
        real = remedy_of
        monkeypatch.setattr("checks.remedies.plan.remedy_of", lambda each: made if each == "made" else real(each))
        asked = Finding(
            cause="driver-too-old-for-cuda", severity=Severity.NOTE, confidence=1, values=values, remedies=("made",)
        )
        plans = plan_remedies(asked, known, "en")
        return plans[0] if plans else None

    return of  # fmt: skip


def command(code: str, *platforms: str, managers: tuple[str, ...] = ()) -> Step:
    return Step(kind="command", code=code, platforms=platforms, managers=managers)


def codes(plan: RemedyPlan | None) -> list[str]:
    return [] if plan is None else [step.code for step in plan.steps]


@pytest.mark.parametrize(
    ("known", "tags"),
    [
        pytest.param(facts(), ("linux",), id="linux"),
        pytest.param(facts("Windows"), ("windows",), id="windows"),
        pytest.param(facts("Darwin"), ("macos",), id="macos"),
        pytest.param(facts(wsl=2), ("wsl", "linux"), id="wsl"),
        pytest.param(facts(container="docker", wsl=2), ("container", "wsl", "linux"), id="container-in-wsl"),
        pytest.param(facts(container="", wsl=0), ("linux",), id="looked-and-none"),
        pytest.param(
            Facts(machine=MachineFacts(os=OsFacts(system="Linux"), jetson=JetsonFacts(model="Orin"))),
            ("jetson", "linux"),
            id="jetson",
        ),
        pytest.param(facts("FreeBSD"), (), id="unknown-system"),
        pytest.param(Facts(), (), id="unread"),
    ],
)
def test_platforms(known: Facts, tags: tuple[str, ...]) -> None:
    assert platforms_of(known) == tags


STEPS = (
    command("ubuntu", "linux", managers=("ubuntu-drivers",)),
    command("apt", "linux", managers=("apt",)),
    command("dnf", "linux", managers=("dnf",)),
    command("win", "windows", "wsl"),
    command("all"),
)


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        pytest.param(facts(package_managers=("apt",), distribution="debian"), ["apt", "all"], id="debian"),
        pytest.param(facts(package_managers=("apt",), distribution="ubuntu"), ["ubuntu", "all"], id="ubuntu"),
        pytest.param(facts(package_managers=("dnf", "apt")), ["apt", "all"], id="two-managers-the-remedy-s-order"),
        pytest.param(facts(package_managers=("emerge",)), ["ubuntu", "apt", "dnf", "all"], id="another-manager"),
        pytest.param(facts(package_managers=()), ["ubuntu", "apt", "dnf", "all"], id="looked-and-no-manager"),
        pytest.param(facts(distribution="ubuntu"), ["ubuntu", "all"], id="told-ubuntu"),
        pytest.param(
            facts(distribution="pop", distribution_like=("ubuntu", "debian")),
            ["ubuntu", "all"],
            id="told-kin",
        ),
        pytest.param(facts(distribution="debian"), ["apt", "all"], id="told-debian"),
        pytest.param(
            facts(distribution="rocky", distribution_like=("rhel", "centos", "fedora")), ["dnf", "all"], id="told-rocky"
        ),
        pytest.param(
            facts(distribution="centos", version="7.9", distribution_like=("rhel", "fedora")),
            ["ubuntu", "apt", "dnf", "all"],
            id="told-one-that-had-yum",
        ),
        pytest.param(facts(distribution="nixos"), ["ubuntu", "apt", "dnf", "all"], id="told-another-distribution"),
        pytest.param(facts("Windows"), ["win", "all"], id="windows"),
        pytest.param(facts(wsl=2, package_managers=("apt",)), ["win", "all"], id="wsl-is-named"),
        pytest.param(facts(container="docker", package_managers=("dnf",)), ["dnf", "all"], id="container-is-linux"),
        pytest.param(facts("Darwin"), ["all"], id="macos"),
        pytest.param(Facts(), ["ubuntu", "apt", "dnf", "win", "all"], id="unknown"),
    ],
)
def test_steps_for_this_machine(plan, known: Facts, expected: list[str]) -> None:  # type: ignore[no-untyped-def]
    assert codes(plan(STEPS, known)) == expected


def test_what_is_unsure_is_labelled(plan) -> None:  # type: ignore[no-untyped-def]
    unknown = plan(STEPS, Facts())
    assert [(step.platforms, step.managers) for step in unknown.steps[1:4]] == [
        (("linux",), ("apt",)),
        (("linux",), ("dnf",)),
        (("windows", "wsl"), ()),
    ]
    sure = plan(STEPS, facts(package_managers=("apt",)))
    assert not any(step.platforms or step.managers for step in sure.steps)


def test_no_step_for_this_platform_no_remedy(plan) -> None:  # type: ignore[no-untyped-def]
    assert plan((command("x", "macos"),), facts()) is None


def test_needs(plan) -> None:  # type: ignore[no-untyped-def]
    steps = (command("install {python_fit}"),)
    assert plan(steps, facts(), needs=("python_fit",)) is None
    assert codes(plan(steps, facts(), needs=("python_fit", "python"), python_fit="3.12")) == ["install 3.12"]


INSTALL = (command("{pip_uninstall} torch"), command("{pip_install} torch"), command("{python} -V"))


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        pytest.param(
            facts(),
            [
                "/venv/bin/python -m pip uninstall -y torch",
                "/venv/bin/python -m pip install torch",
                "/venv/bin/python -V",
            ],
            id="venv",
        ),
        pytest.param(
            facts(manager="conda", python="/opt/my conda/bin/python"),
            [
                "'/opt/my conda/bin/python' -m pip uninstall -y torch",
                "'/opt/my conda/bin/python' -m pip install torch",
                "'/opt/my conda/bin/python' -V",
            ],
            id="conda",
        ),
        pytest.param(
            facts(manager="uv"),
            [
                "uv pip uninstall --python /venv/bin/python torch",
                "uv pip install --python /venv/bin/python torch",
                "/venv/bin/python -V",
            ],
            id="uv",
        ),
        pytest.param(
            facts("Windows", python=r"C:\a b\python.exe"),
            [
                r'& "C:\a b\python.exe" -m pip uninstall -y torch',
                r'& "C:\a b\python.exe" -m pip install torch',
                r'& "C:\a b\python.exe" -V',
            ],
            id="windows",
        ),
        pytest.param(
            facts(python="/usr/bin/python3", managed=True),
            ["/usr/bin/python3 -m venv .venv", ".venv/bin/python -m pip install torch", ".venv/bin/python -V"],
            id="managed-by-the-system-gets-a-venv",
        ),
        pytest.param(
            facts(manager="uv", python="/uv/python3", managed=True),
            [
                "uv venv --python /uv/python3 .venv",
                "uv pip install --python .venv/bin/python torch",
                ".venv/bin/python -V",
            ],
            id="managed-by-uv-gets-a-venv",
        ),
        pytest.param(
            Facts(),
            ["python -m pip uninstall -y torch", "python -m pip install torch", "python -V"],
            id="unknown-interpreter",
        ),
    ],
)
def test_pip(plan, known: Facts, expected: list[str]) -> None:  # type: ignore[no-untyped-def]
    assert codes(plan(INSTALL, known)) == expected


def test_removing_from_the_system_s_python_says_so(plan) -> None:  # type: ignore[no-untyped-def]
    known = facts(python="/usr/bin/python3", managed=True)
    assert codes(plan((command("{pip_uninstall} torch"),), known)) == [
        "/usr/bin/python3 -m pip uninstall -y --break-system-packages torch"
    ]


def test_a_hostile_path_stays_one_word(plan) -> None:  # type: ignore[no-untyped-def]
    known = facts(python="/home/x/$(reboot)'s/bin/python")
    assert codes(plan((command("{python} -V"),), known)) == ["""'/home/x/$(reboot)'"'"'s/bin/python' -V"""]


def test_a_path_that_cannot_be_quoted_gives_no_command(plan) -> None:  # type: ignore[no-untyped-def]
    made = plan((command("{python} -V"),), facts(python="/home/x\nreboot\n/python"), verify="{python} -V")
    assert codes(made) == [""]
    assert made.verify.code == ""
    assert "“/home/x reboot /python”" in made.steps[0].text


def test_python_code_is_quoted_as_python(plan) -> None:  # type: ignore[no-untyped-def]
    step = Step(kind="code", code="torch.load({model_path})")
    made = plan((step,), facts(), model_path="it's")
    assert (made.steps[0].code, made.steps[0].language) == ('torch.load("it\'s")', "python")


def test_a_broken_remedy_hides_no_other(plan) -> None:  # type: ignore[no-untyped-def]
    with unittest.TestCase().assertLogs("checks.remedies.plan", "ERROR") as logged:
        assert plan((command("{nobody_gives_this}"),), facts()) is None
    assert "made" in logged.output[0]


@pytest.mark.parametrize("remedy", sorted(path.stem for path in (ROOT / "remedies").glob("*.toml")))
def test_every_remedy_of_the_catalogue_can_be_filled(remedy: str) -> None:
    """With every value that it needs it gives a plan on some platform, in both languages, with nothing left open."""
    read = remedy_of(remedy)
    needed = {name: usual(name) if name in kinds() else "1.2" for name in read.needs}
    asked = Finding(
        cause="driver-too-old-for-cuda",
        severity=Severity.NOTE,
        confidence=1,
        evidence=tuple(Evidence(name, value) for name, value in needed.items()),
        remedies=(remedy,),
    )
    for language in LANGUAGES:
        (made,) = plan_remedies(asked, Facts(), language)
        texts = [made.title, made.risk, made.verify.expect, *(step.text for step in made.steps)]
        assert made.steps
        for text in texts:
            open_names = [name for _, name, _, _ in string.Formatter().parse(text.replace("{}", "")) if name]
            assert not open_names, text


@pytest.mark.parametrize(
    ("version", "option"),
    [
        pytest.param("2.6.0+cu124", " --index-url https://download.pytorch.org/whl/cu124", id="gpu-build"),
        pytest.param("2.6.0", "", id="ordinary-registry"),
    ],
)
def test_a_build_is_updated_from_where_it_came(plan, version: str, option: str) -> None:  # type: ignore[no-untyped-def]
    """Without its index a CUDA build would be replaced by the registry's default, on Windows the CPU build."""
    known = facts()
    (target,) = known.interpreters or ()
    target = msgspec.structs.replace(target, packages=(Package(name="torch", version=version),))
    known = msgspec.structs.replace(known, interpreters=(target,))
    steps = (command("{pip_install} --upgrade {package_name}{index_option}"),)
    planned = plan(steps, known, needs=("package_name",), package_name="torch")
    assert codes(planned) == [f"/venv/bin/python -m pip install --upgrade torch{option}"]
    again = plan((command("{pip_install} {same_release}{index_option}"),), known, package_name="torch")
    assert codes(again) == [f"/venv/bin/python -m pip install torch=={version}{option}"]


def test_a_release_that_is_not_known_is_not_made_up(plan) -> None:  # type: ignore[no-untyped-def]
    planned = plan((command("{pip_install} {same_release}"),), facts(), package_name="torch")
    assert codes(planned) == ["/venv/bin/python -m pip install torch"]


def test_what_needs_no_number_is_offered_only_where_the_number_is_not_known() -> None:
    told = [plan_remedy.id for plan_remedy in plan_remedies(finding(), facts(), "en")]
    assert told[:2] == ["bring-nvidia-driver-up-to-date", "choose-torch-build"]
    known = [plan_remedy.id for plan_remedy in plan_remedies(finding(driver_min="580"), facts(), "en")]
    assert known == ["update-nvidia-driver", "choose-torch-build"]


def test_data_of_a_package_is_fetched_only_where_the_text_names_it() -> None:
    def told(**values: str) -> set[str]:
        missing = Finding(cause="model-file-not-found", severity=Severity.BLOCKING, confidence=0.9, values=values)
        return {plan.id for plan in plan_remedies(missing, facts(), "en")}

    assert not told() & {"fetch-spacy-model", "fetch-nltk-resource"}
    assert "fetch-nltk-resource" in told(nltk_resource="wordnet")


WITH_DEFAULTS = [
    each for each in sorted(path.stem for path in (ROOT / "remedies").glob("*.toml")) if remedy_of(each).default
]


@pytest.mark.parametrize("remedy", WITH_DEFAULTS)
def test_a_remedy_names_the_real_file_where_it_is_known_and_something_sensible_where_not(remedy: str) -> None:
    known = remedy_of(remedy)
    needed = {name: usual(name) if name in kinds() else "needed" for name in known.needs}
    default = {name: value if isinstance(value, str) else value.en for name, value in known.default.items()}
    named = {name: f"/m/{name}" if kinds().get(name, Kind.PATH) is Kind.PATH else usual(name) for name in default}
    for values in (default, named):
        asked = msgspec.structs.replace(finding(**needed, **values), remedies=(remedy,))
        (planned,) = plan_remedies(asked, Facts(), "en")
        shown = "\n".join((*codes(planned), planned.verify.code, *(step.text for step in planned.steps)))
        assert all(value in shown for value in values.values())


@pytest.mark.parametrize(
    ("values", "path"),
    [
        ({}, "model.onnx"),
        ({"model_path": ""}, "model.onnx"),
        ({"model_path": "/m/my model.onnx"}, "'/m/my model.onnx'"),
        ({"model_path": "/m/$(reboot).onnx"}, "'/m/$(reboot).onnx'"),
    ],
)
def test_a_default_stands_where_the_finding_does_not_know_better(
    monkeypatch: pytest.MonkeyPatch, values: dict[str, str], path: str
) -> None:
    step = command("inspect {model_path}")
    verify = Verify(expect=SAME, code="show {model_path}")
    made = Remedy(
        remedy="made", title=SAME, step=(step,), verify=verify, tested="", default={"model_path": "model.onnx"}
    )
    monkeypatch.setattr("checks.remedies.plan.remedy_of", lambda _: made)
    (planned,) = plan_remedies(msgspec.structs.replace(finding(**values), remedies=("made",)), facts(), "en")
    assert (codes(planned), planned.verify.code) == ([f"inspect {path}"], f"show {path}")


def failed_run(file: str, function: str = "<module>", **values: object) -> ProgramRun:
    raised = Raised(type="KeyError", message="'a'", frames=(Frame(file=file, line=3, function=function),))
    run = ProgramRun(command=("python", "train.py"), exit_code=1, pythons=(PythonProcess(pid=7, raised=raised),))
    return msgspec.structs.replace(run, **values)


@pytest.mark.parametrize(
    ("run", "here", "script"),
    [
        pytest.param(failed_run("/home/me/my work/train.py"), True, "'/home/me/my work/train.py'", id="seen-here"),
        pytest.param(failed_run("/home/me/train.py"), False, "your_script.py", id="of-a-stranger-s-report"),
        pytest.param(failed_run("<frozen runpy>", "_run"), True, "your_script.py", id="a-module-was-started"),
        pytest.param(failed_run("/v/lib/python3.12/site-packages/a/b.py"), True, "your_script.py", id="of-a-package"),
        pytest.param(failed_run("/h/a.py", statement="import a"), True, "your_script.py", id="a-statement-alone"),
    ],
)
def test_the_debugger_is_told_the_user_s_own_file(run: ProgramRun, here: bool, script: str) -> None:
    asked = Finding(cause="user-code-error", severity=Severity.BLOCKING, confidence=1, remedies=("read-the-traceback",))
    planned = plan_remedies(asked, msgspec.structs.replace(facts(), runs=(run,), here=here), "en")
    assert codes(planned[0])[1] == f"/venv/bin/python -m pdb --command continue {script}"


@pytest.mark.parametrize(
    ("run", "code"),
    [
        (ProgramRun(command=("/venv/bin/python", "my prog.py"), exit_code=1), "/venv/bin/python 'my prog.py'"),
        (
            ProgramRun(command=("python work/a.py",), started=("python", "work/a.py"), exit_code=2),
            "python work/a.py",  # the line that was written in the window is no name of a program
        ),
        (ProgramRun(statement="import six", exit_code=1), "/venv/bin/python -c 'import six'"),
        (ProgramRun(command=("python", "-c", "import six\nprint(1)"), exit_code=1), ""),
    ],
)
def test_what_failed_is_the_check_of_a_remedy_that_has_none(run: ProgramRun, code: str) -> None:
    known = msgspec.structs.replace(facts(), runs=(run,), here=True)
    asked = finding(requirement="six==2.0", **{FAILED_RUN: run.label})
    (planned,) = plan_remedies(msgspec.structs.replace(asked, remedies=("install-required-version",)), known, "en")
    assert planned.verify.code == code
    assert "pip check" not in planned.verify.expect
    sent = msgspec.structs.replace(known, here=False)
    (planned,) = plan_remedies(msgspec.structs.replace(asked, remedies=("install-required-version",)), sent, "en")
    assert planned.verify.code == ""

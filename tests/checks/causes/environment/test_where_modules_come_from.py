"""When shadowing-file, wrong-package-of-same-name, and what PYTHONPATH and a move do, are told, and when not."""

import msgspec
import pytest

from checks.causes.environment.interpreter_not_usable import interpreter_not_usable
from checks.causes.environment.library_path_conflict import library_path_conflict
from checks.causes.environment.shadowing_file import shadowing_file
from checks.causes.environment.wrong_package_of_same_name import wrong_package_of_same_name
from checks.facts import (
    Facts,
    ForeignModule,
    Frame,
    HidingFile,
    InstalledFiles,
    InstalledPackage,
    InterpreterFacts,
    LoadedModule,
    Package,
    ProbeRun,
    ProbeRuns,
    ProgramRun,
    ProgramRuns,
    PythonProcess,
    Raised,
    SearchedFacts,
    SearchedFolder,
    StrayScript,
)
from checks.facts.finding import FAILED_RUN, Finding, NotCollected, Severity

SITE = "/p/.venv/lib/python3.11/site-packages"
TORCH = HidingFile(
    module="torch", path="/p/torch.py", place="project-folder", hidden=f"{SITE}/torch", package="torch 2.13.0"
)
RANDOM = HidingFile(
    module="random", path="/p/random.py", place="project-folder", hidden="/usr/lib/python3.11/random.py"
)
WORKED = ProgramRun(command=("python", "main.py"), exit_code=0)
FAILED_ELSEWHERE = ProgramRun(command=("python", "main.py"), exit_code=1, errors="KeyError: 'model'")


def facts(*packages: str, runs: tuple[ProgramRun, ...] = (), **more: object) -> Facts:
    listed = tuple(
        Package(name=name, version=version, location=SITE) for name, _, version in (p.partition(" ") for p in packages)
    )
    target = InterpreterFacts(path="/p/.venv/bin/python", prefix="/p/.venv", version="3.11.7", packages=listed)
    return msgspec.structs.replace(Facts(interpreters=(target,), target=target.path, runs=runs, here=True), **more)


def shadows(*hiding: HidingFile, runs: tuple[ProgramRun, ...] = ()) -> list[tuple[Severity, str]]:
    searched = SearchedFacts(hiding=hiding)
    return [
        (finding.severity, finding.subject) for finding in shadowing_file(searched, facts(runs=runs, searched=searched))
    ]


@pytest.mark.parametrize(
    ("hiding", "severity"),
    [
        pytest.param(TORCH, Severity.BLOCKING, id="a-framework"),
        pytest.param(RANDOM, Severity.BLOCKING, id="a-module-that-frameworks-import"),
        pytest.param(
            msgspec.structs.replace(TORCH, module="datasets", package="datasets 2.1"),
            Severity.WARNING,
            id="another-package",
        ),
        pytest.param(msgspec.structs.replace(RANDOM, module="turtle"), Severity.NOTE, id="nobody-imports-it"),
        pytest.param(
            msgspec.structs.replace(TORCH, path="/q/torch.py", place="current-folder"),
            Severity.WARNING,
            id="merely-here",
        ),
        pytest.param(
            msgspec.structs.replace(TORCH, place="current-folder"), Severity.BLOCKING, id="here-is-the-project"
        ),
    ],
)
def test_without_a_run(hiding: HidingFile, severity: Severity) -> None:
    assert shadows(hiding) == [(severity, hiding.module)]


def test_in_the_current_folder_beside_a_program_and_required() -> None:
    beside = msgspec.structs.replace(RANDOM, path="/q/random.py", place="current-folder", is_beside_program=True)
    assert shadows(beside) == [(Severity.BLOCKING, "random")]
    own = HidingFile(
        module="tokenizers", path="/p/tokenizers", place="project-folder", hidden=f"{SITE}/t", package="tokenizers 0.19"
    )
    assert shadows(own) == [(Severity.WARNING, "tokenizers")]
    searched = SearchedFacts(hiding=(own,))
    all_ = facts("transformers 4.40", searched=searched)
    assert all_.target_interpreter is not None
    asking = msgspec.structs.replace(
        all_.target_interpreter,
        packages=(
            Package(name="transformers", version="4.40", requires=("tokenizers<0.20,>=0.19", 'tqdm; extra == "x"')),
        ),
    )
    (finding,) = shadowing_file(searched, msgspec.structs.replace(all_, interpreters=(asking,)))
    assert finding.severity is Severity.BLOCKING


def test_silent() -> None:
    assert shadows() == []
    turtle = msgspec.structs.replace(RANDOM, module="turtle", path="/q/turtle.py", place="current-folder")
    assert shadows(turtle) == []


@pytest.mark.parametrize("run", [WORKED, FAILED_ELSEWHERE])
def test_a_program_that_works_or_fails_elsewhere_is_not_disturbed(run: ProgramRun) -> None:
    assert shadows(TORCH, runs=(run,)) == [(Severity.NOTE, "torch")]


@pytest.mark.parametrize(
    "python",
    [
        pytest.param(PythonProcess(pid=1, modules=(LoadedModule(name="random", file="/p/random.py"),)), id="loaded"),
        pytest.param(
            PythonProcess(pid=1, raised=Raised(type="ImportError", frames=(Frame(file="/p/random.py", line=1),))),
            id="frame",
        ),
    ],
)
def test_seen_in_the_failing_run(python: PythonProcess) -> None:
    run = ProgramRun(command=("python", "main.py"), exit_code=1, pythons=(python,))
    searched = SearchedFacts(hiding=(RANDOM,))
    (finding,) = shadowing_file(searched, facts(runs=(run,), searched=searched))
    assert (finding.severity, finding.values[FAILED_RUN]) == (Severity.BLOCKING, "python main.py")


def namesakes(*packages: str, runs: tuple[ProgramRun, ...] = ()) -> list[Finding]:
    all_ = facts(*packages, runs=runs)
    assert all_.target_interpreter is not None
    return list(wrong_package_of_same_name(all_.target_interpreter, all_))


def test_graphites_whisper() -> None:
    (finding,) = namesakes("whisper 1.1.10", "torch 2.13.0")
    assert (finding.severity, finding.values["right_package"]) == (Severity.WARNING, "openai-whisper")
    error = Raised(type="AttributeError", message="module 'whisper' has no attribute 'load_model'")
    run = ProgramRun(command=("python", "a.py"), exit_code=1, pythons=(PythonProcess(pid=1, raised=error),))
    (finding,) = namesakes("whisper 1.1.10", runs=(run,))
    assert (finding.severity, finding.values[FAILED_RUN]) == (Severity.BLOCKING, "python a.py")


def test_the_other_jwt() -> None:
    error = Raised(type="AttributeError", message="module 'jwt' has no attribute 'encode'")
    run = ProgramRun(command=("python", "a.py"), exit_code=1, pythons=(PythonProcess(pid=1, raised=error),))
    (finding,) = namesakes("jwt 1.3.1", runs=(run,))
    assert (finding.severity, finding.values["right_package"]) == (Severity.BLOCKING, "pyjwt")


def test_what_is_not_on_the_index_is_only_removed() -> None:
    (finding,) = namesakes("apex 0.9.10.dev0", "torch 2.13.0")
    assert finding.remedies == ("remove-namesake",)


@pytest.mark.parametrize(
    "packages",
    [
        pytest.param(("whisper 1.1.10",), id="a-server-of-graphite"),
        pytest.param(("openai-whisper 20240930", "torch 2.13.0"), id="the-wanted-one"),
        pytest.param(("whisper 1.1.10", "openai-whisper 20240930", "torch 2.13.0"), id="both"),
        pytest.param(("apex 0.1", "torch 2.13.0"), id="nvidia's-apex"),
        pytest.param(("clip 1.0", "torch 2.13.0"), id="clip-from-its-source"),
    ],
)
def test_no_namesake(packages: tuple[str, ...]) -> None:
    assert namesakes(*packages) == []


def test_a_namesake_beside_a_program_that_works_is_a_note() -> None:
    assert [finding.severity for finding in namesakes("whisper 1.1.10", "torch 2.13.0", runs=(WORKED,))] == [
        Severity.NOTE
    ]


OLD = "/old/lib/python3.9/site-packages"
NUMPY_OF_39 = InstalledPackage(
    name="numpy", version="1.26.4", location=OLD, modules=("numpy",), on_pythonpath=True,
    foreign=(ForeignModule(path="numpy/core/_m.cpython-39-x86_64-linux-gnu.so", built_for="Python 3.9"),),
)  # fmt: skip


def on_pythonpath(
    *packages: Package,
    python: str = "3.9",
    damaged: tuple[InstalledPackage, ...] = (),
    runs: tuple[ProgramRun, ...] = (),
) -> list[Finding]:
    searched = SearchedFacts(folders=(SearchedFolder(path=OLD, place="pythonpath", python=python),))
    target = InterpreterFacts(path="/p/.venv/bin/python", version="3.11.7", packages=packages)
    all_ = Facts(
        interpreters=(target,),
        target=target.path,
        searched=searched,
        installed=InstalledFiles(packages=damaged),
        runs=runs,
    )
    found = []
    try:
        for finding in library_path_conflict(target, None, None, None, all_):
            found.append(finding)  # noqa: PERF402 - what comes before the end is kept
    except NotCollected:
        pass
    return found


def test_the_packages_of_another_python() -> None:
    there = Package(name="numpy", version="1.26.4", location=OLD)
    (finding,) = on_pythonpath(there, damaged=(NUMPY_OF_39,))
    assert (finding.severity, finding.remedies) == (Severity.BLOCKING, ("unset-pythonpath",))
    (finding,) = on_pythonpath(there, damaged=(NUMPY_OF_39,), runs=(WORKED,))
    assert finding.severity is Severity.NOTE


def test_pure_modules_in_front_of_the_own_ones() -> None:
    there = Package(name="six", version="1.0", location=OLD)
    here = Package(name="six", version="1.17", location=SITE)
    assert [finding.severity for finding in on_pythonpath(there, here)] == [Severity.WARNING]
    assert on_pythonpath(there) == []  # ROS brings its own
    assert on_pythonpath(there, here, python="3.11") == []
    pip = [Package(name="pip", version="20", location=place) for place in (OLD, SITE)]
    assert on_pythonpath(*pip) == []


def test_another_release_in_front_that_the_failure_names() -> None:
    # recorded with typing_extensions 4.4.0 on PYTHONPATH of an environment with pydantic
    there = Package(name="typing-extensions", version="4.4.0", location=OLD)
    here = Package(name="typing-extensions", version="4.16.0", location=SITE)
    file = f"{OLD}/typing_extensions.py"
    error = Raised(type="ImportError", message=f"cannot import name 'deprecated' from 'typing_extensions' ({file})")
    loaded = (LoadedModule(name="typing_extensions", file=file),)
    python = PythonProcess(pid=1, raised=error, modules=loaded)
    run = ProgramRun(command=("python", "a.py"), exit_code=1, pythons=(python,))
    (finding,) = on_pythonpath(there, here, python="3.11", runs=(run,))
    assert (finding.severity, finding.values[FAILED_RUN]) == (Severity.BLOCKING, "python a.py")
    assert finding.remedies == ("unset-pythonpath",)
    elsewhere = msgspec.structs.replace(python, raised=Raised(type="ValueError", message="no"), modules=())
    other = msgspec.structs.replace(run, pythons=(elsewhere,))
    assert on_pythonpath(there, here, python="3.11", runs=(other,)) == []
    same = msgspec.structs.replace(there, version="4.16.0")
    assert on_pythonpath(same, here, python="3.11", runs=(run,)) == []


def moved(strays: int, scripts: int, *programs: ProgramRun) -> list[Finding]:
    interpreter = InterpreterFacts(path="/new/bin/python", version="3.11.7")
    stray = tuple(StrayScript(path=f"/new/bin/{n}", interpreter="/old/bin/python", is_gone=True) for n in range(strays))
    runs = ProbeRuns(runs=(ProbeRun(probe="torch"),))
    searched = SearchedFacts(stray_scripts=stray, scripts=scripts)
    return list(interpreter_not_usable(interpreter, runs, searched, ProgramRuns(runs=programs)))


def test_a_command_of_a_moved_environment_that_did_not_start() -> None:
    failed = ProgramRun(command=("/new/bin/0", "install", "six"), end="not-started")
    (finding,) = moved(8, 8, failed)
    assert finding.severity is Severity.BLOCKING
    assert finding.named(FAILED_RUN) == "/new/bin/0 install six"
    (aside,) = moved(8, 8, ProgramRun(command=("/elsewhere/pip",), end="not-started"))
    assert aside.severity is Severity.WARNING


def test_a_moved_environment() -> None:
    (finding,) = moved(8, 8)
    assert (finding.severity, finding.subject) == (Severity.WARNING, "moved")
    assert moved(1, 8) == []
    assert moved(0, 0) == []

"""When the causes that compare the disk with what was installed speak, and when they keep silent."""

from collections.abc import Callable, Iterator

import msgspec
import pytest

from checks.causes.environment.damaged_installation import damaged_installation
from checks.causes.environment.framework_not_installed import framework_not_installed
from checks.causes.environment.installation_leftovers import installation_leftovers
from checks.causes.environment.ort_package_conflict import ort_package_conflict
from checks.causes.environment.packages_overwrite_each_other import packages_overwrite_each_other
from checks.causes.environment.wheel_for_another_platform import wheel_for_another_platform
from checks.facts import (
    ChangedFile,
    Facts,
    ForeignModule,
    Frame,
    Frameworks,
    InstalledFiles,
    InstalledPackage,
    InstalledTwice,
    InterpreterFacts,
    Leftover,
    LoadedModule,
    Package,
    ProgramRun,
    PythonProcess,
    Raised,
    SharedModule,
    TorchFacts,
)
from checks.facts.errors import ErrorText
from checks.facts.finding import FAILED_RUN, Finding, Severity, Unread
from checks.knowledge.packages.shared_modules import SharedModules
from checks.remedies.plan import plan_remedies

SITE = "/venv/lib/python3.11/site-packages"
SO = "numpy/core/_multiarray_umath.cpython-311-x86_64-linux-gnu.so"
NUMPY = InstalledPackage(
    name="numpy",
    version="1.26.4",
    location=SITE,
    installer="pip",
    modules=("numpy",),
    listed=264,
    damaged=1,
    files=(ChangedFile(path=SO, state="missing", recorded=7426817),),
)
FAILED = ProgramRun(
    command=("python", "main.py"),
    exit_code=1,
    pythons=(
        PythonProcess(
            pid=1,
            raised=Raised(
                type="ModuleNotFoundError",
                message="No module named 'numpy.core._multiarray_umath'",
                name="numpy.core._multiarray_umath",
            ),
        ),
    ),
)
FAILED_ELSEWHERE = ProgramRun(command=("python", "main.py"), exit_code=1, errors="KeyError: 'model'")
WORKED = ProgramRun(command=("python", "main.py"), exit_code=0)


def facts(
    *damaged: InstalledPackage, runs: tuple[ProgramRun, ...] = (), names: tuple[str, ...] = (), **more: object
) -> Facts:
    listed = tuple(Package(name=package.name, version=package.version, location=SITE) for package in damaged)
    listed += tuple(Package(name=name, version="1", location=SITE) for name in names)
    target = InterpreterFacts(path="/venv/bin/python", version="3.11.7", architecture="x86_64", packages=listed)
    installed = InstalledFiles(packages=damaged, examined=5, origin="/venv")
    return Facts(
        interpreters=(target,),
        target=target.path,
        installed=msgspec.structs.replace(installed, **more),
        runs=runs,
        here=True,
    )


def found(check: Callable[..., Iterator[Finding]], all_: Facts) -> list[Finding]:
    return list(check(all_.installed, all_))


def test_in_the_failing_path() -> None:
    (finding,) = found(damaged_installation, facts(NUMPY, runs=(FAILED,)))
    assert (finding.severity, finding.confidence, finding.subject) == (Severity.BLOCKING, 0.95, "numpy")
    assert finding.values["package_name"] == "numpy"
    plan = plan_remedies(msgspec.structs.replace(finding, cause="damaged-installation"), facts(NUMPY), "en")[0]
    assert [step.code for step in plan.steps] == [
        "/venv/bin/python -m pip install --force-reinstall --no-deps --no-cache-dir numpy==1.26.4"
    ]
    assert plan.verify.code == '/venv/bin/python -c "import numpy"'


@pytest.mark.parametrize("lead", ["Unable to import required dependencies:\nnumpy: ", ""])
def test_named_by_who_imports_it_in_its_own_words(lead: str) -> None:
    """As pandas 2 tells it, whose frames end in its own files."""
    said = "Error importing numpy: you should not try to import numpy from\n        its source directory"
    run = ProgramRun(command=("python", "main.py"), exit_code=1, errors=f"ImportError: {lead}{said}\n")
    (finding,) = found(damaged_installation, facts(NUMPY, runs=(run,)))
    assert finding.severity is Severity.BLOCKING


@pytest.mark.parametrize("run", [FAILED_ELSEWHERE, WORKED])
def test_beside_what_failed_or_works_it_is_a_note(run: ProgramRun) -> None:
    (finding,) = found(damaged_installation, facts(NUMPY, runs=(run,)))
    assert finding.severity is Severity.NOTE


CERTIFI = InstalledPackage(
    name="certifi",
    version="2026.10.18",
    location=SITE,
    modules=("certifi",),
    listed=4,
    damaged=1,
    files=(ChangedFile(path="certifi/cacert.pem", state="empty", size=0, recorded=234072),),
)


@pytest.mark.parametrize(
    ("inner", "loaded", "severity"),
    [
        pytest.param(f"{SITE}/httpx/_config.py", "certifi", Severity.BLOCKING, id="read-by-another-package"),
        pytest.param(f"{SITE}/httpx/_config.py", "idna", Severity.NOTE, id="not-loaded"),
        pytest.param("/home/user/main.py", "certifi", Severity.NOTE, id="failed-in-the-program"),
    ],
)
def test_data_that_another_package_reads(inner: str, loaded: str, severity: Severity) -> None:
    raised = Raised(type="ssl.SSLError", message="[X509] no certificate found", frames=(Frame(file=inner, line=1),))
    python = PythonProcess(pid=1, raised=raised, modules=(LoadedModule(name=loaded),))
    run = ProgramRun(command=("python", "main.py"), exit_code=1, pythons=(python,))
    (finding,) = found(damaged_installation, facts(CERTIFI, runs=(run,)))
    assert finding.severity is severity
    assert (FAILED_RUN in finding.values) is (severity is Severity.BLOCKING)


def test_data_that_a_program_did_not_need() -> None:
    raised = Raised(type="ValueError", message="handled", frames=(Frame(file=f"{SITE}/httpx/_config.py", line=1),))
    python = PythonProcess(pid=1, raised=raised, modules=(LoadedModule(name="certifi"),))
    ended_well = ProgramRun(command=("python", "main.py"), exit_code=0, pythons=(python,))
    (finding,) = found(damaged_installation, facts(CERTIFI, runs=(ended_well,)))
    assert finding.severity is Severity.NOTE
    assert FAILED_RUN not in finding.values


def test_emptied_data_without_a_program() -> None:
    assert found(damaged_installation, facts(CERTIFI))[0].severity is Severity.WARNING
    left_out = msgspec.structs.replace(CERTIFI, files=(ChangedFile(path="certifi/cacert.pem", state="missing"),))
    assert found(damaged_installation, facts(left_out))[0].severity is Severity.NOTE
    assert found(damaged_installation, facts(CERTIFI, runs=(WORKED,)))[0].severity is Severity.NOTE


def test_a_project_whose_folder_was_moved() -> None:
    project = InstalledPackage(
        name="detector", version="0.3", location=SITE, modules=("detector",), project="/home/user/src/detector"
    )
    raised = Raised(type="ModuleNotFoundError", message="No module named 'detector'", name="detector")
    failed = ProgramRun(command=("python", "main.py"), exit_code=1, pythons=(PythonProcess(pid=1, raised=raised),))
    (finding,) = found(damaged_installation, facts(project, runs=(failed,)))
    assert (finding.severity, finding.remedies) == (Severity.BLOCKING, ("install-moved-project",))
    plan = plan_remedies(msgspec.structs.replace(finding, cause="damaged-installation"), facts(project), "en")[0]
    assert [step.code for step in plan.steps] == ["/venv/bin/python -m pip install --no-deps -e FOLDER"]
    (finding,) = found(damaged_installation, facts(project, runs=(WORKED,)))
    assert finding.severity is Severity.NOTE


def test_named_by_a_framework_that_was_tried() -> None:
    error = ErrorText(type="ImportError", message="x", traceback=f'File "{SITE}/numpy/core/__init__.py"')
    all_ = msgspec.structs.replace(facts(NUMPY), frameworks=Frameworks(torch=TorchFacts(imported=False, error=error)))
    assert found(damaged_installation, all_)[0].confidence == 0.95


def test_without_any_failure_seen() -> None:
    inner = ChangedFile(path="numpy/a/b/c.py", state="missing")
    data = ChangedFile(path="numpy/data.json", state="missing")
    severities = [
        found(damaged_installation, facts(msgspec.structs.replace(NUMPY, files=(file,))))[0].severity
        for file in (NUMPY.files[0], inner, data)
    ]
    assert severities == [Severity.BLOCKING, Severity.WARNING, Severity.NOTE]


@pytest.mark.parametrize(
    "files",
    [
        pytest.param((ChangedFile(path="certifi/cacert.pem", state="size"),), id="a-company's-certificates"),
        pytest.param((ChangedFile(path="yaml/_yaml.so", state="size"),), id="stripped"),
        pytest.param((ChangedFile(path="diffusers/a.py", state="size"),), id="edited"),
    ],
)
@pytest.mark.parametrize("runs", [(), (WORKED,), (FAILED_ELSEWHERE,)])
def test_a_changed_file_alone_is_no_damage(files: tuple[ChangedFile, ...], runs: tuple[ProgramRun, ...]) -> None:
    module = files[0].path.partition("/")[0]
    package = msgspec.structs.replace(NUMPY, modules=(module,), damaged=0, changed=1, files=files)
    assert found(damaged_installation, facts(package, runs=runs)) == []


def test_mixed_releases() -> None:
    file = ChangedFile(path="charset_normalizer/constant.py", state="size")
    package = InstalledPackage(
        name="charset-normalizer", version="3.4.0", location=SITE, modules=("charset_normalizer",), listed=14,
        changed=1, files=(file,), unmet=("charset_normalizer.assets",),
    )  # fmt: skip
    (finding,) = found(damaged_installation, facts(package))
    assert (finding.severity, finding.subject) == (Severity.BLOCKING, "charset-normalizer")


def test_several_changed_modules_where_it_fails() -> None:
    files = tuple(ChangedFile(path=f"numpy/{name}.py", state="content") for name in "ab")
    package = msgspec.structs.replace(NUMPY, damaged=0, changed=2, files=files)
    (finding,) = found(damaged_installation, facts(package, runs=(FAILED,)))
    assert finding.confidence == 0.7
    assert found(damaged_installation, facts(package)) == []


def test_conda_puts_its_own_back() -> None:
    package = msgspec.structs.replace(NUMPY, installer="conda")
    (finding,) = found(damaged_installation, facts(package))
    assert finding.remedies == ("reinstall-damaged-conda-package",)


def test_the_empty_shell_of_a_known_module() -> None:
    shell = (Leftover(path=f"{SITE}/torch", kind="shell", module="torch"),)
    (finding,) = found(damaged_installation, facts(leftovers=shell))
    assert (finding.severity, finding.values["package_name"]) == (Severity.BLOCKING, "torch")
    assert found(damaged_installation, facts(leftovers=shell, runs=(WORKED,))) == []


def test_unread_is_not_called_healthy() -> None:
    with pytest.raises(Unread):
        found(damaged_installation, facts(examined=0))


TORCH = InstalledPackage(
    name="torch", version="2.13.0+cpu", location=SITE, modules=("torch",), gone=("torch",), listed=2335, damaged=2243,
    files=(ChangedFile(path="torch/__init__.py", state="missing"),),
)  # fmt: skip


def test_of_the_only_framework_nothing_but_its_entry_is_left() -> None:
    all_ = facts(TORCH)
    assert found(damaged_installation, all_) == []
    assert all_.target_interpreter is not None
    (finding,) = framework_not_installed(all_.target_interpreter, all_)
    assert finding.remedies == ("reinstall-damaged-package",)


def test_beside_another_framework_it_is_damaged() -> None:
    all_ = facts(TORCH, names=("onnxruntime",))
    assert all_.target_interpreter is not None
    assert list(framework_not_installed(all_.target_interpreter, all_)) == []
    assert found(damaged_installation, all_)[0].subject == "torch"


CV2 = InstalledPackage(
    name="opencv-python-headless", version="4.11.0.86", location=SITE, modules=("cv2",), gone=("cv2",), listed=43,
    damaged=31, files=(ChangedFile(path="cv2/__init__.py", state="missing"),),
)  # fmt: skip


def test_a_sibling_took_the_files() -> None:
    (finding,) = found(packages_overwrite_each_other, facts(CV2))
    assert (finding.severity, finding.values["import_names"]) == (Severity.BLOCKING, "cv2")
    assert found(damaged_installation, facts(CV2)) == []
    one = msgspec.structs.replace(CV2, damaged=1, gone=())
    assert found(packages_overwrite_each_other, facts(one)) == []
    assert found(damaged_installation, facts(one))[0].subject == "opencv-python-headless"


def test_onnxruntime_is_an_empty_shell() -> None:
    package = msgspec.structs.replace(CV2, name="onnxruntime-gpu", modules=("onnxruntime",), gone=())
    all_ = facts(package)
    assert found(packages_overwrite_each_other, all_) == []
    assert found(damaged_installation, all_) == []
    assert all_.target_interpreter is not None
    (finding,) = ort_package_conflict(all_.target_interpreter, None, None, all_.installed)
    assert (finding.severity, finding.remedies) == (Severity.BLOCKING, ("reinstall-damaged-package",))


def test_both_installed_is_a_note() -> None:
    both = SharedModule(module="cv2", location=SITE, packages=("opencv-python 4.11", "opencv-python-headless 4.11"))
    (finding,) = found(packages_overwrite_each_other, facts(shared=(both,)))
    assert finding.severity is Severity.NOTE
    tests = SharedModule(module="helpers", location=SITE, packages=("a 1", "b 1"))
    assert found(packages_overwrite_each_other, facts(shared=(tests,))) == []


def test_each_family_is_named_once() -> None:
    names = [name for family in SharedModules.read().family for name in family.packages]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("runs", "severity"), [((), Severity.BLOCKING), ((FAILED,), Severity.BLOCKING), ((WORKED,), Severity.NOTE)]
)
def test_a_wheel_of_another_platform(runs: tuple[ProgramRun, ...], severity: Severity) -> None:
    foreign = (ForeignModule(path="numpy/core/_m.cpython-311-darwin.so", built_for="macOS"),)
    all_ = facts(msgspec.structs.replace(NUMPY, damaged=0, files=(), foreign=foreign), runs=runs)
    assert found(damaged_installation, all_) == []
    (finding,) = wheel_for_another_platform(all_.installed, all_.target_interpreter, all_)
    assert (finding.severity, finding.subject) == (severity, "numpy")


def test_on_pythonpath_the_variable_is_to_blame() -> None:
    foreign = (ForeignModule(path="numpy/core/_m.cpython-39-x86_64-linux-gnu.so", built_for="Python 3.9"),)
    package = msgspec.structs.replace(NUMPY, damaged=0, files=(), foreign=foreign, on_pythonpath=True)
    all_ = facts(package)
    assert list(wheel_for_another_platform(all_.installed, all_.target_interpreter, all_)) == []


def test_leftovers_are_notes() -> None:
    left = (Leftover(path=f"{SITE}/~orch", kind="renamed", module="orch"),)
    assert [finding.severity for finding in _left(facts(leftovers=left))] == [Severity.NOTE]
    assert _left(facts()) == []


@pytest.mark.parametrize(("files_of", "severity"), [("2.0", Severity.NOTE), ("", Severity.WARNING)])
def test_one_package_twice(files_of: str, severity: Severity) -> None:
    twice = (InstalledTwice(name="numpy", location=SITE, versions=("1.26", "2.0"), version_of_files=files_of),)
    assert [finding.severity for finding in _left(facts(twice=twice))] == [severity]


STALE = InstalledTwice(
    name="huggingface-hub",
    location=SITE,
    versions=("0.16.4", "0.24.7"),
    version_of_files="0.24.7",
    stale=(f"{SITE}/huggingface_hub-0.16.4.dist-info",),
)


@pytest.mark.parametrize(
    ("words", "severity"),
    [
        ("huggingface-hub>=0.19.3,<1.0 is required, but found huggingface-hub==0.16.4.", Severity.BLOCKING),
        ("needs huggingface_hub, found huggingface_hub version 0.16.4", Severity.BLOCKING),
        ("huggingface-hub>=1.0 is required, but found huggingface-hub==0.24.7.", Severity.NOTE),
        ("found huggingface-hub==0.16.40", Severity.NOTE),
        ("KeyError: 'model'", Severity.NOTE),
    ],
)
def test_a_failure_that_names_the_release_whose_files_are_not_there(words: str, severity: Severity) -> None:
    run = ProgramRun(command=("python", "main.py"), exit_code=1, errors=f"ImportError: {words}")
    (finding,) = _left(facts(twice=(STALE,), runs=(run,)))
    assert finding.severity is severity
    assert (FAILED_RUN in finding.values) is (severity is Severity.BLOCKING)
    unasked = msgspec.structs.replace(run, statement="import transformers", package="transformers")
    (of_package,) = _left(facts(twice=(STALE,), runs=(unasked,)))
    assert of_package.severity is (Severity.WARNING if severity is Severity.BLOCKING else Severity.NOTE)


def _left(all_: Facts) -> list[Finding]:
    assert all_.installed is not None
    return list(installation_leftovers(all_.installed, all_))


@pytest.mark.parametrize(
    ("type_", "path", "speaks"),
    [
        ("PermissionError", f"{SITE}/safetensors/__init__.py", True),
        ("PermissionError", "/home/user/data/model.bin", False),
        ("OSError", f"{SITE}/safetensors/__init__.py", False),
    ],
)
def test_a_file_that_this_user_may_not_read(type_: str, path: str, speaks: bool) -> None:
    raised = Raised(type=type_, message=f"[Errno 13] Permission denied: '{path}'")
    run = ProgramRun(command=("python", "main.py"), exit_code=1, pythons=(PythonProcess(pid=1, raised=raised),))
    findings = found(damaged_installation, facts(runs=(run,)))
    assert [finding.values["place_path"] for finding in findings] == ([f"{SITE}/safetensors"] if speaks else [])
    assert all(finding.values[FAILED_RUN] == "python main.py" for finding in findings)

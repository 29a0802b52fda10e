"""When framework-not-installed and python-version-unsupported speak, and when they keep silent."""

import msgspec
import pytest

from checks.causes.environment.framework_not_installed import framework_not_installed
from checks.causes.environment.python_version_unsupported import python_version_unsupported
from checks.facts import (
    AppleFacts,
    ErrorText,
    Facts,
    Frameworks,
    InterpreterFacts,
    JetsonFacts,
    MachineFacts,
    NvidiaFacts,
    NvidiaGpu,
    OsFacts,
    Package,
    ProgramRun,
    ProgramRuns,
    PythonProcess,
    Raised,
    SentFile,
    TorchFacts,
)
from checks.facts.finding import FAILED_RUN, Finding, NotHere, NotInTable, Severity, Unread
from checks.knowledge.packages.bytecode import python_of_magic

LINUX = MachineFacts(os=OsFacts(system="Linux", architecture="x86_64", libc="glibc"))
ALPINE = MachineFacts(os=OsFacts(system="Linux", architecture="x86_64", libc="musl"))
WINDOWS = MachineFacts(os=OsFacts(system="Windows", architecture="AMD64", libc=""))
OLD_MAC = MachineFacts(os=OsFacts(system="Darwin", architecture="x86_64", libc=""))
NEW_MAC = MachineFacts(
    os=OsFacts(system="Darwin", architecture="arm64", libc=""), apple=AppleFacts(is_apple_silicon=True)
)
BLACKWELL = MachineFacts(
    os=LINUX.os,
    nvidia=NvidiaFacts(
        nvml="ok",
        driver_version="580.95.05",
        devices=(NvidiaGpu(index=0, name="RTX 5090", compute_capability="12.0"),),
    ),
)
TORCH = Package(name="torch", version="2.5.1", tags=("cp311-cp311-manylinux1_x86_64",))


def python(
    version: str = "3.11.9",
    *packages: Package,
    path: str = "/venv/bin/python",
    architecture: str = "x86_64",
    implementation: str = "cpython",
    free_threaded: bool = False,
) -> InterpreterFacts:
    return InterpreterFacts(
        path=path,
        version=version,
        architecture=architecture,
        implementation=implementation,
        free_threaded=free_threaded,
        packages=packages,
    )


def not_installed(facts: Facts) -> list[Finding]:
    assert facts.target_interpreter is not None
    return list(framework_not_installed(facts.target_interpreter, facts))


def unsupported(
    interpreter: InterpreterFacts, where: MachineFacts, frameworks: Frameworks | None = None
) -> list[Finding]:
    return list(python_version_unsupported(interpreter, where, frameworks))


# --- framework-not-installed -----------------------------------------------------------------------------------------


def test_another_interpreter_has_it() -> None:
    # https://github.com/nschaetti/EchoTorch/issues/22: pip put torch into the Store Python, another runs the script.
    target = python("3.11.9", Package(name="requests", version="2.32.0"), path="/usr/bin/python3")
    other = python("3.11.9", TORCH, Package(name="jax", version="0.8.0"), path="/home/u/ai/bin/python")
    third = python("3.11.9", Package(name="onnxruntime", version="1.23.2"), path="/opt/x/bin/python")
    (finding,) = not_installed(Facts(machine=LINUX, interpreters=(third, target, other), target="/usr/bin/python3"))
    assert finding.severity is Severity.BLOCKING
    assert finding.values["other_python"] == "/home/u/ai/bin/python"
    assert [each.value for each in finding.evidence if each.name == "other_interpreter"] == [
        "/home/u/ai/bin/python: torch, jax",
        "/opt/x/bin/python: onnxruntime",
    ]


def test_nobody_has_it() -> None:
    (finding,) = not_installed(Facts(machine=BLACKWELL, interpreters=(python(),), target="/venv/bin/python"))
    assert "other_python" not in finding.values
    assert finding.values["torch_index"] == "https://download.pytorch.org/whl/cu132"


def test_on_a_jetson_from_nvidia() -> None:
    jetson = MachineFacts(os=OsFacts(system="Linux", architecture="aarch64"), jetson=JetsonFacts(model="Orin"))
    (finding,) = not_installed(Facts(machine=jetson, interpreters=(python(),), target="/venv/bin/python"))
    assert finding.remedies == ("use-other-interpreter", "install-torch-for-jetson")


@pytest.mark.parametrize(
    "facts",
    [
        pytest.param(Facts(interpreters=(python("3.11.9", TORCH),), target="/venv/bin/python"), id="it-is-there"),
        pytest.param(
            Facts(
                interpreters=(python("3.11.9", Package(name="tflite-runtime", version="2.14.0")),),
                target="/venv/bin/python",
            ),
            id="another-framework",
        ),
        pytest.param(
            Facts(
                interpreters=(python(),),
                target="/venv/bin/python",
                frameworks=Frameworks(torch=TorchFacts(version="2.5.1", imported=True)),
            ),
            id="imported-without-metadata",
        ),
        pytest.param(
            Facts(interpreters=(InterpreterFacts(path="/gone", problem="missing"),), target="/gone"),
            id="no-interpreter",
        ),
    ],
)
def test_not_installed_silent(facts: Facts) -> None:
    assert not_installed(facts) == []


@pytest.mark.parametrize("names", [("numpy",), ("flask", "numpy"), ()])
def test_a_program_that_needs_no_framework_shows_none(names: tuple[str, ...]) -> None:
    """It ran with NumPy alone: nothing is missing, and nothing is there."""
    packages = tuple(Package(name=name, version="2.0") for name in names)
    run = ProgramRun(command=("python", "main.py"), exit_code=0)
    here, with_torch = python("3.11.9", *packages), python("3.11.9", *packages, TORCH)
    with pytest.raises(NotHere):
        not_installed(Facts(interpreters=(here,), target=here.path, runs=(run,)))
    assert not not_installed(Facts(interpreters=(with_torch,), target=here.path, runs=(run,)))


def test_an_environment_that_was_made_for_another_purpose_may_need_none() -> None:
    """Somebody filled it: nothing is known to be wrong. One in which nothing is installed yet is no such."""
    names = ("pip", "httpx", "numpy")
    filled = InterpreterFacts(path="/e", kind="venv", packages=tuple(Package(name=name, version="1") for name in names))
    (finding,) = not_installed(Facts(interpreters=(filled,), target="/e"))
    assert (finding.severity, finding.confidence) == (Severity.NOTE, 0.5)
    bare = msgspec.structs.replace(filled, packages=filled.packages[:1])
    (finding,) = not_installed(Facts(interpreters=(bare,), target="/e"))
    assert finding.severity is Severity.BLOCKING


def test_a_script_that_imports_no_framework_misses_none() -> None:
    here = python()
    script = SentFile(name="main.py", kind="script")
    with pytest.raises(NotHere):
        not_installed(Facts(interpreters=(here,), target=here.path, scripts=(script,)))


def test_unread_packages_are_open() -> None:
    with pytest.raises(Unread, match="packages"):
        not_installed(Facts(interpreters=(InterpreterFacts(path="/p"),), target="/p"))
    with pytest.raises(Unread, match="packages"):
        unsupported(InterpreterFacts(path="/p", version="3.11.9"), LINUX)


# --- python-version-unsupported --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("interpreter", "where", "remedy"),
    [
        pytest.param(python("3.16.0"), LINUX, "make-environment-with-python", id="python-too-new"),
        pytest.param(python("3.6.15"), LINUX, "make-environment-with-python", id="only-releases-of-long-ago"),
        pytest.param(python("3.5.3"), LINUX, "make-environment-with-python", id="python-too-old"),
        pytest.param(python("3.11.9"), ALPINE, "use-glibc-image", id="musl"),
        pytest.param(python("3.11.9", architecture="x86"), WINDOWS, "install-64-bit-python", id="32-bit"),
        pytest.param(python("3.13.1"), OLD_MAC, "make-environment-with-python", id="intel-mac-after-2.2"),
        pytest.param(python("3.13.1"), NEW_MAC, "install-arm64-python", id="x86-python-on-apple-silicon"),
        pytest.param(python("3.11.9", implementation="pypy"), LINUX, "make-environment-with-python", id="pypy"),
        pytest.param(python("3.8.10"), BLACKWELL, "make-environment-with-python", id="no-build-for-gpu-and-python"),
        pytest.param(python("3.12.1", TORCH), LINUX, "make-environment-with-python", id="copied-from-another-python"),
        pytest.param(
            python("3.11.9", TORCH, architecture="aarch64"), LINUX, "make-environment-with-python", id="for-another-cpu"
        ),
        pytest.param(
            python(
                "3.13.1", Package(name="torch", version="2.9.0", tags=("cp313-cp313-win_amd64",)), free_threaded=True
            ),
            WINDOWS,
            "make-environment-with-python",
            id="free-threaded",
        ),
    ],
)
def test_speaks(interpreter: InterpreterFacts, where: MachineFacts, remedy: str) -> None:
    (finding,) = unsupported(interpreter, where)
    assert finding.severity is Severity.BLOCKING
    assert finding.remedies[0] == remedy


def test_an_older_release_is_still_there() -> None:
    (finding,) = unsupported(python("3.9.18"), LINUX)
    assert finding.severity is Severity.NOTE
    assert finding.values["python_fit"] == "3.14"


def test_requires_python_is_a_warning() -> None:
    package = Package(name="tensorflow", version="2.21.0", requires_python=">=3.10")
    (finding,) = unsupported(python("3.9.18", package), LINUX)
    assert finding.severity is Severity.WARNING
    assert finding.placeholders()["wheel_package"] == "tensorflow 2.21.0"


def test_the_loader_says_it() -> None:
    error = ErrorText(type="OSError", message="[WinError 193] %1 is not a valid Win32 application")
    frameworks = Frameworks(torch=TorchFacts(version="2.5.1", imported=False, error=error))
    (finding,) = unsupported(python("3.11.9", Package(name="torch", version="2.5.1")), WINDOWS, frameworks)
    assert finding.subject == "torch 2.5.1"


@pytest.mark.parametrize(
    ("interpreter", "where"),
    [
        pytest.param(python("3.13.1"), LINUX, id="served-without-a-framework"),
        pytest.param(python("3.14.0", free_threaded=True), LINUX, id="free-threaded-that-is-served"),
        pytest.param(python("3.11.9", TORCH), LINUX, id="fits"),
        pytest.param(
            python(
                "3.13.1",
                Package(name="onnxruntime", version="1.23.2", tags=("cp311-abi3-win_amd64",)),
                architecture="AMD64",
            ),
            WINDOWS,
            id="abi3-goes-forward",
        ),
        pytest.param(
            python("3.13.1", Package(name="jax", version="0.8.0", tags=("py3-none-any",))), LINUX, id="pure-python"
        ),
        pytest.param(
            python(
                "3.11.9",
                Package(name="tensorflow", version="2.16.1", tags=("cp311-cp311-macosx_12_0_arm64",)),
                architecture="arm64",
            ),
            NEW_MAC,
            id="apple-silicon",
        ),
        # python.org's installer for macOS holds both architectures in one program.
        pytest.param(
            python(
                "3.12.3",
                Package(name="torch", version="2.9.1", tags=("cp312-cp312-macosx_11_0_arm64",)),
                architecture="universal2",
            ),
            NEW_MAC,
            id="python-for-both-apple-architectures",
        ),
        pytest.param(python("3.12.3", architecture="universal2"), NEW_MAC, id="nothing-in-python-for-both"),
        pytest.param(
            python(
                "3.11.9",
                Package(name="tflite-runtime", version="2.14.0", tags=("cp311-cp311-manylinux_2_34_armv7l",)),
                architecture="arm",
            ),
            MachineFacts(os=OsFacts(system="Linux", architecture="armv7l", libc="glibc")),
            id="raspberry-pi-of-32-bit",
        ),
        pytest.param(python("3.11.9", Package(name="torch", version="2.5.1")), LINUX, id="no-tags-known"),
        pytest.param(InterpreterFacts(path="/gone", problem="missing"), LINUX, id="no-interpreter"),
    ],
)
def test_silent(interpreter: InterpreterFacts, where: MachineFacts) -> None:
    assert unsupported(interpreter, where) == []


def test_windows_on_arm_is_open() -> None:
    """https://github.com/pytorch/pytorch/issues/195033: builds for some Python versions, not in the table."""
    windows = MachineFacts(os=OsFacts(system="Windows", architecture="ARM64", libc=""))
    with pytest.raises(NotInTable, match="ARM64"):
        unsupported(python("3.12.3", architecture="ARM64"), windows)


def test_unknown_system_is_open() -> None:
    with pytest.raises(Unread, match="wheel_platform"):
        unsupported(python("3.11.9"), MachineFacts(os=OsFacts()))


@pytest.mark.parametrize(
    ("message", "wanted"),
    [("bad magic number in 'engine': b'a\\r\\r\\n'", "3.9"), ("bad magic number in 'engine': b'B\\x16\\r\\n'", None)],
)
def test_a_module_that_another_python_compiled(message: str, wanted: str | None) -> None:
    raised = Raised(type="ImportError", message=message, name="engine")
    run = ProgramRun(command=("python", "main.py"), exit_code=1, pythons=(PythonProcess(pid=1, raised=raised),))
    (finding,) = python_version_unsupported(
        python("3.11.7", TORCH), LINUX, Frameworks(), ProgramRuns(runs=(run,), interpreters=(python("3.11.7", TORCH),))
    )
    assert finding.subject == "engine"
    assert finding.values[FAILED_RUN] == "python main.py"
    assert wanted is None or finding.values["python_fit"] == wanted


@pytest.mark.parametrize(
    ("magic", "release"),
    [(b"\xa7\r\r\n", "3.11"), (b"U\r\r\n", "3.8"), (b"\xf3\r\r\n", "3.13"), (b"\x42\x2e\r\n", ""), (b"", "")],
)
def test_the_magic_numbers_of_real_releases(magic: bytes, release: str) -> None:
    assert python_of_magic(magic) == release

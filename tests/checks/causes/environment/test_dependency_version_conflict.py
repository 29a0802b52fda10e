"""When dependency-version-conflict speaks, and when it keeps silent."""

import pytest
from support.evidence import evidence_of

from checks.causes.environment.dependency_version_conflict import dependency_version_conflict
from checks.facts import ErrorText, Frameworks, ImportTry, InterpreterFacts, OsFacts, Package, TorchFacts
from checks.facts.finding import Finding, Severity, Unread

LINUX = OsFacts(system="Linux", architecture="x86_64")


def findings(*packages: Package, frameworks: Frameworks | None = None) -> list[Finding]:
    interpreter = InterpreterFacts(path="/venv/bin/python", version="3.11.9", packages=packages)
    return list(dependency_version_conflict(interpreter, LINUX, frameworks, None))


def test_speaks_of_both_packages() -> None:
    # huggingface/transformers: "huggingface-hub>=0.30.0,<1.0 is required"
    (finding,) = findings(
        Package(name="transformers", version="4.52.0", requires=("huggingface-hub<1.0,>=0.30.0",)),
        Package(name="huggingface-hub", version="0.26.0"),
    )
    assert finding.severity is Severity.WARNING
    assert finding.placeholders()["package"] == "transformers 4.52.0"
    assert finding.placeholders()["needed"] == "huggingface-hub<1.0,>=0.30.0"
    assert evidence_of(finding)["found"] == "huggingface-hub 0.26.0"


def test_speaks_of_a_missing_package() -> None:
    (finding,) = findings(Package(name="transformers", version="4.52.0", requires=("tokenizers<0.22,>=0.21",)))
    assert evidence_of(finding)["found"] == "–"


def test_all_that_one_package_misses_is_one_finding() -> None:
    (finding,) = findings(
        Package(name="torch", version="2.13.0", requires=("filelock", "sympy>=1.13.3", "networkx>=2.5.1")),
        Package(name="sympy", version="1.12"),
        Package(name="networkx", version="3.2"),
    )
    assert finding.placeholders()["needed"] == "filelock, sympy>=1.13.3"
    assert evidence_of(finding)["found"] == "–, sympy 1.12"
    assert finding.placeholders()["requirement"] == "filelock sympy>=1.13.3"


def test_an_import_that_fails_for_it_is_blocking() -> None:
    # recorded: torch 2.13.0+cpu without its requirements
    error = ErrorText(type="ModuleNotFoundError", message="No module named 'typing_extensions'")
    (finding,) = findings(
        Package(name="torch", version="2.13.0+cpu", requires=("typing-extensions>=4.10.0",)),
        frameworks=Frameworks(torch=TorchFacts(version="2.13.0+cpu", imported=False, error=error)),
    )
    assert finding.severity is Severity.BLOCKING
    assert finding.placeholders()["requirement"] == "typing-extensions>=4.10.0"


def test_speaks_of_a_failed_import() -> None:
    # huggingface/sentence-transformers#3001
    error = ErrorText(
        type="ImportError",
        message="cannot import name 'cached_download' from 'huggingface_hub' (/huggingface_hub/__init__.py)",
    )
    torch = TorchFacts(
        version="2.4.0",
        imported=True,
        companions=(ImportTry(name="sentence-transformers", imported=False, version="2.2.2", error=error),),
    )
    (finding,) = findings(Package(name="huggingface-hub", version="0.26.0"), frameworks=Frameworks(torch=torch))
    assert finding.severity is Severity.WARNING
    assert finding.placeholders()["package"] == "sentence-transformers 2.2.2"
    assert finding.placeholders()["needed"] == "huggingface-hub<0.26 (huggingface_hub.cached_download)"
    assert evidence_of(finding)["found"] == "huggingface-hub 0.26.0"


def test_a_text_that_tells_the_remedy() -> None:
    # pytorch/pytorch#123097
    error = ErrorText(type="ImportError", message="torch/lib/libtorch_cpu.so: undefined symbol: iJIT_NotifyEvent")
    torch = TorchFacts(version="2.2.2", imported=False, error=error)
    (finding,) = findings(Package(name="mkl", version="2024.1.0"), frameworks=Frameworks(torch=torch))
    assert finding.placeholders()["needed"] == "mkl<2024.1"
    assert evidence_of(finding)["found"] == "mkl 2024.1.0"
    assert finding.placeholders()["requirement"] == "mkl<2024.1"


@pytest.mark.parametrize(
    "packages",
    [
        pytest.param((), id="nothing-installed"),
        pytest.param(
            (
                Package(name="transformers", version="4.52.0", requires=("huggingface-hub<1.0,>=0.30.0",)),
                Package(name="huggingface-hub", version="0.30.0"),
            ),
            id="the-lowest-that-fits",
        ),
        pytest.param(
            (
                Package(name="torchvision", version="0.19.0", requires=("torch==2.4.0",)),
                Package(name="torch", version="2.5.0"),
            ),
            id="companions-have-a-cause-of-their-own",
        ),
        pytest.param(
            (
                Package(name="tensorflow", version="2.17.0", requires=("numpy<2.0.0,>=1.26.0",)),
                Package(name="numpy", version="2.1.0"),
            ),
            id="numpy-2-has-a-cause-of-its-own",
        ),
        pytest.param(
            (
                Package(name="tensorflow", version="2.17.0", requires=("protobuf<5.0.0dev,>=3.20.3",)),
                Package(name="protobuf", version="6.31.1"),
            ),
            id="protobuf-has-a-cause-of-its-own",
        ),
    ],
)
def test_silent(packages: tuple[Package, ...]) -> None:
    assert findings(*packages) == []


def test_an_older_numpy_1_is_an_ordinary_conflict() -> None:
    (finding,) = findings(
        Package(name="tensorflow", version="2.17.0", requires=("numpy<2.0.0,>=1.26.0",)),
        Package(name="numpy", version="1.24.3"),
    )
    assert evidence_of(finding)["found"] == "numpy 1.24.3"


def test_unread_packages_are_not_called_healthy() -> None:
    with pytest.raises(Unread):
        list(dependency_version_conflict(InterpreterFacts(path="/p", version="3.11.9"), LINUX, None, None))


def test_where_a_text_names_a_version_in_words_the_metadata_name_the_requirement() -> None:
    # recorded with numba 0.61.2 and NumPy 2.4.0
    error = ErrorText(type="ImportError", message="Numba needs NumPy 2.2 or less. Got NumPy 2.4.")
    (finding,) = findings(
        Package(name="numba", version="0.61.2", requires=("numpy<2.3,>=1.24",)),
        Package(name="numpy", version="2.4.0"),
        frameworks=Frameworks(
            torch=TorchFacts(
                version="2.13.0", imported=True, companions=(ImportTry(name="numba", imported=False, error=error),)
            )
        ),
    )
    assert finding.placeholders()["requirement"] == "numpy<2.3,>=1.24"
    assert finding.placeholders()["found"] == ("numpy 2.4.0",)

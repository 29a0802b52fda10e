"""When protobuf-conflict speaks, and when it keeps silent."""

import pytest

from checks.causes.environment.protobuf_conflict import protobuf_conflict
from checks.facts import (
    EnvironmentVariables,
    ErrorText,
    Frameworks,
    InterpreterFacts,
    OsFacts,
    Package,
    TensorFlowFacts,
)
from checks.facts.finding import Finding, Severity, Unread

LINUX = OsFacts(system="Linux", architecture="x86_64")


def protobuf(version: str) -> Package:
    return Package(name="protobuf", version=version)


def findings(
    *packages: Package, error: ErrorText | None = None, variables: dict[str, str] | None = None
) -> list[Finding]:
    interpreter = InterpreterFacts(path="/venv/bin/python", version="3.10.12", packages=packages)
    tensorflow = TensorFlowFacts(version="2.8.0", imported=False, error=error) if error else None
    environment = EnvironmentVariables(values=variables or {})
    return list(protobuf_conflict(interpreter, LINUX, Frameworks(tensorflow=tensorflow), environment, None))


def test_speaks_from_metadata() -> None:
    # tensorflow 2.17.0: protobuf!=4.21.0,...,<5.0.0dev,>=3.20.3
    wish = Package(name="tensorflow", version="2.17.0", requires=("protobuf<5.0.0dev,>=3.20.3",))
    (finding,) = findings(wish, protobuf("6.31.1"))
    assert finding.severity is Severity.WARNING
    assert finding.placeholders()["protobuf"] == "protobuf 6.31.1"
    assert finding.placeholders()["clue"].startswith("protobuf<5.0.0")


def test_speaks_of_old_releases_without_a_limit() -> None:
    (finding,) = findings(Package(name="tensorflow", version="2.8.0"), protobuf("4.21.2"))
    assert finding.placeholders()["requirement"] == "protobuf<3.21"


@pytest.mark.parametrize(
    ("message", "requirement"),
    [
        pytest.param(
            # MicrosoftDocs/windows-ai-docs#77
            "Descriptors cannot not be created directly.\nIf this call came from a _pb2.py file, ...",
            "protobuf<3.21",
            id="old",
        ),
        pytest.param(
            # world-federation-of-advertisers/cross-media-measurement#3327
            "Detected incompatible Protobuf Gencode/Runtime versions when loading basic_report.proto: gencode 5.29.5 "
            "runtime 5.27.2.",
            "protobuf>=5.29.5,<7",
            id="new",
        ),
    ],
)
def test_speaks_from_an_import(message: str, requirement: str) -> None:
    (finding,) = findings(protobuf("4.21.2"), error=ErrorText(type="TypeError", message=message))
    assert finding.severity is Severity.BLOCKING
    assert finding.placeholders()["package"] == "tensorflow 2.8.0"
    assert finding.placeholders()["requirement"] == requirement


@pytest.mark.parametrize(
    ("packages", "variables"),
    [
        pytest.param((Package(name="tensorflow", version="2.8.0"), protobuf("3.20.3")), {}, id="old-with-old"),
        pytest.param((Package(name="tensorflow", version="2.12.0"), protobuf("4.21.2")), {}, id="new-enough"),
        pytest.param((Package(name="tensorflow", version="2.8.0"),), {}, id="no-protobuf"),
        pytest.param(
            (Package(name="tensorflow", version="2.8.0"), protobuf("4.21.2")),
            {"PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION": "python"},
            id="python-implementation-chosen",
        ),
        pytest.param(
            (Package(name="onnx", version="1.16.0", requires=("protobuf>=3.20.2",)), protobuf("6.31.1")), {}, id="met"
        ),
    ],
)
def test_silent(packages: tuple[Package, ...], variables: dict[str, str]) -> None:
    assert findings(*packages, variables=variables) == []


def test_unread_packages_are_not_called_healthy() -> None:
    with pytest.raises(Unread):
        list(protobuf_conflict(InterpreterFacts(path="/p", version="3.10.1"), LINUX, None, None, None))

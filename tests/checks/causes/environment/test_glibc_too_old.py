"""When glibc-too-old speaks, and when it keeps silent."""

import pytest

from checks.causes.environment.glibc_too_old import glibc_too_old
from checks.facts import ErrorText, Frameworks, InterpreterFacts, OsFacts, Package, TorchFacts
from checks.facts.finding import Finding, NotHere, Severity, Unread
from checks.knowledge.packages.glibc import first_systems_with, glibc_of_tags

UBUNTU_18 = OsFacts(system="Linux", name="Ubuntu 18.04.6 LTS", libc="glibc", libc_version="2.27")
UBUNTU_20 = OsFacts(system="Linux", name="Ubuntu 20.04.6 LTS", libc="glibc", libc_version="2.31")
ALPINE = OsFacts(system="Linux", name="Alpine Linux v3.20", libc="musl", libc_version="1.2.5")
WHEEL = Package(name="torch", version="2.7.0", tags=("cp311-cp311-manylinux_2_28_x86_64",))


def findings(os: OsFacts, *packages: Package, error: ErrorText | None = None) -> list[Finding]:
    torch = TorchFacts(version="2.7.0", imported=error is None, error=error)
    interpreter = InterpreterFacts(path="/venv/bin/python", packages=packages)
    return list(glibc_too_old(os, interpreter, Frameworks(torch=torch), None))


@pytest.mark.parametrize(
    ("os", "package"),
    [
        pytest.param(UBUNTU_18, WHEEL, id="just-below"),
        pytest.param(ALPINE, WHEEL, id="musl"),
        pytest.param(
            ALPINE,
            Package(name="numpy", version="1.26.4", tags=("cp311-cp311-manylinux2014_x86_64",)),
            id="musl-old-tag",
        ),
    ],
)
def test_speaks_from_a_tag(os: OsFacts, package: Package) -> None:
    (finding,) = findings(os, package)
    assert finding.severity is Severity.WARNING
    assert (os.name or "") in finding.placeholders()["system"]


@pytest.mark.parametrize(
    ("message", "needed", "fitting"),
    [
        pytest.param(
            # pytorch/pytorch#14274
            "/lib64/libc.so.6: version 'GLIBC_2.14' not found (required by torch/lib/libshm.so)",
            "GLIBC_2.14",
            "Ubuntu 16.04, Debian 9, RHEL 7",
            id="glibc",
        ),
        pytest.param(
            # pytorch/pytorch#157709
            "/lib/x86_64-linux-gnu/libstdc++.so.6: version `GLIBCXX_3.4.30' not found (required by libtorch_python.so)",
            "GLIBCXX_3.4.30",
            "Ubuntu 22.04, Debian 12, RHEL 10",
            id="libstdcxx",
        ),
        pytest.param(
            "/usr/lib/libstdc++.so.6: version `CXXABI_1.3.15' not found (required by icu)",
            "CXXABI_1.3.15",
            "–",
            id="cxxabi",
        ),
    ],
)
def test_speaks_from_an_import(message: str, needed: str, fitting: str) -> None:
    (finding,) = findings(UBUNTU_18, error=ErrorText(type="ImportError", message=message))
    assert finding.severity is Severity.BLOCKING
    assert finding.placeholders()["needed"] == needed
    assert finding.placeholders()["fitting"] == fitting


@pytest.mark.parametrize(
    ("os", "package"),
    [
        pytest.param(UBUNTU_20, WHEEL, id="new-enough"),
        pytest.param(OsFacts(system="Linux", libc="glibc", libc_version="2.28"), WHEEL, id="exactly"),
        pytest.param(
            UBUNTU_18,
            Package(name="x", version="1", tags=("cp311-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64",)),
            id="old-tag",
        ),
        pytest.param(UBUNTU_18, Package(name="x", version="1", tags=("py3-none-any",)), id="pure-python"),
        pytest.param(UBUNTU_18, Package(name="x", version="1"), id="no-tags"),
        pytest.param(
            ALPINE,
            Package(name="numpy", version="2.0.0", tags=("cp311-cp311-musllinux_1_2_x86_64",)),
            id="built-for-musl",
        ),
    ],
)
def test_silent(os: OsFacts, package: Package) -> None:
    assert findings(os, package) == []


def test_nothing_to_check_on_windows() -> None:
    with pytest.raises(NotHere):
        findings(OsFacts(system="Windows", libc=""), WHEEL)


def test_a_copy_that_is_not_the_systems_has_another_cause() -> None:
    message = "/home/user/anaconda3/lib/libstdc++.so.6: version `GLIBCXX_3.4.29' not found (required by a.so)"
    assert findings(UBUNTU_20, error=ErrorText(type="ImportError", message=message)) == []


def test_unread_library_is_not_called_healthy() -> None:
    with pytest.raises(Unread):
        findings(OsFacts(system="Linux", libc="glibc"), WHEEL)


def test_the_least_demanding_tag_counts() -> None:
    assert glibc_of_tags(("cp311-cp311-manylinux_2_28_x86_64", "cp311-cp311-manylinux_2_5_x86_64")) == "2.5"
    assert glibc_of_tags(("py3-none-any",)) is None


def test_unknown_symbols_have_no_systems() -> None:
    assert first_systems_with("GLIBC_9.9") == ()
    assert first_systems_with("something") == ()

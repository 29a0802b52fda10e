"""When framework-companion-mismatch speaks, and when it keeps silent."""

import pytest

from checks.causes.environment.framework_companion_mismatch import framework_companion_mismatch
from checks.facts import ErrorText, Frameworks, ImportTry, InterpreterFacts, JaxFacts, OsFacts, Package, TorchFacts
from checks.facts.finding import Finding, Severity, Unread

LINUX = OsFacts(system="Linux", architecture="x86_64")
WINDOWS = OsFacts(system="Windows", architecture="AMD64")
MAC = OsFacts(system="Darwin", architecture="arm64")


def findings(
    *packages: Package,
    torch: str | None = None,
    cuda: str | None = None,
    imported: bool | None = None,
    os: OsFacts = LINUX,
) -> list[Finding]:
    interpreter = InterpreterFacts(path="/venv/bin/python", version="3.11.9", packages=packages)
    frameworks = None
    if torch is not None:
        tries = tuple(
            ImportTry(name=each.name, imported=imported)
            for each in packages
            if each.name != "torch" and imported is not None
        )
        frameworks = Frameworks(torch=TorchFacts(version=torch, cuda_version=cuda, companions=tries))
    return list(framework_companion_mismatch(interpreter, frameworks, os))


def package(name: str, version: str, *requires: str) -> Package:
    return Package(name=name, version=version, requires=requires or None)


def test_xformers_for_another_torch() -> None:
    # https://github.com/yangjianxin1/Firefly/issues/258: xformers 0.0.26.post1 beside torch 2.1.0+cu121
    (finding,) = findings(package("xformers", "0.0.26.post1"), torch="2.1.0+cu121", cuda="12.1")
    assert finding.severity is Severity.BLOCKING
    assert finding.placeholders()["needed"] == "torch 2.3.0"
    assert finding.values["companion_package"] == "xformers==0.0.22.post7"
    assert finding.values["torch_index"] == "https://download.pytorch.org/whl/cu121"


def test_cpu_torch_beside_a_cuda_companion() -> None:
    # https://github.com/facebookresearch/xformers/issues/982 has the same pair with xformers.
    (finding,) = findings(package("torchvision", "0.17.0+cu121"), torch="2.2.0+cpu", cuda="", imported=True)
    assert finding.severity is Severity.WARNING
    assert finding.values["torch_index"] == "https://download.pytorch.org/whl/cpu"


def test_the_registry_has_another_build() -> None:
    # https://github.com/pytorch/vision/issues/9077: torchvision from the registry beside torch +cpu
    (finding,) = findings(package("torchvision", "0.22.0"), torch="2.7.0+cpu", cuda="", imported=False)
    assert finding.severity is Severity.BLOCKING
    # https://github.com/pytorch/pytorch/issues/51858: on Windows the registry's torchvision is for the CPU
    (finding,) = findings(package("torchvision", "0.15.2"), torch="2.0.1+cu117", cuda="11.7", imported=True, os=WINDOWS)
    assert finding.severity is Severity.WARNING
    assert finding.placeholders()["needed"] == "torch 2.0.1+cpu"


def test_xformers_says_for_what_it_was_built() -> None:
    # https://github.com/facebookresearch/xformers/issues/982
    text = "xFormers was built for:\n    PyTorch 2.2.0+cu121 with CUDA 1201 (you have 2.2.0+cpu)"
    xformers = ImportTry(name="xformers", imported=True, error=ErrorText(type="Warning", message=text))
    interpreter = InterpreterFacts(path="/p", version="3.11.0", packages=(package("xformers", "0.0.25.dev741"),))
    frameworks = Frameworks(torch=TorchFacts(version="2.2.0+cpu", cuda_version="", companions=(xformers,)))
    (finding,) = framework_companion_mismatch(interpreter, frameworks, LINUX)
    assert finding.placeholders()["needed"] == "torch 2.2.0+cu121"


def test_a_failed_import_is_certain() -> None:
    (finding,) = findings(package("torchvision", "0.20.0"), torch="2.6.0+cu124", cuda="12.4", imported=False)
    assert finding.severity is Severity.BLOCKING
    assert finding.confidence > 0.9


def test_patch_release_is_only_a_note() -> None:
    (finding,) = findings(package("torchvision", "0.19.0", "torch==2.4.0"), torch="2.4.1+cu121", imported=True)
    assert finding.severity is Severity.NOTE


def test_metadata_alone() -> None:
    (finding,) = findings(package("torchaudio", "2.5.1", "torch==2.5.1"), package("torch", "2.6.0"))
    assert finding.remedies[0] == "reinstall-companion-from-registry"
    assert finding.values == {"companion_name": "torchaudio", "companion_package": "torchaudio==2.6.0"}


def test_on_a_mac_from_the_registry() -> None:
    (finding,) = findings(package("torchvision", "0.20.0"), torch="2.6.0", cuda="", os=MAC)
    assert finding.remedies[0] == "reinstall-companion-from-registry"


def test_keras_beside_tensorflow() -> None:
    (finding,) = findings(package("tensorflow", "2.15.0", "keras<2.16,>=2.15.0"), package("keras", "3.5.0"))
    assert finding.placeholders()["found"] == "keras 3.5.0"
    assert finding.values["requirement"] == "keras<2.16,>=2.15.0"


def test_other_names_of_tensorflow() -> None:
    (finding,) = findings(package("tensorflow-cpu", "2.15.1", "keras<2.16,>=2.15.0"), package("keras", "3.6.0"))
    assert finding.severity is Severity.WARNING
    (finding,) = findings(package("tf-keras", "2.18.0", "tensorflow<2.19,>=2.18"), package("tensorflow", "2.16.1"))
    assert finding.subject == "tf-keras"


def test_jax_that_refuses_its_jaxlib() -> None:
    interpreter = InterpreterFacts(
        path="/p",
        version="3.12.1",
        packages=(package("jax", "0.6.2", "jaxlib<=0.6.2,>=0.6.2"), package("jaxlib", "0.4.34")),
    )
    frameworks = Frameworks(jax=JaxFacts(version="0.6.2", imported=False))
    (finding,) = framework_companion_mismatch(interpreter, frameworks, LINUX)
    assert finding.severity is Severity.BLOCKING


def test_jax_and_jaxlib() -> None:
    (finding,) = findings(package("jax", "0.4.30", "jaxlib<=0.4.30,>=0.4.27"), package("jaxlib", "0.4.20"))
    assert finding.subject == "jax"


@pytest.mark.parametrize(
    ("name", "version", "torch"),
    [
        pytest.param("torchvision", "0.21.0+cu124", "2.6.0+cu124", id="the-pair"),
        pytest.param("torchvision", "0.29.2", "2.15.0+cu132", id="stable-interface-of-torchvision"),
        pytest.param("torchaudio", "2.11.0", "2.14.1+cu126", id="stable-interface-of-torchaudio"),
        pytest.param("xformers", "0.0.35", "2.13.0+cu130", id="stable-interface-of-xformers"),
        pytest.param("torchvision", "0.23.0+cu126", "2.8.0+cu128", id="same-cuda-major"),
        pytest.param("torchvision", "0.21.0", "2.6.0+cu126", id="registry-build-of-the-same-cuda-major"),
        pytest.param("torchvision", "0.20.0a0", "2.6.0a0+ecf3bae40a.nv25.01", id="nvidia-container"),
        pytest.param("torchvision", "0.99.0", "2.6.0+cu124", id="unknown-release"),
        pytest.param("xformers", "0.0.29.post3", "2.6.0+cpu", id="registry-build-of-xformers-not-measured"),
        pytest.param("timm", "1.0.9", "2.6.0+cu124", id="not-a-companion"),
    ],
)
def test_silent(name: str, version: str, torch: str) -> None:
    assert findings(package(name, version), torch=torch) == []


def test_silent_without_torch() -> None:
    assert findings(package("torchvision", "0.21.0")) == []


def test_unread_packages_are_open() -> None:
    with pytest.raises(Unread, match="packages"):
        list(framework_companion_mismatch(InterpreterFacts(path="/p", version="3.11.9"), None, LINUX))


@pytest.mark.parametrize(
    ("architecture", "wheel"),
    [
        pytest.param("x86_64", "torchvision==0.20.1+cpu", id="marked-wheels"),
        pytest.param("aarch64", "torchvision==0.20.1", id="unmarked-wheels"),
    ],
)
def test_the_build_is_pinned_with_the_release(architecture: str, wheel: str) -> None:
    """Without its mark pip took a CUDA build of the same release from another index that was configured."""
    os = OsFacts(system="Linux", architecture=architecture)
    (finding,) = findings(
        package("torch", "2.5.1+cpu"),
        package("torchvision", "0.19.0"),
        torch="2.5.1+cpu",
        cuda="",
        imported=False,
        os=os,
    )
    assert finding.values["companion_package"] == wheel

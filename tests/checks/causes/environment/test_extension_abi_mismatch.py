"""When extension-abi-mismatch speaks, and when it keeps silent."""

import pytest

from checks.causes.environment.extension_abi_mismatch import extension_abi_mismatch
from checks.facts import ErrorText, Frameworks, ImportTry, InterpreterFacts, Package, TorchFacts
from checks.facts.finding import Finding, Severity, Unread
from checks.knowledge.packages.extension_tags import ExtensionTags, built_for

TORCH = TorchFacts(version="2.6.0+cu124", imported=True, cuda_version="12.4", cxx11_abi=False)


def findings(*packages: Package, torch: TorchFacts | None = TORCH) -> list[Finding]:
    installed = Package(name="torch", version="2.6.0+cu124")
    interpreter = InterpreterFacts(path="/venv/bin/python", packages=(installed, *packages))
    return list(extension_abi_mismatch(interpreter, Frameworks(torch=torch), None))


def companion(name: str, version: str, error: str, message: str) -> TorchFacts:
    broken = ImportTry(name=name, imported=False, version=version, error=ErrorText(type=error, message=message))
    return TorchFacts(version="2.6.0+cu124", imported=True, companions=(broken,))


@pytest.mark.parametrize(
    ("torch", "package"),
    [
        pytest.param(
            # facebookresearch/detectron2#3710
            companion(
                "detectron2",
                "0.6",
                "ImportError",
                "/env/detectron2/_C.so: undefined symbol: _ZNK2at10TensorBase8data_ptrIdEEPT_v",
            ),
            "detectron2 0.6",
            id="undefined-symbol",
        ),
        pytest.param(
            # pytorch/vision#8985
            companion("torchvision", "0.21.0+cu126", "RuntimeError", "operator torchvision::nms does not exist"),
            "torchvision 0.21.0+cu126",
            id="operator-missing",
        ),
        pytest.param(
            # facebookresearch/pytorch3d#1872
            companion(
                "pytorch3d",
                "0.7.4",
                "ImportError",
                "DLL load failed while importing _C: The specified procedure could not be found.",
            ),
            "pytorch3d 0.7.4",
            id="procedure-missing",
        ),
    ],
)
def test_speaks_from_an_import(torch: TorchFacts, package: str) -> None:
    (finding,) = findings(torch=torch)
    assert finding.severity is Severity.WARNING
    assert finding.placeholders()["package"] == package


def test_a_broken_framework_is_blocking() -> None:
    error = ErrorText(type="ImportError", message="libtorch_cpu.so: undefined symbol: _ZN5torch3jit6tracer")
    (finding,) = findings(torch=TorchFacts(version="2.6.0", imported=False, error=error))
    assert finding.severity is Severity.BLOCKING


@pytest.mark.parametrize(
    "package",
    [
        pytest.param(Package(name="flash-attn", version="2.8.3+cu12torch2.4cxx11abiFALSE"), id="other-torch"),
        pytest.param(Package(name="flash-attn", version="2.8.3+cu12torch2.6cxx11abiTRUE"), id="other-abi"),
        pytest.param(Package(name="torch-scatter", version="2.1.2+pt26cu118"), id="other-cuda"),
        pytest.param(Package(name="natten", version="0.17.5+torch250cu121"), id="other-torch-with-patch-digit"),
        pytest.param(Package(name="pytorch3d", version="0.7.8+pt2.4.1cu121"), id="other-torch-with-dots"),
    ],
)
def test_speaks_from_a_tag(package: Package) -> None:
    (finding,) = findings(package)
    assert finding.severity is Severity.WARNING
    assert finding.placeholders()["clue"] == package.version.partition("+")[2]


@pytest.mark.parametrize(
    "package",
    [
        pytest.param(Package(name="flash-attn", version="2.8.3+cu12torch2.6cxx11abiFALSE"), id="fits"),
        pytest.param(Package(name="flash-attn", version="2.8.3"), id="built-by-the-user"),
        pytest.param(Package(name="torch-scatter", version="2.1.2+pt26cu124"), id="pyg-fits"),
        pytest.param(Package(name="natten", version="0.17.5+torch260cu126"), id="minor-of-cuda-does-not-matter"),
        pytest.param(Package(name="torchvision", version="0.21.0+cu124"), id="a-tag-without-torch"),
    ],
)
def test_silent(package: Package) -> None:
    assert findings(package) == []


def test_a_companion_that_asks_for_another_torch_has_a_cause_of_its_own() -> None:
    # recorded: torchvision 0.20.1 beside torch 2.13.0
    torch = companion("torchvision", "0.20.1", "RuntimeError", "operator torchvision::nms does not exist")
    assert findings(Package(name="torchvision", version="0.20.1", requires=("torch==2.5.1",)), torch=torch) == []


def test_a_tag_is_outweighed_by_a_real_import() -> None:
    works = TorchFacts(version="2.6.0", imported=True, companions=(ImportTry(name="flash-attn", imported=True),))
    assert findings(Package(name="flash-attn", version="2.8.3+cu12torch2.4cxx11abiFALSE"), torch=works) == []


def test_unread_packages_are_not_called_healthy() -> None:
    with pytest.raises(Unread):
        list(extension_abi_mismatch(InterpreterFacts(path="/p"), None, None))


def test_every_notation_reads_its_own_example() -> None:
    for notation in ExtensionTags.read().notation:
        built = built_for(f"1.0+{notation.example}")
        assert built is not None
        assert built.source == notation.source


@pytest.mark.parametrize(
    ("tag", "torch"), [("pt20cu117", "2.0"), ("pt210cu128", "2.10"), ("torch2100cu128", "2.10"), ("torch2.11", "2.11")]
)
def test_releases_are_read_right(tag: str, torch: str) -> None:
    built = built_for(f"1.0+{tag}")
    assert built is not None
    assert built.torch == torch

"""The packages beside a framework are made for another release of it, or for another kind of build.

Detects:      torchvision, torchaudio or xformers for another torch, or for another CUDA major version or the CPU;
              keras, tf-keras, tensorflow-text, jaxlib and JAX's plugins that do not fit their framework.
Why it bites: their compiled half calls into the framework: "operator torchvision::nms does not exist", undefined
              symbols, "xFormers can't load C++/CUDA extensions".
Blind spots:  builds from source and vendors' own builds are not judged by their version.
Knowledge:    resources/knowledge/packages/torch_companions.toml; the packages' own metadata
"""

import functools
import re
from collections.abc import Iterator

import msgspec
from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from checks.analysis.packages.fitting_build import wheel_platform
from checks.analysis.packages.requirements import broken_requirements
from checks.analysis.packages.taking_part import failed_run_with
from checks.causes.registry import check
from checks.facts import Facts, Frameworks, InterpreterFacts, MachineFacts, OsFacts, Package, TorchFacts
from checks.facts.finding import Evidence, Finding, Severity, Unread
from checks.facts.versions import minor, release
from checks.knowledge.errors.import_errors import recognise
from checks.knowledge.frameworks.torch import CPU, INDEX, TorchTable, torch_release
from checks.knowledge.packages.ai_packages import framework_of_package
from checks.knowledge.packages.import_packages import modules_of_distribution
from checks.knowledge.packages.torch_companions import TorchCompanions, companion_names, fits, fitting, wanted_torch

CAUSE = "framework-companion-mismatch"

_MARKED = ("torchvision", "torchaudio")  # wear "+cu126" on PyTorch's index; xformers does not

# (package, what it asks for) beside JAX, judged by the packages' own metadata; for TensorFlow see companion_pairs().
_JAX_PAIRS = frozenset(
    {
        ("jax", "jaxlib"),
        ("jax-cuda12-plugin", "jaxlib"),
        ("jax-cuda12-plugin", "jax-cuda12-pjrt"),
        ("jax-cuda13-plugin", "jaxlib"),
        ("jax-cuda13-plugin", "jax-cuda13-pjrt"),
    }
)
_BUILD_TAG = re.compile(r"\+(cu\d+|cpu|rocm[\d.]+|xpu)$")
_OWN_BUILD = re.compile(r"(a0|\.dev|\+(git|nv|.*nv))")  # from source, or NVIDIA's


@check(CAUSE)
def framework_companion_mismatch(
    interpreter: InterpreterFacts, frameworks: Frameworks | None, os: OsFacts | None, facts: Facts | None = None
) -> Iterator[Finding]:
    """One finding per package that does not fit its framework."""
    if interpreter.packages is None:
        raise Unread("packages", interpreter.unread.get("packages", ""))
    torch = frameworks.torch if frameworks else None
    installed = interpreter.package("torch", "pytorch")
    version = (torch.version if torch else None) or (installed.version if installed else None)
    if version is not None:
        for name in sorted(companion_names()):
            package = interpreter.package(name)
            if package is not None:
                platform = wheel_platform(MachineFacts(os=os), interpreter)
                for finding in _beside_torch(package, version, torch, platform, os):
                    yield _in_failure(finding, package, facts)
    for broken in broken_requirements(interpreter, os):
        pair = (broken.package.name, canonicalize_name(broken.requirement.name))
        if pair in companion_pairs() and pair[1] != "torch" and broken.found is not None:
            has_failed = _has_failed(pair, frameworks)
            yield Finding(
                severity=Severity.BLOCKING if has_failed else Severity.WARNING,
                confidence=0.95 if has_failed else 0.85,
                subject=broken.package.name,
                evidence=(
                    Evidence("companion", f"{pair[0]} {broken.package.version}", broken.package.location or ""),
                    Evidence("needed", broken.needed, broken.package.location or ""),
                    Evidence("found", f"{pair[1]} {broken.found.version}", broken.found.location or ""),
                ),
                values={"requirement": broken.needed},
                remedies=("install-required-version", "make-fresh-environment"),
            )


def _in_failure(finding: Finding, package: Package, facts: Facts | None) -> Finding:
    """The finding, tied to the failed run that passed through the package, so that it is what the run shows."""
    modules = modules_of_distribution(package.name) or (package.name,)
    run = failed_run_with(modules, facts) if facts and finding.severity is Severity.BLOCKING else {}
    return msgspec.structs.replace(finding, values={**finding.values, **run})


@functools.cache
def companion_pairs() -> frozenset[tuple[str, str]]:
    """Every (package, what it asks for) that this check judges."""
    tensorflows = [package for package, framework in framework_of_package().items() if framework == "tensorflow"]
    beside_tensorflow = ("tf-keras", "tensorflow-text")
    return (
        _JAX_PAIRS
        | {(name, "torch") for name in companion_names()}
        | {(name, "keras") for name in tensorflows}
        | {(name, other) for name in beside_tensorflow for other in tensorflows}
    )


def _has_failed(pair: tuple[str, str], frameworks: Frameworks | None) -> bool:
    """Whether the framework that the pair belongs to could not be imported."""
    name = "jax" if pair in _JAX_PAIRS else "tensorflow"
    return any(facts.imported is False for framework, facts in (frameworks or Frameworks()).each() if framework == name)


def _beside_torch(
    package: Package, version: str, torch: TorchFacts | None, platform: str | None, os: OsFacts | None
) -> Iterator[Finding]:
    outcome = _imported(package.name, torch)
    stated = _says_it(package.name, torch)
    wanted, source = _wanted(package)
    tag, is_certain = _tag(package.version), True
    if tag is None:
        tag, is_certain = _tag_of_registry(package, wanted, platform), False
        if outcome and tag != CPU:  # a CUDA half that loaded fits; one for the CPU loads beside every torch
            tag = None
    is_own_build = _OWN_BUILD.search(version) or _OWN_BUILD.search(package.version)
    if stated is not None:
        wanted, source = stated
        severity, confidence = (Severity.BLOCKING, 0.95) if outcome is False else (Severity.WARNING, 0.95)
    elif wanted and fits(wanted, version) is False and not is_own_build:
        severity, confidence = _judge_release(wanted, version, outcome)
    elif tag and _tag(version) and _kind(tag) != _kind(_tag(version)):
        wanted, source = f"{wanted or ''}+{tag}", TorchTable.read().title
        # Hardly anything of torchaudio runs on the GPU in compiled code of its own.
        mild = Severity.NOTE if package.name == "torchaudio" else Severity.WARNING
        severity = Severity.BLOCKING if outcome is False else mild
        confidence = 0.95 if outcome is False else 0.85 if is_certain else 0.75
    else:
        return
    yield _torch_finding(package, version, torch, os, wanted or "", source, severity, confidence)


def _judge_release(wanted: str, version: str, outcome: bool | None) -> tuple[Severity, float]:
    if outcome is False:
        return Severity.BLOCKING, 0.95
    if wanted.startswith("==") and minor(wanted) == minor(version):
        return Severity.NOTE, 0.7  # the pin is stricter than the binary interface
    return (Severity.WARNING, 0.8) if outcome else (Severity.BLOCKING, 0.85)


def _torch_finding(
    package: Package,
    version: str,
    torch: TorchFacts | None,
    os: OsFacts | None,
    wanted: str,
    source: str,
    severity: Severity,
    confidence: float,
) -> Finding:
    fit = fitting(package.name, version)
    tag = _tag(version) or _tag_of(torch)
    has_index = fit is not None and tag is not None and not (os and os.system == "Darwin")
    # Where the index marks its wheels, the mark keeps pip from a build of the same version on another index.
    is_marked = has_index and package.name in _MARKED and os is not None and os.architecture in ("x86_64", "AMD64")
    wheel = f"{package.name}=={fit}+{tag}" if is_marked else f"{package.name}=={fit}"
    return Finding(
        severity=severity,
        confidence=confidence,
        subject=package.name,
        evidence=(
            Evidence("companion", f"{package.name} {package.version}", package.location or ""),
            Evidence("needed", f"torch {wanted.removeprefix('==')}", source),
            Evidence("found", f"torch {version}", torch.origin if torch else ""),
        ),
        values={
            **({"companion_name": package.name, "companion_package": wheel} if fit else {}),
            **({"torch_index": f"{INDEX}{tag}"} if has_index else {}),
        },
        remedies=(
            "reinstall-torch-companion" if has_index else "reinstall-companion-from-registry",
            "make-fresh-environment",
        ),
    )


def _wanted(package: Package) -> tuple[str | None, str]:
    """The torch that a companion asks for as a specifier, and where that stands; its own metadata come first."""
    for line in package.requires or ():
        try:
            requirement = Requirement(line)
        except InvalidRequirement:
            continue
        if canonicalize_name(requirement.name) == "torch" and requirement.specifier:
            return str(requirement.specifier), package.location or "METADATA"
    return wanted_torch(package.name, package.version), TorchCompanions.read().title


def _imported(name: str, torch: TorchFacts | None) -> bool | None:
    """Whether it could really be imported beside torch; None where it was not tried."""
    return next(
        (companion.imported for companion in (torch.companions if torch else None) or () if companion.name == name),
        None,
    )


def _says_it(name: str, torch: TorchFacts | None) -> tuple[str, str] | None:
    """What the package itself says that it was built for, and where that wording is known from."""
    for companion in (torch.companions if torch else None) or ():
        found = recognise(companion.error.message) if companion.name == name and companion.error else None
        if found is not None and found.row.cause == CAUSE and found.groups["needed"] != found.groups["found"]:
            return found.groups["needed"], found.row.sources[0]
    return None


def _tag_of_registry(package: Package, wanted: str | None, platform: str | None) -> str | None:
    """The build that the ordinary registry gives: torchvision's is that of torch, "cpu" on Windows.

    xformers is left out, whose builds there were not measured; so is what conda installed.
    """
    if package.name == "xformers" or package.installer == "conda" or not wanted or not wanted.startswith("=="):
        return None
    row = torch_release(wanted)
    return row.default.get(platform or "") if row else None


def _tag(version: str) -> str | None:
    """The build in a version: "2.5.1+cu121" -> "cu121"."""
    found = _BUILD_TAG.search(version)
    return found[1] if found else None


def _tag_of(torch: TorchFacts | None) -> str | None:
    if torch is None or torch.cuda_version is None:
        return None
    return "cu" + "".join(str(part) for part in (*release(torch.cuda_version), 0)[:2]) if torch.cuda_version else CPU


def _kind(tag: str | None) -> str:
    """What must be equal: the CUDA major version ("cu121" -> "cu12"), or the vendor."""
    if tag is None:
        return ""
    return tag[:-1] if tag.startswith("cu") else re.sub(r"[\d.]+$", "", tag)

"""Apple's Metal backend is not available on an Apple silicon Mac.

Detects:      an x86 Python under Rosetta; a PyTorch build without Metal; a macOS that is older than this PyTorch asks
              for; a virtual machine.
Why it bites: "mps" cannot be used, so everything runs on the CPU, under Rosetta even that slowly.
Blind spots:  a sandbox that hides the GPU from one program makes the same picture; Intel Macs are left out.
Knowledge:    resources/knowledge/gpu/mps_support.toml
"""

from collections.abc import Iterator

from checks.analysis.gpu.state import NONE, ran_on
from checks.causes.registry import check
from checks.facts import AppleFacts, InterpreterFacts, OsFacts, TorchFacts
from checks.facts.finding import Evidence, Finding, Severity, Unread
from checks.facts.phrase import Value
from checks.facts.versions import release
from checks.knowledge.gpu.mps_support import mps_minimum
from checks.knowledge.phrases import phrase


@check("mps-unavailable", from_whole=True)
def mps_unavailable(
    apple: AppleFacts, interpreter: InterpreterFacts, torch: TorchFacts | None, os: OsFacts | None
) -> Iterator[Finding]:
    """One finding for the interpreter."""
    if not apple.is_apple_silicon or (torch is not None and ran_on(torch, "mps")):
        return
    values: dict[str, Value] = {}
    remedies: tuple[str, ...]
    if interpreter.architecture == "x86_64":
        severity, confidence, remedies = Severity.BLOCKING, 0.95, ("install-arm64-python",)
        state = phrase("mps-x86")
    elif torch is None or torch.mps_available:
        return
    elif torch.mps_available is None:
        raise Unread("mps_available", torch.unread.get("mps_available", ""))
    else:
        severity, confidence, remedies = Severity.BLOCKING, 0.7, ("reinstall-torch-for-macos",)
        version, macos = torch.version or NONE, apple.macos_version or NONE
        state = phrase("mps-not-built", torch=version)
        minimum = mps_minimum(torch.version or "")
        if os and os.virtual_machine:
            severity, confidence, remedies = Severity.WARNING, 0.8, ("run-on-the-mac-itself",)
            state = phrase("mps-virtual")
        elif minimum and apple.macos_version and release(apple.macos_version) < release(minimum.macos_min):
            confidence, remedies, values = 0.95, ("update-macos",), {"macos_min": minimum.macos_min}
            state = phrase("mps-macos-too-old", torch=version, minimum=minimum.macos_min, macos=macos)
        elif torch.mps_built:  # built, new enough, and yet no device: a sandbox, or a session without the GPU
            severity, confidence, remedies = Severity.WARNING, 0.5, ("run-on-the-mac-itself", "update-macos")
            state = phrase("mps-hidden")
    yield Finding(
        severity=severity,
        confidence=confidence,
        evidence=(
            Evidence("chip", apple.chip or "Mac", apple.origin),
            Evidence("macos_version", apple.macos_version or NONE, apple.origin),
            Evidence("python_architecture", interpreter.architecture or NONE, interpreter.path),
            Evidence("torch_version", (torch.version if torch else None) or NONE, torch.origin if torch else ""),
        ),
        remedies=remedies,
        values={**values, "state": state},
    )

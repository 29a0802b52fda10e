"""Repeated operations for the tests of their checks: made ones, and those of real runs."""

import json
from pathlib import Path

import msgspec

from checks.facts import ArrayDifference, ErrorText, Frameworks, Measurement, Measurements, Repeat, TorchFacts

RECORDINGS = Path(__file__).parents[1] / "recordings" / "computations"
NO_FORM = ErrorText(
    type="RuntimeError",
    message=(
        "histc_cuda does not have a deterministic implementation, but you set "
        "'torch.use_deterministic_algorithms(True)'."
    ),
    traceback="",
)
LAST_DIGIT = ArrayDifference(elements=64, differing=60, max_abs=2e-5, scale=40.0, max_ulp=6)
LARGE = ArrayDifference(elements=64, differing=1, max_abs=3.5, scale=4.0)


def frameworks(version: str = "2.13.0", cuda: str = "13.0") -> Frameworks:
    return Frameworks(torch=TorchFacts(version=version, cuda_version=cuda, build="cuda"))


def repeat(operation: str, setting: str = "default", distinct: int = 1, n: int = 300, **more: object) -> Repeat:
    fields = {
        "framework": "torch",
        "device": "cuda:0",
        "dtype": "float32",
        "seconds": 1e-3,
        "scale": 64.0,
        "repetitions": n,
        "distinct": distinct,
        "fingerprints": tuple(f"{place:016x}" for place in range(min(distinct, 20))),
        "counts": (n - distinct + 1, *(1 for _ in range(min(distinct, 20) - 1))),
        "terms": 512,
    }
    if distinct > 1:
        fields |= {"spread": LAST_DIGIT, "order": tuple(place % distinct for place in range(30))}
    return msgspec.convert({"operation": operation, "setting": setting, **fields, **more}, Repeat, from_attributes=True)


def left_out(operation: str, setting: str, reason: str, error: ErrorText | None = None, detail: str = "") -> Repeat:
    return Repeat(
        framework="torch",
        operation=operation,
        setting=setting,
        device="cuda:0",
        dtype="float32",
        reason=reason,
        detail=detail,
        error=error,
    )


def measurements(*made: Measurement) -> Measurements:
    return Measurements(all=made)


def recorded(name: str) -> tuple[Measurement, ...]:
    """The measurements of a real run."""
    plain = json.loads((RECORDINGS / f"{name}.json").read_text(encoding="utf-8"))
    return msgspec.convert(plain["measurements"], tuple[Measurement, ...])

# ruff: noqa: E501 - what programs printed stays as it is
"""Whatever is pasted, reading it ends, does not fail, and costs no more than its length."""

import json
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.extent import ALL

from checks.facts import Facts
from checks.readers.tickets import text as text_shapes
from checks.readers.tickets.excerpt import excerpt
from checks.readers.tickets.found import gpus, lists, logs, mentions, nvidia_smi, packages, systems, tracebacks
from checks.readers.tickets.lines import lines_of
from checks.readers.tickets.reported import READERS, reported_in

# Pieces of what the readers look for, so that arbitrary texts come near to it.
PIECES = [
    "Traceback (most recent call last):\n", '  File "a.py", line 1, in f\n', "RuntimeError: ", "During handling of the above exception",
    "NVIDIA-SMI 535.1", "Driver Version: 535.104", "|   0  NVIDIA A100  Off | 00000000:01:00.0 Off |", "24MiB / 81251MiB", "GPU 0: NVIDIA",
    "(UUID: GPU-", "torch==2.1.0", "torch  2.1.0  py3_0  pytorch", "# Name  Version  Build", "Name: torch\n", "Version: 1", "PyTorch version: ",
    "CUDA used to build PyTorch: ", "OS: Ubuntu ", "Linux-5.15-x86_64-with-glibc2.35", "Windows-10-10.0.22", "RTX 30", "90 Ti", "gfx1030",
    "compute capability: 8.", "NVRM: Xid (PCI:0000:01:00): 79", "[TensorRT v8", "503]", "sm_120 is not compatible with the current PyTorch",
    "supports CUDA capabilities sm_50", "<gpu id=\"", "<product_name>", "GPU 00000000:01:00.0", "    Total : 5 MiB", "Jetson ", "M2 Max", "İ", "\x00", "\n",
    "│ ", "❱ 12 ", "----> 1 ", "  + Exception Group Traceback (most recent call last):", "  | ", "export CUDA_VISIBLE_DEVICES=", "\\", ":", "=", " ",
]  # fmt: skip


@given(st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=30)), max_size=40).map("".join))
def test_nothing_fails(text: str) -> None:
    found = reported_in(lines_of(text))
    assert found.facts.reported
    last = text.count("\n") + 1
    assert all(1 <= number <= last for numbers in found.places.values() for number in numbers)
    assert msgspec.json.decode(msgspec.json.encode(found.facts), type=Facts) == found.facts


HOSTILE = {
    "spaces": " ",
    "tabs": "\t|",
    "digits": "1",
    "dots": "1.",
    "letters": "a",
    "capitals": "Aa.",
    "quotes": '"',
    "colons": ": ",
    "bars": "| ",
    "dashes": "-+",
    "equals": "a==1 ",
    "driver": "driver ",
    "gpu": "RTX ",
    "gpus": "GeForce RTX 3090 ",
    "python": "python-",
    "brackets": "(((",
    "file": '  File "',
    "error": "Error: ",
    "module": "a.b.",
    "linux": "Linux-a-",
    "uname": "Linux a 5.1.1 # ",
    "sm": "sm_50 ",
    "mib": "1MiB / ",
    "gfx": "gfx1030,",
    "provider": "CUDAExecutionProvider, ",
    "satisfied": "Requirement already satisfied: a in ",
    "arrow": "--> 1 ",
    "backslash": "C:\\a ",
    "name": "Name: ",
}


@pytest.mark.parametrize("piece", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_repetition(piece: str) -> None:
    """A pattern that goes back and forth would not end here within the lifetime of the test run."""
    length = 60_000 if ALL else 20_000
    reported_in(lines_of(piece * (length // len(piece))))
    reported_in(lines_of(("x" + piece * 40 + "\n") * (length // 120)))


@pytest.mark.parametrize(
    "module", [gpus, lists, logs, mentions, nvidia_smi, packages, systems, text_shapes, tracebacks]
)
def test_no_pattern_repeats_without_limit_within_a_repetition(module: ModuleType) -> None:
    """That is what makes a pattern try exponentially many ways; a limit is a repetition of at most 400."""
    for name, value in vars(module).items():
        if isinstance(value, re.Pattern):
            assert _deepest(re._parser.parse(value.pattern, value.flags), 0) <= 1, f"{module.__name__}.{name}"  # type: ignore[attr-defined]


def test_cost_grows_as_the_text_does() -> None:
    """Counted in what the readers say: twice the text, at most twice as much."""
    text = _typical()
    once, twice = _said(text), _said(text + "\n" + text)
    assert twice <= 2 * once + len(READERS)


def test_the_shared_shape() -> None:
    """A whole log in one JSON string is read like its lines."""
    text = "PyTorch version: 2.4.0+cu121\nNvidia driver version: 535.104.05\n" + "x" * 300
    assert (
        reported_in(lines_of(json.dumps(text)[1:-1])).facts.frameworks == reported_in(lines_of(text)).facts.frameworks
    )


def _said(text: str) -> int:
    return sum(1 for reader in READERS for _ in reader(text_shapes.Text(lines_of(text))))


def _typical() -> str:
    """All pieces of real programs that the other tests have."""
    here = Path(__file__).parent
    return "\n".join(
        (here / "found" / name).read_text(encoding="utf-8") for name in ("test_lists.py", "test_nvidia_smi.py")
    )


def _deepest(parsed: Any, above: int) -> int:
    """How many repetitions without a limit stand within one another."""
    deepest = above
    for code, argument in parsed:
        name = str(code)
        if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            deepest = max(deepest, _deepest(argument[2], above + (int(argument[1]) > 4000)))
        elif name == "BRANCH":
            deepest = max([deepest, *(_deepest(each, above) for each in argument[1])])
        elif name in ("SUBPATTERN", "ASSERT", "ASSERT_NOT", "ATOMIC_GROUP"):
            deepest = max(
                deepest,
                _deepest(
                    argument[1] if name.startswith("ASSERT") else argument[-1] if name == "SUBPATTERN" else argument,
                    above,
                ),
            )
    return deepest


def test_a_long_log_is_read_where_it_matters() -> None:
    noise = [f"step {number} loss 0.1 " + "." * 80 for number in range(20_000)]
    noise[0] = "PyTorch version: 2.4.0+cu121"
    noise[10_000] = "RuntimeError: CUDA error: device-side assert triggered"
    noise[-1] = "Nvidia driver version: 535.104.05"
    found = reported_in(lines_of("\n".join(noise)))
    assert [(each.type, each.line) for each in found.raised] == [("RuntimeError", 10_001)]
    assert found.places["frameworks.torch.version"] == (1,)
    assert found.places["machine.nvidia.driver_version"] == (20_000,)
    assert len(excerpt(lines_of("\n".join(noise)))) < 10_000

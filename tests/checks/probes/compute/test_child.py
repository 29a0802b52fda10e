"""What is told of a second process: what it measured, and of everything else why not."""

import importlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from checks.probes import kit

child = importlib.import_module("checks.probes.compute.child")
NAMES = [
    {"kind": "repeat", "operation": name, "dtype": "float32", "setting": "workspace"} for name in ("first", "second")
]
FIRST = {"facts": {"measurements+": [{**NAMES[0], "repetitions": 9}], "measuring": None}}


def failed(message: str) -> dict[str, Any]:
    return {"end": "imported", "error": {"type": "RuntimeError", "message": message}, "essential": True}


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Callable[..., dict[str, tuple[str, str]]]:
    """Reason and detail of each name, of a process that writes these lines and ends so."""

    def of(exit_code: int | None, *lines: Any) -> dict[str, tuple[str, str]]:
        def run(arguments: list[str], environment: dict[str, str], limit: float) -> int | None:
            text = "".join(line if isinstance(line, str) else json.dumps(line) + "\n" for line in lines)
            Path(arguments[1]).write_text(text, encoding="ascii")
            return exit_code

        monkeypatch.setattr(child, "_run", run)
        facts = list(child.measured("probe.py", {}, {}, 9.0, NAMES))
        assert facts[0] == {"planned+": NAMES}
        made = [raw for part in facts for raw in part.get("measurements+", ())]
        assert [raw["operation"] for raw in made] == ["first", "second"]
        return {raw["operation"]: (raw.get("reason", ""), raw.get("detail", "")) for raw in made}

    return of


def test_what_it_measured_is_passed_on(told: Callable[..., Any]) -> None:
    second = {"facts": {"measurements+": [{**NAMES[1], "repetitions": 9}], "measuring": None}}
    assert told(0, {"python": "3.11"}, FIRST, second, {"done": True}) == {"first": ("", ""), "second": ("", "")}


@pytest.mark.parametrize(("exit_code", "reason"), [(-11, ("crashed", "-11")), (None, ("timed-out", ""))])
def test_what_it_ended_in_is_named(told: Callable[..., Any], exit_code: int | None, reason: tuple[str, str]) -> None:
    assert told(exit_code, FIRST, {"facts": {"measuring": NAMES[1]}}, '{"facts": {"measur') == {
        "first": ("", ""),
        "second": reason,
    }
    behind = told(exit_code, {"facts": {"measuring": NAMES[0]}})
    assert behind == {"first": reason, "second": ("process-ended", "")}


def test_what_it_leaves_goes_with_the_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever is killed clears nothing away; the folder of the answer is."""
    monkeypatch.setattr(kit.Captured, "path", str(tmp_path / "answer.stderr"))
    asked: list[Path] = []
    monkeypatch.setattr(child, "_run", lambda arguments, *_: asked.append(Path(arguments[1])))
    list(child.measured("probe.py", {}, {}, 9.0, NAMES))
    assert tmp_path in asked[0].parents


def test_a_gpu_that_lets_in_one_process_is_told_in_words(told: Callable[..., Any]) -> None:
    busy = failed("CUDA error: CUDA-capable device(s) is/are busy or unavailable")
    assert told(0, busy, {"done": True}) == {"first": ("device-busy", ""), "second": ("device-busy", "")}
    assert told(0, failed("No module named 'torch'"))["first"] == ("failed", "")


def test_a_process_that_never_wrote(told: Callable[..., Any]) -> None:
    assert told(1) == {"first": ("process-ended", ""), "second": ("process-ended", "")}

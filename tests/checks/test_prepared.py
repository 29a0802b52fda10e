import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DECODED_TO = {"convert": 1, "decode": "type", "Decoder": 0}  # where each function is told the class
PLAIN = {"bool", "int", "str"}

# Two hundred classes that nobody has decoded to, each by four threads at once: without `prepared` every run of it ended
# in a segmentation fault within the first few (msgspec 0.21 and 0.22).
RACE = """
import sys, threading, msgspec
from checks.prepared import prepared

sys.setswitchinterval(1e-6)

def at_once(kind, start, found):
    start.wait()
    found.append(msgspec.convert({"a0": [{"b0": [1]}]}, prepared(kind)))

for _ in range(200):
    inner = msgspec.defstruct("Inner", [(f"b{i}", tuple[int, ...], ()) for i in range(20)])
    outer = msgspec.defstruct("Outer", [(f"a{i}", tuple[inner, ...], ()) for i in range(20)])
    start, found = threading.Barrier(4), []
    threads = [threading.Thread(target=at_once, args=(outer, start, found)) for _ in range(4)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    assert [each.a0[0].b0 for each in found] == [(1,)] * 4
"""


def test_threads_may_decode_to_a_new_class_at_once() -> None:
    done = subprocess.run([sys.executable, "-c", RACE], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("folder", ["checks", "wizard"])
def test_every_class_is_prepared_before_it_is_decoded_to(folder: str) -> None:
    unprepared = [
        f"{path.relative_to(ROOT)}:{call.lineno}"
        for path in sorted((ROOT / folder).rglob("*.py"))
        if path.name != "prepared.py" and "msgspec" in (text := path.read_text("utf-8"))
        for call in ast.walk(ast.parse(text))
        if isinstance(call, ast.Call)
        and (kind := _told(call))
        and not kind.startswith("prepared(")
        and kind not in PLAIN
    ]
    assert unprepared == []


def _told(call: ast.Call) -> str:
    """The class that a call of msgspec is told, as it is written; "" where it is told none."""
    function = ast.unparse(call.func)
    place = DECODED_TO.get(function.rpartition(".")[2]) if function.startswith("msgspec.") else None
    if place is None:
        return ""
    if isinstance(place, int):
        return ast.unparse(call.args[place])
    return next((ast.unparse(keyword.value) for keyword in call.keywords if keyword.arg == place), "")

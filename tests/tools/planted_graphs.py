"""Plant differences and losses of quantisation in real ONNX models: how small is the part, which layer is named?

The models are made and quantised in PYTHON, which needs onnx, onnxruntime and its quantiser; with OTHER, a Python with
an older ONNX Runtime, differences between releases are planted as well. By hand, from the root of the repository (one
to two minutes):

    python -m tests.tools.planted_graphs PYTHON [OTHER]

The exit status is 1 where a part lacks a planted node or has others, or another layer is named.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from checks.analysis.models.quantisation import Why, judged
from checks.engine.catalogues.computations import read_measurement
from checks.engine.scripts import HOST, script_of
from checks.facts import MinimalGraph, QuantisationLoss

MAKER = Path(__file__).with_name("planted_models.py")
MINIMAL, QUANTISATION = script_of("compute/model/minimal/probe"), script_of("compute/model/quantisation/probe")
CPU = "CPUExecutionProvider"
SECONDS = 60.0


def measured(python: str, script: Path, argument: dict[str, Any], folder: Path) -> Any:
    """The last measurement of a probe, and the seconds that it took."""
    answer = folder / "answer"
    answer.unlink(missing_ok=True)
    started = time.monotonic()
    subprocess.run(
        [python, "-B", str(HOST), str(script), str(answer), json.dumps(argument)],
        cwd=folder, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    lines = [json.loads(line).get("facts") or {} for line in answer.read_text().splitlines()]
    raw = [one for facts in lines for one in facts.get("measurements+", ())]
    return read_measurement(raw[-1], "probe"), time.monotonic() - started


def side(setting: str, python: str = "") -> dict[str, str]:
    """A setting of the processor."""
    return {"device": CPU, "setting": setting, "python": python}


def parts(python: str, other: str, plan: dict[str, Any], folder: Path) -> Iterator[bool]:
    """Whether each part is the planted nodes."""
    for name, case in plan.items():
        if case["second"] == "other" and not other:
            continue
        second = side("default", other) if case["second"] == "other" else case["second"] and side(case["second"])
        argument = {
            "path": str(folder / case["path"]), "format": "onnx", "inputs": None, "first": side(case["first"]),
            "second": second, "node": case["node"], "folder": None, "seconds": SECONDS, "search_seconds": 20.0,
        }  # fmt: skip
        found, seconds = measured(python, MINIMAL, argument, folder)
        nodes = [node.name for node in found.nodes] if isinstance(found, MinimalGraph) else []
        is_right = set(nodes) == set(case["nodes"])
        size = f"{found.nodes_before} -> {found.nodes_after}, {found.shows or found.reason}"
        print(_verdict(is_right), f"{name}: {size}, {found.again} of {found.checks}, {seconds:.1f} s {nodes}")
        yield is_right


def layers(python: str, plan: dict[str, Any], folder: Path) -> Iterator[bool]:
    """Whether each layer at fault is named, or the calibration."""
    for name, case in plan.items():
        argument = {
            "path": str(folder / case["path"]), "first": str(folder / case["first"]), "format": "onnx",
            "inputs": str(folder / "inputs.npz"), "seconds": SECONDS, "search_seconds": 20.0,
        }  # fmt: skip
        loss, seconds = measured(python, QUANTISATION, argument, folder)
        if not isinstance(loss, QuantisationLoss) or loss.sqnr is None:
            print(f"NOT {name}: {loss}")
            yield False
            continue
        found = judged(loss)
        named = found.layer.name if found.layer is not None else ""
        is_right = found.why is Why.CALIBRATION if case["layers"] == ["calibration"] else named in case["layers"]
        remedy = found.remedy and f"{found.remedy.what}: {found.remedy.before:.1f} -> {found.remedy.after or 0:.1f} dB"
        print(_verdict(is_right), f"{name}: {loss.sqnr:.1f} dB, {found.why}, {named}, {remedy}, {seconds:.1f} s")
        yield is_right


def _verdict(is_right: bool) -> str:
    return "ok " if is_right else "NOT"


def main(python: str, other: str = "") -> int:
    """Make the models, measure all, and count."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        subprocess.run([python, str(MAKER), str(folder)], check=True, stdout=subprocess.DEVNULL)
        plan = json.loads((folder / "plan.json").read_text())
        right = [*parts(python, other, plan["parts"], folder), *layers(python, plan["losses"], folder)]
    print(f"{sum(right)} of {len(right)}")
    return int(not all(right))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))

"""Cut a saved case of a program that was run to what tests need: tests/recordings/runs/<name>.json.

    python -m tests.tools.cut_run CASE.json NAME [--packages NAME...]

Kept are the system, the GPUs as NVML shows them, the variables, the target with the named packages, and the runs
without their modules and libraries; no number of a card and no path of the machine.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import msgspec

from checks.facts import Facts

FOLDER = Path(__file__).resolve().parents[1] / "recordings/runs"
OF_A_GPU = (
    "origin",
    "index",
    "name",
    "architecture",
    "compute_capability",
    "memory_total",
    "memory_free",
    "mig_enabled",
)
OF_THE_DRIVER = ("origin", "nvml", "driver_version", "cuda_driver_version")
OF_THE_SYSTEM = ("origin", "system", "name", "distribution", "version", "architecture", "libc", "libc_version")
VARIABLES = ("CUDA_VISIBLE_DEVICES", "CUDA_HOME", "LD_LIBRARY_PATH", "TORCH_CUDA_ARCH_LIST")


def cut(facts: dict[str, Any], packages: list[str]) -> dict[str, Any]:
    """The facts that are kept."""
    machine, target = facts["machine"], facts.get("target")
    nvidia = machine["nvidia"]
    interpreter = next(one for one in facts["interpreters"] if one["path"] == target)
    interpreter["packages"] = [one for one in interpreter["packages"] if one["name"] in packages]
    for run in facts["runs"]:
        for python in run.get("pythons", ()):
            for field in ("modules", "libraries", "search_path"):
                python.pop(field, None)
    environment = facts["environment"]
    values = {name: value for name, value in environment["values"].items() if name in VARIABLES}
    return {
        "machine": {
            "os": {name: machine["os"][name] for name in OF_THE_SYSTEM if name in machine["os"]},
            "nvidia": {
                **{field: nvidia[field] for field in OF_THE_DRIVER if field in nvidia},
                "devices": [{name: gpu[name] for name in OF_A_GPU if name in gpu} for gpu in nvidia["devices"]],
            },
        },
        "interpreters": [interpreter],
        "target": target,
        "environment": {"origin": environment["origin"], "values": values},
        "runs": facts["runs"],
    }


def main() -> None:
    """Cut one case."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("case", type=Path)
    arguments.add_argument("name")
    arguments.add_argument("--packages", nargs="*", default=["torch", "transformers", "cupy-cuda12x"])
    arguments.add_argument("--hide", nargs="*", default=[], help="FOLDER=SHOWN: what is written in place of a folder")
    given = arguments.parse_args()
    kept = cut(json.loads(given.case.read_text(encoding="utf-8"))["facts"], given.packages)
    text = json.dumps(kept, ensure_ascii=False)
    for folder, _, shown in (word.partition("=") for word in given.hide):
        text = text.replace(folder, shown)
    facts = msgspec.json.decode(text, type=Facts)
    (FOLDER / f"{given.name}.json").write_bytes(msgspec.json.encode(facts) + b"\n")


if __name__ == "__main__":
    main()

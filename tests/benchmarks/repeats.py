"""How much of the time of repeating PyTorch's operations is spent in the operations.

    python tests/benchmarks/repeats.py [--device cpu] [--seconds 20] [--effort standard] [--wall]

Runs the stage "repeat" of checks/probes/compute/torch/repeat.py on the processor, with one thread and by the time that
the process itself computed, so that other programs do not count; ``--wall``: with all threads, by the clock, as always
on another device. Prints the
share of the operations in all of the stage (inputs drawn, first calls, libraries loaded) and in the repetitions alone,
how many repetitions there were, and where most of the rest went.

Goal: 80 % of a GPU's time; the operations of a processor are so short that the calls around them count.
Measured on 2026-11-21 (2 cores, torch 2.13.0, standard, 20 s): 62 to 65 % of all, 73 to 75 % of the repetitions; there
were 54,000 to 58,600. Before seeds were set without ``torch.manual_seed`` and small results were looked at
together, it was 30 % of all, and 17,700 repetitions.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

SHOWN = 10


class Computed:
    """A clock of what this process computed."""

    monotonic = perf_counter = staticmethod(time.process_time)


def measured(device: str, seconds: float, effort: str) -> Iterator[dict[str, Any]]:
    """The measurements of the stage."""
    repeat, kit = (importlib.import_module("checks.probes.compute." + name) for name in ("torch.repeat", "kit"))
    for facts in repeat.stage({"device": device, "effort": effort}, kit.Clock(seconds)):
        yield from facts.get("measurements+", ())


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--effort", choices=("quick", "standard", "thorough"), default="standard")
    parser.add_argument("--wall", action="store_true")
    given = parser.parse_args()

    import torch

    is_by_clock = given.wall or given.device != "cpu"
    now = time.perf_counter if is_by_clock else time.process_time
    if not is_by_clock:
        torch.set_num_threads(1)
        for name in ("torch.repeat", "torch.timers", "kit"):
            importlib.import_module("checks.probes.compute." + name).time = Computed  # type: ignore[attr-defined]
    began = now()
    made = [each for each in measured(given.device, given.seconds, given.effort) if each.get("repetitions")]
    spent = now() - began
    inside = {id(each): each["seconds"] * each["repetitions"] for each in made}
    repeating = {id(each): inside[id(each)] / (each["share"] or 1.0) for each in made}
    print(
        f"{spent:.1f} s, {len(made)} operations and settings, {sum(each['repetitions'] for each in made)} repetitions"
    )
    print(f"in the operations: {sum(inside.values()) / spent:.0%} of all, ", end="")
    print(f"{sum(inside.values()) / sum(repeating.values()):.0%} of the repetitions")
    for each in sorted(made, key=lambda each: inside[id(each)] - repeating[id(each)])[:SHOWN]:
        rest = repeating[id(each)] - inside[id(each)]
        print(f"{rest:7.3f} s around {each['operation']} ({each['setting']}), {each['seconds'] * 1e6:.0f} us each")


if __name__ == "__main__":
    main()

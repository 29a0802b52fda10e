"""NVIDIA Jetson boards: their GPU is not a PCI device."""

from __future__ import annotations

import re

from checks.facts import JetsonFacts
from checks.knowledge.gpu.gpu_architectures import architecture_of_die, tegra_of
from checks.machine.nodes import Raw

# First line of nv_tegra_release: a number sign, then "R36 (release), REVISION: 4.0, GCID: 37537400, BOARD: generic"
_L4T = re.compile(r"# R(\d+) \(release\), REVISION: ([\d.]+)")


def read(raw: Raw | None) -> JetsonFacts | None:
    """The board's facts; None where this is none."""
    if raw is None:
        return None
    soc = tegra_of(raw.get("compatible") or ())
    release = _L4T.search(raw.get("tegra_release") or "")
    if soc is None and release is None:
        return None
    architecture = architecture_of_die(soc.die) if soc else None
    return JetsonFacts(
        origin="/proc/device-tree, /etc/nv_tegra_release",
        model=raw.get("model"),
        l4t_release=f"{release.group(1)}.{release.group(2)}" if release else None,
        jetpack=None if raw.get("jetpack") is None else re.split(r"[-+]", raw["jetpack"])[0],  # "6.2+b77"
        soc=soc.soc if soc else None,
        compute_capability=architecture.compute_capability if architecture else None,
    )

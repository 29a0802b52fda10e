"""Recorded machines: one TOML file each, unpacked into a folder that looks like the machine's own /.

source = "where it comes from"
[answers]            what the running process says of itself: machine, release, affinity, nodes, ...
[commands."dmesg"]   output of commands by their words: code, stdout, stderr
[files]              path -> text
[links]              path -> target
[[pci]]              address and the files of its folder in /sys/bus/pci/devices; "driver" becomes the link
"""

from pathlib import Path

import tomli

from checks.machine import read_machine
from checks.probes.ask import machine as machine_probe

RECORDINGS = Path(__file__).parents[1] / "recordings" / "machines"
NAMES = sorted(path.stem for path in RECORDINGS.glob("*.toml"))


def load(name):
    """A recording as it is in its file."""
    return tomli.loads((RECORDINGS / f"{name}.toml").read_text(encoding="utf-8"))


def unpack(recording, root):
    """Write a recording below a folder; the argument for the probe."""
    files = dict(recording.get("files", {}))
    links = dict(recording.get("links", {}))
    for device in recording.get("pci", ()):
        folder = f"/sys/bus/pci/devices/{device['address']}"
        files |= {f"{folder}/{name}": text for name, text in device.items() if name not in ("address", "driver")}
        if device.get("driver"):
            links[f"{folder}/driver"] = f"../../../bus/pci/drivers/{device['driver']}"
    for path, text in files.items():
        file = root / path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(bytes(text) if isinstance(text, list) else text.encode())
    for path, target in links.items():
        link = root / path.lstrip("/")
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(target)
    recorded = {"answers": recording.get("answers", {}), "commands": recording.get("commands", {})}
    return {"root": str(root), "recorded": recorded}


def probe(argument):
    """The answer of the machine probe, its stages merged as the runner merges them."""
    answer = {}
    for stage in machine_probe.STAGES:
        answer |= stage(argument)
    return answer


def machine(recording, root, nvml=None):
    """The facts of a recorded machine."""
    return read_machine(probe(unpack(recording, root)), nvml)

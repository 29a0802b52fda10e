"""What a cluster is told: a node that computes other bits than its like is drained, or has a problem, and no other."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGING = Path(__file__).parents[2] / "packaging"
LONGEST = 80  # characters that Node Problem Detector keeps of a message
OTHER = f"naosu-probe: computes other bits than the reference: {'numpy/matmul/float32/default/cpu, ' * 8}"

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="shell scripts of Linux clusters")


def ended(script: str, folder: Path, said: str, status: int) -> tuple[int, str]:
    """The exit status and output of a script, whose Python says so and ends so."""
    python = folder / "python"
    python.write_text(f"#!/bin/sh\necho '{said}' >&2\nexit {status}\n")
    python.chmod(0o755)
    run = subprocess.run(
        ["sh", PACKAGING / script], capture_output=True, text=True, env={**os.environ, "NAOSU_PYTHON": str(python)}
    )
    return run.returncode, run.stdout


@pytest.mark.parametrize(
    ("said", "status", "prolog", "plugin"),
    [
        pytest.param("naosu-probe: computes the same bits as the reference", 0, 0, 0, id="same"),
        pytest.param("naosu-probe: computes the same bits as the reference", 1, 0, 0, id="a-step-failed"),
        pytest.param(OTHER, 3, 1, 1, id="other"),
        pytest.param("naosu-probe: not held against the reference: processor", 0, 0, 2, id="unlike"),
        pytest.param("naosu-probe: wrong usage", 2, 0, 2, id="no-reference"),
        pytest.param("not found", 127, 0, 2, id="no-python"),
    ],
)
def test_only_other_bits_count(tmp_path: Path, said: str, status: int, prolog: int, plugin: int) -> None:
    assert ended("slurm/naosu-prolog.sh", tmp_path, said, status)[0] == prolog
    code, output = ended("kubernetes/naosu-node-problem.sh", tmp_path, said, status)
    assert code == plugin
    assert 0 < len(output.strip()) <= LONGEST
    assert len(output.splitlines()) == 1


def test_the_monitor_starts_the_plugin() -> None:
    monitor = json.loads((PACKAGING / "kubernetes" / "naosu-monitor.json").read_text())
    (rule,) = monitor["rules"]
    assert Path(rule["path"]).name in {path.name for path in (PACKAGING / "kubernetes").iterdir()}
    assert rule["condition"] in {condition["type"] for condition in monitor["conditions"]}
    assert monitor["pluginConfig"]["max_output_length"] == LONGEST

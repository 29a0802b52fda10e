"""What several of these tests stand on."""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment as packaging/run makes it, which borrows the dependencies of the tests."""
    folder = tmp_path_factory.mktemp("prepared") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    (site,) = folder.glob("lib/python*/site-packages")
    (site / "naosu.pth").write_text(f"{ROOT}\n{sysconfig.get_path('purelib')}\n")
    stamp = '. packaging/common.sh; : >"$(stamp_of "")"'
    subprocess.run(["bash", "-c", stamp], cwd=ROOT, env={**os.environ, "NAOSU_VENV": str(folder)}, check=True)
    shutil.copy(ROOT / "packaging/installed/naosu", folder / "bin/naosu")
    return folder

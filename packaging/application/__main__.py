"""Make the application of this system, and print what it weighs and how fast it starts. Started by packaging/build."""

from __future__ import annotations

import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

from application import contents, linux_forms, macos, windows

BUILD, RELEASE = contents.ROOT / "build", contents.ROOT / "dist"
_STARTS = 7


def main() -> int:
    """Freeze, pack, measure."""
    print("packaging: freezing (a minute or two)", flush=True)
    folder = freeze()
    RELEASE.mkdir(exist_ok=True)
    forms = {"linux": linux_forms.make, "win32": windows.make, "darwin": macos.make}[sys.platform]
    made = forms(folder, RELEASE)
    for path in made:
        print(f"packaging: {path} has {_megabytes(path)}")
    program = RELEASE / "naosu" / "naosu" if sys.platform == "linux" else folder / "naosu"
    print(f"packaging: naosu --version {_starts(program, '--version')}")
    print(f"packaging: naosu envs {_starts(program, 'envs')}")
    return 0


def freeze() -> Path:
    """Run PyInstaller; the folder that it makes."""
    shutil.rmtree(BUILD, ignore_errors=True)
    command = [sys.executable, "-m", "PyInstaller", "--noconfirm", "--log-level", "ERROR"]
    places = ["--workpath", str(BUILD / "work"), "--distpath", str(BUILD)]
    recipe = Path(__file__).with_name("naosu.spec")
    subprocess.run([*command, *places, str(recipe)], check=True)
    return BUILD / "naosu"


def _starts(program: Path, *arguments: str) -> str:
    """How long it takes: the first time, and the median of the next ones."""
    seconds = []
    for _ in range(1 + _STARTS):
        before = time.perf_counter()
        subprocess.run([program, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        seconds.append(time.perf_counter() - before)
    return f"first {seconds[0]:.2f} s, then {statistics.median(seconds[1:]):.2f} s"


def _megabytes(path: Path) -> str:
    size = linux_forms.size_of(path) if path.is_dir() else path.stat().st_size
    return f"{size / 1e6:.0f} MB"


if __name__ == "__main__":
    sys.exit(main())

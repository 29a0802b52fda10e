"""How long a fleet takes, and how much memory: python tests/benchmarks/fleet.py MACHINES [FOLDER].

The machines are made of one real answer (tests/support/fleet_answers.py), some computing differently on purpose; it
says how many of those were found. With FOLDER the answers are kept there for the next run.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]


def main() -> int:
    """Make the answers, and survey them."""
    from support.fleet_answers import written

    from checks.fleet.collect import survey
    from checks.fleet.store import Store

    count = int(sys.argv[1])
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(sys.argv[2] if len(sys.argv) > 2 else temporary)
        if not any(folder.glob("0*")):
            begun = time.perf_counter()
            written(count, folder)
            print(f"made in {time.perf_counter() - begun:.0f} s")
        size = sum(path.stat().st_size for path in folder.rglob("*.gz"))
        begun, used = time.perf_counter(), time.process_time()
        with Store() as store:
            found = survey(folder, store)
        seconds = time.perf_counter() - begun
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(
            f"{found.answers} answers ({size / 1e6:.0f} MB packed) of {found.hosts} machines in {seconds:.0f} s", end=""
        )
        print(f" ({time.process_time() - used:.0f} s of processors), {memory:.0f} MiB at most")
        planted = len(range(500, count, 1000))
        odd = sum(group.count for group in found.bits if group.questions and group.peers)
        print(f"{odd} of {planted} planted machines found; {len(found.bits)} groups by bits")
        print(f"{found.drift_count} of {len(range(0, count, 2500))} planted changes found")
    return 0


if __name__ == "__main__":
    sys.exit(main())

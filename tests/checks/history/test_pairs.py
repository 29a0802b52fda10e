"""Before and after, recorded: what no machine at hand has. Others are really built: tests/tools/changed_pairs.py.

Each pair goes through the snapshots and the logs as an examination does; the guilty change is the first that is named.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import msgspec
import pytest
from support.runs import PYTHON, SITE, failed, frames_of

from checks.analysis.history.ranking import Relation, changes_of
from checks.facts import (
    EnvironmentVariables,
    ErrorText,
    Facts,
    Frameworks,
    MachineFacts,
    NvidiaFacts,
    OsFacts,
    Package,
    ProgramRun,
    Raised,
    TorchFacts,
)
from checks.facts.case import Answers
from checks.history.remember import look_back
from checks.history.store import Store
from checks.judgement.judge import judged

APT = """
Start-Date: {day}  09:00:01
Commandline: apt upgrade --password=hunter2
Requested-By: hana (1000)
Upgrade: tzdata:amd64 (2024a-1, 2024b-1), firefox:amd64 (130.0-1, 131.0-1), python3-apt:amd64 (2.6.0, 2.6.1)
{rest}
End-Date: {day}  09:00:30
"""
CONDA = """==> 2024-01-02 10:00:00 <==
# cmd: /opt/conda/bin/conda create -n x numpy scipy
+conda-forge/linux-64::numpy-1.26.4-py311h0
+conda-forge/linux-64::scipy-1.11.4-py311h0
+conda-forge/linux-64::tqdm-4.66.1-pyhd8
==> {day} 10:00:00 <==
# cmd: /opt/conda/bin/conda update --all
-conda-forge/linux-64::numpy-1.26.4-py311h0
-conda-forge/linux-64::tqdm-4.66.1-pyhd8
+conda-forge/linux-64::numpy-2.0.2-py311h0
+conda-forge/linux-64::tqdm-4.67.0-pyhd8
"""


def packages(**versions: str) -> tuple[Package, ...]:
    return tuple(
        Package(name=name.replace("_", "-"), version=version, location=SITE) for name, version in versions.items()
    )


def here(facts: Facts, **changed: object) -> Facts:
    return msgspec.structs.replace(facts, here=True, **changed)


def works(facts: Facts) -> Facts:
    """The same program, when it came to its end."""
    runs = tuple(msgspec.structs.replace(run, exit_code=0, signal=None, errors="", pythons=()) for run in facts.runs)
    return msgspec.structs.replace(facts, runs=runs)


def with_packages(facts: Facts, **versions: str) -> Facts:
    (target,) = facts.interpreters or ()
    return msgspec.structs.replace(
        facts, interpreters=(msgspec.structs.replace(target, packages=packages(**versions)),)
    )


def with_python(facts: Facts, version: str) -> Facts:
    (target,) = facts.interpreters or ()
    return msgspec.structs.replace(facts, interpreters=(msgspec.structs.replace(target, version=version),))


def machine(driver: str = "550.54.14", kernel: str = "6.8.0-40-generic", nvml: str = "ok") -> MachineFacts:
    return MachineFacts(
        os=OsFacts(system="Linux", kernel=kernel, libc_version="2.39", package_managers=("apt",)),
        nvidia=NvidiaFacts(driver_version=driver or None, nvml=nvml, kernel_module_version=driver),
    )


def of_torch(available: bool, error: str = "") -> Frameworks:
    return Frameworks(
        torch=TorchFacts(
            imported=True,
            cuda_version="12.4",
            cuda_available=available,
            cuda_error=ErrorText(type="RuntimeError", message=error) if error else None,
        )
    )


def raised(type_: str, message: str, *files: str, name: str | None = None) -> Raised:
    return Raised(type=type_, message=message, frames=frames_of("/home/user/app/train.py", *files), name=name)


@dataclass(frozen=True)
class Recorded:
    name: str
    guilty: str | None
    before: Facts | None  # None: nothing is remembered
    now: Facts
    apt: str = ""


DRIVER_TOO_OLD = "The NVIDIA driver on your system is too old (found version 11040)."
NO_LIBGL = raised(
    "ImportError", "libGL.so.1: cannot open shared object file: No such file or directory", f"{SITE}/cv2/__init__.py"
)
NO_DISTUTILS = raised(
    "ModuleNotFoundError", "No module named 'distutils'", f"{SITE}/oldlib/__init__.py", name="distutils"
)
NO_CUDNN = raised(
    "ImportError",
    "libcudnn.so.9: cannot open shared object file: No such file or directory",
    f"{SITE}/torch/__init__.py",
)
MISMATCH = "Failed to initialize NVML: Driver/library version mismatch"
NP_FLOAT = Raised(
    type="AttributeError",
    message="`np.float_` was removed in the NumPy 2.0 release. Use `np.float64` instead.",
    frames=frames_of("/home/user/app/train.py", f"{SITE}/numpy/__init__.py"),
)
REFUSED = raised(
    "requests.exceptions.ConnectionError",
    "HTTPConnectionPool(host='127.0.0.1', port=9): Max retries exceeded with url: /x",
    f"{SITE}/urllib3/connection.py",
    f"{SITE}/requests/adapters.py",
)
NO_COLUMN = raised("KeyError", "'price'", f"{SITE}/pandas/core/frame.py", f"{SITE}/pandas/core/indexes/base.py")
ZERO = raised("ZeroDivisionError", "division by zero")
NO_LABELS = raised("FileNotFoundError", "[Errno 2] No such file or directory: 'labels.csv'")


def program(problem: Raised, **versions: str) -> Facts:
    return here(failed(problem, *packages(**versions)))


def visible(facts: Facts, value: str) -> Facts:
    return msgspec.structs.replace(
        facts, environment=EnvironmentVariables(values={"CUDA_VISIBLE_DEVICES": value, "OMP_NUM_THREADS": value})
    )


PAIRS = (
    Recorded(
        "driver-downgraded",
        "driver",
        here(with_packages(program(ZERO), click="8.1.7"), runs=(), machine=machine(), frameworks=of_torch(True)),
        here(
            with_packages(program(ZERO), click="8.1.8"),
            runs=(),
            machine=machine("470.256.02"),
            frameworks=of_torch(False, DRIVER_TOO_OLD),
        ),
    ),
    Recorded(
        "kernel-without-driver-module",
        "kernel",
        here(with_packages(program(ZERO), click="8.1.7"), runs=(), machine=machine(), frameworks=of_torch(True)),
        here(
            with_packages(program(ZERO), click="8.1.8"),
            runs=(),
            machine=machine("", "6.8.0-45-generic", "NVML_ERROR_DRIVER_NOT_LOADED"),
            frameworks=of_torch(False, "Found no NVIDIA driver on your system."),
        ),
    ),
    Recorded(
        "cuda-devices-hidden",
        "CUDA_VISIBLE_DEVICES",
        visible(here(program(ZERO, click="8.1.7"), runs=(), frameworks=of_torch(True)), "0"),
        visible(
            here(program(ZERO, click="8.1.8"), runs=(), frameworks=of_torch(False, "No CUDA GPUs are available")), "5"
        ),
    ),
    Recorded(
        "python-3.12-without-distutils",
        "version",
        works(with_python(program(NO_DISTUTILS, oldlib="1.0", click="8.1.7"), "3.11.9")),
        with_python(program(NO_DISTUTILS, oldlib="1.0", click="8.1.8"), "3.12.4"),
    ),
    Recorded(
        "apt-removed-libgl-nothing-remembered",
        "libgl1",
        None,
        program(NO_LIBGL, opencv_python="4.10.0.84", numpy="1.26.4"),
        apt="Remove: libgl1:amd64 (1.6.0-1), libgl1-mesa-dri:amd64 (22.3.6-1)",
    ),
    Recorded(
        "apt-upgraded-driver-between",
        "libnvidia-compute-550",
        here(program(ZERO, click="8.1.7"), runs=(), frameworks=of_torch(True), machine=machine()),
        here(
            program(ZERO, click="8.1.8"),
            runs=(),
            machine=machine(),
            frameworks=of_torch(False, MISMATCH),
        ),
        apt="Upgrade: libnvidia-compute-550:amd64 (550.54.14-0ubuntu1, 550.90.07-0ubuntu1)",
    ),
    Recorded(
        "apt-removed-cudnn",
        "libcudnn9",
        works(program(NO_CUDNN, torch="2.4.0", click="8.1.7")),
        program(NO_CUDNN, torch="2.4.0", click="8.1.8"),
        apt="Remove: libcudnn9:amd64 (9.1.0-1)",
    ),
    Recorded("silent-division", None, works(program(ZERO, numpy="1.26.4")), program(ZERO, numpy="2.0.2")),
    Recorded(
        "silent-connection-through-upgraded-packages",
        None,
        works(program(REFUSED, requests="2.31.0", urllib3="2.1.0")),
        program(REFUSED, requests="2.32.3", urllib3="2.2.1"),
    ),
    Recorded(
        "silent-key-in-a-patched-package",
        None,
        works(program(NO_COLUMN, pandas="2.2.1", numpy="1.26.3")),
        program(NO_COLUMN, pandas="2.2.2", numpy="1.26.4"),
    ),
    Recorded(
        "silent-missing-data-and-a-driver",
        None,
        here(works(program(NO_LABELS, click="8.1.7")), machine=machine()),
        here(program(NO_LABELS, click="8.1.8"), machine=machine("560.35.03")),
        apt="Upgrade: libnvidia-compute-560:amd64 (550.54.14-0ubuntu1, 560.35.03-0ubuntu1)",
    ),
)


@pytest.fixture
def today() -> str:
    import datetime as dt

    return dt.datetime.now().astimezone().date().isoformat()


Named = Callable[[Recorded], Facts]


@pytest.fixture
def looked_back(tmp_path: Path, today: str) -> Named:
    """The facts with their history, as the examination makes them."""

    def look(pair: Recorded) -> Facts:
        store = Store(tmp_path / "history")
        if pair.before is not None:
            look_back(pair.before, store, tmp_path)
            for number in store.numbers():  # it was this morning
                kept = store.read(number)
                assert kept is not None
                store.forget(number)
                store.add(msgspec.structs.replace(kept, created="2026-01-01T00:00:00+00:00"))
        if pair.apt:
            log = tmp_path / "var" / "log" / "apt" / "history.log"
            log.parent.mkdir(parents=True)
            log.write_text(APT.format(day=today, rest=pair.apt))
        return msgspec.structs.replace(pair.now, history=look_back(pair.now, store, tmp_path))

    return look


@pytest.mark.parametrize("pair", [pair for pair in PAIRS if pair.guilty], ids=lambda pair: pair.name)
def test_the_guilty_change_is_named_first(pair: Recorded, looked_back: Named) -> None:
    facts = looked_back(pair)
    first, *others = changes_of(facts)
    assert first.change.name == pair.guilty
    assert first.relation is Relation.LIKELY
    assert others, "there are harmless changes beside it"
    finding = next(found for found in judged(facts, Answers()).findings if found.cause == "changed-since-it-worked")
    assert finding.subject == pair.guilty


@pytest.mark.parametrize("pair", [pair for pair in PAIRS if not pair.guilty], ids=lambda pair: pair.name)
def test_nothing_is_accused_to_which_nothing_leads(pair: Recorded, looked_back: Named) -> None:
    facts = looked_back(pair)
    changes = changes_of(facts)
    assert changes
    assert {one.relation for one in changes} <= {Relation.UNSURE, Relation.UNRELATED}
    assert not [found for found in judged(facts, Answers()).findings if found.cause == "changed-since-it-worked"]


def test_conda_tells_what_was_there_before_the_first_snapshot(tmp_path: Path, today: str) -> None:
    meta = tmp_path / "env" / "conda-meta"
    meta.mkdir(parents=True)
    (meta / "history").write_text(CONDA.format(day=today))
    facts = program(NP_FLOAT, numpy="2.0.2", scipy="1.11.4", tqdm="4.67.0")
    (target,) = facts.interpreters or ()
    target = msgspec.structs.replace(target, prefix=str(tmp_path / "env"), package_manager="conda")
    facts = msgspec.structs.replace(facts, interpreters=(target,))
    history = look_back(facts, Store(tmp_path / "history"), tmp_path)
    case = judged(msgspec.structs.replace(facts, history=history), Answers())
    first, second = changes_of(case.facts)
    assert (first.change.name, first.change.before, first.change.source) == ("numpy", "1.26.4", "conda")
    assert first.relation is Relation.LIKELY
    assert second.change.name == "tqdm"
    assert second.relation is Relation.UNSURE


def test_the_commands_of_a_log_are_not_kept(looked_back: Named) -> None:
    pair = next(pair for pair in PAIRS if pair.apt)
    text = repr(looked_back(pair).history)
    assert "hunter2" not in text
    assert "hana" not in text


def test_what_changed_after_it_began_to_fail_is_not_the_cause(tmp_path: Path) -> None:
    store = Store(tmp_path / "history")
    look_back(works(program(NP_FLOAT, numpy="1.26.4", scipy="1.11.4")), store, tmp_path)
    look_back(program(NP_FLOAT, numpy="2.0.2", scipy="1.11.4"), store, tmp_path)
    history = look_back(program(NP_FLOAT, numpy="2.1.0", scipy="1.14.0"), store, tmp_path)
    assert history is not None
    assert [(change.name, change.before, change.after) for change in history.changes] == [("numpy", "1.26.4", "2.0.2")]
    assert [change.name for change in history.later] == ["numpy", "scipy"]
    assert history.number == 1


def test_another_program_is_another_story(tmp_path: Path) -> None:
    store = Store(tmp_path / "history")
    other = works(program(NP_FLOAT, numpy="1.26.4"))
    run = msgspec.structs.replace(other.runs[0], command=(PYTHON, "/home/user/app/other.py"))
    look_back(msgspec.structs.replace(other, runs=(run,)), store, tmp_path)
    history = look_back(program(NP_FLOAT, numpy="2.0.2"), store, tmp_path)
    assert history is not None
    assert not history.worked
    assert not history.changes


def test_what_was_only_watched_for_a_while_did_not_work(tmp_path: Path) -> None:
    store = Store(tmp_path / "history")
    facts = program(NP_FLOAT, numpy="1.26.4")
    watched = (ProgramRun(command=facts.runs[0].command, end="watched"),)
    look_back(msgspec.structs.replace(facts, runs=watched), store, tmp_path)
    history = look_back(program(NP_FLOAT, numpy="2.0.2"), store, tmp_path)
    assert history is not None
    assert not history.worked

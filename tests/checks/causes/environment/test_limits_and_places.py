"""folder-not-executable, no-room-to-write and process-limit-too-low: the texts are what real programs printed."""

import pytest

from checks.causes.environment.folder_not_executable import folder_not_executable
from checks.causes.environment.no_room_to_write import no_room_to_write
from checks.causes.environment.process_limit_too_low import process_limit_too_low
from checks.facts import (
    EnvironmentVariables,
    ErrorText,
    Frame,
    Frameworks,
    OnnxRuntimeFacts,
    ProbeRun,
    ProbeRuns,
    ProgramRun,
    ProgramRuns,
    PythonProcess,
    Raised,
    StoragePlace,
)
from checks.facts.finding import NotHere, Severity

NOT_MAPPED = "/env/lib/python3.11/site-packages/a.so: failed to map segment from shared object"
FAILED = Frameworks(
    onnxruntime=OnnxRuntimeFacts(imported=False, error=ErrorText(type="ImportError", message=NOT_MAPPED))
)
WORKED = Frameworks(onnxruntime=OnnxRuntimeFacts(imported=True))
NOEXEC = StoragePlace(name="environment", path="/env", is_noexec=True)
FREE = StoragePlace(name="environment", path="/env", is_noexec=False)


def on(*places: StoragePlace, **limits: int) -> EnvironmentVariables:
    return EnvironmentVariables(places=places, limits=limits)


def printed(text: str) -> ProgramRuns:
    return ProgramRuns(runs=(ProgramRun(exit_code=1, errors=text),))


def test_a_noexec_environment_that_did_not_load() -> None:
    (finding,) = folder_not_executable(on(NOEXEC), FAILED, None, None)
    assert (finding.severity, finding.placeholders()["place"]) == (Severity.BLOCKING, "/env")


@pytest.mark.parametrize(("place", "frameworks"), [(NOEXEC, WORKED), (FREE, FAILED)], ids=["works", "may be run"])
def test_noexec_is_silent(place: StoragePlace, frameworks: Frameworks) -> None:
    assert list(folder_not_executable(on(place), frameworks, None, None)) == []


def test_where_no_mount_was_read_noexec_cannot_be_told() -> None:
    with pytest.raises(NotHere):
        list(folder_not_executable(on(), FAILED, None, None))


def test_the_same_words_are_the_limits_where_one_is_set() -> None:
    (finding,) = process_limit_too_low(on(FREE, address_space=250_000 * 1024), FAILED, None, None)
    assert finding.placeholders()["process_limit"] == "ulimit -v: 244 MiB"
    assert list(process_limit_too_low(on(FREE), FAILED, None, None)) == []


@pytest.mark.parametrize(
    ("text", "limits", "found"),
    [
        ("OSError: [Errno 24] Too many open files", {"open_files": 20}, "open_files"),
        ("OSError: [Errno 24] Too many open files", {"open_files": 1_000_000}, ""),
        ("RuntimeError: can't start new thread", {"processes": 100}, "processes"),
        ("RuntimeError: can't start new thread", {"open_files": 100}, ""),
        (
            "OpenBLAS error: Memory allocation still failed after 10 retries, giving up.",
            {"address_space": 1},
            "address_space",
        ),
        ("  what():  std::bad_alloc", {"address_space": 420_000 * 1024}, "address_space"),
        ("  what():  std::bad_alloc", {}, ""),
        ("ValueError: something else", {"address_space": 1, "open_files": 1, "processes": 1}, ""),
    ],
)
def test_limits(text: str, limits: dict[str, int], found: str) -> None:
    findings = list(process_limit_too_low(on(**limits), None, None, printed(text)))
    assert [finding.subject for finding in findings] == ([found] if found else [])


def test_a_small_stack_beside_a_crash() -> None:
    crash = ProbeRuns(runs=(ProbeRun(probe="torch", status="crashed", signal="SIGSEGV"),))
    (finding,) = process_limit_too_low(on(stack=64 * 1024), None, crash, None)
    assert finding.severity is Severity.BLOCKING
    assert list(process_limit_too_low(on(stack=8 * 1024**2), None, crash, None)) == []


@pytest.mark.parametrize(
    ("text", "path", "free"),
    [
        ("OSError: [Errno 30] Read-only file system: '/tmp/x/y'", "/tmp/x/y", "0 MiB"),
        ("OSError: [Errno 28] No space left on device", "/tmp", "0 MiB"),
        ("OSError: [Errno 122] Disk quota exceeded: '/data/hub'", "/data/hub", None),
        ("PermissionError: [Errno 13] Permission denied: '/home/user/.cache/hub'", "/home/user/.cache/hub", None),
    ],
)
def test_what_cannot_be_written(text: str, path: str, free: str | None) -> None:
    full = StoragePlace(name="temporary", path="/tmp", free=0, is_writable=True)
    (finding,) = no_room_to_write(on(FREE, full), None, None, printed(text))
    shown = finding.placeholders()
    assert (shown["place"], shown.get("place_free")) == (path, free)
    assert finding.named("place_path") == path


def test_code_that_is_compiled_when_it_is_imported_has_no_place() -> None:
    text = "RuntimeError: cannot cache function 'twice': no locator available for file '/env/fastops/__init__.py'"
    (finding,) = no_room_to_write(on(FREE), None, None, printed(text))
    assert (finding.confidence, finding.named("place_path")) == (0.95, "/env/fastops")


@pytest.mark.parametrize(
    "text", ["PermissionError: [Errno 13] Permission denied: '/home/user/data.csv'", "the disk is full", ""]
)
def test_other_refusals_are_not_about_room(text: str) -> None:
    full = StoragePlace(name="temporary", path="/t", free=0)
    assert list(no_room_to_write(on(full), None, None, printed(text))) == []


LOCK = Frame(file="/usr/lib/python3.11/multiprocessing/synchronize.py", line=57, code="sl = self._semlock = SemLock(")


def test_a_lock_that_processes_share_lies_in_shared_memory() -> None:
    refused = Raised(type="OSError", message="[Errno 30] Read-only file system", frames=(LOCK,))
    python = PythonProcess(pid=1, raised=refused)
    runs = ProgramRuns(runs=(ProgramRun(exit_code=1, pythons=(python,)),))
    (finding,) = no_room_to_write(on(FREE), None, None, runs)
    assert (finding.subject, finding.remedies[0]) == ("/dev/shm", "make-shared-memory-writable")


@pytest.mark.parametrize(("free", "first"), [(50 * 1024**3, "choose-another-cache-folder"), (0, "make-room-to-write")])
def test_a_full_folder_that_a_variable_moves_is_moved_where_there_is_room(free: int, first: str) -> None:
    full = StoragePlace(name="temporary", path="/small", free=0, is_writable=True)
    cache = StoragePlace(name="cache", path="/home/user/.cache", free=free, is_writable=True)
    (finding,) = no_room_to_write(on(full, cache), None, None, printed("OSError: [Errno 28] No space left on device"))
    assert finding.remedies[0] == first

"""ended-from-outside: a program that somebody killed, and those that a limit, the memory or they themselves ended."""

import pytest

from checks.causes.environment.process_limit_too_low import process_limit_too_low
from checks.causes.other.ended_from_outside import ended_from_outside
from checks.facts import EnvironmentVariables, Facts, MemoryFacts, ProgramRun, ProgramRuns, PythonProcess, Raised
from checks.facts.case import Answers
from checks.facts.finding import Finding, NotCollected
from checks.judgement.judge import judged

# A server that kills itself with all its processes because a worker, which no hook reached, failed.
OF_A_WORKER = """Traceback (most recent call last):
  File "/srv/worker.py", line 3, in <module>
    model = load(name)
ValueError: no such architecture
"""
MEMORY = MemoryFacts(total=24 * 1024**3)


def ended(**more: object) -> ProgramRuns:
    return ProgramRuns(runs=(ProgramRun(**{"command": ("python", "train.py"), "oom_kills": 0, **more}),))


def found(**more: object) -> list[Finding]:
    return list(ended_from_outside(ended(**more), MEMORY))


@pytest.mark.parametrize("signal", ["SIGKILL", "SIGTERM", "SIGHUP"])
def test_a_signal_that_others_send(signal: str) -> None:
    (finding,) = found(signal=signal)
    assert finding.placeholders()["program_signal"] == signal


def test_code_that_was_given_itself_is_no_name() -> None:
    (finding,) = found(command=("/usr/bin/python3", "-c", "open('/tmp/a/b').read()"), signal="SIGTERM")
    assert finding.subject == "python3 -c"


def test_timeout_ended_it() -> None:
    (finding,) = found(command=("timeout", "5", "python", "train.py"), exit_code=124)
    assert finding.remedies == ("raise-time-limit",)


@pytest.mark.parametrize(
    "more",
    [
        {"signal": "SIGKILL", "oom_kills": 1},
        {"signal": "SIGKILL", "oom_kills": None},
        {"signal": "SIGKILL", "peak_memory": 23 * 1024**3},
        {"signal": "SIGKILL", "limits": {"cpu_time": 10}, "processor_time": 9.5},
        {"signal": "SIGSEGV"},
        {"exit_code": 3},
        {"exit_code": 124},
        {"signal": "SIGTERM", "end": "watched"},
        {"signal": "SIGTERM", "pythons": (PythonProcess(pid=1, raised=Raised(type="KeyError")),)},
        {"signal": "SIGKILL", "errors": OF_A_WORKER},
    ],
)
def test_it_keeps_silent(more: dict[str, object]) -> None:
    assert found(**more) == []


def test_nothing_was_run() -> None:
    with pytest.raises(NotCollected):
        list(ended_from_outside(None, None))


@pytest.mark.parametrize(
    ("more", "limit"),
    [
        ({"signal": "SIGKILL", "limits": {"cpu_time": 10}, "processor_time": 9.5}, "cpu_time"),
        ({"signal": "SIGKILL", "limits": {"cpu_time": 1000}, "processor_time": 9.5}, ""),
        ({"signal": "SIGXCPU"}, "cpu_time"),
        ({"signal": "SIGXFSZ"}, "file_size"),
        ({"exit_code": 1, "errors": "OSError: [Errno 27] File too large", "limits": {"file_size": 1000}}, "file_size"),
        ({"exit_code": 1, "errors": "OSError: 4194304 requested and 127984 written"}, ""),
    ],
)
def test_a_limit_that_was_reached_is_the_limit(more: dict[str, object], limit: str) -> None:
    findings = list(process_limit_too_low(EnvironmentVariables(limits={}), None, None, ended(**more)))
    assert [finding.subject for finding in findings] == ([limit] if limit else [])


def test_an_exit_code_of_the_programs_own_asks_for_no_restart_and_accuses_nobody() -> None:
    run = ended(exit_code=3, errors="no images in data/").runs
    (finding,) = judged(Facts(runs=run), Answers()).findings
    assert (finding.cause, finding.remedies[0]) == ("unknown", "read-what-it-said-last")

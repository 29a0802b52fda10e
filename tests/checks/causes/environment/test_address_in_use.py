"""address-in-use: the words of uvicorn 0.29, Gradio 4, PyTorch's store, Ollama and Python itself."""

import pytest

from checks.causes.environment.address_in_use import address_in_use
from checks.facts import ProgramRun, ProgramRuns, PythonProcess, Raised
from checks.facts.finding import NotCollected, Severity

UVICORN = "ERROR:    [Errno 98] error while attempting to bind on address ('127.0.0.1', 48512): address already in use"
STORE = (
    "torch.distributed.DistNetworkError: The server socket has failed to listen on any local network address. "
    "port: 29500, useIpv6: false, code: -98, name: EADDRINUSE, message: address already in use"
)


def ended(errors: str = "", **more: object) -> ProgramRuns:
    return ProgramRuns(runs=(ProgramRun(command=("uvicorn", "app:app"), exit_code=1, errors=errors, **more),))


@pytest.mark.parametrize(
    ("text", "port"),
    [
        (UVICORN, "48512"),
        (STORE, "29500"),
        ("OSError: Cannot find empty port in range: 7860-7860. You can specify another", "7860"),
        ("OSError: All ports from 7860 to 7959 are in use. Please close a port.", "7860"),
        ("Error: listen tcp 127.0.0.1:11434: bind: address already in use", "11434"),
        ("Port 8501 is already in use", "8501"),
        ("OSError: [Errno 98] Address already in use", ""),
    ],
)
def test_a_port_is_taken(text: str, port: str) -> None:
    (finding,) = address_in_use(ended(text))
    assert (finding.severity, finding.named("port")) == (Severity.BLOCKING, port)


def test_its_exception_tells_it_too() -> None:
    raised = Raised(type="OSError", message="[Errno 98] Address already in use")
    assert len(list(address_in_use(ended(pythons=(PythonProcess(pid=1, raised=raised),))))) == 1


def test_a_program_that_took_another_port_failed_of_something_else() -> None:
    text = (
        "WARNING: Port 8000 is already in use, using 8001\n"
        'Traceback (most recent call last):\n  File "serve.py", line 3, in <module>\n    d["x"]\nKeyError: \'x\'\n'
    )
    assert list(address_in_use(ended(text))) == []
    assert list(address_in_use(ended("Port 8000 is already in use, using 8001", signal="SIGSEGV"))) == []
    assert list(address_in_use(ended(text.replace("KeyError: 'x'", "OSError: [Errno 98] Address already in use"))))


@pytest.mark.parametrize(
    "text", ["The port 8888 is already in use, trying another port.\nKeyError: 'x'", "port 80", ""]
)
def test_other_failures_are_about_something_else(text: str) -> None:
    assert list(address_in_use(ended(text))) == []


def test_a_program_that_works_took_another_one() -> None:
    assert list(address_in_use(ProgramRuns(runs=(ProgramRun(exit_code=0, errors=UVICORN),)))) == []
    with pytest.raises(NotCollected):
        list(address_in_use(None))

"""Facts of a program that failed, for tests."""

from checks.facts import (
    Facts,
    Frame,
    InterpreterFacts,
    MachineFacts,
    OsFacts,
    Package,
    ProgramRun,
    PythonProcess,
    Raised,
)

PYTHON = "/home/user/env/bin/python"
SITE = "/home/user/env/lib/python3.11/site-packages"


def frames_of(*files: str) -> tuple[Frame, ...]:
    """One frame per file, the outermost first."""
    return tuple(Frame(file=file, line=1) for file in files)


def failed(
    raised: Raised | None,
    *packages: Package,
    others: tuple[InterpreterFacts, ...] = (),
    led_there: tuple[Raised, ...] = (),
    errors: str = "",
    signal: str | None = None,
    **interpreter: str,
) -> Facts:
    """The facts of one run of /home/user/app/train.py that ended with this exception."""
    target = InterpreterFacts(
        path=PYTHON, prefix="/home/user/env", packages=packages, **{"version": "3.11.7", **interpreter}
    )
    python = PythonProcess(pid=1, executable=PYTHON, prefix="/home/user/env", raised=raised, led_there=led_there)
    run = ProgramRun(
        command=(PYTHON, "/home/user/app/train.py"),
        exit_code=None if signal else 1,
        signal=signal,
        interpreter=PYTHON,
        pythons=(python,),
        errors=errors,
    )
    machine = MachineFacts(os=OsFacts(system="Linux", architecture="x86_64", libc="glibc", libc_version="2.36"))
    return Facts(machine=machine, interpreters=(*others, target), target=PYTHON, runs=(run,))

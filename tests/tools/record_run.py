"""Record how a program fails, with the packages beside it, as a case for tests: tests/recordings/runs/<name>.json.

    python -m tests.tools.record_run NAME PYTHON [--wrap SCRIPT] [--cwd FOLDER] [--variable NAME=VALUE ...]
        --program PROGRAM.py|-c STATEMENT

The program runs in the given Python under a few lines that write down the exception that ends it. What is kept has no
path of this machine: the environment becomes /home/user/env, the program's folder /home/user/app.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import tempfile
from pathlib import Path

import msgspec

from checks.facts import (
    EnvironmentVariables,
    Facts,
    InterpreterFacts,
    MachineFacts,
    OsFacts,
    ProgramRun,
    PythonProcess,
    Raised,
)
from checks.interpreters.read import read_interpreter

FOLDER = Path(__file__).resolve().parents[1] / "recordings/runs"
INSIDE = r"""
import json, sys, os
target, program = sys.argv[1], sys.argv[2]
sys.argv = sys.argv[2:]
def told(error):
    frames, step = [], error.__traceback__
    import linecache
    while step is not None:
        code = step.tb_frame.f_code
        if code.co_filename != "<naosu>":
            frames.append({"file": code.co_filename, "line": step.tb_lineno, "function": code.co_name,
                           "code": linecache.getline(code.co_filename, step.tb_lineno).strip()[:300]})
        step = step.tb_next
    kind = type(error)
    name = kind.__name__ if kind.__module__ in ("builtins", "__main__") else kind.__module__ + "." + kind.__name__
    out = {"type": name, "message": str(error), "frames": frames}
    for field in ("name", "path"):
        value = getattr(error, field, None)
        if isinstance(value, str):
            out[field] = value
    return out
def chain(error):
    found, seen = [], set()
    while error is not None and id(error) not in seen:
        seen.add(id(error)); found.append(error)
        behind = None if error.__suppress_context__ else error.__context__
        error = error.__cause__ if error.__cause__ is not None else behind
    return found
try:
    source = open(program, encoding="utf-8").read()
    sys.path.insert(0, os.path.dirname(os.path.abspath(program)))
    exec(compile(source, program, "exec"), {"__name__": "__main__", "__file__": program})
except BaseException as error:
    if not isinstance(error, SystemExit):
        errors = chain(error)
        with open(target, "w") as file:
            json.dump({"raised": told(errors[0]), "led_there": [told(e) for e in reversed(errors[1:])]}, file)
    raise
"""


def recorded(python: Path, program: Path, folder: Path, wrap: str, variables: dict[str, str]) -> Facts:
    """The facts of one run, of the interpreter, and of the variables that were set for it."""
    with tempfile.TemporaryDirectory() as scratch:
        inside, answer = Path(scratch, "inside.py"), Path(scratch, "answer.json")
        inside.write_text(f"exec(compile({INSIDE!r}, '<naosu>', 'exec'))")
        command = [*([wrap] if wrap else []), str(python), str(inside), str(answer), str(program)]
        surroundings = {**os.environ, **variables}
        done = subprocess.run(
            command, cwd=folder, env=surroundings, capture_output=True, text=True, errors="replace", timeout=300,
            check=False,
        )  # fmt: skip
        told = json.loads(answer.read_text()) if answer.exists() else {}
        errors = done.stderr.replace(str(inside), "<naosu>")
    interpreter = read_interpreter(python)
    raised = msgspec.convert(told["raised"], Raised) if told else None
    led_there = msgspec.convert(told["led_there"], tuple[Raised, ...]) if told else ()
    inside_it = PythonProcess(
        pid=1, executable=str(python), prefix=interpreter.prefix or "", version=interpreter.version or "",
        is_complete=raised is not None, raised=raised, led_there=led_there, arguments=(str(program),),
    )  # fmt: skip
    code = done.returncode
    run = ProgramRun(
        origin="recorded",
        command=(str(python), str(program)),
        folder=str(folder),
        errors=errors[-20_000:],
        pythons=(inside_it,),
        exit_code=code if code >= 0 else None,
        signal=signal.Signals(-code).name if code < 0 else None,
        interpreter=str(python),
    )
    system = OsFacts(
        system="Linux", name="Debian GNU/Linux 12", architecture="x86_64", libc="glibc", libc_version="2.36"
    )
    return Facts(
        machine=MachineFacts(os=system),
        interpreters=(interpreter,),
        target=interpreter.path,
        environment=EnvironmentVariables(values=variables) if variables else None,
        runs=(run,),
    )


def redacted(text: str, places: dict[str, str]) -> str:
    """The text without the paths of this machine."""
    for path, shown in sorted(places.items(), key=lambda place: -len(place[0])):
        text = text.replace(path, shown)
    return text


def places_of(interpreter: InterpreterFacts, program: Path, folder: Path) -> dict[str, str]:
    """Path -> what is written instead."""
    found = {str(program.parent): "/home/user/app", str(folder): "/home/user/app", str(Path.home()): "/home/user"}
    for path, shown in ((interpreter.prefix, "/home/user/env"), (interpreter.base_prefix, "/usr/local")):
        if path:
            found[path] = found[str(Path(path).resolve())] = shown
    return found


def main() -> None:
    """Record one run."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("name")
    arguments.add_argument("python", type=Path)
    arguments.add_argument("--wrap", default="")
    arguments.add_argument("--cwd", type=Path)
    arguments.add_argument("--into", type=Path, default=FOLDER)
    arguments.add_argument("--program", type=Path)
    arguments.add_argument("--hide", default=[], nargs="*", help="other folders of this machine")
    arguments.add_argument("--variable", default=[], action="append", help="NAME=VALUE, set for the program")
    arguments.add_argument("-c", dest="statement")
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        program = given.program
        if given.statement:
            program = Path(scratch, "prog.py")
            program.write_text(given.statement + "\n")
        folder = given.cwd or program.parent
        variables = dict(variable.split("=", 1) for variable in given.variable)
        facts = recorded(given.python.absolute(), program, folder, given.wrap, variables)
        target = facts.target_interpreter
        assert target is not None
        hidden = dict.fromkeys(given.hide, "/home/user/files")
        text = redacted(msgspec.json.encode(facts).decode(), {**hidden, **places_of(target, program, folder)})
    given.into.mkdir(parents=True, exist_ok=True)
    (given.into / f"{given.name}.json").write_text(text + "\n", encoding="utf-8")
    raised = facts.runs[0].raised
    print(given.name, raised.type if raised else "nothing raised", (raised.message if raised else "")[:100])


if __name__ == "__main__":
    main()

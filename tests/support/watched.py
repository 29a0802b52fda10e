"""Run as a program: watches the one that it is given, on its own streams, and writes the run as JSON to a file.

Usage: watched.py FILE SECONDS FOLDER COMMAND...
"""

import sys
from pathlib import Path

import msgspec

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

if __name__ == "__main__":
    from checks.engine.watch.connection import Inherited
    from checks.engine.watch.program import ProgramTask, watch_program

    file, seconds, folder, *command = sys.argv[1:]
    task = ProgramTask(command=tuple(command), folder=Path(folder), seconds=float(seconds))
    Path(file).write_bytes(msgspec.json.encode(watch_program(task, Inherited())))

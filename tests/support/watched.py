"""Run as a program: watches the one that it is given, on its own streams, and writes the run as JSON to a file.

Usage: watched.py FILE SECONDS[,PATIENCE] FOLDER COMMAND...  (PATIENCE: seconds for what is asked to end)
"""

import sys
from pathlib import Path

import msgspec

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

if __name__ == "__main__":
    from checks.engine.watch import program
    from checks.engine.watch.connection import Inherited

    file, seconds, folder, *command = sys.argv[1:]
    limit, *patience = map(float, seconds.split(","))
    program._PATIENCE = patience[0] if patience else program._PATIENCE
    task = program.ProgramTask(command=tuple(command), folder=Path(folder), seconds=limit)
    Path(file).write_bytes(msgspec.json.encode(program.watch_program(task, Inherited())))

"""Measurements of a probe in a new process, with other variables."""

import json
import os
import subprocess
import sys
import tempfile

from .. import kit
from . import kit as compute


def measured(script, argument, environment, limit, names):
    """What the probe reports, and for each of these names without a report the reason.

    ``limit``: seconds after which it is ended.
    """
    if kit.is_carried():
        variables = " ".join("%s=%s" % pair for pair in sorted(environment.items()))
        for named in names:
            yield compute.facts_of(dict(named, reason="one-file", detail=variables))
        return
    yield {"planned+": names}
    with tempfile.TemporaryDirectory(prefix="naosu-", dir=kit.place_of_folders()) as folder:
        path = os.path.join(folder, "answer")
        exit_code = _run([script, path, json.dumps(argument)], environment, limit)
        reported, current, error = set(), None, None
        for line in _lines(path):
            facts = line.get("facts") or {}
            reported.update(map(compute.identity, facts.get("measurements+", ())))
            current, error = facts.get("measuring", current), line.get("error", error)
            if "measurements+" in facts:
                yield facts
    current = compute.identity(current) if current else None
    for named in names:
        name = compute.identity(named)
        if name not in reported:
            yield compute.facts_of(dict(named, **_why(name == current, exit_code, error)))


def _run(arguments, environment, limit):
    """The exit status; None where it was ended."""
    command = [sys.executable, "-B", compute.HOST, *arguments]
    silent = subprocess.DEVNULL
    try:
        ended = subprocess.run(
            command, check=False, env=dict(os.environ, **environment), stdout=silent, stderr=silent, timeout=limit
        )
    except subprocess.TimeoutExpired:
        return None  # what it reported until then counts
    return ended.returncode


def _lines(path):
    if not os.path.exists(path):
        return
    with open(path, encoding="ascii") as file:
        for line in file:
            try:
                yield json.loads(line)
            except ValueError:  # it was ended while it wrote
                continue


def _why(is_current, exit_code, error):
    """The reason why something was not measured."""
    if error:
        busy = compute.is_busy(error.get("message", ""))
        return {"reason": "device-busy" if busy else "failed", "error": error}
    if not is_current:
        return {"reason": "process-ended"}
    if exit_code is None:
        return {"reason": "timed-out"}
    return {"reason": "crashed", "detail": str(exit_code)}

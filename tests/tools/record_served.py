"""Record what a real server answers: python -m tests.tools.record_served NAME URL [URL2] [--set FIELD=JSON] [-- ...]

An examination asks through this process, which hands each request on to the server and keeps the answers in
tests/recordings/served/NAME.json.gz. With a second address requests go to both in turn, as a router with two replicas
does; ``--set`` overrides a field of every request, as a gateway may. What stands behind "--" are options of
`naosu served`. The examination is a small one (AMOUNT), since each answer is kept.
"""

from __future__ import annotations

import argparse
import gzip
import http.client
import itertools
import json
import sys
import threading
from collections import defaultdict
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import urlsplit

from support.served_player import RECORDINGS, Reply, key_of, serving

from checks.engine.served import plan
from wizard.cli.command_line import run_command

AMOUNT = plan.Amount(times=10, rounds=10, at_once=3, groups=3, seeds=5, other_seeds=2, max_tokens=16, seconds=400.0)
_LEFT_OUT = ("bytes", "timings", "created", "chat_template", "media_marker", "model_path", "ui_settings")


class Recorder:
    """Hands requests on, and keeps what comes back."""

    def __init__(self, addresses: list[str], overrides: dict[str, Any]) -> None:
        self._addresses = [urlsplit(address) for address in addresses]
        self._turns = itertools.count()
        self._overrides = overrides
        self._lock = threading.Lock()
        self.answers: dict[str, list[Any]] = defaultdict(list)

    def __call__(self, handler: BaseHTTPRequestHandler, body: bytes) -> Reply:
        """The real server's answer."""
        sent = json.dumps({**json.loads(body), **self._overrides}).encode() if body else body
        turn = next(self._turns) if handler.command == "POST" else 0
        place = self._addresses[turn % len(self._addresses)]
        connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=120)
        connection.request(handler.command, handler.path, sent or None, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        data, kind = answer.read(), answer.getheader("Content-Type") or ""
        connection.close()
        try:
            kept = _without(json.loads(data))
            data = json.dumps(kept).encode()
        except ValueError:
            kept = data.decode("utf-8", "replace")
        with self._lock:
            self.answers[key_of(handler.command, handler.path, body)].append([answer.status, kind, kept])
        return answer.status, kind, data


def _without(told: Any) -> Any:
    """JSON without what nobody reads."""
    if isinstance(told, dict):
        kept = {name: value for name, value in told.items() if name not in _LEFT_OUT}
        return {name: _without(value) for name, value in kept.items() if name != "id" or "token" not in told}
    return [_without(value) for value in told] if isinstance(told, list) else told


def main() -> int:
    """Examine through a recorder."""
    split = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name")
    parser.add_argument("url", nargs="+")
    parser.add_argument("--set", action="append", default=[])
    chosen = parser.parse_args(sys.argv[1:split])
    overrides = {name: json.loads(value) for name, _, value in (pair.partition("=") for pair in chosen.set)}
    recorder = Recorder(chosen.url, overrides)
    plan.AMOUNTS["quick"] = AMOUNT
    with serving(recorder) as address:
        status = run_command(["served", address, "--effort", "quick", *sys.argv[split + 1 :]])
    RECORDINGS.mkdir(exist_ok=True)
    data = json.dumps(recorder.answers, separators=(",", ":")).encode()
    (RECORDINGS / f"{chosen.name}.json.gz").write_bytes(gzip.compress(data, 9, mtime=0))
    return status


if __name__ == "__main__":
    sys.exit(main())

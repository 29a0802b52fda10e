"""A server on the loopback that answers what a real one was recorded to answer, or what a test tells it to.

A recording is a gzipped JSON file: for each request, told apart by its method, path and body, the answers in the order
in which they came. A number that is drawn anew in each examination is left out of the body.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import json
import re
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

RECORDINGS = Path(__file__).parents[1] / "recordings" / "served"
_DRAWN = re.compile(rb"\[[0-9a-f]{8}\]|\b[0-9a-f]{16}\b")

Reply = tuple[int, str, bytes]  # status, type of the content, content
Respond = Callable[[BaseHTTPRequestHandler, bytes], Reply | None]  # None: it has answered in its own way


def key_of(method: str, path: str, body: bytes) -> str:
    """By what a request is told from others."""
    return hashlib.sha256(b"\n".join((method.encode(), path.encode(), _DRAWN.sub(b"", body)))).hexdigest()[:16]


@contextlib.contextmanager
def serving(respond: Respond) -> Iterator[str]:
    """Serve on the loopback until the end of the block; gives the address."""

    class Handler(BaseHTTPRequestHandler):
        def handle_any(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            reply = respond(self, body)
            if reply is not None:
                status, kind, data = reply
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        do_GET = do_POST = handle_any  # noqa: N815 - names of the base class

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.005,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def json_reply(told: object, status: int = 200) -> Reply:
    """An answer in JSON."""
    return status, "application/json", json.dumps(told).encode()


class Recording:
    """What a real server answered, played back in the order in which it came; the last answer repeats."""

    def __init__(self, name: str) -> None:
        self._answers: dict[str, list[Any]] = json.loads(gzip.decompress((RECORDINGS / f"{name}.json.gz").read_bytes()))
        self._places: dict[str, int] = {}
        self._lock = threading.Lock()
        self.asked: list[str] = []

    def __call__(self, handler: BaseHTTPRequestHandler, body: bytes) -> Reply:
        """The next answer to this request."""
        key = key_of(handler.command, handler.path, body)
        with self._lock:
            self.asked.append(handler.path)
            answers = self._answers.get(key)
            if answers is None:
                return json_reply({"error": {"message": f"not recorded: {handler.path}"}}, 404)
            place = self._places.get(key, 0)
            self._places[key] = place + 1
        status, kind, told = answers[min(place, len(answers) - 1)]
        return status, kind, told.encode() if isinstance(told, str) else json.dumps(told).encode()

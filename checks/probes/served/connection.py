"""Ask a server over HTTP: one address, no proxy, no redirect, an end to every answer.

Only the address that was named is asked: a redirect is told and not followed, and what the environment says of proxies
is not read. A key comes from an environment variable and goes nowhere but into the header of a request.
"""

import http.client
import json
import os
import socket
import threading
from urllib.parse import urlsplit

LONGEST = 8 * 1024 * 1024  # bytes of one answer that are read
MOST_VALUES = 500000  # of JSON in one answer: made into objects, a few bytes take a hundred times as many
TO_CONNECT = 10.0  # seconds
WORDS = 300  # characters of what the server says of an error


class Refused(Exception):  # noqa: N818 - an answer that is none is a fact
    """There is no answer, or none that helps. ``problem``: an id [problem-...] of resources/words/served.toml."""

    def __init__(self, problem, **values):
        Exception.__init__(self, problem)
        self.problem = problem
        self.values = values


class Answer:
    """What came back: the status, the header's fields in lower case, the bytes."""

    def __init__(self, status, fields, data):
        self.status = status
        self.fields = fields
        self.data = data

    @property
    def is_html(self):
        """Whether it is a page for people."""
        start = self.data[:200].lstrip().lower()
        return "html" in self.fields.get("content-type", "") or start.startswith((b"<!doctype", b"<html"))

    def parsed(self):
        """The JSON in it."""
        if sum(self.data.count(sign) for sign in (b",", b"[", b"{")) > MOST_VALUES:
            raise Refused("too-many-values", count=str(MOST_VALUES))
        try:
            return json.loads(self.data.decode("utf-8", "replace"))
        except (ValueError, RecursionError) as error:
            raise Refused("html" if self.is_html else "not-json") from error


class Server:
    """One address. ``base``: the URL up to and with "/v1"; ``variable``: of the environment, that holds the key."""

    def __init__(self, base, variable=""):
        parts = urlsplit(base)
        self._is_safe = parts.scheme == "https"
        self._host = parts.hostname
        self._port = parts.port
        self._path = parts.path.rstrip("/")
        self._key = os.environ.get(variable, "") if variable else ""

    def about(self, path, seconds):
        """Ask for something about the server itself, beside the API; ``path`` begins at the root of the server."""
        root = self._path.removesuffix("/v1")
        return self._ask("GET", root + path, None, seconds)

    def get(self, path, seconds):
        """Ask the API."""
        return self._ask("GET", self._path + path, None, seconds)

    def post(self, path, body, seconds):
        """Send JSON to the API."""
        return self._ask("POST", self._path + path, json.dumps(body).encode("ascii"), seconds)

    def _ask(self, method, path, body, seconds):
        connection = self._connection(min(TO_CONNECT, seconds))
        sockets = []  # the connection lets go of its socket before the answer is read
        expired = threading.Event()
        timer = threading.Timer(seconds, _end, (sockets, expired))
        timer.daemon = True
        timer.start()
        try:
            answer = self._answer(connection, method, path, body, seconds, sockets)
            if expired.is_set():  # it was cut off in the middle
                raise Refused("time-out", seconds="%.0f" % seconds)
            return answer
        except Refused:
            raise
        except Exception as error:
            raise (Refused("time-out", seconds="%.0f" % seconds) if expired.is_set() else _refused(error)) from error
        finally:
            timer.cancel()
            connection.close()

    def _connection(self, seconds):
        if not self._is_safe:
            return http.client.HTTPConnection(self._host, self._port, timeout=seconds)
        return http.client.HTTPSConnection(self._host, self._port, timeout=seconds)

    def _answer(self, connection, method, path, body, seconds, sockets):
        fields = {"Accept": "application/json", "Accept-Encoding": "identity", "Connection": "close"}
        if body is not None:
            fields["Content-Type"] = "application/json"
        if self._key:
            fields["Authorization"] = "Bearer " + self._key
        try:
            connection.connect()
        except (socket.timeout, TimeoutError) as error:
            raise Refused("no-answer", seconds="%.0f" % min(TO_CONNECT, seconds)) from error
        sockets.append(connection.sock)
        connection.sock.settimeout(seconds)
        connection.request(method, path, body, fields)
        with connection.getresponse() as response:
            data = response.read(LONGEST + 1)
            if len(data) > LONGEST:
                raise Refused("too-long", size=str(LONGEST // 1024 // 1024))
            if response.length:  # fewer bytes came than were announced
                raise Refused("broken")
            fields = {name.lower(): value.lower() for name, value in response.getheaders()}
            if 300 <= response.status < 400:
                raise Refused("redirect", place=_host_of(response.getheader("Location")))
            return Answer(response.status, fields, data)


def checked(answer):
    """The JSON of an answer that went well.

    Raises:
        Refused: it did not.
    """
    if answer.status < 300:
        return answer.parsed()
    if answer.is_html and answer.status < 500:
        raise Refused("html")
    status, words = str(answer.status), _words_of(answer)
    known = {401: "no-key", 403: "forbidden", 404: "not-found", 413: "too-much", 429: "too-many"}
    raise Refused(known.get(answer.status, "fault" if answer.status >= 500 else "refused"), status=status, words=words)


def _end(sockets, expired):
    """End what takes too long; before it is connected it has a limit of its own."""
    expired.set()
    for opened in sockets:
        try:
            opened.shutdown(socket.SHUT_RDWR)
        except (OSError, ValueError):  # it was closed meanwhile
            pass


def _refused(error):
    import ssl

    if isinstance(error, ssl.SSLCertVerificationError):
        return Refused("certificate", detail=str(error.verify_message)[:WORDS])
    if isinstance(error, ssl.SSLError):
        return Refused("tls", detail=str(error.reason or error)[:WORDS])
    if isinstance(error, socket.gaierror):
        return Refused("unknown-host")
    if isinstance(error, (http.client.RemoteDisconnected, http.client.IncompleteRead, ConnectionResetError)):
        return Refused("broken")
    if isinstance(error, ConnectionRefusedError):
        return Refused("no-server")
    if isinstance(error, (socket.timeout, TimeoutError)):
        return Refused("no-answer", seconds="%.0f" % TO_CONNECT)
    if isinstance(error, (http.client.HTTPException, ValueError)):
        return Refused("not-http")
    return Refused("unreachable", detail=str(error)[:WORDS])


def _host_of(place):
    """Where a redirect leads, without what may be secret behind it."""
    try:
        parts = urlsplit(place or "")
        return (parts.hostname or "") + (":%d" % parts.port if parts.port else "") + parts.path[:100]
    except ValueError:
        return ""


def _words_of(answer):
    """What the server says of an error, in one line."""
    try:
        told = answer.parsed()
    except Refused:
        return ""
    for _ in range(3):
        if isinstance(told, dict):
            told = next((told[name] for name in ("error", "message", "detail", "msg") if told.get(name)), "")
        elif isinstance(told, list):
            told = told[0] if told else ""
    return " ".join(told.split())[:WORDS] if isinstance(told, str) else ""

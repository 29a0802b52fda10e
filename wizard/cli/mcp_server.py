"""The tools of the MCP server. Each is one of our own commands in a process of its own, and answers what that wrote.

So a tool judges and redacts as the command does, nothing of it gets into the stream of the protocol, and one that is
cancelled ends with all that it started. Whatever starts a program of the user asks the user first, through the client;
a client that cannot ask is refused. https://modelcontextprotocol.io/specification
"""

# No `from __future__ import annotations`: the server reads the annotations of functions that are made in a function.
import json
import shlex
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import anyio
from mcp.server.mcpserver import AcceptedElicitation, Context, Elicit, ElicitationResult, MCPServer, Resolve
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations
from pydantic import BaseModel, Field

from checks import __version__
from checks.interpreters import Places, find_interpreters, frameworks_of, likely_first
from checks.paths import BUNDLE
from checks.visible import visible
from wizard.words import program, words

_SECONDS = {"check": 900.0, "diagnose": 120.0, "inspect": 600.0, "compare": 120.0}
_LONGEST_RUN = 3600.0  # seconds
_GRACE = 15.0  # seconds in which a command ends what it started
_MOST_FINDINGS = 8
_MOST_OUTPUT = 20_000  # characters of what a program of the user printed, its end
_MOST_TEXT = 2_000_000  # characters of a text to diagnose
_START = "import sys; sys.path[:0] = [{root!r}]; from wizard.__main__ import main; sys.exit(main(sys.argv[1:]))"
_KEPT = ("cause", "severity", "confidence", "title", "why", "explanation", "questions", "sources")


class Consent(BaseModel):
    """What the user answers."""

    agreed: bool = Field(description="Yes / はい")  # without a default: whoever agrees says so


def serve(language: str, allowed: Sequence[str] = ()) -> None:
    """Answer over standard input and output until that is closed. ``allowed``: Pythons that may be started unasked."""
    server_of(language, allowed).run("stdio")


def server_of(language: str, allowed: Sequence[str] = ()) -> MCPServer[Any]:
    """The server with its tools. ``allowed``: as in :func:`serve`."""
    server: MCPServer[Any] = MCPServer(
        "naosu", instructions=words("mcp.instructions", language), version=__version__, log_level="ERROR"
    )
    reads = ToolAnnotations(read_only_hint=True, destructive_hint=False, open_world_hint=False)
    starts = ToolAnnotations(read_only_hint=False, open_world_hint=True)  # whatever the user's own program does
    for tool in (list_interpreters, *_reading(language), _check(language, allowed), _run(language)):
        name = tool.__name__
        described = words(f"mcp.{name.replace('_', '-')}", language)
        server.add_tool(tool, name=name, description=described, annotations=starts if name == "run" else reads)
    return server


def list_interpreters() -> dict[str, Any]:
    """The interpreters of this machine, as paths that the other tools take."""
    found = likely_first(find_interpreters(Places.of_this_machine()))
    return {
        "interpreters": [
            {
                "path": _short(interpreter.path),
                "version": interpreter.version,
                "kind": interpreter.kind,
                "frameworks": dict(frameworks_of(interpreter)),
                "problem": interpreter.problem,
            }
            for interpreter in found
        ]
    }


def _reading(language: str) -> tuple[Callable[..., Any], ...]:
    """The tools that only read."""

    async def diagnose(text: str) -> dict[str, Any]:
        return await _answer(language, "diagnose", "-", stdin=text[:_MOST_TEXT])

    async def inspect(paths: list[str]) -> dict[str, Any]:
        return await _answer(language, "inspect", *map(_path, paths))

    async def compare(first: str, second: str) -> dict[str, Any]:
        return await _answer(language, "compare", _path(first), _path(second))

    return diagnose, inspect, compare


def _check(language: str, allowed: Sequence[str]) -> Callable[..., Any]:
    def consent(target: str, ctx: Context[Any, Any]) -> Elicit[Consent] | Consent:
        path = _path(target)
        if path in allowed:
            return Consent(agreed=True)
        return _asked(
            language, ctx, words("mcp.ask-check", language, target=visible(path)), ("check", "--target", path)
        )

    async def check(target: str, consent: Annotated[ElicitationResult[Consent], Resolve(consent)]) -> dict[str, Any]:
        _refuse_without(consent, language)
        return await _answer(language, "check", "--target", _path(target), "--no-history")

    return check


def _run(language: str) -> Callable[..., Any]:
    def consent(command: list[str], folder: str, ctx: Context[Any, Any]) -> Elicit[Consent] | Consent:
        shown = {"command": visible(shlex.join(command)), "folder": visible(_path(folder))}  # no line of its own making
        said = words("mcp.ask-run", language, **shown)
        return _asked(language, ctx, said, ("run", "--cwd", _path(folder), "--", *command))

    async def run(
        command: list[str],
        folder: str,
        consent: Annotated[ElicitationResult[Consent], Resolve(consent)],
        seconds: Annotated[float, Field(allow_inf_nan=False)] = 600.0,
    ) -> dict[str, Any]:
        _refuse_without(consent, language)
        limit = min(max(seconds, 1.0), _LONGEST_RUN)
        options = ("--cwd", _path(folder), "--timeout", str(limit), "--no-history")
        return await _answer(language, "run", *options, behind=command, limit=limit + _SECONDS["check"])

    return run


def _asked(language: str, ctx: Context[Any, Any], question: str, command: Sequence[str]) -> Elicit[Consent]:
    """The question to the user.

    Raises:
        ToolError: the client has no way to ask.
    """
    capabilities = ctx.client_capabilities
    elicitation = capabilities.elicitation if capabilities is not None else None
    if elicitation is None or (elicitation.form is None and elicitation.url is not None):
        raise ToolError(words("mcp.cannot-ask", language, command=shlex.join((program(), *command))))
    return Elicit(question, Consent)


def _refuse_without(consent: object, language: str) -> None:
    if not (isinstance(consent, AcceptedElicitation) and consent.data.agreed):
        raise ToolError(words("mcp.refused", language))


async def _answer(
    language: str, command: str, *options: str, stdin: str = "", behind: Sequence[str] = (), limit: float = 0.0
) -> dict[str, Any]:
    """What a command of ours found, in short.

    Raises:
        ToolError: it could not do it, or took too long.
    """
    with tempfile.TemporaryDirectory(prefix="naosu-mcp-") as place:
        folder = Path(place)
        (folder / "in").write_text(stdin, encoding="utf-8", errors="replace")
        case = folder / "case.json"
        start = [*_own_start(), command, "--lang", language, "--quiet", "--json", str(case), *options]
        start += ["--", *behind] if behind else []
        seconds = limit or _SECONDS[command]
        if not await _ended_within(start, folder, seconds):
            raise ToolError(words("mcp.took-too-long", language, seconds=round(seconds)))
        if not case.is_file():
            said = (folder / "err").read_text(encoding="utf-8", errors="replace").strip()
            raise ToolError(words("mcp.failed", language, detail=said[-1000:]))
        found = _in_short(json.loads(case.read_bytes()))
        if command == "run":
            found["output"] = _redacted_end(folder / "out")
        return found


def _own_start() -> tuple[str, ...]:
    """How our own program is started: the frozen one is its own, and needs no Python."""
    if BUNDLE is not None:
        return (sys.executable,)
    return sys.executable, "-I", "-c", _START.format(root=str(Path(__file__).resolve().parents[2]))


async def _ended_within(start: Sequence[str], folder: Path, seconds: float) -> bool:
    """Whether a command of ours came to its end in time; else, and where it is cancelled, it ends what it started."""
    with open(folder / "in", "rb") as given, open(folder / "out", "wb") as out, open(folder / "err", "wb") as err:
        process = await anyio.open_process(start, stdin=given, stdout=out, stderr=err, cwd=Path.home())
    try:
        with anyio.move_on_after(seconds):
            await process.wait()
        return process.returncode is not None
    finally:
        if process.returncode is None:
            with anyio.CancelScope(shield=True):
                process.terminate()
                with anyio.move_on_after(_GRACE):
                    await process.wait()
                if process.returncode is None:
                    process.kill()
                    await process.wait()


def _in_short(case: dict[str, Any]) -> dict[str, Any]:
    """The verdict, and the findings with their remedies; the facts would fill the memory of whoever asked."""
    findings = [
        {
            **{name: finding[name] for name in _KEPT if finding.get(name)},
            "shown_by": [shown.get("value") for shown in finding.get("evidence", ())][:_MOST_FINDINGS],
            "remedies": finding.get("remedies", [])[:2],
        }
        for finding in case["findings"][:_MOST_FINDINGS]
    ]
    return {"verdict": case["verdict"], "findings": findings, "complete": case.get("complete", True)}


def _redacted_end(path: Path) -> str:
    """The end of what a program of the user printed, as it may leave this machine."""
    from checks.sharing.redact import redacted_texts

    text = path.read_text(encoding="utf-8", errors="replace")[-_MOST_OUTPUT:]
    return redacted_texts((text,))[0]


def _path(given: str) -> str:
    """An absolute path; "~" is the user's home, as the list of interpreters has it."""
    return str(Path(given).expanduser().absolute())


def _short(path: str) -> str:
    home = f"{Path.home()}/"
    return f"~/{path.removeprefix(home)}" if path.startswith(home) else path

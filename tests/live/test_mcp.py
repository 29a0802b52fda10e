"""The MCP server, asked by the SDK's own client over standard input and output. It needs the extra "mcp"."""

import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from support.extent import ALL

ROOT = Path(__file__).parents[2]
CASES = ROOT / "tests" / "cases"
MODEL = ROOT / "tests" / "recordings" / "models" / "onnx" / "AvgPool1d.onnx"
MISMATCH = "Failed to initialize NVML: Driver/library version mismatch"
MODES = ("auto", "legacy")  # the protocol of 2026 asks within an answer, those before it in between
TOOLS = {"list_interpreters", "diagnose", "inspect", "compare", "check", "run"}

for_a_release = pytest.mark.skipif(not ALL, reason="needs the extra mcp, and starts servers: NAOSU_TESTS=all")


def asked(work: Callable[[Any], Awaitable[None]], mode: str, answer: str = "", *options: str) -> list[str]:
    """What the server asked the user while a client works with it. ``answer``: "accept", ..., "" for a mute client."""
    import anyio
    from mcp import Client, StdioServerParameters
    from mcp_types import ElicitResult

    questions: list[str] = []

    async def answered(_: Any, question: Any) -> ElicitResult:
        questions.append(question.message)
        return ElicitResult(action=answer, content={"agreed": True} if answer == "accept" else None)

    start = ["-m", "wizard", "mcp", *options]
    surroundings = {"NAOSU_HISTORY": "off", "NAOSU_LANG": "en", "NAOSU_OFFLINE": "1"}
    server = StdioServerParameters(command=sys.executable, args=start, cwd=ROOT, env=surroundings)

    async def main() -> None:
        async with Client(server, mode=mode, elicitation_callback=answered if answer else None) as client:
            await work(client)

    anyio.run(main)
    return questions


@for_a_release
@pytest.mark.parametrize("mode", MODES)
def test_what_only_reads_needs_no_consent(mode: str) -> None:
    async def work(client: Any) -> None:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(tools) == TOOLS
        assert {name for name, tool in tools.items() if not tool.annotations.read_only_hint} == {"run"}
        found = await client.call_tool("list_interpreters", {})
        assert found.structured_content["interpreters"]
        found = await client.call_tool("diagnose", {"text": f"/home/alice/x.py: {MISMATCH}"})
        assert found.structured_content["findings"][0]["cause"] == "driver-library-mismatch"
        assert "alice" not in str(found)
        found = await client.call_tool("inspect", {"paths": [str(MODEL)]})
        assert found.structured_content["verdict"]["state"]
        two = (CASES / f"{name}.json" for name in ("healthy-h100", "healthy-linux-rtx-4090"))
        found = await client.call_tool("compare", dict(zip(("first", "second"), map(str, two), strict=True)))
        assert not found.is_error
        found = await client.call_tool("inspect", {"paths": ["/nowhere/model.onnx"]})
        assert found.is_error
        assert "/nowhere/model.onnx" in found.content[0].text

    assert asked(work, mode, "accept") == []


@for_a_release
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("answer", ["", "decline", "cancel"])
def test_nothing_is_started_without_consent(mode: str, answer: str, tmp_path: Path) -> None:
    made = tmp_path / "made"
    command = [sys.executable, "-c", f"open({str(made)!r}, 'w')"]

    async def work(client: Any) -> None:
        found = await client.call_tool("run", {"command": command, "folder": str(tmp_path)})
        assert found.is_error
        assert "It was not started" in found.content[0].text
        assert ("naosu run --cwd" in found.content[0].text) == (not answer)  # what the user can do instead
        found = await client.call_tool("check", {"target": sys.executable})
        assert found.is_error

    questions = asked(work, mode, answer)
    assert not made.exists()
    assert len(questions) == (2 if answer else 0)


@for_a_release
@pytest.mark.parametrize("seconds", ["nan", "inf"])
def test_a_time_that_is_no_number_is_refused_before_anybody_is_asked(seconds: str, tmp_path: Path) -> None:
    async def work(client: Any) -> None:
        command = {"command": [sys.executable, "-c", "pass"], "folder": str(tmp_path), "seconds": seconds}
        found = await client.call_tool("run", command)
        assert found.is_error
        assert "finite" in found.content[0].text

    assert asked(work, "auto", "accept") == []


@for_a_release
@pytest.mark.parametrize("mode", MODES)
def test_with_consent_the_program_is_watched(mode: str, tmp_path: Path) -> None:
    command = [sys.executable, "-c", "print('token=hf_aBcDeFgHiJkLmNoPqRsTuVwXyZ012345'); import no_such_package"]

    async def work(client: Any) -> None:
        found = await client.call_tool("run", {"command": command, "folder": str(tmp_path), "seconds": 60})
        assert not found.is_error, found.content[0].text
        assert found.structured_content["findings"][0]["cause"] == "package-not-installed"
        assert "hf_aBc" not in str(found)

    (question,) = asked(work, mode, "accept")
    assert "import no_such_package" in question
    assert str(tmp_path) in question


@for_a_release
def test_a_python_that_was_named_at_the_start_is_checked_unasked(tmp_path: Path) -> None:
    import venv

    venv.create(tmp_path / "venv", with_pip=False)
    python = str(tmp_path / "venv" / "bin" / "python")

    async def work(client: Any) -> None:
        found = await client.call_tool("check", {"target": python})
        assert not found.is_error, found.content[0].text
        assert found.structured_content["verdict"]["sentence"]

    assert asked(work, "auto", "", "--target", python) == []

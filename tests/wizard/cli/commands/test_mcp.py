"""`naosu mcp` without the extra that it needs; with it: tests/live/test_mcp.py."""

import sys

import pytest

from wizard.cli.command_line import run_command


def test_without_the_package_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    for name in ("wizard.cli.mcp_server", "mcp", "mcp.server", "mcp.server.mcpserver", "anyio"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, "mcp", None)
    monkeypatch.setitem(sys.modules, "anyio", None)
    assert run_command(["mcp", "--lang", "en"]) == 2
    assert 'pip install "naosu[mcp]"' in capfd.readouterr().err


def test_a_python_that_is_not_there(capfd: pytest.CaptureFixture[str]) -> None:
    assert run_command(["mcp", "--lang", "en", "--target", "/nowhere/python"]) == 2
    assert "/nowhere/python" in capfd.readouterr().err

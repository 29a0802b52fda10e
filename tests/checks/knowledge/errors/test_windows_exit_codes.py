"""What Windows calls the exit codes of processes that it ended."""

import pytest

from checks.knowledge.errors.windows_exit_codes import exit_code_name


@pytest.mark.parametrize(
    ("code", "name"),
    [
        pytest.param(0xC0000005, "STATUS_ACCESS_VIOLATION", id="unsigned"),
        pytest.param(-1073741819, "STATUS_ACCESS_VIOLATION", id="signed"),
        pytest.param(0xC000001D, "STATUS_ILLEGAL_INSTRUCTION", id="illegal-instruction"),
        pytest.param(0xC0000135, "STATUS_DLL_NOT_FOUND", id="dll-missing"),
        pytest.param(0xC0001234, "0xC0001234", id="not-in-the-table"),
        pytest.param(1, None, id="ordinary"),
        pytest.param(9009, None, id="command-not-found"),
        pytest.param(0, None, id="well"),
    ],
)
def test_names(code: int, name: str | None) -> None:
    assert exit_code_name(code) == name

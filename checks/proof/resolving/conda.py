"""What ``conda install --dry-run --json`` answers. Nothing is downloaded but the channel's list, and no script runs.

Sources: github.com/conda/conda/issues/5825 and 6641 (the form of "actions", which was a list of one in 4.3), 1883 (its
errors); docs.conda.io/projects/conda/en/stable/commands/install.html.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Mapping
from typing import Any

from checks.facts import ResolutionResult
from checks.proof.changes import Managed
from checks.proof.resolving.dry_run import NotResolved, Resolved

# Of 26.7, tried: PackagesNotFoundInChannelsError, and the names of its solvers before "UnsatisfiableError".
_UNSOLVED = ("PackagesNotFoundError", "PackagesNotFoundInChannelsError", "ResolvePackageNotFound")
_UNREACHABLE = ("CondaHTTPError", "UnavailableInvalidChannel", "ProxyError", "CondaSSLError", "ConnectionFailed")


def conda_program(tool: str, variables: Mapping[str, str]) -> str | None:
    """Where conda or mamba is: "conda" is a function in many a shell, and names the program in a variable."""
    named = variables.get(f"{tool.upper()}_EXE", "")
    return named or shutil.which(tool, path=variables.get("PATH"))


def conda_command(change: Managed, variables: Mapping[str, str]) -> tuple[str, ...]:
    """The dry run of a call of conda.

    Raises:
        NotResolved: there is no conda.
    """
    program = conda_program(change.tool, variables)
    if not program:
        raise NotResolved(ResolutionResult.NOT_RESOLVED, reason="no-conda")
    return (program, *change.words, "--dry-run", "--json", "--yes")


def read_answer(text: str) -> Resolved:
    """What it would do.

    Raises:
        NotResolved: it cannot, or its answer is not understood.
    """
    try:
        answer = json.loads(text[text.index("{") :])
        error = answer.get("exception_name") or answer.get("error_type")
        if error:
            raise _failure(str(error), " ".join(str(answer.get("message") or answer.get("error", "")).split()))
        actions = answer.get("actions") or {}
        actions = actions[0] if isinstance(actions, list) else actions
        there: dict[str, str | None] = {str(one["name"]): None for one in actions.get("UNLINK", ())}
        there |= {str(one["name"]): str(one["version"]) for one in actions.get("LINK", ())}
        return Resolved(there, *_download(actions.get("FETCH", ())))
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise NotResolved(ResolutionResult.NOT_RESOLVED, str(error), "unreadable") from error


def _failure(name: str, said: str) -> NotResolved:
    if name in _UNSOLVED or name.endswith("UnsatisfiableError"):
        return NotResolved(ResolutionResult.NO_SOLUTION, said)
    if name in _UNREACHABLE:
        return NotResolved(ResolutionResult.UNREACHABLE, said, "hindered")
    return NotResolved(ResolutionResult.NOT_RESOLVED, said, "said")


def _download(fetched: Iterable[Mapping[str, Any]]) -> tuple[int, int]:
    sizes = [one.get("size") for one in fetched]
    known = [size for size in sizes if isinstance(size, int)]
    return sum(known), len(sizes) - len(known)

"""How the portable probe is called, and what is typed to run it."""

NAME = "naosu-probe.pyz"
ANSWER = "naosu-answer.json"


def command(*, computes: bool, name: str = NAME) -> str:
    """The line, for any shell; ``computes``: numbers to compare machines by, too. ``name``: of the file."""
    named = f'"{name}"' if " " in name else name
    return " ".join(("python3", named, *(("--compute", "quick") if computes else ()), "-o", ANSWER))

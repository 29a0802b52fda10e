"""How the portable probe is called, and what is typed to run it."""

NAME = "naosu-probe.pyz"
ANSWER = "naosu-answer.json"


def command(*, computes: bool) -> str:
    """The line, for any shell; ``computes``: numbers to compare machines by, too."""
    return " ".join(("python3", NAME, *(("--compute", "quick") if computes else ()), "-o", ANSWER))

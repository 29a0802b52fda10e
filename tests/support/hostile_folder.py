"""A folder from a stranger: whatever Python would import of it, or run beside it, says so in a file."""

import sys
from pathlib import Path

NAMES = (
    "sitecustomize",
    "usercustomize",
    "wizard",
    "checks",
    "encodings/__init__",
    "argparse",
    "json/__init__",
    "msgspec/__init__",
    "packaging/__init__",
    "psutil",
    "PySide6/__init__",
    "torch",
    "numpy/__init__",
    "pathlib",
    "re",
    "warned",
)


class HostileFolder:
    """The folder, and what of it ran."""

    def __init__(self, folder: Path, witness: Path) -> None:
        self.path = folder
        self._witness = witness
        version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
        for place in ("", f"lib/{version}/", f"lib/{version}/site-packages/"):  # as PYTHONHOME, as PYTHONUSERBASE
            for name in NAMES:
                path = folder / f"{place}{name}.py"
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(f"open({str(witness)!r}, 'a').write({place + name + chr(10)!r})\n")

    @property
    def ran(self) -> list[str]:
        """What was imported until now."""
        return self._witness.read_text().splitlines() if self._witness.exists() else []

    def take_what_ran(self) -> list[str]:
        """What was imported until now, which is forgotten."""
        ran = self.ran
        self._witness.unlink(missing_ok=True)
        return ran


# Variables that lead a Python to code, each as a user may have set it.
VARIABLES = (
    {},
    {"PYTHONPATH": ":/opt/x"},
    {"PYTHONPATH": "/opt/x:"},
    {"PYTHONPATH": "/opt/x::/opt/y"},
    {"PYTHONPATH": "."},
    {"PYTHONPATH": "./"},
    {"PYTHONPATH": "lib/.."},
    {"PYTHONPATH": "$PWD"},
    {"PYTHONPATH": ":", "PYTHONSAFEPATH": ""},
    {"PYTHONHOME": "."},
    {"PYTHONUSERBASE": "."},
    {"PYTHONPATH": ":", "PYTHONSTARTUP": "wizard.py", "PYTHONINSPECT": "1"},
    {"PYTHONPATH": ":", "PYTHONWARNINGS": "error::warned.Warned"},
    {"PYTHONPATH": ":", "PYTHONBREAKPOINT": "warned.run", "PYTHONDEVMODE": "1"},
    {"PYTHONPLATLIBDIR": "lib", "PYTHONPATH": ":"},
)

# All of them at once: each does its harm whatever the others do.
TOGETHER = {name: value for variables in VARIABLES for name, value in variables.items()} | {
    "PYTHONPATH": ":".join(variables["PYTHONPATH"] for variables in VARIABLES if "PYTHONPATH" in variables)
}

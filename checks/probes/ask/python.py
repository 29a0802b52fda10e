"""What this interpreter is, and which distributions it sees, from their metadata. Nothing of them is imported."""

import os
import platform
import re
import site
import struct
import sys
import sysconfig
from importlib import metadata

MOST = 5000  # distributions; a very large environment has a thousand
LINES = 2000  # of a header that are looked at
_HEADER = re.compile(r"^(Name|Version|Requires-Dist|Requires-Python):[ \t]*(.*?)[ \t\r]*$")
_TAG = re.compile(r"^Tag:[ \t]*(\S+)", re.MULTILINE)
# What tools leave in the folder of an environment that they made.
MARKS = ("pyvenv.cfg", "conda-meta", "conda-meta/pixi", "pipx_metadata.json", "uv-receipt.toml")


def interpreter(argument):
    """The interpreter itself."""
    return {
        "python": {
            "executable": sys.executable,
            "real_path": os.path.realpath(sys.executable) if sys.executable else None,
            "prefix": sys.prefix,
            "base_prefix": sys.base_prefix,
            "version": sys.version.split()[0].rstrip("+"),
            "implementation": sys.implementation.name,
            "architecture": _architecture(),
            "free_threaded": bool(sysconfig.get_config_var("Py_GIL_DISABLED")),
            "externally_managed": _is_externally_managed(),
            "user_site": bool(site.ENABLE_USER_SITE),
            "marks": [mark for mark in MARKS if os.path.exists(os.path.join(sys.prefix, *mark.split("/")))],
        }
    }


def _architecture():
    machine = platform.machine()
    return "x86" if machine.lower() in ("x86_64", "amd64") and struct.calcsize("P") == 4 else machine


def _is_externally_managed():
    """Whether PEP 668 forbids pip here; inside a virtual environment it never does."""
    if sys.prefix != sys.base_prefix:
        return False
    return os.path.exists(os.path.join(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED"))


def distributions(argument):
    """What is installed, in the order of the search path, some at a time."""
    some = []
    for count, found in enumerate(metadata.distributions()):
        if count >= MOST:
            yield {"unread": {"packages": "more than %d distributions" % MOST}}
            break
        try:
            some.append(_distribution(found))
        except Exception as error:  # metadata that cannot be read: of this one nothing is known
            yield {"unread": {"packages.%d" % count: "%s: %s" % (type(error).__name__, error)}}
        if len(some) >= 100:
            yield {"distributions+": some}
            some = []
    yield {"distributions+": some}


def _distribution(found):
    fields = {}
    header = found.read_text("METADATA") or found.read_text("PKG-INFO") or found.read_text("") or ""
    for line in header.splitlines()[:LINES]:
        if not line.strip():  # the description follows
            break
        match = _HEADER.match(line)
        if match:
            fields.setdefault(match.group(1), []).append(match.group(2))
    return {
        "name": fields.get("Name", [""])[0],
        "version": fields.get("Version", [""])[0],
        "requires": fields.get("Requires-Dist", []),
        "requires_python": fields.get("Requires-Python", [None])[0],
        "location": str(found.locate_file("")),
        "installer": (found.read_text("INSTALLER") or "").strip() or None,
        "tags": _TAG.findall(found.read_text("WHEEL") or ""),
    }


STAGES = (interpreter, distributions)
ESSENTIAL = ("interpreter",)

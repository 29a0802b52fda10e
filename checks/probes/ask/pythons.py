"""Which Python interpreters there are besides, read from the files around them; none is started.

The argument's ``places`` are [found by, systems, patterns] as in resources/knowledge/packages/interpreter_places.toml.
"""

import glob
import os
import platform
import re
import sys

MOST = 100  # interpreters
MOST_MATCHES = 400  # of one pattern; a folder with more is no folder of environments
MOST_NAMES = 5000  # in one folder of packages
_EXECUTABLE = re.compile(r"(?:python|pypy)(\d(?:\.\d+)?)?t?(?:\.exe)?$", re.IGNORECASE)
_IN_PREFIX = ("bin/python", "bin/python3", "Scripts/python.exe", "python.exe", "bin/pypy3")
_NEAR = (".venv", "venv", "env", ".env", ".conda")
_METADATA = re.compile(r"([^-]+)-(.+?)(?:-py\d[\d.]*(?:-.+)?)?\.(?:dist|egg)-info$")
_LIBRARY = re.compile(r"(?:python|pypy)(\d\.\d+)t?$")


def pythons(argument):
    """Each interpreter once, by the file that it really is and the folder that it belongs to."""
    seen = set()
    for found_by, path in _candidates(argument.get("places", ())):
        executable = _executable(path)
        if executable is None:
            continue
        prefix = os.path.dirname(os.path.dirname(executable))
        if os.path.basename(os.path.dirname(executable)).lower() not in ("bin", "scripts"):
            prefix = os.path.dirname(executable)
        config = _config(prefix)
        real = os.path.realpath(executable)
        key = (os.path.realpath(prefix) if config is not None else "", real)
        if key in seen:
            continue
        seen.add(key)
        yield {"pythons+": [_described(executable, real, prefix, config, found_by)]}
        if len(seen) >= MOST:
            yield {"unread": {"pythons": "more than %d interpreters" % MOST}}
            return


def _candidates(places):
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        if os.environ.get(name):
            yield "active", os.environ[name]
    for name in _NEAR:
        yield "folder", os.path.abspath(name)
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        if os.path.isabs(folder):
            for name in _names(folder):
                if _EXECUTABLE.match(name):
                    yield "PATH", os.path.join(folder, name)
    system = platform.system()
    for found_by, systems, patterns in places:
        if system in systems:
            for pattern in patterns:
                for path in _expanded(pattern):
                    yield found_by, path


def _expanded(pattern):
    """The paths that a pattern stands for; none where its variable is not set."""
    start, _, rest = pattern.partition("/")
    name = start.strip("{}")
    if name == "HOME":
        roots = [os.path.expanduser("~")]
    elif name == "ROOT":
        roots = [os.environ.get("SYSTEMDRIVE", "C:") + "\\" if sys.platform == "win32" else "/"]
    else:
        roots = os.environ.get(name, "").split(os.pathsep)
    found = []
    for root in roots:
        if os.path.isabs(root):
            found += sorted(glob.glob(os.path.join(glob.escape(root), *rest.split("/"))))[:MOST_MATCHES]
    return found


def _executable(path):
    """The executable that a path means, itself or in an environment's folder."""
    if os.path.isdir(path):
        inside = (os.path.join(path, *name.split("/")) for name in _IN_PREFIX)
        return next((file for file in inside if os.path.lexists(file)), None)
    named = _EXECUTABLE.match(os.path.basename(path)) and os.path.isfile(path)
    return path if named and not _is_script(path) else None


def _is_script(path):
    """Whether it only starts another program, as the shims of pyenv and asdf do."""
    try:
        with open(path, "rb") as file:
            return file.read(2) == b"#!"
    except OSError:
        return False


def _config(prefix):
    """What pyvenv.cfg says; None where there is none."""
    try:
        with open(os.path.join(prefix, "pyvenv.cfg"), encoding="utf-8", errors="replace") as file:
            lines = file.read(10000).splitlines()
    except OSError:
        return None
    pairs = (line.partition("=") for line in lines)
    return {name.strip().lower(): value.strip() for name, _, value in pairs}


def _described(executable, real, prefix, config, found_by):
    library, minor = _library(prefix, real)
    version = (config or {}).get("version_info") or (config or {}).get("version") or minor
    raw = {
        "path": executable,
        "real_path": real,
        "prefix": prefix,
        "found_by": found_by,
        "version": version,
        "is_environment": config is not None,
        "is_conda": os.path.isdir(os.path.join(prefix, "conda-meta")),
        "is_there": os.path.isfile(real),
    }
    if library:
        raw["packages"] = _packages(library)
        raw["location"] = library
    return raw


def _library(prefix, real):
    """(Its folder of packages, "3.11"); None for what is not there."""
    windows = os.path.join(prefix, "Lib", "site-packages")
    named = _EXECUTABLE.match(os.path.basename(real))
    minor = named.group(1) if named and "." in (named.group(1) or "") else None
    if os.path.isdir(windows) and sys.platform == "win32":
        return windows, minor
    folder = os.path.join(prefix, "lib")
    for name in _names(folder):
        match = _LIBRARY.match(name)
        if match and (minor is None or match.group(1) == minor):
            for packages in ("site-packages", "dist-packages"):
                path = os.path.join(folder, name, packages)
                if os.path.isdir(path):
                    return path, match.group(1)
    return None, minor


def _packages(folder):
    found = []
    for name in _names(folder)[:MOST_NAMES]:
        match = _METADATA.match(name)
        if match and not name.startswith("~"):
            found.append([match.group(1), match.group(2)])
    return found


def _names(folder):
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


STAGES = (pythons,)
ESSENTIAL = ("pythons",)

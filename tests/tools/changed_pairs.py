"""Programs that worked and fail after a change: is the guilty difference the first that is named?

    python -m tests.tools.changed_pairs FOLDER [--only NAME ...]

Each pair is built really in FOLDER: a virtual environment, a program that is run by ``naosu run`` and works; then the
change, always with harmless ones beside it, and the run that fails. Packages come from the index that pip is set to.
What no machine at hand has (a driver, a package manager's log) is recorded: tests/checks/history/test_pairs.py.
Printed: the place of the guilty change, and of pairs in which nothing that changed is guilty, what was accused.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PATIENCE = 600  # seconds for one command


def _nothing(_: Pair, __: Path) -> None:
    return


@dataclass(frozen=True)
class Pair:
    """One program. ``guilty``: (kind, end of the name) of the change that breaks it; None: none of them does."""

    name: str
    guilty: tuple[str, str] | None
    program: str
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()  # what pip installs then
    removed: tuple[str, ...] = ()
    variables: dict[str, str] = field(default_factory=dict)  # that are set then
    change: Callable[[Pair, Path], None] = _nothing
    prepare: Callable[[Pair, Path], None] = _nothing
    arguments: tuple[str, ...] = ()


def _site(folder: Path) -> Path:
    return next((folder / "env").glob("lib/python*/site-packages"))


def _edited(_: Pair, folder: Path) -> None:
    """Somebody edits an installed package; the file keeps its size."""
    path = _site(folder) / "tabulate" / "__init__.py"
    text = path.read_text()
    path.write_text(text.replace("def tabulate(", "def tabulatr(", 1))


def _emptied(_: Pair, folder: Path) -> None:
    (_site(folder) / "sortedcontainers" / "sortedlist.py").write_text("")


def _helper(_: Pair, folder: Path) -> None:
    (folder / "helper.py").write_text("import numpy\n\ndef double(x):\n    return numpy.asarray(x) * 2\n")


def _helper_edited(_: Pair, folder: Path) -> None:
    (folder / "helper.py").write_text("import numpy\n\ndef double(x):\n    return numpy.asarray(y) * 2\n")


def _model(_: Pair, folder: Path) -> None:
    (folder / "labels.json").write_text(json.dumps({"labels": ["a", "b"]}))


def _model_cut(_: Pair, folder: Path) -> None:
    (folder / "labels.json").write_text('{"labels": ["a"')


def _old_copy(_: Pair, folder: Path) -> None:
    _pip(folder, "install", "--target", str(folder / "old"), "packaging==20.9", "pyparsing==2.4.7")


def _bad_library(_: Pair, folder: Path) -> None:
    (folder / "lib").mkdir()
    (folder / "lib" / "libffi.so.8").write_bytes(b"\x7fELF not a library")


def _data_gone(_: Pair, folder: Path) -> None:
    shutil.rmtree(folder / "data")


def _data(_: Pair, folder: Path) -> None:
    (folder / "data").mkdir()
    (folder / "data" / "numbers.txt").write_text("1\n2\n")


def _data_zero(_: Pair, folder: Path) -> None:
    (folder / "data" / "numbers.txt").write_text("0\n0\n")


PAIRS = (
    Pair(
        "numpy-2-in-own-code",
        ("package", "numpy"),
        "import click, tqdm\nimport numpy as np\nprint(np.float_(1.5))",
        before=("numpy==1.26.4", "click==8.1.7", "tqdm==4.66.1"),
        after=("numpy==2.0.2", "click==8.1.8", "tqdm==4.67.1"),
    ),
    Pair(
        "pydantic-2-under-fastapi",
        ("package", "pydantic"),
        "import fastapi\nprint(fastapi.FastAPI())",
        before=("fastapi==0.95.0", "pydantic==1.10.18", "idna==3.6", "anyio==4.2.0"),
        after=("pydantic==2.8.2", "idna==3.7", "anyio==4.4.0"),
    ),
    Pair(
        "removed-dependency",
        ("package", "idna"),
        "import requests\nprint(requests.__version__)",
        before=("requests==2.31.0", "idna==3.6", "certifi==2024.2.2", "urllib3==2.1.0"),
        after=("certifi==2024.7.4", "urllib3==2.2.1"),
        removed=("idna",),
    ),
    Pair(
        "urllib3-2-under-toolbelt",
        ("package", "urllib3"),
        "from requests_toolbelt import MultipartEncoder\nprint(MultipartEncoder)",
        before=("requests==2.31.0", "requests-toolbelt==0.9.1", "urllib3==1.26.18", "idna==3.6", "certifi==2024.2.2"),
        after=("urllib3==2.2.1", "idna==3.7", "certifi==2024.7.4"),
    ),
    Pair(
        "numpy-2-under-compiled-pandas",
        ("package", "numpy"),
        "import pandas\nprint(pandas.DataFrame({'a': [1]}).sum())",
        before=("pandas==2.0.3", "numpy==1.26.4", "pytz==2024.1", "tzdata==2024.1"),
        after=("numpy==2.0.2", "pytz==2024.2", "tzdata==2024.2"),
    ),
    Pair(
        "protobuf-as-side-effect",
        ("package", "protobuf"),
        """
        from google.protobuf import descriptor_pb2, descriptor
        import click
        file = descriptor_pb2.FileDescriptorProto(name="m.proto", package="m")
        print(descriptor.FileDescriptor(name="m.proto", package="m", serialized_pb=file.SerializeToString()))
        field = dict(name="a", full_name="m.a", index=0, number=1, type=1, cpp_type=5, label=1)
        rest = dict(has_default_value=False, default_value=0, message_type=None, enum_type=None)
        print(descriptor.FieldDescriptor(**field, **rest, containing_type=None, is_extension=False,
                                         extension_scope=None))
        """,
        before=("protobuf==3.20.3", "click==8.1.7"),
        after=("protobuf==5.27.0", "googleapis-common-protos==1.63.1", "click==8.1.8"),
    ),
    Pair(
        "pythonpath-with-older-copy",
        ("variable", "PYTHONPATH"),
        "import click\nfrom packaging.metadata import Metadata\nprint(Metadata)",
        before=("packaging==24.1", "click==8.1.7"),
        after=("click==8.1.8",),
        variables={"PYTHONPATH": "{folder}/old", "OMP_NUM_THREADS": "2"},
        change=_old_copy,
    ),
    Pair(
        "library-path-with-bad-library",
        ("variable", "LD_LIBRARY_PATH"),
        "import click, ctypes\nprint(ctypes.CDLL(None))",
        before=("click==8.1.7",),
        after=("click==8.1.8",),
        variables={"LD_LIBRARY_PATH": "{folder}/lib", "OMP_NUM_THREADS": "2"},
        change=_bad_library,
    ),
    Pair(
        "optimised-away-docstring",
        ("variable", "PYTHONOPTIMIZE"),
        '"""Usage: prog.py [--fast]"""\nimport click, docopt\nprint(docopt.docopt(__doc__, argv=[]))',
        before=("docopt==0.6.2", "click==8.1.7"),
        after=("click==8.1.8",),
        variables={"PYTHONOPTIMIZE": "2", "OMP_NUM_THREADS": "2"},
    ),
    Pair(
        "encoding-of-output",
        ("variable", "PYTHONIOENCODING"),
        "import click\nprint('直す')",
        before=("click==8.1.7",),
        after=("click==8.1.8",),
        variables={"PYTHONIOENCODING": "ascii", "OMP_NUM_THREADS": "2"},
    ),
    Pair(
        "edited-file-of-same-size",
        ("file", "tabulate/__init__.py"),
        "import click\nfrom tabulate import tabulate\nprint(tabulate([[1]]))",
        before=("tabulate==0.9.0", "click==8.1.7"),
        after=("click==8.1.8",),
        variables={"OMP_NUM_THREADS": "2"},
        change=_edited,
    ),
    Pair(
        "emptied-file",
        ("file", "sortedcontainers/sortedlist.py"),
        "import click\nfrom sortedcontainers import SortedList\nprint(SortedList([2, 1]))",
        before=("sortedcontainers==2.4.0", "click==8.1.7"),
        after=("click==8.1.8",),
        change=_emptied,
    ),
    Pair(
        "own-helper-edited",
        ("program", "helper.py"),
        "import click\nimport helper\nprint(helper.double([1]))",
        before=("numpy==1.26.4", "click==8.1.7"),
        after=("numpy==2.0.2", "click==8.1.8"),
        prepare=_helper,
        change=_helper_edited,
    ),
    Pair(
        "given-file-cut",
        ("program", "labels.json"),
        "import click, json, sys\nprint(json.load(open(sys.argv[1])))",
        before=("click==8.1.7",),
        after=("click==8.1.8",),
        variables={"OMP_NUM_THREADS": "2"},
        arguments=("labels.json",),
        prepare=_model,
        change=_model_cut,
    ),
    # Nothing that is remembered is guilty.
    Pair(
        "silent-data-gone",
        None,
        "import click\nimport numpy as np\nprint(np.loadtxt('data/numbers.txt'))",
        before=("numpy==1.26.4", "click==8.1.7"),
        after=("click==8.1.8",),
        variables={"OMP_NUM_THREADS": "2"},
        prepare=_data,
        change=_data_gone,
    ),
    Pair(
        "silent-data-zero",
        None,
        "import click\nprint(1 / int(open('data/numbers.txt').readline()))",
        before=("click==8.1.7", "numpy==1.26.4"),
        after=("click==8.1.8", "numpy==2.0.2"),
        variables={"CUDA_VISIBLE_DEVICES": "0"},
        prepare=_data,
        change=_data_zero,
    ),
)


def main() -> None:
    """Build and try them all, and print a table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="*", default=[])
    chosen = parser.parse_args()
    first = wanted = accused = silent = 0
    for pair in PAIRS:
        if chosen.only and pair.name not in chosen.only:
            continue
        folder = chosen.folder.absolute() / pair.name
        changes = tried(pair, folder)
        if changes is None:
            print(f"{pair.name:34} not built as meant")
        elif pair.guilty is None:
            silent += 1
            likely = [change["name"] for change in changes if change["relation"] in ("likely", "possible")]
            accused += bool(likely)
            print(f"{pair.name:34} {'ACCUSED ' + ', '.join(likely) if likely else 'silent'}")
        else:
            wanted += 1
            kind, name = pair.guilty
            place = next(
                (at for at, one in enumerate(changes, 1) if one["kind"] == kind and one["name"].endswith(name)), None
            )
            first += place == 1 and changes[0]["relation"] in ("likely", "possible")
            shown = "; ".join(f"{one['name']} ({one['relation']})" for one in changes[:4])
            print(f"{pair.name:34} {place or 'NOT'} of {len(changes)}: {shown}")
        sys.stdout.flush()
    print(f"guilty first: {first} of {wanted}; accused without reason: {accused} of {silent}")


def tried(pair: Pair, folder: Path) -> list[dict[str, Any]] | None:
    """The changes in the order in which the report names them; None where it does not work before and fail after."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    subprocess.run(["python3", "-m", "venv", folder / "env"], check=True)
    (folder / "prog.py").write_text(textwrap.dedent(pair.program).strip() + "\n")
    pair.prepare(pair, folder)
    if pair.before:
        _pip(folder, "install", *pair.before)
    before = _report(pair, folder, {}, "before.json")
    if pair.after:
        _pip(folder, "install", *pair.after)
    if pair.removed:
        _pip(folder, "uninstall", "-y", *pair.removed)
    pair.change(pair, folder)
    variables = {name: value.format(folder=folder) for name, value in pair.variables.items()}
    after = _report(pair, folder, variables, "after.json")
    if not _ended(before, 0) or _ended(after, 0):
        return None
    found: list[dict[str, Any]] = after.get("changes", [])
    return found


def _ended(report: dict[str, Any], code: int) -> bool:
    runs = report["facts"].get("runs", [{}])
    return bool(runs) and runs[0].get("exit_code") == code


def _pip(folder: Path, *words: str) -> None:
    command = [folder / "env" / "bin" / "python", "-m", "pip", "-q", *words]
    subprocess.run(command, check=True, timeout=PATIENCE, stderr=subprocess.DEVNULL)


def _report(pair: Pair, folder: Path, variables: dict[str, str], name: str) -> dict[str, Any]:
    python = str(folder / "env" / "bin" / "python")
    root = Path(__file__).resolve().parents[2]
    start = f"import runpy, sys; sys.path.insert(0, {str(root)!r}); runpy.run_module('wizard', run_name='__main__')"
    own = [sys.executable, "-I", "-c", start]
    command = [*own, "run", "--quiet", "--json", name, "--", python, "prog.py", *pair.arguments]
    environment = {**os.environ, "NAOSU_HISTORY": str(folder / "history"), **variables}
    if "PYTHONPATH" not in variables:
        environment.pop("PYTHONPATH", None)
    subprocess.run(command, cwd=folder, env=environment, timeout=PATIENCE, capture_output=True)
    read: dict[str, Any] = json.loads((folder / name).read_text())
    return read


if __name__ == "__main__":
    main()

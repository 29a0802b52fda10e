"""Compare the public names of the releases of a package: which name came, and which went, with which release.

    python -m tests.tools.public_names --uv UV --into FOLDER transformers scipy:scipy.linalg,scipy.misc ...

Each release (the last one of each minor version) is unpacked, without its dependencies and without running any of it;
its modules are read as syntax trees. Writes FOLDER/<package>.json, from which tests/tools/name_table.py makes
resources/knowledge/packages/names.toml.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PYTHONS = ("3.11", "3.9", "3.8", "3.13")
FRONT = "api"  # a folder whose modules a package shows as its own, as Keras 3.1 to 3.9 does
DEPTH = 2  # parts of a module's name that are read without being asked for
SKIPPED = re.compile(
    r"(?:^|\.)(?:_|tests?(?:\.|$)|testing|conftest|setup$|examples?|benchmarks?|commands|cli|pipelines\.)"
)


def releases(package: str, limit: int, parts: int) -> list[str]:
    """The last release of each version of so many ``parts``, the oldest first, at most ``limit`` of the newest."""
    said = subprocess.run(
        [sys.executable, "-m", "pip", "index", "versions", package], capture_output=True, text=True, check=False
    ).stdout
    found = re.search(r"Available versions: (.*)", said)
    newest: dict[tuple[int, ...], str] = {}
    for version in reversed(found[1].split(", ") if found else []):
        if re.fullmatch(r"\d+(\.\d+)*(\.post\d+)?", version):
            newest[tuple(int(part) for part in (version.split(".post")[0].split(".") + ["0"] * parts)[:parts])] = (
                version
            )
    return [newest[minor] for minor in sorted(newest)][-limit:]


def unpacked(uv: str, package: str, version: str, into: Path) -> bool:
    """Whether a wheel of this release could be unpacked, for any Python."""
    for python in PYTHONS:
        done = subprocess.run(
            [uv, "pip", "install", "-q", "--no-cache", "--no-deps", "--only-binary", ":all:", "--target", str(into),
             "--python-platform", "x86_64-manylinux_2_28", "--python-version", python, f"{package}=={version}"],
            capture_output=True, check=False,
        )  # fmt: skip
        if done.returncode == 0:
            return True
    return False


class Reader:
    """The public names of the modules below one folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._known: dict[str, set[str] | None] = {}

    def modules(self) -> list[str]:
        """All modules and packages, and the extension modules."""
        found = set()
        for path in self.root.rglob("*"):
            if path.suffix in (".py", ".pyi", ".so") and ".dist-info" not in str(path) and ".data" not in str(path):
                parts = list(path.relative_to(self.root).parts)
                parts[-1] = parts[-1].partition(".")[0]
                if parts[-1] == "__init__":
                    parts.pop()
                if parts and all(part.isidentifier() for part in parts):
                    found.add(".".join(parts))
                    if parts[1:2] == [FRONT] and len(parts) > 2:
                        found.add(".".join((parts[0], *parts[2:])))
        return sorted(found)

    def names(self, module: str) -> set[str]:
        """What ``from module import ...`` gives, but for what it took from other distributions."""
        if module in self._known:
            return self._known[module] or set()
        self._known[module] = None  # a circle of star imports ends here
        path = self._file(module)
        names: set[str] = set()
        if path is not None:
            try:
                tree = ast.parse(path.read_text(encoding="utf-8", errors="replace"))
            except (SyntaxError, ValueError):
                tree = ast.Module(body=[], type_ignores=[])
            is_package = path.name.startswith("__init__.")
            self._walk(tree.body, module, is_package, names)
            if is_package:
                names |= {
                    child.partition(".")[0] for child in (p.stem for p in path.parent.iterdir()) if child.isidentifier()
                }
        self._known[module] = names
        return names

    def _file(self, module: str) -> Path | None:
        first, *rest = module.split(".")
        bases = (self.root.joinpath(first, *rest), self.root.joinpath(first, FRONT, *rest))
        return next(
            (
                path
                for base in bases
                for path in (base / "__init__.py", base.with_name(base.name + ".py"), base / "__init__.pyi")
                if path.is_file()
            ),
            None,
        )

    def _walk(  # noqa: C901 - one branch per kind of statement
        self, body: list[ast.stmt], module: str, is_package: bool, names: set[str]
    ) -> None:
        for node in body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                names.add(node.name)
            elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                for target in targets:
                    names |= {part.id for part in ast.walk(target) if isinstance(part, ast.Name)}
                    if _is_lazy(target) and node.value is not None:
                        names |= _strings(node.value)
            elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
                text = ast.unparse(node.value.func)
                if "_import_structure" in text or text.endswith(("__all__.extend", "__all__.append")):
                    for argument in node.value.args:
                        names |= _strings(argument)
            elif isinstance(node, ast.ImportFrom):
                self._imported(node, module, is_package, names)
            elif isinstance(node, ast.Import):
                own = module.partition(".")[0]
                names |= {a.asname for a in node.names if a.asname and a.name.partition(".")[0] == own}
            elif isinstance(node, ast.If | ast.Try | ast.With | ast.For | ast.While):
                for part in ("body", "orelse", "finalbody"):
                    self._walk(getattr(node, part, []), module, is_package, names)
                for handler in getattr(node, "handlers", []):
                    self._walk(handler.body, module, is_package, names)

    def _imported(self, node: ast.ImportFrom, module: str, is_package: bool, names: set[str]) -> None:
        base = module.split(".")
        if node.level:
            base = base[: len(base) - node.level + (1 if is_package else 0)]
            origin = ".".join([*base, *([node.module] if node.module else [])])
        else:
            origin = node.module or ""
        if origin.partition(".")[0] != module.partition(".")[0]:
            return
        for alias in node.names:
            if alias.name == "*":
                names |= {name for name in self.names(origin) if not name.startswith("_")}
            else:
                names.add(alias.asname or alias.name)


def _is_lazy(target: ast.expr) -> bool:
    text = ast.unparse(target)
    return text.startswith(
        ("_import_structure", "_SUBMOD_ATTRS", "__all__", "_lazy", "_extra_objects", "_dynamic_imports", "_objects")
    )


def _strings(value: ast.expr) -> set[str]:
    """Every name among the strings of a table of lazily imported names."""
    texts = (node.value for node in ast.walk(value) if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return {text.rpartition(".")[2] for text in texts if text.rpartition(".")[2].isidentifier()}


def compared(uv: str, package: str, extra: list[str], limit: int, parts: int) -> dict[str, object]:
    """All releases of a package: (version, module -> names)."""
    found: list[tuple[str, dict[str, list[str]]]] = []
    for version in releases(package, limit, parts):
        folder = Path(tempfile.mkdtemp())
        try:
            if not unpacked(uv, package, version, folder):
                print(package, version, "no wheel", flush=True)
                continue
            reader = Reader(folder)
            wanted = [m for m in reader.modules() if (m.count(".") < DEPTH and not SKIPPED.search(m)) or m in extra]
            found.append(
                (
                    version,
                    {m: sorted(n for n in reader.names(m) if not n.startswith("_") or n == "_six") for m in wanted},
                )
            )
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    return {"package": package, "releases": found}


def main() -> None:
    """Compare what was asked for."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--uv", required=True)
    arguments.add_argument("--into", type=Path, required=True)
    arguments.add_argument("--limit", type=int, default=16)
    arguments.add_argument("--parts", type=int, default=2, help="of a version: 3 reads each patch release")
    arguments.add_argument("packages", nargs="+", metavar="PACKAGE[:MODULE,...]")
    given = arguments.parse_args()
    for wish in given.packages:
        package, _, modules = wish.partition(":")
        target = given.into / f"{package}.json"
        if target.exists():
            continue
        target.write_text(
            json.dumps(compared(given.uv, package, modules.split(",") if modules else [], given.limit, given.parts))
        )
        print("done", package, flush=True)


if __name__ == "__main__":
    main()

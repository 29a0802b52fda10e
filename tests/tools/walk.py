"""Through which modules a value passes, in order, while a command runs: what a newcomer would have to read.

    python tests/tools/walk.py CHECKOUT TYPE ARGUMENT...

runs `naosu ARGUMENT...` with the packages of CHECKOUT and follows every value of TYPE (the name of a class: Facts,
Request, Case): each call from one module into another that hands such a value on is a move. Printed: the modules in the
order of their first visit, each with its floor (the longest chain of imports below it), the number of moves, and how
many of them climb to a module of a higher floor than the caller's. For example

    python tests/tools/walk.py . Facts show tests/cases/blackwell-on-r535.json --quiet --json /dev/null
    python tests/tools/walk.py . Facts diagnose ticket.txt --quiet --json /dev/null
"""

from __future__ import annotations

import ast
import functools
import sys
from pathlib import Path
from types import FrameType

PACKAGES = ("checks", "wizard")


def imports_of(checkout: Path) -> dict[str, set[str]]:
    """Module -> the modules of the checkout that it imports, late imports and relative ones included."""
    files = {_dotted(path.relative_to(checkout)): path for name in PACKAGES for path in (checkout / name).rglob("*.py")}
    return {module: _imported(module, path, files.keys()) for module, path in files.items()}


def _dotted(path: Path) -> str:
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


def _imported(module: str, path: Path, known: object) -> set[str]:
    found: set[str] = set()
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            found.update({base, *(f"{base}.{alias.name}" for alias in node.names)})
    return {name for name in found if name in known and name != module}  # type: ignore[operator]


def floors(imports: dict[str, set[str]]) -> dict[str, int]:
    """Module -> its floor; modules that import each other in a circle share one."""
    reach = {module: _reachable(module, imports) for module in imports}

    @functools.cache
    def floor(module: str) -> int:
        circle = {other for other in reach[module] if module in reach[other]} | {module}
        below = {other for member in circle for other in imports[member]} - circle
        return 1 + max((floor(other) for other in below), default=0)

    return {module: floor(module) for module in imports}


def _reachable(module: str, imports: dict[str, set[str]]) -> set[str]:
    seen: set[str] = set()
    waiting = [module]
    while waiting:
        for other in imports[waiting.pop()] - seen:
            seen.add(other)
            waiting.append(other)
    return seen


def followed(checkout: Path, kind: str, arguments: list[str]) -> list[tuple[str, str]]:
    """(from, to) of each call between two modules that hands on a value of that type."""
    sys.path.insert(0, str(checkout))
    sys.setrecursionlimit(10_000)
    moves: list[tuple[str, str]] = []

    def profile(frame: FrameType, event: str, _: object) -> None:
        if event != "call" or frame.f_back is None:
            return
        here, there = frame.f_globals.get("__name__", ""), frame.f_back.f_globals.get("__name__", "")
        if here == there or not here.startswith(PACKAGES) or not there.startswith(PACKAGES):
            return
        names = frame.f_code.co_varnames[: frame.f_code.co_argcount + frame.f_code.co_kwonlyargcount]
        if any(type(frame.f_locals.get(name)).__name__ == kind for name in names):
            moves.append((there, here))

    from wizard.__main__ import main

    sys.setprofile(profile)
    try:
        main(arguments)
    finally:
        sys.setprofile(None)
    return moves


def main() -> None:
    """Follow and print."""
    checkout, kind, *arguments = sys.argv[1:]
    root = Path(checkout).resolve()
    moves = followed(root, kind, arguments)
    floor = floors(imports_of(root))
    edges = list(dict.fromkeys(moves))
    visited = dict.fromkeys(module for edge in edges for module in edge)
    for module in visited:
        print(f"{floor.get(module, 0):3d}  {module}")
    climbs = [edge for edge in edges if floor.get(edge[1], 0) > floor.get(edge[0], 0)]
    for here, there in climbs:
        print(f"climbs: {here} -> {there}")
    print(f"{kind}: {len(visited)} modules, {len(edges)} different moves, {len(climbs)} of them climb")


if __name__ == "__main__":
    main()

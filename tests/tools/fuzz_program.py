"""Feed the rewriter of exported programs (.pt2) with mutated ones: nothing but its own exceptions may come out of it.

    python -m venv /tmp/fuzz && /tmp/fuzz/bin/pip install -e . atheris torch==2.13.0
    /tmp/fuzz/bin/python tests/tools/fuzz_program.py -runs=100000

The first byte of an input chooses what is mutated: a member of the archive, whose bytes follow; or the graph, in which
the bytes that follow choose places and what is put there. What passes is looked through: nothing of what was put there
as code may stand in the new archive but as a literal. The rest is as in tests/tools/fuzz_models.py.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import os
import sys
import tempfile
import types
import zipfile
from pathlib import Path
from typing import Any

import atheris
import torch

from checks.knowledge.formats.model_safety import ModelSafety

exported_program = importlib.import_module("checks.probes.export.program")
for function in vars(exported_program).values():  # the host's own way to load it is none that Atheris hooks into
    if isinstance(function, types.FunctionType):
        atheris.instrument_func(function)

LIMITS = ("-timeout=60", "-rss_limit_mb=2048", "-max_len=65536", "-print_final_stats=1", "-close_fd_mask=0")
SAFETY = ModelSafety.read().for_export()
CODE = "__import__('os').mkdir('MARK')"
LITERALS = ("as_string", "as_strings")  # what an operator is given is written as a literal
OF_WEIGHTS = ("parameter_name", "buffer_name", "tensor_constant_name", "fqn")  # they have dots
PUT = (
    CODE,
    "x=" + CODE,
    "y\n" + CODE + "\n",
    "torch.ops.aten." + CODE,
    "torch.serialization.os.system",
    "Symbol(" + CODE + ")",
    "9**9**9**9",
    "(" * 4000,
    "-" * 4900 + "1",
    "é" * 600,
    "",
    "as_expr",
    None,
    True,
    -1,
    1 << 70,
    1e308,
    [],
    {},
    [[CODE]],
    {CODE: CODE},
    {"as_expr": {"expr_str": CODE, "hint": None}},
    {"as_operator": CODE},
    '[1, {"type": "builtins.dict", "context": "[\\"' + CODE.replace("'", '\\\\\\"') + '\\"]", "children_spec": []}]',
)


class Small(torch.nn.Module):
    """A bit of everything that a file has: weights, a constant, a free axis, keywords, two outputs, a number."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(4, 3)
        self.register_buffer("offset", torch.ones(3), persistent=False)

    def forward(self, x: torch.Tensor, *, y: torch.Tensor) -> dict[str, torch.Tensor]:
        z = self.linear(x) + self.offset * y
        return {"flat": z.view(z.shape[0] * 3), "top": torch.nn.functional.gelu(z, approximate="tanh")}


def members() -> dict[str, bytes]:
    """The members of a real file."""
    made = io.BytesIO()
    free = {"x": {0: torch.export.Dim.AUTO}, "y": None}
    program = torch.export.export(Small().eval(), (torch.rand(2, 4),), {"y": torch.rand(3)}, dynamic_shapes=free)
    torch.export.save(program, made)
    with zipfile.ZipFile(made) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def places_of(told: Any) -> list[tuple[Any, Any]]:
    """Every place of a JSON: (the list or dict that holds it, its key)."""
    found = []
    waiting = [told]
    while waiting:
        each = waiting.pop()
        keys = range(len(each)) if isinstance(each, list) else list(each) if isinstance(each, dict) else ()
        found += [(each, key) for key in keys]
        waiting += [each[key] for key in keys]
    return found


def mutated(content: bytes, data: bytes) -> bytes:
    """The graph with something else at some of its places, or at their keys."""
    told = json.loads(content)
    choices = atheris.FuzzedDataProvider(data)
    for _ in range(choices.ConsumeIntInRange(1, 4)):
        places = places_of(told)
        if not places:
            break
        holder, key = places[choices.ConsumeIntInRange(0, len(places) - 1)]
        value = PUT[choices.ConsumeIntInRange(0, len(PUT) - 1)]
        if choices.ConsumeBool():
            value = choices.ConsumeUnicodeNoSurrogates(200)
        if isinstance(holder, dict) and choices.ConsumeBool():
            holder[str(value)[:300]] = holder.pop(key)
        else:
            holder[key] = value
    return json.dumps(told).encode()


def texts(told: Any, key: str = "") -> list[str]:
    """Every text and every key of a JSON, but for literals and the names of weights."""
    if isinstance(told, dict):
        return [text for name, each in told.items() for text in (name, *texts(each, name))]
    if isinstance(told, list):
        return [text for each in told for text in texts(each, key)]
    return [told] if isinstance(told, str) and key not in (*LITERALS, *OF_WEIGHTS) else []


def main() -> None:
    """Fuzz it."""
    real = members()
    names = sorted(real)
    graph = next(name for name in names if name.endswith("models/model.json"))
    folder = Path(tempfile.mkdtemp())
    path, plain = str(folder / "fuzzed.pt2"), str(folder / "plain.pt2")
    os.chdir(folder)

    def one(data: bytes) -> None:
        choice = data[0] % (len(names) * 2 + 1) if data else 0
        if choice == 0:
            Path(path).write_bytes(data[1:])
        else:
            changed = graph if choice > len(names) else names[choice - 1]
            content = mutated(real[graph], data[1:]) if choice > len(names) else data[1:]
            with zipfile.ZipFile(path, "w") as archive:
                for name in names:
                    archive.writestr(name, content if name == changed else real[name])
        with contextlib.suppress(exported_program.NotPlain, exported_program.NoProgram):
            exported_program.rewrite(path, plain, SAFETY)
            with zipfile.ZipFile(plain) as archive:
                told = json.loads(archive.read("plain/models/model.json"))
            bad = [text for text in texts(told) if any(word in text for word in ("__import__", "MARK", "os."))]
            if bad or Path("MARK").exists():
                raise RuntimeError(f"it lets code pass: {bad}")

    def unwanted(event: str, _: tuple[Any, ...]) -> None:
        """Nothing that the rewriter reads may start a program."""
        if event in ("os.system", "subprocess.Popen", "os.mkdir", "os.exec", "os.posix_spawn", "os.fork"):
            raise RuntimeError(event)

    corpus = folder / "corpus"
    corpus.mkdir()
    for number, name in enumerate(names):
        (corpus / str(number)).write_bytes(bytes([number + 1]) + real[name])
    (corpus / "graph").write_bytes(bytes([len(names) + 1]) + bytes(range(64)))
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, real[name])
    exported_program.rewrite(path, plain, SAFETY)  # the real one passes
    (corpus / "whole").write_bytes(b"\0" + Path(path).read_bytes())
    sys.addaudithook(unwanted)
    atheris.Setup([sys.argv[0], *LIMITS, *sys.argv[1:], str(corpus)], one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()

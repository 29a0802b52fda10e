"""Where a run draws random numbers that its result depends on."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from checks.analysis.scripts.values import value_of
from checks.knowledge.scripts.generators import Generator, drawn_by
from checks.readers.scripts.runs import Run, Step

# Splits of data: a rule of their own names them at their line (shuffle-unseeded).
SPLITTERS = frozenset(
    {"torch.utils.data.random_split", "sklearn.model_selection.train_test_split", "sklearn.utils.shuffle"}
)
_PIPELINE = re.compile(r"diffusers\.\w*Pipeline\w*\.(?:from_pretrained|from_single_file)\(\)")

_TENSOR_DRAWS = frozenset({"uniform_", "normal_", "random_", "exponential_", "bernoulli_", "log_normal_", "cauchy_"})
OWN_GENERATORS = {"random.Random": "python", "numpy.random.default_rng": "numpy", "numpy.random.RandomState": "numpy"}
_ALONE = re.compile(r"dummy|example|sample_?input|fake|warm_?up|test_?input|mock|trace|placeholder", re.IGNORECASE)
_ONLY_SHAPES = re.compile(
    r"torch\.onnx\.export|torch\.jit\.trace|torch\.export\.export|torchsummary\.summary|torchinfo\.summary"
    r"|thop\.profile|fvcore\.nn\..*|tf2onnx\..*|torch\.onnx\..*|ptflops\..*|torchviz\..*"
)
_TRAINS = (".backward", ".fit", ".train_on_batch", ".fit_generator", ".step", ".minimize", ".apply_gradients")
_LOADS = ("load_state_dict", "from_pretrained", "load_weights", "load_model", "load_from_checkpoint", "restore")
OPTIMISER = re.compile(r"torch\.optim\.(?!lr_scheduler)\w+$")
_SEEDER_NAME = re.compile(r"(?:^|[._:])\w*seed\w*$|(?:^|[._:])\w*determinis\w*$|reproducib\w*$", re.IGNORECASE)
_NO_SEEDERS = ("argparse.", "os.", "builtins.", "numpy.random.SeedSequence", "jax.", "secrets.", "time.", "logging.")


@dataclass(frozen=True)
class Draw:
    """A call by which a run draws. ``is_drawn_here``: by the call itself, not later by what it makes."""

    step: Step
    generator: str
    is_drawn_here: bool = True


def draws_of(run: Run) -> tuple[Draw, ...]:
    """The draws of a run in their order."""
    return _draws_of(run)


@lru_cache(maxsize=8)
def _draws_of(run: Run) -> tuple[Draw, ...]:
    if _is_benchmark(run):
        return ()
    weights_matter = _trains(run) or not _loads(run)
    return tuple(draw for step in run.steps for draw in _drawn(step, weights_matter))


def is_seeder_by_name(step: Step) -> bool:
    """Whether what is called may seed, by its name alone: of a package that is not known, or of an unknown object."""
    meaning = step.meaning
    if meaning.startswith("@") or meaning.startswith(_NO_SEEDERS):
        return False
    if not meaning and isinstance(step.call.func, ast.Name):
        return bool(_SEEDER_NAME.search(step.call.func.id))
    if meaning.startswith("?.") or "()" in meaning:
        name = meaning.rpartition(".")[2].lower()
        return "seed" in name and name not in ("seed", "manual_seed", "get_seed", "initial_seed", "seed_sequence")
    return bool(_SEEDER_NAME.search(meaning)) and not meaning.endswith((".initial_seed", ".get_seed", ".deterministic"))


def _drawn(step: Step, weights_matter: bool) -> Iterator[Draw]:
    meaning = step.meaning
    if _is_for_a_seed(step):
        return
    if meaning in OWN_GENERATORS:
        if not step.call.args and not step.call.keywords:
            yield Draw(step, OWN_GENERATORS[meaning])
        return
    if meaning == "torch.utils.data.DataLoader":
        if _is_true(step, "shuffle", 2) and step.argument("generator") is None and not step.is_open:
            yield Draw(step, "torch", is_drawn_here=False)
        return
    if _samples(step):
        yield Draw(step, "torch")
        return
    name = meaning.rpartition(".")[2]
    if name in _TENSOR_DRAWS and (meaning.startswith("?.") or "torch." in meaning) and _is_tensor_call(step):
        yield Draw(step, "torch")
        return
    found = drawn_by(meaning)
    if found is None or _brings_its_own(step, found[0]) or _is_unused(step, meaning) or _keeps_order(step):
        return
    generator, is_initial = found
    if is_initial and (not weights_matter or _is_pretrained(step, meaning)):
        return
    later = ".Random" in meaning or "Dropout" in meaning or "Sampler" in meaning
    later = later or (meaning.startswith("sklearn.") and meaning not in SPLITTERS)
    yield Draw(step, generator.id, is_drawn_here=not later)


def _samples(step: Step) -> bool:
    """Whether a language model draws its next words, or a diffusion model its first noise, from PyTorch's generator."""
    if _PIPELINE.fullmatch(step.meaning):
        return not step.is_open and step.argument("generator") is None and step.argument("latents") is None
    is_config = step.meaning.endswith("Config")  # it only describes what another call does
    return _is_true(step, "do_sample") and not is_config and step.argument("generator") is None


def _keeps_order(step: Step) -> bool:
    given = step.argument("shuffle")
    return step.meaning in SPLITTERS and given is not None and value_of(given, step.module, step.scope) is False


def _is_for_a_seed(step: Step) -> bool:
    """Whether what is drawn becomes a seed: of that the rule about seeds from clocks speaks."""
    for around in step.module.walk.around(step.call):
        if isinstance(around, ast.keyword) and "seed" in (around.arg or ""):
            return True
        if isinstance(around, ast.Assign | ast.AnnAssign):
            targets = around.targets if isinstance(around, ast.Assign) else [around.target]
            return any("seed" in ast.unparse(target).lower() for target in targets)
        if isinstance(around, ast.Call) and "seed" in ast.unparse(around).lower() and around.args[:1] == [step.call]:
            return True
        if isinstance(around, ast.stmt):
            break
    return False


def _brings_its_own(step: Step, generator: Generator) -> bool:
    for name in generator.unless:
        given = step.argument(name)
        if given is not None and value_of(given, step.module, step.scope) is not None:
            return True
    return step.is_open and step.meaning.startswith("sklearn.")


def _is_true(step: Step, name: str, index: int | None = None) -> bool:
    given = step.argument(name, index)
    return given is not None and value_of(given, step.module, step.scope) is True


def _is_tensor_call(step: Step) -> bool:
    """Whether a method of an unknown object is one of a tensor: the program uses PyTorch, and it stands alone."""
    has_torch = any("torch" in alias.name.split(".")[:1] for node in _imports(step) for alias in node.names) or any(
        (getattr(node, "module", None) or "").partition(".")[0] == "torch" for node in _imports(step)
    )
    return has_torch and step.argument("generator") is None


def _imports(step: Step) -> list[ast.Import | ast.ImportFrom]:
    return [node for scope in step.module.walk.scopes.values() for node in scope.imports]


def _is_pretrained(step: Step, meaning: str) -> bool:
    """Whether a model of a library comes with its weights."""
    if not meaning.startswith("torchvision.models."):
        return False
    if not meaning.rpartition(".")[2].islower() or meaning.rpartition(".")[2][:1] == "_":
        return not meaning.rpartition(".")[2].islower()
    given = step.argument("weights") or step.argument("pretrained", 0)
    return step.is_open or (given is not None and value_of(given, step.module, step.scope) not in (None, False))


def _is_unused(step: Step, meaning: str) -> bool:
    """Whether what is drawn only gives a shape to something: the input of an export, a trace or a summary."""
    if not meaning.startswith(("torch.rand", "numpy.random.rand", "tensorflow.random", "numpy.random.uniform")):
        return False
    walk = step.module.walk
    for around in walk.around(step.call):
        if isinstance(around, ast.Call) and _ONLY_SHAPES.fullmatch(step.module.names.called(around, step.scope)):
            return True
        if isinstance(around, ast.Assign):
            names = [target.id for target in around.targets if isinstance(target, ast.Name)]
            return any(_ALONE.search(name) or _goes_only_to_shapes(step, name) for name in names)
        if isinstance(around, ast.stmt):
            return False
    return False


def _goes_only_to_shapes(step: Step, name: str) -> bool:
    """Whether every use of a variable is the argument of a call that looks at its shape."""
    walk = step.module.walk
    loads = [load for load in step.scope.loads if isinstance(load, ast.Name) and load.id == name]
    if not loads:
        return False
    for load in loads:
        calls = [each for each in walk.around(load) if isinstance(each, ast.Call)]
        if not any(_ONLY_SHAPES.fullmatch(step.module.names.called(call, step.scope)) for call in calls):
            return False
    return True


def _is_benchmark(run: Run) -> bool:
    """Whether a program measures times: its inputs are drawn, and its result is none that has to come again."""
    return any(step.meaning.startswith(("torch.utils.benchmark.", "timeit.")) for step in run.steps)


def _trains(run: Run) -> bool:
    return any(
        step.meaning.endswith(_TRAINS) or "Trainer" in step.meaning or OPTIMISER.match(step.meaning)
        for step in run.steps
    )


def _loads(run: Run) -> bool:
    return any(step.meaning.endswith(_LOADS) for step in run.steps)

"""The table of names against PyTorch's own list, and against what scanners are known to miss."""

import importlib
import pickle
import sys
import warnings

import pytest
from support.extent import ALL
from torch import _weights_only_unpickler as theirs

from checks.knowledge.formats.pickle_globals import (
    PickleGlobalsTable,
    is_taken_by_weights_only,
    risk,
    weights_only_opcodes,
    what_it_does,
)
from checks.knowledge.packages.import_packages import distributions_of, is_own_code, is_standard


def test_weights_only_takes_what_torch_takes() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        names = theirs._get_allowed_globals()
    assert [name for name in names if not is_taken_by_weights_only(*name.rsplit(".", 1))] == []
    assert [name for name in names if risk(*name.rsplit(".", 1)) != "known"] == []


def test_opcodes_are_those_that_torch_imports() -> None:
    known = {getattr(pickle, name) for name in vars(theirs) if name.isupper() and hasattr(pickle, name)}
    assert weights_only_opcodes() == {each[0] for each in known if isinstance(each, bytes) and len(each) == 1}


@pytest.mark.parametrize(
    ("module", "name", "deed"),
    [
        ("os", "system", "commands"),
        ("posix", "system", "commands"),
        ("subprocess", "Popen", "commands"),
        ("builtins", "eval", "code"),
        ("builtins", "__import__", "import"),
        ("builtins", "getattr", "attributes"),
        ("importlib", "import_module", "import"),
        ("runpy", "_run_code", "code"),
        ("numpy.testing._private.utils", "runstring", "code"),
        ("torch.utils.collect_env", "run", "commands"),
        ("torch.serialization", "load", "unpickle"),
        ("torch._utils", "os.system", "commands"),
        ("collections", "OrderedDict.__globals__", "attributes"),
        ("json", "decoder.__builtins__", "attributes"),
        ("numpy", "__builtins__", "attributes"),
        ("multiprocessing.util", "spawnv_passfds", "commands"),
        ("pathlib", "PosixPath.write_text", "files"),
        ("cloudpickle.cloudpickle", "_make_function", "holds-code"),
        ("pip._internal.cli.main", "main", "commands"),
        ("torch.fx.graph_module", "_exec_with_source", "code"),
        ("torch.fx.graph_module", "_forward_from_src", "code"),
        ("torch.fx.graph_module", "reduce_graph_module", "code"),
        ("psutil", "Popen", "commands"),
        ("mailcap", "findmatch", "commands"),
        ("yaml", "unsafe_load", "code"),
        ("cloudpickle.cloudpickle", "subimport", "import"),
        ("dill", "loads", "code"),
        ("threading", "Thread", "commands"),
        ("copyreg", "_extension_cache", "import"),
        ("gzip", "open", "files"),
        ("torch", "UntypedStorage.from_file", "files"),
        ("nt", "system", "commands"),
    ],
)
def test_dangerous(module: str, name: str, deed: str) -> None:
    assert (what_it_does(module, name), risk(module, name)) == (deed, "dangerous")


@pytest.mark.parametrize(
    ("module", "name", "expected"),
    [
        ("collections", "OrderedDict", "known"),
        ("torch.nn.modules.conv", "Conv2d", "known"),
        ("sklearn.linear_model._logistic", "LogisticRegression", "known"),
        ("numpy.core.multiarray", "_reconstruct", "known"),
        ("torch.nn.modules.conv", "Conv2d.forward", "unknown"),
        ("torch.nn.utils.prune", "custom_from_mask", "unknown"),
        ("models.yolo", "Model", "unknown"),
        ("osmnx", "Graph", "unknown"),
        ("my.os", "system", "unknown"),
        ("", "", "unknown"),
    ],
)
def test_others(module: str, name: str, expected: str) -> None:
    assert risk(module, name) == expected


def test_no_name_is_both_known_and_dangerous() -> None:
    table = PickleGlobalsTable.read()
    both = [name for row in table.known for name in row.names if what_it_does(*name.rpartition(".")[::2])]
    assert both == []


def test_nothing_dangerous_is_at_hand_among_the_classes_that_are_known() -> None:
    """A module whose classes are all known has others, too, which it imports."""
    for module in (
        "sklearn.ensemble",
        "scipy.special._testutils",
        *(("scipy.stats", "torch.ao.quantization.quantize_fx") if ALL else ("torch",)),
    ):
        importlib.import_module(module)
    aliases = []
    for module, content in list(sys.modules.items()):
        for name, found in list(vars(content).items()):
            if risk(module, name) != "known":
                continue
            home = getattr(found, "__module__", None)
            if isinstance(home, str):
                path = f"{home}.{getattr(found, '__qualname__', name)}"
                if what_it_does(*path.rpartition(".")[::2]):
                    aliases.append((f"{module}.{name}", path))
    assert aliases == []


def test_classes_that_are_known_are_so_with_their_maker() -> None:
    assert risk("torch.nn.modules.conv", "Conv2d.__new__") == "known"
    assert risk("sklearn.metrics._regression", "r2_score") == "known"
    assert risk("sklearn.metrics._regression", "r2_score", is_called=True) == "unknown"


def test_modules_and_what_brings_them() -> None:
    assert distributions_of("sklearn.svm")[0] == "scikit-learn"
    assert distributions_of("flash_attn.layers") == ("flash-attn",)
    assert distributions_of("__main__") == distributions_of("collections") == ()
    assert is_own_code("models.yolo")
    assert is_standard("copy_reg")

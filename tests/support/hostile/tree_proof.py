"""Shows that hostile models run what they say: each is loaded as its program does, in a process of its own.

    python -m support.hostile.tree_proof FOLDER < list of {"id", "file", "loader"} as JSON

Where the program itself is large (NeMo, TorchServe, MLflow, pyannote), what it does with the file is written out here,
with where it stands. hydra-core from 1.3.3 on refuses to call what starts programs; 1.3.2 does not.
"""

from __future__ import annotations

import ast
import base64
import contextlib
import importlib
import json
import pickle
import runpy
import struct
import sys
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from support.hostile import proof


def _settings(path: Path) -> Any:
    """What the settings of a model say, as the programs read them."""
    if path.suffix == ".json":
        return json.loads(path.read_text())
    import yaml

    return yaml.safe_load(path.read_text())


def _named(dotted: str) -> Any:
    """get_obj_from_str, as ldm/util.py, pyannote and class_path have it."""
    module, _, name = dotted.rpartition(".")
    return getattr(importlib.import_module(module), name)


def _unpacked(path: Path) -> Path:
    """An archive in a folder beside it; a folder as it is."""
    if path.is_dir():
        return path
    folder = Path(f"{path.name}-unpacked")
    if zipfile.is_zipfile(path):
        zipfile.ZipFile(path).extractall(folder)
    else:
        with tarfile.open(path) as archive:
            archive.extractall(folder, filter="data")
    return folder


def _only(folder: Path, *patterns: str) -> Path:
    return next(path for pattern in patterns for path in sorted(folder.rglob(pattern)))


def _hydra(path: Path) -> None:
    """hydra.utils.instantiate, as restore_from of NeMo (nemo/core/classes/common.py) calls it."""
    import hydra
    from omegaconf import OmegaConf

    folder = _unpacked(path)
    for found in (*folder.rglob("*.yaml"), *folder.rglob("*.yml"), *folder.rglob("*.json")):
        config = OmegaConf.create(_settings(found))
        hydra.utils.instantiate(config)


def _metadata(path: Path) -> None:
    import hydra

    data = (path / "model.safetensors").read_bytes()
    header = json.loads(data[8 : 8 + struct.unpack("<Q", data[:8])[0]])
    hydra.utils.instantiate(ast.literal_eval(header["__metadata__"]["config"]))


def _own(load: Callable[[Path], None]) -> Callable[[Path], None]:
    """With the program on the machine that the file names."""

    def with_program(path: Path) -> None:
        Path("own_program.py").write_text("import os\ndef run(command='echo>ran'): os.system(command)\n")
        sys.path.insert(0, "")
        load(path)

    return with_program


def _yaml(path: Path) -> None:
    import yaml

    for found in path.glob("*.yaml"):
        list(yaml.unsafe_load_all(found.read_text()))


def _hyperpyyaml(path: Path) -> None:
    from hyperpyyaml import load_hyperpyyaml

    load_hyperpyyaml((path / "hyperparams.yaml").read_text())


def _ldm(path: Path) -> None:
    """instantiate_from_config of ldm/util.py."""
    model = _settings(_only(path, "*.yaml"))["model"]
    _named(model["target"])(**model.get("params", {}))


def _pyannote(path: Path) -> None:
    """Pipeline.from_pretrained of pyannote/audio/core/pipeline.py."""
    chosen = _settings(path / "config.yaml")["pipeline"]
    _named(chosen["name"])(**chosen.get("params", {}))


def _component(path: Path) -> None:
    """instantiate of torchtune/config/_instantiate.py."""
    model = dict(_settings(_only(path, "*.yaml"))["model"])
    _named(model.pop("_component_"))(**model)


def _class_path(path: Path) -> None:
    model = _settings(_only(path, "*.yaml"))["model"]
    _named(model["class_path"])(**model["init_args"])


def _fiddle(path: Path) -> None:
    """load_json of fiddle/_src/experimental/serialization.py, and fdl.build."""
    held = json.loads((path / "context" / "io.json").read_text())["objects"]["r"]
    made = getattr(importlib.import_module(held["type"]["module"]), held["type"]["name"])
    made(**{ast.literal_eval(key[10:-1]): value["value"] for key, value in held["items"]})


def _imports(path: Path) -> None:
    """get_class_in_module of transformers/dynamic_module_utils.py: the file that is named is run as a module."""
    runpy.run_path(str(_only(path, "modeling_own.py")))


def _runs(*patterns: str) -> Callable[[Path], None]:
    return lambda path: runpy.run_path(str(_only(_unpacked(path), *patterns))) and None


def _torchserve(path: Path) -> None:
    """TorchModelLoader.load of ts/model_loader.py."""
    archive = path if path.suffix == ".mar" else next(path.rglob("*.mar"), path)
    folder = _unpacked(archive)
    handler = json.loads((folder / "MAR-INF/MANIFEST.json").read_text())["model"]["handler"]
    sys.path.insert(0, str(folder))
    importlib.import_module(handler.partition(":")[0].removesuffix(".py"))


def _mlflow(path: Path) -> None:
    """load_model of mlflow/pyfunc/__init__.py."""
    flavor = _settings_of_yaml(path / "MLmodel")["flavors"]["python_function"]
    if "code" in flavor:
        sys.path.insert(0, str(path / flavor["code"]))
    if "model_code_path" in flavor:
        runpy.run_path(str(path / flavor["model_code_path"]))
        return
    importlib.import_module(flavor["loader_module"])


def _settings_of_yaml(path: Path) -> Any:
    import yaml

    return yaml.safe_load(path.read_text())


def _modules(path: Path) -> None:
    """import_from_string of sentence_transformers/util, and load of what it gives."""
    kind = json.loads((path / "modules.json").read_text())[0]["type"]
    sys.path.insert(0, str(path))
    found = _named(kind)
    if kind == "os.system":  # what is imported is called by nobody but load()
        found("echo>ran")


def _template(path: Path) -> None:
    """llama_cpp/llama_chat_format.py before 0.2.72: no sandbox."""
    import jinja2

    texts: list[str] = [found.read_text() for found in path.rglob("*.jinja")]
    for found in path.glob("*.json"):
        held = json.loads(found.read_text()).get("chat_template", "")
        texts += [held] if isinstance(held, str) else [each["template"] for each in held]
    for text in texts:
        jinja2.Environment().from_string(text).render(messages=[])


def _stable_baselines(path: Path) -> None:
    """json_to_data of stable_baselines3/common/save_util.py."""
    archive = path if path.is_file() else path / "agent.zip"
    held = json.loads(zipfile.ZipFile(archive).read("data"))
    for item in held.values():
        if isinstance(item, dict) and ":serialized:" in item:
            pickle.loads(base64.b64decode(item[":serialized:"]))


def _skops(path: Path) -> None:
    """FunctionNode of skops/io/_general.py, and transform of what holds it."""
    archive = path if path.is_file() else path / "model.skops"
    held = json.loads(zipfile.ZipFile(archive).read("schema.json"))["content"]["func"]["content"]
    getattr(importlib.import_module(held["module_path"]), held["function"])("echo>ran")


def _all_pickles(path: Path) -> None:
    """Whoever unpacks what is in a folder, and loads it."""
    for found in sorted(path.rglob("*")) if path.is_dir() else [path]:
        if found.is_file() and found.suffix != ".safetensors":
            with contextlib.suppress(Exception):  # what is no pickle
                proof._load_packed(found.resolve())


def _unpacked_nemo(path: Path) -> None:
    _hydra(_only(_unpacked(path), "*.nemo"))


def _keras_function(path: Path) -> None:
    """_retrieve_class_or_fn of keras/src/saving/serialization_lib.py before 3.9, and the call of the layer."""
    config = json.loads(zipfile.ZipFile(path).read("config.json"))["config"]["layers"][1]["config"]["function"]
    getattr(importlib.import_module(config["module"]), config["config"])("echo>ran")


def _keras_torch(path: Path) -> None:
    """from_config of keras/src/utils/torch_utils.py before 3.11.3."""
    held = json.loads(zipfile.ZipFile(path).read("config.json"))["config"]["layers"][1]["config"]["module"]
    pickle.loads(base64.b64decode(held["config"]["value"]))


def _diffusers_pipeline(path: Path) -> None:
    _imports(path)


proof._LOADERS.update(
    {
        "nemo": _hydra,
        "hydra": _hydra,
        "nemo-own": _own(_hydra),
        "safetensors-hydra": _metadata,
        "yaml": _yaml,
        "yaml-own": _own(_yaml),
        "hyperpyyaml": _hyperpyyaml,
        "ldm": _ldm,
        "pyannote": _pyannote,
        "torchtune": _component,
        "class-path": _class_path,
        "fiddle": _fiddle,
        "auto-map": _imports,
        "custom-pipeline": _imports,
        "diffusers": _imports,
        "diffusers-pipeline": _imports,
        "peft": _imports,
        "custom-generate": _runs("generate.py"),
        "handler": _runs("handler.py"),
        "modules": _modules,
        "modules-call": _modules,
        "template": _template,
        "torchserve": _torchserve,
        "mlflow": _mlflow,
        "triton": _runs("model.py"),
        "sagemaker": _runs("inference.py"),
        "stable-baselines3": _stable_baselines,
        "skops": _skops,
        "unpacked": _all_pickles,
        "unpacked-nemo": _unpacked_nemo,
        "keras-function": _keras_function,
        "keras-torch": _keras_torch,
    }
)

if __name__ == "__main__":
    proof.main()

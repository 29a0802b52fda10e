"""Models whose loader runs what a file beside the weights names: settings, code, archives; each a folder or an archive.

Each holds a harmless model, too, so that whoever looks at that one alone says that all is well.
"""

from __future__ import annotations

import base64
import gzip
import json
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from support.hostile.assembler import EVIL, MARK, PYTHON, SHELL
from support.hostile.model_files import _seven_zip, tarred, zipped

_HEADER = json.dumps({"w": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}).encode()
WEIGHTS = struct.pack("<Q", len(_HEADER)) + _HEADER + bytes(4)  # a harmless safetensors
CODE = f"open({MARK!r}, 'w')\n"
_NEMO = {"model_weights.ckpt": b"\x80\x02}q\x00."}


@dataclass(frozen=True)
class Tree:
    """Files by their names. ``loader``: how they are loaded, see tree_proof.py; ``packed``: an archive of them instead.

    ``said``: "named" (blocking, and first), "warned" (nobody knows what it runs) or "unread" (it was not looked into).
    """

    trick: str
    name: str
    files: Mapping[str, bytes]
    loader: str
    said: str = "named"
    needs: tuple[str, ...] = ()
    packed: str = ""  # the name of the archive: its ending says of which kind

    @property
    def id(self) -> str:
        """A name among all."""
        return f"{self.trick}: {self.name}"

    @property
    def content(self) -> bytes:
        """The archive."""
        members = tuple(self.files.items())
        if self.packed.endswith((".nemo", ".tar", ".tar.gz")):
            return tarred(*members, mode="w:gz" if "gz" in self.packed or self.name.startswith("packed") else "w")
        return zipped(*members)


def loaded_trees() -> Iterator[Tree]:
    """All of them."""
    for make in (
        *(_nemo, _hydra, _yaml_tags, _other_settings, _hugging_face, _templates, _servers, _packed_values),
        *(_archives, _keras, _beside_weights),
    ):
        yield from make()


def _with_weights(**files: bytes | str) -> dict[str, bytes]:
    plain = {name: each.encode() if isinstance(each, str) else each for name, each in files.items()}
    return {"model.safetensors": WEIGHTS, **plain}


def _beside(name: str, content: bytes | str, **others: bytes | str) -> dict[str, bytes]:
    return _with_weights(**{name: content}, **others)


# --- settings that name what is called -------------------------------------------------------------------------------


def _nemo() -> Iterator[Tree]:
    trick, needs = "NeMo's archives", ("hydra", "omegaconf")
    for label, config in (
        ("os.system", f"encoder:\n  _target_: os.system\n  command: {SHELL}\n"),
        ("the main target", f"_target_: os.system\ncommand: {SHELL}\n"),
        ("subprocess", f"a:\n  - _target_: subprocess.Popen\n    args: [/bin/sh, -c, '{SHELL}']\n"),
        ("arguments in a row", f'a: {{_target_: builtins.exec, _args_: ["{PYTHON}"]}}\n'),
        ("an escaped key", f'a:\n  "\\x5ftarget_": os.system\n  command: {SHELL}\n'),
        ("an alias", f"n: &n os.system\na:\n  _target_: *n\n  command: {SHELL}\n"),
        ("by way of another module", f"a:\n  _target_: omegaconf.omegaconf.os.system\n  command: {SHELL}\n"),
        ("packed with gzip", f"a:\n  _target_: os.system\n  command: {SHELL}\n"),
        ("JSON in YAML", json.dumps({"a": {"_target_": "os.system", "command": SHELL}})),
    ):
        files = {"model_config.yaml": config.encode(), **_NEMO}
        yield Tree(trick, label, files, "nemo", needs=needs, packed="model.nemo")
    config = f"t: os.system\na:\n  _target_: ${{t}}\n  command: {SHELL}\n"
    files = {"model_config.yaml": config.encode(), **_NEMO}
    yield Tree(trick, "an interpolation", files, "nemo", "warned", needs, "model.nemo")
    config = f"a:\n  _target_: own_program.run\n  command: {SHELL}\n"
    files = {"model_config.yaml": config.encode(), **_NEMO}
    yield Tree(trick, "a program that nobody knows", files, "nemo-own", "warned", needs, "model.nemo")
    files = {"./model_config.yaml": f"_target_: os.system\ncommand: {SHELL}\n".encode(), **_NEMO}
    yield Tree(trick, "names with a dot", files, "nemo", needs=needs, packed="model.nemo")


def _hydra() -> Iterator[Tree]:
    trick, needs = "hydra", ("hydra", "omegaconf")
    call = {"_target_": "os.system", "command": SHELL}
    yield Tree(
        trick, "YAML", _beside("config.yaml", f"a:\n  _target_: os.system\n  command: {SHELL}\n"), "hydra", needs=needs
    )
    yield Tree(
        trick,
        "yml, deep",
        _beside("conf/model/net.yml", f"a: {{b: [{{_target_: os.system, command: {SHELL}}}]}}\n"),
        "hydra",
        needs=needs,
    )
    yield Tree(trick, "JSON", _beside("config.json", json.dumps({"model": call})), "hydra", needs=needs)
    escaped = json.dumps({"model": call}).replace("_target_", "\\u005ftarget_")
    yield Tree(trick, "JSON, escaped", _beside("config.json", escaped), "hydra", needs=needs)
    yield Tree(
        trick, "JSON with NaN", _beside("config.json", json.dumps({"a": float("nan"), "m": call})), "hydra", needs=needs
    )
    header = json.dumps({"__metadata__": {"config": json.dumps(call)}, **json.loads(_HEADER)}).encode()
    held = struct.pack("<Q", len(header)) + header + bytes(4)
    yield Tree(trick, "in the metadata of safetensors", {"model.safetensors": held}, "safetensors-hydra", needs=needs)
    header = json.dumps({"__metadata__": {"config": repr(call)}, **json.loads(_HEADER)}).encode()
    held = struct.pack("<Q", len(header)) + header + bytes(4)
    yield Tree(trick, "in the metadata, as Python", {"model.safetensors": held}, "safetensors-hydra", needs=needs)


def _yaml_tags() -> Iterator[Tree]:
    trick, needs = "tags of YAML", ("yaml",)
    for label, text in (
        ("apply", f"a: !!python/object/apply:os.system ['{SHELL}']\n"),
        ("a list of arguments", f"a: !!python/object/apply:subprocess.Popen [[/bin/sh, -c, '{SHELL}']]\n"),
        ("with keywords", f"a: !!python/object/apply:os.system {{kwds: {{command: '{SHELL}'}}}}\n"),
        ("verbatim", f"a: !<tag:yaml.org,2002:python/object/apply:os.system> ['{SHELL}']\n"),
        ("by a handle", f"%TAG !e! tag:yaml.org,2002:python/\n---\na: !e!object/apply:os.system ['{SHELL}']\n"),
        ("escaped", f"a: !!python/object/appl%79:os.system ['{SHELL}']\n"),
        ("in the second document", f"a: 1\n---\na: !!python/object/apply:os.system ['{SHELL}']\n"),
        ("as a key", f"? !!python/object/apply:os.system ['{SHELL}']\n: 1\n"),
    ):
        yield Tree(trick, label, _beside("hparams.yaml", text), "yaml", needs=needs)
    yield Tree(
        trick,
        "a program that nobody knows",
        _beside("a.yaml", "a: !!python/object/apply:own_program.run []\n"),
        "yaml-own",
        "warned",
        needs,
    )
    needs = ("hyperpyyaml",)
    for label, text in (
        ("HyperPyYAML, apply", f"a: !apply:os.system\n    command: {SHELL}\n"),
        ("HyperPyYAML, new", f"a: !new:subprocess.Popen [[/bin/sh, -c, '{SHELL}']]\n"),
        ("HyperPyYAML, a list", f"a: !apply:os.system [{SHELL}]\n"),
    ):
        yield Tree(trick, label, _beside("hyperparams.yaml", text), "hyperpyyaml", needs=needs)


def _other_settings() -> Iterator[Tree]:
    trick = "settings that name what is called"
    target = f"model:\n  target: os.system\n  params: {{command: '{SHELL}'}}\n"
    yield Tree(trick, "target and params", _beside("v1-inference.yaml", target), "ldm", needs=("yaml",))
    pipeline = f"version: 3.1.0\npipeline:\n  name: os.system\n  params: {{command: '{SHELL}'}}\n"
    yield Tree(trick, "pyannote's pipeline", _beside("config.yaml", pipeline), "pyannote", needs=("yaml",))
    component = f"model:\n  _component_: os.system\n  command: {SHELL}\n"
    yield Tree(trick, "torchtune's component", _beside("recipe.yaml", component), "torchtune", needs=("yaml",))
    cli = f"model:\n  class_path: os.system\n  init_args: {{command: '{SHELL}'}}\n"
    yield Tree(trick, "class_path and init_args", _beside("config.yaml", cli), "class-path", needs=("yaml",))
    reference = {"type": "pyref", "module": "os", "name": "system"}
    held = {
        "objects": {"r": {"type": reference, "items": [["Attr(name='command')", {"type": "leaf", "value": SHELL}]]}}
    }
    yield Tree(trick, "fiddle", _beside("context/io.json", json.dumps(held)), "fiddle")


# --- Hugging Face ----------------------------------------------------------------------------------------------------


def _hugging_face() -> Iterator[Tree]:
    trick, own = "code of its own for Hugging Face", {"modeling_own.py": CODE + "class Own: pass\n"}
    config = {"architectures": ["Own"], "model_type": "own", "auto_map": {"AutoModel": "modeling_own.Own"}}
    yield Tree(trick, "auto_map", _beside("config.json", json.dumps(config), **own), "auto-map", "warned")
    held = {"auto_map": {"AutoTokenizer": ["modeling_own.Own", None]}}
    yield Tree(trick, "of a tokenizer", _beside("tokenizer_config.json", json.dumps(held), **own), "auto-map", "warned")
    held = {"auto_map": {"AutoProcessor": "modeling_own.Own"}}
    yield Tree(trick, "of a processor", _beside("processor_config.json", json.dumps(held), **own), "auto-map", "warned")
    held = {"auto_map": {"AutoImageProcessor": "modeling_own.Own"}}
    yield Tree(trick, "of images", _beside("preprocessor_config.json", json.dumps(held), **own), "auto-map", "warned")
    held = {"model_type": "bert", "custom_pipelines": {"own": {"impl": "modeling_own.Own"}}}
    yield Tree(trick, "a pipeline", _beside("config.json", json.dumps(held), **own), "custom-pipeline", "warned")
    files = _beside("custom_generate/generate.py", CODE + "def generate(model, **kwargs): pass\n")
    yield Tree(trick, "custom_generate", files, "custom-generate", "warned")
    files = _beside("handler.py", CODE + "class EndpointHandler:\n    def __init__(self, path=''): pass\n")
    yield Tree(trick, "an endpoint's handler", files, "handler", "warned")
    modules = [{"idx": 0, "name": "0", "path": "", "type": "modeling_own.Own"}]
    yield Tree(trick, "sentence-transformers", _beside("modules.json", json.dumps(modules), **own), "modules", "warned")
    modules = [{"idx": 0, "name": "0", "path": "", "type": "os.system"}]
    files = _beside("modules.json", json.dumps(modules))
    yield Tree(trick, "sentence-transformers, a program of the system", files, "modules-call")
    index = {"_class_name": "StableDiffusionPipeline", "_diffusers_version": "0.30.0", "unet": ["modeling_own", "Own"]}
    files = {"model_index.json": json.dumps(index).encode(), "unet/modeling_own.py": own["modeling_own.py"].encode()}
    yield Tree(trick, "a part for diffusers", _with_weights(**files), "diffusers", "warned")
    index = {"_class_name": ["modeling_own", "Own"], "_diffusers_version": "0.30.0"}
    yield Tree(
        trick,
        "a pipeline for diffusers",
        _beside("model_index.json", json.dumps(index), **own),
        "diffusers-pipeline",
        "warned",
    )
    adapter = {"peft_type": "LORA", "auto_mapping": {"base_model_class": "Own", "parent_library": "modeling_own"}}
    yield Tree(
        trick, "an adapter's library", _beside("adapter_config.json", json.dumps(adapter), **own), "peft", "warned"
    )


def _templates() -> Iterator[Tree]:
    trick, needs = "templates of chats", ("jinja2",)
    template = f"{{{{ cycler.__init__.__globals__.os.system({SHELL!r}) }}}}"
    yield Tree(trick, "a file", _beside("chat_template.jinja", template), "template", needs=needs)
    yield Tree(
        trick, "one of several", _beside("additional_chat_templates/rag.jinja", template), "template", needs=needs
    )
    yield Tree(
        trick, "JSON", _beside("chat_template.json", json.dumps({"chat_template": template})), "template", needs=needs
    )
    held = json.dumps({"tokenizer_class": "X", "chat_template": template})
    yield Tree(trick, "of the tokenizer", _beside("tokenizer_config.json", held), "template", needs=needs)
    held = json.dumps({"chat_template": [{"name": "default", "template": "x"}, {"name": "b", "template": template}]})
    yield Tree(trick, "of the tokenizer, several", _beside("tokenizer_config.json", held), "template", needs=needs)


# --- servers ---------------------------------------------------------------------------------------------------------


def _servers() -> Iterator[Tree]:
    trick = "code that a server loads"
    manifest = json.dumps({"model": {"modelName": "m", "handler": "handler.py", "serializedFile": "model.safetensors"}})
    files = _with_weights(
        **{"MAR-INF/MANIFEST.json": manifest, "handler.py": CODE + "def handle(data, context): pass\n"}
    )
    yield Tree(trick, "TorchServe", files, "torchserve", "warned", packed="model.mar")
    yield Tree(trick, "TorchServe, unpacked", files, "torchserve", "warned")
    yield Tree(
        trick, "TorchServe, in a folder", _beside("store/model.mar", zipped(*files.items())), "torchserve", "warned"
    )
    named = files | {"MAR-INF/MANIFEST.json": manifest.replace("handler.py", "handler:handle").encode()}
    yield Tree(trick, "TorchServe, a function", named, "torchserve", "warned", packed="model.mar")
    flavors = "flavors:\n  python_function:\n    loader_module: modeling_own\n    code: code\n"
    yield Tree(
        trick, "MLflow", _beside("MLmodel", flavors, **{"code/modeling_own.py": CODE}), "mlflow", "warned", ("yaml",)
    )
    flavors = "flavors:\n  python_function:\n    loader_module: mlflow.pyfunc.model\n    model_code_path: own.py\n"
    yield Tree(
        trick,
        "MLflow, models from code",
        _beside("MLmodel", flavors, **{"own.py": CODE}),
        "mlflow",
        "warned",
        ("yaml",),
    )
    flavors = "flavors:\n  python_function:\n    loader_module: mlflow.sklearn\n    code: code\n"
    yield Tree(
        trick,
        "MLflow, code on the path",
        _beside("MLmodel", flavors, **{"code/mlflow/sklearn.py": CODE}),
        "mlflow",
        "warned",
        ("yaml",),
    )
    triton = _with_weights(
        **{"config.pbtxt": 'name: "m"\nbackend: "python"\n', "1/model.py": CODE + "class TritonPythonModel: pass\n"}
    )
    yield Tree(trick, "Triton", triton, "triton", "warned")
    sagemaker = _beside("code/inference.py", CODE + "def model_fn(model_dir): pass\n")
    yield Tree(trick, "SageMaker", sagemaker, "sagemaker", "warned", packed="model.tar.gz")


# --- values within other values --------------------------------------------------------------------------------------


def _packed_values() -> Iterator[Tree]:
    trick = "pickles within JSON"
    data = json.dumps(
        {"policy_class": {":type:": "<class 'abc.ABCMeta'>", ":serialized:": base64.b64encode(EVIL).decode()}}
    )
    files = {"data": data.encode(), "policy.pth": WEIGHTS, "_stable_baselines3_version": b"2.3.0"}
    yield Tree(trick, "stable-baselines3", files, "stable-baselines3", packed="agent.zip")
    yield Tree(
        trick, "stable-baselines3, in a folder", _beside("agent.zip", zipped(*files.items())), "stable-baselines3"
    )
    own = {
        "__class__": "FunctionTransformer",
        "__module__": "sklearn.preprocessing._function_transformer",
        "__loader__": "ObjectNode",
    }
    func = {
        "__class__": "function",
        "__module__": "os",
        "__loader__": "FunctionNode",
        "content": {"module_path": "os", "function": "system"},
    }
    schema = json.dumps({**own, "content": {"func": func}, "protocol": 2, "_skops_version": "0.13"})
    yield Tree(trick, "skops", {"schema.json": schema.encode()}, "skops", packed="model.skops", needs=("yaml",))
    yield Tree(
        trick,
        "skops, in a folder",
        _beside("model.skops", zipped(("schema.json", schema.encode()))),
        "skops",
        needs=("yaml",),
    )


# --- archives --------------------------------------------------------------------------------------------------------


def _archives() -> Iterator[Tree]:
    trick, plain = "archives within a folder", ("model.pkl", EVIL)
    inner = zipped(plain)
    for label, name, content in (
        ("zip", "inner.zip", inner),
        ("zip without an ending", "inner", inner),
        ("zip with a member without an ending", "inner.zip", zipped(("weights", EVIL))),
        ("tar", "inner.tar", tarred(plain)),
        ("tar without an ending", "inner", tarred(plain)),
        ("tar.gz", "inner.tar.gz", tarred(plain, mode="w:gz")),
        ("tar.bz2", "inner.tbz", tarred(plain, mode="w:bz2")),
        ("tar.xz", "inner.dat", tarred(plain, mode="w:xz")),
        ("zip in zip", "inner.zip", zipped(("a.zip", inner))),
        ("zip in tar", "inner.tar", tarred(("a.zip", inner))),
        ("tar in zip", "inner.zip", zipped(("a.tar", tarred(plain)))),
        ("tar in tar.gz", "inner.tgz", tarred(("a.tar", tarred(plain)), mode="w:gz")),
        ("deep in a folder", "a/b/c/inner.zip", inner),
        ("a pickle within gzip", "inner.zip", zipped(("a.pkl.gz", gzip.compress(EVIL)))),
    ):
        yield Tree(trick, label, _beside(name, content), "unpacked")
    yield Tree("archives within archives", "zip", _beside("inner.zip", inner), "unpacked", packed="all.zip")
    yield Tree(
        "archives within archives", "tar in tar", _beside("inner.tar", tarred(plain)), "unpacked", packed="all.tar"
    )
    yield Tree(
        "archives within archives", "zip in tar.gz", _beside("inner.zip", inner), "unpacked", packed="all.tar.gz"
    )
    yield Tree(
        "archives within archives",
        "NeMo in zip",
        _beside("a.nemo", tarred(("model_config.yaml", f"_target_: os.system\ncommand: {SHELL}\n".encode()))),
        "unpacked-nemo",
        needs=("hydra",),
        packed="all.zip",
    )
    deep = inner
    for depth in range(6):
        deep = zipped((f"a{depth}.zip", deep))
    yield Tree(trick, "zip in zip in zip in zip in zip in zip in zip", _beside("inner.zip", deep), "unpacked", "unread")
    if (seven := _seven_zip(*plain)) is not None:
        yield Tree(trick, "7z", _beside("inner.7z", seven), "unpacked", "unread", ("py7zr",))
        yield Tree(trick, "7z without an ending", _beside("inner", seven), "unpacked", "unread", ("py7zr",))
        yield Tree(
            "archives within archives", "7z", _beside("inner.7z", seven), "unpacked", "unread", ("py7zr",), "all.zip"
        )


# --- Keras -----------------------------------------------------------------------------------------------------------


def _keras() -> Iterator[Tree]:
    trick = "Keras: what its description names"
    layers = [
        {"module": "keras.layers", "class_name": "InputLayer", "config": {"batch_shape": [None, 1], "name": "i"}},
        {
            "module": "keras.layers",
            "class_name": "Lambda",
            "config": {
                "name": "l",
                "function": {
                    "module": "os",
                    "class_name": "function",
                    "config": "system",
                    "registered_name": "function",
                },
                "arguments": {},
            },
        },
    ]
    config = {"module": "keras", "class_name": "Sequential", "config": {"name": "s", "layers": layers}}
    plain = {
        "metadata.json": json.dumps({"keras_version": "3.8.0"}).encode(),
        "config.json": json.dumps(config).encode(),
    }
    yield Tree(
        trick, "a function of another module", plain, "keras-function", packed="model.keras", needs=("importlib",)
    )
    wrapper = {
        "module": "keras.layers",
        "class_name": "TorchModuleWrapper",
        "config": {"module": {"class_name": "__bytes__", "config": {"value": base64.b64encode(EVIL).decode()}}},
    }
    config = {"module": "keras", "class_name": "Sequential", "config": {"name": "s", "layers": [layers[0], wrapper]}}
    plain = {"metadata.json": plain["metadata.json"], "config.json": json.dumps(config).encode()}
    yield Tree(trick, "a module of PyTorch", plain, "keras-torch", packed="model.keras")


# --- pickles beside weights of Hugging Face --------------------------------------------------------------------------


def _beside_weights() -> Iterator[Tree]:
    trick = "pickles beside the weights of a model"
    config = {"config.json": json.dumps({"architectures": ["LlamaForCausalLM"], "model_type": "llama"})}
    for name in ("training_args.bin", "optimizer.pt", "scheduler.pt", "rng_state.pth", "notes/rng_state_0.pth", "data"):
        yield Tree(trick, name, _with_weights(**config, **{name: EVIL}), "unpacked")
    inner = zipped(("model.pkl", EVIL))
    yield Tree(trick, "an archive", _with_weights(**config, **{"extra.zip": inner}), "unpacked")
    index = json.dumps({"metadata": {}, "weight_map": {"w": "pytorch_model-00001-of-00001.bin"}})
    files = {"pytorch_model.bin.index.json": index.encode(), "pytorch_model-00001-of-00001.bin": EVIL}
    yield Tree(trick, "a part of a set", {**files, "config.json": config["config.json"].encode()}, "unpacked")
    yield Tree(trick, "a part of a set without a description", files, "unpacked")
    named = index.replace("pytorch_model-00001-of-00001.bin", "weights")
    files = {"pytorch_model.bin.index.json": named.encode(), "weights": EVIL}
    yield Tree(trick, "a part without an ending", {**files, "config.json": config["config.json"].encode()}, "unpacked")


def written(tree: Tree, folder: Path) -> Path:
    """The tree in a folder, or as an archive in it: what is to be examined."""
    folder.mkdir(parents=True, exist_ok=True)
    if tree.packed:
        (folder / tree.packed).write_bytes(tree.content)
        return folder / tree.packed
    for name, content in tree.files.items():
        path = folder / "model" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder / "model"

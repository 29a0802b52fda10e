"""Pickles and files around them as programs really write them, of which none may be called anything but harmless."""

from __future__ import annotations

import collections
import datetime as dt
import decimal
import fractions
import gzip
import io
import pathlib
import pickle
import random
import uuid
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import joblib
import numpy as np
import scipy.sparse
import torch
from support.extent import ALL

# Estimators that want other data than numbers and classes, or others within them.
_LEFT_OUT = {"CheckingClassifier"}
_MOST_ESTIMATORS = 200 if ALL else 40


@dataclass(frozen=True)
class Harmless:
    """A file as somebody would write it."""

    name: str
    file: str
    content: bytes


def harmless_pickles() -> Iterator[Harmless]:
    """All of them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.manual_seed(0)
        for make in (
            _values,
            _arrays,
            _tensors,
            _state_dicts,
            _modules,
            _optimizers,
            _checkpoints,
            _older_forms,
            _estimators,
        ):
            yield from make()


def _pickled(name: str, value: object, protocol: int = 4, file: str = "a.pkl") -> Harmless:
    return Harmless(name, file, pickle.dumps(value, protocol))


def _saved(name: str, value: object, file: str = "a.pt", **options: Any) -> Harmless:
    made = io.BytesIO()
    torch.save(value, made, **options)
    return Harmless(name, file, made.getvalue())


def _dumped(name: str, value: object, compress: Any = 0, file: str = "a.joblib") -> Harmless:
    made = io.BytesIO()
    joblib.dump(value, made, compress=compress)
    return Harmless(name, file, made.getvalue())


def _values() -> Iterator[Harmless]:
    values: dict[str, object] = {
        "numbers": [1, 2.5, True, None, 1 << 100, 3 + 4j],
        "texts": {"a": "b", "c": b"d", "e": bytearray(b"f"), "g": "é" * 300},
        "collections": [
            collections.OrderedDict(a=1),
            collections.Counter("aab"),
            collections.deque([1], 3),
            {1, 2},
            frozenset((3,)),
        ],
        "defaultdict": collections.defaultdict(list, {"a": [1]}),
        "times": [dt.datetime(2026, 1, 2, 3, tzinfo=dt.UTC), dt.date(2026, 1, 2), dt.timedelta(3)],
        "exact numbers": [decimal.Decimal("1.5"), fractions.Fraction(1, 3)],
        "paths and ids": [pathlib.PurePosixPath("a/b"), uuid.UUID(int=5)],
        "random state": random.Random(3),
        "nested": [[[[{"a": ({"b": [1]},)}]]]],
        "slices and ranges": [slice(1, 2), range(5), ...],
    }
    for name, value in values.items():
        for protocol in (0, 2, 5):
            yield _pickled(f"{name}, protocol {protocol}", value, protocol)


def _arrays() -> Iterator[Harmless]:
    arrays: dict[str, Any] = {
        dtype: np.ones((2, 3), dtype)
        for dtype in ("f2", "f4", "f8", "i1", "i8", "u2", "?", "c8", "U5", "S3", "M8[s]", "m8[ms]")
    }
    arrays["fields"] = np.zeros(3, [("a", "f4"), ("b", "i2", (2,))])
    for name, array in arrays.items():
        yield _pickled(f"array of {name}", {"w": array}, 4 if name < "f8" else 2)
    yield _pickled("array of objects", np.array([1, "a", None], object))
    yield _pickled("masked array", np.ma.masked_array([1.0, 2.0], [True, False]))
    yield _pickled("scalars", [np.float32(1), np.int64(2), np.bool_(True), np.str_("a")])
    yield _pickled("generators", [np.random.default_rng(1), np.random.RandomState(2)])
    yield _pickled("sparse matrix", scipy.sparse.csr_matrix(np.eye(3)))
    yield _pickled("sparse array", scipy.sparse.coo_array(np.eye(3)))
    made = io.BytesIO()
    np.save(made, np.array([{"a": 1}, [2]], object), allow_pickle=True)
    yield Harmless("npy of objects", "a.npy", made.getvalue())
    made = io.BytesIO()
    np.savez(made, a=np.ones(3), b=np.array([None, "x"], object))
    yield Harmless("npz with objects", "a.npz", made.getvalue())
    for compress in (0, 3, ("gzip", 3), ("xz", 3), ("bz2", 3), ("lzma", 3)):
        yield _dumped(
            f"joblib, {compress}", {"w": np.ones(100), "names": ["a", "b"], "o": np.array([1, "a"], object)}, compress
        )
    yield Harmless("gzip", "a.pkl.gz", gzip.compress(pickle.dumps({"w": np.ones(3)})))


_DTYPES = (
    "float64",
    "float32",
    "float16",
    "bfloat16",
    "complex64",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "bool",
    "float8_e4m3fn",
    "float8_e5m2",
)


def _tensors() -> Iterator[Harmless]:
    for name in _DTYPES:
        yield _saved(f"tensor of {name}", {"w": torch.zeros(3, 2).to(getattr(torch, name))})
    yield _saved("parameter", torch.nn.Parameter(torch.ones(2)))
    yield _saved("view", torch.arange(6.0).reshape(2, 3).t())
    yield _saved("sparse", torch.eye(3).to_sparse())
    yield _saved("compressed sparse", torch.eye(3).to_sparse_csr())
    yield _saved("quantized", torch.quantize_per_tensor(torch.ones(3), 0.1, 0, torch.qint8))
    yield _saved(
        "size, device, type", {"size": torch.Size([1, 2]), "device": torch.device("cpu"), "dtype": torch.float32}
    )
    yield _saved("list", [torch.ones(1), (torch.zeros(2), {"a": torch.ones(3)})])
    yield _saved("meta", torch.ones(3, device="meta"))
    yield _saved("with a gradient", torch.ones(3, requires_grad=True))
    yield _saved("NumPy's array in it", {"w": torch.ones(1), "a": np.ones(3), "n": np.float64(2)})
    yield _pickled("tensor, pickled", torch.ones(3))
    yield _pickled("parameter, pickled", torch.nn.Parameter(torch.ones(3)), 2)
    yield _dumped("tensor, by joblib", {"w": torch.ones(3)})


def _networks() -> dict[str, torch.nn.Module]:
    nn = torch.nn
    return {
        "linear": nn.Linear(3, 2),
        "convolutions": nn.Sequential(
            nn.Conv1d(1, 2, 3), nn.Conv2d(1, 2, 3), nn.Conv3d(1, 1, 3), nn.ConvTranspose2d(1, 1, 2)
        ),
        "norms": nn.Sequential(
            nn.BatchNorm1d(2),
            nn.BatchNorm2d(2),
            nn.LayerNorm(2),
            nn.GroupNorm(1, 2),
            nn.InstanceNorm2d(2),
            nn.RMSNorm(2),
        ),
        "activations": nn.Sequential(
            nn.ReLU(),
            nn.GELU(),
            nn.SiLU(),
            nn.Sigmoid(),
            nn.Tanh(),
            nn.LeakyReLU(),
            nn.PReLU(),
            nn.ELU(),
            nn.Softmax(1),
            nn.Hardswish(),
            nn.Mish(),
        ),
        "pools": nn.Sequential(
            nn.MaxPool2d(2),
            nn.AvgPool2d(2),
            nn.AdaptiveAvgPool2d(1),
            nn.Flatten(),
            nn.Dropout(0.1),
            nn.Upsample(scale_factor=2),
        ),
        "embedding": nn.Sequential(nn.Embedding(4, 2), nn.EmbeddingBag(3, 2)),
        "lstm": nn.LSTM(3, 2, 2),
        "gru": nn.GRU(3, 2),
        "rnn": nn.RNN(3, 2),
        "attention": nn.MultiheadAttention(4, 2),
        "encoder": nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 4), 1),
        "decoder": nn.TransformerDecoder(nn.TransformerDecoderLayer(4, 2, 4), 1),
        "transformer": nn.Transformer(4, 2, 1, 1, 4),
        "module list": nn.ModuleList([nn.Linear(1, 1), nn.Identity()]),
        "module dict": nn.ModuleDict({"a": nn.Linear(1, 1)}),
        "parameter list": nn.ParameterList([nn.Parameter(torch.ones(1))]),
        "padding": nn.Sequential(
            nn.ZeroPad2d(1), nn.ReflectionPad2d(1), nn.PixelShuffle(1), nn.Unfold(2), nn.Fold((2, 2), 2)
        ),
        "losses": nn.ModuleList(
            [nn.CrossEntropyLoss(), nn.MSELoss(), nn.BCEWithLogitsLoss(), nn.L1Loss(), nn.KLDivLoss(), nn.CTCLoss()]
        ),
        "bilinear": nn.Bilinear(1, 2, 3),
        "weight norm": torch.nn.utils.weight_norm(nn.Linear(2, 2)),
    }


def _state_dicts() -> Iterator[Harmless]:
    for name, network in _networks().items():
        yield _saved(f"weights of {name}", network.state_dict())


def _modules() -> Iterator[Harmless]:
    for name, network in _networks().items():
        yield _saved(f"whole module: {name}", network)
    for file, options in (("a.pth", {}), ("a.bin", {"pickle_protocol": 4}), ("a.pkl", {"pickle_protocol": 5})):
        yield _saved(f"whole module, {file}", torch.nn.Linear(2, 2), file, **options)


def _optimizers() -> Iterator[Harmless]:
    optim = torch.optim
    makers: dict[str, Callable[[Any], Any]] = {
        "SGD": lambda weights: optim.SGD(weights, 0.1, momentum=0.9),
        "Adam": optim.Adam,
        "AdamW": optim.AdamW,
        "Adagrad": optim.Adagrad,
        "Adadelta": optim.Adadelta,
        "Adamax": optim.Adamax,
        "NAdam": optim.NAdam,
        "RAdam": optim.RAdam,
        "RMSprop": optim.RMSprop,
        "Rprop": optim.Rprop,
        "ASGD": optim.ASGD,
        "LBFGS": optim.LBFGS,
    }
    for name, make in makers.items():
        layer = torch.nn.Linear(2, 1)
        made = make(layer.parameters())
        layer(torch.ones(1, 2)).sum().backward()
        made.step(lambda: torch.zeros(1))
        schedule = optim.lr_scheduler.StepLR(made, 3)
        yield _saved(f"state of {name}", {"optimizer": made.state_dict(), "schedule": schedule.state_dict()})
        if name != "LBFGS":
            yield _saved(f"{name} as a whole", made)


def _checkpoints() -> Iterator[Harmless]:
    weights = torch.nn.Linear(2, 2).state_dict()
    yield _saved(
        "checkpoint", {"epoch": 3, "state_dict": weights, "loss": 0.5, "args": {"lr": 1e-3}}, "checkpoint.pth.tar"
    )
    yield _saved(
        "Lightning's",
        {
            "epoch": 1,
            "global_step": 10,
            "pytorch-lightning_version": "2.5.0",
            "state_dict": weights,
            "loops": {},
            "callbacks": {},
            "optimizer_states": [],
            "lr_schedulers": [],
            "hyper_parameters": {"lr": 0.1},
        },
        "last.ckpt",
    )
    yield _saved(
        "Hugging Face's", {f"model.layers.{index}.weight": torch.ones(2) for index in range(12)}, "pytorch_model.bin"
    )
    yield _saved(
        "a voice's", {"model": weights, "config": {"rate": 24000}, "iteration": 5, "learning_rate": 1e-4}, "G_5.pth"
    )
    yield _saved(
        "random states", {"cpu": torch.get_rng_state(), "numpy": np.random.get_state(), "python": random.getstate()}
    )
    import argparse

    yield _saved("with arguments", {"model": weights, "args": argparse.Namespace(lr=0.1, path="a")})
    yield _saved("an OrderedDict", collections.OrderedDict(weights))
    yield _saved("many tensors", {str(index): torch.ones(1) for index in range(300)})
    shared = torch.ones(3)
    yield _saved("shared weights", {"a": shared, "b": shared})


def _older_forms() -> Iterator[Harmless]:
    for name in ("linear", "lstm", "norms"):
        network = _networks()[name]
        yield _saved(f"before 1.6: {name}", network.state_dict(), _use_new_zipfile_serialization=False)
        yield _saved(f"before 1.6, whole: {name}", network, _use_new_zipfile_serialization=False)
        made = io.BytesIO()
        torch.jit.save(torch.jit.script(network.eval()), made)
        yield Harmless(f"TorchScript: {name}", "a.pt", made.getvalue())
    made = io.BytesIO()
    torch.export.save(torch.export.export(torch.nn.Linear(2, 2), (torch.ones(1, 2),)), made)
    yield Harmless("exported program", "a.pt2", made.getvalue())


def _estimators() -> Iterator[Harmless]:
    from sklearn.compose import ColumnTransformer
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.utils import all_estimators

    rng = np.random.default_rng(0)
    rows, classes = rng.random((30, 4)), np.arange(30) % 3
    made = 0
    for name, kind in all_estimators():
        if name in _LEFT_OUT or made >= _MOST_ESTIMATORS:
            continue
        try:
            fitted = kind().fit(rows, classes)
            content = pickle.dumps(fitted)
        except (
            ValueError,
            TypeError,
            AttributeError,
            IndexError,
            RuntimeError,
        ):  # it wants other data, or other estimators within
            continue
        made += 1
        if made % 2:
            yield Harmless(f"scikit-learn's {name}", "a.pkl", content)
        else:
            yield _dumped(f"scikit-learn's {name}", fitted)
    texts = make_pipeline(TfidfVectorizer()).fit(["a cat", "a dog sat"])
    yield _dumped("a pipeline of texts", texts)
    columns = ColumnTransformer([("a", StandardScaler(), [0, 1])]).fit(rows)
    yield _dumped("columns", columns, 3)

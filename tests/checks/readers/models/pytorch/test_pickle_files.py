"""Plain pickles, joblib's files, NumPy's archives: what they would import, what they hold, and nothing executed."""

import bz2
import contextlib
import gzip
import io
import lzma
import os
import pickle
import zlib
from pathlib import Path

import joblib
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from joblib.numpy_pickle_compat import NDArrayWrapper
from support.mangled import cuts, mangled, survives

from checks.facts import Binding, ModelFacts
from checks.readers.containers.lz4 import unpacked
from checks.readers.containers.source import Damaged, of_bytes
from checks.readers.models import read_model
from checks.readers.models.exchange.numpy_files import is_of_chainer, npy
from checks.readers.models.pytorch import pickle_files
from checks.readers.models.pytorch.pickle_files import pickle_file

RECORDED = Path(__file__).parents[4] / "recordings" / "models"
MADE = RECORDED / "pickle" / "made"
PIPELINES = sorted(MADE.glob("pipeline*"))


def risky(model: ModelFacts) -> dict[str, str]:
    return {each.name: each.risk for each in model.needs.classes or () if each.risk != "known"}


# --- pickles and joblib ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", PIPELINES, ids=lambda path: path.name)
def test_an_estimator_in_every_form(path: Path) -> None:
    model = read_model(path)
    assert (model.format, model.problem) == ("pickle", None)
    assert (model.producer, model.producer_version) == ("scikit-learn", "1.9.1")
    assert model.details["model-class"] == "sklearn.pipeline.Pipeline"
    assert (model.parameters, model.dtypes) == (20, {"float64": 17, "int64": 2, "int32": 1})
    assert risky(model) == {}
    assert "scikit-learn" in model.needs.frameworks
    assert "numpy>=1.26.1" in model.needs.frameworks
    assert Binding(kind="library-versions", value="scikit-learn 1.9.1") in model.bound_to
    assert model.dependence == "high"


@pytest.mark.parametrize("protocol", [0, 2, 5])
def test_the_protocol_is_told(protocol: int) -> None:
    assert read_model(MADE / f"pipeline_protocol_{protocol}.pkl").version == f"protocol {protocol}"


@pytest.mark.parametrize("packing", ["zlib", "gzip", "bz2", "xz", "lzma"])
def test_the_compression_is_told(packing: str) -> None:
    assert read_model(MADE / f"pipeline_{packing}.joblib").details["compression"] == packing


def test_arrays_between_the_opcodes() -> None:
    model = read_model(MADE / "arrays.joblib")
    assert (model.parameters, model.dtypes) == (103, {"float64": 100, "object": 3})
    assert (model.problem, model.details["content"]) == (None, "arrays")


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["f4", "i8", "U5", "S3", "?", "c16", "O", [("a", "<f4"), ("b", "i2", (2,))]]),
            st.lists(st.integers(0, 4), max_size=3),
        ),
        min_size=1,
        max_size=5,
    )
)
def test_joblib_files_of_every_type_of_array(arrays: list[tuple[object, list[int]]]) -> None:
    made = io.BytesIO()
    joblib.dump([np.zeros(shape, dtype) for dtype, shape in arrays] + ["the end"], made)  # type: ignore[call-overload]
    model = pickle_file.read(of_bytes(made.getvalue(), "a.joblib"), None)  # type: ignore[arg-type]
    assert model is not None
    assert (model.problem, model.details.get("trailing-bytes")) == (None, None)
    assert model.parameters == sum(int(np.prod(shape)) for _, shape in arrays)


def test_an_array_of_objects_between_the_opcodes_is_a_pickle(tmp_path: Path) -> None:
    class Bomb:
        def __reduce__(self) -> tuple[object, ...]:
            return os.mkdir, (str(tmp_path / "made"),)

    joblib.dump([np.array([Bomb()], dtype=object), 1], tmp_path / "a.joblib")
    model = read_model(tmp_path / "a.joblib")
    assert (risky(model), model.problem) == ({f"{os.mkdir.__module__}.mkdir": "dangerous"}, None)
    assert not (tmp_path / "made").exists()


def test_arrays_in_files_of_their_own(tmp_path: Path) -> None:
    """As joblib wrote them before 0.10; its class for reading them is still there."""
    parts = [NDArrayWrapper(f"model.pkl_{each:02}.npy", np.ndarray) for each in (1, 2)]
    (tmp_path / "model.pkl").write_bytes(pickle.dumps(parts, 2))
    np.save(tmp_path / "model.pkl_01.npy", np.ones(3))
    model = read_model(tmp_path / "model.pkl")
    assert risky(model) == {}
    assert [(file.name, file.present) for file in model.needs.files or ()] == [
        ("model.pkl_01.npy", True),
        ("model.pkl_02.npy", False),
    ]


def test_lz4() -> None:
    model = read_model(RECORDED / "pickle" / "pnet.lz4")  # of mtcnn 1.0.0
    assert (model.details["compression"], model.parameters, model.problem) == ("lz4", 6632, None)


def test_code_in_a_pickle() -> None:
    model = read_model(MADE / "function.cpkl")
    assert model.details["own-code"] == "cloudpickle / dill"
    assert set(risky(model).values()) == {"dangerous"}


@pytest.mark.parametrize("protocol", [2, 4])
def test_a_tensor_by_pickle_itself(protocol: int) -> None:
    model = read_model(MADE / f"torch_tensor_protocol_{protocol}.pkl")
    assert (model.parameters, risky(model)) == (6, {})
    assert {each.name for each in model.needs.classes or ()} >= {
        "torch.FloatStorage",
        "torch._utils._rebuild_tensor_v2",
    }


def test_what_lies_in_an_inner_pickle_is_seen(tmp_path: Path) -> None:
    evil = b"cos\nsystem\n(S'id'\ntR."
    for data in (
        pickle.dumps(None)[:-1] + b"ctorch.storage\n_load_from_bytes\nC" + bytes([len(evil)]) + evil + b"\x85R.",
        b"\x80\x02ctorch.storage\n_load_from_bytes\nc_codecs\nencode\nX\x15\0\0\0"
        + evil
        + b"X\x06\0\0\0latin1\x86R\x85R.",
    ):
        (tmp_path / "a.pkl").write_bytes(data)
        assert risky(read_model(tmp_path / "a.pkl"))["os.system"] == "dangerous"


def test_several_pickles_and_what_follows(tmp_path: Path) -> None:
    (tmp_path / "a.pkl").write_bytes(pickle.dumps([1]) + pickle.dumps({"a": 2}) + b"rest")
    model = read_model(tmp_path / "a.pkl")
    assert (model.details["pickles"], model.details["trailing-bytes"], model.problem) == ("2", "4", None)


def test_a_second_pickle_is_listed_too(tmp_path: Path) -> None:
    (tmp_path / "a.pkl").write_bytes(pickle.dumps([1]) + b"cos\nsystem\n(S'id'\ntR.")
    assert risky(read_model(tmp_path / "a.pkl")) == {"os.system": "dangerous"}


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("labels.txt", b"cat\ndog\nbird\n"),
        ("notes.txt", b"(see the licence)\n"),
        ("data.bin", b"\x80\x02\x00\x00\x00\x00"),
        ("archive.gz", gzip.compress(b"plain text", mtime=0)),
        ("broken.gz", b"\x1f\x8b\x08\x00 no gzip"),
        ("page.z", zlib.compress(b"plain text")),
        ("table.csv", b"])}\n1,2"),
    ],
)
def test_other_files_are_no_pickles(name: str, data: bytes, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(data)
    assert read_model(tmp_path / name).format is None


@pytest.mark.parametrize(
    "path", [*PIPELINES, MADE / "arrays.joblib", RECORDED / "pickle" / "pnet.lz4"], ids=lambda path: path.name
)
def test_truncated_anywhere(path: Path) -> None:
    for number, cut in enumerate(cuts(path.read_bytes())):
        found = survives(pickle_file, cut, path.name)
        if number > 4 and path.suffix != ".lz4":  # of one block, which is whole or not there
            assert isinstance(found, ModelFacts), number
        if isinstance(found, ModelFacts):
            assert found.problem in ("truncated", "archive-damaged"), number


def test_a_bomb_is_read_in_bounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pickle_files, "MOST_UNPACKED", 1 << 20)
    data = b"\x80\x04]" + (b"C\xff" + bytes(255) + b"a") * 5000 + b"."
    for packed in (zlib.compress(data), gzip.compress(data, mtime=0), bz2.compress(data), lzma.compress(data)):
        (tmp_path / "a.pkl").write_bytes(packed)
        assert read_model(tmp_path / "a.pkl").problem == "too-large"


ORIGINALS = [path.read_bytes() for path in (*PIPELINES, MADE / "arrays.joblib", MADE / "function.cpkl")]


@given(mangled(*ORIGINALS))
def test_mangled_pickles(data: bytes) -> None:
    survives(pickle_file, data, "model.pkl")


@given(mangled((RECORDED / "pickle" / "pnet.lz4").read_bytes()))
def test_mangled_lz4(data: bytes) -> None:
    with contextlib.suppress(Damaged):
        assert sum(map(len, unpacked(of_bytes(data)))) < 64 << 20


# --- NumPy and Chainer -----------------------------------------------------------------------------------------------


def test_an_array() -> None:
    model = read_model(RECORDED / "npy" / "made" / "float32.npy")
    assert (model.format, model.version, model.parameters, model.dtypes) == ("npy", "1.0", 6, {"float32": 6})
    assert (model.details["shape"], model.needs.memory, model.needs.classes) == ("2×3", 24, ())
    assert read_model(RECORDED / "npy" / "made" / "fields.npy").dtypes == {"void": 3}


def test_an_array_of_objects_is_a_pickle(tmp_path: Path) -> None:
    assert read_model(RECORDED / "npy" / "made" / "objects.npy").details["pickles"] == "1"
    header = (RECORDED / "npy" / "made" / "objects.npy").read_bytes()[:128]
    (tmp_path / "a.npy").write_bytes(header + b"cos\nsystem\n(S'id'\ntR.")
    assert risky(read_model(tmp_path / "a.npy")) == {"os.system": "dangerous"}


def test_archives_of_arrays() -> None:
    model = read_model(RECORDED / "npz" / "made" / "arrays.npz")
    assert (model.format, model.parameters) == ("npz", 12)
    assert (model.details["keys"], model.details["pickles"]) == ("a, b, o", "1")
    packed = read_model(RECORDED / "npz" / "made" / "compressed.npz")
    assert (packed.parameters, packed.needs.memory) == (604, 604 * 8)


def test_chainer() -> None:
    for name in ("classifier", "snapshot"):
        model = read_model(RECORDED / "chainer-npz" / "made" / f"{name}.npz")
        assert (model.format, model.producer, model.parameters) == ("chainer-npz", "chainer", 139)


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["l1/W", "l1/b"], True),
        (["predictor/bn/gamma", "predictor/bn/beta", "predictor/c/W"], True),
        (["updater/model:main/x"], True),
        (["W", "b"], False),
        (["dense/kernel", "dense/bias"], False),
        (["a/W", "c", "d", "e"], False),
    ],
)
def test_how_chainer_names_its_arrays(names: list[str], expected: bool) -> None:
    assert is_of_chainer(names) is expected


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"\x93NUMPY", "truncated"),
        (b"\x93NUMPY\x01\x00\xff\xff{'descr': '<f4'", "truncated"),
        (b"\x93NUMPY\x02\x00\xff\xff\xff\xff{}      ", "npy-damaged"),
        (b"\x93NUMPY\x01\x00\x10\x00{'descr': 'oops'", "npy-damaged"),
        (b"\x93NUMPY\x01\x00\x30\x00{'descr': '<f\xb3', 'shape': (1,), }" + b" " * 20, None),
        (
            b"\x93NUMPY\x01\x00\x50\x00{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999, 99), }"
            + b" " * 8,
            "truncated",
        ),
    ],
)
def test_damaged_arrays(data: bytes, problem: str | None) -> None:
    found = survives(npy, data, "a.npy")
    assert (found.problem if isinstance(found, ModelFacts) else found) == problem


@given(mangled(*(path.read_bytes() for path in sorted((RECORDED / "npy" / "made").iterdir()))))
def test_mangled_arrays(data: bytes) -> None:
    survives(npy, data, "a.npy")

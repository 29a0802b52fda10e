"""Ways to hide what a pickle calls: each of these runs a command where it is loaded, and none may look harmless."""

import io
import pickle
import struct
import tarfile
import warnings
import zipfile
from pathlib import Path

import pytest

from checks.facts import NamedClass
from checks.readers.containers.pickles import machine as pickles
from checks.readers.models import read_models

START = b"\x80\x04"


def text(value: str) -> bytes:
    return b"\x8c" + bytes([len(value)]) + value.encode()


def name(module: str, attribute: str) -> bytes:
    return f"c{module}\n{attribute}\n".encode()


def data(value: bytes) -> bytes:
    return b"B" + struct.pack("<I", len(value)) + value


CALL = name("os", "system") + text("id") + b"\x85R."
EVIL = START + CALL
LOADER = name("torch.storage", "_load_from_bytes")
WITHIN = LOADER + data(EVIL) + b"\x85R."


def archive(*members: tuple[str, bytes]) -> bytes:
    made = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(made, "w") as target:
        warnings.simplefilter("ignore")
        for member, content in members:
            target.writestr(member, content)
    return made.getvalue()


def tar_of_torch() -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as target:
        for member, content in (("sys_info", b"\x80\x02N."), ("pickle", EVIL)):
            info = tarfile.TarInfo(member)
            info.size = len(content)
            target.addfile(info, io.BytesIO(content))
    return made.getvalue()


def dtype(code: str) -> bytes:
    return name("numpy", "dtype") + b"(" + text(code) + b"\x89\x88tR"


def array(kind: bytes, count: int, maker: bytes = name("joblib.numpy_pickle", "NumpyArrayWrapper") + b")\x81") -> bytes:
    """What joblib writes before the bytes of an array."""
    return (
        maker
        + b"}("
        + text("subclass")
        + name("numpy", "ndarray")
        + text("shape")
        + b"K"
        + bytes([count])
        + b"\x85"
        + text("order")
        + text("C")
        + text("dtype")
        + kind
        + text("allow_mmap")
        + b"\x89ub"
    )


OBJECT_FIELD = (
    dtype("V8")
    + b"(K\x03"
    + text("|")
    + b"N"
    + text("f")
    + b"\x85}"
    + text("f")
    + dtype("O8")
    + b"K\0\x86sK\x08K\1K\x10tb"
)
PARTIAL_ARRAY = name("functools", "partial") + name("joblib.numpy_pickle", "NumpyArrayWrapper") + b"\x85R)R"


def npy(header: str) -> bytes:
    line = header.encode() + b" " * (-(len(header) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\0" + struct.pack("<H", len(line)) + line + EVIL


REST = "'fortran_order': False, 'shape': (1,), }"
PLAIN, VERSION = ("a/data.pkl", START + b"}."), ("a/version", b"3\n")
MAGIC = pickle.dumps(0x1950A86A20F9469CFC6C, 2)


def named(tmp_path: Path, file: str, content: bytes) -> tuple[NamedClass, ...]:
    (tmp_path / file).write_bytes(content)
    return read_models(tmp_path / file)[0].needs.classes or ()


@pytest.mark.parametrize(
    ("file", "content"),
    [
        pytest.param(
            "a.pkl", START + name("functools", "partial") + LOADER + b"\x85R" + data(EVIL) + b"\x85R.", id="handed-on"
        ),
        pytest.param(
            "a.pkl",
            START
            + name("torch._tensor", "_rebuild_from_type_v2")
            + b"("
            + LOADER
            + name("torch", "Tensor")
            + data(EVIL)
            + b"\x85}tR.",
            id="handed-to-torch",
        ),
        pytest.param("a.pkl", START + LOADER + data(START + WITHIN) + b"\x85R.", id="two-deep"),
        pytest.param(
            "a.pkl",
            START + LOADER + data(archive(("z/data.pkl", EVIL), PLAIN, VERSION)) + b"\x85R.",
            id="archive-within",
        ),
        pytest.param("a.pt", archive(("a/data.pkl", START + WITHIN), VERSION), id="within-weights"),
        pytest.param("a.pt", archive(("a/data.pkl", EVIL), PLAIN, VERSION), id="first-of-two"),
        pytest.param("a.pt", archive(PLAIN, ("a/data.pkl", EVIL), VERSION), id="second-of-two"),
        pytest.param("a.pt", MAGIC + EVIL, id="cut-row"),
        pytest.param("a.joblib", START + array(OBJECT_FIELD, 4) + EVIL + b".", id="field-of-objects"),
        pytest.param("a.joblib", START + array(dtype("i4,O"), 1) + EVIL + b".", id="objects-by-another-name"),
        pytest.param(
            "a.joblib", START + array(dtype("<u1"), 8, PARTIAL_ARRAY) + b"." * 8 + CALL, id="array-in-disguise"
        ),
        pytest.param("a.npy", npy("{'descr': [('a', '|O')], " + REST), id="npy-field"),
        pytest.param("a.npz", archive(("a.npy", npy("{'descr': [('a', '|O')], " + REST))), id="npz-field"),
        pytest.param(
            "a.pkl", START + text("random") + text("_os.system") + b"\x93" + text("id") + b"\x85R.", id="alias"
        ),
        pytest.param("a.pkl", b"N0" + CALL, id="odd-beginning"),
        pytest.param(
            "a.pkl", START + name("pandas.core.computation.expr", "Expr") + text("f()") + b"\x85R.", id="expression"
        ),
    ],
)
def test_what_is_hidden_is_dangerous(tmp_path: Path, file: str, content: bytes) -> None:
    assert [each.risk for each in named(tmp_path, file, content)][:1] == ["dangerous"]


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(START + LOADER + data(tar_of_torch()) + b"\x85R.", id="tar-within"),
        pytest.param(
            START
            + name("ultralytics.nn.tasks", "DetectionModel")
            + b"}"
            + text("activation")
            + text("f()")
            + b"s\x85R.",
            id="class-with-arguments",
        ),
        pytest.param(START + b"N0" * 205_000 + CALL, id="beyond-the-bound"),
    ],
)
def test_what_nobody_looked_into_is_not_called_known(
    tmp_path: Path, content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pickles, "MOST_OPCODES", 400_000)  # a twentieth of what is read of a stream
    assert [each.risk for each in named(tmp_path, "a.pkl", content)][:1] == ["unknown"]


@pytest.mark.parametrize(
    "header",
    [
        "{'descr': '|u1', 'descr': '|O', " + REST,
        r"{'descr': '|\x4f', " + REST,
        "{'descr': '|u1', 'de' 'scr': '|O', " + REST,
    ],
)
def test_a_header_that_hides_its_type_is_no_header(tmp_path: Path, header: str) -> None:
    (tmp_path / "a.npy").write_bytes(npy(header))
    assert read_models(tmp_path / "a.npy")[0].problem == "npy-damaged"


def test_names_are_read_where_there_is_no_more_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import numpy as np

    monkeypatch.setattr(pickles, "_ROOM", 4 << 20)
    content = pickle.dumps([[{"a": number} for number in range(25_000)], np.zeros(3), np.float32(1)], 4)
    (tmp_path / "large.pkl").write_bytes(content)
    classes = read_models(tmp_path / "large.pkl")[0].needs.classes or ()
    assert {each.risk for each in classes} == {"known"}

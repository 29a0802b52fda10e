"""How large a download is: as the index tells it, else the file or its server."""

from pathlib import Path

from checks.proof.resolving.download_size import download_sizes


def test_as_the_index_tells_it() -> None:
    special = {"url": "https://a.example/protobuf-3-cp310-cp310-manylinux_2_12_x86_64.whl", "size": 1000}
    general = {"url": "https://a.example/protobuf-3-py2.py3-none-any.whl", "size": 2000}
    assert download_sizes([{"wheels": [general, special]}, {"wheels": [general]}]) == [1000, 2000]


def test_of_a_file(tmp_path: Path) -> None:
    wheel = tmp_path / "a b.whl"
    wheel.write_bytes(b"1234")
    gone = {"wheels": [{"path": str(tmp_path / "gone.whl")}]}
    assert download_sizes([{"wheels": [{"url": wheel.as_uri()}]}, {"wheels": [{"path": str(wheel)}]}, gone]) == [
        4,
        4,
        None,
    ]


def test_nobody_tells() -> None:
    odd = [
        {},
        {"wheels": []},
        {"wheels": [3]},
        {"wheels": [{"url": 5}]},
        {"wheels": [{"url": "ftp://a.example/x.whl"}]},
    ]
    odd.append({"wheels": [{"url": "http://127.0.0.1:1/x.whl"}]})
    assert download_sizes(odd) == [None] * len(odd)  # type: ignore[arg-type]

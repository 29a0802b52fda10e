"""Classes whose fields msgspec has read, once and for all threads."""

import threading
from typing import TypeVar

import msgspec

_Kind = TypeVar("_Kind")
_prepared: set[object] = set()
_lock = threading.Lock()


def prepared(kind: _Kind) -> _Kind:
    """The same class or annotation, ready to be decoded to by any number of threads.

    msgspec reads the fields of a class when it is first decoded to. Two threads that do so at the same moment end
    the process: one of them sees what the other has half written (seen with 0.22.0, "Segmentation fault").
    """
    if kind not in _prepared:
        with _lock:
            msgspec.json.Decoder(kind)  # reads the fields of all classes that it reaches
            _prepared.add(kind)
    return kind

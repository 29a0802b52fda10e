"""What the words of a failed import show is told even where the list of packages could not be read."""

import pytest

from checks.causes.environment.dependency_version_conflict import dependency_version_conflict
from checks.causes.environment.extension_abi_mismatch import extension_abi_mismatch
from checks.causes.environment.glibc_too_old import glibc_too_old
from checks.causes.environment.numpy_abi_mismatch import numpy_abi_mismatch
from checks.causes.environment.protobuf_conflict import protobuf_conflict
from checks.causes.registry import Check
from checks.facts import ErrorText, Frameworks, InterpreterFacts, OsFacts, TorchFacts

UNREAD = InterpreterFacts(path="/venv/bin/python")
LINUX = OsFacts(system="Linux")


@pytest.mark.parametrize(
    ("check", "message"),
    [
        pytest.param(numpy_abi_mismatch, "numpy.core.multiarray failed to import", id="numpy"),
        pytest.param(protobuf_conflict, "Descriptors cannot be created directly.", id="protobuf"),
        pytest.param(extension_abi_mismatch, "/x/_C.so: undefined symbol: _ZN5torch3jit6tracer", id="extension"),
        pytest.param(glibc_too_old, "/lib64/libc.so.6: version `GLIBC_2.28' not found", id="glibc"),
        pytest.param(
            dependency_version_conflict,
            "cannot import name 'cached_download' from 'huggingface_hub' (x)",
            id="dependency",
        ),
    ],
)
def test_speaks(check: Check, message: str) -> None:
    error = ErrorText(type="ImportError", message=message)
    given = {
        "interpreter": UNREAD,
        "os": LINUX,
        "frameworks": Frameworks(torch=TorchFacts(version="2.2.0", imported=False, error=error)),
        "probes": None,
        "environment": None,
        "runs": None,
    }
    (finding,) = check(**{name: given[name] for name in check.wanted})
    assert finding.cause == check.cause

"""What counts as a failure of the user's program, and what was only printed beside it."""

import pytest
from support.runs import SITE, failed, frames_of

from checks.analysis.failures.at_import import troubles
from checks.facts import Raised

NOISE = "Could not load dynamic library 'libcudart.so.12'; dlerror: libcudart.so.12: cannot open shared object file"


@pytest.mark.parametrize(
    ("type_", "file", "is_reason"),
    [
        pytest.param("json.decoder.JSONDecodeError", "/home/user/app/train.py", False, id="its-own-data"),
        pytest.param("KeyError", f"{SITE}/tensorflow/python/x.py", True, id="inside-of-a-package"),
        pytest.param("AssertionError", "/home/user/app/train.py", True, id="an-assertion-may-be-about-it"),
    ],
)
def test_a_warning_beside_an_exception(type_: str, file: str, is_reason: bool) -> None:
    raised = Raised(type=type_, message="x", frames=frames_of("/home/user/app/train.py", file))
    beside = [
        trouble for trouble in troubles(None, None, failed(raised, errors=NOISE).program_runs) if trouble.is_warning
    ]
    assert [(trouble.is_fatal, trouble.run is not None) for trouble in beside] == [(is_reason, is_reason)]

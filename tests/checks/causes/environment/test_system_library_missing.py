"""When system-library-missing speaks, and when it keeps silent."""

import subprocess
import sys

import msgspec
import pytest

from checks.causes.environment.system_library_missing import system_library_missing
from checks.facts import ErrorText, Facts, Frameworks, MachineFacts, OsFacts, ProbeRun, ProbeRuns, TorchFacts
from checks.facts.finding import Finding, Inconclusive, Severity, Unread
from checks.remedies.plan import plan_remedies


def findings(message: str | None) -> list[Finding]:
    error = ErrorText(type="ImportError", message=message) if message else None
    torch = TorchFacts(version="2.3.0", imported=error is None, error=error)
    return list(system_library_missing(Frameworks(torch=torch), None))


@pytest.mark.parametrize(
    ("message", "library", "apt"),
    [
        pytest.param(
            # pytorch/TensorRT#3885
            "libopenblas.so.0: cannot open shared object file: No such file or directory",
            "libopenblas.so.0",
            "libopenblas0",
            id="jetson",
        ),
        pytest.param(
            # torchsmoke/Python3-Wheels#5
            "libmpi_cxx.so.40: cannot open shared object file: No such file or directory",
            "libmpi_cxx.so.40",
            "libopenmpi3",
            id="mpi",
        ),
        pytest.param(
            "libsomething.so.3: cannot open shared object file: No such file or directory",
            "libsomething.so.3",
            None,
            id="new",
        ),
        pytest.param("ImportError: Unable to find zbar shared library", "zbar", "libzbar0", id="pyzbar"),
        pytest.param("ImportError: failed to find libmagic.  Check it", "libmagic", "libmagic1", id="python-magic"),
        pytest.param(
            "FileNotFoundError: [Errno 2] No such file or directory: 'ffprobe'", "ffprobe", "ffmpeg", id="pydub"
        ),
        pytest.param(
            "pytesseract.pytesseract.TesseractNotFoundError: tesseract is not installed or it's not in your PATH.",
            "tesseract",
            "tesseract-ocr",
            id="pytesseract",
        ),
        pytest.param("OSError: PortAudio library not found", "PortAudio", "libportaudio2", id="sounddevice"),
    ],
)
def test_speaks(message: str, library: str, apt: str | None) -> None:
    (finding,) = findings(message)
    assert finding.severity is Severity.BLOCKING
    assert finding.placeholders()["library"] == library
    assert finding.placeholders().get("apt_package") == apt


@pytest.mark.skipif(sys.platform == "win32", reason="ldconfig is Linux's")
def test_the_check_finds_a_library_by_the_name_that_a_package_has_for_it() -> None:
    """PortAudio lies in libportaudio.so.2."""
    (finding,) = findings("OSError: PortAudio library not found")
    (plan,) = plan_remedies(
        msgspec.structs.replace(finding, remedies=("install-system-library",)),
        Facts(machine=MachineFacts(os=OsFacts(system="Linux", distribution="debian", package_managers=("apt",)))),
        "en",
    )
    listed = "echo '    libportaudio.so.2 (libc6,x86-64) => /lib/x86_64-linux-gnu/libportaudio.so.2'"
    assert plan.verify is not None
    found = plan.verify.code.replace("ldconfig -p", listed)
    assert "libportaudio" in subprocess.run(["sh", "-c", found], capture_output=True, text=True, check=False).stdout


@pytest.mark.parametrize(
    "message",
    [
        pytest.param(None, id="imports"),
        pytest.param("libcudart.so.12: cannot open shared object file: No such file", id="cuda-has-another-cause"),
        pytest.param("libcuda.so.1: cannot open shared object file: No such file", id="the-driver-has-another-cause"),
        pytest.param("libtorch_cuda.so: cannot open shared object file: No such file", id="torch-has-another-cause"),
    ],
)
def test_silent(message: str | None) -> None:
    assert findings(message) == []


def test_a_warning_is_no_failure() -> None:
    # recorded: a healthy jax 0.8 for the CPU
    warning = "tpu: INTERNAL: Failed to open libtpu.so: libtpu.so: cannot open shared object file: No such file"
    assert list(system_library_missing(Frameworks(torch=TorchFacts(imported=True, warnings=(warning,))), None)) == []


def test_open() -> None:
    with pytest.raises(Inconclusive):
        list(system_library_missing(Frameworks(), None))
    died = ProbeRuns(runs=(ProbeRun(probe="torch", status="crashed"),))
    with pytest.raises(Unread):
        list(system_library_missing(Frameworks(), died))

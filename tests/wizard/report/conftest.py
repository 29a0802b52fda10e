"""A case to print: a machine whose driver is too old, with everything that a print must survive."""

from collections.abc import Callable

import msgspec
import pytest
from PySide6.QtCore import QBuffer, QIODevice
from PySide6.QtGui import QPdfWriter

from checks.facts import (
    CpuFacts,
    EnvironmentVariables,
    Facts,
    Frameworks,
    Gpu,
    Gpus,
    InterpreterFacts,
    MachineFacts,
    MemoryFacts,
    NvidiaFacts,
    NvidiaGpu,
    OsFacts,
    Package,
    PciLink,
    ProbeRun,
    ProbeRuns,
    SentFile,
    StageRun,
    Symptom,
    TorchFacts,
)
from checks.facts.case import Answers, Case
from checks.judgement.judge import judged
from wizard.report.pdf.text import DOTS

PYTHON = "/home/alice/My Project/venv/bin/python"
UUID = "GPU-5f3c1d2e-1111-2222-3333-444455556666"
LOG = "alice@desk-01:~$ python train.py\nHF_TOKEN=hf_abcdefghijklmnopqrst\nRuntimeError: CUDA driver too old\n"


def facts(driver: str = "470.256.02", log: str = LOG) -> Facts:
    """An Ubuntu machine with a GeForce RTX 4090 and PyTorch 2.6.0 for CUDA 12.4."""
    gpu = Gpu(
        address="0000:01:00.0",
        vendor_id="10de",
        vendor="NVIDIA",
        device_id="2684",
        product="GeForce RTX 4090",
        die="AD102",
        architecture="Ada Lovelace",
        compute_capability="8.9",
        driver="nvidia",
        link=PciLink(width=8, width_max=16, generation=4, generation_max=4),
    )
    nvml = NvidiaGpu(
        index=0,
        name="NVIDIA GeForce RTX 4090",
        uuid=UUID,
        compute_capability="8.9",
        memory_total=25757220864,
        temperature=41,
        power=23.5,
        unread={"ecc_enabled": "NVML_ERROR_NOT_SUPPORTED"},
    )
    machine = MachineFacts(
        os=OsFacts(
            system="Linux",
            name="Ubuntu 24.04.1 LTS",
            distribution="ubuntu",
            container="",
            wsl=0,
            package_managers=("apt",),
        ),
        cpu=CpuFacts(name="AMD Ryzen 9 7950X", logical_cores=32),
        memory=MemoryFacts(total=66715234304, shm_total=33357617152),
        gpus=Gpus(devices=(gpu,)),
        nvidia=NvidiaFacts(driver_version=driver, nvml="ok", origin="NVML", devices=(nvml,)),
    )
    packages = (Package(name="torch", version="2.6.0+cu124"), Package(name="rich", version="13.0"))
    torch = TorchFacts(version="2.6.0+cu124", cuda_version="12.4", imported=True, origin="torch.version.cuda")
    runs = (
        ProbeRun(probe="torch", seconds=2.4, stages=(StageRun(name="import", ended=True),)),
        ProbeRun(probe="jax", status="timed-out", seconds=60.1, stages=(StageRun(name="import"),)),
    )
    return Facts(
        machine=machine,
        interpreters=(
            InterpreterFacts(path=PYTHON, version="3.11.7", kind="venv", package_manager="pip", packages=packages),
        ),
        target=PYTHON,
        frameworks=Frameworks(torch=torch),
        environment=EnvironmentVariables(values={"CUDA_VISIBLE_DEVICES": UUID}),
        probes=ProbeRuns(runs=runs),
        logs=(SentFile(name="train.log", kind="log", size=len(log), text=log, examined=True),),
        missing={"apple": "not-on-this-system", "jetson": "not-on-this-system"},
    )


def made(
    driver: str = "470.256.02",
    log: str = LOG,
    symptom: str = "not-on-gpu",
    exactness: str = "bits",
    complete: bool = True,
    only: Facts | None = None,
) -> Case:
    known = facts(driver, log) if only is None else only
    known = msgspec.structs.replace(known, symptom=Symptom(origin="user", name=symptom))
    answers = Answers(symptom=symptom, exactness=exactness)
    return judged(known, answers, created="2026-11-21T09:30:00+00:00", complete=complete)


@pytest.fixture
def make_case() -> Callable[..., Case]:
    return made


@pytest.fixture(scope="session")
def case() -> Case:
    return made()


@pytest.fixture
def device() -> QPdfWriter:
    """A PDF to set blocks on; it asks for an application."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setResolution(int(72 * DOTS))
    writer.buffer = buffer  # type: ignore[attr-defined]  # kept as long as the writer
    return writer

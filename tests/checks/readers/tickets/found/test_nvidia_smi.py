"""nvidia-smi in all its shapes, as pasted in public threads."""

import pytest

from checks.facts import Facts, NvidiaFacts, NvidiaGpu
from checks.readers.tickets.lines import lines_of
from checks.readers.tickets.reported import reported_in

MIB = 2**20

# NVIDIA/mig-parted#31
MIG = """\
+-----------------------------------------------------------------------------+
| NVIDIA-SMI 495.29.05    Driver Version: 495.29.05    CUDA Version: 11.5     |
|-------------------------------+----------------------+----------------------+
| GPU  Name        Persistence-M| Bus-Id        Disp.A | Volatile Uncorr. ECC |
| Fan  Temp  Perf  Pwr:Usage/Cap|         Memory-Usage | GPU-Util  Compute M. |
|                               |                      |               MIG M. |
|===============================+======================+======================|
|   0  NVIDIA A100-SXM...  Off  | 00000000:01:00.0 Off |                   On |
| N/A   25C    P0    50W / 500W |     24MiB / 81251MiB |     N/A      Default |
|                               |                      |              Enabled |
+-------------------------------+----------------------+----------------------+
|   1  NVIDIA A100-SXM...  Off  | 00000000:41:00.0 Off |                   On |
| N/A   25C    P0    51W / 500W |     24MiB / 81251MiB |     N/A      Default |
|                               |                      |              Enabled |
+-------------------------------+----------------------+----------------------+
"""

# Project-HAMi/HAMi#1903
NEW = """\
+-----------------------------------------------------------------------------------------+
| NVIDIA-SMI 580.119.02             Driver Version: 580.119.02     CUDA Version: 13.0     |
+-----------------------------------------+------------------------+----------------------+
| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |
| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |
|                                         |                        |               MIG M. |
|=========================================+========================+======================|
|   0  NVIDIA A800 80GB PCIe          Off |   00000000:01:00.0 Off |                    0 |
| N/A   27C    P0             46W /  300W |       0MiB /  81920MiB |      0%      Default |
|                                         |                        |             Disabled |
+-----------------------------------------+------------------------+----------------------+
"""

# cBio/cbio-cluster#144
OLD = """\
+------------------------------------------------------+
| NVIDIA-SMI 340.29     Driver Version: 340.29         |
|-------------------------------+----------------------+----------------------+
|   0  GeForce GTX TITAN   Off  | 0000:03:00.0     N/A |                  N/A |
| 57%   79C    P0    N/A /  N/A |    362MiB /  6143MiB |     N/A    E. Thread |
+-------------------------------+----------------------+----------------------+
"""

PROCESSES = """\
| NVIDIA-SMI 551.23                 Driver Version: 551.23         CUDA Version: 12.4     |
|   0  NVIDIA GeForce RTX 4090      WDDM  |   00000000:01:00.0  On |                  Off |
|  0%   42C    P8             20W /  450W |   23890MiB /  24564MiB |      3%      Default |
|                                         |                        |                  N/A |
+-----------------------------------------------------------------------------------------+
| Processes:                                                                              |
|  GPU   GI   CI        PID   Type   Process name                              GPU Memory |
|        ID   ID                                                               Usage      |
|=========================================================================================|
|    0   N/A  N/A      1372    C+G   C:\\Windows\\explorer.exe                      N/A      |
|    0   N/A  N/A     24128      C   ...s\\Python\\Python310\\python.exe            22016MiB |
"""

# NVIDIA/nvidia-docker#688
LONG = """\
==============NVSMI LOG==============

Timestamp                           : Mon Apr  2 19:47:58 2018
Driver Version                      : 375.82

Attached GPUs                       : 1
GPU 0000:01:00.0
    Product Name                    : Quadro M1000M
    Product Brand                   : Quadro
    Display Mode                    : Enabled
    GPU UUID                        : GPU-00000000-0025-0d50-7ce9-000000000000
    VBIOS Version                   : 82.07.9D.00.1F
    PCI
        Bus                         : 0x01
        Device Id                   : 0x13B110DE
    Clocks Throttle Reasons
        Idle                        : Not Active
        SW Power Cap                : Not Active
        HW Slowdown                 : Active
    FB Memory Usage
        Total                       : 4042 MiB
        Used                        : 0 MiB
        Free                        : 4042 MiB
    Compute Mode                    : Default
"""

XML = """\
<?xml version="1.0" ?>
<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v12.dtd">
<nvidia_smi_log>
	<driver_version>535.161.08</driver_version>
	<cuda_version>12.2</cuda_version>
	<attached_gpus>1</attached_gpus>
	<gpu id="00000000:3B:00.0">
		<product_name>Tesla V100-PCIE-16GB</product_name>
		<mig_mode>
			<current_mig>N/A</current_mig>
		</mig_mode>
		<pci>
			<pci_device_id>1DB410DE</pci_device_id>
		</pci>
		<fb_memory_usage>
			<total>16384 MiB</total>
			<used>3 MiB</used>
			<free>16156 MiB</free>
		</fb_memory_usage>
		<bar1_memory_usage>
			<total>16384 MiB</total>
		</bar1_memory_usage>
		<compute_mode>Exclusive_Process</compute_mode>
	</gpu>
</nvidia_smi_log>
"""

# nanoporetech/megalodon#275, with the instances of NVIDIA's MIG user guide
LISTED = """\
GPU 0: NVIDIA A100-PCIE-40GB (UUID: GPU-5d5ba0d6-0000-0000-0000-000000000000)
  MIG 3g.20gb     Device  0: (UUID: MIG-c7384736-0000-0000-0000-000000000000)
  MIG 1g.5gb      Device  1: (UUID: MIG-a28ad590-0000-0000-0000-000000000000)
"""


def nvidia(text: str) -> NvidiaFacts:
    facts = read(text)
    assert facts.machine is not None
    assert facts.machine.nvidia is not None
    return facts.machine.nvidia


def read(text: str) -> Facts:
    return reported_in(lines_of(text)).facts


def only_gpu(text: str) -> NvidiaGpu:
    (gpu,) = nvidia(text).devices or ()
    return gpu


def test_versions_of_the_banner() -> None:
    found = nvidia(NEW)
    assert (found.driver_version, found.cuda_driver_version, found.nvml) == ("580.119.02", "13.0", "ok")
    assert found.origin == "nvidia-smi, lines 2-9"


def test_a_gpu_of_the_table() -> None:
    gpu = only_gpu(NEW)
    assert (gpu.name, gpu.compute_capability, gpu.memory_total) == ("NVIDIA A800 80GB PCIe", "8.0", 81920 * MIB)
    assert (gpu.compute_mode, gpu.mig_enabled, gpu.performance_state) == ("default", False, 0)
    assert gpu.pci_address == "00000000:01:00.0"


def test_names_that_the_table_cut_and_mig() -> None:
    gpus = nvidia(MIG).devices or ()
    assert [gpu.name for gpu in gpus] == ["NVIDIA A100-SXM...", "NVIDIA A100-SXM..."]
    assert [gpu.compute_capability for gpu in gpus] == ["8.0", "8.0"]
    assert all(gpu.mig_enabled and gpu.mig_instances is None for gpu in gpus)  # not listed is not absent


def test_a_name_that_says_nothing_once_cut() -> None:
    cut = NEW.replace("NVIDIA A800 80GB PCIe ", "NVIDIA GeForce ...    ")
    assert only_gpu(cut).compute_capability is None


def test_the_table_of_2014() -> None:
    gpu = only_gpu(OLD)
    assert (gpu.name, gpu.compute_mode, gpu.memory_used) == ("GeForce GTX TITAN", "exclusive-thread", 362 * MIB)
    assert gpu.pci_address == "0000:03:00.0"
    assert nvidia(OLD).cuda_driver_version is None


def test_processes_and_the_driver_model_of_windows() -> None:
    gpu = only_gpu(PROCESSES)
    assert gpu.name == "NVIDIA GeForce RTX 4090"
    assert [(process.pid, process.used_memory) for process in gpu.processes or ()] == [
        (1372, None),
        (24128, 22016 * MIB),
    ]


def test_the_long_list() -> None:
    gpu = only_gpu(LONG)
    assert (gpu.name, gpu.pci_device_id, gpu.vbios) == ("Quadro M1000M", "13b1", "82.07.9D.00.1F")
    assert gpu.throttle_reasons == ("HwSlowdown",)
    assert nvidia(LONG).driver_version == "375.82"


def test_xml() -> None:
    gpu = only_gpu(XML)
    assert (gpu.name, gpu.compute_mode, gpu.memory_total) == ("Tesla V100-PCIE-16GB", "exclusive-process", 16384 * MIB)
    assert (nvidia(XML).driver_version, nvidia(XML).cuda_driver_version) == ("535.161.08", "12.2")


def test_listed_with_instances() -> None:
    gpu = only_gpu(LISTED)
    assert [mig_instance.profile for mig_instance in gpu.mig_instances or ()] == ["3g.20gb", "1g.5gb"]


def test_the_gpus_stand_on_the_bus_too() -> None:
    machine = read(MIG).machine
    assert machine is not None
    assert machine.gpus is not None
    assert [gpu.address for gpu in machine.gpus.nvidia] == ["00000000:01:00.0", "00000000:41:00.0"]


def test_what_it_says_when_it_fails() -> None:
    assert nvidia("Failed to initialize NVML: Driver/library version mismatch").nvml == (
        "NVML_ERROR_LIB_RM_VERSION_MISMATCH"
    )
    assert (
        nvidia("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.").nvml
        == "NVML_ERROR_DRIVER_NOT_LOADED"
    )


def test_no_devices_is_said_and_not_concluded() -> None:
    assert nvidia("$ nvidia-smi\nNo devices were found").devices == ()
    assert nvidia("| NVIDIA-SMI 580.119.02    Driver Version: 580.119.02    CUDA Version: 13.0 |").devices is None


def test_words_about_it_are_no_output() -> None:
    assert read("I ran nvidia-smi and it looked fine").machine is None


LONG_WITHOUT_DRIVER = """\
Driver Version                            : N/A
CUDA Version                              : Not Found

Attached GPUs                             : 1
GPU 00000000:01:00.0
    Product Name                          : NVIDIA A100
    FB Memory Usage
        Total                             : 40960 MiB
"""
XML_WITHOUT_DRIVER = """<nvidia_smi_log><driver_version>N/A</driver_version><cuda_version>Not Found</cuda_version>
<gpu id="00000000:01:00.0"><product_name>NVIDIA A100</product_name></gpu></nvidia_smi_log>"""


@pytest.mark.parametrize("text", [LONG_WITHOUT_DRIVER, XML_WITHOUT_DRIVER], ids=["q", "x"])
def test_that_there_is_no_version_is_no_version(text: str) -> None:
    facts = reported_in(lines_of(text)).facts
    assert facts.machine is not None
    assert facts.machine.nvidia is not None
    assert facts.machine.nvidia.driver_version is None
    assert facts.machine.nvidia.cuda_driver_version is None
    assert [device.name for device in facts.machine.nvidia.devices or ()] == ["NVIDIA A100"]

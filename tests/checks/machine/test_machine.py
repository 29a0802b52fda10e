"""Recorded machines, from the files and outputs that the probe reads to the typed facts."""

import json
import sys

import pytest
from support import recorded_machines as recorded

from checks.engine.processes.runner import ProbeTask, run_probe
from checks.engine.scripts import script_of
from checks.facts import AmdNode, DeviceNode, Gpu, Gpus, LibraryFile, MachineFacts, PciLink, XidEvent
from checks.machine import read_machine
from checks.machine.amd import gfx_target
from checks.machine.linux import parse_os_release, wsl_version
from checks.machine.nvidia import full_address, parse_module_version, parse_xids, without_window
from checks.machine.windows import driver_branch


@pytest.fixture
def facts(tmp_path):
    return lambda name, nvml=None: recorded.machine(recorded.load(name), tmp_path, nvml)


@pytest.mark.parametrize("name", recorded.NAMES)
def test_every_recording_names_its_source_and_is_read(name, facts):
    assert len(recorded.load(name)["source"]) > 60
    read = facts(name)
    assert read.os.system == recorded.load(name)["answers"]["system"]
    assert read.cpu.name
    assert read.memory.total > 1 << 30


def test_a_machine_without_gpu_sets_no_facts_of_any_vendor(facts):
    read = facts("virtual-machine-without-gpu", {"nvml": "library-not-found"})
    assert read.gpus.devices == ()
    assert (read.nvidia, read.amd, read.intel, read.jetson, read.apple) == (None, None, None, None, None)
    assert read.accelerators == ()
    assert (read.os.container, read.os.virtual_machine, read.os.distribution) == ("docker", "kvm", "debian")
    assert (read.os.libc, read.os.libc_version) == ("glibc", "2.36")
    assert read.memory.limit is None
    assert (read.cpu.physical_cores, read.cpu.usable_cores) == (2, 2)
    assert {"avx2", "avx512f"} <= set(read.cpu.instruction_sets)


def test_two_cards_of_one_name_with_different_dies(facts):
    read = facts("two-gtx-1650")
    assert [(gpu.product, gpu.die, gpu.compute_capability) for gpu in read.gpus.devices] == [
        ("GeForce GTX 1650", "TU117", "7.5"),
        ("GeForce GTX 1650", "TU116", "7.5"),
    ]
    assert read.gpus.devices[0].link == PciLink(width=16, width_max=16, generation=1, generation_max=3)
    nvidia = read.nvidia
    assert (nvidia.driver_version, nvidia.kernel_module_flavour) == ("535.183.01", "proprietary")
    assert nvidia.device_nodes == (
        DeviceNode(path="/dev/nvidia0", readable=False, writable=False, group="video"),
        DeviceNode(path="/dev/nvidiactl", readable=False, writable=False, group="video"),
    )  # neither the folder /dev/nvidia-caps nor root's own files in it
    assert nvidia.xids is None
    assert "Operation not permitted" in nvidia.unread["xids"]
    assert read.os.secure_boot is True


def test_settings_that_keep_the_driver_out(facts):
    # The file in /run is hidden by the one of the same name in /etc.
    assert facts("two-gtx-1650").nvidia.blacklisted == ("/etc/modprobe.d/local.conf", "/proc/cmdline")


def test_a_blacklisted_nouveau_is_no_blacklisted_nvidia(facts):
    assert facts("fallen-off-the-bus").nvidia.blacklisted == ()


def test_limits_of_control_groups(facts):
    read = facts("two-gtx-1650")
    assert (read.cpu.logical_cores, read.cpu.usable_cores) == (8, 3)  # 250 ms of processor time in every 100 ms
    assert read.memory.limit == 8 << 30


def test_a_gpu_that_fell_off_the_bus(facts):
    nvidia = facts("fallen-off-the-bus").nvidia
    assert [(event.code, event.pci_address, event.seconds) for event in nvidia.xids] == [
        (79, "0000:b3:00.0", 1843.308145),
        (79, "0000:44:00.0", 4044.5),
        (154, "0000:44:00.0", 4044.6),
    ]
    assert nvidia.suspended_once is True
    assert nvidia.modules_installed == ("updates/dkms/nvidia-uvm.ko", "updates/dkms/nvidia.ko")
    assert nvidia.kernel_module_flavour == "open"
    assert nvidia.libcuda == (  # the 32-bit one is left out
        LibraryFile(
            path="/lib/x86_64-linux-gnu/libcuda.so.1",
            real_path="/lib/x86_64-linux-gnu/libcuda.so.570.158.01",
            version="570.158.01",
            origin="ldconfig",
        ),
    )


def test_bus_facts_of_a_bound_and_an_unbound_card(facts):
    bound, unbound = facts("fallen-off-the-bus").gpus.devices
    assert (bound.driver, unbound.driver) == ("nvidia", "")
    assert bound.bar1_size == 64 << 30
    assert (bound.link.width, bound.link.width_max) == (8, 16)


def test_a_container_without_the_toolkit(facts):
    read = facts("docker-without-toolkit", {"nvml": "library-not-found"})
    assert (read.os.container, read.os.container_gpu_hook) == ("docker", False)
    assert read.os.secure_boot is None  # a container does not see the firmware
    assert read.gpus.devices[0].die == "GB202"
    assert (read.nvidia.nvml, read.nvidia.device_nodes, read.nvidia.libcuda) == ("library-not-found", (), ())
    assert read.nvidia.driver_version == "570.158.01"
    assert read.nvidia.modules_installed is None


def test_wsl(facts):
    read = facts("wsl2")
    assert (read.os.wsl, read.os.virtual_machine, read.os.secure_boot) == (2, "wsl", None)
    assert [gpu.product for gpu in read.gpus.devices] == ["Basic Render Driver"]
    assert read.nvidia.libcuda[0].path == "/usr/lib/wsl/lib/libcuda.so.1"
    assert read.nvidia.kernel_module_version is None
    assert [node.path for node in read.nvidia.device_nodes] == ["/dev/dxg"]


def test_wsl_without_gpu(facts):
    read = facts("wsl2-without-gpu", {"nvml": "library-not-found"})
    assert read.os.wsl == 2
    assert read.gpus.devices == ()
    assert read.nvidia is None


def test_jetson(facts):
    read = facts("jetson-agx-orin")
    board = read.jetson
    assert (board.model, board.soc) == ("NVIDIA Jetson AGX Orin Developer Kit", "tegra234")
    assert (board.l4t_release, board.jetpack, board.compute_capability) == ("39.2.0", "7.2", "8.7")
    assert read.nvidia.modules_loaded == ("nvgpu",)
    assert read.nvidia.libcuda[0].origin == "folder"
    assert (read.cpu.name, read.cpu.vendor, read.cpu.physical_cores) == ("Cortex-A78AE", "ARM", 2)
    assert "asimddp" in read.cpu.instruction_sets


def test_accelerators_on_usb_and_camera_bus(facts):
    coral, camera = facts("jetson-agx-orin").accelerators
    assert (coral.bus, coral.kind, coral.device_id) == ("usb", "edge tpu", "9302")
    assert (camera.bus, camera.kind, camera.nodes) == ("csi camera", "ai camera", ())


def test_amd(facts):
    read = facts("amd-strix-point")
    gpu = read.gpus.devices[0]
    assert (gpu.die, gpu.gfx_target, gpu.integrated, gpu.vendor) == ("Strix", "gfx1150", True, "AMD")
    assert read.amd.nodes == (
        AmdNode(gfx_target="gfx1150", pci_address="0000:c1:00.0", memory_total=16441004032, name="ip discovery"),
    )
    assert (read.amd.module_loaded, read.amd.rocm_version) == (True, "6.4.1-83")
    assert [node.path for node in read.amd.device_nodes] == ["/dev/kfd", "/dev/dri/renderD128"]
    assert read.nvidia is None


def test_amd_without_rocm_and_without_the_right_group(facts):
    amd = facts("amd-phoenix").amd
    assert amd.rocm_version == ""
    assert [node.readable for node in amd.device_nodes] == [False, False]


def test_amd_polaris(facts):
    gpu = facts("amd-rx580").gpus.devices[0]
    assert (gpu.gfx_target, gpu.bar1_size, gpu.integrated) == ("gfx803", 256 << 20, False)


@pytest.mark.parametrize(
    ("name", "product", "architecture", "integrated"),
    [
        ("intel-arc-a380", "Arc A380", "Xe HPG", False),
        ("intel-arc-b580", "Arc B580", "Xe2 HPG", False),
        ("intel-comet-lake", "UHD Graphics", None, True),
    ],
)
def test_intel(facts, name, product, architecture, integrated):
    read = facts(name)
    gpu = read.gpus.devices[0]
    assert (gpu.product, gpu.architecture, gpu.integrated) == (product, architecture, integrated)
    assert read.intel.level_zero[0].path == "/usr/lib64/libze_loader.so.1"


def test_the_link_to_the_slot_of_a_card_with_a_switch(tmp_path):
    """The topology of Linux for a card with a PCI Express switch of its own, as lspci -t draws it for an Arc."""
    card = recorded.load("intel-arc-a380")
    gpu = card["pci"][0]
    root = "/sys/devices/pci0000:00"
    port, upstream, inner, own = "0000:00:01.0", "0000:06:00.0", "0000:07:01.0", gpu["address"]
    ids = {"vendor": "0x8086", "class": "0x060400", "device": "0x4fa1", "revision": "0x01"}
    link = {"current_link_width": "4", "max_link_width": "16", "current_link_speed": "8.0 GT/s PCIe"}
    card["files"] |= {f"{root}/{port}/{name}": text for name, text in ids.items()}
    card["files"] |= {f"{root}/{port}/{upstream}/{name}": text for name, text in (ids | link).items()}
    card["files"] |= {f"{root}/{port}/{upstream}/{inner}/{name}": text for name, text in ids.items()}
    place = f"{root}/{port}/{upstream}/{inner}/{own}"
    card["files"] |= {f"{place}/{name}": text for name, text in gpu.items() if name not in ("address", "driver")}
    card["links"] = {f"/sys/bus/pci/devices/{own}": f"../../../..{place}"}
    del card["pci"]
    assert recorded.machine(card, tmp_path).gpus.devices[0].link == PciLink(width=4, width_max=16, generation=3)


def test_windows(facts):
    read = facts("windows-two-gpus")
    assert (read.os.name, read.os.version, read.os.secure_boot) == ("Windows 10 Home 22H2", "10.0.19045", True)
    assert read.os.virtual_machine == ""  # a hypervisor is present on every machine with core isolation
    nvidia, intel = read.gpus.devices
    assert (nvidia.die, nvidia.driver, nvidia.problem_code) == ("TU116", "nvlddmkm", 43)
    assert (nvidia.subsystem_vendor_id, nvidia.subsystem_device_id, nvidia.revision) == ("1462", "37bd", "a1")
    assert (intel.vendor, intel.integrated, intel.driver_version) == ("Intel", True, "27.20.100.9126")
    assert (read.nvidia.driver_version, read.nvidia.libcuda[0].version) == ("536.40", "31.0.15.3640")
    assert [accelerator.kind for accelerator in read.accelerators] == ["edge tpu", "edge tpu"]
    assert read.cpu.name == "AMD Ryzen 7 5800X 8-Core Processor"


def test_windows_cards_without_a_driver(facts):
    read = facts("windows-without-driver", {"nvml": "library-not-found"})
    basic, bare = read.gpus.devices
    assert (basic.product, basic.driver, basic.problem_code) == ("GeForce RTX 3080", "BasicDisplay", 0)
    assert (bare.product, bare.driver, bare.problem_code) == ("GeForce RTX 3050 Mobile", "", 28)
    assert (read.nvidia.driver_version, read.nvidia.libcuda) == (None, ())
    assert read.os.virtual_machine == "qemu"


def test_windows_with_a_byte_order_mark_before_its_answer(tmp_path):
    recording = recorded.load("windows-two-gpus")
    recording["commands"]["powershell.exe"]["stdout"] = "\ufeff" + recording["commands"]["powershell.exe"]["stdout"]
    assert len(recorded.machine(recording, tmp_path).gpus.devices) == 2


def test_windows_where_powershell_is_forbidden(tmp_path):
    recording = recorded.load("windows-two-gpus")
    recording["commands"]["powershell.exe"] = {"error": "PermissionError"}
    read = recorded.machine(recording, tmp_path)
    assert read.gpus is None
    assert read.unread == {"answer": "PermissionError"}


def test_apple_silicon(facts):
    read = facts("macos-m3-pro")
    apple = read.apple
    assert (apple.chip, apple.is_apple_silicon, apple.metal, apple.gpu_cores) == ("Apple M3 Pro", True, "Metal 3", 14)
    gpu = read.gpus.devices[0]
    assert (gpu.vendor, gpu.product, gpu.die, gpu.integrated) == ("Apple", "Apple M3 Pro", "M3 Pro", True)
    assert {"asimd", "asimddp", "bf16"} == set(read.cpu.instruction_sets)
    assert (read.os.architecture, read.os.virtual_machine) == ("arm64", "")


def test_apple_silicon_seen_by_a_translated_python(facts):
    read = facts("macos-m1-old")
    assert (read.os.architecture, read.apple.is_apple_silicon, read.apple.metal) == ("arm64", True, "Metal")


def test_intel_mac(facts):
    read = facts("macos-intel")
    iris, vega = read.gpus.devices
    assert (iris.vendor, iris.integrated, iris.device_id) == ("Intel", True, "162b")
    assert (vega.die, vega.gfx_target, vega.link) == ("Vega 10", "gfx900", PciLink(width=16))
    assert (read.apple.is_apple_silicon, read.os.architecture) == (False, "x86_64")
    assert {"sse4_2", "avx", "avx2", "pni"} <= set(read.cpu.instruction_sets)


def test_no_answer_of_the_machine_probe():
    assert read_machine(None, None) == MachineFacts(unread={"machine": "no-answer"})
    assert read_machine(None, {"nvml": "ok", "driver_version": "580.1"}).nvidia.driver_version == "580.1"


@pytest.mark.parametrize("name", recorded.NAMES)
def test_a_probe_that_was_ended_at_any_stage(name, tmp_path):
    answer = recorded.probe(recorded.unpack(recorded.load(name), tmp_path))
    for end in range(1, len(answer) + 1):
        read = read_machine(dict(list(answer.items())[:end]), None)
        assert read.os.system
    assert read_machine({"os": {"system": "Linux"}}, None).gpus is None


@pytest.mark.parametrize(
    ("text", "wsl"),
    [
        ("Linux version 5.15.90.1-microsoft-standard-WSL2 (oe-user@oe-host)", 2),
        ("Linux version 4.19.121-microsoft-standard (oe-user@oe-host)", 2),
        ("Linux version 4.4.0-19041-Microsoft (Microsoft@Microsoft.com)", 1),
        ("Linux version 6.8.0-1021-azure (buildd@lcy02)", 0),
    ],
)
def test_wsl_version(text, wsl):
    assert wsl_version(text) == wsl


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ('ID=debian\nVERSION_ID="12"', {"ID": "debian", "VERSION_ID": "12"}),
        ("# comment\n\nNAME='Arch Linux'\nID=arch", {"NAME": "Arch Linux", "ID": "arch"}),
        ('NAME="unclosed', {"NAME": '"unclosed'}),
        ('ID_LIKE="rhel centos fedora"', {"ID_LIKE": "rhel centos fedora"}),
    ],
)
def test_os_release(text, values):
    assert parse_os_release(text) == values


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19", ("535.104.05", "proprietary")),
        ("NVRM version: NVIDIA UNIX Open Kernel Module for aarch64  580.95.05  Release Build", ("580.95.05", "open")),
        ("", ("", None)),
    ],
)
def test_module_version(text, answer):
    assert parse_module_version(text) == answer


@pytest.mark.parametrize(
    ("line", "event"),
    [
        (
            "[  10.5] NVRM: Xid (PCI:0000:01:00): 31, pid=2034, name=python, Ch 00000008",
            XidEvent(code=31, pci_address="0000:01:00.0", text="pid=2034, name=python, Ch 00000008", seconds=10.5),
        ),
        ("NVRM: Xid (0000:03:00): 13, 0001", XidEvent(code=13, pci_address="0000:03:00.0", text="0001")),
        (
            "[ 7.0] NVRM: GPU at PCI:0000:06:00: GPU-1234\n[ 7.1] NVRM: GPU 0000:06:00.0: GPU has fallen off the bus.",
            XidEvent(code=79, pci_address="0000:06:00.0", text="fallen off the bus", seconds=7.1),
        ),
    ],
)
def test_xid_lines(line, event):
    assert parse_xids(line.splitlines()) == (event,)


def test_no_xid_in_ordinary_lines():
    assert parse_xids(["[ 1.0] nvidia: loading out-of-tree module", "[ 2.0] NVRM: GPU at PCI:0000:06:00: GPU-1"]) == ()


def test_small_numbers():
    assert [gfx_target(each) for each in ("90010", "100300", "110003", "0", None)] == [
        "gfx90a",
        "gfx1030",
        "gfx1103",
        None,
        None,
    ]
    assert full_address("00000000:01:00.0") == full_address("01:00") == "0000:01:00.0"
    assert [driver_branch(each) for each in ("32.0.15.7283", "10.0.1", None)] == ["572.83", None, None]


def test_this_very_machine():
    answer = run_probe(ProbeTask(probe="machine", script=script_of("ask/machine"), interpreter=sys.executable))
    assert answer.run.status == "ok"
    assert [stage.name for stage in answer.run.stages if stage.error] == []
    read = read_machine(answer.facts, None)
    assert read.os.system
    assert read.cpu.logical_cores
    assert read.memory.total
    json.dumps(answer.facts)


def test_a_gpu_without_a_memory_window():
    """The lines of https://github.com/NVIDIA/gpu-operator/issues/492."""
    lines = (
        "[83260.063553] NVRM: This PCI I/O region assigned to your NVIDIA device is invalid:",
        "               NVRM: BAR1 is 0M @ 0x0 (PCI:0000:14:00.0)",
        "[83260.063557] nvidia: probe of 0000:14:00.0 failed with error -1",
    )
    gpus = Gpus(devices=(Gpu(address="0000:14:00.0"), Gpu(address="0000:1b:00.0", bar1_size=256 << 20)))
    assert [gpu.bar1_size for gpu in without_window(gpus, lines).devices] == [0, 256 << 20]
    assert without_window(gpus, ()) == gpus

"""macOS: the machine as system_profiler, sysctl and sw_vers describe it."""

from __future__ import annotations

import re

from checks.facts import AppleFacts, CpuFacts, Gpu, Gpus, MachineFacts, MemoryFacts, OsFacts, PciLink
from checks.machine.buses import hex4, identify
from checks.machine.nodes import Raw

# sysctl's names of instruction sets and Linux' for the same, where lower case and "." -> "_" are not enough.
X86_NAMES = {"sse3": "pni", "avx1_0": "avx", "rdrand": "rdrand", "sha": "sha_ni", "bmi1": "bmi1"}
ARM_NAMES = {
    "hw.optional.AdvSIMD": "asimd", "hw.optional.arm.AdvSIMD": "asimd", "hw.optional.arm.FEAT_FP16": "asimdhp",
    "hw.optional.arm.FEAT_DotProd": "asimddp", "hw.optional.arm.FEAT_BF16": "bf16", "hw.optional.arm.FEAT_I8MM": "i8mm",
    "hw.optional.arm.FEAT_SME": "sme", "hw.optional.arm.FEAT_SME2": "sme2", "hw.optional.arm.FEAT_LSE": "atomics",
    "hw.optional.arm.FEAT_AES": "aes",
}  # fmt: skip
VENDOR_IDS = {"apple": "106b", "intel": "8086", "amd": "1002", "ati": "1002", "nvidia": "10de"}


def read(machine: Raw) -> MachineFacts:
    """All facts of a Mac."""
    raw = machine.get("macos") or {}
    profile = raw.get("profile") or {}
    sysctl = raw.get("sysctl") or {}
    displays = profile.get("SPDisplaysDataType")
    return MachineFacts(
        unread=raw.get("unread", {}),
        os=_os(machine.get("os") or {}, sysctl, raw.get("sw_vers") or {}),
        cpu=_cpu(machine.get("cpu") or {}, sysctl),
        memory=MemoryFacts(origin="sysctl", total=_number(sysctl.get("hw.memsize"))),
        gpus=None
        if displays is None
        else Gpus(
            origin="system_profiler",
            devices=tuple(read_gpu(display) for display in displays if "sppci_model" in display),
        ),
        apple=_apple(profile, sysctl, raw.get("sw_vers") or {}),
    )


def is_apple_silicon(sysctl: Raw, hardware: Raw) -> bool | None:
    """Whether the chip is Apple's own, also where this process runs translated (x86)."""
    if sysctl.get("hw.optional.arm64") == "1" or str(hardware.get("chip_type", "")).startswith("Apple"):
        return True
    return False if sysctl or hardware else None


def _os(raw: Raw, sysctl: Raw, sw_vers: Raw) -> OsFacts:
    version = sw_vers.get("ProductVersion")
    groups = raw.get("groups")
    return OsFacts(
        origin="sw_vers",
        system="Darwin",
        name=f"macOS {version}" if version else None,
        distribution="",
        version=version,
        kernel=raw.get("release"),
        architecture="arm64" if sysctl.get("hw.optional.arm64") == "1" else raw.get("machine"),
        libc="",
        wsl=0,
        container="",
        virtual_machine={"0": "", "1": "apple"}.get(sysctl.get("kern.hv_vmm_present", "")),
        package_managers=None if raw.get("managers") is None else tuple(raw["managers"]),
        groups=None if groups is None else tuple(groups),
        is_administrator=raw.get("administrator"),
    )


def _cpu(raw: Raw, sysctl: Raw) -> CpuFacts:
    logical = _number(sysctl.get("hw.logicalcpu"))
    return CpuFacts(
        origin="sysctl",
        name=sysctl.get("machdep.cpu.brand_string"),
        vendor=sysctl.get("machdep.cpu.vendor") or ("Apple" if sysctl.get("hw.optional.arm64") == "1" else None),
        instruction_sets=instruction_sets(sysctl) if sysctl else None,
        physical_cores=_number(sysctl.get("hw.physicalcpu")),
        logical_cores=logical,
        usable_cores=logical or raw.get("logical"),
    )


def instruction_sets(sysctl: Raw) -> tuple[str, ...]:
    """Instruction sets in Linux' spelling."""
    words = " ".join(sysctl.get(f"machdep.cpu.{name}", "") for name in ("features", "leaf7_features")).split()
    spelled = [word.lower().replace(".", "_") for word in words]
    arm = [name for key, name in ARM_NAMES.items() if sysctl.get(key) == "1"]
    return tuple(dict.fromkeys([X86_NAMES.get(arch, arch) for arch in spelled] + arm))


def read_gpu(display: Raw) -> Gpu:
    """One entry of SPDisplaysDataType."""
    model = display.get("sppci_model") or ""
    vendor_text = str(display.get("spdisplays_vendor", "")).lower()
    vendor_id = hex4(display.get("spdisplays_vendor-id")) or next(
        (number for name, number in VENDOR_IDS.items() if name in vendor_text or name in model.lower()), None
    )
    fields = identify(vendor_id, hex4(display.get("spdisplays_device-id")), None, None)
    if vendor_id == VENDOR_IDS["apple"]:
        fields |= {"vendor": "Apple", "die": model.removeprefix("Apple "), "integrated": True}
    fields["product"] = model or fields["product"]
    if fields.get("integrated") is None:
        fields["integrated"] = "spdisplays_vram_shared" in display or None
    lanes = re.search(r"x(\d+)", str(display.get("spdisplays_pcie_width", "")))
    revision = display.get("spdisplays_revision-id")
    return Gpu(
        origin="system_profiler",
        address="",
        **fields,
        revision=revision.removeprefix("0x")[-2:] if revision else None,
        link=PciLink(width=int(lanes.group(1))) if lanes else None,
    )


def _apple(profile: Raw, sysctl: Raw, sw_vers: Raw) -> AppleFacts:
    hardware = (profile.get("SPHardwareDataType") or [{}])[0]
    displays = profile.get("SPDisplaysDataType")
    cores = [_number(display.get("sppci_cores")) for display in displays or ()]
    return AppleFacts(
        origin="system_profiler",
        chip=hardware.get("chip_type") or hardware.get("cpu_type") or sysctl.get("machdep.cpu.brand_string"),
        is_apple_silicon=is_apple_silicon(sysctl, hardware),
        macos_version=sw_vers.get("ProductVersion"),
        metal=None if displays is None else metal(displays),
        gpu_cores=next((core for core in cores if core), None),
    )


def metal(displays: list[Raw]) -> str:
    """What the system reports of Metal ("Metal 3"); "" where no GPU supports it.

    The keys and values changed over the years: "spdisplays_metal3" (macOS 13), "spdisplays_mtlgpufamilyapple7"
    (macOS 11), "spdisplays_metalfeaturesetfamily13" and "spdisplays_supported" before.
    """
    keys = ("spdisplays_mtlgpufamilysupport", "spdisplays_metalfamily", "spdisplays_metal")
    texts = [str(display[key]) for display in displays for key in keys if key in display]
    for text in texts:
        version = re.fullmatch(r"spdisplays_metal(\d+)", text)
        if version:
            return f"Metal {version.group(1)}"
    return "Metal" if any("notsupported" not in text.replace("_", "") for text in texts) else ""


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isdigit() else None

"""Names and dies from pci.ids."""

import pytest
from support.extent import some

from checks.knowledge.gpu.gpu_architectures import GpuArchitectures, architecture_of_die
from checks.machine.pci import pci_name
from checks.paths import ROOT


@pytest.mark.parametrize(
    ("vendor", "device", "product", "die"),
    [
        ("10de", "2b85", "GeForce RTX 5090", "GB202"),
        ("10de", "2704", "GeForce RTX 4080", "AD103"),  # an often repeated claim says AD102
        ("10de", "27e0", "GeForce RTX 4080 Max-Q / Mobile", "AD104"),
        ("10de", "1f82", "GeForce GTX 1650", "TU117"),
        ("10de", "2188", "GeForce GTX 1650", "TU116"),
        ("10de", "2330", "H100 SXM5 80GB", "GH100"),
        ("10de", "100a", "GeForce GTX 780 Ti", "GK110B"),
        ("10de", "2e12", "GB10", "GB20B"),
        ("1002", "744c", "Radeon RX 7900 XT/7900 XTX/7900 GRE/7900M", "Navi 31"),
        ("8086", "e20b", "Arc B580", "Battlemage G21"),
        ("8086", "64a0", "Core Ultra 200V Series Processors Arc Graphics 130V/140V GPU", ""),
    ],
)
def test_known(vendor, device, product, die):
    found = pci_name(vendor, device)
    assert (found.product, found.die) == (product, die)


def test_other_vendors_have_names_and_no_die():
    found = pci_name("1a03", "2000")
    assert (found.vendor, found.product, found.die) == ("ASPEED Technology, Inc.", "ASPEED Graphics Family", "")


def test_the_board():
    assert pci_name("1002", "744c", "1da2", "e471").subsystem == "NITRO+ RX 7900 XTX Vapor-X"


@pytest.mark.parametrize(
    ("vendor", "device"), [("10de", "ffff"), ("fffe", "0001"), ("", ""), ("10DE", "2b85"), ("1", "\n"), ("10de", "2b8")]
)
def test_unknown_or_malformed(vendor, device):
    found = pci_name(vendor, device)
    assert (found.product, found.die, found.subsystem) == ("", "", "")


def test_every_device_is_found_as_a_plain_reading_of_the_list_finds_it():
    vendor, listed = "", []
    for line in (ROOT / "pci.ids").read_text(encoding="utf-8").splitlines():
        if line.startswith("C "):
            break
        if line[:1] not in ("", "#", "\t"):
            vendor = line[:4]
        elif vendor in ("10de", "1002", "8086") and line.startswith("\t") and not line.startswith("\t\t"):
            listed.append((vendor, line[1:5], line[7:].strip()))
    assert len(listed) > 8000
    for vendor, device, name in some(listed, 1500):
        assert pci_name(vendor, device).name == name


def test_every_die_of_the_table_is_in_the_list_and_back():
    data = (ROOT / "pci.ids").read_text(encoding="utf-8")
    integrated = {row.die for row in GpuArchitectures.read().tegra} | {"GB10B"}
    dies = {die for row in GpuArchitectures.read().nvidia for die in row.dies} - integrated
    assert {die for die in dies if f"  {die}" not in data and f"  {die[:5]}" not in data} == set()
    assert architecture_of_die(pci_name("10de", "2b85").die).compute_capability == "12.0"

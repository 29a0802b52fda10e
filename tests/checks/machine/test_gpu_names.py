"""What the name of a GPU tells, as drivers, frameworks and people write it."""

import pytest

from checks.machine.gpu_names import gpu_at, gpu_of_name, jetson_capability


@pytest.mark.parametrize(
    ("name", "die", "tells"),
    [
        ("NVIDIA GeForce RTX 5090", "GB202", "12.0"),
        ("NVIDIA GeForce RTX 5090 D", "GB202", "12.0"),
        ("NVIDIA GeForce RTX 5090 Laptop GPU", "GB203", "12.0"),
        ("NVIDIA GeForce RTX 4080", "AD103", "8.9"),
        ("NVIDIA GeForce RTX 3080 Laptop GPU", "GA104", "8.6"),
        ("GeForce RTX 2070 with Max-Q Design", "TU106", "7.5"),
        ("GeForce GTX 1080 Ti", "GP102", "6.1"),
        ("GTX1080Ti", "GP102", "6.1"),
        ("3090 Ti", "GA102", "8.6"),
        ("GeForce GTX TITAN X", "GM200", "5.2"),
        ("TITAN X (Pascal)", "GP102", "6.1"),
        ("Tesla V100-PCIE-16GB", "GV100", "7.0"),
        ("NVIDIA A100-SXM4-80GB", "GA100", "8.0"),
        ("NVIDIA A100 80GB PCIe", "GA100", "8.0"),
        ("NVIDIA H100 80GB HBM3", "GH100", "9.0"),
        ("NVIDIA GH200 480GB", "GH100", "9.0"),
        ("NVIDIA B200", "GB100", "10.0"),
        ("NVIDIA GB10", "GB20B", "12.1"),
        ("NVIDIA RTX A6000", "GA102", "8.6"),
        ("NVIDIA RTX 6000 Ada Generation", "AD102", "8.9"),
        ("NVIDIA RTX PRO 6000 Blackwell Workstation Edition", "GB202", "12.0"),
        ("Quadro RTX 4000", "TU104", "7.5"),
        ("Tesla T4", "TU104", "7.5"),
        ("NVIDIA L4", "AD104", "8.9"),
        ("Tesla K80", "GK210", "3.7"),
        ("AMD Radeon RX 7900 XTX", "Navi 31", "gfx1100"),
        ("rx6700xt", "Navi 22", "gfx1031"),
        ("Radeon RX 9070 XT", "Navi 48", "gfx1201"),
        ("AMD Instinct MI300X", "Aqua Vanjaram", "gfx942"),
        ("Intel(R) Arc(TM) A770 Graphics", "DG2", ""),
    ],
)
def test_speaks(name: str, die: str, tells: str) -> None:
    found = gpu_of_name(name)
    assert found is not None
    assert (found.die, found.compute_capability or found.gfx_target) == (die, tells)


def test_a_name_that_several_dies_have_tells_what_they_share() -> None:
    found = gpu_of_name("NVIDIA GeForce GTX 1650")
    assert found is not None
    assert (found.die, found.device_id, found.compute_capability) == ("", "", "7.5")


def test_a_name_of_two_generations_tells_neither() -> None:
    found = gpu_of_name("RTX 4000")
    assert found is not None
    assert (found.vendor_id, found.compute_capability, found.architecture) == ("10de", "", "")


@pytest.mark.parametrize("name", ["", "cpu", "NVIDIA", "Microsoft Basic Display Adapter", "llvmpipe", "GB202", "64GB"])
def test_silent(name: str) -> None:
    assert gpu_of_name(name) is None


def test_where_the_name_ends() -> None:
    found = gpu_at("RTX 5070 Ti with driver 576")
    assert found is not None
    assert found[1] == len("RTX 5070 Ti")
    assert gpu_at("RTX 50 series") is None
    assert gpu_at("RTX 5000 series") is None
    assert gpu_at("titan of the industry") is None


@pytest.mark.parametrize(
    ("model", "capability"),
    [
        ("Jetson Nano", "5.3"),
        ("NVIDIA Jetson Orin Nano Developer Kit", "8.7"),
        ("Jetson AGX Xavier", "7.2"),
        ("Jetson AGX Thor", "11.0"),
        ("Raspberry Pi 5", None),
    ],
)
def test_jetson(model: str, capability: str | None) -> None:
    assert jetson_capability(model) == capability


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("RTX 3070です。よろしくお願いいたします。", "RTX 3070"),
        ("RTX 4090、ドライバは535です", "RTX 4090"),
        ("RTX 3060(12GB)", "RTX 3060"),
        ("GeForce RTX 4070 Ti SUPERを使用", "GeForce RTX 4070 Ti SUPER"),
        ("RTX 5080!important", "RTX 5080"),
        ("RTX 3090显卡", "RTX 3090"),
        ("A100-SXM4-40GB。", "A100-SXM4-40GB"),
        ("RTX 4090입니다", "RTX 4090"),
    ],
)
def test_a_name_ends_where_the_sentence_goes_on(text: str, name: str) -> None:
    found = gpu_at(text)
    assert found is not None
    assert text[: found[1]] == name


@pytest.mark.parametrize("text", ["RTX 5060シリーズ", "RTX 5060系列"])
def test_a_row_of_cards_is_no_card_in_any_language(text: str) -> None:
    assert gpu_at(text) is None

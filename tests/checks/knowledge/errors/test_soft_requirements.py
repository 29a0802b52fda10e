"""The words with which packages ask for others, as the sources of transformers, diffusers and accelerate have them."""

import pytest

from checks.knowledge.catalogue import remedy_of
from checks.knowledge.errors.soft_requirements import SoftRequirements, remedies_for, wishes_in

FLASH = "has been toggled on, but it cannot be used due to the following error:"


ASKED = {
    f"FlashAttention2 {FLASH} the package flash_attn seems to be not installed. Please refer to": "flash-attn",
    f"FlashAttention2 {FLASH} the package for FlashAttention2 doesn't seem to be installed.": "flash-attn",
    f"FlashAttention3 {FLASH} the package for FlashAttention3 doesn't seem to be installed.": "flash-attn-3",
    f"{FLASH} you need flash_attn package version to be greater or equal than 2.1.0. Make": "flash-attn>=2.1.0",
    "because of missing package or the version is too old. Please install `flash-attn>=2.6.3`.": "flash-attn>=2.6.3",
    "LogMel requires essentia library. But that was not found in your environment.": "essentia",
    "Loading requires the `quark` library but it was not found in the environment.": "amd-quark",
    "Please install torch and gguf>=0.10.0 to load a GGUF checkpoint in PyTorch.": "gguf>=0.10.0",
    "`torchao` was not found on your system. Please ensure that `torchao >= 0.6.1` is installed": "torchao>=0.6.1",
    "TorchAO is not available. Please install it or use a different backend.": "torchao",
    "TransformersEngine was selected, but it is not installed on this machine.": "transformer-engine",
    "Using `fp8` precision requires `transformer_engine` or `MS-AMP` to be installed.": "transformer-engine",
    "StatefulDataLoader is not available. Please install torchdata version 0.8.0 or higher": "torchdata",
    "You need to install sacremoses to use XLMTokenizer.": "sacremoses",
    "To load a video from YouTube url you have to install `yt_dlp` first.": "yt-dlp",
    "Please make sure you have `sentencepiece` installed in order to use this tokenizer.": "sentencepiece",
    "apply_chat_template requires jinja2>=3.1.0 to be installed.": "jinja2>=3.1.0",
    "NVFP4 quantization requires the `kernels` package. Install a compatible version": "kernels",
    "soundfile must be installed in order to handle audio.": "soundfile",
    "Refer to https://github.com/x for more information on how to install xformers": "xformers",
}


@pytest.mark.parametrize(("message", "wish"), ASKED.items())
def test_the_package_that_is_asked_for(message: str, wish: str) -> None:
    assert wish in [str(wished) for wished in wishes_in(message)]


@pytest.mark.parametrize(
    "message",
    [
        f"FlashAttention2 {FLASH} FlashAttention2 requires at least version `2.3.3`.",
        f"FlashAttention2 {FLASH} FlashAttention2 is not available on CPU. Please make sure you are on any",
        "mpirun or mpiexec were not found. Ensure that Intel MPI, Open MPI, or MVAPICH are installed.",
        "The unidic dictionary itself is not found. See https://github.com/polm/unidic-py for installation.",
        "You seem to have cloned a repository without having git-lfs installed. Please install git-lfs and run `git",
        "feature extraction on CUDA accelerator devices requires torch, which is not installed.",
        "PRXTransformer2DModel is not available. Please ensure the transformer_prx module is properly loaded.",
    ],
)
def test_what_names_no_package(message: str) -> None:
    assert list(wishes_in(message)) == []


def test_what_a_program_does_without_comes_first() -> None:
    assert remedies_for("flash-attn")[0] == "use-built-in-attention"
    assert remedies_for("sentencepiece") == ()
    for row in SoftRequirements.read().without:
        assert all(remedy_of(remedy).step for remedy in row.remedies)

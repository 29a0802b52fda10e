"""What programs print in any case: beside the program's own error it names no cause."""

import pytest

from checks.facts import Facts
from checks.readers.tickets.lines import lines_of
from checks.readers.tickets.wording.signatures import hits

OWN_ERROR = "RuntimeError: mat1 and mat2 shapes cannot be multiplied (16x2048 and 1024x10)"
A_HINT = 0.5  # what is no surer than this is a hint

HARMLESS = {
    "a processor's instructions": (
        "I tensorflow/core/platform/cpu_feature_guard.cc:193] This TensorFlow binary is optimized with oneAPI Deep "
        "Neural Network Library (oneDNN) to use the following CPU instructions in performance-critical operations:  "
        "AVX2 FMA\nTo enable them in other operations, rebuild TensorFlow with the appropriate compiler flags."
    ),
    "factories registered twice": (
        "E external/local_xla/xla/stream_executor/cuda/cuda_dnn.cc:9261] Unable to register cuDNN factory: Attempting "
        "to register factory for plugin cuDNN when one has already been registered\n"
        "W tensorflow/compiler/tf2tensorrt/utils/py_utils.cc:38] TF-TRT Warning: Could not find TensorRT"
    ),
    "a default that will change": (
        "train.py:88: FutureWarning: You are using `torch.load` with `weights_only=False` (the current default value), "
        "which uses the default pickle module implicitly.\n  ckpt = torch.load(args.resume)"
    ),
    "a head that is to be trained": (
        "Some weights of BertForSequenceClassification were not initialized from the model checkpoint at "
        "bert-base-uncased and are newly initialized: ['classifier.bias', 'classifier.weight']\n"
        "You should probably TRAIN this model on a down-stream task to be able to use it for predictions and inference."
    ),
    "TF32 is off": (
        "UserWarning: TensorFloat32 tensor cores for float32 matrix multiplication available but not enabled. Consider "
        "setting `torch.set_float32_matmul_precision('high')` for better performance."
    ),
    "no xFormers": (
        "xFormers not available\nA matching Triton is not available, some optimizations will not be enabled."
    ),
    "a reader of pictures": (
        "UserWarning: Failed to load image Python extension: '[WinError 127] The specified procedure could not be "
        "found'If you don't plan on using image functionality from `torchvision.io`, you can ignore this warning."
    ),
    "settings of a run": (
        "CUDA_VISIBLE_DEVICES=0 python train.py --seed 42\ntorch.backends.cudnn.deterministic = True\n"
        "torch.backends.cudnn.benchmark = False"
    ),
    "greetings of several processes": (
        "Setting OMP_NUM_THREADS environment variable for each process to be 1 in default, to avoid your system being "
        "overloaded, please further tune the variable for optimal performance in your application as needed.\n"
        "NCCL INFO NET/Plugin : No plugin found (libnccl-net.so), using internal implementation\n"
        "NCCL version 2.14.3+cuda11.7"
    ),
    "sizes of NumPy's types": (
        "RuntimeWarning: numpy.ufunc size changed, may indicate binary incompatibility. Expected 192 from C header, "
        "got 216 from PyObject"
    ),
    "many workers": (
        "UserWarning: This DataLoader will create 12 worker processes in total. Our suggested max number of worker in "
        "current system is 8, which is smaller than what this DataLoader is going to create."
    ),
    "a guess": "Maybe my driver is too old? I have installed CUDA anew.",
}


@pytest.mark.parametrize("printed", HARMLESS.values(), ids=HARMLESS)
@pytest.mark.parametrize("is_first", [True, False], ids=["before", "after"])
def test_it_names_no_cause_beside_an_error(printed: str, *, is_first: bool) -> None:
    text = f"{printed}\n{OWN_ERROR}" if is_first else f"{OWN_ERROR}\n{printed}"
    found = hits(lines_of(text), (Facts(),))
    assert {hit.cause for hit in found if hit.signature.certainty > A_HINT} == {"user-code-error"}

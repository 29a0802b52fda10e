"""The texts of import errors: which cause each shows. The texts are from public threads, named beside them."""

import pytest

from checks.knowledge.errors.import_errors import ImportErrors, recognise

TEXTS = [
    # pytorch/pytorch#14274
    ("ImportError: /lib64/libc.so.6: version 'GLIBC_2.14' not found (required by torch/lib/libshm.so)", "libc-version"),
    # pytorch/pytorch#157709
    (
        "ImportError: /lib/x86_64-linux-gnu/libstdc++.so.6: version `GLIBCXX_3.4.30' not found (required by a.so)",
        "libstdcxx-version",
    ),
    (
        "ImportError: /home/user/anaconda3/lib/libstdc++.so.6: version `GLIBCXX_3.4.29' not found (required by a.so)",
        "libstdcxx-version-of-another-copy",
    ),
    (
        (
            "ImportError: /lib/x86_64-linux-gnu/libstdc++.so.6: version `GLIBCXX_3.4.30' not found (required by "
            "/home/user/miniconda3/envs/env/lib/python3.11/site-packages/torch/lib/libtorch_python.so)"
        ),
        "libstdcxx-of-conda-passed-over",
    ),
    # OpenNMT/CTranslate2#1849
    (
        (
            "ImportError: libctranslate2-bc15bf3f.so.4.5.0: cannot enable executable stack as shared object requires: "
            "Invalid argument"
        ),
        "executable-stack",
    ),
    # NVIDIA-AI-IOT/torch2trt#563
    (
        "OSError: /usr/lib/aarch64-linux-gnu/libgomp.so.1: cannot allocate memory in static TLS block",
        "static-tls",
    ),
    # pytorch/pytorch#111469
    (
        (
            "ImportError: /usr/lib/python3.10/dist-packages/torch/lib/../../nvidia/cusparse/lib/libcusparse.so.12: "
            "undefined symbol: __nvJitLinkAddData_12_1, version libnvJitLink.so.12"
        ),
        "cuda-symbol-of-another-version",
    ),
    # pytorch/pytorch#119932, pytorch/pytorch#123097
    ("ImportError: torch/lib/libtorch_cuda.so: undefined symbol: ncclCommRegister", "cuda-symbol-missing"),
    ("ImportError: torch/lib/libtorch_cpu.so: undefined symbol: iJIT_NotifyEvent", "mkl-symbol-missing"),
    # recorded: torchaudio 2.5.1 beside torch 2.13.0+cpu
    ("OSError: libtorch_cuda.so: cannot open shared object file: No such file or directory", "torch-library-not-found"),
    # conda-forge/opencv-feedstock#321
    ("ImportError: libGL.so.1: cannot open shared object file: No such file", "system-library-not-found"),
    # jhj0517/Whisper-WebUI#140
    (
        (
            "Could not load library libcudnn_ops_infer.so.8. Error: libcudnn_ops_infer.so.8: cannot open shared object "
            "file: No such file or directory"
        ),
        "cuda-library-not-found",
    ),
    # microsoft/onnxruntime#20049
    (
        (
            'ONNXRuntimeError] : 1 : FAIL : LoadLibrary failed with error 126 "" when trying to load '
            '"C:\\Lib\\site-packages\\onnxruntime\\capi\\onnxruntime_providers_cuda.dll"'
        ),
        "cuda-provider-dll",
    ),
    # pytorch/pytorch#59904
    (
        (
            "OSError: [WinError 1455] The paging file is too small for this operation to complete. Error loading "
            '"C:\\torch\\lib\\caffe2_module_test_dynamic.dll" or one of its dependencies.'
        ),
        "page-file",
    ),
    # pytorch/builder#1393
    (
        (
            "OSError: [WinError 126] The specified module could not be found. Error loading "
            '"C:\\Python\\lib\\site-packages\\torch\\lib\\cusparse64_12.dll" or one of its dependencies.'
        ),
        "cuda-dll-not-found",
    ),
    # hiyouga/LlamaFactory#5132
    (
        'OSError: [WinError 126] 找不到指定的模块。 Error loading "D:\\torch\\lib\\fbgemm.dll" or one',
        "torch-dll-not-found",
    ),
    # graph-rag-agent#54
    (
        'OSError: [WinError 1114] 动态链接库(DLL)初始化例程失败。 Error loading "D:\\torch\\lib\\c10.dll" or',
        "dll-initialisation",
    ),
    # microsoft/markitdown#1266
    (
        (
            "ImportError: DLL load failed while importing onnxruntime_pybind11_state: "
            "A dynamic link library (DLL) initialization routine failed."
        ),
        "dll-initialisation-of-an-extension",
    ),
    # facebookresearch/pytorch3d#1872
    ("ImportError: DLL load failed while importing _C: The specified procedure could not be found.", "dll-procedure"),
    ("ImportError: DLL load failed while importing _C: 指定されたプロシージャが見つかりません。", "dll-procedure"),
    (
        "ImportError: DLL load failed while importing _pywrap_tensorflow: 指定されたモジュールが見つかりません。",
        "dll-not-found",
    ),
    # ai2cm/ace#378
    (
        "A module that was compiled using NumPy 1.x cannot be run in\nNumPy 2.0.0 as it may crash.",
        "numpy-1-module-in-numpy-2",
    ),
    ("UserWarning: Failed to initialize NumPy: _ARRAY_API not found (Triggered internally at", "numpy-array-api"),
    # sdatkinson/neural-amp-modeler#543
    (
        "ValueError: numpy.dtype size changed, may indicate binary incompatibility. Expected 96 from C header, got 88",
        "numpy-struct-size",
    ),
    (
        "RuntimeError: module compiled against ABI version 0x1000009 but this version of numpy is 0x2000000",
        "numpy-c-api-version",
    ),
    ("RuntimeError: Numpy is not available", "numpy-bridge"),
    # MicrosoftDocs/windows-ai-docs#77
    ("TypeError: Descriptors cannot not be created directly.", "protobuf-descriptors"),
    ("TypeError: Descriptors cannot be created directly.", "protobuf-descriptors"),
    # world-federation-of-advertisers/cross-media-measurement#3327
    (
        (
            "google.protobuf.runtime_version.VersionError: Detected incompatible Protobuf Gencode/Runtime versions "
            "when loading basic_report.proto: gencode 5.29.5 runtime 5.27.2."
        ),
        "protobuf-runtime-version",
    ),
    # tensorflow/tensorflow#94030
    ("AttributeError: 'MessageFactory' object has no attribute 'GetPrototype'", "protobuf-get-prototype"),
    (
        "ImportError: cannot import name 'builder' from 'google.protobuf.internal' (/site-packages/__init__.py)",
        "protobuf-builder-absent",
    ),
    # faiss-wheels/faiss-wheels#40
    (
        "OMP: Error #15: Initializing libomp.a, but found libiomp5.dylib already initialized.",
        "openmp-error-15",
    ),
    # 2noise/ChatTTS#184
    ("RuntimeError: Cannot find a working triton installation.", "triton-missing"),
    # pytorch/vision#8985, ZQPei/deep_sort_pytorch#189
    ("RuntimeError: operator torchvision::nms does not exist", "torchvision-operator"),
    ("RuntimeError: No such operator torchvision::nms", "torchvision-operator"),
    # facebookresearch/detectron2#3710
    (
        (
            "ImportError: /env/detectron2/_C.cpython-36m-x86_64-linux-gnu.so: undefined symbol: "
            "_ZNK2at10TensorBase8data_ptrIdEEPT_v"
        ),
        "undefined-symbol",
    ),
    # huggingface/sentence-transformers#3001
    (
        "ImportError: cannot import name 'cached_download' from 'huggingface_hub' (/huggingface_hub/__init__.py)",
        "name-not-importable",
    ),
    # recorded: numba 0.59.1 beside NumPy 2.1.3
    ("ImportError: Numba needs NumPy 1.26 or less", "numba-needs-numpy"),
    (
        (
            "AttributeError: partially initialized module 'torch' has no attribute 'nn' (most likely due to a circular "
            "import)"
        ),
        "partially-initialized",
    ),
    # microsoft/onnxruntime, core/platform/windows/env.cc
    (
        (
            'Error loading "C:\\x\\onnxruntime\\capi\\onnxruntime_providers_cuda.dll" which depends on '
            '"cublasLt64_12.dll" which is missing. (Error 126: "The specified module could not be found.")'
        ),
        "cuda-provider-dll-dependency",
    ),
    # pytorch/pytorch, torch/backends/cudnn/__init__.py
    (
        (
            "RuntimeError: cuDNN version incompatibility: PyTorch was compiled  against (9, 1, 0) but found runtime "
            "version (8, 9, 7). PyTorch already comes bundled with cuDNN."
        ),
        "cudnn-of-torch",
    ),
    # google-research/deeplab2#66
    (
        (
            "17:19:29.385716: E tensorflow/stream_executor/cuda/cuda_dnn.cc:362] Loaded runtime CuDNN library: "
            "8.0.4 but source was compiled with: 8.1.0.  CuDNN library needs to have matching major version"
        ),
        "cudnn-of-tensorflow",
    ),
    # jax-ml/jax#18027 and others
    (
        (
            "CUDA backend failed to initialize: Found cuDNN version 8700, but JAX was built against version 8904, "
            "which is newer."
        ),
        "cudnn-of-jax",
    ),
    (
        (
            "CUDA backend failed to initialize: Found cuBLAS version 120205, but JAX was built against version 120304, "
            "which is newer."
        ),
        "cuda-of-jax",
    ),
    # ziatdinovmax/gpax#63
    (
        (
            "An NVIDIA GPU may be present on this machine, but a CUDA-enabled jaxlib is not installed. "
            "Falling back to CPU."
        ),
        "jaxlib-without-cuda",
    ),
    # facebookresearch/xformers#982
    ("    PyTorch 2.2.0+cu121 with CUDA 1201 (you have 2.2.0+cpu)", "xformers-built-for"),
    # pytorch/vision, torchvision/extension.py; pytorch/audio, src/torchaudio/_extension/utils.py
    (
        (
            "RuntimeError: Detected that PyTorch and torchvision were compiled with different CUDA major versions. "
            "PyTorch has CUDA Version=12.1 and torchvision has CUDA Version=11.8. Please reinstall"
        ),
        "companion-of-another-cuda",
    ),
    (
        (
            "RuntimeError: Detected that PyTorch and TorchAudio were compiled with different CUDA versions. "
            "PyTorch has CUDA version 12.1 whereas TorchAudio has CUDA version 11.8. Please install"
        ),
        "companion-of-another-cuda",
    ),
    ("RuntimeError: cuDNN error: CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH", "cudnn-parts-of-several-versions"),
]


@pytest.mark.parametrize(("text", "row"), [pytest.param(text, row, id=row) for text, row in TEXTS])
def test_recognised(text: str, row: str) -> None:
    found = recognise(text)
    assert found is not None
    assert found.row.id == row


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param("ValueError: the axes do not match", id="a-program-of-its-own"),
        pytest.param("ImportError: No module named foo", id="python-2"),
        pytest.param("CUDA error: no kernel image is available for execution on the device", id="no-import-error"),
    ],
)
def test_not_recognised(text: str) -> None:
    assert recognise(text) is None


def test_the_last_lines_of_a_flood_are_read() -> None:
    found = recognise("x\n" * 100_000 + "RuntimeError: Numpy is not available")
    assert found is not None
    assert found.row.id == "numpy-bridge"


@pytest.mark.parametrize(
    "filler", ["a", " ", "/", "'", "undefined symbol: ", "[WinError 126] ", "DLL load failed: ", "/a"]
)
def test_hostile_lines_are_read_to_the_end(filler: str) -> None:
    # A pattern that backtracks would not come back from this within the life of the machine.
    recognise("\n".join([(filler * 2000)[:2000]] * 30))


def test_ids_are_unique_and_patterns_named() -> None:
    ids = [row.id for row in ImportErrors.read().row]
    assert len(ids) == len(set(ids))
    assert all(0 < row.certainty <= 1 and row.sources for row in ImportErrors.read().row)

# ruff: noqa: E501 - what programs printed stays as it is
"""Tracebacks as interpreters, notebooks, test runners and loggers print them, in the midst of other text."""

import pytest

from checks.readers.tickets.found.tracebacks import Raised, package_of_path, read_tracebacks
from checks.readers.tickets.lines import lines_of


def raised(text: str) -> tuple[Raised, ...]:
    return read_tracebacks(lines_of(text))


def one(text: str) -> Raised:
    (found,) = raised(text)
    return found


# oobabooga and others: the plainest form (OedoSoldier/chatglm_webui#1)
PLAIN = r"""
Traceback (most recent call last):
  File "F:\AI\chatglm_webui\main.py", line 43, in <module>
    model = model.half().cuda()
  File "C:\Users\user\AppData\Local\Programs\Python\Python310\lib\site-packages\torch\cuda\__init__.py", line 221, in _lazy_init
    raise AssertionError("Torch not compiled with CUDA enabled")
AssertionError: Torch not compiled with CUDA enabled
"""

# gaogaotiantian/viztracer#552
CHAINED = """
/workspace$ python test_cuda.py
Traceback (most recent call last):
  File "/usr/local/lib/python3.12/dist-packages/torch/cuda/__init__.py", line 330, in _lazy_init
    queued_call()
  File "/usr/local/lib/python3.12/dist-packages/torch/library.py", line 153, in define
    result = self.m.define(schema, alias_analysis, tuple(tags))
             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
RuntimeError: VizTracer: Unexpected type. Might be an event mismatch.

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/workspace/test_cuda.py", line 5, in <module>
    initial_value = torch.tensor([3.0]).cuda(0)
                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^
  File "/usr/local/lib/python3.12/dist-packages/torch/cuda/__init__.py", line 336, in _lazy_init
    raise DeferredCudaCallError(msg) from e
torch.cuda.DeferredCudaCallError: CUDA call failed lazily at initialization with error: VizTracer: Unexpected type.
"""

# chenyuntc/pytorch-book#80
IPYTHON_OLD = r"""
RuntimeError                              Traceback (most recent call last)
<ipython-input-33-43ed9eaec2e6> in <module>()
      2 if t.cuda.is_available():
----> 3     x=x.cuda()
      4     y=y.cuda()

~\Anaconda3\lib\site-packages\torch\cuda\__init__.py in _lazy_init()
    159             "Cannot re-initialize CUDA in forked subprocess. " + msg)
    160     _check_driver()
--> 161     torch._C._cuda_init()
    162     _cudart = _load_cudart()

RuntimeError: generic_type: cannot initialize type "_CudaDeviceProperties": an object with that name is already defined
"""

IPYTHON_NEW = """
---------------------------------------------------------------------------
OSError                                   Traceback (most recent call last)
Cell In[1], line 1
----> 1 import torch

File ~/miniconda3/envs/ml/lib/python3.10/site-packages/torch/__init__.py:239, in <module>
    237     _load_global_deps()
--> 239 from torch._C import *

File ~/miniconda3/envs/ml/lib/python3.10/ctypes/__init__.py:374, in CDLL.__init__(self, name, mode)
    373 if handle is None:
--> 374     self._handle = _dlopen(self._name, mode)

OSError: libcurand.so.10: cannot open shared object file: No such file or directory
"""

# huggingface/sentence-transformers#3001
PYTEST = """
/usr/local/lib/python3.11/site-packages/sentence_transformers/__init__.py:3: in <module>
    from .datasets import SentencesDataset, ParallelSentencesDataset
/usr/local/lib/python3.11/site-packages/sentence_transformers/SentenceTransformer.py:12: in <module>
    from huggingface_hub import HfApi, HfFolder, Repository, hf_hub_url, cached_download
E   ImportError: cannot import name 'cached_download' from 'huggingface_hub' (/usr/local/lib/python3.11/site-packages/huggingface_hub/__init__.py)
"""

RICH = """
╭───────────────────── Traceback (most recent call last) ──────────────────────╮
│ /home/user/ai/train.py:12 in main                                            │
│                                                                              │
│    11 │   model = build()                                                    │
│ ❱  12 │   model.cuda()                                                       │
│    13                                                                        │
│                                                                              │
│ /home/user/venv/lib/python3.10/site-packages/torch/nn/modules/module.py:905  │
│ in cuda                                                                      │
│ /home/user/venv/lib/python3.10/site-packages/torch/cuda/__init__.py:293 in _lazy_init │
╰──────────────────────────────────────────────────────────────────────────────╯
RuntimeError: No CUDA GPUs are available
"""

# davidbrochart/anycorn#89, shortened
GROUP = """
  + Exception Group Traceback (most recent call last):
  |   File "/home/user/app/main.py", line 8, in <module>
  |     asyncio.run(main())
  | ExceptionGroup: unhandled errors in a TaskGroup (1 sub-exception)
  +-+---------------- 1 ----------------
    | Traceback (most recent call last):
    |   File "/home/user/app/.venv/lib/python3.14/site-packages/anyio/_core/_tasks.py", line 327, in _run_coro
    |     retval = await self._coro
    |              ^^^^^^^^^^^^^^^^
    | ValueError: no model was given
    +------------------------------------
"""


def test_plain() -> None:
    found = one(PLAIN)
    assert (found.type, found.message) == ("AssertionError", "Torch not compiled with CUDA enabled")
    assert [(frame.function, frame.line) for frame in found.frames] == [("<module>", 43), ("_lazy_init", 221)]
    assert found.frames[0].text == "model = model.half().cuda()"
    assert (found.package, found.line, found.first) == ("torch", 7, 0)


def test_chained() -> None:
    cause, effect = raised(CHAINED)
    assert (cause.type, cause.first, cause.package) == ("RuntimeError", 0, "torch")
    assert (effect.type, effect.first, effect.name) == (
        "torch.cuda.DeferredCudaCallError",
        1,
        "DeferredCudaCallError",
    )
    assert cause.frames[-1].text == "result = self.m.define(schema, alias_analysis, tuple(tags))"


def test_the_next_traceback_is_no_part_of_the_chain() -> None:
    assert [each.first for each in raised(CHAINED + PLAIN)] == [0, 1, 0]


def test_ipython_of_then() -> None:
    found = one(IPYTHON_OLD)
    assert found.message.startswith("generic_type: cannot initialize type")
    assert [frame.text for frame in found.frames] == ["x=x.cuda()", "torch._C._cuda_init()"]
    assert found.package == "torch"


def test_ipython_of_now() -> None:
    found = one(IPYTHON_NEW)
    assert found.type == "OSError"
    assert [frame.text for frame in found.frames] == [
        "import torch",
        "from torch._C import *",
        "self._handle = _dlopen(self._name, mode)",
    ]
    assert found.package == "ctypes"


def test_pytest() -> None:
    found = one(PYTEST)
    assert (found.type, found.package, len(found.frames)) == ("ImportError", "sentence_transformers", 2)


def test_rich() -> None:
    found = one(RICH)
    assert (found.message, found.package) == ("No CUDA GPUs are available", "torch")
    assert found.frames[0].text == "model.cuda()"


def test_exception_group() -> None:
    outer, inner = raised(GROUP)
    assert (outer.type, outer.package) == ("ExceptionGroup", "")
    assert (inner.type, inner.message, inner.package) == ("ValueError", "no model was given", "anyio")


def test_without_its_header() -> None:
    found = one(
        "  File \"train.py\", line 3, in <module>\n    import torch\nModuleNotFoundError: No module named 'torch'"
    )
    assert (found.type, len(found.frames), found.package) == ("ModuleNotFoundError", 1, "")


def test_in_markdown_with_log_prefixes() -> None:
    text = (
        "It stops:\n```\n"
        "(EngineCore pid=12) Traceback (most recent call last):\n"
        '(EngineCore pid=12)   File "/opt/venv/lib/python3.12/site-packages/vllm/v1/core.py", line 9, in run\n'
        "(EngineCore pid=12)     self.load()\n"
        "(EngineCore pid=12) torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n```\nPlease help"
    )
    found = one(text)
    assert (found.type, found.package) == ("torch.OutOfMemoryError", "vllm")
    assert "help" not in found.message


def test_a_path_that_the_terminal_wrapped() -> None:
    text = (
        "Traceback (most recent call last):\n"
        '  File "/home/user/miniconda3/envs/test/lib/python3.11/site-packages/tor\n'
        'ch/serialization.py", line 594, in load\n'
        "    return _load()\n"
        "RuntimeError: bad\n"
    )
    assert one(text).package == "torch"


def test_a_message_that_begins_below_its_name() -> None:
    text = 'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\nAssertionError: \nThe NVIDIA driver is too old\n'
    assert one(text).message == "\nThe NVIDIA driver is too old"


def test_alone() -> None:
    found = one("It says: nothing.\nRuntimeError: CUDA error: invalid device ordinal\n")
    assert (found.frames, found.package, found.line) == ((), "", 2)


@pytest.mark.parametrize(
    "text",
    [
        "Please help me with this Error",
        "ERROR: Could not find a version that satisfies the requirement torch",
        "error: subprocess-exited-with-error",
        "/x/torch/cuda/__init__.py:88: UserWarning: CUDA initialization: CUDA unknown error",
        "Note: see RuntimeError for more",
        "OMP: Error #15: Initializing libomp.a",
    ],
)
def test_silent(text: str) -> None:
    assert raised(text) == ()


@pytest.mark.parametrize(
    ("path", "package"),
    [
        ("/usr/lib/python3/dist-packages/numpy/core/__init__.py", "numpy"),
        (r"C:\ComfyUI_windows_portable\python_embeded\Lib\site-packages\onnxruntime\capi\x.py", "onnxruntime"),
        ("/x/site-packages/bitsandbytes-0.38.1-py3.9.egg/bitsandbytes/__main__.py", "bitsandbytes"),
        ("/x/lib/python3.10/site-packages/six.py", "six"),
        ("/home/user/miniconda3/envs/scGPT/lib/python3.8/subprocess.py", "subprocess"),
        (r"C:\Users\user\AppData\Local\Programs\Python\Python310\lib\ctypes\__init__.py", "ctypes"),
        ("<frozen importlib._bootstrap>", "importlib"),
        ("/home/user/lib/train.py", ""),
        ("<stdin>", ""),
        ("train.py", ""),
    ],
)
def test_package_of_path(path: str, package: str) -> None:
    assert package_of_path(path) == package


def test_no_more_than_what_is_bounded() -> None:
    frames = '  File "a.py", line 1, in f\n    f()\n' * 5000
    found = one("Traceback (most recent call last):\n" + frames + "RecursionError: maximum recursion depth exceeded")
    assert len(found.frames) == 40

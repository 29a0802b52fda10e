"""LiteRT in this interpreter (ai-edge-litert, or its older name tflite-runtime), and the delegate of the Edge TPU."""

import ctypes
import importlib
import importlib.util
import os
import sys

from .. import kit

# Package of Python -> its distributions; the newer one first.
PACKAGES = {
    "ai_edge_litert": ("ai-edge-litert", "ai-edge-litert-nightly"),
    "tflite_runtime": ("tflite-runtime", "tflite-runtime-nightly"),
}

# https://coral.ai/docs/edgetpu/tflite-python/
DELEGATE = {"darwin": "libedgetpu.1.dylib", "win32": "edgetpu.dll"}.get(sys.platform, "libedgetpu.so.1")


def _package():
    return next((name for name in PACKAGES if importlib.util.find_spec(name) is not None), "ai_edge_litert")


def imported(argument):
    """Import the interpreter for real; its import loads the native part."""
    name = _package()
    with kit.Warned() as warned:
        module = importlib.import_module(name + ".interpreter")
    found = kit.installed(*PACKAGES[name])
    facts = {"location": os.path.dirname(module.__file__), "warnings": warned.facts}
    for distribution, version in found.items():
        facts.update(package=distribution, version=version)
        break
    return facts


def edgetpu(argument):
    """Load the delegate of the Edge TPU: it fails without its library, and without a device."""
    module = importlib.import_module(_package() + ".interpreter")
    with kit.Captured() as captured:
        try:
            module.load_delegate(DELEGATE)
        except OSError as error:  # the library is not there or does not load
            return {"edgetpu_delegate": False, "edgetpu_error": str(error)}
        except Exception as error:  # the library is there, but the delegate does not start; the reason is printed
            facts = {"edgetpu_delegate": False, "edgetpu_error": str(error)}
        else:
            facts = {"edgetpu_delegate": True}
    if "edgetpu_error" in facts:
        facts["edgetpu_error"] = (facts["edgetpu_error"] + "\n" + captured.text).strip()
    return dict(facts, **_library())


def _library():
    """The library's own text: "BuildLabel(...), RuntimeVersion(14)"; it asks no device for that."""
    try:
        library = ctypes.CDLL(DELEGATE)
        library.edgetpu_version.restype = ctypes.c_char_p
        return {"edgetpu_version": library.edgetpu_version().decode("utf-8", "replace")}
    except (OSError, AttributeError):  # builds of others may lack the function
        return {}


STAGES = (imported, edgetpu, kit.libraries)
ESSENTIAL = ("imported",)

"""TensorRT's Python package in this interpreter, and whether a Builder can be made."""

import importlib
import importlib.util

from .. import kit

# The whole package, and the smaller ones that only run finished engines.
MODULES = ("tensorrt", "tensorrt_rtx", "tensorrt_lean", "tensorrt_dispatch")


def _module():
    name = next((module for module in MODULES if importlib.util.find_spec(module) is not None), MODULES[0])
    return importlib.import_module(name)


def imported(argument):
    """Import it for real; its import loads the shared libraries."""
    with kit.Warned() as warned:
        tensorrt = _module()
    return kit.import_facts(tensorrt, warned.facts)


def plugins(argument):
    """The operations beyond the standard ones."""
    tensorrt = _module()
    if not hasattr(tensorrt, "init_libnvinfer_plugins"):  # the smaller packages have none
        return {"plugins": 0}
    tensorrt.init_libnvinfer_plugins(tensorrt.Logger(tensorrt.Logger.ERROR), "")
    registry = tensorrt.get_plugin_registry()
    creators = getattr(registry, "all_creators", None)  # since 10.3; plugin_creator_list is the older half
    return {"plugins": len(creators if creators is not None else registry.plugin_creator_list)}


def builder(argument):
    """A Builder needs the driver and a GPU of a supported generation; the reason of a failure is only printed."""
    tensorrt = _module()
    if not hasattr(tensorrt, "Builder"):
        return {"unread": {"builder": "%s has no Builder" % tensorrt.__name__}}

    def work():
        return tensorrt.Builder(tensorrt.Logger(tensorrt.Logger.WARNING))

    with kit.Captured() as captured:
        fact = kit.attempt(work, lambda built: built is not None)
    if "error" in fact and captured.text:
        fact["error"]["message"] += "\n" + captured.text
    return {"builder": fact}


STAGES = (imported, plugins, builder, kit.libraries)
ESSENTIAL = ("imported",)

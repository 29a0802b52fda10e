"""What a program leaves in memory when it is over: run by start.py at the exit of a Python, after everything else.

All is found through ``sys.modules``. Nothing is imported that a framework brings, nothing is initialised, and an
attribute is read where it lies: a lazy module that was never used stays unloaded.
"""

import json
import os
import sys
import time

MOST_MODULES = 2000
MOST_FRAMES = 200
MOST_TEXT = 20000
MOST_WARNINGS = 100
MOST_ERRORS = 10
# What a driver opens to compute, not what it asks (nvidiactl) or draws with; as in checks/engine/watch/outside.py.
_GPU_FILES = ("/dev/nvidia", "/dev/kfd", "/dev/dxg", "/dev/accel/accel")
MOST_NEAR = 200  # names
MOST_ARRAYS = 10  # of one line
ARRAYS = (("torch", "Tensor"), ("torch.nn.parameter", "Parameter"), ("numpy", "ndarray"))


def devices(used):
    """Note the devices that frameworks use now, before one of them forgets."""
    used.extend(_devices()["devices"])


def write(folder, begun, words, variables, used=()):
    """Write down what this Python knows. ``begun``, ``variables``: what start.py noted, and what was set then.

    ``used``: devices that were noted earlier.
    """
    executable, prefix, version, parent, is_launcher, place = begun
    facts = {
        "pid": os.getpid(),
        "parent": int(parent) if str(os.getppid()) == parent else os.getppid(),
        "executable": executable,
        "prefix": prefix,
        "version": version,
        "is_launcher": is_launcher == "1",
        "folder": place,
        "arguments": [str(word) for word in words],
        "search_path": [str(entry) for entry in sys.path],
        "is_complete": True,
    }
    looks = (_errors, _modules, _libraries, _warnings, lambda: _devices(used), _gpu_files)
    for look in (*looks, lambda: _variables(variables)):
        try:
            facts.update(look())
        except Exception:
            pass
    name = os.path.join(folder, "%d-%x" % (os.getpid(), int(time.time() * 1e6)))
    with open(name + ".part", "wb") as file:
        file.write(json.dumps(facts, ensure_ascii=False, default=str).encode("utf-8", "replace"))
    os.rename(name + ".part", name + ".ended")


def _errors():
    """The exception that reached the top, and those that led to it."""
    error = getattr(sys, "last_exc", None) or getattr(sys, "last_value", None)
    if not isinstance(error, BaseException):
        return {}
    return described(error, getattr(sys, "last_traceback", None) or error.__traceback__)


def described(error, traceback, skip=()):
    """An exception and those that led to it, as facts. ``skip``: files whose frames are none of the program's."""
    earlier = []
    seen = {id(error)}
    before = _before(error)
    while before is not None and id(before) not in seen and len(earlier) < MOST_ERRORS:
        seen.add(id(before))
        earlier.insert(0, _told(before, before.__traceback__, skip))
        before = _before(before)
    return {"raised": _told(error, traceback, skip), "led_there": earlier}


def _before(error):
    return error.__cause__ if error.__cause__ is not None or error.__suppress_context__ else error.__context__


def _told(error, traceback, skip):
    kind = type(error)
    module = kind.__module__
    told = {
        "type": kind.__qualname__ if module in ("builtins", "__main__") else "%s.%s" % (module, kind.__qualname__),
        "frames": list(_frames(error, traceback, skip)),
    }
    try:
        told["message"] = str(error)[:MOST_TEXT]
    except Exception:  # its own __str__ fails
        pass
    for name in ("name", "path"):
        value = getattr(error, name, None)
        if isinstance(value, str):
            told[name] = value
    message = told.get("message", "")
    more = {"near": _near(message), "about": _about(message)}
    return dict(told, **{name: value for name, value in more.items() if value})


def _about(message):
    """The file of the class, or function, whose call a message says is wrong: "Parameter.make_metavar() missing 1"."""
    import re

    named = re.match(r"(?:(\w{1,100})\.)?(\w{1,100})\(\) (?:missing|takes|got) ", message)
    if named is None:
        return ""
    first, name = named.group(1) or named.group(2), named.group(2)
    found = set()
    for module in list(sys.modules.values()):
        try:
            thing = _of(module).get(first)
            owner = getattr(thing, "__module__", None)
            is_meant = callable(getattr(thing, name, None)) if named.group(1) else type(thing).__name__ == "function"
            if is_meant and isinstance(owner, str) and isinstance(thing, (type, type(_of))):
                found.add(_file(_of(sys.modules[owner])))
        except Exception:
            pass
    return found.pop() if len(found) == 1 else ""


def _near(message):
    """Names of the module that lacks one which begin alike and are about as long: the parts of a package first."""
    import re

    lacks = re.search(r"cannot import name '(\w{1,120})' from '([\w.]{1,200})'", message)
    module = sys.modules.get(lacks.group(2)) if lacks else None
    if module is None:
        return []
    written = lacks.group(1)
    try:
        inside = _of(module)
        listed = inside.get("__all__")
        names = [*inside, *(listed if type(listed) in (list, tuple) else ())]
        parts = {name.partition(".")[0] for folder in inside.get("__path__") or () for name in os.listdir(folder)}
        near = {name for name in {*names, *parts} if isinstance(name, str) and _is_near(name, written)}
    except Exception:
        return []
    return sorted(near, key=lambda name: (name not in parts, name))[:MOST_NEAR]


def _is_near(name, written):
    alike = name[:1].lower() == written[:1].lower() and abs(len(name) - len(written)) <= 1
    return alike and name.isidentifier() and name != written


def _frames(error, traceback, skip):
    import linecache

    chain = []
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename not in skip:
            chain.append((traceback.tb_frame, traceback.tb_lineno))
        traceback = traceback.tb_next
    if len(chain) > MOST_FRAMES:
        chain = chain[: MOST_FRAMES // 4] + chain[-(MOST_FRAMES - MOST_FRAMES // 4) :]
    for frame, line in chain:
        code = frame.f_code
        text = linecache.getline(code.co_filename, line or 0, frame.f_globals).strip()[:500]
        told = {"file": code.co_filename, "line": line, "function": code.co_name, "code": text}
        arrays = _arrays(frame, text)
        yield dict(told, arrays=arrays) if arrays else told
    if isinstance(error, SyntaxError) and isinstance(error.filename, str):  # where it is lies in no frame
        yield {"file": error.filename, "line": error.lineno, "code": (error.text or "").strip()[:500]}


def _arrays(frame, text):
    """Number format and device of the arrays that a line names. Nothing but PyTorch's and NumPy's own is asked."""
    import re

    found = {}
    try:
        for name in re.findall(r"[A-Za-z_]\w*", text):
            value = frame.f_locals.get(name)
            if (type(value).__module__, type(value).__name__) in ARRAYS and len(found) < MOST_ARRAYS:
                found[name] = ("%s %s" % (value.dtype, getattr(value, "device", ""))).strip()
    except Exception:
        pass
    return found


def _of(module):
    """What lies in a module, without asking the module for it."""
    return object.__getattribute__(module, "__dict__")


def _modules():
    """The modules at the top, and those below them that lie elsewhere than their package."""
    found = []
    for name, module in sorted(sys.modules.items()):
        try:
            inside = _of(module)
            file = _file(inside)
            if "." in name and not _is_elsewhere(file, name):
                continue
            entry = {"name": str(name), "file": file}
            version = inside.get("__version__")
            if isinstance(version, str):
                entry["version"] = "".join(version)[:100]
            found.append(entry)
        except Exception:
            pass
    return {"modules": found[:MOST_MODULES]}


def _file(inside):
    file = inside.get("__file__")
    return file if isinstance(file, str) else ""


def _is_elsewhere(file, name):
    parent = _file(_of(sys.modules[name.rpartition(".")[0]]))
    return bool(file and parent) and not file.startswith(os.path.dirname(parent))


def _libraries():
    """Native code in memory: of the whole process where the system tells, else the extension modules."""
    try:
        with open("/proc/self/maps", errors="replace") as file:
            mapped = (line.split(None, 5) for line in file)
            paths = {line[5].strip() for line in mapped if len(line) == 6 and "x" in line[1]}
        return {"libraries": sorted(path for path in paths if path.startswith("/"))}
    except OSError:
        pass
    files = (_file(_of(module)) for module in list(sys.modules.values()) if module is not None)
    return {"libraries": sorted({file for file in files if file.endswith((".so", ".pyd", ".dylib"))})}


def _warnings():
    """Every module remembers which warnings it has shown."""
    found = []
    for module in list(sys.modules.values()):
        try:
            shown = list(_of(module).get("__warningregistry__") or ())
        except Exception:
            shown = []
        keys = (key for key in shown if isinstance(key, tuple) and len(key) >= 2 and isinstance(key[1], type))
        found.extend("%s: %s" % (key[1].__name__, str(key[0])[:1000]) for key in keys)
    return {"warnings": list(dict.fromkeys(found))[:MOST_WARNINGS]}


def _gpu_files():
    """The files of GPUs that are open: whoever computed on one keeps it open to the end. Linux alone shows them."""
    opened = set()
    for name in os.listdir("/proc/self/fd"):
        try:
            opened.add(os.readlink("/proc/self/fd/" + name))
        except OSError:
            pass
    return {"gpu_files": sorted(path for path in opened if path.rstrip("0123456789") in _GPU_FILES)}


def _variables(before):
    """Those that the program set or took away."""
    now = {name: os.environ.get(name) for name in before}
    return {"variables": {name: now[name] for name in before if now[name] != before[name]}}


def _devices(used=()):
    found = []
    for framework in (_torch, _jax, _tensorflow, _onnxruntime):
        try:
            found.extend(framework())
        except Exception:
            pass
    together = {(use["framework"], use["device"]): use for use in [*used, *found]}
    return {"devices": list(together.values())}


def _use(framework, device, peak=None):
    return {"framework": framework, "device": str(device), "peak_memory": int(peak) if peak else None}


def _torch():
    for kind in ("cuda", "xpu"):
        module = sys.modules.get("torch." + kind)
        if module is not None and module.is_initialized():
            for index in range(module.device_count()):
                yield from _torch_memory(module, "%s:%d" % (kind, index), index)
    for device in _alive("torch", ("Tensor", "Parameter"), lambda tensor: str(tensor.device)):
        yield _use("torch", device)


def _torch_memory(module, device, index):
    """What PyTorch's allocator counted; where another one allocates, or none counts, "?" and the device."""
    backend = getattr(module, "get_allocator_backend", lambda: "native")()
    if backend != "native" or os.environ.get("PYTORCH_NO_CUDA_MEMORY_CACHING"):
        yield _use("torch", "?" + device)
        return
    counted = module.memory_stats(index)
    peak = counted.get("allocated_bytes.all.peak", 0)
    if peak or counted.get("allocated_bytes.all.allocated", 0):  # the peak can be set back, the sum cannot
        yield _use("torch", device, peak)


def _onnxruntime():
    for providers in _alive("onnxruntime", ("InferenceSession",), lambda session: tuple(session.get_providers())):
        for provider in providers:
            yield _use("onnxruntime", provider)


def _alive(package, names, ask):
    """What the objects of these types that still live answer, each answer once."""
    if package not in sys.modules:
        return []
    import gc
    import itertools

    # A program of a framework holds a million objects: each costs one look into a set, and none runs any code.
    kinds = set()
    for module, content in list(sys.modules.items()):
        if isinstance(content, type(sys)) and (module == package or module.startswith(package + ".")):
            kinds.update(kind for kind in map(_of(content).get, names) if isinstance(kind, type))
    objects = gc.get_objects()
    alive = itertools.compress(objects, map(kinds.__contains__, map(type, objects)))
    return list({ask(thing): True for thing in alive})


def _jax():
    bridge = sys.modules.get("jax._src.xla_bridge")
    for platform, client in list(getattr(bridge, "_backends", {}).items()):
        if platform == "cpu":
            yield _use("jax", "cpu")
            continue
        for device in client.local_devices():
            statistics = device.memory_stats() or {}
            yield _use("jax", "%s:%d" % (platform, device.id), statistics.get("peak_bytes_in_use"))


def _tensorflow():
    context = getattr(sys.modules.get("tensorflow.python.eager.context"), "_context", None)
    if context is None or getattr(context, "_context_handle", None) is None:
        return
    for device in list(getattr(context, "_logical_devices", None) or ()):
        name = device.name.replace("/device:", "")
        peak = None if name.startswith("CPU") else context.get_memory_info(name).get("peak")
        yield _use("tensorflow", name, peak)

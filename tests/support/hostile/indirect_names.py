"""Names by which a pickle reaches others: attributes, functions that call, code objects, files, further pickles."""

from __future__ import annotations

from support.hostile.assembler import (
    ARGUMENTS,
    EVIL,
    MARK,
    PYTHON,
    SHELL,
    Code,
    attribute,
    call,
    method,
    name,
)

_OS = name("os", "system")


def plain(*rows: tuple[str, tuple[object, ...]], needs: str = "") -> list[tuple[str, str, tuple[Code, ...]]]:
    """Functions that are called with plain arguments."""
    return [(function.replace(":", "."), needs, (call(function, *arguments),)) for function, arguments in rows]


MORE_NAMES: dict[str, list[tuple[str, str, tuple[Code, ...]]]] = {
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
        ("numpy.vectorize", "numpy", (call(call("numpy:vectorize", _OS), SHELL),)),
        ("numpy.frompyfunc", "numpy", (call(call("numpy:frompyfunc", _OS, 1, 1), SHELL),)),
        (
            "rebuild of a type",
            "torch",
            (call("torch._tensor:_rebuild_from_type_v2", _OS, name("torch", "Tensor"), (SHELL,), {}),),
        ),
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
    "threads, processes and pools": [
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
        ("joblib.delayed", "joblib", (call(call("joblib:Parallel", 1), [call(call("joblib:delayed", _OS), SHELL)]),)),
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
        *plain(
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
        *plain(
            ("numpy:save", (f"{MARK}.npy", [1])),
            ("numpy:savez", (MARK, [1])),
            ("numpy:savetxt", (MARK, [1])),
            ("numpy:memmap", (MARK, "uint8", "w+", 0, 4)),
            ("numpy.lib.format:open_memmap", (MARK, "w+", "uint8", (4,))),
            needs="numpy",
        ),
        *plain(
            ("torch:save", ([1], MARK)),
            ("torch.serialization:save", ([1], MARK)),
            ("torch:from_file", (MARK, True, 4)),
            ("torch:UntypedStorage.from_file", (MARK, True, 4)),
            needs="torch",
        ),
        *plain(("joblib:dump", ([1], MARK)), needs="joblib"),
        ("Path.touch", "", (method(call("pathlib:Path", MARK), "touch"),)),
        ("Path.write_text", "", (call("pathlib:Path.write_text", call("pathlib:Path", MARK), "x"),)),
        ("PosixPath.mkdir", "", (call("pathlib:PosixPath.mkdir", call("pathlib:PosixPath", MARK)),)),
        ("socket", "", (method(call("socket:socket", 1), "bind", MARK),)),
        ("tofile", "numpy", (method(call("numpy:array", [1]), "tofile", MARK),)),
    ],
    "further pickles": [
        *plain(
            ("pickle:loads", (EVIL,)),
            ("_pickle:loads", (EVIL,)),
            ("pickle:_loads", (EVIL,)),
            ("pickle:load", (call("io:BytesIO", EVIL),)),
            ("_pickle:load", (call("_io:BytesIO", EVIL),)),
        ),
        ("pickle.Unpickler", "", (method(call("pickle:Unpickler", call("io:BytesIO", EVIL)), "load"),)),
        ("pickle._Unpickler", "", (method(call("pickle:_Unpickler", call("io:BytesIO", EVIL)), "load"),)),
        *plain(("dill:loads", (EVIL,)), needs="dill"),
        *plain(("cloudpickle:loads", (EVIL,)), needs="cloudpickle"),
        *plain(("pandas:read_pickle", (call("io:BytesIO", EVIL),)), needs="pandas"),
        *plain(("joblib:load", (call("io:BytesIO", EVIL),)), needs="joblib"),
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
        "types:CodeType",
        code.co_argcount,
        code.co_posonlyargcount,
        code.co_kwonlyargcount,
        code.co_nlocals,
        code.co_stacksize,
        code.co_flags,
        code.co_code,
        tuple(code.co_consts),
        tuple(code.co_names),
        tuple(code.co_varnames),
        code.co_filename,
        code.co_name,
        code.co_qualname,
        code.co_firstlineno,
        code.co_linetable,
        code.co_exceptiontable,
    )


MORE_NAMES["code objects"] = _of_code()

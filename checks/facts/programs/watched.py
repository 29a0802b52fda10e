"""The user's own program: started and watched, or one of its statements tried alone."""

from collections.abc import Iterator
from enum import StrEnum

import msgspec

from checks.facts.base import Fact
from checks.facts.python import InterpreterFacts


class ProgramEnd(StrEnum):
    """How a watched program ended; a case may hold others, of a newer version."""

    ENDED = "ended"  # by itself: ``exit_code`` or ``signal``
    WATCHED = "watched"  # it still ran when the chosen time was over, and was ended by us
    RUNNING = "running"  # it ran before we came; it was looked at for a while and left as it was
    CANCELLED = "cancelled"
    TOO_MUCH_MEMORY = "too-much-memory"
    NOT_STARTED = "not-started"  # the system refused; ``detail`` says why


class Frame(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line of a traceback. ``arrays``: number format and device of those that it names ("torch.float16 cuda:0")."""

    file: str
    line: int | None = None
    function: str = ""
    code: str = ""
    arrays: dict[str, str] = {}


class Raised(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An exception as an object tells it. ``frames``: the outermost first.

    ``name`` and ``path``: what an ImportError, AttributeError or NameError carries of itself. ``near``: of a module
    that lacks a name those that it has and that look like it, the parts of a package first. ``about``: the file in
    which the class or function is defined that its message names, "" where that is not known.
    """

    type: str  # "ModuleNotFoundError"; with its module where it is no built-in one: "torch.cuda.OutOfMemoryError"
    message: str = ""
    frames: tuple[Frame, ...] = ()
    name: str | None = None
    path: str | None = None
    near: tuple[str, ...] = ()
    about: str = ""


class LoadedModule(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A module in memory. ``file``: "" where it has none (built in, a namespace package)."""

    name: str
    file: str = ""
    version: str | None = None  # its __version__


class DeviceUse(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A device that a framework really used, or opened: "cuda:0", "cpu", "mps", "CUDAExecutionProvider"."""

    framework: str
    device: str
    peak_memory: int | None = None


class GpuMoment(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What one GPU did from ``begin`` to ``end``, seconds after the start of a watched program.

    ``busy``: the share of the time in which a kernel of anybody ran, 0 to 1; None: the GPU does not tell. ``memory``:
    bytes that the program's processes held at most; None: nobody can tell them from others'.
    """

    begin: float
    end: float
    busy: float | None = None
    memory: int | None = None


class GpuUse(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How one NVIDIA GPU was used while a program was watched, as NVML tells it.

    ``looks``: how often it was asked; ``idle``: the share of them at which nothing had run on it, None: it does not
    tell. ``is_own``: whether the driver listed processes of the program on it; None: it lists none that could be
    compared, as in a container with process numbers of its own.
    """

    gpu: int
    name: str = ""
    uuid: str = ""
    memory_total: int | None = None
    looks: int = 0
    idle: float | None = None
    is_own: bool | None = None
    moments: tuple[GpuMoment, ...] = ()

    @property
    def memory(self) -> int | None:
        """The most that the program's processes held."""
        return max((moment.memory for moment in self.moments if moment.memory is not None), default=None)

    @property
    def busy(self) -> float | None:
        """The mean share of the time in which something ran on it, over the whole watch."""
        told = [(moment.busy, moment.end - moment.begin) for moment in self.moments if moment.busy is not None]
        seconds = sum(length for _, length in told)
        return sum(busy * length for busy, length in told) / seconds if seconds else None


class PythonProcess(Fact, frozen=True, kw_only=True, omit_defaults=True):
    """One Python of a watched program, as seen from its inside."""

    pid: int
    parent: int | None = None
    executable: str = ""
    prefix: str = ""
    version: str = ""
    arguments: tuple[str, ...] = ()
    folder: str = ""
    search_path: tuple[str, ...] = ()  # sys.path at the end
    is_launcher: bool = False  # it only starts the program: torchrun, poetry run
    is_complete: bool = False  # it came to its end in order; else what follows is from before it died
    raised: Raised | None = None  # the exception that ended it
    led_there: tuple[Raised, ...] = ()  # its causes, and those in whose handling it was raised, the first one first
    crash: str = ""  # what faulthandler wrote
    modules: tuple[LoadedModule, ...] = ()
    libraries: tuple[str, ...] | None = None  # files of native libraries and extension modules in memory
    warnings: tuple[str, ...] = ()
    devices: tuple[DeviceUse, ...] = ()
    gpu_files: tuple[str, ...] | None = None  # files of GPUs that were open at its end; None: nobody could look
    # Variables of the allow list that the program itself set (name -> value) or took away (name -> None).
    variables: dict[str, str | None] = {}


GONE = "gone"  # the detail of one that ended while it was looked at: nobody saw how
LONG_ENOUGH = 10.0  # seconds: importing a framework alone takes some
_LOCKED = 2.0  # seconds: no computation keeps its main thread at one lock for so long
_IDLE = 0.02  # cores: what looking for news now and then takes


class ProgramRun(Fact, frozen=True, kw_only=True, omit_defaults=True):
    """A program that was run as the user runs it, or (``statement``) one statement of it that was tried alone."""

    command: tuple[str, ...] = ()
    # What was really started, where the command names it in another way: "train.py"; of what was only read in a
    # program, how that is started.
    started: tuple[str, ...] = ()
    folder: str = ""
    statement: str = ""
    package: str = ""  # the distribution whose first use the statement is, where nobody named it
    file: str = ""  # the script of the project that has the statement, where nobody named it
    read_at: str = ""  # where the statement was read in a program that was not run itself: "main.py:12"
    end: str = ProgramEnd.ENDED.value
    exit_code: int | None = None
    signal: str | None = None  # "SIGSEGV"
    seconds: float | None = None
    peak_memory: int | None = None  # of all its processes together
    oom_kills: int | None = None  # processes that the system's OOM killer ended meanwhile; None: nobody counted
    processes: int | None = None  # that were seen, itself among them
    output: str = ""  # of standard output: its beginning, its end, and lines that complain
    errors: str = ""  # of standard error
    output_bytes: int = 0
    errors_bytes: int = 0
    interpreter: str | None = None  # the Python that really ran; None: no Python was seen
    pythons: tuple[PythonProcess, ...] = ()
    gpu_processes: tuple[int, ...] = ()  # process numbers of it that a driver listed
    gpu_untouched_for: float | None = None  # seconds for which it was watched with no GPU open; None: not known
    gpu_use: tuple[GpuUse, ...] = ()  # of each GPU that NVML knows, over the time; () where there is none
    quoted_variables: dict[str, str] = {}  # of its environment, whose whole value its exception names
    processor: float | None = None  # cores that were busy on average
    limits: dict[
        str, int
    ] = {}  # of its processes, the lowest that were seen: "cpu_time" (seconds), "file_size" (bytes)
    processor_time: float | None = None  # seconds that its busiest process had used at last, where those are limited
    waits_for: tuple[str, ...] = ()  # what its processes waited for at every look: "lock", "input"; () where unknown
    measured_for: float | None = None  # the last seconds, over which ``processor`` and ``waits_for`` were seen
    detail: str = ""

    @property
    def is_unasked(self) -> bool:
        """Whether nobody named it as what fails, nor saw the program come to it: a failure may not be the user's."""
        return bool(self.package or self.file or self.read_at)

    @property
    def failed(self) -> bool:
        """Whether it ended with a failure of its own."""
        own_end = self.end == ProgramEnd.ENDED and bool(self.exit_code or self.signal)
        return own_end or self.end in (ProgramEnd.NOT_STARTED, ProgramEnd.TOO_MUCH_MEMORY)

    @property
    def worked(self) -> bool:
        """Whether it was seen to come to its end without a failure."""
        return self.end == ProgramEnd.ENDED and self.exit_code == 0

    @property
    def left_gpu_alone(self) -> bool:
        """Whether it was seen to open no GPU; False where nobody knows.

        Either each of its Pythons came to its end in order and had none open then, or it was watched for long enough.
        """
        inside = [python for python in self.pythons if not python.is_launcher]
        is_whole = bool(inside) and all(python.is_complete and python.gpu_files is not None for python in inside)
        is_long = self.end != ProgramEnd.ENDED and (self.gpu_untouched_for or 0.0) >= LONG_ENOUGH
        return (is_whole or is_long) and not self.gpu_processes

    @property
    def only_waited(self) -> bool:
        """Whether it still ran, and was seen to compute nothing at last, nor on a GPU that can be seen.

        One that ran before has to be seen for long; one that waits for a lock alone, and is no server, for a moment.
        """
        if self.end not in (ProgramEnd.RUNNING, ProgramEnd.WATCHED) or self.detail == GONE:
            return False
        if self.processor is None or self.processor >= _IDLE or self.gpu_processes:
            return False
        ran_before = self.end == ProgramEnd.RUNNING
        measured = self.measured_for or (self.seconds if ran_before else None) or 0.0
        is_locked = "lock" in self.waits_for and {"lock", "child"}.issuperset(self.waits_for)
        return (ran_before and measured >= LONG_ENOUGH) or (is_locked and measured >= _LOCKED)

    @property
    def label(self) -> str:
        """How it is named: its statement, or its command line."""
        return self.statement or " ".join(self.command)

    @property
    def failing_python(self) -> PythonProcess | None:
        """The Python whose exception ended the program: the innermost one that raised."""
        ending = [python for python in self.pythons if python.raised is not None]
        return next((python for python in ending if not python.is_launcher), ending[0] if ending else None)

    @property
    def raised(self) -> Raised | None:
        """The exception that ended the program."""
        return self.failing_python.raised if self.failing_python else None


class ProgramRuns(Fact, frozen=True, kw_only=True, omit_defaults=True):
    """All programs and statements that were run for a case, and the interpreters of that case, the target first.

    Made of ``Facts`` for the checks (checks/causes/registry.py), never saved.
    """

    runs: tuple[ProgramRun, ...] = ()
    interpreters: tuple[InterpreterFacts, ...] = ()

    def interpreter_of(self, run: ProgramRun) -> InterpreterFacts | None:
        """What is known of the Python that ran: found by its path or its folder; else the target's."""
        python = run.failing_python or next(iter(run.pythons), None)
        paths = {path for path in (run.interpreter, python.executable if python else None) if path}
        for interpreter in self.interpreters:
            if interpreter.path in paths or (python and python.prefix and interpreter.prefix == python.prefix):
                return interpreter
        return next(iter(self.interpreters), None)

    def failed(self) -> Iterator[ProgramRun]:
        """Those that failed."""
        return (run for run in self.runs if run.failed)

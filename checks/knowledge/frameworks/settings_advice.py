"""Lines of a program that make its results repeat or agree, and where each is needed."""

from enum import StrEnum

from checks.knowledge import Table, Worded


class Part(StrEnum):
    """Where a line stands in the program."""

    ENVIRONMENT = "environment"  # before the framework is imported
    SEED = "seed"
    SETTING = "setting"
    USE = "use"


class Need(StrEnum):
    """What must hold for a line to be needed (see the table)."""

    PYTHON = "python"
    LOADER = "loader"
    NUMPY = "numpy"
    BITS = "bits"
    SEED = "seed"
    CUDA = "cuda"
    TF32 = "tf32"
    THREADS = "threads"
    ONEDNN = "onednn"
    PLATFORM_MATH = "platform-math"


class SettingLine(Worded):
    """A line, or some that belong together, and what it is for. ``without``: needed only where these do not hold."""

    id: str
    part: Part
    code: str
    source: str
    framework: str = ""
    needs: tuple[Need, ...] = ()
    without: tuple[Need, ...] = ()
    since: str = ""
    before: str = ""
    imports: tuple[str, ...] = ()
    cost: str = ""


class SettingsAdviceTable(Table):
    line: tuple[SettingLine, ...]

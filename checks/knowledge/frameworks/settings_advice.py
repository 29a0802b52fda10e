"""Lines of a program that make its results repeat or agree, and where each is needed."""

from enum import StrEnum

from checks.knowledge import Row, Table


class Part(StrEnum):
    """Where a line stands in the program."""

    ENVIRONMENT = "environment"  # before the framework is imported
    SEED = "seed"
    SETTING = "setting"
    USE = "use"


class Need(StrEnum):
    """What must hold for a line to be needed (see the table)."""

    PROGRAM = "program"
    NUMPY = "numpy"
    BITS = "bits"
    SEED = "seed"
    CUDA = "cuda"
    TF32 = "tf32"
    THREADS = "threads"
    ONEDNN = "onednn"
    PLATFORM_MATH = "platform-math"


class SettingLine(Row):
    """A line, or some that belong together. ``without``: it is needed only where these do not hold."""

    id: str
    part: Part
    code: str
    en: str
    ja: str
    source: str
    framework: str = ""
    needs: tuple[Need, ...] = ()
    without: tuple[Need, ...] = ()
    since: str = ""
    before: str = ""
    imports: tuple[str, ...] = ()
    cost: str = ""

    def why(self, language: str) -> str:
        """What it is for."""
        return self.ja if language == "ja" else self.en


class SettingsAdviceTable(Table):
    line: tuple[SettingLine, ...]

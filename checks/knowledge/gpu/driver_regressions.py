"""NVIDIA driver versions that public threads report trouble with."""

from checks.facts.versions import release
from checks.knowledge import Row, Table
from checks.knowledge.gpu.cuda_driver import driver_number


class Regression(Row):
    """A range of driver versions, ``first`` included and ``before`` excluded; "" is an open end."""

    system: str
    first: str
    before: str
    good: str  # a version that the same thread names as good
    gpu_names: tuple[str, ...] = ()
    source: str

    def covers(self, system: str, version: str, gpu: str) -> bool:
        """Whether the report speaks of this driver version and this GPU on this system."""
        number = release(driver_number(version))
        return (
            system == self.system
            and release(self.first) <= number
            and (not self.before or number < release(self.before))
            and (not self.gpu_names or any(name in gpu for name in self.gpu_names))
        )


class DriverRegressions(Table):
    row: tuple[Regression, ...]

"""What Sony's IMX500 sensor holds."""

from checks.knowledge import Table


class Imx500Table(Table):
    """``memory``: bytes for a network."""

    memory: int
    memory_source: str

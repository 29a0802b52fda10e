"""What Sony's IMX500 sensor holds."""

from checks.knowledge import Table


class Imx500Table(Table):
    """resources/knowledge/formats/imx500.toml. ``memory``: bytes for a network."""

    memory: int
    memory_source: str

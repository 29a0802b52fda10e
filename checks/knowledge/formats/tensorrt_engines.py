"""What the header of a TensorRT engine says, and where engines load."""

from checks.knowledge import Row, Table


class Serialization(Row):
    """The number of an archive's layout and the releases that write it.

    ``seen``: "file" read off a file that names its version, "report" from a user's error text, "unsure".
    """

    product: str
    tag: int
    tensorrt: str
    seen: str


class RtxTarget(Row):
    """A bit of TensorRT-RTX's header, and the compute capability that it stands for."""

    bit: int
    compute_capability: str
    since: str = ""


class Rule(Row):
    """Where an engine loads. ``subject``: "version", "gpu", "system" or the builder's flag that loosens them."""

    subject: str
    rule: str
    source: str
    since: str = ""


class TensorRtEnginesTable(Table):
    serialization: tuple[Serialization, ...]
    rtx_target: tuple[RtxTarget, ...]
    rule: tuple[Rule, ...]


def written_by(product: str, tag: int) -> Serialization | None:
    """The releases that write archives of a number; None where the table has no row."""
    rows = TensorRtEnginesTable.read().serialization
    return next((row for row in rows if row.product == product and row.tag == tag), None)


def rtx_targets(bits: int) -> tuple[str, ...]:
    """The compute capabilities among a header's bits; bits that nobody explained are left out."""
    rows = TensorRtEnginesTable.read().rtx_target
    return tuple(row.compute_capability for row in rows if bits >> row.bit & 1)


def rule(subject: str) -> Rule:
    """The rule about something."""
    return next(row for row in TensorRtEnginesTable.read().rule if row.subject == subject)

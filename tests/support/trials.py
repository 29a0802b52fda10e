"""What came of trying the remedies of a case."""

from collections.abc import Callable

from checks.facts import Proof
from checks.facts.case import Case
from checks.proof.prove import Tried, prove
from checks.proof.trial import Trying

Failed = Callable[..., Case]


def proofs_of(case: Case, **options: object) -> dict[str, Proof]:
    steps = prove(case, **options)  # type: ignore[arg-type]
    try:
        while True:
            step = next(steps)
            assert isinstance(step, Trying | Tried)
    except StopIteration as ended:
        return {proof.remedy: proof for proof in ended.value.facts.proofs}

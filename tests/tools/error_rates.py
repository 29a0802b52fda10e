"""How often a setting that does nothing is said to make an operation repeat: the real probe and judgement, played.

Each trial draws results of an operation that gives another one at a known rate, whatever is set, counts them as the
probe does, chunk by chunk and until it stops, and judges both runs. By hand, from the root of the repository:

    python -m tests.tools.error_rates [TRIALS]
"""

import itertools
import random
import sys

import msgspec

from checks.analysis.numbers.repeats import repeated
from checks.facts import Repeat
from checks.probes.compute.counting import Counted

RATES = (0.001, 0.002, 0.003, 0.005, 0.01, 0.05, 0.2, 0.5)
MOST = (300, 1000)  # repetitions, of quick and standard effort
CHUNKS = (1, 256)  # calls between two looks at the results, of a long and of a short operation
SETTINGS = ("deterministic", "cudnn-off", "cudnn-deterministic")  # that are tried, none of which does anything


def played(drawn: random.Random, rate: float, most: int, chunk: int, setting: str) -> Repeat:
    """The fact that the probe makes of an operation with this rate."""
    counted = Counted()
    counted.warm_up = 0
    while not counted.is_enough(most):
        codes = [int(drawn.random() < rate) for _ in range(min(chunk, most - len(counted.order)))]
        counted.add(codes, [1e-3] * len(codes), 1e-3 * len(codes))
    names = {"framework": "torch", "operation": "sum", "device": "cuda:0", "dtype": "float32", "setting": setting}
    return msgspec.convert({**names, **counted.figures()}, Repeat)


def is_said_to_mend(drawn: random.Random, rate: float, most: int, chunk: int, settings: tuple[str, ...]) -> bool:
    """Whether one trial ends with "repeats under it" of one of the settings."""
    made = [played(drawn, rate, most, chunk, setting) for setting in ("default", *settings)]
    (found,) = repeated(made, {"torch": "2.13.0"})
    return bool(found.mended_by)


def main() -> None:
    """Print the share of wrong statements for each rate."""
    trials = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    for settings in (SETTINGS[:1], SETTINGS):
        for most, chunk in itertools.product(MOST, CHUNKS):
            shares = []
            for rate in RATES:
                drawn = random.Random(f"{rate} {most} {chunk}")
                wrong = sum(is_said_to_mend(drawn, rate, most, chunk, settings) for _ in range(trials))
                shares.append(f"{rate:.1%}: {wrong / trials:.1%}")
            print(f"{len(settings)} settings, {most} calls, {chunk} at once: " + ", ".join(shares), flush=True)


if __name__ == "__main__":
    main()

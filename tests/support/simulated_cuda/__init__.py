"""Child processes that have a CUDA device made of the processor: what it shows and what not, says simulated_cuda.py."""

import json
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


def planted(**options: Any) -> dict[str, str]:
    """The environment variables of such a process. ``options``: those of ``simulated_cuda.PLANTED``."""
    return {"PYTHONPATH": str(HERE), "SIMULATED_CUDA": json.dumps(options)}

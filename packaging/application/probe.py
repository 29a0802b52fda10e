"""Make naosu-probe.pyz in dist/, and print what it weighs. Started by packaging/probe."""

from __future__ import annotations

import sys

from application import contents


def main() -> int:
    """Make it."""
    path = contents.probe(contents.ROOT / "dist")
    print(f"packaging: {path} has {path.stat().st_size / 1e6:.2f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())

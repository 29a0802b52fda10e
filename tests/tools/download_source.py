"""Download source distributions with pip's own finder, without running anything of theirs.

``pip download`` asks a source distribution for its metadata, and that runs the build backend, often its setup.py. Here
nothing of a package may run, so this script, run by an interpreter that has pip, takes only pip's finder and session:
the same index, certificates and proxies, and no step after the file has arrived.

    python download_source.py FOLDER NAME==VERSION...
"""

from __future__ import annotations

import sys
from pathlib import Path


def main() -> int:
    """Fetch each named requirement as a source distribution into the folder; exit status 1 if one is not to be had."""
    from pip._internal.commands import create_command
    from pip._vendor.packaging.requirements import Requirement

    folder, *wanted = sys.argv[1:]
    command = create_command("download")
    options, _ = command.parse_args(["--no-deps", "--no-binary=:all:", "--dest", folder, *wanted])
    missing = 0
    with command.main_context():
        session = command.get_default_session(options)
        finder = command._build_package_finder(options, session)
        for each in map(Requirement, wanted):
            best = finder.find_best_candidate(each.name, each.specifier).best_candidate
            if best is None:
                print(f"no source distribution of {each}", file=sys.stderr)
                missing += 1
                continue
            answer = session.get(best.link.url_without_fragment, headers={"Accept-Encoding": "identity"})
            answer.raise_for_status()
            Path(folder, best.link.filename).write_bytes(answer.content)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())

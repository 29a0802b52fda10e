"""A file of DuckDB, which somebody may have sent: it reaches nothing but itself.

A view in it could read any file or address as soon as it is asked.
https://duckdb.org/docs/stable/operations_manual/securing_duckdb/overview
"""

from __future__ import annotations

from collections.abc import Mapping

import duckdb

_ALONE: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}


def database(path: str, settings: Mapping[str, str | int]) -> duckdb.DuckDBPyConnection:
    """Open it, or make it. ``settings``: further ones of DuckDB.

    Raises:
        duckdb.Error: it cannot be used.
    """
    opened = duckdb.connect(path, config={**_ALONE, **settings})
    opened.execute("SET enable_external_access = false")  # nor can anything allow it again
    return opened

"""The files of installed packages: what each installer listed, compared with what lies there. Nothing is started."""

from checks.interpreters.installed.read import merged_content, read_installed

__all__ = ["merged_content", "read_installed"]

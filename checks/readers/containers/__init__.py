"""What formats are made of: bytes in bounds, folders and archives, protobuf, FlatBuffers, pickles.

Everything here expects hostile bytes. It raises :class:`~checks.readers.containers.source.Damaged` and nothing else,
reads no more than it was allowed to, and executes nothing.
"""

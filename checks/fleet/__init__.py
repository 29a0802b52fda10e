"""Many machines: which are alike, which computes differently from its like, and what changed since the last time.

Measured with tests/benchmarks/fleet.py: 100,000 answers of 170 kB take 485 s of one core and 203 MiB (4.9 ms and some
0.8 KiB of memory each, most of it the digests by which an answer counts once). Ten million would take 13.5 hours of one
core, or half an hour where 32 processes each make rows of a part of the folder, and 8 GiB: the digests then belong into
a table beside the answers, against which each batch is held.
"""

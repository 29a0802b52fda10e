"""Many machines: which are alike, which computes differently from its like, and what changed since the last time."""

"""The probes as one file that is carried to another machine: what it looks at, step by step, and its answer."""

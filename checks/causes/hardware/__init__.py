"""The GPU, the CPU and other accelerators themselves."""

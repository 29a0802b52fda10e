"""Puts the simulated card into a child process that has this folder on PYTHONPATH (see simulated_cuda.py)."""

import simulated_cuda

simulated_cuda.await_torch()

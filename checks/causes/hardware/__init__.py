"""The GPU, the CPU and other accelerators themselves.

One cause, one module, one function; see checks/causes/registry.py.
"""

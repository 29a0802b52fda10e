"""Model files and the runtimes that read them.

One cause, one module, one function; see checks/causes/registry.py.
"""

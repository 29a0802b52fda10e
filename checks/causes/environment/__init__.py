"""The interpreter, its packages and the shared libraries that they load.

One cause, one module, one function; see checks/causes/registry.py.
"""

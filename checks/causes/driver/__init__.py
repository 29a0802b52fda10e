"""Kernel modules, user-space drivers, containers and permissions.

One cause, one module, one function; see checks/causes/registry.py.
"""

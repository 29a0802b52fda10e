"""Results that change from run to run or between machines.

One cause, one module, one function; see checks/causes/registry.py.
"""

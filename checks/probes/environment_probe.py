"""The environment variables that a program in this interpreter sees, by the allow list in the argument.

The argument's ``names`` are the variables to read; nothing else is looked at.
"""

import os


def variables(argument):
    """Those of the wanted variables that are set."""
    return {"values": {name: os.environ[name] for name in argument["names"] if name in os.environ}}


STAGES = (variables,)
ESSENTIAL = ("variables",)

"""How facts are gathered where the trouble is.

``host.py`` runs one probe script inside the target interpreter and writes its answer, stage by stage, to a file of
its own. Host and probe scripts use the standard library of Python 3.8 and the thing that they probe; they import
nothing of ours, so that this folder can be carried alone. ``runner.py`` (our own interpreter) starts and ends them.
"""

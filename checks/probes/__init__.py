"""The programs that gather facts where the problem is.

``host.py`` runs one probe script inside the target interpreter and writes its answer, stage by stage, to a file of its
own; checks/engine/processes starts and ends it. Host and scripts use the standard library of Python 3.8 and the thing
that they probe; they import nothing of ours, so that this folder can be carried alone.
"""

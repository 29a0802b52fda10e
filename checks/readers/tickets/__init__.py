"""A ticket's text: the facts that it tells, and the wordings of causes that stand in it."""

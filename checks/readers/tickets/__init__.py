"""A ticket's text: the facts that it states, and the wordings of causes in it."""

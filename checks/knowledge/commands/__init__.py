"""Tables about the commands that remedies write."""

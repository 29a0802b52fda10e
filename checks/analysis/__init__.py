"""What several causes work out from the facts: numbers, models, GPUs, packages, failures."""

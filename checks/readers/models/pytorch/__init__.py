"""Files of PyTorch, and pickles."""

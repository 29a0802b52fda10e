"""Arrays bit by bit: made the same everywhere, fingerprinted, and compared."""

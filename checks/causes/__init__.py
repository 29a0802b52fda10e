"""One module per cause, by family: pure functions from facts to findings."""

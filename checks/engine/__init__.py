"""One examination: what is asked and computed, in which order, and what is left after a crash."""

"""Documents about many tickets or machines at once."""

"""Tables about GPUs, their drivers and the machines that they are in."""

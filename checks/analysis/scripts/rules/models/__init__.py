"""Models: the mode in which they are asked, their checkpoints and exports, memory that nothing was written to."""

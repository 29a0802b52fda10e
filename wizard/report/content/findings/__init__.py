"""What is said of findings: their evidence, where it is from, and what belongs together."""

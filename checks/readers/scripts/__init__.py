"""Programs and notebooks that the user gave, read by their syntax. Nothing of them is run."""

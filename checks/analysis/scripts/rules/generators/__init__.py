"""Random generators: what draws from them without a seed, or with one that is another in every run."""

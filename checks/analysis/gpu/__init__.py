"""What several checks ask of the facts about GPUs."""

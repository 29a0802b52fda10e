"""What a text alone is judged by: wordings and their odds, and the questions that would decide."""

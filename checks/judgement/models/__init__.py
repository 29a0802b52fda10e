"""What a case says of its model files: outcomes of their runs, and where each stands."""

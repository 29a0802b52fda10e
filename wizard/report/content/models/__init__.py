"""What a report says of model files: their table and pages, how they ran, and two side by side."""

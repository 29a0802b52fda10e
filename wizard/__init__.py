"""What a person sees: window, commands and prints. Judges nothing."""

"""What sees a program of the user from its inside: carried into its Python, and asked nothing."""

"""Tables about Python packages and the libraries that they bring or need."""

"""A proven remedy is carried out in the user's own environment, on the user's word, and can be undone."""

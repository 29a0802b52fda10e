"""What came of remedies: looked up at the index, tried in a copy, carried out."""

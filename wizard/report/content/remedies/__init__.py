"""What came of remedies, in words: looked up at the index, tried in a copy, carried out; and their steps."""

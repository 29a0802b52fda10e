"""What an examination asks, tries and computes: pure functions from facts and a request to jobs."""

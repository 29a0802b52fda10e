"""The smallest part of the user's own model that still shows a difference between two settings."""

"""Snapshots of examinations in the user's data folder, and what changed since one at which it worked."""

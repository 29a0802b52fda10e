"""What several causes work out from the trials of a served model."""

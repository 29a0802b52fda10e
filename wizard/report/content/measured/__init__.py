"""What was measured, in words, tables and plots."""

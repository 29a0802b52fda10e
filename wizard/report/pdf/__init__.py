"""The report as a PDF."""

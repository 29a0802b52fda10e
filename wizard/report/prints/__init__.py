"""The report as text: JSON, Markdown, terminal, reply."""

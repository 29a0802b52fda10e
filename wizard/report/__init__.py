"""One report model, several prints: window, PDF, HTML, Markdown, JSON."""

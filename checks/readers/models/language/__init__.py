"""Files of language models, and Hugging Face folders."""

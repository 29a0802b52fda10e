"""From the outcomes of the checks to ranked findings and what the verdict may say."""

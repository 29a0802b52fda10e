"""The five pages. A page shows the model, sends edits to it, and touches no other page."""

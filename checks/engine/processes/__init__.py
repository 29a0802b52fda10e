"""The processes of an examination: started, followed, and ended with all their children."""

"""Other programs' files: subtask trees in, workflows out."""

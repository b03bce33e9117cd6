"""Other scorers' call signatures, with their numbers."""

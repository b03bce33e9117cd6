"""Other scorers' call signatures, with their numbers."""

from arraycoref.lazy import modules_of

__getattr__ = modules_of(__name__)

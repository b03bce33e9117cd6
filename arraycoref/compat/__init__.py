"""Offer other scorers' functions, with their call signatures and their numbers."""

from arraycoref.lazy import modules_of

__getattr__ = modules_of(__name__)

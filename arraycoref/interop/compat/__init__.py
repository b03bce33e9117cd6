"""Offer the classes and functions of other scorers, for callers that stay as they are; each is a view of this one."""

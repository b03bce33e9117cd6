"""Bring key and response together: documents, tokens, and one index of mentions."""

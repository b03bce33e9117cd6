"""Read tables of text, and mappings in JSON, that tools write their clusterings as."""

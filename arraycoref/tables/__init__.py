"""Read clusterings that tools write as tables of text or as mappings in JSON."""

"""One key against many responses: sources of responses, counting in blocks, results and their tables."""

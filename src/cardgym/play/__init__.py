"""Play for people."""

"""Learning with tables, and exact solvers: what states that can be counted make possible."""

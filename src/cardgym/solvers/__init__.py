"""Exact solvers of games of one player: enumeration, value iteration, backward induction, values of policies."""

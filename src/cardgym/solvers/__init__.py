"""Exact solvers: games of one player by backward induction, equilibria of games of several by regret minimization."""

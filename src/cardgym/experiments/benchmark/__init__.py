"""Algorithms compared on small games by exact exploitability: the plan, the solvers as trainings, the report."""

"""Players, which decide for a seat: compiled players, policy tables, Q-tables, networks and Python callables."""

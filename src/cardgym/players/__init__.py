"""Players: who decides at a seat. Compiled players, tables, networks and Python callables, all found by name."""

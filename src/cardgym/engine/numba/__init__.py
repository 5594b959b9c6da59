"""How rules are compiled by Numba: templates, linking, arrays by address, and the cache on disk."""

"""Compiling rules with Numba: templates, linking, arrays by address, and the disk cache."""

"""The play of the cards as a separate game of ranks: solved by CFR, and played by the player `equilibrium`."""

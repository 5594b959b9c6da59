"""The play of the cards as a game of its own, by ranks: solved by CFR, and played by the player `equilibrium`."""

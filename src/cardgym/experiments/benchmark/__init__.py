"""Algorithms compared on a suite of games by their exploitability along the training."""

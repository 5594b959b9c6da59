"""One Play Poker: the table of results, filled, and a picture of the optimal policy"""

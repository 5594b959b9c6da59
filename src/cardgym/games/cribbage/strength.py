"""What is measured of the players' strength, for whoever chooses an opponent: 95 % intervals, the game's own options.

Each line: `cardgym evaluate ID --players NAME OPPONENT --games 10000 --seed 1`.
"""

STRENGTH = {
    "greedy": "wins 32.7 % [32.0, 33.4] against expert, 98.1 % against random; 10,000 games each",
    "expert": "wins 99.5 % [99.3, 99.6] against random, 67.3 % against greedy; 10,000 games each",
    "equilibrium": "wins 55.6 % [55.4, 55.8] against expert, 68.2 % [68.0, 68.4] against greedy; 100,000 games each",
}

DEAL_STRENGTH = {
    "greedy": "wins 46.0 % [45.5, 46.5] of deals against expert, 67.9 % against random; 10,000 deals each",
    "expert": "wins 71.2 % [70.5, 71.8] of deals against random; 10,000 deals",
    "equilibrium": "wins 51.4 % [51.3, 51.6] of deals against expert, 54.3 % [54.1, 54.4] against greedy; 100,000 each",
}

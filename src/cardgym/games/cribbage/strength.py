"""What is measured of the players' strength, for whoever chooses an opponent: 95 % intervals, the game's own options.

Each line: `cardgym evaluate ID --players NAME OPPONENT --games 10000 --seed 1`.
"""

STRENGTH = {
    "greedy": "wins 32.7 % [32.0, 33.4] against expert, 98.1 % against random; 10,000 games each",
    "expert": "wins 99.5 % [99.3, 99.6] against random, 67.3 % against greedy; 10,000 games each",
    "equilibrium": "wins 54.9 % [54.7, 55.1] against expert, 66.6 % [66.4, 66.9] against greedy; 100,000 games each",
}

DEAL_STRENGTH = {
    "greedy": "wins 46.0 % [45.5, 46.5] of deals against expert, 67.9 % against random; 10,000 deals each",
    "expert": "wins 71.2 % [70.5, 71.8] of deals against random; 10,000 deals",
    "equilibrium": "wins 51.3 % [51.2, 51.4] of deals against expert, 53.9 % [53.8, 54.1] against greedy; 100,000 each",
}

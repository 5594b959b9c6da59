"""What is measured of the players' strength, for whoever chooses an opponent: 95 % intervals, the game's own options.

Each line: `cardgym evaluate ID --players NAME OPPONENT --games 10000 --seed 1`.
"""

STRENGTH = {
    "initial": "wins 33.5 % [33.2, 33.7] of hands against heuristic, 89.4 % against random; 10,000 games each",
    "heuristic": "wins 95.0 % [94.9, 95.2] of hands against random; 10,000 games",
    "random-table": "wins 6.9 % [6.7, 7.0] of hands against heuristic; 10,000 games",
}

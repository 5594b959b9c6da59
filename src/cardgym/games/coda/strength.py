"""What is measured of the players' strength, for whoever chooses an opponent: 95 % intervals, the game's own options.

Each line: `cardgym evaluate ID --players NAME OPPONENT --games 10000 --seed 1`; those of
`search` stand in docs/games/coda/README.md with their commands.
"""

STRENGTH = {
    "random-all": "wins 16.9 % [16.2, 17.7] against heuristic; 10,000 games",
    "random-unseen": "wins 16.9 % [16.2, 17.7] against heuristic; 10,000 games",
    "random-colour": "wins 30.1 % [29.3, 30.9] against heuristic; 10,000 games",
    "random-consistent": "wins 59.0 % [58.3, 59.6] against heuristic; 10,000 games",
    "heuristic": "wins 83.1 % [82.3, 83.8] against random; 10,000 games",
    "bayes": "wins 59.1 % [58.2, 60.0] against heuristic, 87.9 % against random; 10,000 games each",
    "search": "wins 88.1 % [87.7, 88.6] against random, moving first, where nobody wins more than 88.7 %; 20,000 games",
}

OFFICIAL_STRENGTH = {
    "random-all": "wins 0.5 % [0.4, 0.7] against heuristic; 10,000 games",
    "random-unseen": "wins 0.5 % [0.4, 0.7] against heuristic; 10,000 games",
    "random-colour": "wins 3.3 % [2.9, 3.6] against heuristic; 10,000 games",
    "random-consistent": "wins 60.4 % [59.4, 61.3] against heuristic; 10,000 games",
    "heuristic": "wins 99.5 % [99.3, 99.6] against random; 10,000 games",
    "bayes": "wins 82.8 % [82.1, 83.5] against heuristic; 10,000 games",
    "search": "wins 66.7 % [64.7, 68.6] against bayes; 2,000 games",
    "value-search": "wins 70.9 % [70.0, 71.7] against bayes; 10,000 games",
}

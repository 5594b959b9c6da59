"""What is measured of the players' strength, for whoever chooses an opponent: 95 % intervals, the game's own options.

Each line: `cardgym evaluate OnePlayPoker-v0 --players NAME --games 10000 --seed 1`.
"""

STRENGTH = {
    "always": "wins 1.03 credits a game [0.95, 1.10] from the house; 10,000 games",
    "never": "wins 1.01 credits a game [0.99, 1.03] from the house; 10,000 games",
    "handcrafted": "wins 1.42 credits a game [1.38, 1.47] from the house; 10,000 games",
    "optimal": "wins 1.45 credits a game [1.40, 1.49] from the house: nobody wins more; 10,000 games",
}

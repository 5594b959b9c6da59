"""How strong is the coach as a player? It always takes its first advice, against a player of its game.

Each deal is played from every seat, the same player in all the others. Prints the share of the game that the coach
won and, in games with a payoff, what it won a game, with 95 % intervals over the deals. Example:
python research/coach_strength.py Cribbage-v0 equilibrium --games 1000
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from cardgym import find
from cardgym.engine.contract import RETURN
from cardgym.players import resolve
from cardgym.statistics import mean_estimate
from cardgym.table.coach.coach import Coach
from cardgym.table.session import Session
from cardgym.table.setup import GameSetup


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("env", metavar="ENV")
    parser.add_argument("opponent", metavar="PLAYER")
    parser.add_argument("--coach", metavar="PLAYER", help="a player for rollouts (the game's adviser)")
    parser.add_argument("--games", type=int, default=1000, metavar="N")
    parser.add_argument("--seconds", type=float, default=float("inf"), metavar="S", help="processor time to stop after")
    parser.add_argument("--seed", type=int, default=1, metavar="N")
    arguments = parser.parse_args()
    game = find(arguments.env)
    options = game.parse_options()
    seats = options.num_players
    coach, player = Coach(game, options, arguments.coach), resolve(arguments.opponent, game, options)
    deals = -(-arguments.games // seats)
    shares, payoffs = np.zeros(deals), np.zeros(deals)
    decisions, seconds = 0, 0.0
    start = time.process_time()
    for number in range(deals):
        for seat in range(seats):
            session = Session(GameSetup(game, options, [player] * (seats - 1), arguments.seed, seat, number=number))
            session.play()
            while not session.over:
                actions = session.legal_actions()
                if len(actions) > 1:
                    before = time.process_time()
                    actions = [coach.advise(session.state, seat, session.names()).best.action]
                    seconds += time.process_time() - before
                    decisions += 1
                session.act(actions[0])
            entry = session.entry()
            result = entry["players"][0]  # The person comes first.
            shares[number] += result["score"] / entry["max_score"] / seats
            payoffs[number] += (result["return"] if game.payoff == RETURN else result["metrics"][game.payoff]) / seats
        last = number + 1 == deals or time.process_time() - start > arguments.seconds
        if (number + 1) % 25 == 0 or last:
            print(f"{(number + 1) * seats:,} games, {time.process_time() - start:.0f} CPU s", flush=True)
            _print("wins, %", 100 * shares[: number + 1])
            _print(f"{game.payoff} a game", payoffs[: number + 1])
        if last:
            break
    print(f"{1000 * seconds / max(decisions, 1):.0f} CPU ms a decision, {decisions:,} decisions")


def _print(name: str, values: np.ndarray) -> None:
    estimate = mean_estimate(values)
    print(f"  {name}: {estimate.value:.2f} [{estimate.low:.2f}, {estimate.high:.2f}]")


if __name__ == "__main__":
    main()

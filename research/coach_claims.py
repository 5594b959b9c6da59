"""Does what the coach says come true? Its chances and values, beside what then happened.

The coach's seat is played by the player whose play the coach's values assume: at Coda `bayes`, drawing among equally
likely guesses; `official_ppo` at CodaOfficial, `ppo` at Corellian Spike, `champion` at cribbage, at One Play Poker the
coach itself, against the `house`. At a share of its decisions the coach is asked about the action that is taken.
Printed by kind, in all and by tenths of at least 300 claims: what was said and what came true, on average, with 95 %
intervals of the difference over games. Example:
python research/coach_claims.py Coda-v0 heuristic search
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from cardgym.games.coda.players import drawing_bayes
from cardgym.games.one_play_poker.adviser import pot_share
from cardgym.games.one_play_poker.rules import pot, result
from cardgym.table.coach.advice import GAMES
from cardgym.table.coach.coach import Coach
from cardgym.testing import StateDriver

OWN: dict[str, str | Callable[..., int]] = {
    "Coda-v0": drawing_bayes, "CodaOfficial-v0": "official_ppo", "CorellianSpike-v0": "ppo", "Cribbage-v0": "champion",
    "OnePlayPoker-v0": "coach",
}  # fmt: skip
ANTE = 2


class Claim(NamedTuple):
    """What was said of a kind in a game, and what came true."""

    kind: str
    game: int
    said: float
    seen: float


Said = tuple[str, float, Callable[[Any], float]]
"""A kind, what is said, and what came true, by the state at the end of the game (Corellian Spike: of the hand)."""


def said_of(coach: Coach, state: Any, seat: int, action: int, names: Sequence[str]) -> Iterator[Said]:
    """What the coach says about an action."""
    advice = coach.advise(state, seat, names)
    advised = advice.of(action)
    kind = advice.kind.partition(",")[0]
    if advice.unit == GAMES and "winner" in state.dtype.names:
        yield f"{kind}: wins", advised.value / 100, lambda end: float(end.winner == seat)
    elif advice.unit == GAMES:
        yield f"{kind}: wins", advised.value / 100, lambda end: float(end.scores[seat] > end.scores[1 - seat])
    elif "stack" not in state.dtype.names:
        bets = int(state.bets)  # Each was paid before.
        yield f"{kind}: credits", advised.value, lambda end: bets - int(end.bets) + pot(end) * result(end) / 2
        yield f"{kind}: wins", float(pot_share(state)), lambda end: result(end) / 2
    else:
        had = int(state.stack[seat])
        yield f"{kind}: credits", advised.value, lambda end: float(end.stack[seat] - had)
        share = re.search(r"wins the hand in (\d+) %", advised.reason)
        yield f"{kind}: wins", int(share[1]) / 100 if share else 0.0, lambda end: float(end.stack[seat] > had)
    if chance := re.search(r"([\d.]+) % to hit|certain to hit", advised.reason):
        place, tile = divmod(action, int(state.n))
        right = float(state.line[1 - seat, place] == tile)
        yield "hits", float(chance[1] or 100) / 100, lambda end: right


def observe(env: str, opponent: str, known: bool, games: int, share: float, seed: int) -> list[Claim]:
    """Play games and note the claims; seats alternate."""
    driver, rng = StateDriver(env, {}), np.random.default_rng(seed)
    coach = Coach(driver.game, driver.options)
    alone = driver.options.num_players == 1
    choose = [lambda: coach.advise(driver.state, 0).best.action]
    if not alone:
        choose = [driver.chooser(player, rng) for player in (OWN[env], opponent)]
    claims = []
    for number in range(games):
        driver.setup()
        driver.refresh()
        driver.play_chance(rng.integers)
        waiting: list[Said] = []
        while not driver.over:
            seat, state = driver.current_player, driver.state
            own = alone or (seat + number) % 2 == 0
            action = choose[0 if own else 1]()
            if own and len(driver.legal_actions()) > 1 and rng.random() < share:
                waiting += said_of(coach, state, seat, action, [opponent if known else "Ann"] * 2)
            hand = int(state.hand) if "stack" in state.dtype.names else -1
            driver.apply_action(action)
            driver.play_chance(rng.integers)
            if hand >= 0 and not driver.over and driver.state.hand != hand:
                end = driver.copy().state
                end.stack += ANTE  # Already in the pool of the next hand.
            elif driver.over:
                end = driver.state
            else:
                continue
            claims += [Claim(kind, number, said, seen(end)) for kind, said, seen in waiting]
            waiting = []
    return claims


def report(claims: Sequence[Claim]) -> None:
    kinds = sorted({claim.kind for claim in claims})
    groups = {kind: [claim for claim in claims if claim.kind == kind] for kind in kinds}
    groups["wins"] = [claim for claim in claims if claim.kind.endswith("wins")]
    groups["credits"] = [claim for claim in claims if claim.kind.endswith("credits")]
    for kind, chosen in groups.items():
        _print(kind, chosen)
        if kind in ("wins", "hits"):
            for tenth in range(11):
                part = [claim for claim in chosen if tenth / 10 <= claim.said < (tenth + 1) / 10]
                if len(part) >= 300:
                    _print(f"  {kind} from {tenth / 10:.1f}", part)


def _print(kind: str, claims: Sequence[Claim]) -> None:
    if not claims:
        return
    games, errors = np.array([claim.game for claim in claims]), [claim.seen - claim.said for claim in claims]
    half = 1.96 * float(np.sqrt((np.bincount(games, errors) ** 2).sum())) / len(claims)
    said, seen = (float(np.mean([getattr(claim, part) for claim in claims])) for part in ("said", "seen"))
    print(f"  {kind}: {len(claims):,} claims, said {said:.3f}, seen {seen:.3f}: {seen - said:+.3f} +- {half:.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("env", metavar="ENV", choices=OWN)
    parser.add_argument("opponents", nargs="+", metavar="PLAYER")
    parser.add_argument("--unknown", action="store_true", help="do not tell the coach who plays")
    parser.add_argument("--games", type=int, default=1000, metavar="N")
    parser.add_argument("--share", type=float, default=0.2, metavar="S", help="share of decisions (0.2)")
    parser.add_argument("--seed", type=int, default=1, metavar="N")
    arguments = parser.parse_args()
    for opponent in arguments.opponents:
        print(f"{arguments.env}, {opponent}{', unknown' * arguments.unknown}", flush=True)
        report(
            observe(arguments.env, opponent, not arguments.unknown, arguments.games, arguments.share, arguments.seed)
        )


if __name__ == "__main__":
    main()

"""What the Corellian Spike page says of the paper's claims: what holds, where its program differs, what more would win."""

# ruff: noqa: E501  # Lines of prose as the page has them.

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from cardgym.arena.transitions import record
from cardgym.console.tables import markdown_table
from cardgym.engine.contract import Int64s, State, rule
from cardgym.games.corellian_spike.state import BUY, FOLD, RAISE, SWAP_HIGH
from cardgym.games.corellian_spike.state_index import CARDS_AT, MAX_SUM, MIN_CARD, NO_CARD, observe_cards
from cardgym.papers.corellian_spike.batch_q import ENV
from cardgym.papers.corellian_spike.experiments import SEATINGS
from cardgym.papers.corellian_spike.numbers import (
    BETTING,
    BUYING,
    DECISIONS,
    PLACING,
    Numbers,
    enumerated_states,
    mixed,
)
from cardgym.papers.corellian_spike.runs import (
    CREDITS,
    FOUR,
    PAPER_CASES,
    WAYS,
    WEIGHTED,
    Case,
    Scale,
    Score,
    TrainingRun,
    in_way,
)
from cardgym.papers.pages import RULE, section, verdict
from cardgym.statistics import Estimate, mean_over_runs

MARGIN = 3.0
"""Credits a game that count as no difference; a player starts with 50."""


class Claim(NamedTuple):
    """A claim of the paper as a range, and what we measure of it.

    Attributes:
        text: the claim in words.
        low: the lowest value with which it holds.
        high: the highest.
        measured: the estimate of that value in one of `WAYS`.
        form: the format of the estimate.
    """

    text: str
    low: float
    high: float
    measured: Callable[[str], Estimate]
    form: str = "+.1f"


def claims(numbers: Numbers) -> str:
    """The section of the paper's claims; every verdict follows from the numbers."""
    rows = []
    for claim in (*_policy_claims(numbers), *_play_claims(numbers), *_seat_claims(numbers)):
        estimates = [claim.measured(way) for way in WAYS]
        allowed = (
            f"{claim.low:g} to {claim.high:g}"
            if np.isfinite([claim.low, claim.high]).all()
            else (f"at least {claim.low:g}" if np.isfinite(claim.low) else f"at most {claim.high:g}")
        )
        cells = [f"{one.text(claim.form)}: {verdict(one, claim.low, claim.high)}" for one in estimates]
        rows.append([claim.text, allowed, *cells])
    connected = numbers.of(("connected",), lambda scores: scores[0].credits)
    last = 0.9 * 0.9556 ** (numbers.scale.iterations - 1)
    return section(
        "The paper's claims",
        f'{RULE} "As good as" and "costs '
        f"little\" mean within {MARGIN:g} credits a game, either way. Shares are percent of the states of the paper's "
        "enumeration.",
        markdown_table(("claim", "range", *WAYS), rows),
        "*Recording wins in two ways makes no significant difference.* With `recording=connected` the last action of a hand "
        "leads to the first state of the next one. The policy learned so wins "
        f"{-connected.value:+.1f} ± {connected.half_width:.1f} credits a game from the one learned with the end as state "
        f"0 (within {MARGIN:g}: {verdict(connected, -MARGIN, MARGIN)}).",
        "*Raising in 2 % of the betting states corresponds to about 500 states.* Each of rounds 1 to 3 has 25,536 betting "
        "states for two players, and 2 % of them are 511; of all 77,824 it would be 1,556. So the paper's 2 % is of one round.",
        f"*After 50 iterations epsilon is 10.2 %.* Off by one: iteration 49 explores with 0.9 x 0.9556^48 = {0.9 * 0.9556**48:.1%}, "
        f"the last one with {last:.1%}, and the notebook's own comment says 9.72 %.",
        "*Our policy loses to a person.* Cannot be checked: no person has played these policies here.",
    )


def _policy_claims(numbers: Numbers) -> Iterator[Claim]:
    """Claims on which actions the policies take (section 5.1)."""

    def share(case: Case, decision: int, action: int, round: int | None = None) -> Callable[[str], Estimate]:
        return lambda way: numbers.share(in_way(case, way), decision, action, round=round)

    def growth(case: Case, decision: int, action: int, round: int | None = None) -> Callable[[str], Estimate]:
        def grown(way: str) -> Estimate:
            of = in_way(case, way)

            def read(run: TrainingRun) -> float:
                first, last = (
                    numbers.run_share(of, run, decision, action, "all", round, i)
                    for i in (sorted(run.policies)[1], run.last)
                )
                return last - first

            return numbers.over_runs(of, read)

        return grown

    def difference(way: str) -> Estimate:
        weighted, credits = (
            [numbers.run_share(case, run, BETTING, RAISE, "all", 0) for run in numbers.results.runs[case]]
            for case in (in_way(WEIGHTED, way), in_way(CREDITS, way))
        )
        return mean_over_runs(list(np.subtract(weighted, credits)))

    def steps(way: str) -> Estimate:
        of = in_way(CREDITS, way)
        return numbers.over_runs(of, lambda run: _largest_step(numbers, of, run))

    yield Claim(
        "Shares change by at most 3 points from one saved iteration to the next after iteration 5", 0, 3, steps, ".1f"
    )
    for name, case in PAPER_CASES.items():
        yield Claim(f"Raising in round 0 grows after iteration 5 ({name})", 0, np.inf, growth(case, BETTING, RAISE, 0))
    yield Claim("Four players' raising in round 0 settles around 48 %", 45, 51, share(FOUR, BETTING, RAISE, 0), ".1f")
    yield Claim("Two players raise more in round 0 with the weighted reward", 0, np.inf, difference)
    for round in (1, 2, 3):
        yield Claim(
            f"Raising in about 2 % of the states of round {round}", 1, 3, share(CREDITS, BETTING, RAISE, round), ".2f"
        )
    yield Claim("Folding in less than 1 % of the betting states", 0, 1, share(CREDITS, BETTING, FOLD), ".2f")
    for name, case in PAPER_CASES.items():
        yield Claim(f"Buying grows after iteration 5 ({name})", 0, np.inf, growth(case, BUYING, BUY), "+.2f")
    yield Claim("Never swapping with the higher card", 0, 0, share(CREDITS, PLACING, SWAP_HIGH), ".2f")


def _largest_step(numbers: Numbers, case: Case, run: TrainingRun) -> float:
    """The largest change of any action's share in a decision and round between two saved iterations after the fifth."""
    saved = sorted(run.policies)[1:]
    shares = [
        [
            numbers.run_share(case, run, decision, action, "all", round, iteration)
            for decision, (_, actions) in DECISIONS.items()
            for round in range(decision != BETTING, 4)
            for action in actions
        ]
        for iteration in saved
    ]
    return float(np.abs(np.diff(shares, axis=0)).max(initial=0.0))


def _play_claims(numbers: Numbers) -> Iterator[Claim]:
    """Claims on how well the policies play (section 5.2)."""

    def credits(reward: str, opponent: str) -> Callable[[str], Estimate]:
        return lambda way: numbers.credits(reward, opponent, way)

    yield Claim(
        "It far outperforms random play: half of a player's credits", 25, np.inf, credits("credits", "random-table")
    )
    yield Claim(
        "It wins more hands than the initial policy, %",
        50,
        100,
        lambda way: numbers.hands("credits", "initial", way),
        ".1f",
    )
    yield Claim("It slightly loses in credits to the initial policy", -5, 0, credits("credits", "initial"))
    for reward in ("credits", "weighted"):
        yield Claim(
            f"The policy of iteration 25 plays as well as the final one ({reward})",
            -MARGIN,
            MARGIN,
            credits(reward, "intermediate"),
        )
    yield Claim(
        "The credits-only reward costs little: weighted against credits-only",
        -MARGIN,
        MARGIN,
        credits("weighted", "credits-only"),
    )


def _seat_claims(numbers: Numbers) -> Iterator[Claim]:
    """Claims on the 2-player and the 4-player policy with 2, 4 and 8 players (section 5.3)."""

    def credits(score: Score) -> float:
        return score.credits

    def lead(seating: tuple[int, int], *, as_mixed: bool = False) -> Callable[[str], Estimate]:
        def measured(way: str) -> Estimate:
            key = ("seats", seating, way)
            if as_mixed:
                return numbers.of(key, lambda scores: mixed(scores, credits, 0) - mixed(scores, credits, 1))
            return numbers.of(key, lambda scores: scores[0].credits - scores[1].credits)

        return measured

    two, four, eight = SEATINGS[:3]
    yield Claim("With two players the 2-player policy beats the 4-player one", 0, np.inf, lead(two))
    yield Claim("With four players it matches the 4-player one", -MARGIN, MARGIN, lead(four))
    yield Claim("The same, with the program's mixed up players", -2 * MARGIN, 2 * MARGIN, lead(four, as_mixed=True))
    yield Claim("With eight players (two hands) the 4-player policy is better", -np.inf, 0, lead(eight))


def exploration(numbers: Numbers) -> str:
    """The section on published and legal exploration."""
    head = (
        "case", "", "fold, all betting states", "fold, states met", "buy, all buying states",
        "buy, states met", "swap high, all placing states", "swap high, states met",
    )  # fmt: skip
    rows = []
    for name, case in PAPER_CASES.items():
        for way in WAYS:
            cells = [
                f"{numbers.share(in_way(case, way), decision, action, among).value:.2f} %"
                for decision, action in ((BETTING, FOLD), (BUYING, BUY), (PLACING, SWAP_HIGH))
                for among in ("all", "met")
            ]
            rows.append([name, way, *cells])
    reachable = enumerated_states(CREDITS).reachable
    spare = 100 * float((~reachable[1:]).mean())
    return section(
        "What the published exploration does",
        "The paper says that exploring picks a random allowed action. Its program never folded, always bought and never "
        "swapped with the higher card when exploring: three ranges of random numbers stop one short. An action that is "
        "never tried has no value, so no policy can prefer it. Percent of states in which the final policy takes it:",
        markdown_table(head, rows),
        f"The shares over all states say little: {spare:.0f} % of the 2-player enumeration are codes of betting or "
        "buying with a bought card in hand, which play cannot reach because a bought card is placed at once. The initial "
        "action of these codes never changes. In rounds 1 to 3 only one betting code in 21 is reachable, so no action "
        "except matching can exceed 4.8 % of the states, whatever is learned.",
    )


_BASE = NO_CARD - MIN_CARD + 1
"""A key of cards is the observation `cards` as a number in this base."""


@rule
def cards_key(state: State, seat: int) -> int:
    """The observation `cards`, eight numbers from -10 to 11, as one integer, never 0."""
    numbers = np.empty(len(CARDS_AT), np.float32)
    observe_cards(state, seat, numbers)
    key = 1
    for number in numbers:
        key = key * _BASE + int(number) - MIN_CARD
    return key


def cards_of(keys: Int64s) -> dict[str, Int64s]:
    """Decode keys of the observation `cards`: an int64 array for each feature, by name."""
    features = {}
    for name in reversed(CARDS_AT._fields):
        features[name] = keys % _BASE + MIN_CARD
        keys = keys // _BASE
    return features


def code_facts(scale: Scale) -> str:
    """The section on the code's collisions and clipping."""
    games = scale.training_games
    codes = record(ENV, CREDITS.options, ["initial"] * 2, games=games, seed=scale.base_seed, states="key", epsilon=0.9)
    cards = record(
        ENV, CREDITS.options, ["initial"] * 2, games=games, seed=scale.base_seed, states=cards_key, epsilon=0.9
    )
    held = cards_of(cards.s)
    total = sum(np.where(held[name] == NO_CARD, 0, held[name]) for name in ("low", "high", "spike"))
    is_clipped = np.abs(total) > MAX_SUM
    clipped = 100 * float(is_clipped.mean())
    showdown = 100 * float(is_clipped[cards.s_next == 0].mean())
    pairs = np.unique(np.stack([codes.s, cards.s]), axis=1)
    _, holdings = np.unique(pairs[0], return_counts=True)
    return f"""## The state code: collisions and clipping

Measured on {len(codes):,} decisions of {games:,} exploring games (epsilon 0.9, legal actions, two players).

- The sum is clipped to -9 .. 9 in {clipped:.0f} % of the decisions ({showdown:.0f} % of those after which the hand ends): the policy
  cannot distinguish a sum of 10 from one of 25.
- {len(holdings):,} codes were met, which stand for {len(pairs[0]):,} different sets of cards: {holdings.mean():.1f} a code on average, and
  {holdings.max():,} for one of them. Which card to swap depends on the cards, which the code omits.
- Credits and pool are known only in tens, and the code does not say whether there is anything to match: one code covers
  both "you may check" and "you must pay or fold".
"""

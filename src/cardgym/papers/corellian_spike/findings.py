"""What the Corellian Spike page says of the paper's sentences: which claims hold, and what exploration and code do."""

# ruff: noqa: E501  # Lines of prose as the page has them.

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from math import inf
from typing import NamedTuple

import numpy as np

from cardgym.console.tables import markdown_table
from cardgym.engine.contract import Int64s, State, rule
from cardgym.games.corellian_spike.state import BUY, DONT_BUY, FOLD, MATCH, RAISE, SWAP_HIGH
from cardgym.games.corellian_spike.state_index import CARDS_AT, MAX_SUM, MIN_CARD, NO_CARD, digits_of, observe_cards
from cardgym.papers.corellian_spike.experiments import SEATINGS
from cardgym.papers.corellian_spike.numbers import (
    BETTING,
    BUYING,
    DECISIONS,
    PLACING,
    Numbers,
    enumerated_states,
    mixed,
    share,
)
from cardgym.papers.corellian_spike.recording import Recording, record
from cardgym.papers.corellian_spike.runs import (
    CREDITS,
    FOUR,
    PAPER_CASES,
    SHOWN,
    WEIGHTED,
    Scale,
    Score,
    TrainingRun,
    in_way,
)
from cardgym.papers.pages import RULE, Answer, Claim, claims_table, section
from cardgym.statistics import UNKNOWN, Estimate

MARGIN = 3.0
"""Credits a game, or percent of the hands, that count as no difference; a player starts with 50 credits."""


def exact(value: float) -> list[Estimate]:
    """Return a value without an interval."""
    return [Estimate(value, UNKNOWN)]


def claims(numbers: Numbers, recorded: RecordedGames) -> str:
    """Return the section of the paper's sentences; every verdict follows from the numbers."""
    states, rounds = enumerated_states(2), [1, 2, 3]
    betting = [int(((states.decisions == BETTING) & (states.rounds == round)).sum()) for round in rounds]
    return section(
        "The paper's claims",
        f'{RULE} Intervals are over the training runs. "As good as" and "costs little" mean within {MARGIN:g} credits a game, '
        f'either way, and "matches" a lead within {2 * MARGIN:g}. Shares are percent of the states of the paper\'s enumeration. Before the results:',
        claims_table(("ours",), _sentences(numbers, recorded)),
        "The results, and what they are summed up to in the abstract and in section 6:",
        claims_table(SHOWN, [*_policy_claims(numbers), *_play_claims(numbers), *_seat_claims(numbers)]),
        f"*Raising in 2 % of the betting states corresponds to about 500 states* (5.1). Each of rounds 1 to 3 has {betting[0]:,} "
        f"betting states for two players, and 2 % of them are {0.02 * betting[0]:.0f}; of all {int((states.decisions == BETTING).sum()):,} "
        f"it would be {0.02 * (states.decisions == BETTING).sum():,.0f}. So the paper's 2 % is of one round.",
        "*Never swapping with the higher card is an artifact of the state model* (5.1), which leaves out the cards. Not so: it "
        "is one [of the exploration](#what-the-published-exploration-does), with which no policy can learn to.",
    )


# fmt: off

def _sentences(numbers: Numbers, recorded: RecordedGames) -> Iterator[Claim | Answer]:
    """Yield what the paper says before its results."""
    scale, runs = numbers.scale, numbers.results.runs
    for players, count in ((2, 231_041), (4, 361_001)):
        yield Claim("3.2", f"The states for {players} players number {count:,}", count, count, exact(len(enumerated_states(players).rounds)), ",.0f")
    yield Answer("3.2", "With the discards there would be orders of magnitude more states", "already with [three cards for their sum](#the-papers-future-work-would-knowing-more-win-more) a learner meets over twenty times as many")
    decisions = digits_of(recorded.codes.s_next).decision
    for words, actions, follows in (
        ("Folding leads to the end", [FOLD], 0),
        ("Buying is followed by placing the card", [BUY], PLACING),
        ("Not buying, or placing a card, is followed by betting", [DONT_BUY, *DECISIONS[PLACING][1]], BETTING),
    ):
        taken = np.isin(recorded.codes.a, actions)
        note = "" if follows != BETTING else "; if all others fold first, the hand ends"
        yield Claim("3.2", f"{words}, deterministically: percent of {taken.sum():,} times", 100, 100, exact(100 * float((decisions[taken] == follows).mean())), ".2f", note)
    yield Claim("4.1", "Recording wins in two ways makes no significant difference: credits won by the policy whose last action leads to the next hand (`recording=connected`)", -MARGIN, MARGIN, [numbers.of(("connected",), lambda scores: scores[1].credits)])
    last = 0.9 * 0.9556 ** (scale.iterations - 1)
    yield Claim("4.2", "After 50 iterations epsilon is 10.2 %", 10.15, 10.25, exact(100 * last), ".1f", f"; iteration 49 explores with {90 * 0.9556**48:.1f} %, and the notebook's own comment says 9.72 %")
    yield Answer("4.2", "A run takes 1.5 to 10 hours", f"{np.mean([run.seconds for run in runs[CREDITS]]):.0f} s of processor time")


def _policy_claims(numbers: Numbers) -> Iterator[Claim]:
    """Claims on which actions the policies take (section 5.1)."""

    def growth(decision: int, action: int, round: int | None, run: TrainingRun) -> float:
        return share(run, decision, action, round) - share(run, decision, action, round, sorted(run.policies)[1])

    def raising(run: TrainingRun, round: int | None = 0) -> float:
        return share(run, BETTING, RAISE, round)

    def more(one: TrainingRun, other: TrainingRun, round: int | None) -> float:
        return raising(one, round) - raising(other, round)

    cases = [*PAPER_CASES.values()]
    yield Claim("5.1", "The shares evidently change up to iteration 5: the largest change", 3, inf, numbers.runs(lambda run: _largest_step(run)[0], CREDITS), ".1f")
    yield Claim("5.1", "After that they change by at most 3 points from one saved iteration to the next", 0, 3, numbers.runs(lambda run: _largest_step(run)[1], CREDITS), ".1f")
    yield Claim("5.1", "A large fraction of the states is never reached: percent reached", 0, 50, numbers.runs(lambda run: 100 * float(run.met[1:].mean()), CREDITS), ".1f")
    yield Claim("5.1", "Exploring less, the last iteration visits fewer states than the first", -inf, 0, numbers.runs(lambda run: run.visited[-1] - run.visited[0], CREDITS), "+,.0f")
    for name, case in PAPER_CASES.items():
        yield Claim("5.1", f"Raising in round 0 grows after iteration 5 ({name})", 0, inf, numbers.runs(lambda run: growth(BETTING, RAISE, 0, run), case))
    yield Claim("5.1", "It grows more with four players than with two (weighted)", 0, inf, numbers.runs(lambda four, two: growth(BETTING, RAISE, 0, four) - growth(BETTING, RAISE, 0, two), FOUR, WEIGHTED))
    yield Claim("5.1", "Four players' raising in round 0 settles around 48 %", 45, 51, numbers.runs(raising, FOUR), ".1f")
    for words, round in (("in round 0", 0), ("in all rounds", None)):
        yield Claim("5.1", f"Two players raise more with the weighted reward, {words}", 0, inf, numbers.runs(partial(more, round=round), WEIGHTED, CREDITS))
    yield Claim("5.1", "Rounds 1 to 3 heavily favor matching in all cases: the least share of it", 90, 100, numbers.runs(lambda *runs: min(share(run, BETTING, MATCH, round) for run in runs for round in (1, 2, 3)), *cases), ".1f")
    for round in (1, 2, 3):
        yield Claim("5.1", f"Raising in about 2 % of the states of round {round}", 1, 3, numbers.runs(partial(raising, round=round), CREDITS), ".2f")
    yield Claim("5.1", "Folding in less than 1 % of the betting states in all cases: the largest share", 0, 1, numbers.runs(lambda *runs: max(share(run, BETTING, FOLD) for run in runs), *cases), ".2f")
    for name, case in PAPER_CASES.items():
        yield Claim("5.1", f"Buying grows after iteration 5 ({name})", 0, inf, numbers.runs(lambda run: growth(BUYING, BUY, None, run), case), "+.2f")
    yield Claim("5.1", "Never swapping with the higher card in all cases: the largest share", 0, 0, numbers.runs(lambda *runs: max(share(run, PLACING, SWAP_HIGH) for run in runs), *cases), ".2f")


def _largest_step(run: TrainingRun) -> tuple[float, float]:
    """Return the largest change of an action's share in a decision, up to the first saved iteration and after it."""
    shares = [
        [
            share(run, decision, action, round, iteration)
            for decision, (_, actions) in DECISIONS.items()
            for round in range(decision != BETTING, 4)
            for action in actions
        ]
        for iteration in sorted(run.policies)
    ]
    steps = np.abs(np.diff(shares, axis=0)).max(axis=1)
    return float(steps[0]), float(steps[1:].max(initial=0.0))


def _play_claims(numbers: Numbers) -> Iterator[Claim]:
    """Claims on how well the policies play (section 5.2)."""

    def credits(reward: str, opponent: str) -> list[Estimate]:
        return numbers.matches((reward, opponent), lambda scores: scores[0].credits)

    def hands(reward: str, opponent: str) -> list[Estimate]:
        return numbers.matches((reward, opponent), lambda scores: scores[0].hands)

    yield Claim("5.2", "It far outperforms random play: half of a player's credits", 25, inf, credits("credits", "random-table"))
    yield Claim("5.2", "It wins more hands than the initial policy, %", 50, 100, hands("credits", "initial"), ".1f")
    yield Claim("5.2", "It slightly loses in credits to the initial policy", -5, 0, credits("credits", "initial"))
    for reward in ("credits", "weighted"):
        yield Claim("5.2", f"The policy of iteration 25 plays as well as the final one ({reward}): credits", -MARGIN, MARGIN, credits(reward, "intermediate"))
        yield Claim("5.2", f"The same ({reward}): hands, %", 50 - MARGIN, 50 + MARGIN, hands(reward, "intermediate"), ".1f")
    yield Claim("5.2", "The credits-only reward costs little: weighted against credits-only", -MARGIN, MARGIN, credits("weighted", "credits-only"))


def _seat_claims(numbers: Numbers) -> Iterator[Claim]:
    """Claims on the 2-player and the 4-player policy with 2, 4 and 8 players (section 5.3), and the conclusion's."""

    def credits(score: Score) -> float:
        return score.credits

    def lead(seating: tuple[int, int]) -> list[Estimate]:
        return numbers.matches(("seats", seating), lambda scores: scores[0].credits - scores[1].credits)

    two, four, eight = SEATINGS
    as_mixed = numbers.matches(("seats", four), lambda scores: mixed(scores, credits, 0) - mixed(scores, credits, 1))
    yield Claim("5.3", "With two players the 2-player policy beats the 4-player one", 0, inf, lead(two))
    yield Claim("5.3", "With four players it matches the 4-player one", -2 * MARGIN, 2 * MARGIN, lead(four))
    yield Claim("5.3", "The same, with the program's mixed up players", -2 * MARGIN, 2 * MARGIN, as_mixed)
    yield Claim("5.3", "Games of four players give more lines of data: transitions above those of two", 0, inf, numbers.runs(lambda four, two: four.transitions - two.transitions, FOUR, WEIGHTED), "+,.0f")
    yield Claim("abstract, 5.3", "With eight players (two hands) the 4-player policy is better", -inf, 0, lead(eight))
    yield Claim("6", "It wins over 90 % of the hands from random play", 90, 100, numbers.matches(("credits", "random-table"), lambda scores: scores[0].hands), ".1f")


# fmt: on


def exploration(numbers: Numbers) -> str:
    """Return the section on published and legal exploration."""
    head = (
        "case", "", "fold, all betting states", "fold, states met", "buy, all buying states",
        "buy, states met", "swap high, all placing states", "swap high, states met",
    )  # fmt: skip
    rows = []
    for name, case in PAPER_CASES.items():
        for way in ("published", "legal"):
            cells = [
                f"{np.mean([share(run, decision, action, met=met) for run in numbers.results.runs[in_way(case, way)]]):.2f} %"
                for decision, action in ((BETTING, FOLD), (BUYING, BUY), (PLACING, SWAP_HIGH))
                for met in (False, True)
            ]
            rows.append([name, way, *cells])
    reachable = enumerated_states(2).reachable
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
    """Return the observation `cards`, eight numbers from -10 to 11, as one integer, never 0."""
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


class RecordedGames(NamedTuple):
    """Games of two players that explore legally, once by the paper's code and once by their cards."""

    games: int
    codes: Recording
    cards: Recording


def recorded_games(scale: Scale) -> RecordedGames:
    """Play as many games as an iteration of training does."""
    games, seed = scale.training_games, scale.base_seed
    one, other = (
        record(CREDITS.options, ["initial"] * 2, games=games, seed=seed, states=states, epsilon=0.9)
        for states in ("key", cards_key)
    )
    return RecordedGames(games, one, other)


def code_facts(recorded: RecordedGames) -> str:
    """Return the section on the code's collisions and clipping."""
    games, codes, cards = recorded
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

"""What the Corellian Spike page says of the paper's claims: what holds, what differs and why, what more would win."""

# ruff: noqa: E501  # Lines of prose as the page has them.

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cardgym.arena.transitions import record
from cardgym.console.tables import markdown_table
from cardgym.engine.contract import Int64s, State, rule
from cardgym.games.corellian_spike.state import BUY, FOLD, RAISE, SWAP_HIGH
from cardgym.games.corellian_spike.state_index import CARDS_AT, MAX_SUM, MIN_CARD, NO_CARD, observe_cards
from cardgym.papers.corellian_spike.batch_q import ENV
from cardgym.papers.corellian_spike.experiments import SEATINGS, STATE_MODELS
from cardgym.papers.corellian_spike.numbers import BETTING, BUYING, PLACING, Numbers, enumerated_states
from cardgym.papers.corellian_spike.runs import CREDITS, FOUR, WEIGHTED, Scale, legal
from cardgym.papers.corellian_spike.tables import EXPLORATIONS
from cardgym.papers.pages import section
from cardgym.statistics import Estimate, mean_over_runs


class Claim(NamedTuple):
    """A claim of the paper, whether it holds, and the evidence."""

    text: str
    verdict: str
    evidence: str


def _verdict(holds: bool) -> str:
    return "holds" if holds else "does not hold"


def claims(numbers: Numbers) -> str:
    """The section of the paper's claims; every verdict follows from the numbers."""
    rows = [*_play_claims(numbers), *_policy_claims(numbers), *_seat_claims(numbers), _epsilon_claim(numbers)]
    return section("The paper's claims", markdown_table(("claim", "verdict", "evidence"), rows))


def _play_claims(numbers: Numbers) -> list[Claim]:
    """Claims on how well the policies play."""
    random = numbers.credits("credits", "random-table", "published")
    rows = [
        Claim(
            "The policy far outperforms random play.",
            _verdict(random.low > 25),
            f"{random.text()} credits, {numbers.hands('credits', 'random-table', 'published').text('.1f')} % of hands",
        )
    ]
    published, open_ = (numbers.credits("credits", "initial", how) for how in EXPLORATIONS)
    loses = published.high < 0
    wins = open_.low > 0
    rows.append(
        Claim(
            "It wins more hands than the initial policy, but slightly loses in credits.",
            "holds for the published exploration, and is an artifact of it"
            if loses and wins
            else "holds"
            if loses
            else "hands: holds; credits: not clear of zero",
            f"hands {numbers.hands('credits', 'initial', 'published').text('.1f')} %; credits {published.text()} published, "
            f"{open_.text()} with legal exploration: a policy that can learn to fold need not lose them",
        )
    )
    for reward in ("credits", "weighted"):
        middle = numbers.credits(reward, "intermediate", "published")
        rows.append(
            Claim(
                f"The policy of iteration 25 plays as well as the final one ({reward}).",
                _verdict(abs(middle.value) < 3),
                f"{middle.text()} credits between them; up to 3 of the 50 credits count as equal",
            )
        )
    direct = numbers.credits("weighted", "credits-only", "published")
    hands = numbers.hands("weighted", "credits-only", "published")
    rows.append(
        Claim(
            "The simpler credits-only reward costs little.",
            _verdict(direct.value < 3),
            f"weighted against credits-only: {direct.text()} credits, {hands.text('.1f')} % of hands",
        )
    )
    return rows


def _policy_claims(numbers: Numbers) -> list[Claim]:
    """Claims on which actions the policies take."""
    open_ = legal(CREDITS)
    return [
        Claim(
            "Policies fold in less than 1 % of the betting states.",
            "an artifact of the exploration",
            f"{numbers.share(CREDITS, BETTING, FOLD, 'all'):.2f} % published (folding is never tried), "
            f"{numbers.share(open_, BETTING, FOLD, 'all'):.2f} % of all and {numbers.share(open_, BETTING, FOLD, 'met'):.0f} % "
            "of the states met with legal exploration",
        ),
        Claim(
            "Policies never swap with the higher card, an artifact of the state model.",
            "an artifact of the exploration, not of the state",
            f"{numbers.share(CREDITS, PLACING, SWAP_HIGH, 'all'):.2f} % published, "
            f"{numbers.share(open_, PLACING, SWAP_HIGH, 'all'):.1f} % of all "
            f"and {numbers.share(open_, PLACING, SWAP_HIGH, 'met'):.0f} % of the states met with legal exploration, same state",
        ),
        Claim(
            "After round 0 policies heavily favor matching (raising about 2 %).",
            "an artifact of the enumeration",
            "at most 4.8 % of the codes of rounds 1 to 3 are reachable (below); in visited states the final policy raises in "
            f"{numbers.share(CREDITS, BETTING, RAISE, 'met'):.0f} %",
        ),
    ]


def _seat_claims(numbers: Numbers) -> list[Claim]:
    """Claims on the 2-player and the 4-player policy with 2, 4 and 8 players."""
    two, four, eight = (
        numbers.of(("seats", seating, "published"), lambda scores: scores[0].credits - scores[1].credits)
        for seating in SEATINGS[:3]
    )
    return [
        Claim(
            "With two players the 2-player policy beats the 4-player one.",
            _verdict(two.low > 0),
            f"by {two.text()} credits a game",
        ),
        Claim(
            "With four players they are equal.",
            "not told apart" if abs(four.value) <= four.half_width else "does not hold",
            f"difference {four.text()} credits (2-player minus 4-player)",
        ),
        Claim(
            "With eight players the 4-player policy is better.",
            "holds" if eight.high < 0 else "not shown" if abs(eight.value) <= eight.half_width else "does not hold",
            f"difference {eight.text()} credits in the paper's two hands; the paper's own 2.2 credits are from 2,000 games",
        ),
    ]


def _epsilon_claim(numbers: Numbers) -> Claim:
    last = 0.9 * 0.9556 ** (numbers.scale.iterations - 1)
    return Claim(
        "After 50 iterations epsilon is 10.2 %.",
        "off by one",
        f"iteration 49 explores with 0.9 x 0.9556^48 = {0.9 * 0.9556**48:.1%}, the last one with {last:.1%}",
    )


def exploration(numbers: Numbers) -> str:
    """The section on published and legal exploration."""
    head = (
        "case", "exploration", "fold, all betting states", "fold, states met", "buy, all buying states",
        "buy, states met", "swap high, all placing states", "swap high, states met",
    )  # fmt: skip
    rows = []
    for name, case in (("2 players, credits", CREDITS), ("2 players, weighted", WEIGHTED), ("4 players", FOUR)):
        for how in (case, legal(case)):
            cells = [
                f"{numbers.share(how, decision, action, among):.2f} %"
                for decision, action in ((BETTING, FOLD), (BUYING, BUY), (PLACING, SWAP_HIGH))
                for among in ("all", "met")
            ]
            rows.append([name, how.exploration, *cells])
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


def betting(numbers: Numbers) -> str:
    """The section on flat and matched betting."""
    rows = []
    for opponent in ("random-table", "initial", "intermediate"):
        for how in EXPLORATIONS:
            cells = [numbers.credits(kind, opponent, how).text() for kind in ("credits", "matched")]
            cells += [numbers.hands(kind, opponent, how).text(".1f") + " %" for kind in ("credits", "matched")]
            rows.append([opponent, how, *cells])
    head = ("opponent", "exploration", "credits, flat", "credits, matched", "hands, flat", "hands, matched")
    return section(
        "Flat against matched betting",
        "Under flat betting (the paper's reward table: a raise costs 2, a match 2) a re-raise costs its player 2 and "
        "every later match 2 again. With matched betting, as in poker, players make up the difference. Trained and played "
        "with either, credits-only reward:",
        markdown_table(head, rows),
    )


def information(numbers: Numbers) -> str:
    """The section on the paper's future work."""
    head = (
        "state", "decisions learned from", "states met", "credits against that policy", "hands",
        "credits against initial", "against heuristic",
    )  # fmt: skip
    rows = []
    differences = []
    for budget in numbers.scale.budgets:
        credits: dict[str, Estimate] = {}
        for model, name in STATE_MODELS.items():
            results = numbers.results.tabular[budget, model]
            policy, initial, heuristic = (
                mean_over_runs([result.scores[judge].credits for result in results]) for judge in range(3)
            )
            hands = mean_over_runs([100 * result.scores[0].hands for result in results])
            credits[model] = policy
            met = np.mean([result.states for result in results])
            rows.append([
                name, f"{budget:,}", f"{met:,.0f}", policy.text(), f"{hands.text('.1f')} %", initial.text(),
                heuristic.text(),
            ])  # fmt: skip
        more = [f"{credits[m].value - credits[''].value:+.1f} ({STATE_MODELS[m]})" for m in ("cards", "spikes")]
        differences.append(f"after {budget:,} decisions by {' and '.join(more)}")
    return section(
        "The paper's future work: would knowing more win more?",
        "Online Q-learning (the same for all; [tables](../../algorithms/more.md#tables-q-learning-and-sarsa)) learns to beat "
        "the paper's final credits-only policy, which is fixed, with three kinds of state: the paper's code, the three "
        f"cards instead of their sum, and the code with the opponent's spike. Means of {numbers.scale.information_seeds} runs.",
        markdown_table(head, rows),
        f"Knowing more than the paper's code changes the credits won a game {', '.join(differences)}.",
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

"""The compiled rules against the rule text in plain Python, compared after every move of random games."""

from collections import Counter
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from spike_reference import BUY, FOLD, MATCH, RAISE, Question, Reference, special_rank

from cardgym.games.corellian_spike import state
from cardgym.games.corellian_spike.game import GAME
from cardgym.games.corellian_spike.hand import special_hand
from cardgym.games.corellian_spike.observations import full_features
from cardgym.games.corellian_spike.state import EMPTY, CorellianSpikeOptions
from cardgym.testing import StateDriver


class Comparison:
    """One random game in both.

    After every move it compares everything that the rule text speaks of.

    Args:
        options: the game's options.
        seed: decides the moves.
        folds: the weight of folding; a match has 1.
        small: draw cards near 0 while there are any, and hardly ever buy, so that hands are often tied.
    """

    def __init__(self, options: CorellianSpikeOptions, seed: int, folds: float, small: bool = False) -> None:
        self.options = options
        self.game = StateDriver(GAME, options)
        self.reference = Reference(
            options.num_players,
            options.hands,
            options.credits,
            options.betting == "matched",
            options.reward,
            options.special_hands == "yes",
            None if options.cheat == "no" else int(options.cheat),
            options.zeros,
        )
        self.rng = np.random.default_rng(seed)
        self.folds = folds
        self.small = small
        self.features = full_features(options)

    def play(self) -> Counter[str]:
        """Play to the end; how often each kind of question, ending and rare event came up."""
        reference, seats = self.reference, self.options.num_players
        seen: Counter[str] = Counter()
        question = next(reference.questions, None)
        while question is not None:
            self.compare(question)
            move, answer = self.choose(question)
            paid = self.game.apply_action(move)
            reference.rewards = [0.0] * seats
            seen[question.kind] += 1
            try:
                question = reference.questions.send(answer)
            except StopIteration:
                question = None
            assert paid[:seats].tolist() == reference.rewards
        assert self.game.over
        assert int(self.game.state.hand) == reference.hands_played
        for number, seat in enumerate(reference.seats):
            assert int(self.game.state.stack[number]) == seat.credits
            assert self.game.score(number) == seat.hands_won
            assert self.game.info_state_key(number) == 0
        seen.update(reference.endings)
        seen["reshuffle"] += reference.reshuffles
        seen["bust"] += reference.hands_played < self.options.hands
        return seen

    def choose(self, question: Question) -> tuple[int, object]:
        """A random move of the game, and the same move as an answer to the reference."""
        rng, outcomes = self.rng, self.game.num_chance_outcomes
        if question.kind == "decide":
            weight_of = {FOLD: self.folds, RAISE: 0.4, BUY: 0.05 if self.small else 4.0}
            weights = np.array([weight_of.get(action, 1.0) for action in question.choices])
            action = int(rng.choice(question.choices, p=weights / weights.sum()))
            return action, action
        if question.kind == "dice" and not self.small and rng.random() < 0.3:  # Doubles more often than by chance.
            first = int(rng.integers(3))
            return first * 7, (first + 1, first + 1)
        move = int(rng.integers(outcomes))
        if question.kind == "dice":
            return move, (move // 6 + 1, move % 6 + 1)
        if question.kind == "lot":
            return move, question.choices[move]
        if self.small:
            near = np.flatnonzero(np.abs(self.game.state.deck[:outcomes]) <= 1)
            move = int(rng.choice(near)) if len(near) else move
        return move, int(self.game.state.deck[move])

    def compare(self, question: Question) -> None:
        """Compare the two states, and what the seat to decide knows and may do."""
        game, reference = self.game, self.reference
        record = game.state
        assert (int(record.pool), int(record.hand)) == (reference.pool, reference.hands_played)
        if question.kind == "decide":
            assert (game.num_chance_outcomes, game.current_player) == (0, question.seat)
            assert game.legal_actions() == sorted(question.choices)
            assert int(record.round_number) == reference.round
            assert game.info_state_key(question.seat) == reference.info_state_key(question.seat)
            self.compare_observation(question.seat)
        elif question.kind == "draw":
            assert game.num_chance_outcomes == reference.pile.total()
            assert int(record.turn) == question.seat
        elif question.kind == "dice":
            assert game.num_chance_outcomes == 36
        else:
            assert game.num_chance_outcomes == len(question.choices)
            assert np.flatnonzero(record.tied[: self.options.num_players]).tolist() == list(question.choices)
        assert Counter(record.deck[: record.deck_size].tolist()) == +reference.pile
        assert Counter(record.discards[: record.discards_size].tolist()) == +reference.discards
        assert card_or_none(int(record.extra)) == reference.bought
        assert card_or_none(int(record.sleeve)) == reference.sleeve
        stacks, folded, cards = record.stack.tolist(), record.folded.tolist(), record.cards.tolist()
        for number, seat in enumerate(reference.seats):
            assert stacks[number] == seat.credits
            assert bool(folded[number]) == seat.folded
            assert [card for card in cards[number][:2] if card != EMPTY] == sorted(seat.hand)
            assert card_or_none(cards[number][2]) == seat.spike

    def compare_observation(self, number: int) -> None:
        """Compare the full observation's features with what the reference's seat knows."""
        observed = {}
        rest = self.game.observe(number, "full")
        for feature in self.features:
            observed[feature.name], rest = rest[: feature.size], rest[feature.size :]
        expected = self.expected_features(number)
        left_out = {"turns_left", *(f"opponent_{ahead}_kept" for ahead in range(1, self.options.num_players))}
        assert set(observed) - set(expected) == left_out
        assert set(expected) <= set(observed)
        differences = np.abs(joined(observed[name] for name in expected) - joined(expected.values()))
        assert differences.max() <= 1e-6, {name: (observed[name], expected[name]) for name in expected}

    def expected_features(self, number: int) -> dict[str, Any]:
        """The features of the full observation by the rule text, but for those that the reference does not keep."""
        reference, options = self.reference, self.options
        seat = reference.seats[number]
        all_credits = options.num_players * options.credits
        low, high = sorted(seat.hand)
        total = sum(seat.cards)
        placed = [0.0, 0.0, 0.0]
        if reference.bought is not None:
            assert seat.spike is not None
            placed = [(total + reference.bought - card) / 30 for card in (seat.spike, low, high)]
        unseen = reference.unseen_by(number)
        betting = reference.decision == 1
        expected = {
            "round": [float(reference.round == r) for r in range(4)],
            "decision": [float(reference.decision == d) for d in (1, 2, 3)],
            "seat": number / 7,
            "low": low / 10,
            "high": high / 10,
            "spike": (seat.spike or 0) / 10,
            "extra": (reference.bought or 0) / 10,
            "has_extra": float(reference.bought is not None),
            "sum": total / 30,
            "sum_placed": placed,
            "stack": seat.credits / all_credits,
            "pool": reference.pool / all_credits,
            "put": seat.put_hand / all_credits,
            "to_match": min(reference.price / 10, 1) if betting else 0,
            "raised": float(betting and reference.price > 0),
            "hands_left": (options.hands - reference.hands_played - 1) / options.hands,
            "unseen": [unseen[value] / 3 for value in range(-10, 11)],
        }
        for ahead in range(1, options.num_players):
            other = reference.seats[(number + ahead) % options.num_players]
            expected |= {
                f"opponent_{ahead}_in": float(not other.folded),
                f"opponent_{ahead}_spike": (other.spike or 0) / 10,
                f"opponent_{ahead}_stack": other.credits / all_credits,
                f"opponent_{ahead}_put": other.put_hand / all_credits,
                f"opponent_{ahead}_phase": min(other.put_phase / 10, 1),
                f"opponent_{ahead}_raises": min(other.raises / 10, 1),
                f"opponent_{ahead}_buys": other.buys / 3,
            }
        if reference.cheat is not None:
            cheats = number == reference.cheat
            expected |= {"cheats": float(cheats), "sleeve": (reference.sleeve or 0) / 10 if cheats else 0.0}
        return expected


def joined(values: Any) -> npt.NDArray[np.float64]:
    return np.concatenate([np.atleast_1d(np.asarray(value, np.float64)) for value in values])


def card_or_none(card: int) -> int | None:
    return None if card == EMPTY else card


@pytest.mark.parametrize("num_players", range(2, 9))
@pytest.mark.parametrize("betting", ["flat", "matched"])
def test_random_games(num_players: int, betting: str) -> None:
    seen: Counter[str] = Counter()
    for seed, (credits, reward, folds) in enumerate(
        [(50, "net", 0.05), (50, "weighted", 0.3), (10, "credits", 0.05), (4, "weighted", 0.1), (200, "net", 0.02)]
    ):
        options = CorellianSpikeOptions(num_players, 4, credits, betting, reward)
        seen += Comparison(options, 100 * num_players + seed, folds).play()
    # The games must have reached what they are meant to compare.
    assert seen["decide"] > 50
    assert seen["folded"] + seen["showdown"] + seen["lot"] >= 5
    assert seen["bust"] > 0


def test_random_games_reach_the_rare_rules() -> None:
    seen: Counter[str] = Counter()
    for seed in range(4):
        seen += Comparison(CorellianSpikeOptions(8, 2, 100, ("flat", "matched")[seed % 2]), seed, 0.002).play()
    for seed in range(6):
        special_hands, cheat = ("no", "yes")[seed % 2], ("no", "1")[seed // 3]
        options = CorellianSpikeOptions(2, 12, 200, special_hands=special_hands, cheat=cheat, zeros=2 + seed % 4)
        seen += Comparison(options, seed, 0.01, small=True).play()
    assert seen["reshuffle"] > 0
    assert seen["lot"] > 0
    assert seen["special"] > 0
    assert seen["folded"] > 0


@settings(max_examples=25, deadline=None, database=None, derandomize=True)
@given(
    num_players=st.integers(2, 8),
    hands=st.integers(1, 6),
    tens=st.integers(1, 60),
    betting=st.sampled_from(["flat", "matched"]),
    reward=st.sampled_from(["net", "credits", "weighted"]),
    special_hands=st.sampled_from(["no", "yes"]),
    cheat=st.integers(-1, 7),
    zeros=st.integers(1, 5),
    seed=st.integers(0, 10_000),
    folds=st.sampled_from([0.0001, 0.1, 1.0]),
)
def test_games_of_any_options(
    num_players: int,
    hands: int,
    tens: int,
    betting: str,
    reward: str,
    special_hands: str,
    cheat: int,
    zeros: int,
    seed: int,
    folds: float,
) -> None:
    cheating = str(cheat) if 0 <= cheat < num_players else "no"
    options = CorellianSpikeOptions(num_players, hands, 2 * tens, betting, reward, special_hands, cheating, zeros=zeros)
    Comparison(options, seed, folds).play()


def test_special_hands_are_those_of_the_rule_text() -> None:
    for hand in product(range(-10, 11), repeat=3):
        assert special_hand(*hand) == special_rank([*hand]), hand


def test_actions_are_numbered_as_in_the_paper() -> None:
    assert (state.RAISE, state.MATCH, state.FOLD, state.BUY) == (RAISE, MATCH, FOLD, BUY) == (0, 1, 2, 3)

"""Every check of rules and envs can fail: deliberately broken games and envs, and the messages of the errors.

`test_checks.py` runs this file without the JIT: compiling every broken game would take a minute.
"""

import dataclasses
import re
from collections.abc import Callable, Iterator
from typing import Any

import broken_games as games
import hidden_moves
import pytest

from cardgym.engine.contract import Game, Options, State, choice, rule
from cardgym.engine.registry import find
from cardgym.engine.rules import no_resample
from cardgym.testing import ContractError, StateDriver
from cardgym.testing.kernel_checks import check_compiled_players, check_deals, check_interpreted
from cardgym.testing.knowledge_checks import (
    check_hidden,
    check_observations,
    check_state_index,
    check_views,
    check_words,
)
from cardgym.testing.rule_checks import (
    check_doc,
    check_endings,
    check_invariants,
    check_moves,
    check_options,
    check_state,
)
from cardgym.testing.secrecy_checks import check_secrets
from kuhn_poker import GAME

OPTIONS = Options()
SPIKE = find("CorellianSpike-v0")


@pytest.fixture(autouse=True, scope="module")
def _forget_broken_games() -> Iterator[None]:
    with games.forgotten_afterwards():
        yield


def check_short_endings(game: Game, options: Options, seed: int) -> None:
    check_endings(game, options, seed, games=1, most=500)


FAULTS: list[tuple[str, dict[str, Any], Callable[..., None], str]] = [
    ("Leak", {"observations": games.observe_both_cards}, check_hidden, "changes observation 'full', number 3"),
    ("Describe", {"describe": games.describe_both_cards}, check_hidden, "changes the text"),
    ("Peek", {"players": games.PEEK}, check_hidden, "it peeks"),
    ("Illegal", {"players": games.ILLEGAL}, check_hidden, "not legal"),
    ("Blind", {"resample": games.resample_nothing}, check_hidden, "changed none"),
    ("OwnCard", {"resample": games.resample_own_card}, check_hidden, "seat 0"),
    ("Bounds", {"observations": games.observe_too_much}, check_observations, r"\(moves\) is 2"),
    ("Short", {"observations": games.observe_too_little}, check_observations, "not written"),
    ("Meddle", {"observations": games.observe_and_change}, check_observations, "changes the state"),
    (
        "Twins",
        {"observations": games.observed_by(games.observe_too_little, games.twin_features)},
        check_observations,
        "the same name",
    ),
    ("Empty", {"legal_action_mask": games.legal_nothing}, check_moves, "no action is legal"),
    ("Half", {"legal_action_mask": games.legal_half_written}, check_moves, "other than 0 and 1"),
    ("Still", {"apply_action": games.apply_nothing}, check_moves, "changes nothing"),
    ("Gain", {"forfeit": games.forfeit_for_gain}, check_moves, "a reward"),
    (
        "Twice",
        {"apply_action": games.apply_and_deal_twice, "invariants": games.cards_dealt_twice},
        check_invariants,
        r"invariants\(\) was",
    ),
    ("Endless", {"apply_action": games.apply_without_end}, check_short_endings, "not over after"),
    ("Forgetful", {"setup": games.setup_forgetful}, check_endings, "must overwrite"),
    ("Both", {"score": games.score_for_both}, check_endings, "does not sum"),
    ("Shared", {"score": games.score_for_both}, check_compiled_players, "does not sum"),
    ("Beyond", {"info_state_index": games.index_beyond}, check_state_index, "is not below"),
    ("Zero", {"info_state_index": games.index_zero}, check_state_index, "index 0 is the end"),
    ("Words", {"action_text": games.same_words}, check_words, "share their words"),
    ("Gossip", {"narrate": games.narrate_both_cards}, check_secrets, r"narrate\(\) tells"),
    ("Tattle", {"reveals": games.show_both_cards}, check_secrets, r"reveals\(\) tells"),
    ("Glass", {"view": games.view_both_cards}, check_hidden, r"changes view\(\)"),
    ("SameIds", {"view": games.view_twins}, check_views, "an id comes twice"),
    ("Undrawn", {"view": games.view_undrawn}, check_views, "is not drawn"),
    ("Elsewhere", {"view": games.view_elsewhere}, check_views, "not all of which it shows"),
    ("Ambiguous", {"view": games.view_ambiguous}, check_views, "about the same items"),
]


@pytest.mark.parametrize(("name", "changes", "check", "words"), FAULTS, ids=[name for name, *_ in FAULTS])
def test_broken_rules_are_caught(name: str, changes: dict[str, Any], check: Callable[..., None], words: str) -> None:
    game = games.broken(name, **changes)
    with pytest.raises(ContractError, match=words) as caught:
        games.with_seeds(check, game, OPTIONS)
    assert game.id in str(caught.value)


# -- hidden moves -----------------------------------------------------------------------------------------------------

HIDDEN_MOVES = (hidden_moves.DISCARD, hidden_moves.PLACEMENT, hidden_moves.FORCED)


@pytest.mark.parametrize("game", HIDDEN_MOVES, ids=lambda game: game.id)
def test_games_of_hidden_moves_pass_and_say_nothing_of_them_by_default(game: Game) -> None:
    check_secrets(game, OPTIONS)
    driver = StateDriver(game)
    driver.play_chance(lambda outcomes: outcomes - 1)
    driver.apply_action(driver.legal_actions()[-1])
    assert driver.narrate(1) == ""
    assert driver.narrate(0).startswith("You: ")
    driver.apply_action(driver.legal_actions()[0])
    assert driver.narrate(0) == "Seat 1: low"


@pytest.mark.parametrize("face", hidden_moves.FAULTS)
def test_what_tells_a_hidden_move_is_caught(face: str) -> None:
    make, words = hidden_moves.FAULTS[face]
    with pytest.raises(ContractError, match=rf"cannot tell move .* but {words}.* tells it"):
        check_secrets(make(), OPTIONS, advised=face == "advice")


def test_other_process_imports_the_module_of_a_game_that_is_not_installed() -> None:
    check_interpreted("Discard-v0", [OPTIONS], moves=4)


def test_game_without_resample_is_told_what_to_write() -> None:
    game = games.broken("Unsaid", resample=no_resample)
    with pytest.raises(ContractError, match=r"pass `resample=` to Rules, .* or `hides_nothing` if every seat sees"):
        check_hidden(game, OPTIONS)
    check_secrets(game, OPTIONS)


# -- state, options, documentation ------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Ante(Options):
    ante: str = choice("one", "two", help="what each player pays before the deal")


@dataclasses.dataclass(frozen=True)
class OptionsNotWritten(Options):
    deck: str = choice("three", "four", help="never written")

    def write(self, state: Any) -> None:
        state.num_players = 2


@dataclasses.dataclass(frozen=True)
class OptionsUnchecked(Ante):
    def __post_init__(self) -> None:
        pass


def test_field_named_like_an_attribute_of_np_record_is_caught() -> None:
    game = games.broken("Attribute", state=games.with_field("round"))
    with pytest.raises(ContractError, match="'round'"):
        check_state(game, [OPTIONS])


def test_option_that_is_not_written_is_caught() -> None:
    game = games.broken("Unwritten", options=OptionsNotWritten)
    with pytest.raises(ContractError, match="not in the state"):
        check_state(game, [OptionsNotWritten()])


def test_option_that_accepts_anything_is_caught() -> None:
    with pytest.raises(ContractError, match="is accepted"):
        check_options(games.broken("Unchecked", state=games.with_field("ante"), options=OptionsUnchecked))


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("`ante`", "`blind`", "option `ante`"),
        ("4..5      bets                  [0, 1]", "4..5      bets                  [0, 2]", 'no row "4..5'),
    ],
)
def test_wrong_documentation_is_caught(before: str, after: str, words: str) -> None:
    good = dataclasses.replace(GAME, state=games.with_field("ante"), options=Ante)
    assert before in good.documentation
    game = dataclasses.replace(good, doc=good.documentation.replace(before, after))
    check_doc(good)
    with pytest.raises(ContractError, match=re.escape(words)):
        check_doc(game)


def test_missing_sections_of_the_documentation_are_generated() -> None:
    game = dataclasses.replace(GAME, options=Ante, doc="A game.\n\n## Rewards\nOne chip.")
    check_doc(game)
    assert game.documentation.startswith("A game.\n\n## Description\n")
    assert "## Rewards\nOne chip." in game.documentation
    assert "- `ante`: one or two; what each player pays" in game.documentation


@rule
def apply_with_leftovers(state: State, move: int) -> None:
    """Corellian Spike, where a larger pool leaves another order of the deck to the next hand."""
    hand = state.hand
    SPIKE.rules.apply_action(state, move)
    if state.hand > hand and state.last_pool > 4:
        state.deck[: state.deck_size] = -state.deck[: state.deck_size]


def test_deal_that_depends_on_an_earlier_deal_is_caught() -> None:
    rules = dataclasses.replace(SPIKE.rules, apply_action=apply_with_leftovers)
    with pytest.raises(ContractError, match=r"deal \d starts with"):
        check_deals(dataclasses.replace(SPIKE, id="BrokenLeftover-v0", rules=rules), SPIKE.parse_options())

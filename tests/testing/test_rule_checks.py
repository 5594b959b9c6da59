"""Every check of rules can fail: deliberately broken games, and the messages of the errors."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterator
from typing import Any

import broken_games
import pytest
import two_deals
from broken_games import broken, observed_by, with_seeds

import env_checks
from cardgym.engine.compilation import config
from cardgym.engine.contract import Game, Options, choice
from cardgym.testing import (
    ContractError,
    kernel_checks,
    knowledge_checks,
    rule_checks,
)
from kuhn_poker import GAME

OPTIONS = Options()


@pytest.fixture(autouse=True, scope="module")
def _forget_broken_games() -> Iterator[None]:
    with broken_games.forgotten_afterwards():
        yield


def check_short_endings(game: Game, options: Options, seed: int) -> None:
    rule_checks.check_endings(game, options, seed, games=1, most=500)


def check_env_outputs(game: Game, options: Options, seed: int) -> None:
    env_checks.check_outputs(game, {"seat": "all"}, seed, steps=10, pictures=0)


BROKEN_RULES: list[tuple[str, dict[str, Any], Callable[..., None], str]] = [
    (
        "Leak",
        {"observations": observed_by(broken_games.observe_both_cards)},
        knowledge_checks.check_hidden,
        "changes observation 'full', number 3",
    ),
    ("Describe", {"describe": broken_games.describe_both_cards}, knowledge_checks.check_hidden, "changes describe"),
    ("Peek", {"players": broken_games.PEEK}, knowledge_checks.check_hidden, "it peeks"),
    ("Illegal", {"players": broken_games.ILLEGAL}, knowledge_checks.check_hidden, "not legal"),
    ("Blind", {"resample": broken_games.resample_nothing}, knowledge_checks.check_hidden, "changed none"),
    ("OwnCard", {"resample": broken_games.resample_own_card}, knowledge_checks.check_hidden, "seat 0"),
    (
        "Bounds",
        {"observations": observed_by(broken_games.observe_too_much)},
        knowledge_checks.check_observations,
        r"\(moves\) is 2",
    ),
    (
        "Short",
        {"observations": observed_by(broken_games.observe_too_little)},
        knowledge_checks.check_observations,
        "not written",
    ),
    (
        "Long",
        {"observations": observed_by(broken_games.observe_beyond)},
        knowledge_checks.check_observations,
        "more numbers",
    ),
    (
        "Meddle",
        {"observations": observed_by(broken_games.observe_and_change)},
        knowledge_checks.check_observations,
        "changes the state",
    ),
    (
        "Twins",
        {"observations": observed_by(broken_games.observe_too_little, broken_games.twin_features)},
        knowledge_checks.check_observations,
        "the same name",
    ),
    ("Empty", {"legal_action_mask": broken_games.legal_nothing}, rule_checks.check_moves, "no action is legal"),
    ("Half", {"legal_action_mask": broken_games.legal_half_written}, rule_checks.check_moves, "other than 0 and 1"),
    ("Still", {"apply_action": broken_games.apply_nothing}, rule_checks.check_moves, "changes nothing"),
    ("Gain", {"forfeit": broken_games.forfeit_for_gain}, rule_checks.check_moves, "a reward"),
    (
        "Twice",
        {"apply_action": broken_games.apply_and_deal_twice, "invariants": broken_games.cards_dealt_twice},
        rule_checks.check_invariants,
        r"invariants\(\) was",
    ),
    ("Endless", {"apply_action": broken_games.apply_without_end}, check_short_endings, "not over after"),
    ("Forgetful", {"setup": broken_games.setup_forgetful}, rule_checks.check_endings, "must overwrite"),
    ("Both", {"score": broken_games.score_for_both}, rule_checks.check_endings, "does not sum"),
    ("Shared", {"score": broken_games.score_for_both}, kernel_checks.check_compiled_players, "does not sum"),
    ("Beyond", {"info_state_index": broken_games.index_beyond}, knowledge_checks.check_state_index, "is not below"),
    ("Zero", {"info_state_index": broken_games.index_zero}, knowledge_checks.check_state_index, "index 0 is the end"),
    ("Words", {"action_text": broken_games.same_words}, knowledge_checks.check_words, "share their words"),
    ("Gossip", {"narrate": broken_games.narrate_both_cards}, knowledge_checks.check_words, "cannot see"),
    ("Tattle", {"reveals": broken_games.show_both_cards}, knowledge_checks.check_words, r"reveals\(\) tells"),
    (
        "Window",
        {"observations": observed_by(broken_games.observe_both_cards)},
        check_env_outputs,
        "cannot see changes its observation",
    ),
    ("Loud", {"describe": broken_games.describe_both_cards}, check_env_outputs, r"changes render\(\)"),
    ("Glass", {"view": broken_games.view_both_cards}, knowledge_checks.check_hidden, r"changes view\(\)"),
    ("SameIds", {"view": broken_games.view_twins}, knowledge_checks.check_views, "an id comes twice"),
    ("Undrawn", {"view": broken_games.view_undrawn}, knowledge_checks.check_views, "is not drawn"),
    ("Elsewhere", {"view": broken_games.view_elsewhere}, knowledge_checks.check_views, "not all of which it shows"),
    ("Ambiguous", {"view": broken_games.view_ambiguous}, knowledge_checks.check_views, "about the same items"),
]


@pytest.mark.parametrize(("name", "changes", "check", "words"), BROKEN_RULES, ids=[name for name, *_ in BROKEN_RULES])
def test_broken_rules_are_caught(name: str, changes: dict[str, Any], check: Callable[..., None], words: str) -> None:
    if name == "Long" and config.DISABLE_JIT:
        pytest.skip("NumPy refuses to write beyond an array")
    game = broken(name, **changes)
    with pytest.raises(ContractError, match=words) as caught:
        with_seeds(check, game, OPTIONS)
    assert game.id in str(caught.value)


@pytest.mark.parametrize(
    "check",
    [
        knowledge_checks.check_hidden,
        knowledge_checks.check_observations,
        knowledge_checks.check_state_index,
        knowledge_checks.check_words,
        knowledge_checks.check_views,
        check_env_outputs,
        rule_checks.check_moves,
        rule_checks.check_invariants,
        rule_checks.check_endings,
        kernel_checks.check_compiled_players,
        kernel_checks.check_deals,
    ],
)
def test_correct_game_passes(check: Callable[..., None]) -> None:
    with_seeds(check, GAME, OPTIONS)


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
    game = broken("Attribute", state=broken_games.with_field("round"))
    with pytest.raises(ContractError, match="'round'"):
        rule_checks.check_state(game, [OPTIONS])


def test_option_that_is_not_written_is_caught() -> None:
    game = broken("Unwritten", options=OptionsNotWritten)
    with pytest.raises(ContractError, match="not in the state"):
        rule_checks.check_state(game, [OptionsNotWritten()])


def test_option_that_accepts_anything_is_caught() -> None:
    with pytest.raises(ContractError, match="is accepted"):
        rule_checks.check_options(broken("Unchecked", state=broken_games.with_field("ante"), options=OptionsUnchecked))


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("`ante`", "`blind`", "option `ante`"),
        ("4..5      bets                  [0, 1]", "4..5      bets                  [0, 2]", 'no row "4..5'),
    ],
)
def test_wrong_documentation_is_caught(before: str, after: str, words: str) -> None:
    good = dataclasses.replace(GAME, state=broken_games.with_field("ante"), options=Ante)
    assert before in good.documentation
    game = dataclasses.replace(good, doc=good.documentation.replace(before, after))
    rule_checks.check_doc(good)
    with pytest.raises(ContractError, match=re.escape(words)):
        rule_checks.check_doc(game)


def test_missing_sections_of_the_documentation_are_generated() -> None:
    game = dataclasses.replace(GAME, options=Ante, doc="A game.\n\n## Rewards\nOne chip.")
    rule_checks.check_doc(game)
    assert game.documentation.startswith("A game.\n\n## Description\n")
    assert "## Rewards\nOne chip." in game.documentation
    assert "- `ante`: one or two; what each player pays" in game.documentation


# -- deals and interpreted rules --------------------------------------------------------------------------------------


def test_deal_that_depends_on_an_earlier_deal_is_caught() -> None:
    kernel_checks.check_deals(two_deals.GAME, two_deals.GAME.parse_options())
    with pytest.raises(ContractError, match="deal 1 starts with"):
        kernel_checks.check_deals(two_deals.BROKEN, two_deals.BROKEN.parse_options(), lines=8)


@pytest.mark.skipif(bool(config.DISABLE_JIT), reason="compares interpreted rules with compiled ones")
def test_rules_that_differ_when_interpreted_are_caught() -> None:
    with pytest.raises(ContractError, match="interpreted"):
        kernel_checks.check_interpreted("small_integers:BrokenSmall-v0", [OPTIONS])

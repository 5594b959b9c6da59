"""Each check of the contract suite can fail: games broken on purpose, and the words they are refused with."""

from __future__ import annotations

import dataclasses
import importlib.util
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import broken_games
import kuhn_poker
import numpy as np
import pytest
from broken_games import broken, observation_name

from cardgym.engine.contract import Game, choice
from cardgym.envs.core import EnvCore
from cardgym.envs.single import CardEnv
from cardgym.envs.vector import CardVectorEnv
from cardgym.testing import ContractError, ContractSuite, deal_checks, doc_checks, env_checks, rule_checks
from cardgym.testing.golden import check_golden, main, path_of, playthrough

OPTIONS = kuhn_poker.KuhnOptions()


def check_short_endings(game: Game, options: kuhn_poker.KuhnOptions, seed: int) -> None:
    rule_checks.check_endings(game, options, seed, games=1, most=500)


def with_seeds(check: Callable[..., None], *arguments: Any) -> None:
    """A small game shows a defect in some games only: a few seeds."""
    for seed in range(8):
        check(*arguments, seed)


@pytest.fixture(autouse=True, scope="module")
def _only_here() -> Any:
    """The broken games are forgotten again, so that tests over all registered games do not meet them."""
    from cardgym import registry

    before = dict(registry._GAMES)
    yield
    registry._GAMES.clear()
    registry._GAMES.update(before)


@dataclasses.dataclass(frozen=True)
class OptionsNotWritten(kuhn_poker.KuhnOptions):
    deck: str = choice("three", "four", help="never written")

    def write(self, state: Any) -> None:
        state.num_players = 2
        state.ante = 0


@dataclasses.dataclass(frozen=True)
class OptionsUnchecked(kuhn_poker.KuhnOptions):
    def __post_init__(self) -> None:
        pass


RULES: list[tuple[str, dict[str, Any], Callable[..., None], str]] = [
    (
        "Leak",
        {"encodings": observation_name(broken_games.observe_both_cards)},
        rule_checks.check_hidden,
        "changes observation 'full', number 3",
    ),
    ("Describe", {"describe": broken_games.describe_both_cards}, rule_checks.check_hidden, "changes describe"),
    ("Peek", {"players": {"peek": broken_games.peek}}, rule_checks.check_hidden, "it peeks"),
    ("Illegal", {"players": {"wild": broken_games.play_the_impossible}}, rule_checks.check_hidden, "not legal"),
    ("Blind", {"resample": broken_games.resample_nothing}, rule_checks.check_hidden, "changed none"),
    ("OwnCard", {"resample": broken_games.resample_own_card}, rule_checks.check_hidden, "seat 0"),
    (
        "Bounds",
        {"encodings": observation_name(broken_games.observe_too_much)},
        rule_checks.check_observations,
        r"\(moves\) is 2",
    ),
    (
        "Short",
        {"encodings": observation_name(broken_games.observe_too_little)},
        rule_checks.check_observations,
        "not written",
    ),
    (
        "Long",
        {"encodings": observation_name(broken_games.observe_beyond)},
        rule_checks.check_observations,
        "more numbers",
    ),
    (
        "Meddle",
        {"encodings": observation_name(broken_games.observe_and_change)},
        rule_checks.check_observations,
        "changes the state",
    ),
    (
        "Twins",
        {"encodings": observation_name(broken_games.observe_too_little, broken_games.table_of_twins)},
        rule_checks.check_observations,
        "one name",
    ),
    ("Empty", {"legal": broken_games.legal_nothing}, rule_checks.check_moves, "no action is legal"),
    ("Half", {"legal": broken_games.legal_half_written}, rule_checks.check_moves, "others than 0 and 1"),
    ("Still", {"apply": broken_games.apply_nothing}, rule_checks.check_moves, "changes nothing"),
    ("Gain", {"forfeit": broken_games.forfeit_for_gain}, rule_checks.check_moves, "a reward"),
    ("Twice", {"apply": broken_games.apply_and_deal_twice}, rule_checks.check_conserved, r"conserved\(\) was"),
    ("Endless", {"apply": broken_games.apply_without_end}, check_short_endings, "not over after"),
    ("Forgetful", {"setup": broken_games.setup_forgetful}, rule_checks.check_endings, "must overwrite"),
    ("Both", {"won": broken_games.won_by_both}, rule_checks.check_endings, "does not sum"),
    ("Beyond", {"index": broken_games.index_beyond}, rule_checks.check_index, "is not below"),
    ("Zero", {"index": broken_games.index_zero}, rule_checks.check_index, "index 0 is the end"),
    ("Words", {"action_text": broken_games.same_words}, rule_checks.check_texts, "share their words"),
    ("Gossip", {"narrate": broken_games.narrate_both_cards}, rule_checks.check_texts, "cannot see"),
]


@pytest.mark.parametrize(("name", "changes", "check", "words"), RULES, ids=[case[0] for case in RULES])
def test_broken_rules_are_caught(name: str, changes: dict[str, Any], check: Callable[..., None], words: str) -> None:
    game = broken(name, **changes)
    with pytest.raises(ContractError, match=words) as caught:
        with_seeds(check, game, OPTIONS)
    assert game.id in str(caught.value)


@pytest.mark.parametrize(
    "check",
    [
        rule_checks.check_hidden,
        rule_checks.check_observations,
        rule_checks.check_moves,
        rule_checks.check_conserved,
        rule_checks.check_endings,
        rule_checks.check_index,
        rule_checks.check_texts,
        deal_checks.check_deals,
    ],
)
def test_the_unbroken_game_passes(check: Callable[..., None]) -> None:
    for seed in range(8):
        check(kuhn_poker.GAME, OPTIONS, seed)


def test_a_field_named_like_an_attribute_is_caught() -> None:
    game = broken("Attribute", state=broken_games.ATTRIBUTE)
    with pytest.raises(ContractError, match="'round'"):
        rule_checks.check_record(game, [OPTIONS])


def test_an_option_that_is_not_written_is_caught() -> None:
    game = broken("Unwritten", options=OptionsNotWritten)
    with pytest.raises(ContractError, match="not in the record"):
        rule_checks.check_record(game, [OptionsNotWritten()])


def test_an_option_that_takes_anything_is_caught() -> None:
    with pytest.raises(ContractError, match="is accepted"):
        rule_checks.check_options(broken("Unchecked", options=OptionsUnchecked))


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("## Rewards", "## Pay", "no heading Rewards"),
        ("`ante`", "`blind`", "option `ante`"),
        ("4..5    bets                  [0, 1]", "4..5    bets                  [0, 2]", 'no row "4..5'),
    ],
)
def test_documentation_that_is_not_true_is_caught(before: str, after: str, words: str) -> None:
    game = dataclasses.replace(kuhn_poker.GAME, doc=kuhn_poker.DOC.replace(before, after))
    doc_checks.check_doc(kuhn_poker.GAME)
    with pytest.raises(ContractError, match=re.escape(words)):
        doc_checks.check_doc(game)


def test_deals_that_depend_on_what_was_played_before_are_caught() -> None:
    """Two hands in a row from one record, the second dealt from what the first left: see `two_hands`."""
    import two_hands

    deal_checks.check_deals(two_hands.GAME, two_hands.GAME.options())
    leftover = dataclasses.replace(two_hands.GAME, id="BrokenLeftover-v0", apply=two_hands.apply_with_leftovers)
    with pytest.raises(ContractError, match="deal 1 starts with"):
        deal_checks.check_deals(leftover, leftover.options(), lines=8)


def test_rules_that_differ_interpreted_are_caught() -> None:
    name = "small_integers:BrokenSmall-v0"
    with pytest.raises(ContractError, match=r"interpreted"):
        deal_checks.check_interpreted(name, [OPTIONS])


# -- envs: the checks are run on envs broken on purpose ---------------------------------------------------------------


def test_a_vector_env_that_deals_other_cards_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    reset = CardVectorEnv.reset

    def other_cards(self: CardVectorEnv, *, seed: Any = None, options: Any = None) -> Any:
        return reset(self, seed=None if seed is None else seed + 1, options=options)

    monkeypatch.setattr(CardVectorEnv, "reset", other_cards)
    with pytest.raises(ContractError, match="reset, row"):
        with_seeds(env_checks.check_rows, kuhn_poker.GAME, {}, 3)


def test_a_vector_env_that_pays_otherwise_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    step = CardVectorEnv.step
    monkeypatch.setattr(
        CardVectorEnv, "step", lambda self, actions: (lambda r: (r[0], r[1] * 2, *r[2:]))(step(self, actions))
    )
    with pytest.raises(ContractError, match="pays"):
        env_checks.check_rows(kuhn_poker.GAME, {}, 3)


def test_a_missing_final_observation_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    final = CardVectorEnv._final

    def wrong(self: CardVectorEnv, over: Any) -> dict[str, Any]:
        infos = final(self, over)
        for row in np.flatnonzero(over):
            infos["final_obs"][row] = infos["final_obs"][row] * 0
        return infos

    monkeypatch.setattr(CardVectorEnv, "_final", wrong)
    with pytest.raises(ContractError, match="under SAME_STEP"):
        env_checks.check_autoreset(kuhn_poker.GAME, {})


def test_illegal_actions_repaired_in_silence_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    step = CardEnv.step
    monkeypatch.setattr(CardEnv, "step", lambda self, action: step(self, min(max(int(action), 0), 1)))
    with pytest.raises(ContractError, match="illegal action"):
        env_checks.check_illegal(kuhn_poker.GAME, OPTIONS)


def test_shared_memory_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = CardEnv._outputs
    held = np.zeros(7, np.float32)

    def shared(self: CardEnv, code: int) -> Any:
        observation, info = seen(self, code)
        held[:] = observation
        return held, info

    monkeypatch.setattr(CardEnv, "_outputs", shared)
    with pytest.raises(ContractError, match="shares memory"):
        env_checks.check_steps(kuhn_poker.GAME, {})


def test_rows_that_show_what_the_caller_made_of_their_arrays_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def as_handed_out(self: EnvCore) -> Any:
        return self.seated.observations, self.seated.masks

    monkeypatch.setattr(EnvCore, "observe_now", as_handed_out)
    with pytest.raises(ContractError, match="resetting other rows changes"):
        env_checks.check_autoreset(kuhn_poker.GAME, {})


def test_copies_that_go_another_way_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def deepcopy_anew(self: CardEnv, memo: Any) -> CardEnv:
        other = CardEnv(self.game)
        other.reset(seed=99)
        return other

    monkeypatch.setattr(CardEnv, "__deepcopy__", deepcopy_anew, raising=False)
    with pytest.raises(ContractError, match="after deepcopy"):
        env_checks.check_copies(kuhn_poker.GAME, {})


def test_an_observation_outside_its_space_is_caught_by_gymnasiums_checker() -> None:
    game = broken("Space", observations=observation_name(broken_games.observe_too_much))
    with pytest.raises(ContractError, match="outside"):
        with_seeds(env_checks.check_steps, game, {"seat": "all"})


# -- golden playthroughs ----------------------------------------------------------------------------------------------


def test_a_game_without_a_golden_playthrough_is_caught(tmp_path: Path) -> None:
    with pytest.raises(ContractError, match="no golden playthrough"):
        check_golden(kuhn_poker.GAME, tmp_path)


def test_a_game_that_plays_otherwise_is_caught_and_the_difference_shown(tmp_path: Path) -> None:
    path = path_of(kuhn_poker.GAME, tmp_path)
    path.write_text(playthrough(kuhn_poker.GAME))
    check_golden(kuhn_poker.GAME, tmp_path)
    path.write_text(playthrough(kuhn_poker.GAME).replace("You are dealt", "You are given"))
    with pytest.raises(ContractError, match=r"(?s)no longer plays.*-.*given.*\+.*dealt"):
        check_golden(kuhn_poker.GAME, tmp_path)


def test_the_script_writes_compares_and_refuses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--folder", str(tmp_path), "kuhn_poker:KuhnPoker-v0"]
    assert main(words) == 2
    assert "no golden playthrough" in capsys.readouterr().err
    assert main(["--update", *words]) == 0
    assert main(words) == 0
    capsys.readouterr()
    assert main(["--folder", str(tmp_path), "KuhnPocker-v0"]) == 2
    assert "did you mean 'KuhnPoker-v0'" in capsys.readouterr().err
    assert main(["no_such_module:Game-v0"]) == 2
    assert "PYTHONPATH" in capsys.readouterr().err


def test_a_suite_without_a_game_says_so() -> None:
    with pytest.raises(ContractError, match="set `game`"):
        ContractSuite().test_bad_options_are_one_clear_line()


def test_every_registered_game_has_a_suite() -> None:
    path = Path(__file__).parents[1] / "test_contract.py"
    spec = importlib.util.spec_from_file_location("contract_of_all_games", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    tested = {getattr(suite, "game", "") for name, suite in vars(module).items() if name.startswith("Test")}
    assert {"CorellianSpike-v0", "OnePlayPoker-v0"} <= tested
    assert not any(name.startswith(("Broken", "Kuhn")) for name in tested)

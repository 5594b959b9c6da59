"""The contract suite as a class of tests; a subclass names the game, and pytest collects it."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from cardgym.engine.contract import Game, Options
from cardgym.engine.declarations import possible_values
from cardgym.engine.registry import find
from cardgym.engine.rules import no_resample
from cardgym.errors import CardgymError
from cardgym.testing import kernel_checks, knowledge_checks, rule_checks, secrecy_checks
from cardgym.testing.cases import option_cases
from cardgym.testing.driver import ContractError

_NUM_VALUES = 40
"""Hypothesis draws a numeric option from at most this many steps above its minimum."""


class ContractSuite:
    """Every test of the contract for one game. The tests are the `check_` functions of `cardgym.testing`.

    Attributes:
        game: the game's id, or `module:Id-v0` if a module must be imported to register it.
        golden: the folder of its golden playthrough; by default `golden` next to the test file.
        hides: whether the game has hidden information, including cards to come; `resample` must then change states.
        cases: how many sets of options to play.
        examples: how many games with random options hypothesis plays.
    """

    game: ClassVar[str] = ""
    golden: ClassVar[Path | None] = None
    hides: ClassVar[bool] = True
    cases: ClassVar[int] = 12
    examples: ClassVar[int] = 15

    @property
    def _game(self) -> Game:
        if not self.game:
            raise ContractError(f"{type(self).__name__}: set `game` to the id of a game")
        return find(self.game)

    def _options(self, most: int = 1000) -> list[Options]:
        return option_cases(self._game, min(self.cases, most))

    def _check_options(self, check: Callable[..., None], most: int = 1000, **arguments: Any) -> None:
        """Run a check for each set of options, each with another seed."""
        for seed, options in enumerate(self._options(most)):
            check(self._game, options, seed, **arguments)

    # -- declarations -------------------------------------------------------------------------------------------------

    def test_state_has_the_required_fields(self) -> None:
        rule_checks.check_state(self._game, self._options())

    def test_invalid_options_are_rejected_in_one_clear_line(self) -> None:
        rule_checks.check_options(self._game)

    def test_doc_has_headings_options_and_features(self) -> None:
        rule_checks.check_doc(self._game)

    # -- rules, move by move ------------------------------------------------------------------------------------------

    def test_masks_and_moves(self) -> None:
        self._check_options(rule_checks.check_moves)

    def test_games_end_and_setup_overwrites_them(self) -> None:
        self._check_options(rule_checks.check_endings)

    def test_no_move_changes_invariants(self) -> None:
        self._check_options(rule_checks.check_invariants)

    def test_observations_match_their_features(self) -> None:
        self._check_options(knowledge_checks.check_observations)

    def test_state_keys_and_indices(self) -> None:
        self._check_options(knowledge_checks.check_state_index, 3)

    def test_states_actions_and_moves_have_words(self) -> None:
        self._check_options(knowledge_checks.check_words)

    def test_views_can_be_drawn_and_played_by_clicks(self) -> None:
        self._check_options(knowledge_checks.check_views)

    def test_golden_playthrough(self) -> None:
        from cardgym.testing.golden import check_golden

        check_golden(self._game, self.golden or Path(inspect.getfile(type(self))).parent / "golden")

    def test_hidden_information_does_not_leak(self) -> None:
        self._check_options(knowledge_checks.check_hidden, hides=self.hides)

    def test_moves_that_look_the_same_are_told_and_shown_the_same(self) -> None:
        self._check_options(secrecy_checks.check_secrets, 6)

    def test_advice_uses_only_what_its_seat_knows(self) -> None:
        if self._game.rules.resample is no_resample:
            return  # test_hidden_information_does_not_leak says so.
        self._check_options(knowledge_checks.check_advice, 2)
        self._check_options(secrecy_checks.check_secrets, 1, advised=True)

    def test_random_options(self) -> None:
        """Play short games with options drawn by hypothesis, which finds the simplest options that fail."""
        from hypothesis import HealthCheck, given, settings
        from hypothesis import strategies as st

        game = self._game
        fields = {
            spec.name: st.sampled_from(possible_values(spec)[: _NUM_VALUES + 1])
            for spec in dataclasses.fields(game.options)
        }

        @settings(max_examples=self.examples, deadline=None, database=None, derandomize=True,
                  suppress_health_check=list(HealthCheck))  # fmt: skip
        @given(values=st.fixed_dictionaries(fields), seed=st.integers(0, 2**20))
        def play(values: dict[str, Any], seed: int) -> None:
            try:
                options = game.options(**values)
            except CardgymError:
                return  # An invalid combination of options.
            rule_checks.check_moves(game, options, seed, most=60)
            rule_checks.check_invariants(game, options, seed, most=120)
            if game.rules.resample is not no_resample:
                knowledge_checks.check_hidden(game, options, seed, most=10, hides=False)
            knowledge_checks.check_observations(game, options, seed, most=20)

        play()

    # -- compiled code ------------------------------------------------------------------------------------------------

    def test_compiled_players_finish_their_games(self) -> None:
        self._check_options(kernel_checks.check_compiled_players, 6)

    def test_interpreted_rules_equal_compiled_ones(self) -> None:
        kernel_checks.check_interpreted(self.game, self._options(6))

    def test_chance_of_a_deal_does_not_depend_on_earlier_deals(self) -> None:
        self._check_options(kernel_checks.check_deals, 6)

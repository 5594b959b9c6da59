"""The contract suite as a class of tests, to be collected by pytest in a subclass that names its game."""

from __future__ import annotations

import dataclasses
import inspect
from pathlib import Path
from typing import Any, ClassVar

from cardgym.engine.contract import Game, Options
from cardgym.engine.registry import find
from cardgym.errors import CardgymError
from cardgym.testing import (
    doc_checks,
    env_checks,
    kernel_checks,
    knowledge_checks,
    record_checks,
    rule_checks,
    secrecy_checks,
    vector_checks,
)
from cardgym.testing.cases import option_cases
from cardgym.testing.driver import ContractError
from cardgym.testing.env_play import env_arguments

_WIDE = 40
"""Of a number with a wide range, hypothesis draws values up to this many steps above its smallest."""


class ContractSuite:
    """Every test of the contract for one game.

    Attributes:
        game: the game's id, with `module:` in front where a module must be imported to register it.
        golden: the folder of its golden playthrough; `golden` beside the test file if None.
        page: its page, Markdown, whose tables of features must be current; not checked if None.
        hides: whether a seat can fail to see something, cards to come included; then `resample` must change it.
        seated: the names of the players that are seated in envs; `random` and all that the game brings if None.
        observed: the names of the observations that envs are played with, the default one first; all if None. Each is
            a kernel of its own to compile.
        cases: how many sets of options are played.
        examples: how many games of random options hypothesis plays.
    """

    game: ClassVar[str] = ""
    golden: ClassVar[Path | None] = None
    page: ClassVar[Path | None] = None
    hides: ClassVar[bool] = True
    seated: ClassVar[tuple[str, ...] | None] = None
    observed: ClassVar[tuple[str, ...] | None] = None
    cases: ClassVar[int] = 12
    examples: ClassVar[int] = 15

    @property
    def _game(self) -> Game:
        if not self.game:
            raise ContractError(f"{type(self).__name__}: set `game` to the id of a game")
        return find(self.game)

    @property
    def _golden(self) -> Path:
        return self.golden or Path(inspect.getfile(type(self))).parent / "golden"

    def _options(self, most: int = 1000) -> list[Options]:
        return option_cases(self._game, min(self.cases, most))

    def _env_arguments(self, most: int) -> list[dict[str, Any]]:
        """Arguments of envs: all those of the first set of options, then one of each other set in turn."""
        of_cases = [env_arguments(self._game, options, self.seated, self.observed) for options in self._options(most)]
        first, others = of_cases[0], of_cases[1:]
        return first + [arguments[number % len(arguments)] for number, arguments in enumerate(others)]

    # -- what the game says of itself ---------------------------------------------------------------------------------

    def test_record_has_the_fields_of_the_contract(self) -> None:
        """See `check_record`."""
        record_checks.check_record(self._game, self._options())

    def test_bad_options_are_refused_in_one_clear_line(self) -> None:
        """See `check_options`."""
        record_checks.check_options(self._game)

    def test_doc_has_headings_options_and_features(self) -> None:
        """See `check_doc`."""
        doc_checks.check_doc(self._game)

    def test_page_has_current_tables_of_features(self) -> None:
        """See `check_page`."""
        import pytest

        if self.page is None:
            pytest.skip("the suite names no page")
        from cardgym.testing.feature_tables import check_page

        check_page(self.page, self._game)

    # -- the rules, move by move --------------------------------------------------------------------------------------

    def test_masks_and_moves(self) -> None:
        """See `check_moves`."""
        for seed, options in enumerate(self._options()):
            rule_checks.check_moves(self._game, options, seed)

    def test_games_end_and_setup_overwrites_them(self) -> None:
        """See `check_endings`."""
        for seed, options in enumerate(self._options()):
            rule_checks.check_endings(self._game, options, seed)

    def test_invariants_hold_after_every_move(self) -> None:
        """See `check_invariants`."""
        for seed, options in enumerate(self._options()):
            rule_checks.check_invariants(self._game, options, seed)

    def test_observations_match_their_features(self) -> None:
        """See `check_observations`."""
        for seed, options in enumerate(self._options()):
            knowledge_checks.check_observations(self._game, options, seed)

    def test_state_keys_and_indices(self) -> None:
        """See `check_state_index`."""
        for seed, options in enumerate(self._options(3)):
            knowledge_checks.check_state_index(self._game, options, seed)

    def test_everything_has_words(self) -> None:
        """See `check_words`."""
        for seed, options in enumerate(self._options()):
            knowledge_checks.check_words(self._game, options, seed)

    def test_views_can_be_drawn_and_played_by_clicks(self) -> None:
        """See `check_views`."""
        for seed, options in enumerate(self._options()):
            knowledge_checks.check_views(self._game, options, seed)

    def test_golden_playthrough(self) -> None:
        """See `check_golden`."""
        from cardgym.testing.golden import check_golden

        check_golden(self._game, self._golden)

    def test_hidden_things_do_not_show(self) -> None:
        """See `check_hidden`."""
        for seed, options in enumerate(self._options()):
            knowledge_checks.check_hidden(self._game, options, seed, hides=self.hides)

    def test_advice_knows_what_its_seat_knows(self) -> None:
        """See `check_advice`."""
        for seed, options in enumerate(self._options()[:2]):
            knowledge_checks.check_advice(self._game, options, seed)

    def test_any_options(self) -> None:
        """Short games under options that hypothesis draws, and shrinks where one fails."""
        from hypothesis import HealthCheck, given, settings
        from hypothesis import strategies as st

        game = self._game
        fields = {}
        for spec in dataclasses.fields(game.options):
            if "choices" in spec.metadata:
                fields[spec.name] = st.sampled_from(spec.metadata["choices"])
            else:
                low, high, step = (int(spec.metadata[key]) for key in ("low", "high", "step"))
                fields[spec.name] = st.sampled_from(range(low, min(high, low + _WIDE * step) + 1, step))

        @settings(max_examples=self.examples, deadline=None, database=None, derandomize=True,
                  suppress_health_check=list(HealthCheck))  # fmt: skip
        @given(values=st.fixed_dictionaries(fields), seed=st.integers(0, 2**20))
        def play(values: dict[str, Any], seed: int) -> None:
            try:
                options = game.options(**values)
            except CardgymError:
                return  # Options that do not go together.
            rule_checks.check_moves(game, options, seed, most=60)
            rule_checks.check_invariants(game, options, seed, most=120)
            knowledge_checks.check_hidden(game, options, seed, most=10, hides=False)
            knowledge_checks.check_observations(game, options, seed, most=20)

        play()

    # -- compiled code and the kernel ---------------------------------------------------------------------------------

    def test_compiled_players_finish_their_games(self) -> None:
        """See `check_compiled_players`."""
        for seed, options in enumerate(self._options(6)):
            kernel_checks.check_compiled_players(self._game, options, seed)

    def test_interpreted_rules_equal_compiled_ones(self) -> None:
        """See `check_interpreted`."""
        from cardgym.testing.interpreted_checks import check_interpreted

        check_interpreted(self.game, self._options(6))

    def test_chance_of_a_deal_does_not_depend_on_earlier_deals(self) -> None:
        """See `check_deals`."""
        for seed, options in enumerate(self._options(6)):
            kernel_checks.check_deals(self._game, options, seed)

    # -- envs ---------------------------------------------------------------------------------------------------------

    def pytest_generate_tests(self, metafunc: Any) -> None:
        """Test each way to make an env by itself: each may have to compile a kernel of its own."""
        if "env_number" in metafunc.fixturenames:
            metafunc.parametrize("env_number", range(len(self._env_arguments(6)) if self.game else 1))

    def test_rows_of_a_vector_env_are_single_envs(self, env_number: int) -> None:
        """See `check_rows`."""
        arguments = self._env_arguments(6)[env_number]
        vector_checks.check_rows(self._game, arguments, (1, 2, 5)[env_number % 3], env_number)
        if env_number == 0:
            vector_checks.check_rows(self._game, arguments, 13, 5)

    def test_autoreset_modes_play_the_same_games(self) -> None:
        """See `check_autoreset`."""
        for seed, arguments in enumerate(self._env_arguments(6)):
            vector_checks.check_autoreset(self._game, arguments, seed=seed)

    def test_illegal_actions(self) -> None:
        """See `check_illegal`."""
        for seed, options in enumerate(self._options(6)):
            env_checks.check_illegal(self._game, options, seed)

    def test_outputs_are_inside_their_spaces(self) -> None:
        """See `check_steps`."""
        for seed, arguments in enumerate(self._env_arguments(12)):
            env_checks.check_steps(self._game, arguments, seed)

    def test_envs_hand_out_nothing_hidden(self) -> None:
        """See `check_handed_out`."""
        for seed, arguments in enumerate(self._env_arguments(6)):
            secrecy_checks.check_handed_out(self._game, arguments, seed, steps=8, pictures=int(seed == 0))

    def test_copies_go_on_identically(self) -> None:
        """See `check_copies`."""
        for seed, arguments in enumerate(self._env_arguments(4)):
            env_checks.check_copies(self._game, arguments, seed)

    def test_gymnasium_accepts_the_envs(self) -> None:
        """See `check_gymnasium`."""
        env_checks.check_gymnasium(self._game)

    def test_pettingzoo_accepts_the_env(self) -> None:
        """See `check_pettingzoo`."""
        import pytest

        pytest.importorskip("pettingzoo")
        for options in self._options(3):
            env_checks.check_pettingzoo(self._game, options)

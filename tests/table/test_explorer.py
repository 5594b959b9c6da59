"""The explorer: lines of any game, with cards of choice."""

import pytest

import cardgym
from cardgym.errors import CardgymError
from cardgym.table.coach.explorer import Explorer, Line


def explorer(env: str, **options: int | str) -> Explorer:
    game = cardgym.find(env)
    return Explorer(game, game.parse_options(options))


def moves(line: Line) -> list[int]:
    return [step.move for step in line.steps]


def cards(line: Line) -> list[str]:
    """The cards dealt, in order."""
    return [symbol for step in line.steps for symbol in step.symbols]


@pytest.mark.parametrize("env", cardgym.registered())
def test_every_game_can_be_explored_to_its_end(env: str) -> None:
    options = {"hands": 1} if env == "CorellianSpike-v0" else {"target": 31} if env == "Cribbage-v0" else {}
    explored = explorer(env, **options)
    line = explored.line([], seed=1)
    for _ in range(200):
        if line.position.over:
            break
        assert len(line.position.legal_actions()) > 1
        before = moves(line)
        line = explored.line([*before, line.position.legal_actions()[0]], seed=2)
        assert moves(line)[: len(before)] == before
        assert all(step.text or step.seat < 0 for step in line.steps)
    assert line.position.over


def test_a_card_can_be_changed_and_the_others_stay() -> None:
    explored = explorer("Cribbage-v0")
    line = explored.line([], seed=4)
    dealt = cards(line)
    assert len(set(dealt)) == 12
    first = next(number for number, step in enumerate(line.steps) if step.symbols)
    outcomes = explored.outcomes(moves(line), first)
    assert len(outcomes) == 52
    other = next(outcome for outcome in outcomes if outcome.symbols[0] not in dealt)
    changed = explored.line(moves(line), 4, (first, other.move))
    assert cards(changed) == [other.symbols[0], *dealt[1:]]
    taken = next(outcome for outcome in outcomes if outcome.symbols[0] == dealt[5])
    swapped = cards(explored.line(moves(line), 4, (first, taken.move)))
    assert swapped == [dealt[5], *dealt[1:5], dealt[0], *dealt[6:]]


def test_a_line_ends_where_its_next_move_is_no_longer_legal() -> None:
    explored = explorer("OnePlayPoker-v0")
    line = explored.line([], seed=1)
    longer = explored.line([*moves(line), line.position.legal_actions()[1]], seed=1)
    outcome = next(step for step in explored.outcomes(moves(longer), 0) if step.move != longer.steps[0].move)
    changed = explored.line(moves(longer), 1, (0, outcome.move))
    assert changed.steps[0].symbols == outcome.symbols
    assert [step.text for step in changed.steps[1:2]] == [step.text for step in longer.steps[1:2]]


def test_what_cannot_be_explored_is_refused() -> None:
    explored = explorer("Coda-v0")
    line = explored.line([], seed=1)
    with pytest.raises(CardgymError, match="not legal"):
        explored.line([10_000], seed=1)
    with pytest.raises(CardgymError, match="cannot be changed"):
        explored.line(moves(line), 1, (0, 10_000))
    with pytest.raises(CardgymError, match="not a step of chance"):
        explored.outcomes(moves(line), len(line.steps))

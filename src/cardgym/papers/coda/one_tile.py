"""Solve Coda with one tile each exactly, against an opponent that guesses at random.

With `n_start=1` a drawn tile is face up after the next miss, so the agent knows everything except b, the opponent's
first tile, and the order of the pool. Its knowledge of b is a word: the unseen tiles between the opponent's face-up
tiles nearest to b, in ascending order, each marked as a candidate for b or not (because it has the other color, or was
named in a miss and so is in the pool). All candidates are equally likely, since neither the deal nor the opponent's
random guesses favor any. The rest of the game depends only on the word, the number of unseen tiles and whose turn it
is, so we solve the game by backward induction over words, of which there are at most 2^22.

A word is stored as an integer: a leading 1, then a bit for each of its tiles, 1 for a candidate.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cardgym.engine.compilation import compiled
from cardgym.engine.contract import rule
from cardgym.errors import CardgymError
from cardgym.games.coda.state import CodaOptions

OPTIMUM, BAYES, CONSISTENT, HEURISTIC, RANDOM = range(5)
"""How the agent guesses: optimally; the middle candidate; any candidate; any tile that fits when past misses are
forgotten; any legal tile."""
POLICIES = ("optimum", "bayes", "random-consistent", "heuristic", "random")
"""Their names, in this order."""

Values = npt.NDArray[np.float64]


def win_rates(options: CodaOptions) -> dict[str, float]:
    """Return the best win rate of seat 0 against a random opponent, and the exact win rates of known players.

    Returns:
        The rates by the names of `POLICIES`; `optimum` is the highest win rate of any player.

    Raises:
        CardgymError: for options with which it cannot be solved.
    """
    if options.n_start != 1 or options.jokers or options.empty != "last_drawer_wins":
        raise CardgymError("Coda can be solved only with n_start=1, jokers=0 and empty=last_drawer_wins; set these")
    if options.feasible not in ("unseen", "all"):
        raise CardgymError(f"Coda with feasible={options.feasible} cannot be solved; set feasible=unseen, or all")
    num_named = options.n if options.feasible == "all" else 0
    chance_first = {"0": 1.0, "1": 0.0, "random": 0.5}[options.first]
    visible = options.color_visible == "yes"

    def win_rate(policy: int) -> float:
        rate = 0.0
        for first, chance in ((True, chance_first), (False, 1.0 - chance_first)):
            if chance:
                rate += chance * float(solve_first(options.n, first, visible, policy, num_named))
        return rate

    return {name: win_rate(policy) for policy, name in enumerate(POLICIES)}


@compiled
def solve_first(n: int, agent_first: bool, color_visible: bool, policy: int, num_named: int) -> float:
    """Return the agent's win rate before the deal.

    Works backwards from the end of the game. `draws` is the agent's win rate by word before it draws, with `left`
    unseen tiles: b and the pool. `left` is odd if the agent moves first, else even.

    Args:
        n: the number of tiles.
        agent_first: whether the agent moves first.
        color_visible: whether hidden tiles show their color.
        policy: how the agent guesses: OPTIMUM to RANDOM.
        num_named: the number of tiles the opponent guesses among; 0 for the tiles it does not see.
    """
    left = 3 if agent_first else 2
    draws = np.zeros(1 << (left + 1))
    for word in range(2, draws.shape[0]):
        if agent_first:
            # Two tiles in the pool: the agent draws, guesses once more, and the opponent draws the last.
            draws[word] = _before_draw(word, left, policy, num_named, draws)
        else:
            draws[word] = 1.0  # The agent draws the last tile.
    while left + 2 < n - 1:
        left += 2
        draws = _two_more(left, policy, num_named, draws)
    total = 0.0
    for own in range(n):
        for color in range(2):
            count = n // 2 - (own % 2 == color)
            word = 1
            for tile in range(n):
                if tile != own:
                    word = word * 2 + (tile % 2 == color or not color_visible)
            if agent_first:
                value = _before_draw(word, n - 1, policy, num_named, draws)
            else:
                value = _before_opponent_draw(word, n - 1, policy, num_named, draws, draws, False)
            total += value * count / (n - 1) / n
    return total


@rule
def _two_more(left: int, policy: int, num_named: int, draws: Values) -> Values:
    """`draws` with two more unseen tiles: one round (both turns) earlier."""
    names = np.zeros(1 << (left - 1))
    for word in range(2, names.shape[0]):
        names[word] = _after_opponent_draw(word, left - 2, policy, num_named, draws)
    replies = np.zeros(1 << left)
    for word in range(2, replies.shape[0]):
        replies[word] = _before_opponent_draw(word, left - 1, policy, num_named, draws, names, True)
    guesses = np.zeros(1 << left)
    for word in range(2, guesses.shape[0]):
        guesses[word] = _guess(word, left - 1, policy, num_named, draws, replies, True)
    earlier = np.zeros(1 << (left + 1))
    for word in range(2, earlier.shape[0]):
        earlier[word] = _draw(word, left, policy, num_named, draws, guesses, True)
    return earlier


@rule
def _before_draw(word: int, left: int, policy: int, num_named: int, draws: Values) -> float:
    """Return the agent's win rate at one word before it draws, from `draws` of the next round."""
    return _draw(word, left, policy, num_named, draws, draws, False)


@rule
def _candidates(word: int) -> int:
    count = -1
    while word:
        word &= word - 1
        count += 1
    return count


@rule
def _length(word: int) -> int:
    length = -1
    while word:
        word >>= 1
        length += 1
    return length


@rule
def _draw(word: int, left: int, policy: int, num_named: int, draws: Values, guesses: Values, stored: bool) -> float:
    """Let the agent draw one of the pool's left - 1 tiles, outside the word or in it (but not b).

    With `stored`, `guesses` has the win rates before the agent guesses; otherwise they are computed from `draws`.
    """
    count = _candidates(word)
    length = _length(word)
    if count == 0:
        return 0.0
    total = 0.0
    if left > length:
        total += (left - length) * _guess_at(word, left - 1, policy, num_named, draws, guesses, stored)
    for at in range(length):
        candidate = (word >> at) & 1
        if candidate and count == 1:
            continue
        without = ((word >> (at + 1)) << at) | (word & ((1 << at) - 1))
        weight = (count - 1) / count if candidate else 1.0
        total += weight * _guess_at(without, left - 1, policy, num_named, draws, guesses, stored)
    return total / (left - 1)


@rule
def _guess_at(word: int, left: int, policy: int, num_named: int, draws: Values, guesses: Values, stored: bool) -> float:
    return float(guesses[word]) if stored else _guess(word, left, policy, num_named, draws, draws, False)


@rule
def _guess(word: int, left: int, policy: int, num_named: int, draws: Values, replies: Values, stored: bool) -> float:
    """Return the agent guesses: a hit wins; after a miss the tile stays in the word but is not a candidate."""
    count = _candidates(word)
    if count == 0:
        return 0.0
    if policy == HEURISTIC or policy == RANDOM:
        # An agent that forgets misses learns nothing about b: it names every candidate with the same probability.
        hit = 1.0 / count
        if policy == RANDOM:
            hit = 1.0 / num_named if num_named > 0 else 1.0 / left
        return hit + (1.0 - hit) * _reply_at(word, left, policy, num_named, draws, replies, stored)
    if count == 1:
        return 1.0
    best = 0.0
    total = 0.0
    seen = 0
    for at in range(_length(word)):
        if (word >> at) & 1:
            seen += 1
            if policy == BAYES and seen != count - count // 2:  # The lowest bit is the highest tile.
                continue
            missed = word & ~(1 << at)
            value = (1.0 + (count - 1) * _reply_at(missed, left, policy, num_named, draws, replies, stored)) / count
            best = max(best, value)
            total += value
    return total / count if policy == CONSISTENT else best


@rule
def _reply_at(word: int, left: int, policy: int, num_named: int, draws: Values, replies: Values, stored: bool) -> float:
    if stored:
        return float(replies[word])
    return _before_opponent_draw(word, left, policy, num_named, draws, draws, False)


@rule
def _before_opponent_draw(
    word: int, left: int, policy: int, num_named: int, draws: Values, names: Values, stored: bool
) -> float:
    """Let the opponent draw and win with the last tile; otherwise its tile is later shown on one side of b."""
    count = _candidates(word)
    if count == 0 or left == 2:
        return 0.0
    length = _length(word)
    total = 0.0
    if left > length:
        total += (left - length) * _name_at(word, left - 1, policy, num_named, draws, names, stored)
    for at in range(length):
        below = (word & ((1 << at) - 1)) | (1 << at)
        above = word >> (at + 1)
        for part in (below, above):
            share = _candidates(part)
            if share:
                total += share / count * _name_at(part, left - 1, policy, num_named, draws, names, stored)
    return total / (left - 1)


@rule
def _name_at(word: int, left: int, policy: int, num_named: int, draws: Values, names: Values, stored: bool) -> float:
    return float(names[word]) if stored else _after_opponent_draw(word, left, policy, num_named, draws)


@rule
def _after_opponent_draw(word: int, left: int, policy: int, num_named: int, draws: Values) -> float:
    """Let the opponent name one of the pool's left - 1 tiles or the agent's tile, never b."""
    count = _candidates(word)
    if count == 0:
        return 0.0
    if num_named > 0:
        return float((1.0 - 1.0 / num_named) * draws[word])
    if policy == HEURISTIC or policy == RANDOM:
        return float((left - 1) / left * draws[word])
    total = (left - count) * draws[word]
    if count > 1:
        for at in range(_length(word)):
            if (word >> at) & 1:
                total += (count - 1) / count * draws[word & ~(1 << at)]
    return float(total / left)

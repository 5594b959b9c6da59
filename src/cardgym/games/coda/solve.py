"""The best that any player can do at Coda with one tile each, against an opponent that guesses at random.

With `n_start=1` and the drawn tile shown after every miss, the agent knows all but the opponent's first tile b and the
order of the pool. What it knows of b is a word: the unseen tiles between the nearest tiles of the opponent that lie
face up, in ascending order, each a candidate (it may be b) or not (of the other colour, or named in vain by either
side, so it lies in the pool). All candidates are equally likely, since neither the deal nor the opponent's random
guesses favour one; and the word, the number of unseen tiles and whose turn it is are all that the future depends on.
So the game is solved backwards over words: at most 2^22 of them.

A word is a number: its lowest bits are its tiles, 1 for a candidate, under a leading 1.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.engine.compilation import compiled, rule
from cardgym.engine.contract import Options
from cardgym.errors import CardgymError, unknown
from cardgym.games.coda.state import CodaOptions

OPTIMUM, BAYES, CONSISTENT, HEURISTIC, RANDOM = range(5)
"""How the agent guesses: as well as can be; the middle candidate; any candidate; any that shows, misses forgotten; any
tile it may name."""

POLICIES = {"bayes": BAYES, "heuristic": HEURISTIC, "random-consistent": CONSISTENT, "random": RANDOM}
OPPONENTS = {"random": None, "random-unseen": "unseen", "random-all": "all"}
"""What an opponent names: what it does not see, any tile, or what the game has as feasible."""

Values = npt.NDArray[np.float64]


def solve(options: Options, opponent: str = "random", env: str = "Coda-v0") -> dict[str, Any]:
    """The best win rate of seat 0 against a random opponent, and the exact win rates of known players.

    Args:
        options: the game's; `n_start=1` without jokers, and the last drawer wins.
        opponent: `random` or `random-unseen`; `random-all` in a game with `feasible="all"`, where `random` is the same.
        env: the id that the result names.

    Returns:
        `env`, `settings` (all options), `opponent`, `optimum` (the win rate that no player exceeds and one reaches),
        `policies` (win rates of `bayes`, `heuristic`, `random-consistent` and `random`) and `seconds`.

    Raises:
        CardgymError: for other options or opponents.
    """
    start = time.perf_counter()
    if not isinstance(options, CodaOptions):
        raise CardgymError(f"solve: this solver is for Coda, not for {type(options).__name__}")
    if options.n_start != 1 or options.jokers or options.empty != "last_drawer_wins":
        raise CardgymError("solve: Coda is solved for n_start=1, jokers=0 and empty=last_drawer_wins; set these")
    if opponent not in OPPONENTS:
        raise unknown("opponent of solve", opponent, OPPONENTS)
    naming = OPPONENTS[opponent] or options.feasible
    if naming not in ("unseen", "all") or naming != options.feasible:
        raise CardgymError(
            f"solve: opponent {opponent} in a game with feasible={options.feasible}; "
            "set feasible=unseen, or feasible=all and the opponent random or random-all"
        )
    named = options.n if naming == "all" else 0
    chances = {"0": 1.0, "1": 0.0, "random": 0.5}
    agent_first = chances[options.first]

    def win_rate(policy: int) -> float:
        visible = options.colour_visible == "yes"
        rate = 0.0
        for first, chance in ((True, agent_first), (False, 1.0 - agent_first)):
            if chance:
                rate += chance * float(solve_first(options.n, first, visible, policy, named))
        return rate

    rates = {policy: win_rate(policy) for policy in range(5)}
    return {
        "env": env,
        "settings": options.asdict(),
        "opponent": opponent,
        "optimum": rates[OPTIMUM],
        "policies": {name: rates[policy] for name, policy in POLICIES.items()},
        "seconds": time.perf_counter() - start,
    }


@compiled
def solve_first(n: int, agent_first: bool, colour_visible: bool, policy: int, opponent: int) -> float:
    """The agent's win rate with n tiles, before the deal.

    `opponent` is how many tiles the opponent guesses among; 0 for those it does not see.

    Tables are made from the end: `draws` is always the value before the agent draws, by word, with `left` tiles unseen
    (b and the pool). If the agent moves first their number is odd then, otherwise even.
    """
    left = 3 if agent_first else 2
    draws = np.zeros(1 << (left + 1))
    for word in range(2, draws.shape[0]):
        if agent_first:
            # Two tiles in the pool: the agent draws, guesses once more, and the opponent draws the last.
            draws[word] = _before_draw(word, left, policy, opponent, draws)
        else:
            draws[word] = 1.0  # The agent draws the last tile.
    while left + 2 < n - 1:
        left += 2
        draws = _two_more(left, policy, opponent, draws)
    total = 0.0
    for own in range(n):
        for colour in range(2):
            count = n // 2 - (own % 2 == colour)
            word = 1
            for tile in range(n):
                if tile != own:
                    word = word * 2 + (tile % 2 == colour or not colour_visible)
            if agent_first:
                value = _before_draw(word, n - 1, policy, opponent, draws)
            else:
                value = _before_opponent_draw(word, n - 1, policy, opponent, draws, draws, False)
            total += value * count / (n - 1) / n
    return total


@rule
def _two_more(left: int, policy: int, opponent: int, draws: Values) -> Values:
    """The table `draws` for two more unseen tiles: a whole round earlier."""
    names = np.zeros(1 << (left - 1))
    for word in range(2, names.shape[0]):
        names[word] = _after_opponent_draw(word, left - 2, policy, opponent, draws)
    replies = np.zeros(1 << left)
    for word in range(2, replies.shape[0]):
        replies[word] = _before_opponent_draw(word, left - 1, policy, opponent, draws, names, True)
    guesses = np.zeros(1 << left)
    for word in range(2, guesses.shape[0]):
        guesses[word] = _guess(word, left - 1, policy, opponent, draws, replies, True)
    earlier = np.zeros(1 << (left + 1))
    for word in range(2, earlier.shape[0]):
        earlier[word] = _draw(word, left, policy, opponent, draws, guesses, True)
    return earlier


@rule
def _before_draw(word: int, left: int, policy: int, opponent: int, draws: Values) -> float:
    """The value of one word before the agent draws, from the table of the round after."""
    return _draw(word, left, policy, opponent, draws, draws, False)


@rule
def _candidates(word: int) -> int:
    """How many candidates a word has."""
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
def _draw(word: int, left: int, policy: int, opponent: int, draws: Values, guesses: Values, tabled: bool) -> float:
    """The agent draws one of left - 1 pool tiles: one outside the word, or one of its tiles that is not b."""
    count = _candidates(word)
    length = _length(word)
    if count == 0:
        return 0.0
    total = 0.0
    if left > length:
        total += (left - length) * _guess_at(word, left - 1, policy, opponent, draws, guesses, tabled)
    for at in range(length):
        candidate = (word >> at) & 1
        if candidate and count == 1:
            continue
        without = ((word >> (at + 1)) << at) | (word & ((1 << at) - 1))
        weight = (count - 1) / count if candidate else 1.0
        total += weight * _guess_at(without, left - 1, policy, opponent, draws, guesses, tabled)
    return total / (left - 1)


@rule
def _guess_at(word: int, left: int, policy: int, opponent: int, draws: Values, guesses: Values, tabled: bool) -> float:
    return float(guesses[word]) if tabled else _guess(word, left, policy, opponent, draws, draws, False)


@rule
def _guess(word: int, left: int, policy: int, opponent: int, draws: Values, replies: Values, tabled: bool) -> float:
    """The agent guesses: a hit wins; the candidate missed stays in the word as a tile of the pool."""
    count = _candidates(word)
    if count == 0:
        return 0.0
    if policy == HEURISTIC or policy == RANDOM:
        # Over all its guesses a miss tells nothing of b to one who forgets it: every candidate was as likely named.
        hit = 1.0 / count
        if policy == RANDOM:
            hit = 1.0 / opponent if opponent > 0 else 1.0 / left
        return hit + (1.0 - hit) * _reply_at(word, left, policy, opponent, draws, replies, tabled)
    if count == 1:
        return 1.0
    best = 0.0
    total = 0.0
    seen = 0
    for at in range(_length(word)):
        if (word >> at) & 1:
            seen += 1
            if policy == BAYES and seen != count - count // 2:  # The bits run from the highest tile down.
                continue
            missed = word & ~(1 << at)
            value = (1.0 + (count - 1) * _reply_at(missed, left, policy, opponent, draws, replies, tabled)) / count
            best = max(best, value)
            total += value
    return total / count if policy == CONSISTENT else best


@rule
def _reply_at(word: int, left: int, policy: int, opponent: int, draws: Values, replies: Values, tabled: bool) -> float:
    if tabled:
        return float(replies[word])
    return _before_opponent_draw(word, left, policy, opponent, draws, draws, False)


@rule
def _before_opponent_draw(
    word: int, left: int, policy: int, opponent: int, draws: Values, names: Values, tabled: bool
) -> float:
    """The opponent draws, and will show on which side of b its tile stands; with the last tile it wins."""
    count = _candidates(word)
    if count == 0 or left == 2:
        return 0.0
    length = _length(word)
    total = 0.0
    if left > length:
        total += (left - length) * _name_at(word, left - 1, policy, opponent, draws, names, tabled)
    for at in range(length):
        below = (word & ((1 << at) - 1)) | (1 << at)
        above = word >> (at + 1)
        for part in (below, above):
            share = _candidates(part)
            if share:
                total += share / count * _name_at(part, left - 1, policy, opponent, draws, names, tabled)
    return total / (left - 1)


@rule
def _name_at(word: int, left: int, policy: int, opponent: int, draws: Values, names: Values, tabled: bool) -> float:
    return float(names[word]) if tabled else _after_opponent_draw(word, left, policy, opponent, draws)


@rule
def _after_opponent_draw(word: int, left: int, policy: int, opponent: int, draws: Values) -> float:
    """The opponent guesses: one of the pool's left - 1 tiles, or the agent's; what it names it does not hold."""
    count = _candidates(word)
    if count == 0:
        return 0.0
    if opponent > 0:
        return float((1.0 - 1.0 / opponent) * draws[word])
    if policy == HEURISTIC or policy == RANDOM:
        return float((left - 1) / left * draws[word])
    total = (left - count) * draws[word]
    if count > 1:
        for at in range(_length(word)):
            if (word >> at) & 1:
                total += (count - 1) / count * draws[word & ~(1 << at)]
    return float(total / left)

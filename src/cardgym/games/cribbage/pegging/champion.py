"""The player `champion`: discards and cards by the chance to win the game.

A card is evaluated by a search of the rest of the play (`search.py`) over the opponent's possible hands, weighted by
how often `equilibrium` keeps them and plays them as the opponent did. A discard is evaluated by `toss_chances`; near
the target, the best few are then compared by the same search against sampled hands of the opponent and all cuts.
"""

from __future__ import annotations

import numpy as np

from cardgym.engine.compilation import compiled
from cardgym.engine.contract import Float32s, Float64s, Int8s, Options, rule
from cardgym.engine.rules import derive, uniform
from cardgym.games.cribbage.cards import CARDS, JACK, holds, sort_six, worth
from cardgym.games.cribbage.chance_table import HOLES, ChanceTable
from cardgym.games.cribbage.observations import PLAIN
from cardgym.games.cribbage.pegging.hands import HANDS, NUM_OF_SIZE, RANKS, whole_hand
from cardgym.games.cribbage.pegging.inference import Situation, multiset_of, opponent_weights, with_played
from cardgym.games.cribbage.pegging.player import decide, hand_of, shipped, situation_of, toss_win_chances
from cardgym.games.cribbage.pegging.policy import PeggingPolicy
from cardgym.games.cribbage.pegging.search import Root, Search, chance_to_win, new_search
from cardgym.games.cribbage.pegging.shows import POINTS, WORLDS, prepare_shows
from cardgym.games.cribbage.scoring import score_crib, score_hand, score_ranks
from cardgym.games.cribbage.state import KEPT, NUM_ACTIONS, NUM_TOSSES, TOSSES
from cardgym.games.cribbage.tosses import OUT_OF_REACH, first_best, kept_set, toss_worths
from cardgym.players import Actions, Masks, Observations, Player, best_actions

_NEAR = 45
"""With more than six cards left, `act` searches cards only if either side needs at most this many points; otherwise it
takes the policy's most probable card, which wins as many games in a third of the time."""
_NEAR_TOSSES = 31
"""Discards are searched if either side needs at most this many points."""
_MARGIN = 0.04
"""Only discards whose chance by `toss_chances` is within this margin of the best are searched."""
_MAX_HANDS = 300
"""With more than six cards left, the search takes this many of the opponent's hands, evenly by their weights."""
_SOLVE_FROM = 6
"""With at most this many cards left in both hands, the search takes the best card at every turn; above, only now."""
TAKERS = 0.4
"""The assumed share of takers, opponents who always play for the most points at once. `equilibrium` was solved with a
tenth, but more opponents play that way, and the cards of those who do not soon show it."""


class ChampionPlayer(Player):
    """Reads the observation `plain`; deterministic."""

    name = "champion"
    observation_name = "plain"

    def __init__(self, policy: PeggingPolicy, table: ChanceTable) -> None:
        self._search = new_search(policy._replace(takers=TAKERS), table)

    def act(self, observations: Observations, masks: Masks, draws: Float64s | None = None) -> Actions:
        """Return the best actions by `values`, but for the first two cards of the play far from the target: `_NEAR`."""
        return best_actions(self._value(observations, True), masks)

    def values(self, observations: Observations, masks: Masks) -> Float64s:
        """Return the chance to win after each action, (rows, 67), from 0 to 1; 0 for illegal ones."""
        return self._value(observations, False)

    def _value(self, observations: Observations, fast: bool) -> Float64s:
        chances = np.zeros((len(observations), NUM_ACTIONS))
        _value(np.ascontiguousarray(observations), fast, self._search, chances)
        return chances


def make_player(options: Options) -> ChampionPlayer:
    return ChampionPlayer(*shipped())


@compiled
def _value(observations: Float32s, fast: bool, search: Search, chances: Float64s) -> None:
    """Fill in the chance after each legal action; if `fast`, 1 for the card to play if a search is not worthwhile."""
    values, worths = np.empty(13), np.empty(NUM_TOSSES, np.float32)
    for row in range(observations.shape[0]):
        seen = observations[row]
        if seen[PLAIN.playing] == 0.0:
            _value_tosses(seen, search, chances[row])
        elif fast and _is_routine(seen):
            chances[row, decide(seen, search.policy, search.table, -1.0, values, worths)] = 1.0
        else:
            _value_cards(seen, search, chances[row])


@rule
def _is_routine(seen: Float32s) -> bool:
    """Whether a card need not be searched: it is the only choice, or far from the target and from the play's end."""
    size = choices = 1
    while size < 4 and seen[PLAIN.hand + size] >= 0.0:
        card, before = int(seen[PLAIN.hand + size]), int(seen[PLAIN.hand + size - 1])
        choices += 1 if card % 13 != before % 13 and worth(card) <= 31 - seen[PLAIN.count] else 0
        size += 1
    far = min(seen[PLAIN.to_go], seen[PLAIN.to_go + 1]) > _NEAR and size + seen[PLAIN.opponent_cards] > _SOLVE_FROM
    return bool(far or choices == 1)


# -- cards ------------------------------------------------------------------------------------------------------------


@rule
def _value_cards(seen: Float32s, search: Search, chances: Float64s) -> None:
    """Fill in the chance to win by playing each card that the count has room for."""
    at = situation_of(seen)
    size, play = at.size, at.play
    prepare_shows(seen, at.dealer, at.known, search.table, search.shows)
    hands, total = _choose_hands(search, at, int(seen[PLAIN.starter]) % 13)
    for place in range(play.number):
        search.sequence[place] = play.ranks[place]
    to_go, opponent_to_go = int(seen[PLAIN.to_go]), int(seen[PLAIN.to_go + 1])
    root = Root(
        multiset_of(at.held, size), size, at.theirs, True, at.dealer, at.running_count, play.number,
        play.number - play.length, play.code, min(to_go, HOLES), min(opponent_to_go, HOLES),
        min(_SOLVE_FROM, 11 - size - at.theirs),
    )  # fmt: skip
    values = np.empty(13)
    chance_to_win(search, root, hands, values)
    for place in range(size):
        if worth(at.held[place]) <= 31 - at.running_count:
            chances[int(seen[PLAIN.hand + place])] = values[at.held[place]] / total


@rule
def _choose_hands(search: Search, at: Situation, starter: int) -> tuple[int, float]:
    """Fill in the opponent's possible hands, or `_MAX_HANDS` of them if many cards are left.

    Returns:
        Their number, and the sum of their weights.
    """
    equal, taken = np.empty(HANDS), np.empty(HANDS)
    opponent_weights(search.policy, at, equal, taken)
    played = with_played(0, 0, 1 - at.dealer, 0, at.play)
    early = at.size + at.theirs > _SOLVE_FROM
    total = 0.0
    for rest in range(NUM_OF_SIZE[at.theirs]):
        total += equal[rest] + taken[rest]
    step = total / _MAX_HANDS
    passed = 0.5 * step
    hands = 0
    total = 0.0
    for rest in range(NUM_OF_SIZE[at.theirs]):
        weight = equal[rest] + taken[rest]
        scale = 1.0 if weight > 0.0 else 0.0
        if early and weight > 0.0:
            passed += weight
            scale = float(np.floor(passed / step)) * step / weight
            passed -= scale * weight
        if scale > 0.0:
            ranks = RANKS[whole_hand(4 - at.theirs, played, rest)]
            jacks = 0
            for place in range(4):
                jacks += 1 if ranks[place] == JACK else 0
            a, b, c, d = int(ranks[0]), int(ranks[1]), int(ranks[2]), int(ranks[3])
            hand = search.hands[hands]
            hand.rest, hand.kind = rest, score_ranks(a, b, c, d, starter) + POINTS * min(jacks, 3)
            hand.equal, hand.taker = scale * equal[rest], scale * taken[rest]
            total += scale * weight
            hands += 1
    return hands, total


# -- discards ---------------------------------------------------------------------------------------------------------


@rule
def _value_tosses(seen: Float32s, search: Search, chances: Float64s) -> None:
    """Fill in the chance to win after each discard; those that are not searched keep their distance from the best."""
    cards, rated = hand_of(seen), np.empty(NUM_TOSSES, np.float32)
    dealer = int(seen[PLAIN.dealer])
    to_go, opponent_to_go = min(int(seen[PLAIN.to_go]), HOLES), min(int(seen[PLAIN.to_go + 1]), HOLES)
    toss_win_chances(cards, dealer, to_go, opponent_to_go, search.policy, search.table, rated)
    chances[CARDS:] = rated
    rivals = (rated >= rated.max() - _MARGIN).sum()
    if rivals < 2 or min(to_go, opponent_to_go) > _NEAR_TOSSES:
        return
    worlds = _draw_worlds(cards, dealer, derive(np.uint64(to_go), np.uint64(opponent_to_go)), search.policy)
    change = 0.0
    for number in range(rivals):
        toss = first_best(rated)
        _prepare_worlds(cards, toss, worlds, search)
        root = Root(kept_set(cards, toss), 4, 4, dealer == 0, dealer, 0, 0, 0, 0, to_go, opponent_to_go, 3)
        found = chance_to_win(search, root, WORLDS, np.empty(0)) / WORLDS
        change = found - float(rated[toss]) if number == 0 else change
        chances[CARDS + toss] = found - change
        rated[toss] = -1.0
    for toss in range(NUM_TOSSES):
        chances[CARDS + toss] = min(max(chances[CARDS + toss] + change, 0.0), 1.0)


@rule
def _draw_worlds(cards: Int8s, dealer: int, key: np.uint64, policy: PeggingPolicy) -> Int8s:
    """Return the four cards that the opponent keeps and the two that it discards of six drawn at random, (WORLDS, 6).

    The draws depend only on `key` and the cards, so that a situation always gets the same worlds.
    """
    worlds = np.empty((WORLDS, 6), np.int8)
    generator = np.zeros(2, np.uint64)
    generator[0] = key
    deck, six, worths = np.empty(CARDS, np.int8), np.empty(6, np.int8), np.empty(NUM_TOSSES, np.float32)
    size = 0
    for card in range(CARDS):
        if holds(cards, card):
            generator[0] = derive(generator[0], np.uint64(card))
        else:
            deck[size] = card
            size += 1
    for world in range(WORLDS):
        for place in range(6):
            at = place + uniform(generator, size - place)
            six[place] = deck[at]
            deck[at] = deck[place]
            deck[place] = six[place]
        sort_six(six)
        toss_worths(six, 1 - dealer, OUT_OF_REACH, worths)
        for toss in range(NUM_TOSSES):
            worths[toss] += policy.worths[1 - dealer, kept_set(six, toss)]
        best = first_best(worths)
        for place in range(6):
            worlds[world, place] = six[KEPT[best, place]] if place < 4 else six[TOSSES[best, place - 4]]
    return worlds


@rule
def _prepare_worlds(cards: Int8s, toss: int, worlds: Int8s, search: Search) -> None:
    """Fill in the opponent's hand in each world, and what follows the play there after a discard, over all cuts."""
    kept, crib, theirs = np.empty(4, np.int8), np.empty(4, np.int8), np.empty(4, np.int8)
    ranks, points = np.empty(4, np.int8), np.empty(CARDS, np.int8)
    for place in range(4):
        kept[place] = cards[KEPT[toss, place]]
    for place in range(2):
        crib[place] = cards[TOSSES[toss, place]]
    for cut in range(CARDS):
        points[cut] = score_hand(kept, cut)
    for world in range(WORLDS):
        taken = 0
        for place in range(6):
            taken |= 1 << int(cards[place]) | 1 << int(worlds[world, place])
        for place in range(4):
            theirs[place] = worlds[world, place]
            ranks[place] = theirs[place] % 13
        for place in range(2):
            crib[2 + place] = worlds[world, 4 + place]
        rows = 0
        for cut in range(CARDS):
            if taken >> cut & 1 == 0:
                row = search.shows.rows[world, rows]
                row[0] = points[cut]
                row[1] = score_hand(theirs, cut)
                row[2] = score_crib(crib, cut)
                row[3] = 2.0 if cut % 13 == JACK else 0.0
                row[4] = 1.0 / (CARDS - 12)
                rows += 1
        search.shows.sizes[world] = rows
        search.shows.chances[world] = np.float32(-1.0)
        hand = search.hands[world]
        hand.rest, hand.kind = multiset_of(ranks, 4), world
        hand.equal, hand.taker = 1.0 - search.policy.takers, search.policy.takers

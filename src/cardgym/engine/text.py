"""The game in words for one seat: rules, what it sees, what it was told, its legal moves, and moves from words."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from cardgym.engine.contract import Game, Options, State
from cardgym.errors import CardgymError, IllegalActionError, UnclearMoveError, quoted

_SYMBOLS = str.maketrans("♠♥♦♣♤♡♢♧“”„«»\u2018\u2019\N{MINUS SIGN}", 'SHDCSHDC"""""\'\'-')
_VARIATION = "\N{VARIATION SELECTOR-16}"
_TEN = re.compile(r"\b10(?=[cdhs]\b)")
_TILE = re.compile(r"\b([BW])(?:lack|hite) (?=\d)", re.IGNORECASE)
"""A numbered tile in words; people type W7."""
_WORD = re.compile(r"[^\s,;:()\[\]{}<>\"`*]+")
_HEAD_ENDS = re.compile(r"[,(:]")
_LONGEST = 500
"""An answer of more characters names no move; the patterns below take too long for one of many thousands."""
_FEW = 6
"""Up to this many moves have whole names."""
_EXPLAINING = ("Description", "Rewards", "Episode End")
"""The sections of `Game.doc` that explain the game to people."""
_OPEN, _CLOSE = r"[\s#([{<*`'\"]*", r"[\s.!)\]}>*`'\"]*"
_NUMBER = rf"{_OPEN}(?:id\b[:=]?)?{_OPEN}([0-9]{{1,9}})"
_ID = re.compile(_NUMBER + _CLOSE, re.IGNORECASE)
_ID_AND_WORDS = re.compile(_NUMBER + r"(?:\s*[:.)\]-]+\s+|\s*:\s*|\s+(?=\())(\S.*)", re.IGNORECASE)
_BESIDE = (
    re.compile(rf"^{_NUMBER}\b", re.IGNORECASE),
    re.compile(r"(?:\bid\b[\s:=]*)?(?<![\w.])([0-9]{1,9})\W*$", re.IGNORECASE),
)
"""An ID before or after words that may contain numbers themselves: only read if both name the same move."""


@dataclass(frozen=True)
class TextView:
    """A game in words, as one seat knows it at one moment; `str` is all of it but the rules.

    It holds nothing that the seat cannot know.

    Attributes:
        env_id: the game's id.
        seat: the seat that reads; it is called "You".
        rules: the rules with these options, in paragraphs.
        state: what the seat sees now.
        history: what it was told of the moves of this game so far, in order.
        num_old: how many texts of the history it had when it decided last: the others are `news`.
        moves: its legal moves in words, by action; empty unless it is to decide.
        illegal: the other actions in words, where they have words, so that `parse` knows them.
        renamed: the game's words that recall it, in lower case, each with a neutral one.
    """

    env_id: str
    seat: int
    rules: str
    state: str
    history: tuple[str, ...] = ()
    num_old: int = 0
    moves: Mapping[int, str] = dataclasses.field(default_factory=dict)
    illegal: Mapping[int, str] = dataclasses.field(default_factory=dict, repr=False)
    renamed: Mapping[str, str] = dataclasses.field(default_factory=dict, repr=False)

    def neutral(self) -> TextView:
        """Return the same view in words that do not recall the game: those of `renamed`, longest first.

        Raises:
            CardgymError: if the game has no such words.
        """
        if not self.renamed:
            raise CardgymError(f"{self.env_id} has no neutral names: pass `neutral=` to its Words, or leave them out")
        words = sorted(self.renamed, key=len, reverse=True)
        pattern = re.compile("|".join(r"\s+".join(map(_whole, word.split())) for word in words), re.IGNORECASE)

        def plain(text: str) -> str:
            return pattern.sub(self._neutral_word, text)

        return dataclasses.replace(
            self,
            env_id="Game",
            rules=plain(self.rules),
            state=plain(self.state),
            history=tuple(map(plain, self.history)),
            moves={action: plain(text) for action, text in self.moves.items()},
            illegal={action: plain(text) for action, text in self.illegal.items()},
            renamed={},
        )

    def _neutral_word(self, match: re.Match[str]) -> str:
        """Return the neutral word for one of the game's, with a capital if that has one."""
        word = self.renamed[" ".join(match[0].lower().split())]
        return word[:1].upper() + word[1:] if match[0][0].isupper() else word

    @property
    def news(self) -> tuple[str, ...]:
        """What the seat was told since its last decision, its own move included."""
        return self.history[self.num_old :]

    @property
    def listed(self) -> str:
        """The legal moves, a line each, with its ID and a colon before the words."""
        return "\n".join(f"{action}: {text}" for action, text in self.moves.items())

    def __str__(self) -> str:
        """Return what happened since the last decision, what the seat sees, and the legal moves as `ID: words`."""
        return "\n\n".join(part for part in ("\n".join(self.news), self.state, self.listed) if part)

    def parse(self, answer: str) -> int:
        """Return the legal action that an answer names: by its ID, by `ID: words`, or by words.

        Words may be in any case, with any punctuation, shortened or in another order, as long as they can mean only
        one legal move and no other move of the game fits them better.

        Raises:
            IllegalActionError: if the answer names a move that is not legal now.
            UnclearMoveError: if it names no move, or more than one.
        """
        answer = answer.strip().translate(_SYMBOLS)
        if len(answer) > _LONGEST:
            raise UnclearMoveError(f"{quoted(answer)} names no move")
        if both := _ID_AND_WORDS.fullmatch(answer):
            named = self._by_words(both[2])
            if named != int(both[1]):
                raise UnclearMoveError(f"{quoted(answer)} may mean two moves: the ID of {both[2]!r} is {named}")
            return named
        if number := _ID.fullmatch(answer):
            return self._by_id(number[1])
        try:
            return self._by_words(answer)
        except UnclearMoveError:
            if (action := self._twice(answer)) is None:
                raise
            return action

    def _twice(self, answer: str) -> int | None:
        """Return the move that an answer names by its words and by its ID, in either order; None if there is none."""
        for number in filter(None, (pattern.search(answer) for pattern in _BESIDE)):
            words = f"{answer[: number.start()]}{answer[number.end() :]}".strip(" -=/\u2013\u2014")
            if matching(words, self.moves, self.illegal) == [int(number[1])] and int(number[1]) in self.moves:
                return int(number[1])
        return None

    def _by_id(self, digits: str) -> int:
        action, same = int(digits), [move for move, text in self.moves.items() if words_of(text) == [digits]]
        if same and action not in self.moves:
            return same[0]
        if same not in ([], [action]):
            both = f"{self.moves[action]!r} has that ID, and {same[0]}: {self.moves[same[0]]} those words"
            raise UnclearMoveError(f"{quoted(digits)} may mean two moves: {both}; answer with ID and words")
        if action not in self.moves:
            raise IllegalActionError(f"{digits} is not the ID of a legal move")
        return action

    def _by_words(self, answer: str) -> int:
        found = matching(answer, self.moves, self.illegal)
        if len(found) == 1 and found[0] in self.moves:
            return found[0]
        if found and found[0] not in self.moves:
            raise IllegalActionError(f"{quoted(answer)} is not legal now")
        if found:
            some = ", ".join(f"`{self.moves[action]}`" for action in found[:4])
            more = " ..." if len(found) > 4 else ""
            raise UnclearMoveError(f"{quoted(answer)} may mean {len(found)} moves ({some}{more})")
        raise UnclearMoveError(f"{quoted(answer)} names no move")


def _whole(word: str) -> str:
    """Return a pattern of a word that is no part of another one; a suit's symbol may follow a letter."""
    edges = (r"\b" if edge.isalnum() else "" for edge in (word[0], word[-1]))
    return re.escape(word).join(edges)


def rules_text(game: Game, state: State) -> str:
    """Return the rules with the options of a state, in paragraphs; see `Words`."""
    if game.words.rules_text is not None:
        return game.words.rules_text(state).strip()
    head, *sections = game.doc.strip().split("\n## ")
    named = (section.partition("\n") for section in sections if section.startswith(_EXPLAINING))
    return "\n\n".join([head.strip(), *(f"{name}. {text.strip()}" for name, _, text in named)])


def view_in_text(
    game: Game,
    options: Options,
    state: State,
    seat: int,
    legal: Sequence[int],
    history: Sequence[str] = (),
    num_old: int = 0,
    parses: bool = True,
) -> TextView:
    """Return the game as `seat` knows it; `legal` are its legal actions, empty unless it is to decide.

    A view that only shows the game has no words for illegal actions (`parses=False`): there may be hundreds.
    """
    texts = {action: game.action_text(state, action) for action in legal}
    illegal = _illegal(game, state, game.actions(options), texts) if texts and parses else {}
    rules, now = rules_text(game, state), game.describe(state, seat)
    return TextView(game.id, seat, rules, now, tuple(history), num_old, texts, illegal, game.words.neutral or {})


def _illegal(game: Game, state: State, num_actions: int, legal: Mapping[int, str]) -> dict[int, str]:
    """Return the texts of actions that are not legal; a game need not have words for them."""
    texts = {}
    for action in range(num_actions):
        if action not in legal:
            try:
                texts[action] = game.action_text(state, action)
            except Exception:  # Whatever a game's author did not expect.
                continue
    return texts


# -- words and moves --------------------------------------------------------------------------------------------------


def _typed(text: str) -> str:
    return _TILE.sub(lambda match: match[1].upper(), text.translate(_SYMBOLS).replace(_VARIATION, ""))


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case, with cards as `5h` and `td`."""
    plain = _TEN.sub("t", _typed(text).lower())
    return [word for found in _WORD.findall(plain) if (word := found.strip(".!?'"))]


def matching(answer: str, texts: Mapping[int, str], others: Mapping[int, str] | None = None) -> list[int]:
    """Get the moves that an answer may mean: one if it is clear, several if it is ambiguous, none if it fits no move.

    From the strictest reading to the loosest: the answer is a move's text or name, or starts it, or has some words of
    the name in any order, or beginnings of its words. The name is the text up to the first comma, colon or bracket.

    Args:
        answer: what the person typed.
        texts: the text of every legal action.
        others: the texts of other actions; they are found only by a stricter reading than every legal one.
    """
    wanted = words_of(answer)
    if not wanted:
        return []
    for fits in _READINGS:
        for moves in (texts, others or {}):
            found = [action for action, text in moves.items() if fits(wanted, words_of(text), _name_of(text))]
            if found:
                return found
    return []


def _name_of(text: str) -> list[str]:
    return words_of(_HEAD_ENDS.split(text, maxsplit=1)[0])


def _starts(word: str, start: str) -> bool:
    """Whether a word may be shortened to `start`; 10 is not shortened to 1."""
    rest = word[len(start) :]
    return word.startswith(start) and not (start[-1].isdigit() and rest[:1].isdigit())


def _has_shortened(wanted: list[str], name: list[str]) -> bool:
    left = list(name)
    for word in wanted:
        full = next((candidate for candidate in left if _starts(candidate, word) and word.isalpha()), word)
        if full not in left:
            return False
        left.remove(full)
    return True


_READINGS: tuple[Callable[[list[str], list[str], list[str]], bool], ...] = (
    lambda wanted, text, name: wanted in (text, name),
    lambda wanted, text, name: text[: len(wanted)] == wanted,
    lambda wanted, text, name: all(wanted.count(word) <= name.count(word) for word in wanted),
    lambda wanted, text, name: len(wanted) <= len(name) and all(map(_starts, name, wanted)),
    lambda wanted, text, name: _has_shortened(wanted, name),
)
"""How the words of an answer may fit those of a move's text and name, the strictest first; see `matching`."""


def short_forms(texts: Mapping[int, str]) -> dict[int, str]:
    """Words that name each move.

    A few moves have their whole names, many the words that the others lack, numbers first, but never a number alone,
    which is an ID. Suits are letters, which every keyboard has; a numbered tile is one word.
    """
    heads = {action: _HEAD_ENDS.split(text, maxsplit=1)[0] for action, text in texts.items()}
    names = {action: _typed(head).split() for action, head in heads.items()}
    if len(texts) <= _FEW:
        return {action: " ".join(name) for action, name in names.items()}
    common = set.intersection(*(set(name) for name in names.values()))
    groups: dict[str, list[set[str]]] = {}
    for name in names.values():  # Grouped by verb: one different move, such as a pass, must not lengthen the others.
        groups.setdefault(name[0], []).append(set(name))
    forms = {}
    for action, name in names.items():
        group = groups[name[0]]
        shared = common | (set.intersection(*group) if len(group) > 1 else set())
        words = [word for word in name if word not in shared]
        words = name if not words or (len(words) == 1 and words[0].isdigit()) else words
        forms[action] = " ".join(sorted(words, key=lambda word: not word.isdigit()))
    return forms

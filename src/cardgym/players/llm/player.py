"""A language model as a player: it reads the game in words, and its last line says its move."""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cardgym.engine.text import TextView
from cardgym.errors import CardgymError
from cardgym.players.base import FORFEIT, TextPlayer
from cardgym.players.llm.endpoint import Endpoint, Messages
from cardgym.players.llm.settings import Settings, read_prompt

_TAG = r"(?:think|thinking|thought|reasoning|analysis)"
_THOUGHT = re.compile(rf"\A.*[<\[◁]/{_TAG}[>\]▷]|[<\[◁]{_TAG}[>\]▷].*\Z", re.DOTALL | re.IGNORECASE)
"""All up to the last end of thoughts, whose beginning may be part of the prompt, and those that are cut off."""
_LATEX = re.compile(r"\\[a-z]+|\$", re.IGNORECASE)
"""As in `\\boxed{3}`."""
_ANSWER = re.compile(r"^[ \t>*_`#-]*ANSWER[ \t*_`]*:(.*)$", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True)
class Reading:
    """What an answer says.

    Attributes:
        action: the legal action that it names; None if it names none.
        problem: `illegal` (its ANSWER line names no legal move), `unreadable` (there is no such line) or empty.
        reason: why it names none, for the model.
    """

    action: int | None
    problem: str = ""
    reason: str = ""


def read_answer(answer: str, view: TextView) -> Reading:
    """Read the last `ANSWER:` line of an answer; nothing else in it is searched for a move."""
    lines = _ANSWER.findall(_THOUGHT.sub("", answer))
    if not lines:
        return Reading(None, "unreadable", "there is no line that begins with ANSWER:")
    return read_move(_LATEX.sub("", lines[-1]).strip(" \t\r*_"), view)


def read_move(move: str, view: TextView) -> Reading:
    """Read an ID or the words of a move; see `TextView.parse`."""
    try:
        return Reading(view.parse(move))
    except CardgymError as error:
        return Reading(None, "illegal", str(error))


def request(view: TextView, settings: Settings) -> Messages:
    """Return what a model is asked at a decision: the rules, then what it knows and its legal moves."""
    prompt = read_prompt()
    history = "What happened so far:\n" + "\n".join(view.history) + "\n\nWhat you see now:\n"
    user = prompt.fill(
        "user",
        history=history if view.history and settings.history == "narration" else "",
        state=view.state,
        moves=f"{prompt.fill('moves', moves=view.listed)}\n" if settings.moves == "listed" else "",
    )
    return [{"role": "system", "content": prompt.fill("system", rules=view.rules)}, {"role": "user", "content": user}]


class LanguageModel(TextPlayer):
    """A model at an OpenAI-compatible endpoint. All rows are asked at once.

    Attributes:
        counts: decisions; answers that were `illegal` or `unreadable`; decisions that the endpoint `failed` to answer;
            and decisions settled by `forfeit` or `random`.
    """

    def __init__(self, name: str) -> None:
        """Connect to the endpoint; see `Settings` for the name."""
        self.name = name
        self.settings = Settings.parse(name)
        self.counts: Counter[str] = Counter()
        self._endpoint = Endpoint(self.settings)
        self._times: Counter[str] = Counter()
        self._generator = np.random.default_rng(0)

    def summary(self) -> dict[str, Any]:
        """Return what a report says about the model: its name and settings, the prompt's version, and all counts."""
        made = self._endpoint.counts
        counts = {name: self.counts[name] for name in ("decisions", "illegal", "unreadable", "forfeit", "random")}
        names = ("requests", "known", "failed", "prompt_tokens", "completion_tokens")
        counts |= {name: made[name] for name in names}
        return {"player": self.name, "prompt": read_prompt().version, **counts}

    def answers(self, views: Sequence[TextView]) -> list[int]:
        """Ask for a move in each view; FORFEIT where the model names none and forfeits.

        Raises:
            CardgymError: if the endpoint refuses requests or the budget is spent.
        """
        shown = [self._shown(view) for view in views]
        asked = [request(view, self.settings) for view in shown]
        numbers = []
        for messages in asked:  # In the order of the rows, so that a run that goes on finds the same answers.
            key = self._endpoint.key(messages)
            numbers.append(self._times[key])
            self._times[key] += 1
        readings = self._decided(list(zip(shown, asked, numbers, strict=True)))
        return [self._settled(reading, view) for reading, view in zip(readings, views, strict=True)]

    def _decided(self, decisions: Sequence[tuple[TextView, Messages, int]]) -> list[list[Reading]]:
        """Return the readings of several decisions; an error waits for the answers under way, Ctrl-C for none."""
        found, failed = dict[int, list[Reading]](), list[BaseException]()
        waiting, lock = iter(enumerate(decisions)), threading.Lock()

        def work() -> None:
            while not failed:
                with lock:
                    place, decision = next(waiting, (-1, None))
                if decision is None:
                    return
                try:
                    found[place] = self._decide(*decision)
                except BaseException as error:
                    failed.append(error)

        # Daemons, unlike the threads of a pool: a process does not wait for them at its end.
        count = min(self.settings.at_once, len(decisions))
        threads = [threading.Thread(target=work, name=self.name, daemon=True) for _ in range(count)]
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                thread.join()
        except BaseException as error:
            failed.append(error)
        if failed:
            raise failed[0]
        return [found[place] for place in range(len(decisions))]

    def _shown(self, view: TextView) -> TextView:
        return view.neutral() if self.settings.names == "neutral" else view

    def _decide(self, view: TextView, messages: Messages, number: int) -> list[Reading]:
        """Return the readings of a model's answers to one decision, until one names a legal move."""
        prompt, readings = read_prompt(), list[Reading]()
        about = {"env": view.env_id, "seat": view.seat, "prompt": prompt.version}
        for _ in range(1 + self.settings.rethinks):
            answer = self._endpoint.ask(messages, number, about)
            if answer is None:
                return [*readings, Reading(None, "failed")]
            readings.append(read_answer(answer, view))
            if readings[-1].action is not None:
                break
            again = prompt.fill("again", reason=readings[-1].reason)
            said = answer if answer.strip() else "(nothing)"  # Some endpoints refuse blank messages.
            messages = [*messages, {"role": "assistant", "content": said}, {"role": "user", "content": again}]
        return readings

    def _settled(self, readings: Sequence[Reading], view: TextView) -> int:
        self.counts["decisions"] += 1
        self.counts.update(reading.problem for reading in readings if reading.problem)
        action = readings[-1].action
        if action is not None:
            return action
        self.counts[self.settings.illegal] += 1
        return FORFEIT if self.settings.illegal == "forfeit" else int(self._generator.choice(list(view.moves)))

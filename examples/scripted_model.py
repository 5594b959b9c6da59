"""A server that speaks the chat protocol of OpenAI, with a function in place of a model.

    python examples/scripted_model.py          serve the strategies below, each as a model of its name
    python examples/scripted_model.py 8002     on another port

Set OPENAI_BASE_URL to the address that it prints, and name a player `llm:honest`.
"""

from __future__ import annotations

import contextlib
import json
import random
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Messages = list[dict[str, str]]
Model = Callable[[Messages], Any]
"""The answer to messages, an HTTP status, or a reply of any other form."""


class Server(ThreadingHTTPServer):
    """Answers requests by a function, or by the one that a request names as its model.

    Attributes:
        asked: the messages of every request.
        at_once: the largest number of requests that were open at the same time.
    """

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, model: Model | None = None, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.model, self.lock = model, threading.Lock()
        self.asked: list[Messages] = []
        self.open = self.at_once = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class _Handler(BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        with self.server.lock:
            self.server.asked.append(body["messages"])
            self.server.open += 1
            self.server.at_once = max(self.server.at_once, self.server.open)
        model = self.server.model or STRATEGIES.get(body["model"], lambda messages: 404)
        try:
            answer = model(body["messages"])
        except (LookupError, StopIteration):  # The strategy is for another game.
            answer = 404
        with self.server.lock:
            self.server.open -= 1
        message = {"role": "assistant", "content": answer}
        reply: dict[str, Any] = {
            "id": "1", "object": "chat.completion", "created": 1, "model": body["model"],
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12},
        }  # fmt: skip
        if isinstance(answer, int):
            reply = {"error": {"message": f"status {answer}"}}
        data, kind = json.dumps(reply if isinstance(answer, str | int) else answer).encode(), "application/json"
        if body.get("stream") and isinstance(answer, str):  # All of it in one event.
            choice = {"index": 0, "delta": message, "finish_reason": "stop"}
            chunk = json.dumps({**reply, "object": "chat.completion.chunk", "choices": [choice]})
            data, kind = f"data: {chunk}\n\ndata: [DONE]\n\n".encode(), "text/event-stream"
        self.send_response(answer if isinstance(answer, int) else 200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        with contextlib.suppress(OSError):  # The client has given up.
            self.wfile.write(data)

    def log_message(self, *_: Any) -> None:
        pass


@contextlib.contextmanager
def serving(model: Model | None = None) -> Iterator[Server]:
    """Answer requests in this process, at `Server.url`."""
    with Server(model) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield server
        finally:
            server.shutdown()


def moves_in(text: str) -> dict[str, str]:
    """The IDs of the legal moves that a prompt lists, by their words."""
    return {words: number for number, words in re.findall(r"^(\d+): (.*)$", text, re.M)}


# -- strategies, by the words of the prompt alone ----------------------------------------------------------------------


def question(messages: Messages) -> str:
    """The latest message that shows a position, not one that asks for another answer to it."""
    return next((text for one in reversed(messages) if moves_in(text := one["content"])), messages[-1]["content"])


def _kuhn(messages: Messages) -> tuple[str, bool]:
    """The card at Kuhn poker, and whether there is a bet to answer."""
    text = question(messages)
    (card,) = re.findall(r"dealt the (\w+)$", text, re.M) or [""]
    moves = moves_in(text)
    if card not in ("jack", "queen", "king") or not {"bet", "call"} & {*moves}:
        raise LookupError("this is not Kuhn poker")
    return card, "call" in moves


def honest(messages: Messages) -> str:
    """Kuhn's `honest`: bet the king, pass the jack; with the queen call, but never bet."""
    card, answers = _kuhn(messages)
    moves = moves_in(question(messages))
    bets, passes = ("call", "fold") if answers else ("bet", "check")
    wants = card == "king" or (card == "queen" and answers)
    chosen = bets if wants else passes
    return f"I hold the {card}. I could {bets} or {passes}.\nANSWER: {moves[chosen] if wants else chosen.upper()}"


def equilibrium(messages: Messages) -> str:
    """Kuhn's equilibrium with the largest alpha, 1/3."""
    card, answers = _kuhn(messages)
    calls = 1 if "Own seat: 1" in question(messages) else 2  # Of three queens.
    thirds = {"king": 3, "queen": calls if answers else 0, "jack": 0 if answers else 1}[card]
    bets, passes = ("call", "fold") if answers else ("bet", "check")
    return f"ANSWER: {bets if random.randrange(3) < thirds else passes}"


def initial(messages: Messages) -> str:
    """Corellian Spike's `initial`: always match, never buy, discard."""
    moves = moves_in(question(messages))
    return f"ANSWER: {next(words for words in moves if words.startswith(('match', 'don', 'discard', 'keep')))}"


def errs(messages: Messages) -> str:
    """`honest`, but every fourth answer names a move that no game has; it corrects itself if asked again."""
    wrong = messages[-1]["content"] == question(messages) and random.randrange(4) == 0
    return "ANSWER: raise to 100" if wrong else honest(messages)


def stalls(messages: Messages) -> str:
    """`honest`, but every fourth answer takes three seconds."""
    time.sleep(3.0 if random.randrange(4) == 0 else 0.0)
    return honest(messages)


def prose(messages: Messages) -> str:
    """Name moves in sentences, and never in a last line."""
    return "I could check, but I will bet. My answer is to bet: 1: bet is best."


def lies(messages: Messages) -> str:
    """Claim moves that are not legal, however often it is asked."""
    return "ANSWER: show my cards and take the pot"


STRATEGIES: dict[str, Model] = {
    strategy.__name__: strategy for strategy in (honest, equilibrium, initial, errs, stalls, prose, lies)
}

if __name__ == "__main__":
    with Server(port=int(sys.argv[1]) if len(sys.argv) > 1 else 8001) as server:
        print(f"export OPENAI_BASE_URL={server.url}    # {', '.join(STRATEGIES)}", flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            server.serve_forever()

"""A server that speaks the chat protocol of OpenAI, with a function in place of a model."""

from __future__ import annotations

import contextlib
import json
import re
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Model = Callable[[list[dict[str, str]]], str | int]
"""The answer to messages, or an HTTP status."""


class Server(ThreadingHTTPServer):
    """Answers requests by a function.

    Attributes:
        asked: the messages of every request.
        at_once: the largest number of requests that were open at the same time.
    """

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, model: Model) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.model, self.lock = model, threading.Lock()
        self.asked: list[list[dict[str, str]]] = []
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
        answer = self.server.model(body["messages"])
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
        data = json.dumps(reply).encode()
        self.send_response(answer if isinstance(answer, int) else 200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        with contextlib.suppress(OSError):  # The client has given up.
            self.wfile.write(data)

    def log_message(self, *_: Any) -> None:
        pass


@contextlib.contextmanager
def serving(model: Model) -> Iterator[Server]:
    with Server(model) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield server
        finally:
            server.shutdown()


def moves_in(text: str) -> dict[str, str]:
    """The IDs of the legal moves that a prompt lists, by their words."""
    return {words: number for number, words in re.findall(r"^(\d+): (.*)$", text, re.M)}


def honest(messages: list[dict[str, str]]) -> str:
    """Kuhn's `honest` by words alone."""
    text = messages[1]["content"]
    moves = moves_in(text)
    card = re.search(r"dealt the (\w+)", text)
    assert card is not None
    bets = "call" if "call" in moves else "bet"
    passes = "fold" if "fold" in moves else "check"
    wants = card[1] == "king" or (card[1] == "queen" and bets == "call")
    chosen = bets if wants else passes
    return f"I hold the {card[1]}. I could {bets} or {passes}.\nANSWER: {moves[chosen] if wants else chosen.upper()}"

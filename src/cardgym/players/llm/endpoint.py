"""Requests to an OpenAI-compatible endpoint, each written to a file of JSON lines, from which a stopped run goes on."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import threading
import time
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

from cardgym.errors import CardgymError, EndpointError, printable, reporting_missing
from cardgym.files.json_values import MAX_BYTES, parse_json
from cardgym.players.llm.settings import TRANSCRIPTS, Settings, max_requests

Messages = list[dict[str, str]]

_CUT_OFF = ("length", "max_tokens", "content_filter")
"""Why an answer may end early, in the words of endpoints."""


class Transcripts:
    """The requests and answers of a file, by what was asked and how often it had been asked before.

    A model may answer the same question differently, so the second time a position comes up is another sample. A run
    asks in the same order as before, finds the answers that it has, and asks the endpoint only for the others.

    Attributes:
        requests: how many requests this process has made.
    """

    def __init__(self, path: Path) -> None:
        self.path, self.requests = path, 0
        self._lock = threading.Lock()
        self._known: dict[tuple[str, int], str] = {}
        content = path.read_bytes() if path.exists() else b""
        for line in content.split(b"\n"):  # Answers may hold other ends of lines.
            try:
                entry = parse_json(line, "request")
                self._known[str(entry["key"]), int(entry["n"])] = str(entry["answer"])
            except (CardgymError, ValueError, KeyError, TypeError):
                continue  # The last line of a process that was killed.
        self._gap = b"" if content[-1:] in (b"", b"\n") else b"\n"
        path.parent.mkdir(parents=True, exist_ok=True)

    def find(self, key: str, n: int) -> str | None:
        """Return the answer to the `n`-th request with this key, if the file has it."""
        return self._known.get((key, n))

    def spend(self) -> None:
        """Count a request; `CardgymError` if the budget is spent."""
        with self._lock:
            most = max_requests()
            if most is not None and self.requests >= most:
                raise CardgymError(
                    f"--max-requests {most}: all are made, and the answers are kept in {self.path}; "
                    "the same command with a higher number goes on from there"
                )
            self.requests += 1

    def add(self, entry: dict[str, Any]) -> None:
        """Append an entry; `CardgymError` if the file cannot be written."""
        line = json.dumps(entry, ensure_ascii=False).encode() + b"\n"
        with self._lock:
            line, self._gap = self._gap + line, b"\n"  # Until it is whole: the next one is then a line of its own.
            try:  # In one write: other processes may append to the same file.
                with self.path.open("ab", buffering=0) as file:
                    if file.write(line) < len(line):
                        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            except OSError as error:
                raise CardgymError(f"cannot write {self.path}: {error.strerror or error}") from None
            self._gap = b""
            self._known[entry["key"], entry["n"]] = entry["answer"]


@cache
def transcripts_of(path: Path) -> Transcripts:
    """Return the transcripts of a file, read once."""
    return Transcripts(path)


def _text(content: Any) -> str:
    """Return the text of a message, which some endpoints send in parts, thoughts among them."""
    parts = content if isinstance(content, list) else []
    return "".join(part["text"] for part in parts if part.get("type") == "text") if parts else str(content or "")


class Endpoint:
    """A model at the endpoint that `OPENAI_BASE_URL` and `OPENAI_API_KEY` name.

    Attributes:
        counts: requests made, answers found in the transcripts (`known`), requests that failed, and tokens.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        safe = "".join(sign if sign.isalnum() or sign in "-._" else "_" for sign in settings.model)
        path = Path(os.environ.get(TRANSCRIPTS) or Path("runs") / "llm" / f"{safe}.jsonl")
        self.transcripts = transcripts_of(path.resolve())
        self.counts: Counter[str] = Counter()
        with reporting_missing(f"player llm:{printable(settings.model)}"):
            import openai
        self._openai = openai
        key = os.environ.get("OPENAI_API_KEY")
        if not key and not os.environ.get("OPENAI_BASE_URL"):
            raise CardgymError(
                f"player llm:{printable(settings.model)}: set OPENAI_API_KEY, or OPENAI_BASE_URL to an endpoint that "
                "speaks the same protocol"
            )
        http: Any = openai.DefaultHttpxClient(event_hooks={"request": [self._spend]})  # Those repeated count, too.
        client: Any = openai.OpenAI(
            api_key=key or "none", timeout=settings.timeout, max_retries=settings.retries, http_client=http
        )
        self._client = client
        self._lock = threading.Lock()

    def key(self, messages: Messages) -> str:
        """Return what identifies a request, but not how often it was made."""
        settings = self.settings
        asked = [settings.model, str(self._client.base_url), settings.temperature, settings.max_tokens, messages]
        return hashlib.sha256(json.dumps(asked).encode()).hexdigest()[:24]

    def ask(self, messages: Messages, n: int, about: dict[str, Any]) -> str | None:
        """Return the answer to a request that is made for the `n`-th time; None if the endpoint failed to answer.

        `about` goes into the transcripts.

        Raises:
            EndpointError: if the endpoint refuses the request or cannot be reached.
            CardgymError: if the budget is spent.
        """
        key = self.key(messages)
        known = self.transcripts.find(key, n)
        if known is not None:
            self._count(known=1)
            return known
        openai, start = self._openai, time.monotonic()
        try:
            reply = self._reply(messages)
            choice = reply["choices"][0]
            # Without lone surrogates, which no file can hold.
            answer = _text(choice["message"].get("content")).encode(errors="replace").decode()
            if choice.get("finish_reason") in _CUT_OFF:  # So that `ANSWER: 1` of `ANSWER: 12` names no move.
                answer += " [cut off]"
            usage = found if isinstance(found := reply.get("usage"), dict) else {}
            told = {name: usage.get(name) for name in ("prompt_tokens", "completion_tokens")}
        except CardgymError:
            raise
        except (openai.APITimeoutError, openai.InternalServerError, openai.RateLimitError):
            self._count(failed=1)
            return None
        except openai.OpenAIError as error:
            if isinstance(error.__cause__, CardgymError):  # As some versions pass it on.
                raise error.__cause__ from None
            where = f"player llm:{self.settings.model} at {self._client.base_url}"
            raise EndpointError(f"{where}: {printable(' '.join(str(error).split()))}") from None
        except Exception:  # No answer of this protocol, or one that is late or breaks off.
            self._count(failed=1)
            return None
        tokens = {name: count if isinstance(count, int) and 0 <= count < 2**31 else 0 for name, count in told.items()}
        self._count(**tokens)
        seconds = round(time.monotonic() - start, 3)
        entry = {"key": key, "n": n, "model": self.settings.model, **about, "messages": messages, "answer": answer}
        self.transcripts.add({**entry, "seconds": seconds, **tokens})
        return answer

    def _reply(self, messages: Messages) -> Any:
        """Return the reply as JSON.

        Raises:
            TimeoutError: if its body takes longer than a request may, as some endpoints send blanks until they have
                it; or if it is too long to hold.
        """
        settings = self.settings
        given = {"temperature": settings.temperature, "max_tokens": settings.max_tokens}
        given = {name: value for name, value in given.items() if value is not None}
        create = self._client.chat.completions.with_streaming_response.create
        with create(model=settings.model, messages=messages, **given) as response:
            content, end = bytearray(), time.monotonic() + settings.timeout
            for part in response.iter_bytes():
                content += part
                if time.monotonic() > end or len(content) > MAX_BYTES:
                    raise TimeoutError
        return json.loads(bytes(content))

    def _spend(self, request: object) -> None:
        self.transcripts.spend()
        self._count(requests=1)

    def _count(self, **numbers: int) -> None:
        with self._lock:
            self.counts.update(numbers)

"""Load on `cardgym serve`: many tables at once, people who think for a while, random legal play.

    python benchmarks/bench_serve.py --tables 1000 --seconds 60

starts a server in its own process, opens all tables and plays one game after another at each: a person thinks for a
while (exponentially distributed, mean `--think` seconds) and acts, over a persistent connection. It reports the times
from sending an action to the last byte of the answer, and the server's memory. `--think 0` measures throughput.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np


class Table:
    """One person's connection, and the game at the table."""

    def __init__(self, port: int, game: str, seed: int) -> None:
        self.port, self.game = port, game
        self.random = random.Random(seed)
        self.times: list[float] = []
        self.opened: list[float] = []
        self.state: dict[str, Any] = {}

    async def connect(self) -> None:
        """Open the connection for all requests."""
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)

    async def ask(self, method: str, path: str, body: Any = None) -> tuple[float, Any]:
        """Send a request; the seconds that it took, and the answer."""
        content = b"" if body is None else json.dumps(body).encode()
        head = (
            f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(content)}\r\n\r\n"
        )
        start = time.perf_counter()
        self.writer.write(head.encode() + content)
        answer = (await self.reader.readuntil(b"\r\n\r\n")).lower()
        [size] = re.findall(rb"content-length: (\d+)", answer)
        text = await self.reader.readexactly(int(size))
        seconds = time.perf_counter() - start
        if not answer.startswith(b"http/1.1 20"):
            raise RuntimeError(text.decode())
        return seconds, json.loads(text)

    async def sit_down(self) -> None:
        """Start a game."""
        seconds, opened = await self.ask("POST", "/api/tables", {"game": self.game, "seat": "any"})
        self.opened.append(seconds)
        _, self.state = await self.ask("GET", f"/api/tables/{opened['table']}")

    async def play(self, until: float, think: float) -> None:
        """Play random legal actions, game after game."""
        while True:
            await asyncio.sleep(self.random.expovariate(1 / think) if think else 0)
            if time.perf_counter() > until:
                return
            if self.state["ended"]:
                await self.sit_down()
                continue
            body = {"action": self.random.choice(self.state["actions"])["action"], "version": self.state["version"]}
            seconds, answer = await self.ask("POST", f"/api/tables/{self.state['table']}/action", body)
            self.times.append(seconds)
            self.state = answer["state"]


def memory(process: int, field: str) -> float:
    """Current (`VmRSS`) or peak (`VmHWM`) memory of a process in megabytes."""
    [line] = [line for line in Path(f"/proc/{process}/status").read_text().splitlines() if line.startswith(field)]
    return int(line.split()[1]) / 1024


def processor_seconds(process: int) -> float:
    """Processor time that a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def load(port: int, server: int, arguments: argparse.Namespace) -> list[Table]:
    games = [arguments.games[number % len(arguments.games)] for number in range(arguments.tables)]
    tables = [Table(port, game, seed) for seed, game in enumerate(games)]
    for table in tables:
        await table.connect()
    for table in tables[: len(arguments.games)]:  # Loads each game's code, which takes seconds.
        await table.sit_down()
        table.opened.clear()
    for table in tables[len(arguments.games) :]:
        await table.sit_down()
    arguments.used = processor_seconds(server)
    until = time.perf_counter() + arguments.seconds
    await asyncio.gather(*(table.play(until, arguments.think) for table in tables))
    return tables


def line(what: str, seconds: list[float]) -> str:
    ms = 1000 * np.array(seconds)
    median, high, highest = np.percentile(ms, [50, 99, 100])
    return f"{what}: {len(ms):,}, median {median:.1f} ms, 99 % below {high:.1f} ms, slowest {highest:.0f} ms"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--think", type=float, default=3.0, help="mean seconds that a person thinks (3)")
    parser.add_argument("--games", nargs="+", default=[], metavar="ID", help="games in turn (all that are installed)")
    arguments = parser.parse_args()
    if not arguments.games:
        import cardgym

        arguments.games = list(cardgym.registered())
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, "-m", "cardgym", "serve", "--port", "0", "--tables", str(arguments.tables + 1)]
        words += ["--unfinished", str(arguments.tables + 1)]
        environment = {**os.environ, "CARDGYM_DATA_DIR": folder}
        with subprocess.Popen(words, stdout=subprocess.PIPE, env=environment, text=True) as server:
            try:
                assert server.stdout
                port = int(server.stdout.readline().split(":")[3].partition("/")[0])
                start = memory(server.pid, "VmRSS")
                tables = asyncio.run(load(port, server.pid, arguments))
                times = [seconds for table in tables for seconds in table.times]
                opened = [seconds for table in tables for seconds in table.opened]
                print(f"{arguments.tables} tables of {', '.join(arguments.games)}; people think {arguments.think} s")
                print(line("actions", times), f", {len(times) / arguments.seconds:.0f} a second", sep="")
                print(line("tables opened", opened))
                used = processor_seconds(server.pid) - arguments.used
                print(
                    f"processor: {used:.1f} s in {arguments.seconds:.0f} s, {1000 * used / len(times):.2f} ms an action"
                )
                print(f"memory: {memory(server.pid, 'VmHWM'):.0f} MB at most, {start:.0f} MB before the first table")
            finally:
                server.terminate()


if __name__ == "__main__":
    main()

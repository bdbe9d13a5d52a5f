"""Respondents who do nothing but wait for the server: a few lines of HTTP by hand.

An HTTP library takes more of the processor than the server does, and would be measured
in its place.
"""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

#: Seconds to wait for a read or a write before the server counts as dead.
PATIENCE = 60.0


@dataclass
class Load:
    """What a crowd of respondents met; times are in seconds."""

    seconds: float = 0.0
    tokens: list[str] = field(default_factory=list)
    """Of the submissions that were acknowledged."""
    submits: list[float] = field(default_factory=list)

    def line(self) -> str:
        """Return the rate and the waiting times as a line to print."""
        times = sorted(self.submits)
        half, most = (1e3 * times[int(share * (len(times) - 1))] for share in (0.5, 0.99))
        rate = len(self.tokens) / self.seconds
        return f"{rate:6.0f} submissions/s  submit p50 {half:6.1f} ms, p99 {most:6.1f} ms"


def run_load(
    port: int, clients: int, submissions: int, n_bits: int, *, seed: int = 0,
    channel: dict[str, Any] | None = None,
) -> Load:
    """Let clients submit one after the other, each on a connection that stays open.

    Parameters
    ----------
    port : int
        Of a server on this machine.
    clients : int
        How many at the same time.
    submissions : int
        How many in all.
    n_bits : int
    seed : int, default=0
        Of the answers.
    channel : dict, optional
        As a coin survey publishes it (``api/channel``), all k-ary; ``n_bits`` is not read then.
    """
    return asyncio.run(_run(port, clients, iter(range(submissions)), n_bits, seed, channel))


async def _run(port: int, clients: int, left: Iterator[int], n_bits: int, seed: int,
               channel: dict[str, Any] | None) -> Load:
    load, start = Load(), perf_counter()
    await asyncio.gather(*(
        _client(port, left, n_bits, random.Random(f"{seed} {i}"), load, channel)
        for i in range(clients)
    ))
    load.seconds = perf_counter() - start
    return load


async def _client(
    port: int, left: Iterator[int], n_bits: int, rng: random.Random, load: Load,
    channel: dict[str, Any] | None,
) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    with closing(writer):
        for _ in left:
            status = 409
            while status == 409:  # else two epochs have gone by since the token was handed out
                if channel is None:
                    body = await _draw(reader, writer, n_bits, rng)
                else:
                    body = await _toss(reader, writer, channel, rng)
                sent = perf_counter()
                while (status := (await _ask(reader, writer, "submit", body))[0]) == 503:
                    await asyncio.sleep(0.05)
            load.submits.append(perf_counter() - sent)
            load.tokens.append(body["token"])


async def _draw(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, n_bits: int, rng: random.Random
) -> dict[str, Any]:
    while True:
        _, inquiry = await _ask(reader, writer, "inquiry")
        epoch = json.loads(inquiry)["epoch"]
        status, guide = await _ask(reader, writer, "ready", {"epoch": epoch})
        if status == 200:
            # V is not looked at: a respondent's own work is not the server's
            token = guide[: guide.index(b'"hash"')].decode().split('"token":"')[1][:43]
            ones = [i for i in range(n_bits) if rng.random() < 0.4]
            return {"token": token, "epoch": epoch, "class": rng.getrandbits(1), "ones": ones}
        # the epoch has ended since the inquiry: once more


async def _toss(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, channel: dict[str, Any],
    rng: random.Random,
) -> dict[str, Any]:
    drawing, columns = {"channel": channel["hash"]}, channel["columns"]
    _, answer = await _ask(reader, writer, "ready", drawing)
    lot = rng.sample(range(len(columns)), channel["asked"])
    answers = [rng.randrange(one["n_values"]) if j in lot else None
               for j, one in enumerate(columns)]
    return {"token": json.loads(answer)["token"], "answers": answers, **drawing}


async def _ask(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, what: str, body: object = None
) -> tuple[int, bytes]:
    head = f"{'GET' if body is None else 'POST'} /api/{what} HTTP/1.1\r\nHost: localhost\r\n"
    content = b"" if body is None else json.dumps(body, separators=(",", ":")).encode()
    if content:
        head += f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n"
    writer.write(head.encode() + b"\r\n" + content)
    answer = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), PATIENCE)
    status = int(answer[9:12])
    at = answer.find(b"content-length: ")
    length = int(answer[at + 16 : answer.index(b"\r", at)]) if at > 0 else 0
    if status not in (200, 204, 409, 503):
        raise RuntimeError(f"{what} was answered {answer[:200]!r}")
    body = await reader.readexactly(length)
    if status == 409 and b"token_used" in body:
        raise RuntimeError("a new token was used already")
    return status, body

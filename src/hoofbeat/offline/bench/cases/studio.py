"""The studio under load: twenty riders at 60 Hz, beside a bare asyncio loop of the same rate in the same run.

Server, riders and the bare loop are processes of their own. What is compared is the 99th percentile of
the time between two frames at the riders and between two beats of the bare loop, so that a busy machine
counts against both; in turn without and with one more client that never reads.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from hoofbeat.offline.bench.report import Bench, Figure, Gate

RATE, RIDERS, SECONDS, ROUNDS = 60, 20, 5.0, 3
#: Seconds that riders settle before they are measured.
SETTLE = 1.5
#: p99 of the riders over that of the bare loop, and this with a stalled client over without, at most.
AGAINST_BARE, STALLED = 1.3, 1.25
#: Where the number of a frame and of the command that it follows stand in its block.
NUMBER, COMMAND = slice(4, 8), slice(48, 52)

_BARE = """
import asyncio, sys, time
async def main(seconds, rate):
    due = time.perf_counter()
    end, beats = due + seconds, []
    while due < end:
        beats.append(time.perf_counter())
        due += 1 / rate
        await asyncio.sleep(max(due - time.perf_counter(), 0))
    gaps = sorted(b - a for a, b in zip(beats, beats[1:]))
    print(gaps[int(0.99 * (len(gaps) - 1))], gaps[len(gaps) // 2])
asyncio.run(main(float(sys.argv[1]), float(sys.argv[2])))
"""


def start_server() -> tuple[subprocess.Popen[str], str]:
    """A studio of its own on a free port; the process and host:port."""
    child = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-m", "hoofbeat", "studio", "--port", "0", "--no-open", "--no-keep"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert child.stdout is not None
    line = child.stdout.readline()
    if "http://" not in line:
        child.kill()
        raise RuntimeError("the studio did not start; is hoofbeat[studio] installed?")
    return child, line.partition("http://")[2].strip().strip("/")


class _Rider:
    """One WebSocket client: when each frame came, and how long commands took to show."""

    def __init__(self, gaps: list[float], waits: list[float]) -> None:
        self.gaps, self.waits = gaps, waits
        self.skipped = 0

    async def ride(self, connect: Callable[..., Any], host: str, seconds: float) -> None:
        """Ride for so long, a new speed every quarter of a second."""
        begin = time.perf_counter()
        asked, number, last, before = begin, 0, 0.0, 0
        async with connect(f"ws://{host}/ws", compression=None, open_timeout=60) as socket:
            while (now := time.perf_counter()) < begin + SETTLE + seconds:
                if now - asked > 0.25:
                    number, asked = number + 1, now
                    speed = 1.0 + number % 12
                    await socket.send(json.dumps({"type": "ride", "number": number, "speed": speed}))
                data = await socket.recv()
                if isinstance(data, str):
                    continue
                now = time.perf_counter()
                frame = int.from_bytes(data[NUMBER], "little")
                if now > begin + SETTLE and last:
                    self.gaps.append(now - last)
                    self.skipped += frame - before - 1
                    if int.from_bytes(data[COMMAND], "little") == number and number > len(self.waits):
                        self.waits.append(now - asked)
                last, before = now, frame


async def _riders(host: str, seconds: float, count: int) -> tuple[list[float], list[float], int]:
    from websockets.asyncio.client import connect

    gaps: list[float] = []
    riders = [_Rider(gaps, []) for _ in range(count)]
    rides: list[Awaitable[None]] = [rider.ride(connect, host, seconds) for rider in riders]
    await asyncio.gather(*rides)
    waits = [wait for rider in riders for wait in rider.waits]
    return gaps, waits, sum(rider.skipped for rider in riders)


async def _with_stalled(host: str, seconds: float, count: int) -> tuple[list[float], list[float], int]:
    """Riders beside a client that asks for frames and reads none."""
    name, _, port = host.partition(":")
    _, writer = await asyncio.open_connection(name, int(port), limit=1024)
    head = (
        f"GET /ws HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    )
    writer.write(head.encode())
    await writer.drain()
    try:
        return await _riders(host, seconds, count)
    finally:
        with suppress(OSError):
            writer.close()


@dataclass(frozen=True)
class Phase:
    """What one measurement found, times in s; ratio: the riders' p99 over the bare loop's meanwhile."""

    bare_median: float
    bare: float
    median: float
    p99: float
    wait: float
    skipped: float

    @property
    def ratio(self) -> float:
        """The riders' p99 over the bare loop's."""
        return self.p99 / self.bare


def _measure(host: str, seconds: float, riders: int, stalled: bool) -> Phase:
    """Riders and a bare loop at the same time."""
    bare = subprocess.Popen(
        [sys.executable, "-c", _BARE, str(seconds + SETTLE), str(RATE)], stdout=subprocess.PIPE, text=True
    )
    ride = _with_stalled if stalled else _riders
    gaps, waits, skipped = asyncio.run(ride(host, seconds, riders))
    bare_p99, bare_median = map(float, bare.communicate()[0].split())
    p99 = sorted(gaps)[int(0.99 * (len(gaps) - 1))]
    wait = statistics.median(waits) if waits else float("nan")
    return Phase(bare_median, bare_p99, statistics.median(gaps), p99, wait, skipped / len(gaps))


def run(seconds: float = SECONDS, riders: int = RIDERS, rounds: int = ROUNDS) -> Bench:
    """Figures and gates of a studio with so many riders, in turn without and with a stalled client."""
    server, host = start_server()
    try:
        phases = [
            (_measure(host, seconds, riders, False), _measure(host, seconds, riders, True))
            for _ in range(rounds)
        ]
    finally:
        server.terminate()
        server.wait(30)
    alone, beside = ([pair[k] for pair in phases] for k in (0, 1))

    def middle(of: list[Phase], name: str) -> float:
        return statistics.median(getattr(phase, name) for phase in of)

    ratio, beside_ratio = middle(alone, "ratio"), middle(beside, "ratio")
    figures = [
        Figure("bare asyncio loop, interval median", middle(alone, "bare_median") * 1e3, "ms"),
        Figure("bare asyncio loop, interval p99", middle(alone, "bare") * 1e3, "ms"),
        Figure(f"{riders} riders, interval median", middle(alone, "median") * 1e3, "ms"),
        Figure(f"{riders} riders, interval p99", middle(alone, "p99") * 1e3, "ms", f"{ratio:.2f} x bare"),
        Figure(
            "beside a stalled client, p99", middle(beside, "p99") * 1e3, "ms", f"{beside_ratio:.2f} x bare"
        ),
        Figure("command to the frame that follows it, median", middle(alone, "wait") * 1e3, "ms"),
        Figure("frames skipped", 1e3 * middle(alone + beside, "skipped"), "of 1000"),
    ]
    gates = [
        Gate(f"studio, {riders} riders: interval p99 over a bare loop", ratio, AGAINST_BARE, False),
        Gate("studio: the same beside a stalled client over without", beside_ratio / ratio, STALLED, False),
    ]
    return Bench("studio", f"Studio, {riders} riders at {RATE} Hz, {rounds} x {seconds:g} s", figures, gates)

"""A long random ride: riders who do everything, come and go, and a server that neither grows nor forgets.

HOOFBEAT_SOAK_MINUTES sets how long, two minutes if it is not there; `make long` rides for thirty.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from studio_making import PATIENCE, Studio

MINUTES = float(os.environ.get("HOOFBEAT_SOAK_MINUTES", "2"))
RIDERS = 6
#: Memory may grow by this much [MB] after the first part of the ride, however long that is.
GROWTH, SETTLING = 20.0, 0.25


def resident(pid: int) -> float:
    """Memory of a process [MB]."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise AssertionError("no VmRSS")


class Wanderer(threading.Thread):
    """A rider who does what comes to mind, drops the line now and then and comes back to the same ride."""

    def __init__(self, studio: Studio, seed: int, end: float) -> None:
        super().__init__(daemon=True)
        self.studio, self.end, self.chance = studio, end, random.Random(seed)
        self.session, self.visits, self.frames = "", 0, 0
        self.fault: BaseException | None = None

    def run(self) -> None:
        try:
            while time.monotonic() < self.end:
                self.visit()
        except BaseException as fault:  # told by the test's own thread
            self.fault = fault

    def visit(self) -> None:
        with self.studio.socket(self.session) as rider:
            hello = rider.hear("hello")
            assert not self.session or hello["session"] == self.session, "the ride was lost"
            self.session, self.visits = hello["session"], self.visits + 1
            leave = time.monotonic() + self.chance.uniform(2, 15)
            number = 0
            while time.monotonic() < min(leave, self.end):
                number += 1
                self.act(rider, number, hello)
                for _ in range(self.chance.randrange(1, 8)):
                    for row in rider.frames(4):
                        self.frames += 1
                        assert np.isfinite(row["positions"]).all()
                    rider.say("acknowledge", frame=int(rider.head("number")))

    def act(self, rider: Any, number: int, hello: dict[str, Any]) -> None:
        chance = self.chance
        methods = [method["name"] for method in hello["methods"]]
        what = chance.random()
        if what < 0.7:
            gait = chance.choice([None, None, None, "walk", "trot", "gallop"])
            rider.say(
                "ride", number=number, speed=chance.uniform(0, 14), turn=chance.gauss(0, 0.6), gait=gait
            )
        elif what < 0.78:
            rider.say("setup", method=chance.choice(methods), coat=chance.choice(hello["coats"]))
        elif what < 0.82:
            rider.say("setup", height=chance.uniform(0.8, 2.0))
        elif what < 0.86:
            rider.say("clock", time_scale=chance.choice(hello["time_scales"]))
        elif what < 0.92:
            rider.say("record", on=chance.random() < 0.5)
        elif what < 0.96:
            for kept in rider.told.get("recordings", {}).get("recordings", [])[:-2]:
                rider.say("edit", recording=kept["id"], delete=True)
        elif what < 0.98:
            rider.say("plan", text="segments: [{for: 2 s, speed: 3}, {for: 3 cycles, gait: walk}]")
        else:
            rider.say("reset")


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")
def test_a_long_random_ride(tmp_path: Path) -> None:
    child = subprocess.Popen(
        [sys.executable, "-m", "hoofbeat", "studio", "--port", "0", "--no-open"],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "HOOFBEAT_STUDIO_DIR": str(tmp_path)},
    )
    try:
        assert child.stdout is not None
        studio = Studio(int(child.stdout.readline().rpartition(":")[2].strip("/\n")), None)
        start = time.monotonic()
        end = start + 60 * MINUTES
        riders = [Wanderer(studio, seed, end) for seed in range(RIDERS)]
        for rider in riders:
            rider.start()
        time.sleep(60 * MINUTES * SETTLING)
        before, most = resident(child.pid), 0.0
        while time.monotonic() < end:
            time.sleep(1)
            most = max(most, resident(child.pid))
            assert child.poll() is None, "the server died"
        for rider in riders:
            rider.join(PATIENCE)
        assert [rider.fault for rider in riders if rider.fault] == []
        after = resident(child.pid)
        frames, visits = sum(r.frames for r in riders), sum(r.visits for r in riders)
        print(f"{MINUTES:g} min, {RIDERS} riders, {visits} visits, {frames} frames; memory {before:.1f} MB, ")
        print(f"most {most:.1f}, at the end {after:.1f}; late ticks {studio.call('GET', '/health')}")
        assert after - before < GROWTH, f"memory grew by {after - before:.1f} MB"
        sessions = {rider.session for rider in riders}
        assert len(sessions) == RIDERS
        for session in sessions:
            assert studio.call("GET", f"/sessions/{session}")["session"] == session
    finally:
        child.terminate()
        child.wait(PATIENCE)

"""The real clients, one after the other, and a table of what they found: `make clients`.

    python tests/clients/run.py [--bpy PYTHON] [--keep FOLDER]

Exit status 1 when a client disagrees or fails, and in CI (the variable CI is set) also when one is missing.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import assimp_check
import c_check
import numpy as np
import three_check
import usd_check
from exports import make_exports
from findings import ClientFailed, ClientMissing, Finding, compare, compare_vertices

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
LIMIT = 400.0  # seconds for all of Blender's files
SHOWN = 4  # clips of a file that the table names
COLUMNS: tuple[str, ...] = ("client", "file", "joints", "clips", "largest error", "time", "")


def main() -> int:
    """Write the files, ask every client, print the table."""
    parser = argparse.ArgumentParser(description="Read our files with other people's programs.")
    parser.add_argument("--bpy", default=ROOT / ".venv-bpy/bin/python", type=Path, help="a Python with bpy")
    parser.add_argument("--keep", type=Path, help="write the files here and leave them")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hoofbeat-clients-") as scratch:
        folder = options.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        started = time.perf_counter()
        files = len(make_exports(folder))
        say(f"{files} files written in {time.perf_counter() - started:.1f} s")
        return report(folder, options.bpy)


def report(folder: Path, bpy: Path) -> int:
    """Ask every client; the exit status."""
    clients: tuple[tuple[str, Callable[[Path], list[Finding]]], ...] = (
        ("C", c_check.check),
        ("usd-core", usd_check.check),
        ("assimp", assimp_check.check),
        ("three.js", three_check.check),
        ("Blender", lambda where: check_bpy(where, bpy)),
    )
    found: list[Finding] = []
    missing: list[str] = []
    for name, check in clients:
        try:
            found += check(folder)
        except ClientMissing as problem:
            missing.append(f"{name}: {problem}")
        except ClientFailed as problem:
            found.append(Finding(name, "", faults=(str(problem),)))
    say(table(found))
    wrong = [finding for finding in found if finding.faults]
    for finding in wrong:
        say(f"FAILED {finding.client} {finding.file}: {'; '.join(finding.faults)}")
    for line in missing:
        say(f"MISSING {line}")
    say(f"{len(found) - len(wrong)} passed, {len(wrong)} failed, {len(missing)} clients missing")
    return int(bool(wrong) or (bool(missing) and bool(os.environ.get("CI"))))


def check_bpy(folder: Path, python: Path) -> list[Finding]:
    """Blender, in a process and an environment of its own."""
    if not python.exists():
        raise ClientMissing(f"no {python}: `make clients` installs bpy there where PyPI has a wheel for it")
    answer = folder / "blender.json"
    command = [str(python), str(HERE / "bpy_check.py"), str(folder), str(answer)]
    # The library's own variables must not reach another environment.
    clean = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, env=clean)
    except subprocess.TimeoutExpired:
        raise ClientFailed(f"Blender took more than {LIMIT:.0f} s") from None
    if done.returncode:
        raise ClientFailed(f"Blender ended with {done.returncode}: {(done.stdout + done.stderr)[-500:]}")
    read = json.loads(answer.read_text(encoding="utf-8"))
    found = compare(read["version"], folder, read["files"], {"bvh", "gltf", "usd"})
    for file in read["files"]:
        if file.get("skin"):
            seen = np.load(folder / file["skin"], allow_pickle=False)
            found.append(compare_vertices(read["version"], folder, file["file"], seen, file["seconds"]))
    return found


def table(found: list[Finding]) -> str:
    """Findings as lines of text in columns."""
    rows = [COLUMNS]
    for one in found:
        listed = ", ".join((*one.clips[:SHOWN], "...") if len(one.clips) > SHOWN else one.clips)
        clips = f"{len(one.clips)} ({listed})" if one.clips else "0"
        verdict = "FAILED" if one.faults else "ok"
        error, seconds = f"{one.error * 1000:.4f} mm", f"{one.seconds:.2f} s"
        rows.append((one.client, one.file, str(one.joints), clips, error, seconds, verdict))
    widths = [max(len(row[i]) for row in rows) for i in range(len(COLUMNS))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]
    return "\n".join(line.rstrip() for line in [lines[0], "  ".join("-" * w for w in widths), *lines[1:]])


def say(text: str) -> None:
    """To the terminal."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())

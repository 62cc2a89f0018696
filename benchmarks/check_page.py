"""The tables of docs/check.md that follow from the code: `python -m benchmarks.check_page [--scores]`.

Limits and gaits are written from hoofbeat.check.measures, and with --scores the scores between their marks;
words on what a measure is are kept. A test compares the page with the code.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from hoofbeat.check.limits import gait_table
from hoofbeat.check.measure import Limit
from hoofbeat.check.measures import LIMITS, ground, similarity
from hoofbeat.check.measures.footfall import beats_limit, duty_limit, phase_limit, suspensions_limit
from hoofbeat.check.recognise import ADDED
from hoofbeat.gaits.names import NAMES

PAGE = Path(__file__).resolve().parents[1] / "docs" / "check.md"
#: | `name` | what it is | limit | source |
MEASURE = re.compile(r"^\| `([\w-]+)` \| ([^|]+) \| ([^|]*)\| ([^|]*)\|$", re.MULTILINE)
#: Limits of feet that are no hooves.
PAWS = tuple(
    (module, name) for module in (ground, similarity) for name in vars(module) if name.startswith("PAW_")
)
#: What is said of limits that are open in the table.
OPEN = {"speed": "reported only", "froude": "reported only", "stiffness": "by speed"}


def limit_words(name: str) -> str:
    """The limit of a measure as the page has it."""
    limit = LIMITS[name]
    return OPEN.get(name, "by gait") if limit.open else str(limit)


def gait_rows() -> list[str]:
    """The table of limits that hang on the gait; those of an added gait follow from its own file."""
    rows = ["| gait | beats | LF | RF | RH | duty | suspensions |", "|---|---|---|---|---|---|---|"]
    for name in NAMES:
        gait = gait_table(name)
        if gait is not None and gait not in ADDED:
            limits = [beats_limit(gait), *(phase_limit(gait, leg) for leg in ("LF", "RF", "RH"))]
            limits += [duty_limit(gait, 0.0), suspensions_limit(gait)]
            rows.append(f"| `{name}` | {' | '.join(_words(limit) for limit in limits)} |")
    return rows


def paw_rows() -> list[str]:
    """The table of constants for feet that are no hooves."""
    rows = ["| constant | value |", "|---|---|"]
    for module, name in PAWS:
        value, home = getattr(module, name), module.__name__.removeprefix("hoofbeat.")
        numbers = value if isinstance(value, tuple) else (value,)
        rows.append(f"| `{home}.{name}` | {', '.join(f'{number:g}' for number in numbers)} |")
    return rows


def _words(limit: Limit) -> str:
    return f"{limit.low:g}" if limit.low is not None and limit.low == limit.high else str(limit)


def renewed(text: str) -> str:
    """The page with its limits, sources and gaits as the code has them."""

    def row(found: re.Match[str]) -> str:
        name, what = found[1], found[2]
        if name not in LIMITS:
            return found[0]
        return f"| `{name}` | {what} | {limit_words(name)} | {LIMITS[name].source} |"

    page = _between(MEASURE.sub(row, text), "gaits", "\n".join(gait_rows()))
    return _between(page, "paws", "\n".join(paw_rows()))


def _between(text: str, mark: str, content: str) -> str:
    """The text between <!-- mark --> and <!-- end of mark --> replaced."""
    start, end = f"<!-- {mark} -->\n", f"<!-- end of {mark} -->"
    head, _, rest = text.partition(start)
    _, _, tail = rest.partition(end)
    return f"{head}{start}{content}\n{end}{tail}"


if __name__ == "__main__":
    page = renewed(PAGE.read_text(encoding="utf-8"))
    if "--scores" in sys.argv[1:]:
        from benchmarks.check_scores import scores

        page = _between(page, "scores", "\n" + "\n".join(scores()))
    PAGE.write_text(page, encoding="utf-8")

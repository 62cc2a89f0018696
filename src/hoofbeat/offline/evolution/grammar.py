"""Grammar: BNF text to rules that a genome can be read with, checked so that every reading can end.

    # a remark to the end of the line
    <sum>  ::= <term> | <term> " + " <sum>
    <term> ::= "x" | "1"

Names stand in angle brackets, text in quotes (`\\"`, `\\\\`, `\\n` inside them), alternatives are parted by
`|`, white space between them means nothing. The first rule is where every text begins. `""` is the empty
alternative; an alternative that stands several times is chosen that much more often.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from os import PathLike, fspath
from typing import Any, NamedTuple

from hoofbeat.errors import FileError, nearest
from hoofbeat.formats.files import read_bytes

#: Bounds of a grammar: more than this is a mistake, or an attack.
MAX_BYTES = 1 << 18
MAX_RULES = 500
MAX_ALTERNATIVES = 1000
MAX_SYMBOLS = 10_000

_TOKEN = re.compile(
    r"""(?P<space>[ \t\r\n]+|\#[^\n]*)
      | (?P<name><[A-Za-z][A-Za-z0-9_-]*>)
      | (?P<define>::=)
      | (?P<bar>\|)
      | (?P<text>"(?:[^"\\\n]|\\["\\n])*")""",
    re.VERBOSE,
)
_ESCAPES = {'\\"': '"', "\\\\": "\\", "\\n": "\n"}
_BAD_ESCAPE = re.compile(r'"(?:[^"\\\n]|\\["\\n])*\\')


class GrammarError(FileError):
    """A grammar that cannot be read or used; `line` and `column` (1-based, 0 = whole file) say where."""

    def __init__(
        self, message: str, path: str | PathLike[str] = "<memory>", line: int = 0, column: int = 0
    ) -> None:
        self.column = column
        super().__init__(f"column {column}: {message}" if column else message, path, line)


@dataclass(frozen=True)
class Alternative:
    """One expansion of a name: a row of parts, a rule's number (int) or text to write (str).

    depth: the least number of rules inside one another that ends it; 0 when it is all text.
    recursive: whether it can lead back to the name that it belongs to.
    """

    parts: tuple[int | str, ...]
    depth: int
    recursive: bool


@dataclass(frozen=True)
class Rule:
    """A name with its alternatives; depth: the least number of rules inside one another, itself counted."""

    name: str
    alternatives: tuple[Alternative, ...]
    depth: int


@dataclass(frozen=True)
class Grammar:
    """Rules in the order of the file, the first is the start; text as it was read.

    unused: rules that the start does not lead to; shortest: characters of the shortest text.
    Equal when the texts are equal.
    """

    text: str
    rules: tuple[Rule, ...] = field(compare=False)
    unused: tuple[str, ...] = field(compare=False)
    shortest: int = field(compare=False)

    @property
    def start(self) -> Rule:
        """The rule that every text begins with."""
        return self.rules[0]


def read_grammar(path: str | PathLike[str]) -> Grammar:
    """The grammar in a file of UTF-8 text; GrammarError says line and column of what is wrong."""
    data = read_bytes(path, MAX_BYTES, GrammarError)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise GrammarError(f"is not UTF-8 text (byte {problem.start})", path) from None
    return parse_grammar(text, path)


def parse_grammar(text: str, path: str | PathLike[str] = "<memory>") -> Grammar:
    """The grammar of a text, checked: every name is defined, and every name can end."""
    if len(text) > MAX_BYTES:
        raise GrammarError(f"has {len(text)} characters, at most {MAX_BYTES} are read", path)
    written = _Reader(text, fspath(path)).rules()
    numbers = {rule.name.text: at for at, rule in enumerate(written)}
    rows = [[_resolved(row, numbers, fspath(path)) for row in rule.rows] for rule in written]
    depths = _least(rows, lambda row, of: max((of[part] for part in _names(row)), default=0), 1)
    endless = [rule for rule, depth in zip(written, depths, strict=True) if depth is None]
    if endless:
        raise _never_ends(endless, fspath(path))
    known = [depth for depth in depths if depth is not None]
    reach = [_reached(rows, at) for at in range(len(rows))]
    rules = tuple(_rule(rule, at, rows[at], known, reach) for at, rule in enumerate(written))
    unused = tuple(rule.name for at, rule in enumerate(rules) if at and at not in reach[0])
    lengths = _least(rows, lambda row, of: sum(len(p) if isinstance(p, str) else of[p] for p in row), 0)
    return Grammar(text, rules, unused, lengths[0] or 0)


class _Token(NamedTuple):
    kind: str
    text: str
    line: int
    column: int


class _Written(NamedTuple):
    """A rule as it stands in the file."""

    name: _Token
    rows: list[list[_Token]]


class _Reader:
    """Tokens of a text, and the rules they make."""

    def __init__(self, text: str, path: str) -> None:
        self.path = path
        self.tokens = list(self._cut(text))
        if len(self.tokens) > MAX_SYMBOLS:
            at = self.tokens[MAX_SYMBOLS]
            raise self.fail(f"{len(self.tokens)} symbols, at most {MAX_SYMBOLS} are allowed", at)

    def fail(self, message: str, at: _Token) -> GrammarError:
        return GrammarError(message, self.path, at.line, at.column)

    def _cut(self, text: str) -> Iterator[_Token]:
        at, line, line_start = 0, 1, 0
        while at < len(text):
            found = _TOKEN.match(text, at)
            column = at - line_start + 1
            if found is None:
                raise GrammarError(_unreadable(text, at), self.path, line, column)
            kind, piece = found.lastgroup or "", found.group()
            if kind != "space":
                yield _Token(kind, piece, line, column)
            elif "\n" in piece:
                line += piece.count("\n")
                line_start = at + piece.rindex("\n") + 1
            at = found.end()

    def rules(self) -> list[_Written]:
        """All rules, each name defined once."""
        if not self.tokens:
            raise GrammarError('has no rules; write for example <start> ::= "0" | "1"', self.path)
        starts = [at for at, token in enumerate(self.tokens) if token.kind == "define"]
        if not starts or starts[0] != 1 or self.tokens[0].kind != "name":
            raise self.fail("a rule begins with <name> ::=", self.tokens[0])
        for at, before in zip(starts[1:], starts, strict=False):
            if self.tokens[at - 1].kind != "name" or at - 1 <= before:
                raise self.fail("::= stands after the <name> of a new rule", self.tokens[at])
        written: dict[str, _Written] = {}
        for at, stop in zip(starts, [*(s - 1 for s in starts[1:]), len(self.tokens)], strict=True):
            name = self.tokens[at - 1]
            if name.text in written:
                first = written[name.text].name.line
                reason = f"{name.text} is defined twice, first in line {first}; part alternatives with |"
                raise self.fail(reason, name)
            written[name.text] = _Written(name, self._rows(self.tokens[at + 1 : stop], self.tokens[at]))
        if len(written) > MAX_RULES:
            raise GrammarError(f"{len(written)} rules, at most {MAX_RULES} are allowed", self.path)
        return list(written.values())

    def _rows(self, tokens: Sequence[_Token], define: _Token) -> list[list[_Token]]:
        """Alternatives of one rule; an empty one has to be written as two quotes."""
        rows: list[list[_Token]] = [[]]
        last = define
        for token in tokens:
            if token.kind == "bar":
                self._refuse_empty(rows[-1], last)
                rows.append([])
            else:
                rows[-1].append(token)
            last = token
        self._refuse_empty(rows[-1], last)
        if len(rows) > MAX_ALTERNATIVES:
            raise self.fail(f"{len(rows)} alternatives, at most {MAX_ALTERNATIVES} are allowed", define)
        return rows

    def _refuse_empty(self, row: list[_Token], last: _Token) -> None:
        if not row:
            raise self.fail(f'nothing stands after {last.text}; write "" for an empty text', last)


def _unreadable(text: str, at: int) -> str:
    """Why no token begins here."""
    rest = text[at:].partition("\n")[0][:40]
    if rest.startswith('"'):
        if _BAD_ESCAPE.match(rest) and not rest.endswith("\\"):
            return f'{rest}: after a backslash in a text stands ", \\ or n'
        return f"{rest}: the closing quote is missing; a text ends on its line (write \\n for a new line)"
    if rest.startswith("<"):
        return f"{rest}: a name is <letters, digits, - or _>, and begins with a letter"
    piece = re.split(r"[\s|<\"]", rest)[0] or rest[:1]
    return f'{piece!r} is neither <name> nor "text"; text to be written stands in quotes'


def _resolved(row: list[_Token], numbers: dict[str, int], path: str) -> tuple[int | str, ...]:
    """Parts of an alternative: names as rule numbers, texts unescaped, the empty text left out."""
    parts: list[int | str] = []
    for token in row:
        if token.kind == "name":
            if token.text not in numbers:
                near = nearest(token.text, numbers)
                hint = f"; did you mean {near}?" if near else f". Defined: {', '.join(list(numbers)[:20])}"
                raise GrammarError(f"{token.text} is not defined{hint}", path, token.line, token.column)
            parts.append(numbers[token.text])
        elif len(token.text) > 2:
            parts.append(re.sub(r"\\.", lambda m: _ESCAPES[m.group()], token.text[1:-1]))
    return tuple(parts)


_Row = tuple[int | str, ...]


def _names(row: _Row) -> list[int]:
    return [part for part in row if isinstance(part, int)]


def _least(
    rows: Sequence[Sequence[_Row]], cost: Callable[[_Row, list[Any]], int], step: int
) -> list[int | None]:
    """For every rule the least cost over its alternatives plus `step`; None for one that cannot end.

    cost(row, found) may look up the rules of its row, all of which are known by then. Repeated until
    nothing changes: a rule gets a value when one alternative has only rules with a value.
    """
    found: list[int | None] = [None] * len(rows)
    changed = True
    while changed:
        changed = False
        for at, alternatives in enumerate(rows):
            ending = [row for row in alternatives if all(found[part] is not None for part in _names(row))]
            if ending:
                best = step + min(cost(row, found) for row in ending)
                old = found[at]
                if old is None or best < old:
                    found[at], changed = best, True
    return found


def _never_ends(endless: Sequence[_Written], path: str) -> GrammarError:
    names = ", ".join(rule.name.text for rule in endless[:10])
    first = endless[0].name
    reason = f"{names} can never end: every alternative leads back; add one that does not"
    return GrammarError(reason, path, first.line, first.column)


def _reached(rows: Sequence[Sequence[_Row]], start: int) -> set[int]:
    """Rules that the alternatives of a rule lead to, however far."""
    found: set[int] = set()
    waiting = [part for row in rows[start] for part in _names(row)]
    while waiting:
        at = waiting.pop()
        if at not in found:
            found.add(at)
            waiting += [part for row in rows[at] for part in _names(row)]
    return found


def _rule(
    written: _Written, at: int, rows: Sequence[_Row], depths: Sequence[int], reach: Sequence[set[int]]
) -> Rule:
    made: list[Alternative] = []
    for row in rows:
        names = _names(row)
        recursive = any(part == at or at in reach[part] for part in names)
        made.append(Alternative(row, max((depths[part] for part in names), default=0), recursive))
    return Rule(written.name.text[1:-1], tuple(made), depths[at])

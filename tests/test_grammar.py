"""Grammars: what is read is what was written, every damage is answered with line and column, and every
genome is read to an end."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hoofbeat.offline.evolution import grammar as grammars
from hoofbeat.offline.evolution.genome import (
    CODONS,
    GenomeLimits,
    LimitError,
    random_genome,
    read_genome,
)
from hoofbeat.offline.evolution.grammar import Grammar, GrammarError, parse_grammar, read_grammar
from hoofbeat.offline.evolution.rng import Rng

pytestmark = pytest.mark.kernels

SUMS = """# sums of x and 1
<sum>  ::= <term> | <term> " + " <sum>   # right recursive
<term> ::= "x"
         | "1" | "(" <sum> ")"
"""

texts = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), max_size=5)


def quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


@st.composite
def rule_tables(draw: st.DrawFn) -> list[list[list[int | str]]]:
    """Rules as lists of alternatives; the first alternative of rule k leads only to rules after k."""
    count = draw(st.integers(1, 6))
    table: list[list[list[int | str]]] = []
    for k in range(count):
        later = st.integers(k + 1, count - 1) if k + 1 < count else texts
        any_part = st.one_of(texts, st.integers(0, count - 1))
        first = draw(st.lists(st.one_of(texts, later), max_size=3))
        table.append([first, *draw(st.lists(st.lists(any_part, max_size=4), max_size=3))])
    return table


def written(table: list[list[list[int | str]]], space: str = " ") -> str:
    def part(p: int | str) -> str:
        return f"<r{p}>" if isinstance(p, int) else quoted(p)

    rows = [[space.join(part(p) for p in row) or '""' for row in rule] for rule in table]
    return "\n".join(f"<r{k}> ::= {f'{space}|{space}'.join(rule)}" for k, rule in enumerate(rows))


def joined(row: tuple[int | str, ...] | list[int | str]) -> list[int | str]:
    """Parts without empty texts."""
    return [p for p in row if p != ""]


@given(rule_tables(), st.sampled_from([" ", "\n", " # remark\n\t", "\r\n  "]))
def test_what_is_written_reads_back(table: list[list[list[int | str]]], space: str) -> None:
    grammar = parse_grammar(written(table, space))
    found = [[list(way.parts) for way in rule.alternatives] for rule in grammar.rules]
    assert found == [[joined(row) for row in rule] for rule in table]
    assert [rule.name for rule in grammar.rules] == [f"r{k}" for k in range(len(table))]


@given(rule_tables(), st.lists(st.integers(0, CODONS - 1), max_size=40), st.integers(0, 3))
def test_every_genome_is_read_to_an_end(
    table: list[list[list[int | str]]], genome: list[int], wraps: int
) -> None:
    grammar = parse_grammar(written(table))
    limits = GenomeLimits(wraps, 12, 200)
    reading = read_genome(grammar, genome, limits)
    assert (reading.text is None) == bool(reading.reason)
    assert 0 <= reading.used <= len(genome)
    if reading.text is not None:
        assert grammar.shortest <= len(reading.text) <= 200
        # Codons that were not read change nothing.
        assert read_genome(grammar, genome[: reading.used] + [7] * 3, limits).text == reading.text or (
            reading.used == len(genome)
        )


@given(rule_tables(), st.integers(0, 2**32 - 1), st.booleans(), st.integers(0, 6))
def test_random_genomes_keep_their_depth(
    table: list[list[list[int | str]]], seed: int, full: bool, more: int
) -> None:
    grammar = parse_grammar(written(table))
    least = grammar.start.depth
    limits = GenomeLimits(0, least + more, 100_000)
    genome = random_genome(grammar, Rng(seed, 0, 0), least + more, full, limits)
    reading = read_genome(grammar, genome, limits)
    assert reading.text is not None or "characters" in reading.reason or "written out" in reading.reason


def test_a_full_text_goes_as_deep_as_it_may() -> None:
    grammar = parse_grammar('<a> ::= <a> | "x"')
    for depth in range(1, 12):
        genome = random_genome(grammar, Rng(3, 0, depth), depth, True, GenomeLimits())
        assert read_genome(grammar, genome, GenomeLimits(0, depth)).text == "x"
        assert read_genome(grammar, genome, GenomeLimits(0, depth - 1)).text is None


def test_a_known_genome_is_read_by_hand() -> None:
    grammar = parse_grammar(SUMS)
    # <sum> 1 -> <term> + <sum>; <term> 0 -> x; <sum> 2 % 2 = 0 -> <term>; <term> 4 % 3 = 1 -> 1
    reading = read_genome(grammar, [1, 0, 2, 4, 9, 9], GenomeLimits())
    assert (reading.text, reading.used) == ("x + 1", 4)
    # Wrapped: 1 0 | 1 0 | 1 0 and the codons are at an end; and 0 2 | 0 1: one wrap is enough for (1).
    assert "not enough" in read_genome(grammar, [1, 0], GenomeLimits(wraps=2)).reason
    assert read_genome(grammar, [0, 2, 0], GenomeLimits(wraps=1)).reason == ""
    assert read_genome(grammar, [0, 2, 0], GenomeLimits(wraps=1)).text == "(x)"
    assert read_genome(grammar, [], GenomeLimits()).text is None


def test_text_that_grows_without_codons_is_bounded() -> None:
    doubling = "\n".join(f"<d{k}> ::= <d{k + 1}> <d{k + 1}>" for k in range(60)) + '\n<d60> ::= "x"'
    grammar = parse_grammar(doubling)
    assert grammar.shortest == 2**60
    with pytest.raises(LimitError, match="smallest text has depth 61, allowed are 40"):
        GenomeLimits().check(grammar)
    with pytest.raises(LimitError, match=f"length {2**60}"):
        GenomeLimits(depth=100).check(grammar)
    assert "characters" in read_genome(grammar, [0], GenomeLimits(0, 100, 50)).reason
    assert "rules were written out" in read_genome(grammar, [0], GenomeLimits(0, 100, 10**9)).reason


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("", 0, 0, "has no rules"),
        ("# nothing\n", 0, 0, "has no rules"),
        ('"x"', 1, 1, "begins with <name> ::="),
        ("::= <a>", 1, 1, "begins with <name> ::="),
        ('<a> <b> ::= "x"', 1, 1, "begins with <name> ::="),
        ('<a> ::= "x"\n<b>\n<a> ::= "y"', 3, 1, "<a> is defined twice, first in line 1"),
        ("<a> ::=", 1, 5, 'write "" for an empty text'),
        ('<a> ::= "x" |', 1, 13, "nothing stands after |"),
        ('<a> ::= | "x"', 1, 5, "nothing stands after ::="),
        ('<a> ::= "x"\n  | <bb>\n<b> ::= "y"', 2, 5, "<bb> is not defined; did you mean <b>?"),
        ("<a> ::= x", 1, 9, "'x' is neither <name> nor \"text\""),
        ('<a> ::= "x', 1, 9, "the closing quote is missing"),
        ('<a> ::= "x\n"', 1, 9, "the closing quote is missing"),
        ('<a> ::= "\\t"', 1, 9, "after a backslash"),
        ('<a> ::= <1> | "x"', 1, 9, "begins with a letter"),
        ("<a> ::= <a", 1, 9, "a name is <letters"),
        ('<a> ::= "x" ::= "y"', 1, 13, "stands after the <name>"),
        ('<a> ::= "x" <b>\n<b> ::= <b> "y" | <c>\n<c> ::= <b>', 1, 1, "<a>, <b>, <c> can never end"),
        ('<a> ::= "x" | <b>\n\n  <b> ::= <b>', 3, 3, "<b> can never end"),
        ("<a> ::= <a>", 1, 1, "<a> can never end: every alternative leads back"),
    ],
)
def test_damage_is_named_with_its_place(text: str, line: int, column: int, words: str) -> None:
    with pytest.raises(GrammarError) as caught:
        parse_grammar(text, "my.bnf")
    error = caught.value
    assert (error.line, error.column) == (line, column)
    assert words in str(error) and str(error).startswith("my.bnf")


@given(st.text(max_size=60) | st.text('<>ab"|:=\\n \n', max_size=60))
def test_any_text_is_a_grammar_or_a_named_error(text: str) -> None:
    try:
        grammar = parse_grammar(text)
    except GrammarError:
        return
    assert grammar.rules and grammar.start.depth >= 1


@given(rule_tables(), st.data())
def test_a_changed_character_is_a_grammar_or_a_named_error(
    table: list[list[list[int | str]]], data: st.DataObject
) -> None:
    text = written(table)
    at = data.draw(st.integers(0, len(text) - 1))
    try:
        parse_grammar(text[:at] + data.draw(st.sampled_from('<>"|:= \n\\x')) + text[at + 1 :])
    except GrammarError as error:
        assert error.line >= 0 and error.column >= 0


def test_a_grammar_that_ends_with_chance_is_read() -> None:
    # Endless for a genome of zeros, yet the grammar is sound: the reading stops by its limits.
    grammar = parse_grammar('<a> ::= <a> <a> | "x"')
    reading = read_genome(grammar, [0] * 50, GenomeLimits(wraps=100, depth=10**6, length=10**6))
    assert reading.text is None and reading.reason


def test_bounds_of_size() -> None:
    with pytest.raises(GrammarError, match="characters, at most"):
        parse_grammar("#" * (grammars.MAX_BYTES + 1))
    many = "\n".join(f'<r{k}> ::= "x"' for k in range(grammars.MAX_RULES + 1))
    with pytest.raises(GrammarError, match="rules, at most"):
        parse_grammar(many)
    with pytest.raises(GrammarError, match="alternatives, at most"):
        parse_grammar("<a> ::= " + " | ".join(['"x"'] * (grammars.MAX_ALTERNATIVES + 1)))
    with pytest.raises(GrammarError, match="symbols, at most"):
        parse_grammar("<a> ::= " + '"x"' * grammars.MAX_SYMBOLS)


def test_rules_out_of_reach_are_reported() -> None:
    assert parse_grammar('<a> ::= "x"\n<b> ::= <c>\n<c> ::= "y" | <a>').unused == ("b", "c")
    assert parse_grammar(SUMS).unused == ()


def test_recursion_is_known() -> None:
    rules = {rule.name: rule for rule in parse_grammar(SUMS).rules}
    assert [way.recursive for way in rules["term"].alternatives] == [False, False, True]
    assert [way.depth for way in rules["term"].alternatives] == [0, 0, 2]
    assert (rules["sum"].depth, rules["term"].depth) == (2, 1)


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "sums.bnf"
    path.write_bytes(b"\xef\xbb\xbf" + SUMS.encode())
    assert read_grammar(path) == parse_grammar(SUMS)
    path.write_bytes(b"<a> ::= \xff")
    with pytest.raises(GrammarError, match="not UTF-8"):
        read_grammar(path)
    with pytest.raises(GrammarError, match="no such file"):
        read_grammar(tmp_path / "absent.bnf")


def test_alternatives_are_chosen_evenly() -> None:
    grammar: Grammar = parse_grammar("<a> ::= " + " | ".join(f'"{k}"' for k in range(7)))
    counts = dict.fromkeys("0123456", 0)
    for place in range(7000):
        genome = random_genome(grammar, Rng(5, 1, place), 1, False, GenomeLimits())
        counts[read_genome(grammar, genome, GenomeLimits()).text or ""] += 1
    assert all(850 < count < 1150 for count in counts.values()), counts
    genomes = [random.Random(k).randrange(CODONS) for k in range(10)]
    assert all(read_genome(grammar, [codon], GenomeLimits()).text == str(codon % 7) for codon in genomes)

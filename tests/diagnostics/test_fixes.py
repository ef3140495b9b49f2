"""Fixes as changes of a text, and the names of findings: the same as by hand, however many there are."""

from __future__ import annotations

import hashlib
import random
from itertools import pairwise

from costa_dsl.diagnostics import Diagnostic, Edit, Fix, SourceSpan, SourceText, apply_fixes
from costa_dsl.diagnostics.fingerprint import fingerprints


def by_hand(source: SourceText, fixes: list[Fix]) -> tuple[str, list[Fix]]:
    """Every edit compared with every other, and the text made anew for each, from its end to its begin."""
    taken: list[Edit] = []
    applied = []
    for fix in fixes:
        if not any(
            edit.span.start <= other.span.end and other.span.start <= edit.span.end
            for edit in fix.edits
            for other in taken
        ):
            taken += fix.edits
            applied.append(fix)
    text = source.text
    for edit in sorted(taken, key=lambda edit: (edit.span.start, edit.span.end), reverse=True):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return text, applied


def test_fixes_are_applied_as_by_hand() -> None:
    dice = random.Random(7)
    source = SourceText("x", "".join(chr(ord("a") + index % 26) for index in range(60)))
    left_out = 0
    for _ in range(300):
        fixes = []
        for number in range(dice.randint(1, 8)):
            places = sorted(dice.sample(range(61), 4))
            # Two edits that do not overlap; every other time they have a border in common, or are empty.
            middle = places[1] if dice.random() < 0.5 else places[2]
            last = middle if dice.random() < 0.3 else places[3]
            edits = [
                Edit(SourceSpan(source, places[0], places[1]), f"<{number}>"),
                Edit(SourceSpan(source, middle, last), f"({number})"),
            ]
            dice.shuffle(edits)
            fixes.append(Fix("", tuple(edits[: dice.randint(1, 2)])))
        expected = by_hand(source, fixes)
        assert apply_fixes(source, fixes) == expected
        left_out += len(fixes) - len(expected[1])
    assert left_out > 100


def test_a_fix_of_another_text_is_left_out() -> None:
    source, other = SourceText("x", "abc"), SourceText("x", "abc")
    here, there = Edit(SourceSpan(source, 0, 1), "A"), Edit(SourceSpan(other, 2, 3), "C")
    assert apply_fixes(source, [Fix("", (here, there)), Fix("", (there,))]) == ("abc", [])
    assert apply_fixes(source, [Fix("", (here,))])[0] == "Abc"


def test_many_fixes() -> None:
    count = 60_000
    source = SourceText("x", "ab " * count)
    fixes = [Fix("", (Edit(SourceSpan(source, 3 * index, 3 * index + 1), "xyz"),)) for index in range(count)]
    fixes += fixes[:100]  # each touches one that was taken
    random.Random(1).shuffle(fixes)
    text, applied = apply_fixes(source, fixes)
    assert text == "xyzb " * count
    assert len(applied) == count


def test_a_name_is_a_digest_of_what_stays() -> None:
    source = SourceText("plan.yaml", "a: 1\n  b :  2 \ud800\n")
    found = [
        Diagnostic("COS1001", "one", SourceSpan(source, 7, 8)),
        Diagnostic("COS1001", "two", SourceSpan(source, 9, 10)),
        Diagnostic("COS1001", "one", SourceSpan(source, 11, 12)),
        Diagnostic("COS1002", "one", SourceSpan(source, 0, 1)),
        Diagnostic("COS1002", "one"),
    ]

    def digits(*parts: str) -> str:
        return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]

    line = "b:2\ud800"
    assert fingerprints(found) == [
        digits("COS1001", "plan.yaml", line, "one") + ":1",
        digits("COS1001", "plan.yaml", line, "two") + ":1",
        digits("COS1001", "plan.yaml", line, "one") + ":2",
        digits("COS1002", "plan.yaml", "a:1", "one") + ":1",
        digits("COS1002", "", "", "one") + ":1",
    ]


def test_many_findings_in_one_long_line_read_it_once() -> None:
    read: list[int] = []

    class Counting(SourceText):
        def line_text(self, line: int) -> str:
            read.append(line)
            return super().line_text(line)

    source = Counting("x", "word " * 400_000)
    found = [Diagnostic("COS1001", f"message {index}", SourceSpan(source, index, index + 1)) for index in range(20_000)]
    names = fingerprints(found)
    assert read == [1]
    assert all(one != other for one, other in pairwise(names))
    assert len(set(names)) == len(found)

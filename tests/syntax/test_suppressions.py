"""Comments with which authors live with findings: what they mean, what is none, and files full of them."""

from __future__ import annotations

import pytest

from costa_dsl.diagnostics import Diagnostic, Severity, Sink, SourceSpan, SourceText
from costa_dsl.rules.suppress import is_ignored, suppress
from costa_dsl.syntax import read_documents
from costa_dsl.syntax.suppressions import Suppression, suppressions_of


def comments_of(text: str) -> tuple[SourceText, list[Suppression]]:
    source, sink = SourceText("x.yaml", text), Sink()
    comments = suppressions_of(source, read_documents(source, sink))
    assert not list(sink)
    return source, comments


def at(source: SourceText, line: int, code: str = "COS3202", severity: Severity = Severity.WARNING) -> Diagnostic:
    start = source.line_start(line)
    return Diagnostic(code, "a message", SourceSpan(source, start, start + 1), severity)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("a: 1  # costa: ignore[COS3202] x\nb: 2\n", [range(1, 2)]),
        ("# costa: ignore[COS3202] x\n# more\n\nb: 2\n", [range(4, 5)]),
        ("# costa: ignore[COS3202] x\n  # costa: ignore[COS3202] y\nb: {c: [1,\n  2\n]}\nd: 1\n", [range(3, 6)] * 2),
        ("b: {c: [1,\n  2\n]}  # costa: ignore[COS3202] x\n", [range(1, 4)]),
        ("b: [[1,\n 2], [3,\n 4]]  # costa: ignore[COS3202] x\n", [range(1, 4)]),
        ("a: 1\n# costa: ignore[COS3202] at the end\n", [range(3, 4)]),
        ("a: 1\n# costa: ignore[COS3202] at the very end", [range(2, 3)]),
        ('a: "b # costa: ignore[COS3202] c"\n', []),
        ('"a # costa: ignore[COS3202] c": b\n', []),
        ("a: |\n  # costa: ignore[COS3202] c\nb: 1\n", []),
        ('a: "b # costa: ignore[COS3202] c"  # costa: ignore[COS3208] d\n', [range(1, 2)]),
        ("a: 1  #\n  # costa: ignored\nb: 1 #costa:ignore[COS3202]x\n", [range(3, 4)]),
        ("a: 1#\ncosta: ignore\n", []),
        ("a: 1 #\ncosta: ignore\n", []),
    ],
)
def test_the_lines_that_a_comment_means(text: str, lines: list[range]) -> None:
    assert [comment.lines for comment in comments_of(text)[1]] == lines


def test_the_last_comment_with_a_reason_gives_it() -> None:
    text = (
        "# costa: ignore[COS3202] first\n# costa: ignore[COS3202]\n# costa: ignore[COS3208] other\n"
        "a: [1,\n  2]  # costa: ignore[COS3202] last\nb: 1\n"
    )
    source, comments = comments_of(text)
    found = suppress([at(source, 4), at(source, 5), at(source, 6), at(source, 4, "COS3208")], source, comments)
    assert [one.suppressed for one in found[:4]] == ["last", "last", "", "other"]
    assert [one.code for one in found[4:]] == ["COS0031"]  # the one without a reason
    assert [is_ignored(at(source, line)) for line in (4, 5, 6)] == [True, True, False]


def test_findings_of_other_texts_are_left_alone() -> None:
    source, comments = comments_of("a: 1  # costa: ignore[COS3202] x\n")
    other = SourceText("x.yaml", source.text)
    found = suppress([at(other, 1), Diagnostic("COS3202", "nowhere")], source, comments)
    assert [one.suppressed for one in found[:2]] == ["", ""]
    assert [one.code for one in found[2:]] == ["COS0032"]


def test_an_error_is_refused_and_nothing_is_idle_beside_it() -> None:
    source, comments = comments_of("a: 1  # costa: ignore[COS3104] x\nb: 1  # costa: ignore[COS3202] y\n")
    found = suppress([at(source, 1, "COS3104", Severity.ERROR)] * 2, source, comments)
    assert [one.code for one in found] == ["COS3104", "COS3104", "COS0033"]


# ---- many of them: each of these takes minutes when every comment is compared with every other -----------------
COUNT = 30_000


def test_a_long_run_of_comments() -> None:
    text = "# costa: ignore[COS3202] x\n" * COUNT + "a: [1,\n" + "  2,\n" * COUNT + "]\n"
    source, comments = comments_of(text)
    assert {comment.lines for comment in comments} == {range(COUNT + 1, 2 * COUNT + 3)}
    found = suppress([at(source, COUNT + 1 + index) for index in range(COUNT)], source, comments)
    assert len(found) == COUNT
    assert all(one.suppressed == "x" for one in found)


def test_a_comment_behind_each_of_many_steps() -> None:
    text = "".join(
        f"- {{do: [a{index}], b: &x{index} c}}  # costa: ignore[COS3202] {index}\n" for index in range(COUNT // 3)
    )
    source, comments = comments_of(text)
    assert len(comments) == COUNT // 3
    found = suppress([at(source, line + 1) for line in range(COUNT // 3)], source, comments)
    assert [one.suppressed for one in found] == [str(index) for index in range(COUNT // 3)]


def test_many_quoted_texts_in_one_line_that_look_like_comments() -> None:
    text = "a: [" + ", ".join(['"b # costa: ignore[COS3202] c"'] * (COUNT // 3)) + "]  # costa: ignore[COS3208] d\n"
    assert [comment.codes for comment in comments_of(text)[1]] == [("COS3208",)]


def test_many_codes_that_do_not_exist() -> None:
    text = "# costa: ignore[cos3202] x\n" + "".join(f"# costa: ignore[COS{index:05}] x\n" for index in range(COUNT))
    source, comments = comments_of(text + "a: 1\n")
    found = suppress([], source, comments)
    assert len(found) == COUNT + 1
    assert found[0].label == 'did you mean "COS3202"?'


def test_one_text_is_read_once_for_all_of_its_findings(monkeypatch: pytest.MonkeyPatch) -> None:
    source = SourceText("x.yaml", "a: 1  # costa: ignore[COS3202] x\n" + "# costa: none\n" * 100)
    calls: list[str] = []

    def counting(read: SourceText, sink: Sink) -> object:
        calls.append(read.name)
        return read_documents(read, sink)

    monkeypatch.setattr("costa_dsl.rules.suppress.read_documents", counting)
    assert all(is_ignored(at(source, 1)) for _ in range(50))
    assert calls == ["x.yaml"]

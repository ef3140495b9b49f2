"""Bytes of files → texts."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest

from costa_dsl.diagnostics import Sink, SourceText
from costa_dsl.syntax import read_text_file

TEXT = "task: größer 日本 🐕\n"


def read(path: Path | str) -> tuple[SourceText | None, list[str]]:
    sink = Sink()
    source = read_text_file(str(path), sink)
    return source, [found.code for found in sink]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_encodings(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes(TEXT.encode(encoding))
    source, codes = read(path)
    assert source is not None
    assert (source.text, source.name, codes) == (TEXT, str(path), [])


def test_byte_order_marks_of_both_orders(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    for mark, encoding in [(b"\xfe\xff", "utf-16-be"), (b"\xff\xfe", "utf-16-le"), (b"\0\0\xfe\xff", "utf-32-be")]:
        path.write_bytes(mark + TEXT.encode(encoding))
        source, _ = read(path)
        assert source is not None
        assert source.text == TEXT


def test_old_line_breaks_count_as_lines(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes(b"a: 1\rb: 2\r\nc: 3\n")
    source, _ = read(path)
    assert source is not None
    assert [source.line_text(line) for line in (1, 2, 3)] == ["a: 1", "b: 2", "c: 3"]


def test_a_missing_file_suggests_its_neighbour(tmp_path: Path) -> None:
    (tmp_path / "market.yaml").touch()
    sink = Sink()
    assert read_text_file(str(tmp_path / "markt.yaml"), sink) is None
    (found,) = sink
    assert (found.code, "market.yaml" in found.help) == ("COS0001", True)


def test_each_unreadable_file_gives_one_finding(tmp_path: Path) -> None:
    (tmp_path / "picture.yaml").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    (tmp_path / "latin.yaml").write_bytes("a: é\n".encode("latin-1"))
    (tmp_path / "half.yaml").write_bytes(b"\xff\xfea")
    (tmp_path / "huge.yaml").write_bytes(b"#" * (10 * 1024 * 1024 + 1))
    expected = {
        tmp_path: "COS0002",
        tmp_path / "picture.yaml": "COS0006",
        tmp_path / "latin.yaml": "COS0005",
        tmp_path / "half.yaml": "COS0005",
        tmp_path / "huge.yaml": "COS0004",
        tmp_path / "none" / "a.yaml": "COS0001",
        tmp_path / "latin.yaml" / "a.yaml": "COS0003",
        "a\0b": "COS0003",
        "x" * 5000: "COS0003",
    }
    for path, code in expected.items():
        assert read(path) == (None, [code])


def test_ten_megabytes_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes(b"#" * (10 * 1024 * 1024))
    assert read(path)[1] == []


def test_the_place_of_a_bad_byte(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes("日本\nb: ".encode() + b"\xe9\n")
    sink = Sink()
    read_text_file(str(path), sink)
    (found,) = sink
    assert str(found.span) == f"{path}:2:4"


def test_a_pipe_is_read(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.write(writing, b"a: 1\n")
    os.close(writing)
    source, codes = read(f"/dev/fd/{reading}")
    os.close(reading)
    assert source is not None
    assert (source.text, codes) == ("a: 1\n", [])


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"a: 1\n")))
    source, _ = read("-")
    assert source is not None
    assert (source.name, source.text) == ("<stdin>", "a: 1\n")
